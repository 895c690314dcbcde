package method_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// Every classifier predicts the class of its largest score, whatever way it is
// asked, and probabilities are such.
func TestPredictionsAreConsistent(t *testing.T) {
	each(t, nil, func(t *testing.T, m *method.Method, o *method.Options, d *dataset.Data, r *rand.Rand) {
		model := methodtest.Must(t, m, d, o)
		x := linalg.Zeros(200, 3)
		for i := range x.Data {
			x.Data[i] = r.NormFloat64() * math.Pow(10, float64(r.IntN(8)-2))
		}
		if g := model.Regressor(); g != nil {
			all, err := g.PredictRows(nil, x)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range all {
				if got := g.Predict(x.Row(i)); math.Float64bits(v) != math.Float64bits(got) {
					t.Fatalf("%s: row %d: %v among others, %v alone", m.Name, i, v, got)
				}
			}
			return
		}
		c := model.Classifier()
		all, err := c.PredictRows(nil, x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Rows {
			s := c.Scores(nil, x.Row(i))
			best := 0
			for k, v := range s {
				if v > s[best] {
					best = k
				}
			}
			if got := c.Predict(x.Row(i)); got != c.Classes()[best] || all[i] != got {
				t.Fatalf("%s: row %d: scores %v, predicted %d alone and %d among others", m.Name, i, s, got, all[i])
			}
			if !model.HasProba() {
				continue
			}
			total := 0.0
			for _, v := range c.(sim.Prober).Proba(nil, x.Row(i)) {
				if !(v >= 0 && v <= 1) {
					t.Fatalf("%s: row %d: probability %v", m.Name, i, v)
				}
				total += v
			}
			if !(math.Abs(total-1) <= 1e-12) {
				t.Fatalf("%s: row %d: probabilities sum to %v", m.Name, i, total)
			}
		}
	})
}

func TestPredictingAllocatesNothing(t *testing.T) {
	if linalgtest.Race {
		t.Skip("the race detector lets pools forget")
	}
	for _, m := range method.All() {
		for _, o := range methodtest.Ways(m) {
			model := methodtest.Must(t, m, methodtest.Clouds(m, 1, 60, 3), o)
			row, dst := []float64{1, 2, 3}, make([]float64, 0, 8)
			calls := map[string]func(){}
			if r := model.Regressor(); r != nil {
				calls["Predict"] = func() { r.Predict(row) }
			} else {
				c := model.Classifier()
				calls["Predict"] = func() { c.Predict(row) }
				calls["Scores"] = func() { c.Scores(dst, row) }
				if p, ok := c.(sim.Prober); ok && model.HasProba() {
					calls["Proba"] = func() { p.Proba(dst, row) }
				}
			}
			for name, call := range calls {
				// The garbage collector may empty a pool between two runs.
				if n := testing.AllocsPerRun(100, call); n > 0 {
					t.Errorf("%s: %s allocates %v times a row (standardise %v)", m.Name, name, n, o.Standardize)
				}
			}
		}
	}
}

// A row of the wrong length is the caller's bug: it panics in Predict, and is an
// error in PredictRows. A NaN in a row makes NaN scores.
func TestRowsOfTheWrongLength(t *testing.T) {
	panics := func(f func()) (did bool) {
		defer func() { did = recover() != nil }()
		f()
		return
	}
	for _, m := range method.All() {
		for _, o := range methodtest.Ways(m) {
			model := methodtest.Must(t, m, methodtest.Clouds(m, 1, 60, 3), o)
			short, bad := []float64{1, 2}, []float64{1, math.NaN(), 3}
			x := linalg.Zeros(4, 2)
			var shape *linalg.ShapeError
			if r := model.Regressor(); r != nil {
				if !panics(func() { r.Predict(short) }) {
					t.Errorf("%s: Predict takes 2 of 3 values", m.Name)
				}
				if _, err := r.PredictRows(nil, x); !errors.As(err, &shape) {
					t.Errorf("%s: PredictRows: %v", m.Name, err)
				}
				if v := r.Predict(bad); v == v {
					t.Errorf("%s: f of a NaN is %v", m.Name, v)
				}
				continue
			}
			c := model.Classifier()
			if !panics(func() { c.Predict(short) }) || !panics(func() { c.Scores(nil, short) }) {
				t.Errorf("%s: Predict or Scores takes 2 of 3 values", m.Name)
			}
			if _, err := c.PredictRows(nil, x); !errors.As(err, &shape) {
				t.Errorf("%s: PredictRows: %v", m.Name, err)
			}
			for _, v := range c.Scores(nil, bad) {
				if v == v {
					t.Errorf("%s: the scores of a NaN are %v", m.Name, c.Scores(nil, bad))
					break
				}
			}
			if k := c.Predict(bad); !slices.Contains(c.Classes(), k) {
				t.Errorf("%s: a NaN is of class %d", m.Name, k)
			}
		}
	}
}
