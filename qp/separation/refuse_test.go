package separation_test

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/qp/separation"
)

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// refusals are what the questions of a problem say of it.
func refusals(p *separation.Problem) map[string]error {
	_, err := separation.Decide(p)
	all := map[string]error{"Decide": err}
	_, all["Independent"] = separation.Independent(p)
	e := &separation.Evidence{Kind: separation.Complete, Coef: linalg.Zeros(1, 2), Intercept: []float64{0}, Strict: p.X.(*linalg.Dense).Rows}
	e.Coef.Set(0, 0, 1)
	all["Verify"] = e.Verify(p)
	all["Check"] = e.Check(p, nil)
	return all
}

// A value that is no number is refused with its place, by all that look at the rows.
func TestRowsThatAreNoNumbersAreRefused(t *testing.T) {
	for k, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.NaN()} {
		n, at := 40, 33
		if k == 3 { // a part of these is decided first
			n, at = 4000, 800
		}
		x, code := linalgtest.Normal(7, n, 2), make([]int, n)
		for i := range code {
			if code[i] = i % 2; i%2 == 1 {
				x.Set(i, 0, 5)
			} else {
				x.Set(i, 0, -5)
			}
		}
		x.Set(at, 1, v)
		for name, err := range refusals(&separation.Problem{X: x, Code: code, Classes: 2}) {
			var bad *linalg.NonFiniteError
			if !errors.As(err, &bad) || bad.Row != at {
				t.Errorf("%s of %g: %v", name, v, err)
			}
		}
		code[at] = separation.Left
		for name, err := range refusals(&separation.Problem{X: x, Code: code, Classes: 2}) {
			if is[*linalg.NonFiniteError](err) {
				t.Errorf("%s of %g in a row that is left out: %v", name, v, err)
			}
		}
	}
}

// One class has no function to tell it from another.
func TestOneClassIsRefused(t *testing.T) {
	for _, k := range []int{0, 1} {
		p := &separation.Problem{X: linalgtest.Normal(7, 4, 2), Code: make([]int, 4), Classes: k}
		if k == 0 {
			p.Code = []int{separation.Left, separation.Left, separation.Left, separation.Left}
		}
		for name, err := range refusals(p) {
			if !is[*linalg.ShapeError](err) {
				t.Errorf("%s of %d classes: %v", name, k, err)
			}
		}
	}
}
