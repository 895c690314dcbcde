package regression_test

import (
	"errors"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// Class weights of the classifier by least squares are weights of rows.
func TestClassWeightsOfLeastSquares(t *testing.T) {
	x, y := linalgtest.LabeledRows(60, 2, 2)
	w := make([]float64, 60)
	for i := range w {
		w[i] = []float64{2, 0.5}[y[i]]
	}
	a, err := regression.FitLeastSquares(x, y, &regression.LeastSquaresOptions{ClassWeights: []float64{2, 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := regression.FitLeastSquares(x, y, &regression.LeastSquaresOptions{Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "coefficients", a.Plane().Normal(), b.Plane().Normal(), 0)
	if plain, err := regression.FitLeastSquares(x, y, nil); err != nil || plain.Plane().Equal(a.Plane(), 1e-3) {
		t.Errorf("class weights change nothing: %v, %v", plain, err)
	}
}

// A closed form shows its end to the trace once, and the model comes with its error.
func TestTraceOfClosedForms(t *testing.T) {
	x, r := linalgtest.Normal(3, 30, 2), linalgtest.Normal(4, 30, 1).Data
	enough := errors.New("enough")
	var seen []optimize.Step
	o := &regression.Options{Trace: func(s optimize.Step) error { seen = append(seen, s); return enough }}
	for name, fit := range map[string]func() (*regression.Model, error){
		"OLS":              func() (*regression.Model, error) { return regression.FitOLS(x, r, o) },
		"line":             func() (*regression.Model, error) { return regression.FitLine(x.Col(nil, 0), r, o) },
		"normal equations": func() (*regression.Model, error) { return regression.FitNormalEquations(x, r, o) },
		"lasso at 0":       func() (*regression.Model, error) { return regression.FitLasso(x, r, o) },
		"summary":          func() (*regression.Model, error) { m, _, err := regression.Summarize(x, r, o); return m, err },
	} {
		seen = nil
		m, err := fit()
		if len(seen) != 1 || m == nil || !errors.Is(err, enough) || !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("%s: %d calls, %v, %v", name, len(seen), m, err)
			continue
		}
		coef, intercept := m.Coef()
		linalgtest.CloseSlice(t, name, seen[0].X, append(intercept, coef.Row(0)...), 0)
		linalgtest.Close(t, name, seen[0].Objective, m.Report().Objective(), 0)
	}
}
