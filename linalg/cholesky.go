package linalg

import "math"

// Cholesky is the factor L of a symmetric positive definite A = LLᵀ.
type Cholesky struct{ l *Dense }

// NewCholesky factors the symmetric matrix a, of which it reads the lower
// triangle and which it does not change. O(p³/3).
//
// Errors: *[PivotError] where a is not positive definite, *[ShapeError] where it
// is not square. (Golub & Van Loan, Matrix Computations, 4th ed., §4.2.)
func NewCholesky(a *Dense) (*Cholesky, error) {
	if a.Rows != a.Cols {
		return nil, &ShapeError{a.Rows, "rows", a.Cols, "columns"}
	}
	l := a.Clone()
	for j := range l.Rows {
		lj := l.Row(j)
		d := lj[j] - Dot(lj[:j], lj[:j])
		if !(d > 0) || math.IsInf(d, 1) {
			return nil, &PivotError{j, d}
		}
		d = math.Sqrt(d)
		lj[j] = d
		for i := j + 1; i < l.Rows; i++ {
			li := l.Row(i)
			li[j] = (li[j] - Dot(li[:j], lj[:j])) / d
		}
		clear(lj[j+1:])
	}
	return &Cholesky{l}, nil
}

// L returns the lower triangular factor, zero above the diagonal. It is not a
// copy.
func (c *Cholesky) L() *Dense { return c.l }

// LogDet returns log det A.
func (c *Cholesky) LogDet() float64 {
	s := 0.0
	for i := range c.l.Rows {
		s += math.Log(c.l.At(i, i))
	}
	return 2 * s
}

// Solve overwrites b with A⁻¹b. O(p²).
func (c *Cholesky) Solve(b []float64) {
	SolveLower(c.l, b)
	SolveLowerT(c.l, b)
}

// SolveLower overwrites b with L⁻¹b for a lower triangular L with a non-zero
// diagonal. O(p²).
func SolveLower(l *Dense, b []float64) {
	mustLen("SolveLower", l.Rows, len(b))
	for i := range b {
		li := l.Row(i)
		b[i] = (b[i] - Dot(li[:i], b[:i])) / li[i]
	}
}

// SolveLowerT overwrites b with L⁻ᵀb. O(p²).
func SolveLowerT(l *Dense, b []float64) {
	mustLen("SolveLowerT", l.Rows, len(b))
	for i := len(b) - 1; i >= 0; i-- {
		li := l.Row(i)
		b[i] /= li[i]
		Axpy(b[:i], -b[i], li[:i])
	}
}
