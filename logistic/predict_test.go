package logistic_test

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
)

func TestPredictions(t *testing.T) {
	x, y := lt.IrisPair(t)
	m := lt.MustFit(t, x, y, nil)
	labels, err := m.PredictRows(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i := range x.Rows {
		row := x.Row(i)
		s, p, f := m.Scores(nil, row), m.Proba(nil, row), m.LogOdds(row)
		linalgtest.Close(t, "s[1]−s[0]", s[1]-s[0], f, 0)
		linalgtest.Close(t, "Σp", p[0]+p[1], 1, 1e-15)
		linalgtest.Close(t, "log-odds", math.Log(p[1]/p[0]), f, 1e-12)
		if k := m.Predict(row); k != linalg.ArgMax(s) || k != labels[i] {
			t.Fatalf("row %d: labels %d, %d and %d", i, k, linalg.ArgMax(s), labels[i])
		}
		if labels[i] != y[i] {
			wrong++
		}
	}
	if wrong != 2 {
		t.Errorf("%d training errors, want 2", wrong)
	}
	row, s, p := x.Row(0), make([]float64, 0, 2), make([]float64, 0, 2)
	if n := testing.AllocsPerRun(100, func() { m.Scores(s, row); m.Proba(p, row); m.Predict(row) }); n != 0 {
		t.Errorf("%v allocations to predict a row", n)
	}
	if s := m.Scores(nil, []float64{math.NaN(), 0, 0, 0}); s[0] == s[0] || s[1] == s[1] {
		t.Errorf("scores %v of a NaN", s)
	}
	if s := m.ScoresSparse(nil, []int32{0}, []float64{math.NaN()}); s[0] == s[0] || s[1] == s[1] {
		t.Errorf("scores %v of a sparse row with a NaN", s)
	}
	if _, err := m.PredictRows(nil, lt.First(x, 3)); err == nil {
		t.Error("3 columns for a model of 4 features")
	}
}

func TestExtremeScores(t *testing.T) {
	steep := func(k int, coef, intercept []float64) *logistic.Model {
		x, y := linalgtest.LabeledRows(60, 1, k)
		m, err := edited(t, lt.MustFit(t, x, y, &logistic.Options{Lambda: 1}), map[string]any{"coef": coef, "intercept": intercept, "origin": nil, "method": "likelihood"})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := steep(2, []float64{1e4}, []float64{0})
	for _, v := range []float64{-1e300, -1, 0, 1, 1e300} {
		p := m.Proba(nil, []float64{v})
		linalgtest.Close(t, "Σp", p[0]+p[1], 1, 1e-15)
	}
	three := steep(3, []float64{1e4, -1e4, 0}, []float64{0, 0, 0})
	for _, v := range []float64{-1, 0, 1} {
		p, l := three.Proba(nil, []float64{v}), three.LogProba(nil, []float64{v})
		linalgtest.Close(t, "Σp of three", lt.Sum(p), 1, 1e-15)
		for k, v := range l {
			if v-v != 0 {
				t.Errorf("log p %v", l)
			}
			linalgtest.Close(t, "exp log p", math.Exp(v), p[k], 1e-15)
		}
	}
	linalgtest.CloseSlice(t, "log p", m.LogProba(nil, []float64{1}), []float64{-1e4, 0}, 0)
	for _, v := range []float64{-1e308, 1e308} { // f overflows
		row := []float64{v}
		if s := m.Scores(nil, row); s[0] != 0 || linalg.ArgMax(s) != m.Predict(row) {
			t.Errorf("scores %v, prediction %d", s, m.Predict(row))
		}
	}
}

func TestWrongLengthPanics(t *testing.T) {
	x, y := lt.IrisPair(t)
	m := lt.MustFit(t, x, y, nil)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	m.Predict(make([]float64, 3))
}

// Rows are predicted by blocks on all processors: each as it is alone.
func TestPredictRowsIsPredict(t *testing.T) {
	for _, k := range []int{2, 5} {
		x, y := linalgtest.LabeledRows(4000, 90, k)
		m := lt.MustFit(t, x, y, &logistic.Options{Lambda: 10})
		coef, _ := m.Coef()
		coef.Set(0, 0, 0)
		m, err := edited(t, m, map[string]any{"coef": coef.Data})
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.PredictRows([]int{-7}, x)
		if err != nil || len(got) != x.Rows+1 || got[0] != -7 {
			t.Fatal(len(got), err)
		}
		seen := map[int]int{}
		for i, label := range got[1:] {
			if want := m.Predict(x.Row(i)); label != want {
				t.Errorf("%d classes, row %d: %d, alone %d", k, i, label, want)
			}
			seen[label]++
		}
		if len(seen) != k {
			t.Errorf("labels %v", seen)
		}
		for _, v := range []float64{math.NaN(), math.Inf(1)} {
			x.Set(3999, 1, v)
			got, err := m.PredictRows([]int{-7}, x)
			var cell *linalg.NonFiniteError
			if !errors.As(err, &cell) || cell.Row != 3999 || cell.Col != 1 || len(got) != 1 {
				t.Errorf("%d classes, a cell of %v: %v, %v", k, v, got, err)
			}
		}
	}
}

func TestNamesOfUnknownMethods(t *testing.T) {
	if s := logistic.Ridge.String() + " " + logistic.Method(9).String(); s != "ridge Method(9)" {
		t.Error(s)
	}
}
