package inference_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/logistic"
	"halfspace/logistic/inference"
	lt "halfspace/logistic/internal/logistictest"
)

func TestNoInference(t *testing.T) {
	x, y := lt.IrisPair(t)
	for _, o := range []*logistic.Options{{Lambda: 1}, {Lambda: 1, L1Ratio: 1}} {
		if _, err := inference.Of(lt.MustFit(t, x, y, o), x, y, o); !errors.Is(err, inference.ErrNoInference) {
			t.Errorf("λ = %g: %v", o.Lambda, err)
		}
	}
	m := lt.MustFit(t, x, y, nil)
	y[0], y[60] = y[60], y[0]
	if _, err := inference.Of(m, x, y, nil); !errors.Is(err, inference.ErrNoInference) {
		t.Errorf("other labels: %v", err)
	}
	if _, err := inference.Of(m, lt.First(x, 2), y, nil); !lt.Is[*linalg.ShapeError](err) {
		t.Errorf("two columns: %v", err)
	}
	for i := range y {
		y[i] += 5
	}
	if _, err := inference.Of(m, x, y, nil); !lt.Is[*linalg.ClassError](err) {
		t.Errorf("labels of other classes: %v", err)
	}
	x3, y3 := lt.Several(t, "iris")
	if _, err := fitAndInfer(t, x3, y3, nil).Residuals(); !lt.Is[*linalg.ShapeError](err) {
		t.Errorf("residuals of three classes: %v", err)
	}
}

// The rows need not be those of the fit, as long as the model maximises their likelihood.
func TestOtherRowsOfTheSameMaximum(t *testing.T) {
	x, y := lt.IrisPair(t)
	m := lt.MustFit(t, x, y, nil)
	twice, labels := linalg.Zeros(2*x.Rows, x.Cols), slices.Concat(y, y)
	for i := range twice.Rows {
		copy(twice.Row(i), x.Row(i%x.Rows))
	}
	one, two := mustInfer(t, m, x, y, nil), mustInfer(t, m, twice, labels, nil)
	for i, se := range one.SE {
		linalgtest.Close(t, "standard error", two.SE[i], se/math.Sqrt2, 1e-10)
	}
	if _, err := inference.Of(m, x, y, &logistic.Options{NoIntercept: true}); !errors.Is(err, inference.ErrNoInference) {
		t.Errorf("without the intercept of the fit: %v", err)
	}
	w := make([]float64, x.Rows)
	for i := range w {
		w[i] = float64(1 + i%2)
	}
	if _, err := inference.Of(m, x, y, &logistic.Options{Weights: w}); !errors.Is(err, inference.ErrNoInference) {
		t.Errorf("other weights: %v", err)
	}
}

// A level has no default, and a term is one of the model's.
func TestLevelsAndTerms(t *testing.T) {
	x, y := lt.IrisPair(t)
	inf := fitAndInfer(t, x, y, nil)
	for _, level := range []float64{0, 1, -0.5, 95, math.NaN()} {
		if _, _, err := inf.Profile(0, level); !lt.Is[*sample.OptionError](err) {
			t.Errorf("profile of level %g: %v", level, err)
		}
		lo, hi := inf.Wald(level)
		switch {
		case level == 0:
			linalgtest.CloseSlice(t, "intervals of level 0", append(lo, hi...), slices.Concat(inf.Estimate, inf.Estimate), 0)
		case level == 1:
			if !math.IsInf(lo[0], -1) || !math.IsInf(hi[0], 1) {
				t.Errorf("interval of level 1: %g … %g", lo[0], hi[0])
			}
		case lo[0] == lo[0] || hi[0] == hi[0]:
			t.Errorf("interval of level %g: %g … %g", level, lo[0], hi[0])
		}
	}
	for _, term := range []int{-1, len(inf.Terms)} {
		if _, _, err := inf.Profile(term, 0.95); !lt.Is[*linalg.ShapeError](err) {
			t.Errorf("profile of term %d: %v", term, err)
		}
	}
	if _, err := inf.Drop([][]int{{0}, {x.Cols}}); !lt.Is[*linalg.ShapeError](err) {
		t.Errorf("a column that is not there dropped: %v", err)
	}
	if tests, err := inf.Drop([][]int{{0}, {}}); !lt.Is[*linalg.ShapeError](err) {
		t.Errorf("no column dropped: %v, %v", tests, err)
	}
}

// Columns to add are checked as those of a fit.
func TestScoreOfBadColumns(t *testing.T) {
	x, y := lt.IrisPair(t)
	inf := fitAndInfer(t, lt.First(x, 3), y, nil)
	column := func(v float64) *linalg.Dense {
		z := linalg.Zeros(x.Rows, 1)
		x.Col(z.Data, 3)
		z.Data[7] = v
		return z
	}
	var finite *linalg.NonFiniteError
	if _, err := inf.Score(column(math.NaN())); !errors.As(err, &finite) || finite.Row != 7 || finite.Col != 0 {
		t.Errorf("NaN: %v", err)
	}
	var large *linalg.RangeError
	if _, err := inf.Score(column(1e300)); !errors.As(err, &large) || large.Row != 7 || large.Column != 0 {
		t.Errorf("1e300: %v", err)
	}
	if _, err := inf.Score(column(1).RowRange(1, x.Rows)); !lt.Is[*linalg.ShapeError](err) {
		t.Errorf("a row less: %v", err)
	}
	if _, err := fitAndInfer(t, x, y, &logistic.Options{Firth: true}).Score(column(1)); !errors.Is(err, inference.ErrNoInference) {
		t.Errorf("Firth: %v", err)
	}
}

// Weights that sum to 1 are no repeated rows: standard errors would be those of one.
func TestTooLittleWeightIsRefused(t *testing.T) {
	x := linalgtest.Rows(t, []float64{-3}, []float64{-2}, []float64{-1}, []float64{0.5}, []float64{1}, []float64{2})
	y, shares := []int{0, 0, 1, 0, 1, 1}, slices.Repeat([]float64{1. / 6}, 6)
	for _, scale := range []float64{1, 13} {
		o := &logistic.Options{Weights: slices.Clone(shares)}
		linalg.Scale(o.Weights, scale)
		inf, err := inference.Of(lt.MustFit(t, x, y, o), x, y, o)
		var e *sample.OptionError
		if refused := errors.As(err, &e) && inf == nil; refused != (scale == 1) || !refused && err != nil {
			t.Errorf("%g: %v, %v", scale, inf, err)
		}
	}
}
