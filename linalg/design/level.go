package design

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/exact"
)

// Level is an orthonormal basis of the scaled features of a design without an intercept, whose first
// direction is that of their means c. In it a function is, with its value b at the means,
//
//	β·x = b·aᵢ + φ·zᵢ,   b = β·c,   aᵢ = 1 + c·(xᵢ−c)/‖c‖²,
//
// where φ and zᵢ are the other coordinates of β and xᵢ−c: those of Householder's reflection
// that turns c to the first axis (Golub & Van Loan, Matrix Computations, §5.1). Where the means
// are far from 0, a is nearly a column of ones, and b has next to no ridge.
type Level struct {
	Rows   *Design // (a, z), with a in the place of the intercept's column
	Length float64 // ‖c‖

	scale  []float64 // s
	mean   []float64 // c/s
	mirror []float64 // v of the reflection 1 − vvᵀ
}

const (
	// levelRows is the number of rows, at least, from which the means are estimated.
	levelRows = 64
	// far is how many times the deviation of the rows ‖c‖ has to be.
	far = 30
	// mostTilt bounds |a − 1|: preconditioners take a for ones.
	mostTilt = 1. / 8
)

// Leveled returns the basis for the features sⱼxᵢⱼ, nil where their means are not far from 0. A dense copy
// of the rows, O(np).
func (d *Design) Leveled(scale []float64) *Level {
	if d.Sparse() || d.P < 2 || linalg.CheckCopy(d.rows, d.N, d.P) != nil {
		return nil
	}
	l := &Level{scale: scale, mirror: make([]float64, d.P)}
	if !l.locate(d) {
		return nil
	}
	z, a := linalg.Zeros(d.N, d.P-1), make([]float64, d.N)
	err := d.EachRow(func() func(*Block) {
		row := make([]float64, d.P)
		return func(b *Block) {
			for i := range b.Len() {
				if a[b.Lo+i] = 1; d.Weight(b.Lo+i) == 0 {
					continue
				}
				b.Row(row, i)
				linalg.Axpy(row, -1, l.mean)
				l.turn(row, l.scale)
				a[b.Lo+i] += row[0] / l.Length
				copy(z.Row(b.Lo+i), row[1:])
			}
			if !b.inRange() {
				a[b.Lo] = math.NaN()
			}
		}
	})
	for _, v := range a {
		if !(math.Abs(v-1) < mostTilt) {
			return nil
		}
	}
	if l.Rows = d.Of(z); err != nil {
		return nil
	}
	l.Rows.Intercept, l.Rows.level = 1, a
	return l
}

// locate finds the means of some rows and the reflection, and reports whether they are far from 0.
func (l *Level) locate(d *Design) bool {
	part, err := d.Thin(1 + d.N/levelRows)
	if err != nil {
		return false
	}
	mean, sd, err := part.Spread()
	if err != nil {
		return false
	}
	l.mean = mean
	for j, s := range l.scale {
		l.mirror[j] = mean[j] * s
		sd[j] *= s
	}
	l.Length = linalg.Norm(l.mirror)
	if !(l.Length > far*linalg.Norm(sd)) {
		return false
	}
	v := l.mirror
	linalg.Scale(v, 1/l.Length)
	sign := math.Copysign(1, v[0]) // the first axis is −sign·c
	l.Length *= -sign
	v[0] += sign
	linalg.Scale(v, 1/math.Sqrt(math.Abs(v[0])))
	return true
}

// turn reflects x times the scale.
func (l *Level) turn(x, scale []float64) {
	for j, s := range scale {
		x[j] *= s
	}
	linalg.Axpy(x, -linalg.Dot(l.mirror, x), l.mirror)
}

// From overwrites the parameters of functions without an intercept, one after the other, with those in
// the basis. Levels are summed in twice the working precision.
func (l *Level) From(theta []float64) {
	p := len(l.mean)
	for ; len(theta) > 0; theta = theta[p:] {
		var level exact.Sum
		level.AddProducts(nil, l.mean, theta[:p], nil)
		for j, s := range l.scale {
			theta[j] /= s
		}
		l.turn(theta[:p], nil)
		theta[0] = level.Value()
	}
}

// To is the inverse of From.
func (l *Level) To(theta []float64) {
	for p := len(l.mean); len(theta) > 0; theta = theta[p:] {
		theta[0] /= l.Length
		l.turn(theta[:p], nil)
		for j, s := range l.scale {
			theta[j] *= s
		}
	}
}
