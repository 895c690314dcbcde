package qp

import (
	"math"
	"slices"

	"halfspace/linalg"
)

// prox is the weight δ of the proximal term, relative to the mean Qᵢᵢ.
const prox = 1e-11

// block is Q on the f free variables with a proximal term that makes their
// equations definite, and where there is an equality its square:
//
//	M = Q + δI + scale·ssᵀ
//
// It factors M, O(f³), or for a [Factored] Q of p < f columns keeps
// B = (A, √scale·s) and solves by M⁻¹ = (I − B(BᵀB + δI)⁻¹Bᵀ)/δ, O(fp²), which loses
// more to rounding.
type block struct {
	*state
	free  []int
	q     *linalg.Dense // Q, or nil:
	b     *linalg.Dense // B, with the column of s also where there is no equality, then 0
	chol  *linalg.Cholesky
	scale float64 // mean Qᵢᵢ, or 1
	delta float64
	work  float64 // multiplications that the equations took
}

// newBlock makes the equations of the given variables, through B if asked. It returns
// nil where they cannot be solved.
func newBlock(st *state, free []int, throughB bool) *block {
	k := &block{state: st, free: slices.Clone(free)}
	for _, i := range free {
		k.scale += st.diag[i]
	}
	if k.scale /= float64(len(free)); k.scale == 0 {
		k.scale = 1
	}
	k.delta = prox * k.scale
	var m *linalg.Dense
	f := float64(len(free))
	if throughB {
		m = k.outer()
		k.work = f * float64(m.Rows) * float64(m.Rows) / 2
	} else {
		m = k.square()
		k.work = f * f * f / 3
	}
	for i := range m.Rows {
		m.Row(i)[i] += k.delta
	}
	var err error
	if k.chol, err = linalg.NewCholesky(m); err != nil {
		return nil
	}
	return k
}

// square sets q and returns Q + scale·ssᵀ.
func (k *block) square() *linalg.Dense {
	f := len(k.free)
	k.q = linalg.Zeros(f, f)
	for a, i := range k.free {
		k.state.q.Row(k.q.Row(a), i, k.free)
	}
	m := k.q.Clone()
	if k.s != nil {
		s := k.signs()
		for a := range f {
			linalg.Axpy(m.Row(a), k.scale*s[a], s)
		}
	}
	return m
}

// outer sets b and returns BᵀB.
func (k *block) outer() *linalg.Dense {
	p := k.f.Rank()
	k.b = linalg.Zeros(len(k.free), p+1)
	for a, i := range k.free {
		row := k.b.Row(a)
		k.f.AddRow(row[:p], i, 1)
		if k.s != nil {
			row[p] = math.Sqrt(k.scale) * k.s[i]
		}
	}
	return linalg.Gram(k.b, nil, nil, 1)
}

func (k *block) signs() []float64 {
	s := make([]float64, len(k.free))
	for a, i := range k.free {
		s[a] = k.sign(i)
	}
	return s
}

// solve overwrites r with M⁻¹r.
func (k *block) solve(r []float64) {
	if k.b == nil {
		k.chol.Solve(r)
		return
	}
	// The division by δ enlarges rounding 10¹¹ times; what it leaves is solved again,
	// which gains two digits a round.
	x, left := make([]float64, len(r)), append([]float64(nil), r...)
	for range 8 {
		if linalg.NormInf(left) <= 1e-15*linalg.NormInf(r) {
			break
		}
		k.invert(left)
		linalg.Axpy(x, 1, left)
		u := k.across(x)
		for a := range left {
			left[a] = r[a] - k.delta*x[a] - linalg.Dot(k.b.Row(a), u)
		}
	}
	copy(r, x)
}

// invert overwrites r with (r − B(BᵀB + δI)⁻¹Bᵀr)/δ.
func (k *block) invert(r []float64) {
	u := k.across(r)
	k.chol.Solve(u)
	for a := range r {
		r[a] = (r[a] - linalg.Dot(k.b.Row(a), u)) / k.delta
	}
}

// across returns Bᵀr.
func (k *block) across(r []float64) []float64 {
	u := make([]float64, k.b.Cols)
	for a, v := range r {
		linalg.Axpy(u, v, k.b.Row(a))
	}
	return u
}

// addProduct adds step·Qd to the gradient of the free variables.
func (k *block) addProduct(grad, d []float64, step float64) {
	if k.b == nil {
		for a, i := range k.free {
			grad[i] += step * linalg.Dot(k.q.Row(a), d)
		}
		return
	}
	p := k.b.Cols - 1
	u := k.across(d)[:p]
	for a, i := range k.free {
		grad[i] += step * linalg.Dot(k.b.Row(a)[:p], u)
	}
}

// drop takes the free variable at position a out of the equations and reports
// whether it could; else they have to be made anew. O(f²).
func (k *block) drop(a int) bool {
	if k.b != nil {
		return false
	}
	k.free = slices.Delete(k.free, a, a+1)
	remove(k.q, a)
	l := k.chol.L()
	x := make([]float64, l.Rows-a-1)
	for i := range x {
		x[i] = l.At(a+1+i, a)
	}
	remove(l, a)
	update(l, a, x)
	f := float64(l.Rows)
	k.work = 20 * f * f // f²/2 rotations of six operations, which are not vectorised
	return true
}

// remove takes row and column a out of the square m, in place.
func remove(m *linalg.Dense, a int) {
	for i := range m.Rows {
		if i > a {
			copy(m.Row(i-1), m.Row(i))
		}
	}
	m.Rows--
	for i := range m.Rows {
		r := m.Row(i)
		copy(r[a:], r[a+1:])
	}
	m.Cols--
}

// update makes the part of the factor L from row and column a on that of
// LLᵀ + xxᵀ, by plane rotations (Golub & Van Loan, Matrix Computations, 4th ed.,
// §6.5.4), row by row.
func update(l *linalg.Dense, a int, x []float64) {
	c, s := make([]float64, len(x)), make([]float64, len(x))
	for i, v := range x {
		row := l.Row(a + i)[a:]
		for j := range i {
			row[j], v = c[j]*row[j]+s[j]*v, c[j]*v-s[j]*row[j]
		}
		r := math.Hypot(row[i], v)
		c[i], s[i] = row[i]/r, v/r
		row[i] = r
	}
}
