package optimize

import (
	"fmt"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/penalty"
)

// LeastSquares is ½‖y − Xβ‖² for an n×p matrix X whose columns lie side by side:
// XT is its transpose, p×n.
type LeastSquares struct {
	XT *linalg.Dense
	Y  []float64

	r []float64 // y − Xβ
}

// residuals sets r = y − Xx. O(n·‖x‖₀).
func (f *LeastSquares) residuals(x []float64) {
	f.r = append(f.r[:0], f.Y...)
	for j, v := range x {
		if v != 0 {
			linalg.Axpy(f.r, -v, f.XT.Row(j))
		}
	}
}

// Value returns ½‖y − Xx‖².
func (f *LeastSquares) Value(x []float64) float64 {
	f.residuals(x)
	return linalg.Dot(f.r, f.r) / 2
}

// Grad sets g = −Xᵀ(y − Xx). O(np).
func (f *LeastSquares) Grad(g, x []float64) float64 {
	v := f.Value(x)
	linalg.MulVec(g, f.XT, f.r, 0)
	linalg.Scale(g, -1)
	return v
}

// rowBlock is how many rows of the columns chosen are multiplied at a time.
const rowBlock = 512

// SubHess sets h to inner products of columns of X, whatever x. O(n) each, in
// blocks of rows.
func (f *LeastSquares) SubHess(h *linalg.Dense, x []float64, rows, cols []int) {
	for i := range h.Rows {
		clear(h.Row(i))
	}
	left, right := make([]float64, len(rows)*rowBlock), make([]float64, len(cols)*rowBlock)
	for lo := 0; lo < f.XT.Cols; lo += rowBlock {
		hi := min(lo+rowBlock, f.XT.Cols)
		a := f.copyColumns(left, rows, lo, hi)
		b := a
		if cols != nil {
			b = f.copyColumns(right, cols, lo, hi)
		}
		linalg.MulBTAdd(h, 1, a, b)
	}
}

// copyColumns copies rows lo to hi of the columns named into buf, each a row.
func (f *LeastSquares) copyColumns(buf []float64, set []int, lo, hi int) *linalg.Dense {
	a := &linalg.Dense{Rows: len(set), Cols: hi - lo, Stride: rowBlock, Data: buf}
	for i, j := range set {
		copy(a.Row(i), f.XT.Row(j)[lo:hi])
	}
	return a
}

// leastSquares returns n rows of p normal columns with correlation c² and y from
// the first five.
func leastSquares(seed uint64, n, p int, c float64) *LeastSquares {
	z := linalgtest.Normal(seed, p+2, n)
	f := &LeastSquares{XT: linalg.Zeros(p, n), Y: make([]float64, n)}
	copy(f.Y, z.Row(p+1))
	for j := range p {
		linalg.Axpy(f.XT.Row(j), c, z.Row(p))
		linalg.Axpy(f.XT.Row(j), math.Sqrt(1-c*c), z.Row(j))
		if j < 5 {
			linalg.Axpy(f.Y, float64(5-j), f.XT.Row(j))
		}
	}
	return f
}

// gram returns the Gram form.
func (f *LeastSquares) gram() *Quadratic {
	p := f.XT.Rows
	q := &Quadratic{A: linalg.Zeros(p, p), B: make([]float64, p)}
	all := make([]int, p)
	for j := range all {
		all[j] = j
	}
	f.SubHess(q.A, nil, all, nil)
	linalg.MulVec(q.B, f.XT, f.Y, 1)
	return q
}

// TestForms minimises the same objectives in the Gram form and by proximal Newton.
func TestForms(t *testing.T) {
	for _, size := range []struct{ n, p int }{{100, 20}, {50, 200}} {
		for _, corr := range []float64{0, 0.7} {
			f := leastSquares(4, size.n, size.p, corr)
			q := f.gram()
			zero := make([]float64, size.p)
			lmax := penalty.Lasso(1).LambdaMax(q.B)
			for name, pen := range map[string]penalty.ElasticNet{
				"lasso": penalty.Lasso(0.1 * lmax), "elastic net": {Lambda: 0.1 * lmax, L1Ratio: 0.3},
				"ridge": penalty.Ridge(0.1 * lmax), "zero": penalty.Lasso(lmax),
			} {
				what := fmt.Sprintf("%s, %d×%d, correlation %v²", name, size.n, size.p, corr)
				c := &Control{Tol: 1e-11 * lmax}
				want, gramRep, err := CoordinateDescent(q, zero, pen, c)
				if err != nil {
					t.Errorf("%s: %v", what, err)
				}
				constant := linalg.Dot(f.Y, f.Y) / 2
				x, rep, err := ProximalNewton(f, zero, pen, c)
				if err != nil {
					t.Errorf("%s: %v", what, err)
				}
				linalgtest.CloseSlice(t, what, x, want, 1e-8)
				linalgtest.Close(t, what, rep.Objective(), gramRep.Objective()+constant, 1e-12)
				if r := kkt(q, pen, x); r > 2*c.Tol {
					t.Errorf("%s: residual %v above %v, reported %v", what, r, c.Tol, rep.Certificate().Value)
				}
			}
		}
	}
}

func BenchmarkProximalNewton(b *testing.B) {
	const n, p = 200, 2000
	f := leastSquares(5, n, p, 0.5)
	g := make([]float64, p)
	f.Grad(g, make([]float64, p))
	pen := penalty.Lasso(0.05 * penalty.Lasso(1).LambdaMax(g))
	c := &Control{Tol: 1e-9 * linalg.NormInf(g)}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := ProximalNewton(f, make([]float64, p), pen, c); err != nil {
			b.Fatal(err)
		}
	}
}
