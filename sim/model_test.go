package sim

import (
	"math"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
)

// Every model is what this package asks for.
var (
	_ = []Classifier{(*hyperplane.Perceptron)(nil), (*regression.LeastSquares)(nil), (*hyperplane.Kozinec)(nil),
		(*hyperplane.HardMargin)(nil), (*hyperplane.SVC)(nil), (*discriminant.Indicator)(nil)}
	_ = []LogProber{(*logistic.Model)(nil), (*discriminant.LDA)(nil), (*discriminant.QDA)(nil), (*discriminant.Bayes)(nil), (*discriminant.ReducedRank)(nil)}
	_ = []Regressor{(*regression.Model)(nil), (*hyperplane.SVR)(nil)}
	_ = []Linear{(*logistic.Model)(nil), (*discriminant.LDA)(nil), (*discriminant.ReducedRank)(nil), (*discriminant.Indicator)(nil),
		(*hyperplane.Perceptron)(nil), (*regression.LeastSquares)(nil), (*hyperplane.HardMargin)(nil), (*hyperplane.SVC)(nil),
		(*regression.Model)(nil), (*hyperplane.SVR)(nil)}
)

// The log-loss of a row far on the wrong side is its distance, not infinite.
func TestLogLossOfFarRows(t *testing.T) {
	x, err := linalg.FromRows([][]float64{{0}, {1}, {2}, {3}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := logistic.Fit(x, []int{0, 1, 0, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	far := &linalg.Dense{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1e4}}
	e, err := Evaluate(m, far, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	want := m.LogOdds(far.Row(0))
	if p := m.Proba(nil, far.Row(0))[0]; p != 0 || math.IsInf(want, 0) {
		t.Fatalf("probability %v, log-odds %v: the row is not far enough", p, want)
	}
	linalgtest.Close(t, "log-loss", e.LogLoss, want, 1e-15)
}
