package linalg

// SymDefEigen solves Bv = λWv for symmetric B and symmetric positive definite W,
// both p×p: values ascending, vectors (rows of Vectors) with vᵀWv = 1, so
// VWVᵀ = I and VBVᵀ = Λ. It reads the lower triangles and changes neither.
//
// With W = LLᵀ it is the eigenproblem of L⁻¹BL⁻ᵀ. W is first scaled to a unit
// diagonal, so the units of the p coordinates do not enter the accuracy. O(p³).
// (Golub & Van Loan, algorithm 8.7.1; van der Sluis 1969 for the scaling.)
//
// Errors: *[PivotError] where W is not positive definite, *[ShapeError],
// *[NonFiniteError].
func SymDefEigen(b, w *Dense) (*Eigen, error) {
	for _, a := range []*Dense{b, w} {
		if err := a.Check(); err != nil {
			return nil, err
		}
		if err := a.CheckFinite(); err != nil {
			return nil, err
		}
	}
	p := w.Rows
	if b.Rows != p {
		return nil, &ShapeError{p, "rows of W", b.Rows, "rows of B"}
	}
	if b.Cols != p {
		return nil, &ShapeError{p, "columns of W", b.Cols, "columns of B"}
	}
	if w.Cols != p {
		return nil, &ShapeError{p, "rows of W", w.Cols, "columns of W"}
	}
	s := diagonalScale(w)
	chol, err := NewCholesky(scaledSymmetric(w, s))
	if err != nil {
		return nil, err
	}
	m := scaledSymmetric(b, s)
	for range 2 { // L⁻¹B, then L⁻¹(L⁻¹B)ᵀ
		chol.Forward(m)
		m = transposed(m)
	}
	e, err := SymEigen(m)
	if err != nil {
		return nil, err
	}
	for k := range p {
		v := e.Vectors.Row(k)
		SolveLowerT(chol.L(), v)
		for j := range v {
			v[j] *= s[j]
		}
		fixSign(v)
	}
	return e, nil
}
