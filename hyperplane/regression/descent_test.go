package regression

import (
	"errors"
	"fmt"
	"math"
	"testing"

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
	_, err := FitDescent(x, y, &DescentOptions{Rate: .1, MaxIter: 2, Trace: func(s optimize.Step) error {
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
	j, err := newWalk(x, y, &DescentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	g := make([]float64, 2)
	lt.Close(t, "J", j.Grad(g, []float64{.6, 1}), 2.96, 1e-15)
	lt.CloseSlice(t, "∇J", g, []float64{-2.8, -4.8}, 1e-14)
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
		want, err := FitOLS(x, y, &Options{Weights: weights})
		if err != nil {
			t.Fatal(err)
		}
		for name, o := range map[string]DescentOptions{
			"rate": {Rate: .2, Tol: 1e-10}, "search": {}, "bfgs": {BFGS: true, Tol: 1e-10},
			"start": {BFGS: true, Tol: 1e-10, Start: []float64{5, -5, 5, -5}},
		} {
			o.Weights = weights
			m, err := FitDescent(x, y, &o)
			if err != nil {
				t.Fatal(name, err)
			}
			holds(t, name, m.Report())
			tol := 1e-8
			if o.Tol == 0 { // the default, 1e-6: a search by values sees no more than half the digits
				tol = 1e-4
			}
			lt.CloseSlice(t, name, append(m.plane.Normal(), atOrigin(m)), append(want.plane.Normal(), want.plane.Intercept()), tol)
			n := 60.0
			lt.Close(t, "J", m.Report().Objective()*n, 2*want.Report().Objective(), 1e-9)
			lt.Close(t, "R²", m.R2(), want.R2(), 1e-9)
		}
	}
}

// The gradient by differences.
func TestMeanSquaredErrorGradient(t *testing.T) {
	x, y := lt.Normal(3, 20, 2), lt.Normal(4, 20, 1).Data
	j, err := newWalk(x, y, &DescentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, g := []float64{.3, -1, 2}, make([]float64, 3)
	j.Grad(g, w)
	for k := range w {
		const h = 1e-4
		up, down := append([]float64(nil), w...), append([]float64(nil), w...)
		up[k] += h
		down[k] -= h
		lt.Close(t, "∂J", g[k], (j.Value(up)-j.Value(down))/(2*h), 1e-9)
	}
}

func TestDescentDivergesAndStops(t *testing.T) {
	x, y := lt.Rows(t, []float64{0}, []float64{2}, []float64{3}), []float64{1, 5, 6}
	m, err := FitDescent(x, y, &DescentOptions{Rate: 10})
	if m == nil || !errors.Is(err, optimize.ErrNotConverged) || m.Report().Status() != optimize.NotFinite {
		t.Error(m, err)
	}
	stop := errors.New("enough")
	m, err = FitDescent(x, y, &DescentOptions{Rate: .01, Trace: func(s optimize.Step) error {
		if s.Iteration == 3 {
			return stop
		}
		return nil
	}})
	if m == nil || !errors.Is(err, stop) || m.Report().Status() != optimize.Stopped || m.Report().Iterations() != 3 {
		t.Error(m, err)
	}
	m, err = FitDescent(x, []float64{0, 0, 0}, nil)
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
		o  DescentOptions
		as any
	}{
		"rate": {DescentOptions{Rate: -1}, &option}, "rate NaN": {DescentOptions{Rate: math.NaN()}, &option},
		"rate of BFGS": {DescentOptions{Rate: 1, BFGS: true}, &option}, "tol": {DescentOptions{Tol: -1}, &option},
		"iter": {DescentOptions{MaxIter: -1}, &option}, "workers": {DescentOptions{Workers: -1}, &option},
		"start": {DescentOptions{Start: []float64{1}}, &shape}, "start Inf": {DescentOptions{Start: []float64{1, math.Inf(1)}}, &finite},
		"weights": {DescentOptions{Weights: []float64{1}}, &shape},
	} {
		if m, err := FitDescent(x, y, &c.o); m != nil || !errors.As(err, c.as) {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}

func ExampleFitDescent() {
	x, _ := linalg.FromRows([][]float64{{0}, {2}})
	_, err := FitDescent(x, []float64{1, 5}, &DescentOptions{Rate: 0.1, MaxIter: 2, Trace: func(s optimize.Step) error {
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
