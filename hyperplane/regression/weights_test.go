package regression_test

import (
	"math"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// A row of weight 0 does not count, whatever finite numbers stand in it.
func TestRowOfWeightZero(t *testing.T) {
	x, y, w := lt.Normal(1, 10, 2), lt.Normal(2, 10, 1).Data, make([]float64, 10)
	for i := range w {
		w[i] = 1
	}
	w[0], y[0] = 0, math.MaxFloat64
	copy(x.Row(0), []float64{-math.MaxFloat64, 1e300})
	rest := x.RowRange(1, 10)
	for name, fit := range map[string]func(linalg.Rows, []float64, *regression.Options) (*regression.Model, error){"ridge": regression.FitRidge, "lasso": regression.FitLasso} {
		for _, p := range []int{1, 2} {
			a, err := fit(columns(x, []int{0, 1}[:p]), y, &regression.Options{Lambda: 1, Weights: w})
			if err != nil {
				t.Fatal(name, err)
			}
			b, err := fit(columns(rest, []int{0, 1}[:p]), y[1:], &regression.Options{Lambda: 1})
			if err != nil {
				t.Fatal(name, err)
			}
			lt.CloseSlice(t, name, append(a.Plane().Normal(), atOrigin(a)), append(b.Plane().Normal(), atOrigin(b)), 1e-8)
		}
	}
}
