package method_test

import (
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// withOffset is a small table with an offset; the classes overlap.
func withOffset() *dataset.Data {
	s := &dataset.Schema{Columns: []dataset.Column{{Name: "x"}}, Label: "y", Names: []string{"0", "1"}, Offset: "o"}
	x := linalg.Zeros(8, 1)
	for i := range x.Rows {
		x.Set(i, 0, float64(i))
	}
	return &dataset.Data{X: x, Features: s.Features(), Schema: s, Names: s.Names,
		Labels: []int{0, 1, 0, 0, 1, 1, 0, 1}, Offset: []float64{-1, 0, 2, 1, 0, -2, 0.5, 3}}
}

// Every answer about a row is that of f(x) + offset.
func TestOffsetIsAddedToEveryAnswer(t *testing.T) {
	logit, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	d := withOffset()
	m, err := logit.Fit(d, &method.Options{Lambda: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	coef, intercept, _ := m.Coef()
	c, r, x := m.For(d)
	if r != nil || c.Features() != 2 || x.Cols != 2 {
		t.Fatalf("%d features, %d columns, regressor %v", c.Features(), x.Cols, r)
	}
	labels, err := c.PredictRows(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, 0, 8)
	for i, o := range d.Offset {
		f := intercept[0] + coef.At(0, 0)*d.X.At(i, 0) + o
		s := c.Scores([]float64{7}, x.Row(i))
		linalgtest.Close(t, "f", s[2]-s[1], f, 1e-12)
		p := c.(sim.Prober).Proba([]float64{7}, x.Row(i))
		linalgtest.Close(t, "p", p[2], linalg.Sigmoid(f), 1e-12)
		linalgtest.Close(t, "1 − p", p[1], 1-linalg.Sigmoid(f), 1e-12)
		l := c.(sim.LogProber).LogProba([]float64{7}, x.Row(i))
		linalgtest.Close(t, "log p", l[2], math.Log(linalg.Sigmoid(f)), 1e-12)
		if want := map[bool]int{true: 1}[f > 0]; labels[i] != want || c.Predict(x.Row(i)) != want || s[0] != 7 || p[0] != 7 || l[0] != 7 {
			t.Errorf("row %d: class %d, want %d; scores %v, probabilities %v", i, labels[i], want, s, p)
		}
		if n := testing.AllocsPerRun(10, func() { row = c.(sim.Prober).Proba(row[:0], x.Row(i)) }); n > 0 {
			t.Errorf("%v allocations for the probabilities of a row", n)
		}
	}
	if _, err := c.PredictRows(nil, d.X); err == nil {
		t.Error("rows without their offset are predicted")
	}
}
