package regression_test

import (
	"encoding/json"
	"errors"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// Numbers whose squares leave the range of a float64 are refused at the door by every
// fit, and named.
func TestRefusesNumbersOutOfRange(t *testing.T) {
	y := []float64{1, 2, 1}
	for name, fit := range map[string]func(linalg.Rows, []float64, *regression.Options) (*regression.Model, error){
		"ols": regression.FitOLS, "normal": regression.FitNormalEquations, "ridge": regression.FitRidge, "lasso": regression.FitLasso,
		"descent": func(x linalg.Rows, y []float64, _ *regression.Options) (*regression.Model, error) {
			return regression.FitDescent(x, y, nil)
		},
	} {
		for _, v := range []float64{1e200, -1e200, 1e-200, 1e-300} {
			var out *linalg.RangeError
			x := lt.Rows(t, []float64{1, 2}, []float64{2, v}, []float64{4, 1})
			if m, err := fit(x, y, nil); m != nil || !errors.As(err, &out) || *out != (linalg.RangeError{What: "x", Row: 1, Column: 1, Value: v}) {
				t.Errorf("%s, x: %v, %v", name, m, err)
			}
			x.Set(1, 1, 3)
			if m, err := fit(x, []float64{0, 1, v}, nil); m != nil || !errors.As(err, &out) || *out != (linalg.RangeError{What: "y", Row: 2, Value: v}) {
				t.Errorf("%s, y: %v, %v", name, m, err)
			}
			if name == "descent" {
				continue // which has no offset
			}
			if m, err := fit(x, y, &regression.Options{Offset: []float64{v, 0, 0}}); m != nil || !errors.As(err, &out) || *out != (linalg.RangeError{What: "offset", Value: v}) {
				t.Errorf("%s, offset: %v, %v", name, m, err)
			}
		}
		x := lt.Rows(t, []float64{1e-130, 1e130}, []float64{2e-130, 0}, []float64{4e-130, 2e130})
		if _, err := fit(x, []float64{0, 1e-130, 0}, nil); err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Coefficients whose squares are out of range have a certificate as others have.
func TestLeastSquaresWithLargeCoefficients(t *testing.T) {
	x, y := lt.Normal(1, 12, 2), lt.Normal(2, 12, 1).Data
	linalg.Scale(x.Data, 0x1p-440)
	linalg.Scale(y, 0x1p100)
	m, err := regression.FitOLS(x, y, nil)
	if err != nil || !m.Report().Certificate().Holds() {
		t.Fatal(m.Report(), err)
	}
}

// Weights whose squares overflow are refused or leave a model that can be saved.
func TestWeightsOutOfRange(t *testing.T) {
	x, y := lt.Rows(t, []float64{5e-324, .25, .33}), []float64{.07}
	m, err := regression.FitRidge(x, y, &regression.Options{Lambda: 1, NoIntercept: true, Weights: []float64{1.7e308}})
	if err == nil {
		if _, err := json.Marshal(m); err != nil {
			t.Error(err)
		}
	} else if !errors.As(err, new(*linalg.RangeError)) {
		t.Error(err)
	}
}
