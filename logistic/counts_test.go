package logistic

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

func TestCountsRefused(t *testing.T) {
	x := linalgtest.Normal(1, 3, 1)
	trials := []float64{2, 2, 2}
	for _, c := range []struct {
		successes []float64
		is        func(error) bool
	}{
		{[]float64{1, 3, 1}, asError[*CountError]},
		{[]float64{1, -1, 1}, asError[*CountError]},
		{[]float64{1, math.NaN(), 1}, asError[*linalg.NonFiniteError]},
		{[]float64{1, 1}, asError[*linalg.ShapeError]},
		{[]float64{0, 0, 0}, asError[*linalg.ClassError]},
		{[]float64{2, 2, 2}, asError[*linalg.ClassError]},
	} {
		if m, err := FitCounts(x, c.successes, trials, nil); !c.is(err) || m != nil {
			t.Errorf("%v: %v", c.successes, err)
		}
	}
	// Grouped rows are of both classes: separated all the same where a group has
	// only failures beyond all others.
	x, _ = linalg.FromRows([][]float64{{0}, {1}})
	var e *SeparationError
	if _, err := FitCounts(x, []float64{1, 0}, []float64{2, 2}, nil); !errors.As(err, &e) || e.Complete || e.Rows != 1 {
		t.Errorf("quasi-separable groups: %v", err)
	}
	if _, err := FitCounts(x, []float64{1, 1}, []float64{2, 2}, nil); err != nil {
		t.Errorf("overlapping groups: %v", err)
	}
}
