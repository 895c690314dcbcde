package inference_test

import (
	"testing"

	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/logistic/inference"
	lt "halfspace/logistic/internal/logistictest"
)

func mustInfer(t testing.TB, m *logistic.Model, x linalg.Rows, y []int, o *logistic.Options) *inference.Inference {
	t.Helper()
	inf, err := inference.Of(m, x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	return inf
}

func fitAndInfer(t testing.TB, x linalg.Rows, y []int, o *logistic.Options) *inference.Inference {
	t.Helper()
	return mustInfer(t, lt.MustFit(t, x, y, o), x, y, o)
}
