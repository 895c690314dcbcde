package optimize

import (
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/optimize/penalty"
)

// LeastSquares is ½‖y − Xβ‖² for an n×p matrix X whose columns lie side by side:
// XT is its transpose, p×n. Weights are absorbed by multiplying the rows of X and
// y by √wᵢ, an intercept by centring both.
//
// It is the function that [CoordinateDescentColumns] minimises with a penalty, and
// a [SubHessian] for [ProximalNewton]. It holds working memory, so that one
// goroutine at a time may use it.
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

func (f *LeastSquares) check(p int) error {
	if err := f.XT.Check(); err != nil {
		return err
	}
	if f.XT.Rows != p {
		return &linalg.ShapeError{Want: p, WantOf: "coordinates in the start", Got: f.XT.Rows, GotOf: "columns of x"}
	}
	if len(f.Y) != f.XT.Cols {
		return &linalg.ShapeError{Want: f.XT.Cols, WantOf: "rows of x", Got: len(f.Y), GotOf: "values of y"}
	}
	return nil
}

// sweepsInside bounds the sweeps over the working set in one iteration.
const sweepsInside = 1000

// CoordinateDescentColumns minimises ½‖y − Xβ‖² + P(β) by cyclic coordinate
// descent in the residual form: r = y − Xβ is kept up to date, and an update of a
// coordinate costs two passes over its column,
//
//	βⱼ ← Soft(‖xⱼ‖²βⱼ + xⱼᵀr, l1ⱼ) / (‖xⱼ‖² + l2ⱼ).
//
// It is for many columns of which many are not zero, where the Gram matrix of
// the support would be larger than X. (Friedman, Hastie & Tibshirani, J. Stat.
// Software 33, 2010, §2.1 and 2.6.)
//
// An iteration is a pass over all columns, which gives the certificate, and
// sweeps over the working set, the columns whose coefficients are not zero or
// should not be. The certificate, of kind "kkt", is max |rⱼ|/Scaleⱼ over the
// shortest subgradient. Defaults: Tol 1e-8, MaxIter 1000. O(np) a pass, O(n + p)
// memory.
func CoordinateDescentColumns(f *LeastSquares, x0 []float64, pen penalty.ElasticNet, c *Control) ([]float64, Report, error) {
	run, err := Begin(f, x0, c, Defaults{Kind: KindKKT, Tol: 1e-8, MaxIter: 1000})
	if err != nil {
		return nil, Report{}, err
	}
	p := len(x0)
	if err := f.check(p); err != nil {
		return nil, Report{}, fmt.Errorf("optimize: %w", err)
	}
	if err := pen.Check(p); err != nil {
		return nil, Report{}, fmt.Errorf("optimize: %w", err)
	}
	s := &columns{Progress: run, f: f, pen: pen, x: linalg.Clone(x0), last: linalg.Clone(x0), g: make([]float64, p), square: make([]float64, p)}
	for j := range p {
		s.square[j] = linalg.Dot(f.XT.Row(j), f.XT.Row(j))
	}
	value := s.pass()
	for !run.Done(s.last, value, s.cert, 1) {
		moved := s.sweeps()
		value = s.pass()
		if !run.Finite(s.x, value, s.g) || !moved {
			run.Stuck()
			break
		}
		copy(s.last, s.x)
	}
	return run.Result(s.last)
}

// columns is the state of a run in the residual form.
type columns struct {
	*Progress
	f       *LeastSquares
	pen     penalty.ElasticNet
	x, last []float64
	g       []float64 // −Xᵀr at the last pass
	square  []float64 // ‖xⱼ‖²
	cert    float64
	set     []int // the working set
}

// pass computes the residuals anew, the gradient of all columns, certificate and
// working set, and returns the objective.
func (s *columns) pass() float64 {
	v := s.f.Grad(s.g, s.x) + s.pen.Value(s.x)
	s.set, s.cert = s.set[:0], 0
	for j := range s.x {
		r := s.size(j, s.g[j])
		if r > s.cert || r != r {
			s.cert = r
		}
		if s.x[j] != 0 || r > s.tol/2 {
			s.set = append(s.set, j)
		}
	}
	return v
}

// size returns what coordinate j adds to the certificate.
func (s *columns) size(j int, g float64) float64 {
	return math.Abs(s.pen.ResidualAt(j, g, s.x[j])) / s.scale.At(j)
}

// sweeps goes over the working set until its part of the certificate is a tenth
// of the whole, or half the tolerance, and reports whether anything moved.
func (s *columns) sweeps() (moved bool) {
	enough := max(s.tol/2, s.cert/10)
	for range sweepsInside {
		worst, still := 0.0, true
		for _, j := range s.set {
			column := s.f.XT.Row(j)
			g := -linalg.Dot(column, s.f.r)
			worst = max(worst, s.size(j, g))
			l1, l2 := s.pen.Weights(j)
			next := minimizer(s.x[j], g, s.square[j], l1, l2)
			if d := next - s.x[j]; d != 0 {
				linalg.Axpy(s.f.r, -d, column)
				s.x[j], still = next, false
			}
		}
		moved = moved || !still
		if still || worst <= enough {
			break
		}
	}
	return moved
}
