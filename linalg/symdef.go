package linalg

// SymDefEigen solves Bv = λWv for symmetric B and symmetric positive definite W,
// both p×p: values ascending, vectors (rows of Vectors) with vᵀWv = 1, so
// VWVᵀ = I and VBVᵀ = Λ. It reads the lower triangles and changes neither. Each
// vector's sign makes its entry of largest magnitude positive.
//
// With W = LLᵀ it is the eigenproblem of L⁻¹BL⁻ᵀ, so the error of a value is some
// 2⁻⁵²·cond(W)·max|λ|, where the condition is that of W scaled to a unit diagonal:
// the units of the p coordinates do not matter. O(p³). (Golub & Van Loan,
// algorithm 8.7.1; Demmel, LAPACK working note 14, for the scaling.)
//
// Errors: *[PivotError] where W is not positive definite, *[ShapeError],
// *[NonFiniteError].
func SymDefEigen(b, w *Dense) (*Eigen, error) {
	for _, a := range []*Dense{b, w} {
		if err := a.Check(); err != nil {
			return nil, err
		}
	}
	p := w.Rows
	if b.Rows != p {
		return nil, &ShapeError{p, "rows of W", b.Rows, "rows of B"}
	}
	bs, _, err := symmetricCopy(b)
	if err != nil {
		return nil, err
	}
	if _, _, err := symmetricCopy(w); err != nil {
		return nil, err
	}
	c, err := NewCholesky(w)
	if err != nil {
		return nil, err
	}
	for range 2 { // L⁻¹B, then L⁻¹(L⁻¹B)ᵀ
		c.Forward(bs)
		bs = bs.Transposed()
	}
	e, err := SymEigen(bs)
	if err != nil {
		return nil, err
	}
	for k := range p {
		v := e.Vectors.Row(k)
		SolveLowerT(c.l, v)
		fixSign(v)
	}
	return e, nil
}
