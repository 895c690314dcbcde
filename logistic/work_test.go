package logistic

import (
	"errors"
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/qp/separation"
)

// The search for a separation has the share of its work that the fit has left of its own.
func TestSearchHasTheWorkThatTheFitLeaves(t *testing.T) {
	const n = 60
	y := make([]int, n)
	for i := range y {
		y[i] = i % 3
	}
	x := linalgtest.Normal(5, n, 2)
	for _, w := range []*optimize.Work{nil, {Spent: 1, Most: 2}, {Spent: 3, Most: 2}} {
		p, err := newProblem(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.objective()
		if err != nil {
			t.Fatal(err)
		}
		f.Work = w
		if err := p.exists(f)(make([]float64, f.Parameters()), true, true); err != nil {
			t.Fatal(err)
		}
		if undecided := p.undecided != nil; undecided != w.Done() {
			t.Errorf("with %+v spent: undecided %t", w, undecided)
		}
	}
}

// A fit asks on its way and where it ends whether its classes are separated, and is answered at once where it has been:
// but where other columns or more work can give another answer.
func TestSeparationIsNotLookedForTwice(t *testing.T) {
	y := make([]int, 60)
	for i := range y {
		y[i] = i % 3
	}
	p, err := newProblem(linalgtest.Normal(5, len(y), 3), y, nil)
	if err != nil {
		t.Fatal(err)
	}
	var last *separation.Evidence
	for _, c := range []struct {
		columns []int
		spent   float64
		again   bool
		want    separation.Kind
	}{
		{nil, 1, false, separation.Undecided},
		{nil, 1, true, separation.Undecided},
		{[]int{}, 1, false, separation.Undecided},
		{nil, 1, false, separation.Undecided},
		{nil, 0, false, separation.Overlap},
		{nil, 1, true, separation.Overlap},
		{[]int{0, 1}, 0, false, separation.Overlap},
		{[]int{0, 2}, 0, false, separation.Overlap},
		{[]int{0, 2}, 0, true, separation.Overlap},
	} {
		question := p.inequalities(c.columns)
		question.Spent = c.spent
		e, err := p.decide(question)
		if err != nil || e.Kind != c.want || (e == last) != c.again {
			t.Errorf("%+v: %v, %v", c, e, err)
		}
		last = e
	}
}

// Functions that separate the classes are a proof that they are separated: the fit that comes to them
// goes no further.
func TestFitEndsWhereItsFunctionsSeparate(t *testing.T) {
	for _, classes := range []int{2, 3} {
		const n, p = 300, 200
		y, steps := make([]int, n), 0
		for i := range y {
			y[i] = i % classes
		}
		_, err := Fit(linalgtest.Normal(9, n, p), y, &Options{Trace: func(optimize.Step) error { steps++; return nil }})
		if s := (*SeparationError)(nil); !errors.As(err, &s) || !s.Complete || s.Rows != n || steps > 30 {
			t.Errorf("%d classes: %v after %d steps", classes, err, steps)
		}
	}
}
