package optimize_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"halfspace/optimize"
)

// slope is ½x².
type slope struct{}

func (slope) Value(x []float64) float64 { return x[0] * x[0] / 2 }
func (b slope) Grad(g, x []float64) float64 {
	g[0] = x[0]
	return b.Value(x)
}

func TestUntilStopsWithTheCauseOfTheContext(t *testing.T) {
	why := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(context.Background())
	until, calls := optimize.Until(ctx), 0
	x, report, err := optimize.GradientDescent(slope{}, []float64{1}, 1e-3, &optimize.Control{MaxIter: 1e6, Trace: func(s optimize.Step) error {
		if calls++; calls == 5 {
			cancel(why)
		}
		return until(s)
	}})
	if !errors.Is(err, optimize.ErrNotConverged) || !errors.Is(err, why) || report.Status() != optimize.Stopped || calls != 5 {
		t.Errorf("%v after %d calls: %v", err, calls, report)
	}
	if len(x) != 1 || !(x[0] > 0.9 && x[0] < 1) {
		t.Errorf("the point so far is %v", x)
	}
}

func TestReportPrints(t *testing.T) {
	_, r, err := optimize.GradientDescent(slope{}, []float64{1}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(r), "converged after 1 iterations: objective 0, gradient 0 ≤ 1e-06"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := fmt.Sprint(optimize.Report{}); got != "none" {
		t.Errorf("%q", got)
	}
}
