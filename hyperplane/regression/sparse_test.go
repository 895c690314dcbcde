package regression_test

import (
	"errors"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// Regressions on sparse rows are those on the same rows stored dense, and rows that are too many
// to be moved to their means are refused by their size.
func TestSparseRows(t *testing.T) {
	x := linalgtest.Thinned(11, 200, 12, 0.4)
	y := linalgtest.Numbers(200)
	for i := range y {
		y[i] += 5 + x.At(i, 1) - 2*x.At(i, 3)
		x.Set(i, 5, float64(i%2)) // the column that is empty otherwise, and one of a single value
		x.Set(i, 11, x.At(i, 11)+float64(i%3))
	}
	for name, fit := range map[string]func(linalg.Rows, *regression.Options) (*regression.Model, error){
		"ols": func(x linalg.Rows, o *regression.Options) (*regression.Model, error) {
			return regression.FitOLS(x, y, nil)
		},
		"ridge": func(x linalg.Rows, o *regression.Options) (*regression.Model, error) {
			return regression.FitRidge(x, y, o)
		},
		"lasso": func(x linalg.Rows, o *regression.Options) (*regression.Model, error) {
			o.L1Ratio = 1
			return regression.FitElasticNet(x, y, o)
		},
		"no constant": func(x linalg.Rows, o *regression.Options) (*regression.Model, error) {
			o.NoIntercept = true
			return regression.FitRidge(x, y, o)
		},
	} {
		dense, err := fit(x, &regression.Options{Lambda: 2})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		a := linalgtest.Sparse(x)
		sparse, err := fit(a, &regression.Options{Lambda: 2})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		linalgtest.Close(t, name, sparse.Report().Objective(), dense.Report().Objective(), 1e-10)
		f, err := sparse.PredictRows(nil, a)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range f {
			linalgtest.Close(t, name+", prediction", v, dense.Predict(x.Row(i)), 1e-6)
		}
	}
	start := make([]int, 200_001)
	wide, err := linalg.NewCSR(200_000, 200_000, start, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var size *linalg.SizeError
	if _, err := regression.FitRidge(wide, make([]float64, 200_000), &regression.Options{Lambda: 1}); !errors.As(err, &size) {
		t.Errorf("40 billion values: %v", err)
	}
}
