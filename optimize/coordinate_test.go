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

// regression returns the Gram form of a least squares problem on n×p normal
// columns that share a common part: correlation c².
func regression(seed uint64, n, p int, c float64) *Quadratic {
	x := linalgtest.Normal(seed, n, p+2)
	f := &Quadratic{A: linalg.Zeros(p, p), B: make([]float64, p)}
	for i := range n {
		row := x.Row(i)
		y := row[p+1]
		for j := range p {
			row[j] = c*row[p] + math.Sqrt(1-c*c)*row[j]
			if j < 5 {
				y += float64(5-j) * row[j]
			}
		}
		linalg.Axpy(f.B, y, row[:p])
		for j := range p {
			linalg.Axpy(f.A.Row(j), row[j], row[:p])
		}
	}
	return f
}

// kkt recomputes the certificate from the problem alone.
func kkt(f *Quadratic, pen penalty.Penalty, x []float64) float64 {
	r := make([]float64, len(x))
	for j := range x {
		r[j] = linalg.Dot(f.A.Row(j), x) - f.B[j]
	}
	pen.Residual(r, r, x)
	return linalg.NormInf(r)
}

func TestCoordinateDescent(t *testing.T) {
	for _, size := range []struct{ n, p int }{{50, 5}, {200, 30}, {40, 100}} {
		for _, corr := range []float64{0, 0.9, 0.999} {
			f := regression(uint64(size.p), size.n, size.p, corr)
			factors := make([]float64, size.p)
			for j := range factors {
				factors[j] = float64(j % 3)
			}
			zero := make([]float64, size.p)
			lmax := penalty.Lasso(1).LambdaMax(f.B)
			for name, pen := range map[string]penalty.ElasticNet{
				"lasso":       penalty.Lasso(0.1 * lmax),
				"small lasso": penalty.Lasso(1e-3 * lmax),
				"elastic net": {Lambda: 0.05 * lmax, L1Ratio: 0.5},
				"ridge":       penalty.Ridge(1),
				"at λmax":     penalty.Lasso(lmax),
				"factors":     {Lambda: 0.05 * lmax, L1Ratio: 0.8, Factors: factors},
			} {
				what := fmt.Sprintf("%s, %d×%d, correlation %v²", name, size.n, size.p, corr)
				if name == "factors" && size.p > size.n {
					continue // more unpenalised columns than the rows can tell apart
				}
				tol := 1e-12 * lmax
				x, rep, err := CoordinateDescent(f, zero, pen, &Control{Tol: tol})
				if err != nil {
					t.Errorf("%s: %v", what, err)
					continue
				}
				if r := kkt(f, pen, x); r > 2*tol || math.Abs(r-rep.Certificate().Value) > tol/10 {
					t.Errorf("%s: residual %v, reported %v", what, r, rep.Certificate().Value)
				}
				if name == "at λmax" && linalg.NormInf(x) != 0 {
					t.Errorf("%s: %v", what, x)
				}
				t.Logf("%s: %d sweeps", what, rep.Iterations())
				again, rep, err := CoordinateDescent(f, x, pen, &Control{Tol: tol})
				if err != nil || rep.Iterations() != 0 {
					t.Errorf("%s: warm start: %+v, %v", what, rep, err)
				}
				linalgtest.CloseSlice(t, what, again, x, 0)
			}
		}
	}
}

// TestCoordinateDescentHard: duplicate columns, a column of zeros, an objective
// without a minimum, and bad input.
func TestCoordinateDescentHard(t *testing.T) {
	a := linalg.Zeros(3, 3)
	copy(a.Data, []float64{2, 2, 0, 2, 2, 0, 0, 0, 0})
	f := &Quadratic{A: a, B: []float64{3, 3, 0}}
	x, _, err := CoordinateDescent(f, make([]float64, 3), penalty.Lasso(1), nil)
	if err != nil || math.Abs(x[0]+x[1]-1) > 1e-8 || x[2] != 0 {
		t.Errorf("duplicate columns: %v, %v", x, err)
	}
	f.B[2] = 5
	x, rep, err := CoordinateDescent(f, make([]float64, 3), penalty.Lasso(1), nil)
	if rep.Status() != LineSearch || !errors.Is(err, ErrNotConverged) || len(x) != 3 {
		t.Errorf("unbounded: %v, %+v, %v", x, rep, err)
	}
	f.B[2] = 0.5
	x, _, err = CoordinateDescent(f, []float64{0, 0, -7}, penalty.Lasso(1), nil)
	if err != nil || x[2] != 0 {
		t.Errorf("a column of zeros, not zero at the start: %v, %v", x, err)
	}
	// The first update cancels all digits of q = Ax − b; only a fresh one shows b.
	x, _, err = CoordinateDescent(&Quadratic{A: linalg.Identity(2), B: []float64{1, 1}}, []float64{1e17, 0}, penalty.Lasso(0.1), nil)
	if err != nil || x[0] != 0.9 || x[1] != 0.9 {
		t.Errorf("a start far away: %v, %v", x, err)
	}
	coupled := linalg.Identity(3)
	coupled.Set(1, 2, 0.5)
	coupled.Set(2, 1, 0.5)
	f, pen := &Quadratic{A: coupled, B: []float64{1, 1, 1}}, penalty.Lasso(0.1)
	x, rep, err = CoordinateDescent(f, []float64{1e17, 0, 0}, pen, &Control{MaxIter: 1})
	if r := kkt(f, pen, x); rep.Status() != MaxIterations || math.Abs(r-rep.Certificate().Value) > 1e-15 || err == nil {
		t.Errorf("a start far away, one sweep: %+v, the residual is %v, %v", rep, r, err)
	}
	for name, bad := range map[string]*Quadratic{
		"not square":   {A: linalg.Zeros(2, 3), B: make([]float64, 3)},
		"short b":      {A: linalg.Zeros(3, 3), B: make([]float64, 2)},
		"negative":     {A: &linalg.Dense{Rows: 3, Cols: 3, Stride: 3, Data: []float64{1, 0, 0, 0, -1, 0, 0, 0, 1}}, B: make([]float64, 3)},
		"short centre": {A: linalg.Zeros(3, 3), B: make([]float64, 3), At: make([]float64, 2)},
		"no matrix":    {B: make([]float64, 3)},
		"NaN diagonal": {A: &linalg.Dense{Rows: 3, Cols: 3, Stride: 3, Data: []float64{1, 0, 0, 0, math.NaN(), 0, 0, 0, 1}}, B: make([]float64, 3)},
	} {
		if x, _, err := CoordinateDescent(bad, make([]float64, 3), penalty.Lasso(1), nil); x != nil || err == nil || errors.Is(err, ErrNotConverged) {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
	if x, _, err := CoordinateDescent(f, make([]float64, 3), penalty.Lasso(-1), nil); x != nil || err == nil {
		t.Errorf("negative penalty: %v, %v", x, err)
	}
}

// A run whose certificate holds once it is computed afresh has converged, although the one of its last sweep, with the
// rounding errors of a start far away, did not.
func TestCoordinateDescentEndsByAFreshCertificate(t *testing.T) {
	hidden := 0
	for seed := range uint64(8) {
		f := regression(seed, 60, 6, 0.5)
		pen := penalty.Lasso(0.05 * penalty.Lasso(1).LambdaMax(f.B))
		start := slices.Repeat([]float64{1e10}, 6)
		for sweeps := 1; sweeps < 12; sweeps++ {
			last := 0.0
			c := &Control{Tol: 1e-300, MaxIter: sweeps, Trace: func(s Step) error { last = s.Certificate; return nil }}
			_, rep, _ := CoordinateDescent(f, start, pen, c)
			fresh := rep.Certificate().Value
			if rep.Iterations() < sweeps || !(fresh < last) {
				continue
			}
			hidden++
			c.Tol = fresh
			if _, rep, err := CoordinateDescent(f, start, pen, c); err != nil || rep.Status() != Converged {
				t.Errorf("%d: %v, %v", seed, rep, err)
			}
		}
	}
	if hidden == 0 {
		t.Error("no fresh certificate is smaller than that of the last sweep")
	}
}

// Guesses of the face end in few sweeps where most coordinates of as many columns as rows are
// in the fit, where minima on the faces that are met take some 75.
func TestFacesAreGuessed(t *testing.T) {
	for seed := range uint64(5) {
		f := regression(seed, 150, 150, 0.9)
		for _, ratio := range []float64{1, 0.5} {
			pen := penalty.Lasso(1e-4 * penalty.Lasso(1).LambdaMax(f.B))
			pen.L1Ratio = ratio
			x, r, err := CoordinateDescent(f, make([]float64, 150), pen, &Control{Tol: 1e-9})
			if err != nil || r.Iterations() > 40 {
				t.Errorf("%d: ℓ₁ %v: %d sweeps, %v", seed, ratio, r.Iterations(), err)
			}
			if k := kkt(f, pen, x); k > 1e-9 {
				t.Errorf("%d: ℓ₁ %v: kkt %g", seed, ratio, k)
			}
		}
	}
}

// The model of a quadratic at any point is the quadratic.
func TestModelAtAPoint(t *testing.T) {
	f := regression(2, 80, 12, 0.8)
	pen := penalty.Lasso(0.05 * penalty.Lasso(1).LambdaMax(f.B))
	c := &Control{Tol: 1e-12 * linalg.NormInf(f.B)}
	want, least, err := CoordinateDescent(f, make([]float64, 12), pen, c)
	if err != nil {
		t.Fatal(err)
	}
	at := linalgtest.Normal(5, 1, 12).Row(0)
	model := &Quadratic{A: f.A, B: make([]float64, 12), At: at}
	linalg.MulVec(model.B, f.A, at, 1)
	value := linalg.Dot(at, model.B)/2 - linalg.Dot(f.B, at)
	for j, b := range f.B {
		model.B[j] = b - model.B[j]
	}
	for _, start := range [][]float64{at, make([]float64, 12)} {
		x, rep, err := CoordinateDescent(model, start, pen, c)
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.CloseSlice(t, "minimiser", x, want, 1e-10)
		linalgtest.Close(t, "objective", rep.Objective()+value, least.Objective(), 1e-10)
	}
}

func BenchmarkCoordinateDescent(b *testing.B) {
	for _, corr := range []float64{0.5, 0.99} {
		f := regression(1, 500, 100, corr)
		lmax := penalty.Lasso(1).LambdaMax(f.B)
		zero := make([]float64, 100)
		b.Run(fmt.Sprintf("correlation=%v", corr), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := CoordinateDescent(f, zero, penalty.Lasso(0.01*lmax), &Control{Tol: 1e-10 * lmax}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The bits of a minimum do not depend on the workers.
func TestCoordinateDescentWorkers(t *testing.T) {
	f := regression(5, 900, 700, 0.5)
	pen := penalty.Lasso(0.01 * penalty.Lasso(1).LambdaMax(f.B))
	var want []float64
	for _, f.Workers = range []int{1, 2, 7} {
		x, _, err := CoordinateDescent(f, make([]float64, len(f.B)), pen, nil)
		if want == nil {
			want = x
		}
		if err != nil || !slices.Equal(x, want) {
			t.Errorf("%d workers come to other bits, %v", f.Workers, err)
		}
	}
}
