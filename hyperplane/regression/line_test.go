package regression_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
)

// The line of TestSummaryOnPaper, the exact line of two points, and what one
// point leaves open.
func TestLineOnPaper(t *testing.T) {
	m, err := regression.FitLine([]float64{0, 1, 2, 3}, []float64{1, 3, 2, 6}, nil)
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "line", []float64{m.Plane().Normal()[0], m.Plane().Intercept(), 2 * m.Report().Objective(), m.R2()}, []float64{1.4, .9, 4.2, .7}, 1e-15)
	m, err = regression.FitLine([]float64{1, 3}, []float64{5, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "two points", []float64{m.Plane().Normal()[0], m.Plane().Intercept(), m.Report().Objective()}, []float64{-2, 7, 0}, 1e-15)
	var rank *linalg.RankError
	for _, x := range [][]float64{{4}, {4, 4, 4}, {.1, .1, .1}} {
		if m, err := regression.FitLine(x, make([]float64, len(x)), nil); m != nil || !errors.As(err, &rank) || rank.Rank != 0 {
			t.Errorf("x = %v: %v, %v", x, m, err)
		}
	}
	// Through the origin one point is enough.
	m, err = regression.FitLine([]float64{4}, []float64{6}, &regression.Options{NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "through 0", []float64{m.Plane().Normal()[0], m.Plane().Intercept()}, []float64{1.5, 0}, 0)
}

func TestLineIsOLS(t *testing.T) {
	x, y := lt.Normal(1, 30, 1), lt.Normal(2, 30, 1).Data
	w := lt.Normal(3, 30, 1).Data
	for i := range w {
		w[i] *= w[i]
	}
	for scale, shift := range map[float64]float64{1: 0, 1e-130: 0, 1e130: 1e130, 3: 1e8} {
		for _, o := range []regression.Options{{}, {Weights: w}, {Offset: w}, {Weights: w, Offset: w, NoIntercept: true}} {
			z := x.Clone()
			for i := range z.Data {
				z.Data[i] = scale*z.Data[i] + shift
			}
			m, err := regression.FitLine(z.Data, y, &o)
			if err != nil {
				t.Fatal(err)
			}
			want, err := regression.FitOLS(z, y, &o)
			if err != nil {
				t.Fatal(err)
			}
			lt.Close(t, fmt.Sprintf("slope at scale %g", scale), m.Plane().Normal()[0]*scale, want.Plane().Normal()[0]*scale, 1e-12)
			lt.Close(t, "offset", atOrigin(m), atOrigin(want), 1e-12)
		}
	}
}

func TestLineRefuses(t *testing.T) {
	var shape *linalg.ShapeError
	var finite *linalg.NonFiniteError
	var option *sample.OptionError
	for name, c := range map[string]struct {
		x, y []float64
		o    regression.Options
		as   any
	}{
		"empty":   {nil, nil, regression.Options{}, &shape},
		"lengths": {[]float64{1, 2}, []float64{1}, regression.Options{}, &shape},
		"NaN":     {[]float64{1, math.NaN()}, []float64{1, 2}, regression.Options{}, &finite},
		"lambda":  {[]float64{1, 2}, []float64{1, 2}, regression.Options{Lambda: 1}, &option},
		"minnorm": {[]float64{1, 2}, []float64{1, 2}, regression.Options{MinNorm: true}, &option},
	} {
		if m, err := regression.FitLine(c.x, c.y, &c.o); m != nil || !errors.As(err, c.as) {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}

func ExampleFitLine() {
	m, err := regression.FitLine([]float64{1, 3}, []float64{5, 1}, nil)
	if err != nil {
		panic(err)
	}
	coef, intercept := m.Coef()
	fmt.Printf("%.3f %.3f %.3f\n", coef.At(0, 0), intercept[0], m.Predict([]float64{2}))
	// Output: -2.000 7.000 3.000
}
