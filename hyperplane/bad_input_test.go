package hyperplane

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// Every fit of the package in one form: a classifier takes labels, a regression
// responses, and a nil error means a model.
type anyFit struct {
	labels          func(x *linalg.Dense, y []int, w []float64) error
	responses       func(x *linalg.Dense, y, w []float64) error
	weightless, one bool // takes no weights; takes one column only
}

var everyFit = map[string]anyFit{
	"svc": {labels: func(x *linalg.Dense, y []int, w []float64) error {
		_, err := FitSVC(x, y, &SVCOptions{Weights: w})
		return err
	}},
	"svc path": {labels: func(x *linalg.Dense, y []int, w []float64) error {
		_, err := SVCPath(x, y, []float64{1, 10}, &SVCOptions{Weights: w})
		return err
	}},
	"hard margin": {labels: func(x *linalg.Dense, y []int, w []float64) error {
		_, err := FitHardMargin(x, y, &HardMarginOptions{Weights: w})
		return err
	}},
	"perceptron": {weightless: true, labels: func(x *linalg.Dense, y []int, _ []float64) error {
		_, err := FitPerceptron(x, y, nil)
		return err
	}},
	"kozinec": {weightless: true, labels: func(x *linalg.Dense, y []int, _ []float64) error {
		_, err := FitKozinec(x, y, nil)
		return err
	}},
	"least squares": {labels: func(x *linalg.Dense, y []int, w []float64) error {
		_, err := FitLeastSquares(x, y, &LeastSquaresOptions{Weights: w})
		return err
	}},
	"svr": {responses: func(x *linalg.Dense, y, w []float64) error {
		_, err := FitSVR(x, y, &SVROptions{Weights: w})
		return err
	}},
	"line": {one: true, responses: func(x *linalg.Dense, y, w []float64) error {
		_, err := FitLine(x.Col(nil, 0), y, &RegressionOptions{Weights: w})
		return err
	}},
	"ols":         {responses: regression(FitOLS, RegressionOptions{})},
	"normal":      {responses: regression(FitNormalEquations, RegressionOptions{})},
	"ridge":       {responses: regression(FitRidge, RegressionOptions{Lambda: 1})},
	"lasso":       {responses: regression(FitLasso, RegressionOptions{Lambda: .1})},
	"elastic net": {responses: regression(FitElasticNet, RegressionOptions{Lambda: .1, L1Ratio: .5})},
	"descent": {responses: func(x *linalg.Dense, y, w []float64) error {
		_, err := FitDescent(x, y, &DescentOptions{Weights: w, BFGS: true})
		return err
	}},
}

func regression(fit func(*linalg.Dense, []float64, *RegressionOptions) (*Regression, error), o RegressionOptions) func(x *linalg.Dense, y, w []float64) error {
	return func(x *linalg.Dense, y, w []float64) error {
		o := o
		o.Weights = w
		_, err := fit(x, y, &o)
		return err
	}
}

// run fits labels as they are, or as responses.
func (f anyFit) run(x *linalg.Dense, y []float64, w []float64) error {
	if f.responses != nil {
		return f.responses(x, y, w)
	}
	labels := make([]int, len(y))
	for i, v := range y {
		labels[i] = int(v)
	}
	return f.labels(x, labels, w)
}

// each runs a test for each fit on two clouds that a plane separates.
func each(t *testing.T, test func(t *testing.T, f anyFit, x *linalg.Dense, y []float64)) {
	for name, f := range everyFit {
		t.Run(name, func(t *testing.T) {
			x, y := lt.Normal(31, 12, 2), make([]float64, 12)
			for i := range y {
				y[i] = float64(i % 2)
				x.Row(i)[0] += 9 * y[i]
			}
			if err := f.run(x, y, nil); err != nil {
				t.Fatal(err)
			}
			test(t, f, x, y)
		})
	}
}

// NaN or Inf in x, y, weights: an error with row and column.
func TestNonFiniteInput(t *testing.T) {
	each(t, func(t *testing.T, f anyFit, x *linalg.Dense, y []float64) {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for _, c := range []struct {
				what     string
				row, col int
			}{{"x", 7, 1}, {"x", 0, 0}, {"y", 5, -1}, {"weights", 11, -1}} {
				if c.what == "weights" && f.weightless || c.what == "y" && f.labels != nil || f.one && c.col > 0 {
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
				if !errors.As(err, &e) || e.Row != c.row || e.Col != c.col && !f.one {
					t.Errorf("%g in %s, row %d, column %d: %v", bad, c.what, c.row, c.col, err)
				}
			}
		}
	})
}

// No x, no rows, no columns, more labels than rows: a typed error with both numbers.
func TestEmptyInput(t *testing.T) {
	each(t, func(t *testing.T, f anyFit, x *linalg.Dense, y []float64) {
		for what, c := range map[string]struct {
			x *linalg.Dense
			y []float64
		}{
			"no x": {nil, y}, "no rows": {&linalg.Dense{Cols: 2, Stride: 2}, nil}, "no columns": {&linalg.Dense{Rows: 12}, y},
			"more labels": {x, append(append([]float64(nil), y...), 1)}, "fewer": {x, y[:11]},
		} {
			if f.one && (c.x == nil || c.x.Cols == 0) {
				continue
			}
			var e *linalg.ShapeError
			if err := f.run(c.x, c.y, nil); !errors.As(err, &e) || e.Want == e.Got {
				t.Errorf("%s: %v", what, err)
			}
		}
		if f.weightless {
			return
		}
		var e *linalg.ShapeError
		if err := f.run(x, y, []float64{1, 1}); !errors.As(err, &e) || e.Got != 2 && e.Want != 2 {
			t.Errorf("two weights: %v", err)
		}
	})
}

// One class only, or one whose rows all have weight 0: the same typed error in
// every classifier.
func TestOneClass(t *testing.T) {
	each(t, func(t *testing.T, f anyFit, x *linalg.Dense, y []float64) {
		if f.labels == nil {
			return
		}
		var e *linalg.ClassError
		if err := f.run(x, make([]float64, len(y)), nil); !errors.As(err, &e) || e.Class != 0 {
			t.Errorf("one class: %v", err)
		}
		if f.weightless {
			return
		}
		w := make([]float64, len(y))
		for i, v := range y {
			w[i] = 1 - v
		}
		if err := f.run(x, y, w); !errors.As(err, &e) {
			t.Errorf("the rows of class 1 deleted: %v", err)
		}
	})
}

// With C = 0.01 the rows 0, 1 against 3, 5 are all at their bounds: β = 0.07 and
// the conditions leave −1 ≤ β₀ ≤ 0.65, of which the middle is taken.
func TestSVCWithoutFreeSupportVector(t *testing.T) {
	x, y := mustRows(t, []float64{0}, []float64{1}, []float64{3}, []float64{5}), []int{0, 0, 1, 1}
	m := mustSVC(t, x, y, &SVCOptions{C: .01})
	coef, intercept := m.Coef()
	lt.CloseSlice(t, "plane", []float64{coef.At(0, 0), intercept[0]}, []float64{.07, -.175}, 1e-15)
	lt.CloseSlice(t, "multipliers", m.Machines()[0].Multipliers, []float64{.01, .01, .01, .01}, 0)
	checkSVC(t, x, y, nil, m)
}

// C huge, columns of other units, the same rows with both labels: a result, or
// ErrNotConverged beside one, whose certificate is the recomputed gap.
func TestSVCHugeCUnscaledDuplicates(t *testing.T) {
	x, y := lt.Normal(33, 120, 3), make([]int, 120)
	for i := range y {
		y[i] = i % 2
		if i%3 > 0 && i > 0 {
			copy(x.Row(i), x.Row(i-1))
		}
	}
	for _, units := range [][]float64{{1, 1, 1}, {1e-6, 1, 1e6}} {
		u := x.Clone()
		for i := range y {
			for j, s := range units {
				u.Row(i)[j] *= s
			}
		}
		for _, c := range []float64{1e3, 1e6, 1e12} {
			m, err := FitSVC(u, y, &SVCOptions{C: c})
			if m == nil || err != nil && !errors.Is(err, optimize.ErrNotConverged) || (err == nil) != m.Report().Certificate.Holds() {
				t.Fatalf("units %v, C %g: %v", units, c, err)
			}
			k, err := m.Conditions(0, u, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			gap := math.Abs(k.Primal-k.Dual) / max(1, k.Primal)
			if r := m.Report().Certificate; gap > 2*max(r.Value, r.Tol) || math.IsInf(gap, 0) || gap != gap {
				t.Errorf("units %v, C %g: gap %g, stated %g", units, c, gap, r.Value)
			}
		}
	}
}

// Data that cannot be separated: the end at the cap, with the count of wrong rows.
func TestPerceptronCap(t *testing.T) {
	x, y := lt.Normal(35, 60, 2), make([]int, 60)
	for i := range y {
		y[i] = i % 2
	}
	for _, pocket := range []bool{false, true} {
		m, err := FitPerceptron(x, y, &PerceptronOptions{MaxEpochs: 7, Pocket: pocket})
		if m == nil || !errors.Is(err, optimize.ErrNotConverged) || m.Report().Status != optimize.MaxIterations || m.Report().Iterations != 7 {
			t.Fatalf("pocket %v: %v", pocket, err)
		}
		g, err := m.Plane().Margins(x, y, nil)
		if err != nil || g.Misclassified != m.Misclassified() || m.Misclassified() == 0 {
			t.Errorf("pocket %v: %d rows misclassified, it says %d, %v", pocket, g.Misclassified, m.Misclassified(), err)
		}
	}
}
