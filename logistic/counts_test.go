package logistic_test

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
	"halfspace/optimize"
)

func TestCountsRefused(t *testing.T) {
	x := linalgtest.Normal(1, 3, 1)
	trials := []float64{2, 2, 2}
	for _, c := range []struct {
		successes []float64
		is        func(error) bool
	}{
		{[]float64{1, 3, 1}, lt.Is[*logistic.CountError]},
		{[]float64{1, -1, 1}, lt.Is[*logistic.CountError]},
		{[]float64{1, math.NaN(), 1}, lt.Is[*linalg.NonFiniteError]},
		{[]float64{1, 1}, lt.Is[*linalg.ShapeError]},
		{[]float64{0, 0, 0}, lt.Is[*linalg.ClassError]},
		{[]float64{2, 2, 2}, lt.Is[*linalg.ClassError]},
	} {
		if m, err := logistic.FitCounts(x, c.successes, trials, nil); !c.is(err) || m != nil {
			t.Errorf("%v: %v", c.successes, err)
		}
	}
	// Grouped rows are of both classes: separated all the same where a group has
	// only failures beyond all others.
	x, _ = linalg.FromRows([][]float64{{0}, {1}})
	var e *logistic.SeparationError
	if _, err := logistic.FitCounts(x, []float64{1, 0}, []float64{2, 2}, nil); !errors.As(err, &e) || e.Complete || e.Rows != 1 {
		t.Errorf("quasi-separable groups: %v", err)
	}
	if _, err := logistic.FitCounts(x, []float64{1, 1}, []float64{2, 2}, nil); err != nil {
		t.Errorf("overlapping groups: %v", err)
	}
}

// Groups are the fit of their trials, one row each.
func TestCountsAreRowsOfOneTrial(t *testing.T) {
	x, s, m := lt.Menarche(t)
	model, err := logistic.FitCounts(x, s, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	var y []int
	for i := range s {
		for k := range int(m[i]) {
			rows = append(rows, x.Row(i))
			label := 0
			if k < int(s[i]) {
				label = 1
			}
			y = append(y, label)
		}
	}
	single, _ := linalg.FromRows(rows)
	linalgtest.CloseSlice(t, "single rows", lt.Intercepted(lt.MustFit(t, single, y, nil)), lt.Intercepted(model), 1e-10)
}

// A group is farther from its probability than labels of these would be: the certificate of a lasso bounds by how much
// its objective is above that of the trials, as rows of these weights.
func TestCertificateOfGroupsBoundsTheirExcess(t *testing.T) {
	const lambda = 9.9991 // the largest is 10
	counts, err := logistic.FitCounts(linalgtest.Rows(t, []float64{0}, []float64{1}), []float64{0, 10}, []float64{1e9, 100},
		&logistic.Options{Lambda: lambda, L1Ratio: 1, Tol: 1e-5})
	if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
		t.Fatal(err)
	}
	single := lt.MustFit(t, linalgtest.Rows(t, []float64{0}, []float64{1}, []float64{1}), []int{0, 0, 1},
		&logistic.Options{Lambda: lambda, L1Ratio: 1, Weights: []float64{1e9, 90, 10}})
	r := counts.Report()
	if excess := r.Objective() - single.Report().Objective(); !(excess <= r.Certificate().Value*r.Objective()) {
		t.Errorf("%v, but the excess is %g", r, excess)
	}
}
