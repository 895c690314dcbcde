package logistic

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// Full Newton steps raise the deviance of these data from these starts, and
// plain iteratively reweighted least squares runs away or swings for ever (the
// failures that Marschner, The R Journal 3/2, 2011, mends by halving; his own
// examples have links other than the logit).
func TestFullStepsFail(t *testing.T) {
	// A steep slope: far along the tail a full step overshoots by orders of
	// magnitude.
	x, _ := linalg.FromRows([][]float64{{-3}, {-2}, {-1}, {-0.5}, {0.5}, {1}, {2}, {3}})
	y := []int{0, 0, 1, 0, 1, 0, 1, 1}
	want := intercepted(mustFit(t, x, y, nil))
	for _, start := range [][]float64{{0, 8}, {6, -6}, {-20, 3}, {0, 30}, {40, 0}} {
		if lowers(x, y, start) {
			t.Errorf("a full step from %v lowers the deviance", start)
		}
		m := mustFit(t, x, y, &Options{Start: start})
		linalgtest.CloseSlice(t, "coef", intercepted(m), want, 1e-8)
	}
	// Nearly all rows of one class.
	r := rand.New(rand.NewPCG(3, 0))
	rare := linalg.Zeros(200, 2)
	labels := make([]int, 200)
	for i := range labels {
		rare.Set(i, 0, r.NormFloat64())
		rare.Set(i, 1, r.ExpFloat64()*r.ExpFloat64())
	}
	for _, i := range []int{3, 50, 120, 180} {
		labels[i] = 1
	}
	want = intercepted(mustFit(t, rare, labels, nil))
	m := mustFit(t, rare, labels, &Options{Start: []float64{5, 2, 1}})
	linalgtest.CloseSlice(t, "coef", intercepted(m), want, 1e-7)
}

// The intercept alone is a mean, which full steps from log-odds of 2.5 or more miss
// for ever; and a table with an empty cell, of which R's glm says 18.57 ± 1304.53
// (both of J. Mount, "Newton-Raphson can compute an average" and "A pathological
// glm() problem that doesn't issue a warning", 2012 and 2013).
func TestMeansAndTables(t *testing.T) {
	ones, _ := linalg.FromRows([][]float64{{1}, {1}, {1}, {1}})
	for _, start := range []float64{2, 2.5, 5, 20, -30} {
		m := mustFit(t, ones, []int{0, 1, 0, 1}, &Options{NoIntercept: true, Start: []float64{start}})
		c, _ := m.Coef()
		linalgtest.Close(t, "coef", c.At(0, 0), 0, 1e-9)
	}
	x, _ := linalg.FromRows([][]float64{{1}, {0}})
	_, err := FitCounts(x, []float64{24, 25}, []float64{200, 25}, nil)
	var e *SeparationError
	if !errors.As(err, &e) || e.Complete || e.Rows != 1 || !slices.Equal(e.Columns, []int{0}) {
		t.Errorf("a table with an empty cell: %v", err)
	}
	m, err := FitCounts(x, []float64{24, 25}, []float64{200, 25}, &Options{Firth: true})
	if err != nil {
		t.Fatal(err)
	}
	// For a saturated table Firth's correction adds ½ to every cell.
	linalgtest.CloseSlice(t, "Firth", intercepted(m), []float64{math.Log(51), math.Log(24.5/176.5) - math.Log(51)}, 1e-8)
}

// lowers reports whether a full step of iteratively reweighted least squares
// lowers the deviance.
func lowers(x *linalg.Dense, y []int, start []float64) bool {
	p, err := newProblem(x, y, &Options{})
	if err != nil {
		panic(err)
	}
	b, _ := p.objective()
	theta := make([]float64, len(start))
	p.FromPublic(theta, start)
	h, g := linalg.Zeros(len(theta), len(theta)), make([]float64, len(theta))
	before := b.Hess(h, g, theta)
	c, err := linalg.NewCholesky(h)
	if err != nil {
		return false
	}
	c.Solve(g)
	linalg.Axpy(theta, -1, g)
	return b.Value(theta) < before
}

func TestIterationCap(t *testing.T) {
	x, y := saHeart(t, "")
	m, err := Fit(x, y, &Options{L1Ratio: 1, Lambda: 1, MaxIter: 1})
	if !errors.Is(err, optimize.ErrNotConverged) || m == nil || m.Report().Status() != optimize.MaxIterations {
		t.Errorf("%v", err)
	}
}

// A penalty of next to nothing leaves columns that are equal but for 1e-15 with
// coefficients whose rounding alone is worth more than any tolerance: no such fit
// may say that it converged.
func TestRoundingDeniesConvergence(t *testing.T) {
	x, _ := linalg.FromRows([][]float64{{-3, -3, -3}, {-3, -3, -3}, {5, 5, 5.000000000000009}})
	y := []int{1, 0, 0}
	for _, ratio := range []float64{0, 1e-300} {
		if m, err := Fit(x, y, &Options{Lambda: 1e-300, L1Ratio: ratio}); !errors.Is(err, optimize.ErrNotConverged) || m == nil {
			t.Errorf("L1Ratio %g: %v, %v", ratio, m, err)
		}
	}
}

// A fit that goes on because rows still move counts on, in its trace and towards
// its cap.
func TestIterationsOfAllStagesCount(t *testing.T) {
	for _, k := range []int{2, 3} {
		x, y := benchData(40, 1, k)
		x.Set(0, 0, 1e11)
		fit := func(most int) optimize.Report {
			next := 0
			m, err := Fit(x, y, &Options{MaxIter: most, Trace: func(s optimize.Step) error {
				if s.Iteration != next {
					t.Errorf("%d classes: iteration %d after %d", k, s.Iteration, next-1)
				}
				next++
				return nil
			}})
			if m == nil {
				t.Fatal(err)
			}
			if m.Report().Iterations() != next-1 {
				t.Errorf("%d classes: %d iterations, the trace saw %d", k, m.Report().Iterations(), next-1)
			}
			return m.Report()
		}
		all := fit(0).Iterations()
		for most := 1; most < all; most++ {
			if r := fit(most); r.Iterations() > most {
				t.Errorf("%d classes: %+v, want at most %d iterations", k, r, most)
			}
		}
	}
}
