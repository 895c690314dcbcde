package hyperplane

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
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
