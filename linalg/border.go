package linalg

// SolveNear solves for a matrix near A = LLᵀ: without the rows and columns gone, which are
// ascending, and with t more, of which across (n×t) are the entries beside the rows of A and
// corner (t×t) those among themselves. x (length n) and more (length t) hold the right-hand side
// and are overwritten with the solution, which is 0 where rows are gone. It reports false, and
// leaves neither as it was, where rounding denies that the matrix is positive definite.
// O(n²(k+1)) for the k = t + len(gone) changes, by products of blocks.
//
// With V = L⁻¹(across, E) for the unit vectors E of the rows that are gone, X = V_TᵀV_E and
// P = corner − V_TᵀV_T it solves, through the Schur complement of A,
//
//	P·y − X·μ = more − V_Tᵀ(L⁻¹x),  Xᵀy + V_EᵀV_E·μ = V_Eᵀ(L⁻¹x)
//
// and the solution is L⁻ᵀ(L⁻¹x − V(y, μ)) beside y. (Golub & Van Loan, Matrix Computations,
// 4th ed., §3.2.6.)
func (c *Cholesky) SolveNear(x, more []float64, gone []int, across, corner *Dense) bool {
	n, t, k := c.l.Rows, len(more), len(more)+len(gone)
	mustLen("Cholesky.SolveNear", n, len(x))
	if k == 0 {
		c.Solve(x)
		return true
	}
	v, y := Zeros(n, k), make([]float64, k)
	for i := range n {
		copy(v.Row(i), across.Row(i))
	}
	for j, i := range gone {
		v.Set(i, t+j, 1)
	}
	c.Forward(v)
	SolveLower(c.l, x)
	MulTVec(y, v, x, 1)
	for i, r := range more {
		y[i] = r - y[i]
	}
	if !solveSchur(Gram(v, nil, nil, 1), corner, y) {
		return false
	}
	for i := range n {
		x[i] -= Dot(v.Row(i), y)
	}
	SolveLowerT(c.l, x)
	for _, i := range gone {
		x[i] = 0
	}
	copy(more, y)
	return true
}

// solveSchur overwrites y with (y, μ) of [Cholesky.SolveNear], for the Gram matrix g of V.
func solveSchur(g, corner *Dense, y []float64) bool {
	t := corner.Rows
	p, cross, m := corner.Clone(), Zeros(t, len(y)-t), Zeros(len(y)-t, len(y)-t)
	for i := range t {
		Axpy(p.Row(i), -1, g.Row(i)[:t])
		copy(cross.Row(i), g.Row(i)[t:])
	}
	for i := range m.Rows {
		copy(m.Row(i), g.Row(t + i)[t:])
	}
	first := &Cholesky{p}
	if cholesky(p, 1) != nil {
		return false
	}
	half := cross.Clone()
	first.Forward(half)
	MulTAdd(m, 1, half, half)
	last := &Cholesky{m}
	if cholesky(m, 1) != nil {
		return false
	}
	head := append([]float64(nil), y[:t]...)
	first.Solve(head)
	for i, v := range head {
		Axpy(y[t:], -v, cross.Row(i))
	}
	last.Solve(y[t:])
	for i := range t {
		y[i] += Dot(cross.Row(i), y[t:])
	}
	first.Solve(y[:t])
	return true
}
