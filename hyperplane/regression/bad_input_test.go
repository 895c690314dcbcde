package regression

import (
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// NaN and Inf, empty data, lengths that differ, one class: typed errors.
func TestBadInput(t *testing.T) {
	lt.RefusesBadInput(t, map[string]lt.AnyFit{
		"least squares": {Labels: func(x *linalg.Dense, y []int, w []float64) error {
			_, err := FitLeastSquares(x, y, &LeastSquaresOptions{Weights: w})
			return err
		}},
		"line": {OneColumn: true, Responses: func(x *linalg.Dense, y, w []float64) error {
			_, err := FitLine(x.Col(nil, 0), y, &Options{Weights: w})
			return err
		}},
		"ols":         {Responses: regression(FitOLS, Options{})},
		"normal":      {Responses: regression(FitNormalEquations, Options{})},
		"ridge":       {Responses: regression(FitRidge, Options{Lambda: 1})},
		"lasso":       {Responses: regression(FitLasso, Options{Lambda: .1})},
		"elastic net": {Responses: regression(FitElasticNet, Options{Lambda: .1, L1Ratio: .5})},
		"descent": {Responses: func(x *linalg.Dense, y, w []float64) error {
			_, err := FitDescent(x, y, &DescentOptions{Weights: w, BFGS: true})
			return err
		}},
	})
}

func regression(fit func(linalg.Rows, []float64, *Options) (*Model, error), o Options) func(x *linalg.Dense, y, w []float64) error {
	return func(x *linalg.Dense, y, w []float64) error {
		o := o
		o.Weights = w
		_, err := fit(x, y, &o)
		return err
	}
}
