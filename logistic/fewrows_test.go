package logistic_test

import (
	"fmt"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/optimize"
)

// A ridge on more features than rows is fitted in the coordinates of the space that the rows
// span, and sparse rows in those of the features: the minimum is one, whatever else a fit is
// asked, and a trace sees coefficients.
func TestFewRowsHaveTheMinimumOfTheirFeatures(t *testing.T) {
	for _, k := range []int{2, 3} {
		x, y := linalgtest.LabeledRows(30, 90, k)
		copy(x.Row(1), x.Row(0)) // dependent rows
		n, scores := x.Rows, k
		if k == 2 {
			scores = 1
		}
		weights, offset := make([]float64, n), make([]float64, n*scores)
		for i := range weights {
			weights[i] = float64(i % 3)
		}
		for i := range offset {
			offset[i] = float64(i%5) / 4
		}
		start := make([]float64, scores*(x.Cols+1))
		for j := range start {
			start[j] = float64(j%7-3) / 10
		}
		for name, o := range map[string]logistic.Options{
			"plain":        {Lambda: 0.3},
			"weights":      {Lambda: 0.3, Weights: weights},
			"offset":       {Lambda: 0.3, Offset: offset},
			"no intercept": {Lambda: 0.3, NoIntercept: true},
			"standardized": {Lambda: 5, Standardize: true},
			"start":        {Lambda: 0.3, Start: start},
			"strong ridge": {Lambda: 1e4},
			"weak ridge":   {Lambda: 1e-6},
		} {
			t.Run(fmt.Sprintf("%d classes, %s", k, name), func(t *testing.T) {
				traced := o
				var last []float64
				traced.Trace = func(s optimize.Step) error {
					last = append(last[:0], s.X...)
					return nil
				}
				dense, err := logistic.Fit(x, y, &traced)
				if err != nil {
					t.Fatal(err)
				}
				sparse, err := logistic.Fit(linalgtest.Sparse(x), y, &o)
				if err != nil {
					t.Fatal(err)
				}
				got, level := dense.Coef()
				want, wantLevel := sparse.Coef()
				// Points within e of the minimum are at most √(2e/λ) from it.
				excess := dense.Report().Certificate().Value*dense.Report().Objective() + sparse.Report().Certificate().Value*sparse.Report().Objective()
				apart := max(1e-5, 2*math.Sqrt(excess/o.Lambda))
				linalgtest.CloseSlice(t, "coefficients", got.Data, want.Data, apart)
				linalgtest.CloseSlice(t, "intercepts", level, wantLevel, apart)
				linalgtest.Close(t, "objective", dense.Report().Objective(), sparse.Report().Objective(), 1e-11)
				linalgtest.CloseSlice(t, "last of the trace", last, laidOut(got, level, !o.NoIntercept), 1e-4)
			})
		}
	}
}

// laidOut lays coefficients out as the steps of a trace do.
func laidOut(coef *linalg.Dense, intercept []float64, with bool) []float64 {
	var theta []float64
	for c := range coef.Rows {
		if with {
			theta = append(theta, intercept[c])
		}
		theta = append(theta, coef.Row(c)...)
	}
	return theta
}
