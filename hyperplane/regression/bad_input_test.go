package regression_test

import (
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// NaN and Inf, empty data, lengths that differ, one class: typed errors.
func TestBadInput(t *testing.T) {
	lt.RefusesBadInput(t, map[string]lt.AnyFit{
		"least squares": {Labels: func(x *linalg.Dense, y []int, w []float64) error {
			_, err := regression.FitLeastSquares(x, y, &regression.LeastSquaresOptions{Weights: w})
			return err
		}},
		"line": {OneColumn: true, Responses: func(x *linalg.Dense, y, w []float64) error {
			_, err := regression.FitLine(x.Col(nil, 0), y, &regression.Options{Weights: w})
			return err
		}},
		"ols":         {Responses: withWeights(regression.FitOLS, regression.Options{})},
		"normal":      {Responses: withWeights(regression.FitNormalEquations, regression.Options{})},
		"ridge":       {Responses: withWeights(regression.FitRidge, regression.Options{Lambda: 1})},
		"lasso":       {Responses: withWeights(regression.FitLasso, regression.Options{Lambda: .1})},
		"elastic net": {Responses: withWeights(regression.FitElasticNet, regression.Options{Lambda: .1, L1Ratio: .5})},
		"descent": {Responses: func(x *linalg.Dense, y, w []float64) error {
			_, err := regression.FitDescent(x, y, &regression.DescentOptions{Weights: w, BFGS: true})
			return err
		}},
	})
}

func withWeights(fit func(linalg.Rows, []float64, *regression.Options) (*regression.Model, error), o regression.Options) func(x *linalg.Dense, y, w []float64) error {
	return func(x *linalg.Dense, y, w []float64) error {
		o := o
		o.Weights = w
		_, err := fit(x, y, &o)
		return err
	}
}
