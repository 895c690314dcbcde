package rowwise_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/penalty"
	"halfspace/optimize/rowwise"
)

// drawn returns columns side by side, of kinds that differ in conditions and scales, and responses.
func drawn(seed uint64) (xt *linalg.Dense, y []float64) {
	r := rand.New(rand.NewPCG(seed, 15))
	n, p := 3+r.IntN(20), 30+r.IntN(100)
	xt, y = linalg.Zeros(p, n), make([]float64, n)
	for j := range p {
		column := xt.Row(j)
		for i := range column {
			column[i] = r.NormFloat64()
		}
		switch {
		case seed%4 == 1 && j > 0: // correlated
			linalg.Axpy(column, 10, xt.Row(j-1))
		case seed%4 == 2 && j%2 == 1: // copies
			copy(column, xt.Row(j-1))
		case seed%4 == 3 && j%7 == 0: // zeros
			clear(column)
		case seed%4 == 3:
			linalg.Scale(column, math.Pow(10, float64(j%5-2)))
		}
	}
	for i := range y {
		y[i] = xt.At(1, i) - xt.At(5, i) + r.NormFloat64()
	}
	return xt, y
}

// leastSquares is ½‖y − Xβ‖² of columns side by side.
type leastSquares struct {
	xt *linalg.Dense
	y  []float64
}

// Grad sets g to the gradient and returns the value.
func (f *leastSquares) Grad(g, beta []float64) float64 {
	r := linalg.Clone(f.y)
	for j, b := range beta {
		linalg.Axpy(r, -b, f.xt.Row(j))
	}
	f.xt.MulVec(g, r)
	linalg.Scale(g, -1)
	return linalg.Dot(r, r) / 2
}

// descend returns the least objective, by coordinate descent.
func (f *leastSquares) descend(t *testing.T, pen penalty.ElasticNet, tol float64) float64 {
	beta, r := make([]float64, f.xt.Rows), linalg.Clone(f.y)
	for range 100_000 {
		worst := 0.0
		for j, b := range beta {
			column := f.xt.Row(j)
			l1, l2 := pen.Weights(j)
			g, square := -linalg.Dot(column, r), linalg.Dot(column, column)
			worst = max(worst, math.Abs(pen.ResidualAt(j, g, b)))
			if square > 0 {
				beta[j] = penalty.Soft(square*b-g, l1) / (square + l2)
				linalg.Axpy(r, b-beta[j], column)
			}
		}
		if worst <= tol {
			return linalg.Dot(r, r)/2 + pen.Value(beta)
		}
	}
	t.Fatal("the descent does not end")
	return 0
}

// The objective is that of coordinate descent, and subgradients at the minimum are 0.
func TestMinimumIsThatOfCoordinateDescent(t *testing.T) {
	iterations, rounds := 0, linalgtest.Rounds(40, 40)
	for seed := range uint64(rounds) {
		xt, y := drawn(seed)
		for _, l1Ratio := range []float64{1, .5, .01} {
			g := make([]float64, xt.Rows)
			f := &leastSquares{xt.Clone(), y}
			f.Grad(g, make([]float64, xt.Rows))
			pen := penalty.ElasticNet{L1Ratio: l1Ratio, Lambda: 1}
			pen.Lambda = pen.LambdaMax(g) * []float64{.5, .05, .002}[seed%3]
			want := f.descend(t, pen, 1e-7*pen.Lambda)
			beta, got, err := rowwise.New(xt.Clone(), y).Minimize(make([]float64, xt.Rows), pen, &optimize.Control{Tol: 1e-7 * pen.Lambda})
			if err != nil {
				t.Errorf("%d, ratio %g: %v", seed, l1Ratio, err)
				continue
			}
			iterations += got.Iterations()
			objective := f.Grad(g, beta) + pen.Value(beta)
			if math.Abs(got.Objective()/want-1) > 1e-9 || math.Abs(got.Objective()/objective-1) > 1e-12 {
				t.Errorf("%d, ratio %g: objective %v, recomputed %v, want %v", seed, l1Ratio, got.Objective(), objective, want)
			}
			for j, v := range beta {
				if r := pen.ResidualAt(j, g[j], v); !(math.Abs(r) <= 1.01e-7*pen.Lambda) {
					t.Errorf("%d, ratio %g: subgradient %g of coordinate %d", seed, l1Ratio, r, j)
				}
			}
		}
	}
	if iterations > 220*rounds/40 { // 209 of 40 rounds on amd64; 222 where a ridge does not make the first weight of the constraints
		t.Errorf("%d iterations of %d fits", iterations, 3*rounds)
	}
}

// A fit that begins at a minimum ends there, and says how near it is, in the scales given; one that is
// cut short returns the best point met, with its objective.
func TestStartAtTheMinimum(t *testing.T) {
	for seed := range uint64(8) {
		xt, y := drawn(seed)
		f := &leastSquares{xt.Clone(), y}
		p := xt.Rows
		g, scale, zero := make([]float64, p), make([]float64, p), make([]float64, p)
		for j := range scale {
			scale[j] = 1 + float64(j%5)
		}
		f.Grad(g, zero)
		pen := penalty.ElasticNet{L1Ratio: .5, Lambda: 1}
		pen.Lambda = pen.LambdaMax(g) / 10
		c := &optimize.Control{Tol: 1e-7 * pen.Lambda, Scale: scale}
		s := rowwise.New(xt.Clone(), y)
		beta, _, err := s.Minimize(zero, pen, c)
		if err != nil {
			t.Fatal(seed, err)
		}
		again, report, err := s.Minimize(beta, pen, c)
		if err != nil || report.Iterations() != 0 {
			t.Errorf("%d: %v, %v", seed, report, err)
		}
		objective, worst := f.Grad(g, again)+pen.Value(again), 0.0
		for j, v := range again {
			worst = max(worst, math.Abs(pen.ResidualAt(j, g[j], v))/scale[j])
			linalgtest.Close(t, "coordinate", v, beta[j], 1e-12*(1+math.Abs(v)))
		}
		linalgtest.Close(t, "objective", report.Objective(), objective, 1e-12*objective)
		linalgtest.Close(t, "certificate", report.Certificate().Value, worst, 1e-11*pen.Lambda)

		pen.Lambda /= 100
		cut, report, err := rowwise.New(xt.Clone(), y).Minimize(zero, pen, &optimize.Control{Tol: 1e-14 * pen.Lambda, MaxIter: 1})
		if !errors.Is(err, optimize.ErrNotConverged) || report.Iterations() != 1 {
			t.Fatalf("%d: %v, %v", seed, report, err)
		}
		// The first point whose objective is the least need not have the least derivatives.
		if _, last, err := rowwise.New(xt.Clone(), y).Minimize(zero, pen, &optimize.Control{Tol: 2e-13 * pen.Lambda}); err != nil {
			t.Errorf("%d: %v", seed, last)
		}
		objective = f.Grad(g, cut) + pen.Value(cut)
		linalgtest.Close(t, "objective cut short", report.Objective(), objective, 1e-12*objective)
		if start := f.Grad(g, zero); !(objective < start) {
			t.Errorf("%d: %g after an iteration, %g before", seed, objective, start)
		}
	}
}

// Without a control, or without a tolerance in it, a fit is that with the tolerance 1e-8, to the bit: sweeps
// do not go on until nothing changes any more.
func TestDefaultTolerance(t *testing.T) {
	xt, y, pen := linalgtest.Normal(3, 20, 200), linalgtest.Numbers(200), penalty.ElasticNet{L1Ratio: .5, Lambda: 20}
	fit := func(c *optimize.Control) ([]float64, optimize.Report) {
		beta, report, err := rowwise.New(xt.Clone(), y).Minimize(make([]float64, xt.Rows), pen, c)
		if err != nil {
			t.Fatal(err)
		}
		return beta, report
	}
	want, report := fit(&optimize.Control{Tol: 1e-8})
	for _, c := range []*optimize.Control{nil, {}} {
		if beta, got := fit(c); got != report || !slices.Equal(beta, want) {
			t.Errorf("%+v: %v, with the tolerance %v", c, got, report)
		}
	}
}

func TestMinimizeRefuses(t *testing.T) {
	xt, y := drawn(0)
	s := rowwise.New(xt, y)
	if _, _, err := s.Minimize(make([]float64, xt.Rows), penalty.Lasso(1), nil); err != nil {
		t.Error(err)
	}
	if _, _, err := s.Minimize(make([]float64, 3), penalty.Lasso(1), nil); err == nil {
		t.Error("a start of 3 coordinates was taken")
	}
	if _, _, err := s.Minimize(make([]float64, xt.Rows), penalty.Lasso(-1), nil); err == nil {
		t.Error("a negative penalty was taken")
	}
}

// Where sweeps over the coordinates come to the minimum no system is made, of which one has 160,000 numbers.
func TestEasyFitsMakeNoSystem(t *testing.T) {
	const n, p = 400, 500
	xt, y := linalgtest.Normal(3, p, n), linalgtest.Numbers(n)
	for j := range p {
		linalg.Scale(xt.Row(j), 1/linalg.Norm(xt.Row(j)))
	}
	g := make([]float64, p)
	(&leastSquares{xt, y}).Grad(g, make([]float64, p))
	for share, easy := range map[float64]bool{0.05: true, 1e-5: false} {
		pen := penalty.ElasticNet{L1Ratio: .05, Lambda: 1}
		pen.Lambda = share * pen.LambdaMax(g)
		var before, after runtime.MemStats
		s := rowwise.New(xt.Clone(), y)
		runtime.ReadMemStats(&before)
		_, report, err := s.Minimize(make([]float64, p), pen, &optimize.Control{Tol: 1e-7 * pen.Lambda})
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) / 8; err != nil || (took < n*n) != easy {
			t.Errorf("%g of the largest penalty takes memory for %d numbers: %v, %v", share, took, report, err)
		}
	}
}

func TestMinimizeRefusesResponsesOfOtherRows(t *testing.T) {
	var shape *linalg.ShapeError
	_, _, err := rowwise.New(linalg.Zeros(3, 4), make([]float64, 3)).Minimize(make([]float64, 3), penalty.Lasso(1), nil)
	if !errors.As(err, &shape) || shape.Want != 4 || shape.Got != 3 {
		t.Errorf("three responses for four rows: %v", err)
	}
}

// A run that is stuck reports on the point that it returns, though its last iteration came a little lower.
func TestStuckReportsOnThePointReturned(t *testing.T) {
	for _, c := range []struct {
		seed   uint64
		mean   float64
		lambda float64
	}{{1, 10, 1}, {5, 1e5, 1}, {5, 1e5, 1e-8}} {
		xt, y := drawn(c.seed)
		for j := range xt.Rows {
			linalg.Axpy(xt.Row(j), c.mean, slices.Repeat([]float64{1}, xt.Cols))
		}
		f, pen := &leastSquares{xt.Clone(), y}, penalty.ElasticNet{Lambda: c.lambda, L1Ratio: 0.3}
		beta, report, err := rowwise.New(xt, y).Minimize(make([]float64, xt.Rows), pen, &optimize.Control{Tol: 1e-14})
		if report.Status() != optimize.LineSearch {
			t.Fatalf("%+v: %v, want a run that is stuck", c, err)
		}
		value := f.Grad(make([]float64, len(beta)), beta) + pen.Value(beta)
		linalgtest.Close(t, "objective", report.Objective(), value, 1e-7*value)
	}
}
