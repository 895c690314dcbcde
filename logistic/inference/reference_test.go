package inference_test

import (
	"math/rand/v2"
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

// Null deviances and tests of features do not depend on the reference, whose refits are of few parameters.
func TestTestsDoNotDependOnTheReference(t *testing.T) {
	for seed := range uint64(linalgtest.Rounds(20, 300)) {
		r := rand.New(rand.NewPCG(seed, 77))
		n, p := 40+r.IntN(40), 1+r.IntN(2)
		x, y, offset := linalgtest.Normal(seed, n, p), make([]int, n), make([]float64, 3*n)
		for i := range y {
			if y[i] = r.IntN(3); x.At(i, 0) > 0 && r.IntN(2) == 0 {
				y[i] = 2
			}
			for k := range 3 {
				offset[3*i+k] = r.NormFloat64()
			}
		}
		var want []float64
		for reference := range 3 {
			o := &logistic.Options{Reference: &reference, Offset: offset}
			inf := fitAndInfer(t, x, y, o)
			drop, err := inf.Drop(nil)
			score, bad := inf.ScoreAll()
			if err != nil || bad != nil {
				t.Fatalf("seed %d, reference %d: %v, %v", seed, reference, err, bad)
			}
			got := []float64{inf.NullDeviance, score.Statistic}
			for _, d := range drop {
				got = append(got, d.Statistic)
			}
			if want == nil {
				want = got
			}
			linalgtest.CloseSlice(t, "null deviance, score, drops", got, want, 1e-8)
		}
	}
}
