package regression

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// Values whose squares overflow, or vanish though they are not 0, are a named error of every fit that squares them.
func TestRegressionRange(t *testing.T) {
	x, huge := lt.Rows(t, []float64{1}, []float64{2}, []float64{4}), lt.Rows(t, []float64{1}, []float64{1e200}, []float64{-1e200})
	y := []float64{1, 2, 1}
	var overflow *linalg.RangeError
	for name, fit := range map[string]func(*linalg.Dense, []float64, *Options) (*Model, error){
		"ols": FitOLS, "normal": FitNormalEquations, "ridge": FitRidge, "lasso": FitLasso,
	} {
		if m, err := fit(huge, y, nil); m != nil || !errors.As(err, &overflow) {
			t.Errorf("%s, x: %v, %v", name, m, err)
		}
		if m, err := fit(x, []float64{0, 1e200, -1e200}, nil); m != nil || !errors.As(err, &overflow) || overflow.What != "y" {
			t.Errorf("%s, y: %v, %v", name, m, err)
		}
		// Residuals of it could not be told from none.
		if m, err := fit(x, []float64{0, 1e-300, 0}, nil); m != nil || !errors.As(err, &overflow) || overflow.What != "y" {
			t.Errorf("%s, small y: %v, %v", name, m, err)
		}
		tiny := lt.Rows(t, []float64{1e-300}, []float64{3e-300}, []float64{0})
		if m, err := fit(tiny, y, nil); m != nil || !errors.As(err, &overflow) {
			t.Errorf("%s, small x: %v, %v", name, m, err)
		}
		if _, err := fit(x, []float64{0, 1e-150, 0}, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A penalty that vanishes in its product with the ratio leaves a constant column
// without a scale of its own. No duality gap can prove so small a penalty's solution.
func TestElasticNetVanishingPenalty(t *testing.T) {
	x := lt.Rows(t, []float64{1, 1}, []float64{1, 2}, []float64{1, 4})
	m, err := FitElasticNet(x, []float64{1, 2, 3}, &Options{Lambda: 1e-300, L1Ratio: 1e-300})
	if !errors.Is(err, optimize.ErrNotConverged) {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "coefficients", m.Plane().Normal(), []float64{0, 9. / 14}, 1e-9)
}

// Weights whose squares overflow are refused or leave a model that can be saved.
func TestRegressionWeightsRange(t *testing.T) {
	x, y := lt.Rows(t, []float64{5e-324, .25, .33}), []float64{.07}
	m, err := FitRidge(x, y, &Options{Lambda: 1, NoIntercept: true, Weights: []float64{1.7e308}})
	if err == nil {
		if _, err := json.Marshal(m); err != nil {
			t.Error(err)
		}
	} else if !errors.As(err, new(*linalg.RangeError)) {
		t.Error(err)
	}
}

// A row of weight 0 does not count, whatever finite numbers stand in it.
func TestRegressionRowOfWeightZero(t *testing.T) {
	x, y, w := lt.Normal(1, 10, 2), lt.Normal(2, 10, 1).Data, make([]float64, 10)
	for i := range w {
		w[i] = 1
	}
	w[0], y[0] = 0, math.MaxFloat64
	copy(x.Row(0), []float64{-math.MaxFloat64, 1e300})
	rest := x.RowRange(1, 10)
	for name, fit := range map[string]func(*linalg.Dense, []float64, *Options) (*Model, error){"ridge": FitRidge, "lasso": FitLasso} {
		for _, p := range []int{1, 2} {
			a, err := fit(columns(x, []int{0, 1}[:p]), y, &Options{Lambda: 1, Weights: w})
			if err != nil {
				t.Fatal(name, err)
			}
			b, err := fit(columns(rest, []int{0, 1}[:p]), y[1:], &Options{Lambda: 1})
			if err != nil {
				t.Fatal(name, err)
			}
			lt.CloseSlice(t, name, append(a.plane.Normal(), atOrigin(a)), append(b.plane.Normal(), atOrigin(b)), 1e-8)
		}
	}
}

// A ridge of next to nothing on collinear columns of different scales stays
// the minimum norm solution instead of noise divided by λ.
func TestRidgeOfNextToNothing(t *testing.T) {
	x := linalg.Zeros(20, 4)
	base := lt.Normal(3, 20, 2)
	for i := range 20 {
		b := base.Row(i)
		copy(x.Row(i), []float64{b[0], b[0], 1e-3 * b[1], b[0] - 1e-3*b[1]})
	}
	y := lt.Normal(4, 20, 1).Data
	want, err := FitOLS(x, y, &Options{MinNorm: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := FitRidge(x, y, &Options{Lambda: 1e-300})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "ridge", m.Report())
	lt.Close(t, "objective", m.Report().Objective(), want.Report().Objective(), 1e-9)
}

// The shortest solution among columns of which one is 1e8 times the others still
// solves the equations to the last digits.
func TestMinNormOfUnevenColumns(t *testing.T) {
	x := lt.Rows(t, []float64{.87, 2, 1e8}, []float64{1.1, 1, -.96})
	m, err := FitOLS(x, []float64{.97, .59}, &Options{MinNorm: true, NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "minimum norm", m.Report())
}
