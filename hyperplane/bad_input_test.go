package hyperplane

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// fits are the fits of the package.
var fits = map[string]lt.AnyFit{
	"svc": {Labels: func(x *linalg.Dense, y []int, w []float64) error {
		_, err := FitSVC(x, y, &SVCOptions{Weights: w})
		return err
	}},
	"svc path": {Labels: func(x *linalg.Dense, y []int, w []float64) error {
		_, err := SVCPath(x, y, []float64{1, 10}, &SVCOptions{Weights: w})
		return err
	}},
	"hard margin": {Labels: func(x *linalg.Dense, y []int, w []float64) error {
		_, err := FitHardMargin(x, y, &HardMarginOptions{Weights: w})
		return err
	}},
	"perceptron": {Weightless: true, Labels: func(x *linalg.Dense, y []int, _ []float64) error {
		_, err := FitPerceptron(x, y, nil)
		return err
	}},
	"kozinec": {Weightless: true, Labels: func(x *linalg.Dense, y []int, _ []float64) error {
		_, err := FitKozinec(x, y, nil)
		return err
	}},
	"svr": {Responses: func(x *linalg.Dense, y, w []float64) error {
		_, err := FitSVR(x, y, &SVROptions{Weights: w})
		return err
	}},
}

// NaN and Inf, empty data, lengths that differ, one class: typed errors.
func TestBadInput(t *testing.T) { lt.RefusesBadInput(t, fits) }

// Numbers whose squares could leave the range of floating point are named, with the
// way out; in a row of weight 0 they do not matter.
func TestNumbersOutOfRange(t *testing.T) {
	for name, f := range fits {
		for _, bad := range []float64{1e140, -1e200, 1e-140, 5e-324} {
			x, y, w := lt.Normal(31, 12, 2), make([]int, 12), make([]float64, 12)
			for i := range y {
				y[i], w[i] = i%2, 1
				x.Row(i)[0] += 9 * float64(y[i])
			}
			fit := func(w []float64) error {
				if f.Labels != nil {
					return f.Labels(x, y, w)
				}
				return f.Responses(x, x.Col(nil, 0), w)
			}
			x.Row(5)[1] = bad
			var e *linalg.RangeError
			if err := fit(nil); !errors.As(err, &e) || e.What != "x" || e.Row != 5 || e.Column != 1 || e.Value != bad {
				t.Errorf("%s, %g in x: %v", name, bad, err)
			}
			if f.Weightless {
				continue
			}
			if w[5] = 0; fit(w) != nil {
				t.Errorf("%s, %g in a row of weight 0: %v", name, bad, fit(w))
			}
			x.Row(5)[1], w[5] = 1, math.Abs(bad)
			if err := fit(w); !errors.As(err, &e) || e.What != "weights" || e.Row != 5 {
				t.Errorf("%s, a weight of %g: %v", name, w[5], err)
			}
		}
	}
}

// With C = 0.01 the rows 0, 1 against 3, 5 are all at their bounds: β = 0.07 and
// the conditions leave −1 ≤ β₀ ≤ 0.65, of which the middle is taken.
func TestSVCWithoutFreeSupportVector(t *testing.T) {
	x, y := lt.Rows(t, []float64{0}, []float64{1}, []float64{3}, []float64{5}), []int{0, 0, 1, 1}
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
			if m == nil || err != nil && !errors.Is(err, optimize.ErrNotConverged) || (err == nil) != m.Report().Certificate().Holds() {
				t.Fatalf("units %v, C %g: %v", units, c, err)
			}
			k, err := m.Conditions(0, u, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			gap := math.Abs(k.Primal-k.Dual) / max(1, k.Primal)
			if r := m.Report().Certificate(); gap > 2*max(r.Value, r.Tol) || math.IsInf(gap, 0) || gap != gap {
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
		if m == nil || !errors.Is(err, optimize.ErrNotConverged) || m.Report().Status() != optimize.MaxIterations || m.Report().Iterations() != 7 {
			t.Fatalf("pocket %v: %v", pocket, err)
		}
		g, err := m.Plane().Margins(x, y, nil)
		if err != nil || g.Misclassified != m.Misclassified() || m.Misclassified() == 0 {
			t.Errorf("pocket %v: %d rows misclassified, it says %d, %v", pocket, g.Misclassified, m.Misclassified(), err)
		}
	}
}
