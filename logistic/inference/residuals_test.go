package inference_test

import (
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
)

// Rows whose probability rounds to 0 or 1, on the right side and on the wrong one.
func TestResidualsInTheTails(t *testing.T) {
	x, _ := linalg.FromRows([][]float64{{-3}, {-2}, {-1}, {-0.5}, {0.5}, {1}, {2}, {3}, {1e6}, {-1e6}})
	y := []int{0, 0, 1, 0, 1, 0, 1, 1, 1, 0}
	inf := fitAndInfer(t, x, y, nil)
	r, err := inf.Residuals()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range [][]float64{r.Pearson, r.Deviance, r.Working, r.Leverage, {inf.Pearson, inf.Deviance}} {
		if err := linalg.CheckFinite("residuals", v); err != nil {
			t.Error(err)
		}
	}
	linalgtest.Close(t, "Σ Pearson²", linalg.Dot(r.Pearson, r.Pearson), inf.Pearson, 1e-12)
}

// A deviance residual keeps its digits where p rounds to 0 or to 1: rows with offsets of
// −40 and 40, of so little weight that the fit is that of the others.
func TestDevianceResidualsOfSureRows(t *testing.T) {
	x := linalgtest.Rows(t, []float64{-3}, []float64{-2}, []float64{-1}, []float64{-0.5}, []float64{0.5}, []float64{1}, []float64{2}, []float64{3}, []float64{1}, []float64{1})
	y := []int{0, 0, 1, 0, 1, 0, 1, 1, 1, 1}
	w := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1e-9, 1e-9}
	o := &logistic.Options{Weights: w, Offset: []float64{0, 0, 0, 0, 0, 0, 0, 0, -40, 40}}
	m := lt.MustFit(t, x, y, o)
	r, err := mustInfer(t, m, x, y, o).Residuals()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{8, 9} {
		want := linalg.Log1pExp(-m.LogOdds(x.Row(i)) - o.Offset[i])
		if got := r.Deviance[i] * r.Deviance[i] / (2 * w[i]); math.Abs(got/want-1) > 1e-13 {
			t.Errorf("offset %g: −log p is %g, want %g", o.Offset[i], got, want)
		}
	}
}

// The weighted least squares of the adjusted response returns the estimate (ESL
// eq. 4.26 to 4.28).
func TestAdjustedResponse(t *testing.T) {
	x, y := lt.Heart(t, "tobacco ldl famhist=Present age")
	m := lt.MustFit(t, x, y, nil)
	r, err := mustInfer(t, m, x, y, nil).Residuals()
	if err != nil {
		t.Fatal(err)
	}
	rows := linalg.Zeros(x.Rows, x.Cols+1)
	z, w := make([]float64, x.Rows), make([]float64, x.Rows)
	for i := range x.Rows {
		rows.Set(i, 0, 1)
		copy(rows.Row(i)[1:], x.Row(i))
		w[i] = r.Fitted[i] * (1 - r.Fitted[i])
		z[i] = (m.LogOdds(x.Row(i)) + r.Working[i]) * w[i]
	}
	c, err := linalg.NewCholesky(linalg.Gram(rows, nil, w, 1))
	if err != nil {
		t.Fatal(err)
	}
	beta := make([]float64, rows.Cols)
	rows.MulTVec(beta, z)
	c.Solve(beta)
	linalgtest.CloseSlice(t, "least squares", beta, lt.Intercepted(m), 1e-10)
}
