package regression_test

import (
	"errors"
	"math"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// A fold whose path ends early has losses of the λ that it has fits of, in whatever order these were given.
func TestLossesOfAPathThatEndsEarlyAreThoseOfItsPenalties(t *testing.T) {
	x, labels := linalgtest.LabeledRows(60, 3, 4)
	y, folds := make([]float64, 60), make([]int, 60)
	for i, l := range labels {
		y[i], folds[i] = float64(l), i%2
	}
	lambdas := []float64{0.1, 10, 1}
	for _, ratio := range []float64{0, 1} {
		whole, err := regression.CrossValidate(x, y, lambdas, folds, &regression.Options{L1Ratio: ratio})
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		part, err := regression.CrossValidate(x, y, lambdas, folds, &regression.Options{L1Ratio: ratio, Trace: func(optimize.Step) error {
			if calls++; calls == 8 { // the second λ of the last fold
				return errors.New("enough")
			}
			return nil
		}})
		if part == nil {
			t.Fatal(err)
		}
		for k, mean := range part.CV.Mean {
			if mean == mean {
				linalgtest.Close(t, "mean loss", mean, whole.CV.Mean[k], 1e-12)
			}
		}
		lacking := int(2 - 2*ratio) // a ridge goes by the order given, a lasso from the largest
		if !math.IsNaN(part.CV.Mean[lacking]) || math.IsNaN(part.CV.Mean[1]) || math.IsNaN(part.CV.Mean[2-lacking]) {
			t.Errorf("L1Ratio %g: losses %v of %v, %v", ratio, part.CV.Mean, lambdas, err)
		}
	}
}
