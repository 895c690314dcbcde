package zeroone

import (
	"cmp"
	"math"
	"math/big"

	"halfspace/linalg/exact"
)

// points are places in up to three dimensions; missing coordinates are 0.
type points struct {
	at    [][3]float64
	whole [][3]*big.Int // the same in units of a power of two
	gain  []float64     // what a point adds to the cost on the positive side, less that on the negative
}

func newPoints(at [][3]float64, gain []float64) *points {
	unit := math.MaxInt
	for _, p := range at {
		for _, v := range p {
			if m, e := exact.Split(v); m != 0 {
				unit = min(unit, e)
			}
		}
	}
	s := &points{at, make([][3]*big.Int, len(at)), gain}
	for i, p := range at {
		for j, v := range p {
			s.whole[i][j] = exact.Integer(new(big.Int), v, unit)
		}
	}
	return s
}

// Bounds of the rounding of a determinant of differences, relative to the sum of the sizes
// of its terms (Shewchuk 1997, the A tests).
const (
	ulp     = 0x1p-53
	planeUp = (3 + 16*ulp) * ulp
	spaceUp = (7 + 56*ulp) * ulp

	underflows = 0x1p-960 // below which terms may have lost digits beyond those bounds
)

// turn returns the sign of (j−i)×(k−i) in the coordinates a and b: positive for a turn to
// the left.
func (s *points) turn(i, j, k, a, b int) int {
	p, q, r := &s.at[i], &s.at[j], &s.at[k]
	left, right := (q[a]-p[a])*(r[b]-p[b]), (q[b]-p[b])*(r[a]-p[a])
	if d := left - right; math.Abs(d) > planeUp*(math.Abs(left)+math.Abs(right)) {
		return cmp.Compare(d, 0)
	}
	u, v := s.minus(j, i), s.minus(k, i)
	return determinant(u[a], u[b], v[a], v[b]).Sign()
}

// side returns the sign of the determinant of j−i, k−i and l−i: on which side of the plane
// through i, j and k the point l is.
func (s *points) side(i, j, k, l int) int {
	o, p, q, r := &s.at[i], &s.at[j], &s.at[k], &s.at[l]
	var u, v, w [3]float64
	for c := range o {
		u[c], v[c], w[c] = p[c]-o[c], q[c]-o[c], r[c]-o[c]
	}
	d, size := 0.0, 0.0
	for c := range w {
		a, b := (c+1)%3, (c+2)%3
		left, right := u[a]*v[b], u[b]*v[a]
		d += w[c] * (left - right)
		size += math.Abs(w[c]) * (math.Abs(left) + math.Abs(right))
	}
	if size > underflows && math.Abs(d) > spaceUp*size {
		return cmp.Compare(d, 0)
	}
	x, y, z := s.minus(j, i), s.minus(k, i), s.minus(l, i)
	sum := new(big.Int)
	for c := range z {
		a, b := (c+1)%3, (c+2)%3
		m := determinant(x[a], x[b], y[a], y[b])
		sum.Add(sum, m.Mul(m, z[c]))
	}
	return sum.Sign()
}

// minus returns point i less point j, exactly.
func (s *points) minus(i, j int) (d [3]*big.Int) {
	for c := range d {
		d[c] = new(big.Int).Sub(s.whole[i][c], s.whole[j][c])
	}
	return d
}

// determinant returns a·d − b·c.
func determinant(a, b, c, d *big.Int) *big.Int {
	z := new(big.Int).Mul(a, d)
	return z.Sub(z, new(big.Int).Mul(b, c))
}
