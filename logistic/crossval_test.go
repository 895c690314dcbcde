package logistic

import (
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// Rows of weight 0 are deleted, with a fold that has no others.
func TestCrossValidateDeletedFold(t *testing.T) {
	x, y := irisPair(t)
	folds, w := make([]int, len(y)), make([]float64, len(y))
	for i := range folds {
		folds[i], w[i] = i%4, 1
		if folds[i] == 3 {
			w[i] = 0
		}
	}
	xs, ys := linalgtest.Select(x, y, func(i int) bool { return w[i] > 0 })
	var rest []int
	for i, f := range folds {
		if w[i] > 0 {
			rest = append(rest, f)
		}
	}
	lambdas := []float64{10, 3, 1}
	a, err := CrossValidate(x, y, folds, &PathOptions{Options: Options{L1Ratio: 1, Weights: w}, Lambdas: lambdas})
	if err != nil {
		t.Fatal(err)
	}
	b, err := CrossValidate(xs, ys, rest, &PathOptions{Options: Options{L1Ratio: 1}, Lambdas: lambdas})
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "deviance", a.Deviance, b.Deviance, 1e-6)
	linalgtest.CloseSlice(t, "SE", a.SE, b.SE, 1e-6)
}

// A path without a λ is an error, whether the caller gives none or a limit on the
// features ends it before the first.
func TestCrossValidateWithoutLambda(t *testing.T) {
	x, y := irisPair(t)
	folds := make([]int, len(y))
	for i := range folds {
		folds[i] = i % 4
	}
	for name, o := range map[string]*PathOptions{
		"none":  {Options: Options{L1Ratio: 1}, Lambdas: []float64{}},
		"MaxDF": {Options: Options{L1Ratio: 1, PenaltyFactor: []float64{0, 0, 0, 1}}, MaxDF: 1},
	} {
		if cv, err := CrossValidate(x, y, folds, o); !asError[*linalg.ShapeError](err) || cv != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
