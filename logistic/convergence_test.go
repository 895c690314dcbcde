package logistic_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
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
	want := lt.Intercepted(lt.MustFit(t, x, y, nil))
	for _, start := range [][]float64{{0, 8}, {6, -6}, {-20, 3}, {0, 30}, {40, 0}} {
		if lowers(x, y, start) {
			t.Errorf("a full step from %v lowers the deviance", start)
		}
		m := lt.MustFit(t, x, y, &logistic.Options{Start: start})
		linalgtest.CloseSlice(t, "coef", lt.Intercepted(m), want, 1e-8)
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
	want = lt.Intercepted(lt.MustFit(t, rare, labels, nil))
	m := lt.MustFit(t, rare, labels, &logistic.Options{Start: []float64{5, 2, 1}})
	linalgtest.CloseSlice(t, "coef", lt.Intercepted(m), want, 1e-7)
}

// The intercept alone is a mean, which full steps from log-odds of 2.5 or more miss
// for ever; and a table with an empty cell, of which R's glm says 18.57 ± 1304.53
// (both of J. Mount, "Newton-Raphson can compute an average" and "A pathological
// glm() problem that doesn't issue a warning", 2012 and 2013).
func TestMeansAndTables(t *testing.T) {
	ones, _ := linalg.FromRows([][]float64{{1}, {1}, {1}, {1}})
	for _, start := range []float64{2, 2.5, 5, 20, -30, 200, -600, 740, 1e4} {
		m := lt.MustFit(t, ones, []int{0, 1, 0, 1}, &logistic.Options{NoIntercept: true, Start: []float64{start}})
		c, _ := m.Coef()
		linalgtest.Close(t, "coef", c.At(0, 0), 0, 1e-9)
	}
	x, _ := linalg.FromRows([][]float64{{1}, {0}})
	_, err := logistic.FitCounts(x, []float64{24, 25}, []float64{200, 25}, nil)
	var e *logistic.SeparationError
	if !errors.As(err, &e) || e.Complete || e.Rows != 1 || !slices.Equal(e.Columns, []int{0}) {
		t.Errorf("a table with an empty cell: %v", err)
	}
	m, err := logistic.FitCounts(x, []float64{24, 25}, []float64{200, 25}, &logistic.Options{Firth: true})
	if err != nil {
		t.Fatal(err)
	}
	// For a saturated table Firth's correction adds ½ to every cell.
	linalgtest.CloseSlice(t, "Firth", lt.Intercepted(m), []float64{math.Log(51), math.Log(24.5/176.5) - math.Log(51)}, 1e-8)
}

// lowers reports whether a full step of iteratively reweighted least squares
// lowers the deviance.
func lowers(x *linalg.Dense, y []int, start []float64) bool {
	d, err := design.New(x, len(y), "labels", design.Settings{})
	if err != nil {
		panic(err)
	}
	signs := make([]float64, len(y))
	for i, c := range y {
		signs[i] = float64(2*c - 1)
	}
	f, theta := glm.New(d, signs, loss.Logistic{}, nil), make([]float64, len(start))
	d.FromPublic(theta, start)
	h, g := linalg.Zeros(len(theta), len(theta)), make([]float64, len(theta))
	before := f.Hess(h, g, theta)
	c, err := linalg.NewCholesky(h)
	if err != nil {
		return false
	}
	c.Solve(g)
	linalg.Axpy(theta, -1, g)
	return f.Value(theta) < before
}

func TestIterationCap(t *testing.T) {
	x, y := lt.Heart(t, "")
	m, err := logistic.Fit(x, y, &logistic.Options{L1Ratio: 1, Lambda: 1, MaxIter: 1})
	if !errors.Is(err, optimize.ErrNotConverged) || m == nil || m.Report().Status() != optimize.MaxIterations {
		t.Errorf("%v", err)
	}
}

func TestTraceStops(t *testing.T) {
	x, y := lt.IrisPair(t)
	stop := errors.New("enough")
	calls := 0
	m, err := logistic.Fit(x, y, &logistic.Options{Trace: func(s optimize.Step) error {
		calls++
		if s.Iteration == 2 {
			return stop
		}
		return nil
	}})
	if !errors.Is(err, stop) || !errors.Is(err, optimize.ErrNotConverged) || m == nil || calls != 3 {
		t.Errorf("model %v, error %v after %d calls", m, err, calls)
	}
	m, err = logistic.Fit(x, y, &logistic.Options{MaxIter: 1})
	if !errors.Is(err, optimize.ErrNotConverged) || strings.Contains(err.Error(), "%!") || m == nil || m.Report().Status() != optimize.MaxIterations {
		t.Errorf("model %v, error %v", m, err)
	}
}

// A fit that goes on because rows still move counts on, in its trace and towards
// its cap.
func TestIterationsGoOnWhileRowsMove(t *testing.T) {
	for _, k := range []int{2, 3} {
		x, y := linalgtest.LabeledRows(40, 1, k)
		x.Set(0, 0, 1e11)
		fit := func(most int) optimize.Report {
			next := 0
			m, err := logistic.Fit(x, y, &logistic.Options{MaxIter: most, Trace: func(s optimize.Step) error {
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

// An error states the certificate of the model that comes with it.
func TestErrorStatesCertificate(t *testing.T) {
	for _, classes := range []int{2, 3, 4} {
		x, y := linalgtest.LabeledRows(200, 5, classes)
		m, err := logistic.Fit(x, y, &logistic.Options{MaxIter: 1})
		if m == nil || !errors.Is(err, optimize.ErrNotConverged) {
			t.Fatal(err)
		}
		if c := m.Report().Certificate(); !strings.Contains(err.Error(), fmt.Sprintf("%s %.3g above %.3g", c.Kind, c.Value, c.Tol)) {
			t.Errorf("%d classes: %v beside %+v", classes, err, c)
		}
	}
}

// The certificate is that of the model's point, not of one that was refused, and
// decides what the error says. How close the iteration comes beside values of 1e8
// is a matter of the processor's rounding.
func TestCertificateWithOutliers(t *testing.T) {
	x, _ := linalg.NewDense(7, 1, []float64{2, -3, 1, 1.00000001e8, -1, 0.1, 1e8})
	m, err := logistic.Fit(x, []int{2, 0, 2, 2, 1, 0, 0}, nil)
	if m == nil {
		t.Fatal(err)
	}
	if c := m.Report().Certificate(); c.Holds() != (err == nil) || !(c.Value <= 1) || c.Kind != optimize.KindGap {
		t.Errorf("%v with %v", err, c)
	}
}

// A penalty of next to nothing leaves columns that are equal but for 1e-15 with
// coefficients whose rounding alone is worth more than any tolerance: no such fit
// may say that it converged.
func TestRoundingDeniesConvergence(t *testing.T) {
	x, _ := linalg.FromRows([][]float64{{-3, -3, -3}, {-3, -3, -3}, {5, 5, 5.000000000000009}})
	y := []int{1, 0, 0}
	for _, ratio := range []float64{0, 1e-300} {
		if m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1e-300, L1Ratio: ratio}); !errors.Is(err, optimize.ErrNotConverged) || m == nil {
			t.Errorf("L1Ratio %g: %v, %v", ratio, m, err)
		}
	}
}

// Columns that are almost copies have coefficients of 10⁶ of which the scores keep
// few digits: the fit converges, and in more digits its certificate holds as well, but
// for rounding below the tolerance.
func TestNearCopies(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 2))
		x, y := linalg.Zeros(200, 4), make([]int, 200)
		for i := range y {
			row := x.Row(i)
			row[0], row[1], row[2] = r.NormFloat64()+5, 10*r.NormFloat64()+5, 100*r.NormFloat64()+5
			row[3] = row[0] + 1e-7*r.NormFloat64()
			if row[0]-5+r.NormFloat64() > 0 {
				y[i] = 1
			}
		}
		m, err := logistic.Fit(x, y, nil)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if g := linalgtest.LogisticGradient(linalgtest.Fit{X: x}, y, affine(m)); !(g <= 2e-10) {
			t.Errorf("seed %d: the gradient is %g", seed, g)
		}
	}
}

// Where hardly any coefficients in 53 bits make the derivatives small, the certificate
// is that of those published, also under a cap, and the cap is kept.
func TestCertificateOfRoundedCoefficients(t *testing.T) {
	x, err := linalg.FromRows([][]float64{{5, 0.1}, {-3, 1e8 + 1}, {5, -3}, {1e8, 5}, {5.000000000000005, -3}, {-3, 1e8}, {5, 1e8 + 1},
		{1e8, 5}, {1e8, 5}})
	if err != nil {
		t.Fatal(err)
	}
	y := []int{2, 1, 1, 0, 0, 2, 0, 1, 2}
	// Without the last two rows the first class stands apart, by coefficients of 1 and 5e-23.
	var separated *logistic.SeparationError
	if _, err := logistic.Fit(x.RowRange(0, 7), y[:7], nil); !errors.As(err, &separated) || separated.Complete || separated.Rows != 7 {
		t.Errorf("%v", err)
	}
	m, err := logistic.Fit(x, y, nil)
	if m == nil {
		t.Fatal(err)
	}
	check := func(m *logistic.Model, err error) {
		t.Helper()
		c := m.Report().Certificate()
		if c.Holds() != (err == nil) || err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("%v with %+v", err, m.Report())
		}
		at, minimum, e := least(m, x, y, &logistic.Options{})
		if e != nil {
			t.Fatal(e)
		}
		if above, _ := new(big.Float).Sub(at, minimum).Float64(); !(above <= c.Value*m.Report().Objective()) {
			t.Errorf("%g above the minimum: %+v", above, m.Report())
		}
	}
	check(m, err)
	for most := 1; most < m.Report().Iterations(); most++ {
		c, err := logistic.Fit(x, y, &logistic.Options{MaxIter: most})
		check(c, err)
		if c.Report().Iterations() > most {
			t.Errorf("at most %d iterations: %+v", most, c.Report())
		}
	}
}

// A small ridge on many columns separates the rows all but entirely: the objective is then
// small, and rounding of its residuals, which are as small, hides nothing of it.
func TestWideRidgesOfNearlySeparatedRowsConverge(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 4))
	for _, spread := range []float64{0, 4} {
		x, y := linalg.Zeros(150, 1500), make([]int, 150)
		unit := make([]float64, x.Cols)
		for j := range unit {
			unit[j] = math.Pow(10, spread*(2*r.Float64()-1))
		}
		for i := range y {
			for j, u := range unit {
				x.Set(i, j, u*r.NormFloat64())
			}
			if x.At(i, 0)/unit[0]+0.3*r.NormFloat64() > 0 {
				y[i] = 1
			}
		}
		for _, lambda := range []float64{0.01, 1, 100}[:linalgtest.Rounds(3, 3)] {
			if m, err := logistic.Fit(x, y, &logistic.Options{Lambda: lambda}); err != nil {
				t.Errorf("units of 10^±%v, λ %v: %v, objective %v", spread, lambda, err, m.Report().Objective())
			}
		}
	}
}

// On columns of very uneven scale a ridge all but separates the classes. L-BFGS, which is left
// there as too slow, must not be the method that goes on to the last digits.
func TestRidgeOnColumnsOfUnevenScale(t *testing.T) {
	for seed := range uint64(linalgtest.Rounds(6, 6)) {
		const n, p = 150, 450
		x, y, r := linalgtest.Normal(seed, n, p), make([]int, n), rand.New(rand.NewPCG(seed, 6))
		for j := range p {
			scale := math.Pow(10, 8*r.Float64()-4)
			for i := range n {
				if j < 20 {
					y[i] += int(math.Copysign(1, x.At(i, j)))
				}
				x.Set(i, j, scale*x.At(i, j))
			}
		}
		for i := range y {
			y[i] = min(1, max(0, y[i]))
		}
		for _, lambda := range []float64{0.01, 1} {
			m, err := logistic.Fit(x, y, &logistic.Options{Lambda: lambda})
			if err != nil {
				t.Fatalf("seed %d, λ %g: %v", seed, lambda, err)
			}
			if r := m.Report(); r.Iterations() > 100 {
				t.Errorf("seed %d, λ %g: %v", seed, lambda, r)
			}
		}
	}
}

// A lasso whose penalty is next to nothing is approached from larger ones where every row is a
// class of its own: the curvatures at a start far away foretell nothing there. Rounding leaves
// gaps of 1e-8 of columns that are this far from each other.
func TestLassoOfSeparatedClasses(t *testing.T) {
	const n, p = 15, 65
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 15))
		x, y := linalg.Zeros(n, p), make([]int, n)
		for i := range n {
			f := r.NormFloat64()
			for j := range p {
				x.Set(i, j, f*float64(1+j%7)+1e-3*r.NormFloat64())
			}
			x.Row(i)[i] += 100
			y[i] = i
		}
		if _, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1e-6, L1Ratio: 1, Tol: 3e-8}); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// Several classes converge on columns of large values beside indicators that sum to 1, whose weak ridge would make
// much of the rounding errors of the others.
func TestClassesOfLargeValuesConverge(t *testing.T) {
	const n, k = 10_000, 6
	r := rand.New(rand.NewPCG(3, 1))
	x, y := linalg.Zeros(n, 42), make([]int, n)
	for i := range y {
		row, best := x.Row(i), math.Inf(-1)
		row[0], row[1], row[r.IntN(40)+2] = math.Round(3000+300*r.NormFloat64()), math.Round(2000*r.ExpFloat64()), 1
		for c := range k {
			if f := float64(c)*(row[0]-3000)/300 - row[1]/1000*float64(c%3) + r.ExpFloat64()/4; f > best {
				best, y[i] = f, c
			}
		}
	}
	for _, lambda := range []float64{0.1, 0.001} {
		m, err := logistic.Fit(x, y, &logistic.Options{Lambda: lambda})
		if err != nil {
			t.Errorf("λ %g: %v", lambda, m.Report())
		}
	}
}

// Offsets far on the wrong side leave the rows no curvature: steps are 10²⁰ times too long, and are shortened as far.
func TestLassoBesideOffsetsOnTheWrongSide(t *testing.T) {
	x, _ := linalg.NewDense(6, 2, []float64{1, 2, -1, 1, 2, 0, -2, -1, 1, -1, -1, 3})
	y, offset := []int{1, 0, 1, 0, 1, 0}, make([]float64, 6)
	for i := range offset {
		offset[i] = -20 * float64(2*y[i]-1) * float64(1+i%3)
	}
	for _, rows := range []linalg.Rows{x, linalgtest.Sparse(x)} {
		if _, err := logistic.Fit(rows, y, &logistic.Options{Lambda: 0.01, L1Ratio: 1, Offset: offset, NoIntercept: true}); err != nil {
			t.Errorf("%T: %v", rows, err)
		}
	}
}

// Separated classes are no reason to refuse a fit of which the intercept alone has no penalty, however large that is.
func TestElasticNetOfSeparatedClassesBesideAFarOffset(t *testing.T) {
	x, _ := linalg.NewDense(4, 1, []float64{1, 2, 3, 4})
	for _, c := range []struct {
		y      []int
		offset []float64
	}{{[]int{0, 0, 1, 1}, []float64{90}}, {[]int{0, 1, 1, 2}, []float64{90, 0, -90}}} {
		o := &logistic.Options{Lambda: 0.1, L1Ratio: 0.5, Offset: slices.Repeat(c.offset, len(c.y))}
		if _, err := logistic.Fit(x, c.y, o); err != nil {
			t.Errorf("offsets %v: %v", c.offset, err)
		}
	}
}

// The weaker a ridge, the smaller the objective of separated classes, and its derivatives with it.
func TestWeakRidgesOfSeparatedClassesConverge(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for _, c := range [][3]int{{90, 4, 2}, {90, 4, 3}, {200, 60, 2}, {200, 60, 3}, {40, 120, 2}} {
		x, y := linalg.Zeros(c[0], c[1]), make([]int, c[0])
		for i := range y {
			y[i] = i % c[2]
			for j := range c[1] {
				x.Set(i, j, r.NormFloat64())
			}
			x.Row(i)[y[i]] += 12
		}
		for _, lambda := range []float64{1e-6, 1e-8, 1e-10, 1e-15, 1e-20} {
			if m, err := logistic.Fit(x, y, &logistic.Options{Lambda: lambda}); err != nil {
				t.Errorf("%v, λ = %g: %v", c, lambda, m.Report())
			}
		}
	}
}
