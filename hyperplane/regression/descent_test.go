package regression_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Two points, (0, 1) and (2, 5), worked by hand: J(0, 0) = (1 + 25)/2 = 13, ∇J =
// (2/2)·((0−1) + (0−5), (0−5)·2) = (−6, −10). At rate 0.1 the next point is
// (0.6, 1), where ŷ = 0.6, 2.6: J = (0.16 + 5.76)/2 = 2.96, ∇J = (−2.8, −4.8).
func TestDescentByHand(t *testing.T) {
	x, y := lt.Rows(t, []float64{0}, []float64{2}), []float64{1, 5}
	var walk []optimize.Step
	_, err := regression.FitDescent(x, y, &regression.DescentOptions{Rate: .1, MaxIter: 2, Trace: func(s optimize.Step) error {
		s.X = append([]float64(nil), s.X...)
		walk = append(walk, s)
		return nil
	}})
	if !errors.Is(err, optimize.ErrNotConverged) || len(walk) != 3 {
		t.Fatal(len(walk), err)
	}
	for k, want := range [][]float64{{0, 0, 13}, {.6, 1, 2.96}, {.88, 1.48, .68}} {
		lt.CloseSlice(t, fmt.Sprint("step ", k), append(walk[k].X, walk[k].Objective)[:len(want)], want, 1e-14)
	}
	for k, slope := range []float64{10, 4.8} { // relative to (2/2)·‖(0, 2)‖·‖(1, 5)‖
		lt.Close(t, "certificate", walk[k].Certificate, slope/(2*math.Sqrt(26)), 1e-14)
	}
}

// Every way down ends at the least squares solution.
func TestDescentIsLeastSquares(t *testing.T) {
	x, y := lt.Normal(1, 60, 3), lt.Normal(2, 60, 1).Data
	w := make([]float64, 60)
	for i := range y {
		y[i] += 2 - x.At(i, 1)
		w[i] = float64(i % 3)
	}
	for _, weights := range [][]float64{nil, w} {
		want, err := regression.FitOLS(x, y, &regression.Options{Weights: weights})
		if err != nil {
			t.Fatal(err)
		}
		for name, o := range map[string]regression.DescentOptions{
			"rate": {Rate: .2, Tol: 1e-10}, "search": {}, "bfgs": {BFGS: true, Tol: 1e-10},
			"start": {BFGS: true, Tol: 1e-10, Start: []float64{5, -5, 5, -5}},
		} {
			o.Weights = weights
			m, err := regression.FitDescent(x, y, &o)
			if err != nil {
				t.Fatal(name, err)
			}
			holds(t, name, m.Report())
			tol := 1e-8
			if o.Tol == 0 { // the default, 1e-6: a search by values sees no more than half the digits
				tol = 1e-4
			}
			lt.CloseSlice(t, name, append(m.Plane().Normal(), atOrigin(m)), append(want.Plane().Normal(), want.Plane().Intercept()), tol)
			n := 60.0
			lt.Close(t, "J", m.Report().Objective()*n, 2*want.Report().Objective(), 1e-9)
			lt.Close(t, "R²", m.R2(), want.R2(), 1e-9)
		}
	}
}

// valueAndStep returns J at w and the next point of a walk at the given rate.
func valueAndStep(t *testing.T, x *linalg.Dense, y, w []float64, rate float64) (j float64, next []float64) {
	t.Helper()
	_, err := regression.FitDescent(x, y, &regression.DescentOptions{Start: w, Rate: rate, MaxIter: 1, Trace: func(s optimize.Step) error {
		if s.Iteration == 0 {
			j = s.Objective
		}
		next = slices.Clone(s.X)
		return nil
	}})
	if !errors.Is(err, optimize.ErrNotConverged) {
		t.Fatal(err)
	}
	return j, next
}

// A step goes along the gradient, which is that by differences.
func TestDescentGradient(t *testing.T) {
	x, y := lt.Normal(3, 20, 2), lt.Normal(4, 20, 1).Data
	w := []float64{.3, -1, 2}
	_, next := valueAndStep(t, x, y, w, 1)
	for k := range w {
		const h = 1e-4
		up, down := slices.Clone(w), slices.Clone(w)
		up[k] += h
		down[k] -= h
		above, _ := valueAndStep(t, x, y, up, 1)
		below, _ := valueAndStep(t, x, y, down, 1)
		lt.Close(t, "∂J", w[k]-next[k], (above-below)/(2*h), 1e-9)
	}
}

func TestDescentDivergesAndStops(t *testing.T) {
	x, y := lt.Rows(t, []float64{0}, []float64{2}, []float64{3}), []float64{1, 5, 6}
	m, err := regression.FitDescent(x, y, &regression.DescentOptions{Rate: 10})
	if m == nil || !errors.Is(err, optimize.ErrNotConverged) || m.Report().Status() != optimize.NotFinite {
		t.Error(m, err)
	}
	stop := errors.New("enough")
	m, err = regression.FitDescent(x, y, &regression.DescentOptions{Rate: .01, Trace: func(s optimize.Step) error {
		if s.Iteration == 3 {
			return stop
		}
		return nil
	}})
	if m == nil || !errors.Is(err, stop) || m.Report().Status() != optimize.Stopped || m.Report().Iterations() != 3 {
		t.Error(m, err)
	}
	m, err = regression.FitDescent(x, []float64{0, 0, 0}, nil)
	if err != nil || atOrigin(m) != 0 || m.R2() != 0 {
		t.Error(m, err)
	}
}

func TestDescentRefuses(t *testing.T) {
	x, y := lt.Rows(t, []float64{1}, []float64{2}), []float64{1, 2}
	var shape *linalg.ShapeError
	var finite *linalg.NonFiniteError
	var option *sample.OptionError
	for name, c := range map[string]struct {
		o  regression.DescentOptions
		as any
	}{
		"rate": {regression.DescentOptions{Rate: -1}, &option}, "rate NaN": {regression.DescentOptions{Rate: math.NaN()}, &option},
		"rate of BFGS": {regression.DescentOptions{Rate: 1, BFGS: true}, &option}, "tol": {regression.DescentOptions{Tol: -1}, &option},
		"iter": {regression.DescentOptions{MaxIter: -1}, &option}, "workers": {regression.DescentOptions{Workers: -1}, &option},
		"start": {regression.DescentOptions{Start: []float64{1}}, &shape}, "start Inf": {regression.DescentOptions{Start: []float64{1, math.Inf(1)}}, &finite},
		"weights": {regression.DescentOptions{Weights: []float64{1}}, &shape},
	} {
		if m, err := regression.FitDescent(x, y, &c.o); m != nil || !errors.As(err, c.as) {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}

func ExampleFitDescent() {
	x, _ := linalg.FromRows([][]float64{{0}, {2}})
	_, err := regression.FitDescent(x, []float64{1, 5}, &regression.DescentOptions{Rate: 0.1, MaxIter: 2, Trace: func(s optimize.Step) error {
		fmt.Printf("w = %.2f, J = %.3f\n", s.X, s.Objective)
		return nil
	}})
	fmt.Println(errors.Is(err, optimize.ErrNotConverged))
	// Output:
	// w = [0.00 0.00], J = 13.000
	// w = [0.60 1.00], J = 2.960
	// w = [0.88 1.48], J = 0.680
	// true
}

// Descent of huge numbers whose squared gradient is no float64 goes down as that of small ones.
func TestDescentOfHugeNumbers(t *testing.T) {
	x := lt.Rows(t, []float64{1e80}, []float64{2e80}, []float64{3e80})
	m, err := regression.FitDescent(x, []float64{1e80, 2e80, 3e80}, nil)
	if m == nil {
		t.Fatal(err)
	}
	if coef, _ := m.Coef(); err != nil || math.Abs(coef.At(0, 0)-1) > 1e-12 {
		t.Errorf("slope %g of a line of slope 1, %v", coef.At(0, 0), err)
	}
}
