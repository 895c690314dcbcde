package linalgtest

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
)

// AnyFit is a fit in the form that [RefusesBadInput] calls: a classifier takes
// labels, a regression responses, and a nil error means a model.
type AnyFit struct {
	Labels     func(x *linalg.Dense, y []int, w []float64) error
	Responses  func(x *linalg.Dense, y, w []float64) error
	Weightless bool // takes no weights
	OneColumn  bool // takes one column only
}

// RefusesBadInput tests that each of the fits refuses data that are not finite, data without
// rows or columns or with lengths that differ, and labels of one class, by typed
// errors with the right numbers. The data are two clouds that a plane separates.
func RefusesBadInput(t *testing.T, fits map[string]AnyFit) {
	for name, f := range fits {
		t.Run(name, func(t *testing.T) {
			x, y := Normal(31, 12, 2), make([]float64, 12)
			for i := range y {
				y[i] = float64(i % 2)
				x.Row(i)[0] += 9 * y[i]
			}
			if err := f.run(x, y, nil); err != nil {
				t.Fatal(err)
			}
			f.refusesNonFinite(t, x, y)
			f.refusesEmpty(t, x, y)
			f.refusesOneClass(t, x, y)
		})
	}
}

// run fits labels as they are, or as responses.
func (f AnyFit) run(x *linalg.Dense, y []float64, w []float64) error {
	if f.Responses != nil {
		return f.Responses(x, y, w)
	}
	labels := make([]int, len(y))
	for i, v := range y {
		labels[i] = int(v)
	}
	return f.Labels(x, labels, w)
}

// NaN or Inf in x, y, weights: an error with row and column.
func (f AnyFit) refusesNonFinite(t *testing.T, x *linalg.Dense, y []float64) {
	t.Helper()
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, c := range []struct {
			what     string
			row, col int
		}{{"x", 7, 1}, {"x", 0, 0}, {"y", 5, -1}, {"weights", 11, -1}} {
			if c.what == "weights" && f.Weightless || c.what == "y" && f.Labels != nil || f.OneColumn && c.col > 0 {
				continue
			}
			x, y, w := x.Clone(), append([]float64(nil), y...), []float64(nil)
			switch c.what {
			case "x":
				x.Row(c.row)[c.col] = bad
			case "y":
				y[c.row] = bad
			default:
				w = append(make([]float64, 0, 12), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, bad)
			}
			var e *linalg.NonFiniteError
			var negative *linalg.WeightError
			err := f.run(x, y, w)
			if errors.As(err, &negative) && math.IsInf(bad, -1) && negative.Row == c.row {
				continue
			}
			if !errors.As(err, &e) || e.Row != c.row || e.Col != c.col && !f.OneColumn {
				t.Errorf("%g in %s, row %d, column %d: %v", bad, c.what, c.row, c.col, err)
			}
		}
	}
}

// No x, no rows, no columns, more labels than rows: a typed error with both numbers.
func (f AnyFit) refusesEmpty(t *testing.T, x *linalg.Dense, y []float64) {
	t.Helper()
	for what, c := range map[string]struct {
		x *linalg.Dense
		y []float64
	}{
		"no x": {nil, y}, "no rows": {&linalg.Dense{Cols: 2, Stride: 2}, nil}, "no columns": {&linalg.Dense{Rows: 12}, y},
		"more labels": {x, append(append([]float64(nil), y...), 1)}, "fewer": {x, y[:11]},
	} {
		if f.OneColumn && (c.x == nil || c.x.Cols == 0) {
			continue
		}
		var e *linalg.ShapeError
		if err := f.run(c.x, c.y, nil); !errors.As(err, &e) || e.Want == e.Got {
			t.Errorf("%s: %v", what, err)
		}
	}
	if f.Weightless {
		return
	}
	var e *linalg.ShapeError
	if err := f.run(x, y, []float64{1, 1}); !errors.As(err, &e) || e.Got != 2 && e.Want != 2 {
		t.Errorf("two weights: %v", err)
	}
}

// One class only, or one whose rows all have weight 0: the same typed error in
// every classifier.
func (f AnyFit) refusesOneClass(t *testing.T, x *linalg.Dense, y []float64) {
	t.Helper()
	if f.Labels == nil {
		return
	}
	var e *linalg.ClassError
	if err := f.run(x, make([]float64, len(y)), nil); !errors.As(err, &e) || e.Class != 0 {
		t.Errorf("one class: %v", err)
	}
	if f.Weightless {
		return
	}
	w := make([]float64, len(y))
	for i, v := range y {
		w[i] = 1 - v
	}
	if err := f.run(x, y, w); !errors.As(err, &e) {
		t.Errorf("the rows of class 1 deleted: %v", err)
	}
}
