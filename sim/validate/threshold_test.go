package validate_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/validate"
)

func must(t *testing.T) func(validate.Cut, error) validate.Cut {
	return func(c validate.Cut, err error) validate.Cut {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

// Errors that differ by the rounding of their sums are equal: the scale of weights moves no cut.
func TestCutsOfScaledWeights(t *testing.T) {
	for seed := range uint64(200) {
		f, z := linalgtest.Normal(seed, 30, 1).Data, linalgtest.Normal(seed+1000, 30, 1).Data
		y := make([]int, 30)
		for i := range y {
			if f[i]+2*z[i] > 0 {
				y[i] = 1
			}
		}
		one, tenth := must(t)(validate.BestCut(f, y, slices.Repeat([]float64{1}, 30))), must(t)(validate.BestCut(f, y, slices.Repeat([]float64{0.1}, 30)))
		if one.At != tenth.At {
			t.Errorf("seed %d: %v and %v", seed, one, tenth)
		}
	}
}

func logOdds(m sim.Classifier, row []float64) float64 {
	s := m.Scores(nil, row)
	return s[1] - s[0]
}

func TestBestCut(t *testing.T) {
	x, y := linalgtest.LabeledRows(200, 3, 2)
	for i := range y {
		if i%2 == 1 && i < 120 {
			y[i] = 0
		}
	}
	l, err := discriminant.FitLDA(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, w := make([]float64, x.Rows), make([]float64, x.Rows)
	for i := range f {
		f[i] = math.Round(10*logOdds(l, x.Row(i))) / 10 // ties
		w[i] = float64(i % 4)
	}
	for _, weights := range [][]float64{nil, w} {
		cut := must(t)(validate.BestCut(f, y, weights))
		errorAt := func(c float64) float64 {
			wrong, total := 0.0, 0.0
			for i, v := range f {
				wi := 1.0
				if weights != nil {
					wi = weights[i]
				}
				total += wi
				if (v > c) != (y[i] == 1) {
					wrong += wi
				}
			}
			return wrong / total
		}
		linalgtest.Close(t, "error at the cut", cut.Error, errorAt(cut.At), 1e-15)
		for c := -10.0; c < 10; c += 0.03 {
			if errorAt(c) < cut.Error {
				t.Fatalf("error %v at %v, %v at %v", cut.Error, cut.At, errorAt(c), c)
			}
		}
	}
	one := must(t)(validate.BestCut([]float64{1, 2, 5, 6}, []int{3, 3, 9, 9}, nil))
	if one != (validate.Cut{At: 3.5}) {
		t.Errorf("cut %+v, want 3.5 without error", one)
	}
	widest := must(t)(validate.BestCut([]float64{0, 1, 5, 9}, []int{3, 9, 3, 9}, nil))
	if widest != (validate.Cut{At: 7, Error: .25}) {
		t.Errorf("cut %+v, want 7 in the widest gap", widest)
	}
	// Fractional weights leave no rounding where no row is wrong.
	apart := must(t)(validate.BestCut([]float64{1, 2, 3, 4, 5}, []int{3, 3, 3, 9, 9}, []float64{.1, .2, .3, .1, .7}))
	if apart != (validate.Cut{At: 3.5}) {
		t.Errorf("cut %+v, want 3.5 without error", apart)
	}
	// Neighbouring and extreme scores are still told apart, and one class may take all.
	for _, c := range []struct {
		f     []float64
		y     []int
		wrong float64
	}{
		{[]float64{1, math.Nextafter(1, 2)}, []int{0, 1}, 0},
		{[]float64{math.Nextafter(1, 2), math.Nextafter(1, 3) + 0x1p-52}, []int{0, 1}, 0},
		{[]float64{-math.MaxFloat64, math.MaxFloat64}, []int{0, 1}, 0},
		{[]float64{1e300, 1e300, 1e300}, []int{0, 1, 1}, 1. / 3},
		{[]float64{5, 4, 3, 2}, []int{1, 0, 0, 0}, 0},
		{[]float64{1, 2, 3, 4}, []int{1, 0, 0, 0}, 1. / 4},
	} {
		cut := must(t)(validate.BestCut(c.f, c.y, nil))
		wrong := 0.0
		for i, v := range c.f {
			if (v > cut.At) != (c.y[i] == 1) {
				wrong++
			}
		}
		if linalgtest.Close(t, "error", cut.Error, c.wrong, 1e-15); wrong/float64(len(c.f)) != cut.Error {
			t.Errorf("%v: cut at %v errs on %v, not %v", c.f, cut.At, wrong, cut.Error)
		}
	}
	for name, f := range map[string]func() (validate.Cut, error){
		"three classes": func() (validate.Cut, error) { return validate.BestCut([]float64{1, 2, 3}, []int{0, 1, 2}, nil) },
		"one class":     func() (validate.Cut, error) { return validate.BestCut([]float64{1, 2}, []int{3, 3}, nil) },
		"NaN": func() (validate.Cut, error) {
			return validate.BestCut([]float64{1, math.NaN()}, []int{0, 1}, nil)
		},
		"labels": func() (validate.Cut, error) { return validate.BestCut([]float64{1, 2}, []int{0}, nil) },
		"weights": func() (validate.Cut, error) {
			return validate.BestCut([]float64{1, 2}, []int{0, 1}, []float64{1, -1})
		},
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The threshold of least cost errs least at those prices, on the rows that it was
// chosen on, and predicts as it scores.
func TestBestThresholdHasTheLeastCost(t *testing.T) {
	x, y := linalgtest.LabeledRows(300, 3, 2)
	m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 5})
	if err != nil {
		t.Fatal(err)
	}
	price := [2]float64{1, 4}
	best, err := validate.BestThreshold(m, x, y, price)
	if err != nil {
		t.Fatal(err)
	}
	cost := func(m sim.Classifier) (sum float64) {
		labels, err := m.PredictRows(nil, x)
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range labels {
			if row := x.Row(i); k != m.Predict(row) || (k == 1) != (logOdds(m, row) > 0) {
				t.Fatalf("row %d: %d, alone %d, f %g", i, k, m.Predict(row), logOdds(m, row))
			}
			if k != y[i] {
				sum += price[y[i]]
			}
		}
		return sum
	}
	least := cost(best)
	if best.At >= 0 || least >= cost(m) {
		t.Errorf("threshold %g costs %g, 0 costs %g", best.At, least, cost(m))
	}
	for at := -6.0; at < 6; at += 0.01 {
		other, err := validate.AtThreshold(m, at)
		if err != nil {
			t.Fatal(err)
		}
		if cost(other) < least {
			t.Fatalf("threshold %g costs %g, %g costs %g", at, cost(other), best.At, least)
		}
	}
	data, err := json.Marshal(best)
	if err != nil {
		t.Fatal(err)
	}
	var back validate.Threshold[*logistic.Model]
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(&back); err != nil || string(again) != string(data) || back.At != best.At {
		t.Errorf("%s became %s, %v", data, again, err)
	}
}

func TestThresholdOfAProbability(t *testing.T) {
	x, y := linalgtest.LabeledRows(200, 3, 2)
	m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	at, err := validate.AtThreshold(m, validate.Logit(0.8))
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Rows {
		row := x.Row(i)
		if want := m.Proba(nil, row)[1] > 0.8; (at.Predict(row) == 1) != want {
			t.Errorf("row %d of probability %g: %d", i, m.Proba(nil, row)[1], at.Predict(row))
		}
	}
	if _, err := validate.AtThreshold(m, math.NaN()); err == nil {
		t.Error("a threshold of NaN")
	}
	if _, err := json.Marshal(validate.Threshold[*logistic.Model]{}); err == nil {
		t.Error("a threshold of no model was saved")
	}
}

// A file that lacks the model inside is damaged.
func TestJudgedModelsWithoutAModelAreDamaged(t *testing.T) {
	for _, text := range []string{`{}`, `{"model":null}`} {
		for _, v := range []json.Unmarshaler{new(validate.Threshold[*logistic.Model]), new(validate.Calibrated[*logistic.Model])} {
			var damaged *record.DamageError
			if err := v.UnmarshalJSON([]byte(text)); !errors.As(err, &damaged) {
				t.Errorf("%T of %s: %v", v, text, err)
			}
		}
	}
}

// Scores whose inverse overflows have no sigmoid, and no model comes beside the error.
func TestCalibrateWithoutASigmoidHasNoModel(t *testing.T) {
	plane, err := hyperplane.NewPlane([]float64{1e-310}, 0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := hyperplane.NewTwoClasses([]int{0, 1}, plane, optimize.Report{})
	if err != nil {
		t.Fatal(err)
	}
	x := &linalg.Dense{Rows: 4, Cols: 1, Stride: 1, Data: []float64{-1, 1, -1, 1}}
	if c, err := validate.Calibrate(&m, x, []int{0, 1, 1, 0}); err == nil || c != nil {
		t.Errorf("%v, %v", c, err)
	}
}

func TestConfusionOfAnotherSizeIsDamaged(t *testing.T) {
	for _, text := range []string{`{"classes":[0,1],"count":[[1,2]]}`, `{"classes":[0,1],"count":[[1,2],[3]]}`} {
		var c validate.Confusion
		var damaged *record.DamageError
		if err := json.Unmarshal([]byte(text), &c); !errors.As(err, &damaged) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
