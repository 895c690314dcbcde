package optimize

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/penalty"
)

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

// TestForms minimises the same objectives in the Gram form, in the residual form
// and by proximal Newton.
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
				for form, run := range map[string]func() ([]float64, Report, error){
					"columns":  func() ([]float64, Report, error) { return CoordinateDescentColumns(f, zero, pen, c) },
					"proximal": func() ([]float64, Report, error) { return ProximalNewton(f, zero, pen, c) },
				} {
					x, rep, err := run()
					if err != nil {
						t.Errorf("%s, %s: %v", what, form, err)
					}
					linalgtest.CloseSlice(t, what+" "+form, x, want, 1e-8)
					linalgtest.Close(t, what+" "+form, rep.Objective(), gramRep.Objective()+constant, 1e-12)
					if r := kkt(q, pen, x); r > 2*c.Tol {
						t.Errorf("%s, %s: residual %v above %v, reported %v", what, form, r, c.Tol, rep.Certificate().Value)
					}
					t.Logf("%s, %s: %d iterations", what, form, rep.Iterations())
				}
			}
		}
	}
}

func TestColumnsEnds(t *testing.T) {
	f, zero, stop := leastSquares(4, 50, 10, 0.9), make([]float64, 10), errors.New("enough")
	for _, c := range []struct {
		c    *Control
		want Status
	}{
		{&Control{MaxIter: 1}, MaxIterations},
		{&Control{Trace: func(Step) error { return stop }}, Stopped},
		{&Control{Tol: 1e-300}, LineSearch},
	} {
		x, rep, err := CoordinateDescentColumns(f, zero, penalty.Lasso(0.1), c.c)
		if rep.Status() != c.want || len(x) != 10 || !errors.Is(err, ErrNotConverged) || c.want == Stopped && !errors.Is(err, stop) {
			t.Errorf("%v: %v, %+v, %v", c.want, x, rep, err)
		}
	}
	f.Y[0] = math.NaN()
	if x, rep, err := CoordinateDescentColumns(f, zero, penalty.Lasso(0.1), nil); rep.Status() != NotFinite || len(x) != 10 || err == nil {
		t.Errorf("NaN: %v, %+v, %v", x, rep, err)
	}
	for name, bad := range map[string]*LeastSquares{
		"no matrix": {}, "short y": {XT: linalg.Zeros(10, 5), Y: make([]float64, 4)}, "wrong columns": {XT: linalg.Zeros(9, 5), Y: make([]float64, 5)},
	} {
		if x, _, err := CoordinateDescentColumns(bad, zero, penalty.Lasso(1), nil); x != nil || err == nil || errors.Is(err, ErrNotConverged) {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
	if x, _, err := CoordinateDescentColumns(leastSquares(4, 50, 10, 0), zero, penalty.Lasso(-1), nil); x != nil || err == nil {
		t.Errorf("negative penalty: %v, %v", x, err)
	}
	f = leastSquares(4, 50, 10, 0)
	clear(f.XT.Row(3))
	start := slices.Repeat([]float64{2}, 10)
	if x, _, err := CoordinateDescentColumns(f, start, penalty.Lasso(0.1), nil); err != nil || x[3] != 0 {
		t.Errorf("a column of zeros, not zero at the start: %v, %v", x, err)
	}
}

func BenchmarkForms(b *testing.B) {
	const n, p = 200, 2000
	f := leastSquares(5, n, p, 0.5)
	g := make([]float64, p)
	f.Grad(g, make([]float64, p))
	pen := penalty.Lasso(0.05 * penalty.Lasso(1).LambdaMax(g))
	c := &Control{Tol: 1e-9 * linalg.NormInf(g)}
	b.Run("columns", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := CoordinateDescentColumns(f, make([]float64, p), pen, c); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("proximal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := ProximalNewton(f, make([]float64, p), pen, c); err != nil {
				b.Fatal(err)
			}
		}
	})
}
