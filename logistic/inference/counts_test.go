package inference_test

import (
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/logistic/inference"
	lt "halfspace/logistic/internal/logistictest"
)

// A weight of 2 is the row of counts twice.
func TestWeightsOfCounts(t *testing.T) {
	x, s, m := lt.Menarche(t)
	var rows [][]float64
	var s2, m2 []float64
	w := make([]float64, x.Rows)
	for i := range w {
		w[i] = float64(i % 3)
		for range i % 3 {
			rows, s2, m2 = append(rows, x.Row(i)), append(s2, s[i]), append(m2, m[i])
		}
	}
	repeated, _ := linalg.FromRows(rows)
	infer := func(x *linalg.Dense, s, m []float64, o *logistic.Options) *inference.Inference {
		model, err := logistic.FitCounts(x, s, m, o)
		if err != nil {
			t.Fatal(err)
		}
		inf, err := inference.OfCounts(model, x, s, m, o)
		if err != nil {
			t.Fatal(err)
		}
		return inf
	}
	a, b := infer(x, s, m, &logistic.Options{Weights: w}), infer(repeated, s2, m2, nil)
	linalgtest.CloseSlice(t, "estimates", a.Estimate, b.Estimate, 1e-10)
	linalgtest.CloseSlice(t, "SE", a.SE, b.SE, 1e-10)
	linalgtest.CloseSlice(t, "criteria",
		[]float64{a.LogLikelihood, a.Deviance, a.NullDeviance, a.DF, a.NullDF, a.AIC, a.BIC, a.Pearson},
		[]float64{b.LogLikelihood, b.Deviance, b.NullDeviance, b.DF, b.NullDF, b.AIC, b.BIC, b.Pearson}, 1e-10)
}
