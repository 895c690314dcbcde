package inference_test

import (
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/logistic/inference"
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
		if got := r.Deviance[i] * r.Deviance[i] / (2 * w[i]); !(math.Abs(got/want-1) <= 1e-13) {
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

// Residuals of groups of trials are those of their definitions, and the leverages sum to the
// number of parameters.
func TestResidualsOfCountsByDefinition(t *testing.T) {
	x, successes, trials := lt.Menarche(t)
	m, err := logistic.FitCounts(x, successes, trials, nil)
	if err != nil {
		t.Fatal(err)
	}
	inf, err := inference.OfCounts(m, x, successes, trials, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := inf.Residuals()
	if err != nil {
		t.Fatal(err)
	}
	deviance := 0.0
	for i, n := range trials {
		p, s := m.Proba(nil, x.Row(i))[1], successes[i]
		linalgtest.Close(t, "fitted", r.Fitted[i], p, 1e-14)
		linalgtest.Close(t, "Pearson", r.Pearson[i], (s-n*p)/math.Sqrt(n*p*(1-p)), 1e-9)
		linalgtest.Close(t, "working", r.Working[i], (s/n-p)/(p*(1-p)), 1e-9*(1+math.Abs(r.Working[i])))
		d := 0.0
		if s > 0 {
			d += s * math.Log(s/(n*p))
		}
		if s < n {
			d += (n - s) * math.Log((n-s)/(n*(1-p)))
		}
		linalgtest.Close(t, "deviance", r.Deviance[i], math.Copysign(math.Sqrt(2*math.Max(d, 0)), s-n*p), 1e-6)
		deviance += 2 * d
	}
	linalgtest.Close(t, "deviance of the model", inf.Deviance, deviance, 1e-9*deviance)
	linalgtest.Close(t, "Σ leverage", lt.Sum(r.Leverage), 2, 1e-10)
}
