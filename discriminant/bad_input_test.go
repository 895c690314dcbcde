package discriminant_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/linalg/sample"
)

// NaN or Inf in x or weights; empty x, p = 0, rows ≠ labels; one class only.
func TestBadInput(t *testing.T) {
	x, y := iris(t)
	with := func(i, j int, v float64) *linalg.Dense {
		c := x.Clone()
		c.Set(i, j, v)
		return c
	}
	ones := func() []float64 { return slices.Repeat([]float64{1}, x.Rows) }
	weights := func(i int, v float64) *discriminant.Options {
		w := ones()
		w[i] = v
		return &discriminant.Options{Weights: w}
	}
	var (
		shape  *linalg.ShapeError
		finite *linalg.NonFiniteError
		class  *linalg.ClassError
		weight *linalg.WeightError
		option *sample.OptionError
	)
	for name, c := range map[string]struct {
		x      *linalg.Dense
		y      []int
		o      *discriminant.Options
		target any
		text   string
	}{
		"NaN in x":              {with(17, 2, math.NaN()), y, nil, &finite, "row 17, column 2"},
		"infinity in x":         {with(149, 0, math.Inf(1)), y, nil, &finite, "row 149, column 0"},
		"-infinity in x":        {with(0, 3, math.Inf(-1)), y, nil, &finite, "row 0, column 3 is -Inf"},
		"NaN at weight 0":       {with(17, 2, math.NaN()), y, weights(17, 0), &finite, "row 17, column 2"},
		"infinity at weight 0":  {with(17, 2, math.Inf(1)), y, weights(17, 0), &finite, "row 17, column 2"},
		"NaN in weights":        {x, y, weights(3, math.NaN()), &finite, "weights: row 3"},
		"infinity in weights":   {x, y, weights(3, math.Inf(1)), &finite, "weights: row 3"},
		"-infinity in weights":  {x, y, weights(3, math.Inf(-1)), &finite, "weights: row 3"},
		"weights that overflow": {x, y, &discriminant.Options{Weights: slices.Repeat([]float64{1e307}, x.Rows)}, &finite, "weights summed up"},
		"negative weight":       {x, y, weights(4, -2), &weight, "row 4 is -2"},
		"weights missing":       {x, y, &discriminant.Options{Weights: ones()[1:]}, &shape, "150 rows but 149 weights"},
		"all weights 0":         {x, y, &discriminant.Options{Weights: make([]float64, x.Rows)}, &shape, "positive weight"},
		"labels missing":        {x, y[1:], nil, &shape, "150 rows but 149 labels"},
		"no rows":               {&linalg.Dense{Cols: 4, Stride: 4}, nil, nil, &shape, "0 rows"},
		"no columns":            {&linalg.Dense{Rows: 150}, y, nil, &shape, "0 columns"},
		"no matrix":             {nil, y, nil, &shape, "0 rows"},
		"one class":             {x, make([]int, x.Rows), nil, &class, "class 0 (150 rows) is the only class"},
		"one class by weights":  {x, y, &discriminant.Options{Weights: append(slices.Repeat([]float64{1}, 50), make([]float64, 100)...)}, &class, "class 0 (50 rows) is the only class"},
		"a class without rows":  {x, y, &discriminant.Options{Classes: []int{0, 1, 2, 3}}, &class, "class 3 (0 rows) has no rows"},
		"a class not listed":    {x, y, &discriminant.Options{Classes: []int{0, 1}}, &class, "class 2 (50 rows) is not in the list"},
		"a class listed twice":  {x, y, &discriminant.Options{Classes: []int{0, 1, 1, 2}}, &class, "must ascend"},
		"classes in disorder":   {x, y, &discriminant.Options{Classes: []int{1, 0, 2}}, &class, "must ascend"},
		"negative Workers":      {x, y, &discriminant.Options{Workers: -1}, &option, "Workers is -1"},
		"too few labels by one": {x.RowRange(0, 149), y, nil, &shape, "149 rows but 150 labels"},
	} {
		for method, fit := range fits {
			m, err := fit(c.x, c.y, c.o)
			if !errors.As(err, c.target) || !strings.Contains(err.Error(), c.text) || !strings.HasPrefix(err.Error(), "discriminant: ") {
				t.Errorf("%s: %s: %v", method, name, err)
			}
			if strings.Count(err.Error(), "discriminant: ") != 1 {
				t.Errorf("%s: %s: wrapped twice: %v", method, name, err)
			}
			if !isNil(m) {
				t.Errorf("%s: %s: a model came with the error", method, name)
			}
		}
	}
	for name, o := range map[string]*discriminant.Options{
		"Priors do not sum to 1": {Priors: []float64{.3, .3, .3}}, "Priors sum to 1.00001": {Priors: []float64{.3, .3, .40001}}, "a prior of 0": {Priors: []float64{0, .5, .5}},
		"NaN prior": {Priors: []float64{math.NaN(), .5, .5}}, "infinite prior": {Priors: []float64{.5, math.Inf(1), .5}}, "infinite ridge": {Ridge: math.Inf(1)}, "negative ridge": {Ridge: -1}, "NaN ridge": {Ridge: math.NaN()},
		"alpha above 1": {Alpha: 1.5}, "NaN alpha": {Alpha: math.NaN()}, "negative shrinkage": {Shrinkage: -0.1}, "negative rank": {Rank: -1},
		"divisor": {Divisor: 7}, "two kinds of priors": {Priors: []float64{.2, .3, .5}, Uniform: true},
	} {
		for _, method := range []string{"lda", "qda", "rda", "rrlda"} {
			if _, err := strict[method](x, y, o); !errors.As(err, &option) {
				t.Errorf("%s: %s: %v", method, name, err)
			}
		}
	}
	if _, err := discriminant.FitLDA(x, y, &discriminant.Options{Priors: []float64{.5, .5}}); !errors.As(err, &shape) {
		t.Errorf("two priors for three classes: %v", err)
	}
	if _, err := discriminant.FitLDA(x, y, &discriminant.Options{Costs: linalg.Zeros(2, 3)}); err == nil {
		t.Error("costs of the wrong shape")
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		costs := linalg.Zeros(3, 3)
		costs.Set(1, 2, v)
		if _, err := discriminant.FitLDA(x, y, &discriminant.Options{Costs: costs}); !errors.As(err, &finite) {
			t.Errorf("%v in costs: %v", v, err)
		}
	}
	if _, err := discriminant.FitReducedRank(x, y, &discriminant.Options{Rank: 3}); !errors.As(err, &option) {
		t.Errorf("rank 3 of 2: %v", err)
	}
}

// A number that no fit takes is named with its row and column.
func TestNumbersOutOfRangeAreNamed(t *testing.T) {
	for method, fit := range fits {
		x, y := gaussians(31, 60, 2, 3, 1)
		w := slices.Repeat([]float64{1}, 60)
		for _, v := range []float64{1e200, -1e-200} {
			x.Set(17, 1, v)
			var e *linalg.RangeError
			if _, err := fit(x, y, nil); !errors.As(err, &e) || *e != (linalg.RangeError{What: "x", Row: 17, Column: 1, Value: v}) {
				t.Errorf("%s: %v", method, err)
			}
			x.Set(17, 1, 0.5)
			w[8] = math.Abs(v)
			if _, err := fit(x, y, &discriminant.Options{Weights: w}); !errors.As(err, &e) || *e != (linalg.RangeError{What: "weights", Row: 8, Value: w[8]}) {
				t.Errorf("%s: %v", method, err)
			}
			w[8] = 1
		}
	}
}

func TestMomentsOfNothing(t *testing.T) {
	empty, _ := moments.New(2, false)
	for _, m := range []*moments.ByClass{nil, empty} {
		_, a := discriminant.LDAFromMoments(m, nil)
		_, b := discriminant.QDAFromMoments(m, nil)
		_, c := discriminant.RDAFromMoments(m, nil)
		_, d := discriminant.ReducedRankFromMoments(m, nil)
		_, _, _, e := discriminant.Decompose(m)
		for _, err := range []error{a, b, c, d, e} {
			if err == nil {
				t.Errorf("%v: a model", m)
			}
		}
	}
}

func TestWrongRowLengthPanics(t *testing.T) {
	x, y := iris(t)
	for method, fit := range fits {
		m, err := fit(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := m.(interface {
			classifier
			Scores(dst, row []float64) []float64
		})
		for name, call := range map[string]func(){
			"Scores": func() { c.Scores(nil, []float64{1, 2, 3}) }, "Proba": func() { c.Proba(nil, nil) }, "Predict": func() { c.Predict(make([]float64, 5)) },
		} {
			func() {
				defer func() {
					if s, ok := recover().(string); !ok || !strings.Contains(s, "the model has 4 features") {
						t.Errorf("%s.%s: panic %v", method, name, s)
					}
				}()
				call()
			}()
		}
		var shape *linalg.ShapeError
		if _, err := c.PredictRows(nil, linalg.Zeros(2, 3)); !errors.As(err, &shape) {
			t.Errorf("%s.PredictRows: %v", method, err)
		}
		if _, err := c.PredictRows(nil, nil); !errors.As(err, &shape) {
			t.Errorf("%s.PredictRows: %v", method, err)
		}
		for _, v := range c.Scores(nil, []float64{1, math.NaN(), 2, 3}) {
			if v == v {
				t.Errorf("%s: a NaN scored %v", method, v)
			}
		}
	}
}
