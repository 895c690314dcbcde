package inference_test

import (
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
)

// The estimates of three classes are differences to the reference, of which the scores of a model
// from elsewhere need not be 0.
func TestEstimatesAreDifferencesToTheReference(t *testing.T) {
	x, y := linalgtest.LabeledRows(90, 2, 3)
	for reference := range 3 {
		o := &logistic.Options{Reference: &reference}
		m := lt.MustFit(t, x, y, o)
		coef, intercept := m.Coef()
		moved, level := linalg.Zeros(3, 2), make([]float64, 3)
		for k := range 3 {
			level[k] = intercept[k] + 2
			for j, b := range coef.Row(k) {
				moved.Set(k, j, b-0.5)
			}
		}
		elsewhere, err := logistic.New(m.Classes(), moved, level)
		if err != nil {
			t.Fatal(err)
		}
		want, got := mustInfer(t, m, x, y, o), mustInfer(t, elsewhere, x, y, o)
		linalgtest.CloseSlice(t, "estimates", got.Estimate, want.Estimate, 1e-12)
		linalgtest.CloseSlice(t, "z", got.Z, want.Z, 1e-9)
	}
}
