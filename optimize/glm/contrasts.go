package glm

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
)

// Contrasts returns Helmert's orthonormal contrasts of k functions, k×(k−1): column a
// compares function a+1 with the mean of those before it. Adding one function to all
// changes no probability, and a ridge of the contrasts is that of the functions, whose
// least one sums to 0.
func Contrasts(k int) *linalg.Dense {
	q := linalg.Zeros(k, k-1)
	for a := range k - 1 {
		m := float64(a + 1)
		for c := range a + 1 {
			q.Set(c, a, -1/math.Sqrt(m*(m+1)))
		}
		q.Set(a+1, a, math.Sqrt(m/(m+1)))
	}
	return q
}

// Against returns the contrasts with one function, which is 0: column a is the a-th of
// the others. The published coefficients are then the parameters themselves, without
// a subtraction that could cancel.
func Against(k, reference int) *linalg.Dense {
	q := linalg.Zeros(k, k-1)
	a := 0
	for c := range k {
		if c != reference {
			q.Set(c, a, 1)
			a++
		}
	}
	return q
}

// Reference returns the function that contrasts leave 0, −1 if none is.
func (o *Objective) Reference() int {
	if o.q != nil {
		for c := range o.k {
			if linalg.NormInf(o.q.Row(c)) == 0 {
				return c
			}
		}
	}
	return -1
}

// contrast returns element (c, a) of Q.
func (o *Objective) contrast(c, a int) float64 {
	switch {
	case o.q != nil:
		return o.q.At(c, a)
	case c == a:
		return 1
	}
	return 0
}

// expand sets functions (K·dim) to Qθ.
func (o *Objective) expand(functions, theta []float64) {
	if o.q == nil {
		copy(functions, theta)
		return
	}
	dim := o.Dim()
	clear(functions)
	linalg.MulAdd(tableOf(functions, dim), 1, o.q, tableOf(theta, dim))
}

// reduce sets theta to Qᵀ·functions.
func (o *Objective) reduce(theta, functions []float64) {
	if o.q == nil {
		copy(theta, functions)
		return
	}
	dim := o.Dim()
	clear(theta)
	linalg.MulTAdd(tableOf(theta, dim), 1, o.q, tableOf(functions, dim))
}

// tableOf returns parameters as a matrix, one function a row.
func tableOf(theta []float64, dim int) *linalg.Dense {
	return &linalg.Dense{Rows: len(theta) / dim, Cols: dim, Stride: dim, Data: theta}
}

// FunctionsOf returns the parameters of the K functions at theta.
func (o *Objective) FunctionsOf(theta []float64) [][]float64 {
	dim := o.Dim()
	all, rows := make([]float64, o.k*dim), make([][]float64, o.k)
	o.expand(all, theta)
	for c := range rows {
		rows[c] = all[c*dim : (c+1)*dim]
	}
	return rows
}

// ThetaOf returns the parameters of the K functions given, one after the other; where
// one of them has to be 0 it is subtracted from all.
func (o *Objective) ThetaOf(functions []float64) []float64 {
	dim := o.Dim()
	if r := o.Reference(); r >= 0 {
		zero := functions[r*dim : (r+1)*dim]
		moved := make([]float64, len(functions))
		for c := range o.k {
			for j, v := range functions[c*dim : (c+1)*dim] {
				moved[c*dim+j] = v - zero[j]
			}
		}
		functions = moved
	}
	theta := make([]float64, o.Parameters())
	o.reduce(theta, functions)
	return theta
}

// pairs are the second derivatives of the rows of a block by pairs of the functions
// that the parameters are those of, QᵀVQ.
type pairs struct {
	o     *Objective
	byK   []*linalg.Dense // V: row b of element a is the pair a, b ≥ … of the K functions
	half  []*linalg.Dense // QᵀV
	final []*linalg.Dense // QᵀVQ, on and below the diagonal
}

func newPairs(o *Objective) *pairs {
	p, m := &pairs{o: o}, o.Functions()
	square := func(rows, cols int) []*linalg.Dense {
		v := make([]*linalg.Dense, rows)
		for i := range v {
			v[i] = linalg.Zeros(cols, linalg.BlockRows)
		}
		return v
	}
	p.byK = square(o.k, o.k)
	if o.q != nil {
		p.half, p.final = square(m, o.k), square(m, m)
	}
	return p
}

// set makes the pairs those of m rows.
func (p *pairs) set(v, w []float64, m int) {
	k := p.o.k
	for a := range k {
		for b := range a + 1 {
			at := p.byK[a].Row(b)[:m]
			p.o.loss.Curvature(at, a, b, v, w)
			if a != b && p.o.q != nil {
				copy(p.byK[b].Row(a), at)
			}
		}
	}
	if p.o.q == nil {
		return
	}
	for a := range p.half {
		clear(p.half[a].Data)
		for c := range k {
			if q := p.o.q.At(c, a); q != 0 {
				linalg.Axpy(p.half[a].Data, q, p.byK[c].Data)
			}
		}
		for b := range a + 1 {
			to := p.final[a].Row(b)[:m]
			clear(to)
			for c := range k {
				if q := p.o.q.At(c, b); q != 0 {
					linalg.Axpy(to, q, p.half[a].Row(c)[:m])
				}
			}
		}
	}
}

// of returns the second derivatives by functions a and b ≤ a, by row.
func (p *pairs) of(a, b int) []float64 {
	if p.o.q == nil {
		return p.byK[a].Row(b)
	}
	return p.final[a].Row(b)
}

// FunctionsAt returns the K functions at theta, for scores of blocks.
func (o *Objective) FunctionsAt(theta []float64) *design.Functions {
	f := o.NewFunctions(o.k)
	for c, function := range o.FunctionsOf(theta) {
		f.Set(o.Design, c, function)
	}
	return f
}
