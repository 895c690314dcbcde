package linalg

import (
	"math"

	"halfspace/linalg/internal/kernel"
)

// Cholesky is the factor L of a symmetric positive definite A = LLᵀ.
type Cholesky struct{ l *Dense }

const (
	// cholBlock is the number of rows that are finished before those of their panel are
	// brought up to date: few enough for a block to stay in the first cache.
	cholBlock = 32
	// cholPanel is the number of rows that are finished before the rest of the matrix is,
	// which each time is read from memory: enough for the update to carry the work.
	cholPanel = 4 * cholBlock
)

// NewCholesky factors the symmetric p×p matrix a. It reads the lower triangle and
// changes nothing. O(p³/3).
//
// LLᵀ differs from A by at most about p·2⁻⁵³·√(aᵢᵢaⱼⱼ) in each element. (Golub &
// Van Loan, Matrix Computations, 4th ed., §4.2.6, the outer product form by
// blocks; Higham, Accuracy and Stability, theorem 10.3, for the bound.)
//
// Errors: *[PivotError] where a is not positive definite (or has a NaN or an
// infinity), *[ShapeError] where it is not square.
func NewCholesky(a *Dense) (*Cholesky, error) {
	if err := checkSquare(a); err != nil {
		return nil, err
	}
	l := Zeros(a.Rows, a.Rows)
	for i := range l.Rows {
		copy(l.Row(i)[:i+1], a.Row(i))
	}
	return NewCholeskyIn(l, 1)
}

// NewCholeskyIn is [NewCholesky] in the memory of a, which it overwrites and keeps, on workers
// goroutines: they share the work from 500 columns on.
func NewCholeskyIn(a *Dense, workers int) (*Cholesky, error) {
	if err := checkSquare(a); err != nil {
		return nil, err
	}
	if err := cholesky(a, workers); err != nil {
		return nil, err
	}
	return &Cholesky{a}, nil
}

// checkSquare returns an error unless a is well formed and has as many rows as columns.
func checkSquare(a *Dense) error {
	if err := a.Check(); err != nil {
		return err
	}
	if a.Rows != a.Cols {
		return &ShapeError{a.Rows, "rows", a.Cols, "columns"}
	}
	return nil
}

// cholesky overwrites the lower triangle of a with its factor.
//
// The part of A still to be factored stays in the lower triangle; the finished rows of U = Lᵀ
// grow in the upper one, where they are contiguous, so a block's own elimination
// runs along long rows and the update is a Gram matrix of its rows.
func cholesky(a *Dense, workers int) error {
	p := a.Rows
	var minus [cholPanel]float64
	for i := range minus {
		minus[i] = -1
	}
	for lo := 0; lo < p; lo += cholPanel {
		hi := min(lo+cholPanel, p)
		if err := cholSquare(a, lo, hi, minus[:]); err != nil {
			return err
		}
		if hi < p {
			For(p-hi, cholPanel, workers, func(from, to int) { cholStrip(a, lo, hi, hi+from, hi+to) })
			syrk(a.window(hi, p, hi, p), a.window(lo, hi, hi, p), nil, minus[:hi-lo], Upcoming{}, workers)
		}
	}
	For(p, cholBlock, workers, func(lo, hi int) { lowerColumns(a, lo, hi) })
	return nil
}

// lowerColumns moves rows lo ≤ i < hi of U to the columns of L.
func lowerColumns(a *Dense, lo, hi int) {
	if p := a.Rows; hi < p {
		Transpose(a.window(hi, p, lo, hi), a.window(lo, hi, hi, p))
	}
	for i := lo; i < hi; i++ {
		row := a.Row(i)
		for j := i + 1; j < hi; j++ {
			a.Data[j*a.Stride+i] = row[j]
		}
		clear(row[i+1:])
	}
}

// cholSquare makes rows from ≤ j < to of U from those of A, as far as column to, block by block.
func cholSquare(a *Dense, from, to int, minus []float64) error {
	for lo := from; lo < to; lo += cholBlock {
		hi := min(lo+cholBlock, to)
		symmetrizeBlock(a, lo, hi)
		if hi < to {
			Transpose(a.window(lo, hi, hi, to), a.window(hi, to, lo, hi))
		}
		if err := cholRows(a, lo, hi, to); err != nil {
			return err
		}
		if hi < to {
			Syrk(a.window(hi, to, hi, to), a.window(lo, hi, hi, to), nil, minus[:hi-lo])
		}
	}
	return nil
}

// cholRows makes rows lo ≤ j < hi of U from those of A, from the diagonal to column end.
func cholRows(a *Dense, lo, hi, end int) error {
	for j := lo; j < hi; j++ {
		eliminate(a, lo, j, j, end)
		d := a.At(j, j)
		if !(d > 0) || math.IsInf(d, 1) {
			return &PivotError{j, d}
		}
		d = math.Sqrt(d)
		a.Set(j, j, d)
		divideBy(a.Row(j)[j+1:end], d)
	}
	return nil
}

// cholStrip makes columns c0 ≤ k < c1 of rows from ≤ j < to of U, whose square is finished.
func cholStrip(a *Dense, from, to, c0, c1 int) {
	Transpose(a.window(from, to, c0, c1), a.window(c0, c1, from, to))
	for lo := from; lo < to; lo += cholBlock {
		hi := min(lo+cholBlock, to)
		for j := lo; j < hi; j++ {
			eliminate(a, lo, j, c0, c1)
			divideBy(a.Row(j)[c0:c1], a.At(j, j))
		}
		if hi < to {
			MulTAdd(a.window(hi, to, c0, c1), -1, a.window(lo, hi, hi, to), a.window(lo, hi, c0, c1))
		}
	}
}

// eliminate subtracts the rows lo ≤ i < j of U, times their elements in column j, from row j, in
// columns c0 ≤ k < c1.
func eliminate(a *Dense, lo, j, c0, c1 int) {
	var minus [cholBlock]float64
	m := minus[:j-lo]
	for i := range m {
		m[i] = -a.At(lo+i, j)
	}
	kernel.MulTVec(a.Row(j)[c0:c1], a.Data[lo*a.Stride+c0:], a.Stride, m)
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

// SolveMatrix overwrites the p×m matrix b with A⁻¹B. O(p²m), by products of
// blocks.
func (c *Cholesky) SolveMatrix(b *Dense) {
	c.Forward(b)
	p := c.l.Rows
	for hi := p; hi > 0; {
		lo := (hi - 1) / cholBlock * cholBlock
		for i := hi - 1; i >= lo; i-- {
			bi, li := b.Row(i), c.l.Row(i)
			divideBy(bi, li[i])
			for j := lo; j < i; j++ {
				Axpy(b.Row(j), -li[j], bi)
			}
		}
		if lo > 0 {
			MulTAdd(b.RowRange(0, lo), -1, c.l.window(lo, hi, 0, lo), b.RowRange(lo, hi))
		}
		hi = lo
	}
}

// Forward overwrites the p×m matrix b with L⁻¹B. O(p²m/2).
func (c *Cholesky) Forward(b *Dense) {
	p := c.l.Rows
	mustLen("Cholesky.Forward", p, b.Rows)
	for lo := 0; lo < p; lo += cholPanel {
		c.forwardPanel(b, 0, lo, min(lo+cholPanel, p))
	}
}

// forwardPanel makes rows lo ≤ i < hi of L⁻¹B from those of B and the rows of
// L⁻¹B above, which are 0 before row from.
func (c *Cholesky) forwardPanel(b *Dense, from, lo, hi int) {
	if lo > from {
		MulAdd(b.RowRange(lo, hi), -1, c.l.window(lo, hi, from, lo), b.RowRange(from, lo))
	}
	for i := lo; i < hi; i += cholBlock {
		c.forwardBlock(b, lo, i, min(i+cholBlock, hi))
	}
}

// forwardBlock makes rows lo ≤ i < hi of L⁻¹B from those of B, less the part of the rows above
// from, and the rows of L⁻¹B from there on.
func (c *Cholesky) forwardBlock(b *Dense, from, lo, hi int) {
	if lo > from {
		MulAdd(b.RowRange(lo, hi), -1, c.l.window(lo, hi, from, lo), b.RowRange(from, lo))
	}
	for i := lo; i < hi; i++ {
		bi, li := b.Row(i), c.l.Row(i)
		for j := lo; j < i; j++ {
			Axpy(bi, -li[j], b.Row(j))
		}
		divideBy(bi, li[i])
	}
}

// divideBy divides v by d; a reciprocal would cost half a digit.
func divideBy(v []float64, d float64) {
	for k := range v {
		v[k] /= d
	}
}

// inverseCols is the number of columns of L⁻¹ that are made together: one after the other they
// would be as many passes over L, and all together have twice the products, half of them with
// zeros.
const inverseCols = 8 * cholBlock

// InverseL returns L⁻¹, lower triangular: xᵀA⁻¹x = ‖L⁻¹x‖² for many x costs
// products only. O(p³/3) on workers goroutines.
func (c *Cholesky) InverseL(workers int) *Dense {
	p := c.l.Rows
	inv := Identity(p)
	For(p, inverseCols, workers, func(from, to int) { c.invert(inv.window(0, p, from, to), from) })
	return inv
}

// InverseDiagonal returns the diagonal of A⁻¹: the squared lengths of the columns of L⁻¹, of which
// some are there at a time. O(p³/3) on workers goroutines.
func (c *Cholesky) InverseDiagonal(workers int) []float64 {
	p := c.l.Rows
	diagonal := make([]float64, p)
	Reduce(p, inverseCols, workers,
		func() *Dense { return Zeros(p, min(p, inverseCols)) },
		func(columns *Dense, from, to int) {
			columns = columns.window(0, p, 0, to-from)
			for i := from; i < p; i++ {
				clear(columns.Row(i))
				if i < to {
					columns.Set(i, i-from, 1)
				}
			}
			c.invert(columns, from)
			for i := from; i < p; i++ {
				for j, v := range columns.Row(i)[:min(i+1, to)-from] {
					diagonal[from+j] += v * v
				}
			}
		},
		func(*Dense) {})
	return diagonal
}

// invert overwrites the columns of the identity from column from on with those of L⁻¹.
func (c *Cholesky) invert(columns *Dense, from int) {
	p, to := c.l.Rows, from+columns.Cols
	for lo := from; lo < p; lo += cholPanel {
		hi := min(lo+cholPanel, p)
		c.forwardPanel(columns.window(0, p, 0, min(hi, to)-from), from, lo, hi)
	}
}

// Inverse returns A⁻¹. O(p³). A solve is cheaper and more accurate where a
// product with A⁻¹ is all that is needed.
func (c *Cholesky) Inverse() *Dense {
	return Gram(c.InverseL(1), nil, nil, 1)
}

// Update overwrites the factor with that of A + vvᵀ; v is not changed, and its values are the last k
// of p of which the others are 0. O(k²). (Golub & Van Loan, §6.5.4, by Givens rotations.)
func (c *Cholesky) Update(v []float64) {
	from := c.l.Rows - len(v)
	cs, sn := make([]float64, len(v)), make([]float64, len(v))
	for i, x := range v {
		li := c.l.Row(from + i)[from:]
		for k, l := range li[:i] {
			li[k] = cs[k]*l + sn[k]*x
			x = cs[k]*x - sn[k]*l
		}
		r := math.Hypot(li[i], x)
		cs[i], sn[i] = li[i]/r, x/r
		li[i] = r
	}
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
