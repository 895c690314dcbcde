package squared_test

import (
	"math"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/qp"
	"halfspace/qp/squared"
)

// A problem whose parts do not fit, or that holds what is no number, is an error and no panic.
func TestProblemsThatAreNone(t *testing.T) {
	dense := lt.Rows(t, []float64{1}, []float64{2}, []float64{-3})
	ones, signs, nan, inf := []float64{1, 1, 1}, []float64{1, 1, -1}, math.NaN(), math.Inf(1)
	minimize := func(x linalg.Rows, sign, price, start []float64) error {
		r, err := squared.Minimize(&squared.Problem{Rows: &qp.Linear{X: x, Sign: sign}, Price: price}, &squared.Options{Start: start})
		if (r == nil) != (err != nil) {
			t.Errorf("%v beside %v", r, err)
		}
		return err
	}
	for _, x := range []linalg.Rows{dense, lt.Sparse(dense)} {
		if err := minimize(x, signs, []float64{1, 1, 0}, ones); err != nil {
			t.Error(err)
		}
		for what, err := range map[string]error{
			"a short start": minimize(x, signs, ones, ones[:1]), "an empty start": minimize(x, signs, ones, []float64{}),
			"a long start":     minimize(x, signs, ones, []float64{1, 1, 1, 1}),
			"a start of NaN":   minimize(x, signs, ones, []float64{1, nan, 0}),
			"few prices":       minimize(x, signs, ones[:2], nil),
			"few signs":        minimize(x, signs[:2], ones[:2], nil),
			"signs twice":      minimize(x, append(signs, signs...), append(ones, ones...), nil),
			"a sign of 2":      minimize(x, []float64{1, 2, -1}, ones, nil),
			"a price of NaN":   minimize(x, signs, []float64{1, nan, 1}, nil),
			"a price of ∞":     minimize(x, signs, []float64{1, inf, 1}, nil),
			"a negative price": minimize(x, signs, []float64{1, -1, 1}, nil),
		} {
			if err == nil {
				t.Errorf("%s of %T is no error", what, x)
			}
		}
	}
	for what, err := range map[string]error{
		"no rows": minimize(nil, signs, ones, nil), "nil rows": minimize((*linalg.CSR)(nil), signs, ones, nil),
		"rows of a file": minimize(lt.OddBlocks{X: dense}, signs, ones, nil),
		"NaN":            minimize(lt.Rows(t, []float64{1}, []float64{nan}, []float64{2}), signs, ones, nil),
	} {
		if err == nil {
			t.Errorf("%s are no error", what)
		}
	}
	for _, p := range []*squared.Problem{nil, {Price: ones}} {
		if _, err := squared.Minimize(p, nil); err == nil {
			t.Error("a problem without rows is no error")
		}
	}
	deleted := lt.Rows(t, []float64{1}, []float64{nan}, []float64{-3})
	if err := minimize(deleted, signs, []float64{1, 0, 1}, nil); err != nil {
		t.Error(err)
	}
}
