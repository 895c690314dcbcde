package logistic

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

func asError[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

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
	for _, c := range []struct {
		name string
		x    linalg.Rows
		y    []int
		o    *Options
		is   func(error) bool
	}{
		{"nil", nil, y, nil, asError[*linalg.ShapeError]},
		{"no rows", &linalg.Dense{}, nil, nil, asError[*linalg.ShapeError]},
		{"no columns", &linalg.Dense{Rows: 20}, y, nil, asError[*linalg.ShapeError]},
		{"labels", x, y[1:], nil, asError[*linalg.ShapeError]},
		{"NaN", with(3, 1, math.NaN()), y, nil, asError[*linalg.NonFiniteError]},
		{"Inf", with(3, 1, math.Inf(-1)), y, nil, asError[*linalg.NonFiniteError]},
		{"one class", x, make([]int, 20), nil, asError[*linalg.ClassError]},
		{"class without rows", x, y, &Options{Classes: []int{0, 1, 2}}, asError[*linalg.ClassError]},
		{"weights", x, y, &Options{Weights: vector(1)[1:]}, asError[*linalg.ShapeError]},
		{"negative weight", x, y, &Options{Weights: vector(-1)}, asError[*linalg.WeightError]},
		{"NaN weight", x, y, &Options{Weights: vector(math.NaN())}, asError[*linalg.NonFiniteError]},
		{"offsets", x, y, &Options{Offset: vector(1)[1:]}, asError[*linalg.ShapeError]},
		{"NaN offset", x, y, &Options{Offset: vector(math.NaN())}, asError[*linalg.NonFiniteError]},
		{"start", x, y, &Options{Start: make([]float64, 2)}, asError[*linalg.ShapeError]},
		{"NaN start", x, y, &Options{Start: []float64{0, math.NaN(), 0}}, asError[*linalg.NonFiniteError]},
		{"Lambda", x, y, &Options{Lambda: -1}, asError[*sample.OptionError]},
		{"NaN Lambda", x, y, &Options{Lambda: math.NaN()}, asError[*sample.OptionError]},
		{"L1Ratio", x, y, &Options{L1Ratio: 1.5}, asError[*sample.OptionError]},
		{"Tol", x, y, &Options{Tol: -1}, asError[*sample.OptionError]},
		{"MaxIter", x, y, &Options{MaxIter: -1}, asError[*sample.OptionError]},
		{"Workers", x, y, &Options{Workers: -1}, asError[*sample.OptionError]},
		{"Firth of many features", linalg.Zeros(20, 301), y, &Options{Firth: true}, asError[*sample.OptionError]},
		{"factors", x, y, &Options{PenaltyFactor: []float64{1}}, asError[*linalg.ShapeError]},
		{"negative factor", x, y, &Options{PenaltyFactor: []float64{1, -1}}, asError[*sample.OptionError]},
	} {
		m, err := Fit(c.x, c.y, c.o)
		if !c.is(err) || m != nil {
			t.Errorf("%s: model %v, error %v", c.name, m, err)
		}
	}
	var e *linalg.NonFiniteError
	if _, err := Fit(with(3, 1, math.NaN()), y, nil); errors.As(err, &e) && (e.Row != 3 || e.Col != 1) {
		t.Errorf("row %d, column %d", e.Row, e.Col)
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
		_, err := Fit(x, y, nil)
		var e *linalg.RankError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if e.Rank != 3 || e.P != 4 || len(e.Columns) != 1 {
			t.Errorf("%s: %v", c.name, e)
		}
		if m, err := Fit(x, y, &Options{Lambda: 1}); err != nil || !m.Report().Certificate().Holds() {
			t.Errorf("%s with a ridge: %v", c.name, err)
		}
		if m, err := Fit(x, y, &Options{Lambda: 1, Standardize: true}); err != nil || !m.Report().Certificate().Holds() {
			t.Errorf("%s with a standardised ridge: %v", c.name, err)
		}
	}
	x := linalgtest.Normal(3, 10, 20)
	if _, err := Fit(x, y[:10], nil); !asError[*linalg.RankError](err) {
		t.Errorf("n < p: %v", err)
	}
}

func TestTraceStops(t *testing.T) {
	x, y := irisPair(t)
	stop := errors.New("enough")
	calls := 0
	m, err := Fit(x, y, &Options{Trace: func(s optimize.Step) error {
		calls++
		if s.Iteration == 2 {
			return stop
		}
		return nil
	}})
	if !errors.Is(err, stop) || !errors.Is(err, optimize.ErrNotConverged) || m == nil || calls != 3 {
		t.Errorf("model %v, error %v after %d calls", m, err, calls)
	}
	m, err = Fit(x, y, &Options{MaxIter: 1})
	if !errors.Is(err, optimize.ErrNotConverged) || m == nil || m.Report().Status() != optimize.MaxIterations {
		t.Errorf("model %v, error %v", m, err)
	}
}
