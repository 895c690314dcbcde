package logistic_test

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
)

// The likelihood of a model is Σ −log p of the rows, its certificate that of the report,
// and its null model the shares of the classes.
func TestLikelihoodOfAModel(t *testing.T) {
	heart, chd := lt.Heart(t, "tobacco ldl famhist=Present age")
	three, race := lt.Several(t, "birthwt")
	far := heart.Clone()
	for i := range far.Data {
		far.Data[i] = math.Round(8*far.Data[i])/8 + 0x1p20
	}
	first := 0
	for name, c := range map[string]struct {
		x *linalg.Dense
		y []int
		o logistic.Options
	}{
		"two classes":         {heart, chd, logistic.Options{}},
		"means of a million":  {far, chd, logistic.Options{}},
		"no intercept":        {heart, chd, logistic.Options{NoIntercept: true}},
		"three classes":       {three, race, logistic.Options{}},
		"another reference":   {three, race, logistic.Options{Reference: &first}},
		"a ridge":             {heart, chd, logistic.Options{Lambda: 1}},
		"a ridge, three":      {three, race, logistic.Options{Lambda: 1}},
		"a lasso, three":      {three, race, logistic.Options{Lambda: 3, L1Ratio: 1}},
		"Firth's correction ": {heart, chd, logistic.Options{Firth: true}},
	} {
		m := lt.MustFit(t, c.x, c.y, &c.o)
		f, err := m.Likelihood(linalgtest.OddBlocks{X: c.x}, c.y, &c.o)
		if err != nil {
			t.Fatal(name, err)
		}
		value, null, share := 0.0, 0.0, map[int]float64{}
		for _, label := range c.y {
			share[label] += 1 / float64(len(c.y))
		}
		for i, label := range c.y {
			value -= m.LogProba(nil, c.x.Row(i))[slices.Index(m.Classes(), label)]
			if null -= math.Log(share[label]); c.o.NoIntercept {
				null += math.Log(share[label]) + math.Ln2
			}
		}
		linalgtest.Close(t, name, f.Value(f.Theta), value, 1e-12)
		linalgtest.Close(t, name+", null", f.Value(f.Null), null, 1e-12)
		if r := m.Report(); m.Method() == logistic.MaximumLikelihood {
			linalgtest.Close(t, name+", objective", f.Value(f.Theta), r.Objective(), 1e-12)
			if b, err := f.Bound(f.Theta, 0); err != nil || !(b.Gap <= r.Certificate().Tol*r.Objective()) {
				t.Errorf("%s: %+v, %v, the report says %v", name, b, err, r.Certificate())
			}
		} else if got := f.Certificate(f.Theta); got < 1e-6 {
			t.Errorf("%s: its likelihood has certificate %g", name, got)
		}
	}
}

// Groups have the likelihood of their trials.
func TestLikelihoodOfCounts(t *testing.T) {
	x, s, trials := lt.Menarche(t)
	m, err := logistic.FitCounts(x, s, trials, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.LikelihoodCounts(x, s, trials, nil)
	if err != nil {
		t.Fatal(err)
	}
	value := 0.0
	for i, k := range s {
		p := m.LogProba(nil, x.Row(i))
		value -= k*p[1] + (trials[i]-k)*p[0]
	}
	linalgtest.Close(t, "value", f.Value(f.Theta), value, 1e-12)
	if got := f.Certificate(f.Theta); got > 1e-10 {
		t.Errorf("certificate %g", got)
	}
}

// Rows of other features or classes have no likelihood at a model; without an intercept it is that of the slopes.
func TestLikelihoodOfOtherRows(t *testing.T) {
	x, y := lt.IrisPair(t)
	m := lt.MustFit(t, x, y, nil)
	f, err := m.Likelihood(x, y, &logistic.Options{NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	coef, _ := m.Coef()
	value := 0.0
	for i, label := range y {
		value += math.Log1p(math.Exp(linalg.Dot(coef.Row(0), x.Row(i)) * float64(1-2*slices.Index(m.Classes(), label))))
	}
	linalgtest.Close(t, "without the intercept", f.Value(f.Theta), value, 1e-12*value)
	if _, err := m.Likelihood(lt.First(x, 3), y, nil); !lt.Is[*linalg.ShapeError](err) {
		t.Errorf("three columns: %v", err)
	}
	other := slices.Clone(y)
	for i := range other {
		other[i] += 2
	}
	if _, err := m.Likelihood(x, other, nil); !lt.Is[*linalg.ClassError](err) {
		t.Errorf("other labels: %v", err)
	}
	other[0] = 0
	if _, err := m.Likelihood(x, other, nil); !lt.Is[*linalg.ShapeError](err) {
		t.Errorf("three classes: %v", err)
	}
	if _, err := m.Likelihood(x, y, &logistic.Options{Offset: []float64{1}}); !lt.Is[*linalg.ShapeError](err) {
		t.Errorf("one offset: %v", err)
	}
}

// A fit copies rows of which much is stored for its many passes; the likelihood makes a few.
func TestLikelihoodReadsSparseRowsWhereTheyLie(t *testing.T) {
	x, y := linalg.Zeros(500, 200), make([]int, 500)
	for i := range y {
		for j := i % 4; j < x.Cols; j += 4 {
			x.Set(i, j, float64(1+i*j%7))
		}
		y[i] = i % 3 / 2
	}
	sparse := linalgtest.Sparse(x)
	m := lt.MustFit(t, sparse, y, &logistic.Options{Lambda: 1})
	f, err := m.Likelihood(sparse, y, nil)
	if err != nil || !f.Sparse() {
		t.Errorf("the likelihood is of a dense copy (%v)", err)
	}
}
