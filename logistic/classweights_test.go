package logistic_test

import (
	"errors"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/logistic"
	"halfspace/logistic/inference"
	lt "halfspace/logistic/internal/logistictest"
)

// Class weights are weights of the rows of each class, in a fit and in its inference.
func TestClassWeightsMultiplyRowWeights(t *testing.T) {
	for _, k := range []int{2, 3} {
		x, y := linalgtest.LabeledRows(200, 3, k)
		by := []float64{2, 0.5, 3}[:k]
		w, both := make([]float64, len(y)), make([]float64, len(y))
		for i := range y {
			w[i] = 1 + float64(i%3)
			both[i] = w[i] * by[y[i]]
		}
		a, b := &logistic.Options{Weights: w, ClassWeights: by}, &logistic.Options{Weights: both}
		m, n := lt.MustFit(t, x, y, a), lt.MustFit(t, x, y, b)
		ca, ia := m.Coef()
		cb, ib := n.Coef()
		linalgtest.CloseSlice(t, "coefficients", ca.Data, cb.Data, 0)
		linalgtest.CloseSlice(t, "intercepts", ia, ib, 0)
		if a.ClassWeights == nil || w[0] != 1 {
			t.Error("the options were written to")
		}
		p, err := inference.Of(m, x, y, a)
		if err != nil {
			t.Fatal(err)
		}
		q, err := inference.Of(n, x, y, b)
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.CloseSlice(t, "standard errors", p.SE, q.SE, 1e-12)
	}
	x, y := linalgtest.LabeledRows(50, 2, 2)
	var shape *linalg.ShapeError
	var option *sample.OptionError
	if _, err := logistic.Fit(x, y, &logistic.Options{ClassWeights: []float64{1}}); !errors.As(err, &shape) {
		t.Errorf("one class weight: %v", err)
	}
	if _, err := logistic.Fit(x, y, &logistic.Options{ClassWeights: []float64{1, 0}}); !errors.As(err, &option) {
		t.Errorf("a class weight of 0: %v", err)
	}
}
