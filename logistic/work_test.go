package logistic

import (
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// The search for a separation has the share of its work that the fit has left of its own.
func TestSearchHasTheWorkThatTheFitLeaves(t *testing.T) {
	const n = 60
	y := make([]int, n)
	for i := range y {
		y[i] = i % 3
	}
	p, err := newProblem(linalgtest.Normal(5, n, 2), y, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.objective()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []*optimize.Work{nil, {Spent: 1, Most: 2}, {Spent: 3, Most: 2}} {
		f.Work = w
		if err := p.exists(f)(make([]float64, f.Parameters()), true, true); err != nil {
			t.Fatal(err)
		}
		if undecided := p.undecided != nil; undecided != w.Done() {
			t.Errorf("with %+v spent: undecided %t", w, undecided)
		}
	}
}
