package logistic_test

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
	"halfspace/optimize"
)

func TestBadInput(t *testing.T) {
	x := linalgtest.Normal(1, 20, 2)
	y := make([]int, 20)
	for i := range y {
		y[i] = i * 7 % 5 % 2
	}
	with := func(i, j int, v float64) *linalg.Dense {
		c := x.Clone()
		c.Set(i, j, v)
		return c
	}
	vector := func(v float64) []float64 {
		w := make([]float64, 20)
		for i := range w {
			w[i] = 1
		}
		w[3] = v
		return w
	}
	many, distinct := linalg.Zeros(24_000, 1), make([]int, 24_000)
	for i := range distinct {
		distinct[i], many.Data[i] = i, float64(i%7)
	}
	for _, c := range []struct {
		name string
		x    linalg.Rows
		y    []int
		o    *logistic.Options
		is   func(error) bool
	}{
		{"nil", nil, y, nil, lt.Is[*linalg.ShapeError]},
		{"no rows", &linalg.Dense{}, nil, nil, lt.Is[*linalg.ShapeError]},
		{"no columns", &linalg.Dense{Rows: 20}, y, nil, lt.Is[*linalg.ShapeError]},
		{"labels", x, y[1:], nil, lt.Is[*linalg.ShapeError]},
		{"NaN", with(3, 1, math.NaN()), y, nil, lt.Is[*linalg.NonFiniteError]},
		{"Inf", with(3, 1, math.Inf(-1)), y, nil, lt.Is[*linalg.NonFiniteError]},
		{"one class", x, make([]int, 20), nil, lt.Is[*linalg.ClassError]},
		{"class without rows", x, y, &logistic.Options{Classes: []int{0, 1, 2}}, lt.Is[*linalg.ClassError]},
		{"weights", x, y, &logistic.Options{Weights: vector(1)[1:]}, lt.Is[*linalg.ShapeError]},
		{"negative weight", x, y, &logistic.Options{Weights: vector(-1)}, lt.Is[*linalg.WeightError]},
		{"NaN weight", x, y, &logistic.Options{Weights: vector(math.NaN())}, lt.Is[*linalg.NonFiniteError]},
		{"offsets", x, y, &logistic.Options{Offset: vector(1)[1:]}, lt.Is[*linalg.ShapeError]},
		{"NaN offset", x, y, &logistic.Options{Offset: vector(math.NaN())}, lt.Is[*linalg.NonFiniteError]},
		{"start", x, y, &logistic.Options{Start: make([]float64, 2)}, lt.Is[*linalg.ShapeError]},
		{"NaN start", x, y, &logistic.Options{Start: []float64{0, math.NaN(), 0}}, lt.Is[*linalg.NonFiniteError]},
		{"Lambda", x, y, &logistic.Options{Lambda: -1}, lt.Is[*sample.OptionError]},
		{"NaN Lambda", x, y, &logistic.Options{Lambda: math.NaN()}, lt.Is[*sample.OptionError]},
		{"L1Ratio", x, y, &logistic.Options{L1Ratio: 1.5}, lt.Is[*sample.OptionError]},
		{"Tol", x, y, &logistic.Options{Tol: -1}, lt.Is[*sample.OptionError]},
		{"MaxIter", x, y, &logistic.Options{MaxIter: -1}, lt.Is[*sample.OptionError]},
		{"Workers", x, y, &logistic.Options{Workers: -1}, lt.Is[*sample.OptionError]},
		{"Firth of more columns than rows", linalg.Zeros(20, 4000), y, &logistic.Options{Firth: true}, lt.Is[*linalg.RankError]},
		{"Firth of too many features", linalg.Zeros(20, 1<<20), y, &logistic.Options{Firth: true}, lt.Is[*linalg.SizeError]},
		{"too many classes", many, distinct, nil, lt.Is[*linalg.SizeError]},
		{"too many classes for a ridge", many, distinct, &logistic.Options{Lambda: 1}, lt.Is[*linalg.SizeError]},
		{"factors", x, y, &logistic.Options{PenaltyFactor: []float64{1}}, lt.Is[*linalg.ShapeError]},
		{"negative factor", x, y, &logistic.Options{PenaltyFactor: []float64{1, -1}}, lt.Is[*sample.OptionError]},
	} {
		m, err := logistic.Fit(c.x, c.y, c.o)
		if !c.is(err) || m != nil {
			t.Errorf("%s: model %v, error %v", c.name, m, err)
		}
	}
	var e *linalg.NonFiniteError
	if _, err := logistic.Fit(with(3, 1, math.NaN()), y, nil); !errors.As(err, &e) || e.Row != 3 || e.Col != 1 {
		t.Error(err)
	}
}

func TestDependentColumns(t *testing.T) {
	base := linalgtest.Normal(2, 60, 3)
	y := make([]int, 60)
	for i := range y {
		y[i] = i % 2
	}
	for _, c := range []struct {
		name string
		make func(row []float64) float64
		cols []int
	}{
		{"zero", func([]float64) float64 { return 0 }, []int{3}},
		{"constant", func([]float64) float64 { return 0.1 }, []int{3}},
		{"large constant", func([]float64) float64 { return 1e8 }, []int{3}},
		{"copy", func(r []float64) float64 { return r[1] }, []int{3}},
		{"combination", func(r []float64) float64 { return 1e6 * (r[0] + 2*r[2] - 1) }, []int{3}},
	} {
		x := linalg.Zeros(60, 4)
		for i := range x.Rows {
			copy(x.Row(i), base.Row(i))
			x.Set(i, 3, c.make(base.Row(i)))
		}
		_, err := logistic.Fit(x, y, nil)
		var e *linalg.RankError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if e.Rank != 3 || e.P != 4 || len(e.Columns) != 1 {
			t.Errorf("%s: %v", c.name, e)
		}
		if m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1}); err != nil || !m.Report().Certificate().Holds() {
			t.Errorf("%s with a ridge: %v", c.name, err)
		}
		if m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1, Standardize: true}); err != nil || !m.Report().Certificate().Holds() {
			t.Errorf("%s with a standardised ridge: %v", c.name, err)
		}
	}
	x := linalgtest.Normal(3, 10, 20)
	if _, err := logistic.Fit(x, y[:10], nil); !lt.Is[*linalg.RankError](err) {
		t.Errorf("n < p: %v", err)
	}
}

// Columns that are more than the rows are dependent: that is known before any step.
func TestMoreColumnsThanRowsTakeNoSteps(t *testing.T) {
	x, y := linalgtest.Normal(3, 40, 60), make([]int, 40)
	for i := range y {
		y[i] = i % 2
	}
	o := &logistic.Options{Trace: func(optimize.Step) error {
		t.Error("a step was made")
		return nil
	}}
	if _, err := logistic.Fit(x, y, o); !lt.Is[*linalg.RankError](err) {
		t.Errorf("error %v", err)
	}
}
