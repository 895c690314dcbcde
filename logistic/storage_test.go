package logistic_test

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
	"halfspace/optimize"
)

// A storage that is not dense gives the fits of the dense one, whichever way it is read.
func TestOtherStorage(t *testing.T) {
	heart, chd := lt.Heart(t, "tobacco ldl famhist=Present age")
	iris, species := lt.Several(t, "iris")
	w, offset := make([]float64, len(chd)), make([]float64, len(chd))
	for i := range w {
		w[i], offset[i] = float64(i%3), 0.01*float64(i%7)
	}
	far := heart.Clone()
	for i := range far.Data {
		far.Data[i] = math.Round(8*far.Data[i])/8 + 0x1p20
	}
	for _, c := range []struct {
		name string
		x    *linalg.Dense
		y    []int
		o    logistic.Options
	}{
		{"ridge", heart, chd, logistic.Options{Lambda: 2, Tol: 1e-11}},
		{"weights and offset", heart, chd, logistic.Options{Lambda: 2, Tol: 1e-11, Weights: w, Offset: offset}},
		{"standardised", heart, chd, logistic.Options{Lambda: 2, Tol: 1e-11, Standardize: true, PenaltyFactor: []float64{1, 2, 0.5, 1}}},
		{"no intercept", heart, chd, logistic.Options{Lambda: 2, Tol: 1e-11, NoIntercept: true}},
		{"means of a million", far, chd, logistic.Options{Lambda: 2, Tol: 1e-10}},
		{"likelihood", heart, chd, logistic.Options{}},
		{"free feature", heart, chd, logistic.Options{Lambda: 2, PenaltyFactor: []float64{1, 0, 1, 1}}},
		{"lasso", heart, chd, logistic.Options{Lambda: 2, L1Ratio: 1, Tol: 1e-11}},
		{"three classes", iris, species, logistic.Options{Lambda: 1, Tol: 1e-11}},
	} {
		got, err := logistic.Fit(linalgtest.OddBlocks{X: c.x}, c.y, &c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		want := lt.MustFit(t, c.x, c.y, &c.o)
		a, _ := got.Coef()
		b, _ := want.Coef()
		linalgtest.CloseSlice(t, c.name, a.Data, b.Data, 1e-7)
		for i := range c.x.Rows {
			linalgtest.CloseSlice(t, c.name, got.Scores(nil, c.x.Row(i)), want.Scores(nil, c.x.Row(i)), 1e-7)
		}
		linalgtest.Close(t, "objective", got.Report().Objective(), want.Report().Objective(), 1e-12)
	}
	m, err := logistic.Fit(linalgtest.OddBlocks{X: heart}, chd, &logistic.Options{Lambda: 2})
	if err != nil {
		t.Fatal(err)
	}
	mustCertify(t, m, heart, chd, 2, 1e-8)
	folds := make([]int, len(chd))
	for i := range folds {
		folds[i] = i % 3
	}
	o := &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1}, Lambdas: []float64{30, 10}}
	a, err := logistic.CrossValidate(linalgtest.OddBlocks{X: heart}, chd, folds, o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := logistic.CrossValidate(heart, chd, folds, o)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "deviance", a.CV.Mean, b.CV.Mean, 1e-13) // blocks of another length sum in another order
}

// Bad input is refused in the same words.
func TestOtherStorageRefused(t *testing.T) {
	x, y := lt.IrisPair(t)
	as := func(x *linalg.Dense) linalg.Rows { return linalgtest.OddBlocks{X: x} }
	bad := x.Clone()
	bad.Set(7, 2, math.Inf(1))
	var e *linalg.NonFiniteError
	for _, o := range []*logistic.Options{nil, {Lambda: 1}} {
		if _, err := logistic.Fit(as(bad), y, o); !errors.As(err, &e) || e.Row != 7 || e.Col != 2 {
			t.Errorf("infinity: %v", err)
		}
		if _, err := logistic.Fit(as(x), y[1:], o); !lt.Is[*linalg.ShapeError](err) {
			t.Errorf("labels: %v", err)
		}
	}
	double := linalg.Zeros(x.Rows, 2)
	for i := range x.Rows {
		double.Set(i, 0, x.At(i, 0))
		double.Set(i, 1, x.At(i, 0))
	}
	if _, err := logistic.Fit(as(double), y, nil); !lt.Is[*linalg.RankError](err) {
		t.Errorf("a column twice: %v", err)
	}
	for i, c := range y {
		double.Set(i, 1, float64(c))
	}
	if _, err := logistic.Fit(as(double), y, nil); !lt.Is[*logistic.SeparationError](err) {
		t.Errorf("separable: %v", err)
	}
	m, err := logistic.Fit(as(x), y, &logistic.Options{Lambda: 1e-4, MaxIter: 1})
	if !errors.Is(err, optimize.ErrNotConverged) || m == nil || m.Report().Status() != optimize.MaxIterations {
		t.Errorf("one iteration: %v, %v", m, err)
	}
}

// A ridge is fitted without a copy.
func TestOtherStorageMemory(t *testing.T) {
	if linalgtest.Race {
		t.Skip("the race detector lets pools forget")
	}
	x, y := linalgtest.LabeledRows(20000, 40, 2)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := logistic.Fit(linalgtest.OddBlocks{X: x}, y, &logistic.Options{Lambda: 1}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got, data := int64(after.TotalAlloc-before.TotalAlloc), int64(8*len(x.Data)); got > data/2 {
		t.Errorf("%d bytes allocated for %d of data", got, data)
	}
}

// short is a storage that ends its passes early and says nothing.
type short struct{ linalg.Rows }

func (s short) Pass(lo, hi int, visit func(*linalg.Block) error) error {
	return s.Rows.Pass(lo, min(hi, 100), visit)
}

func TestRowsThatAreLeftOutAreAnError(t *testing.T) {
	x, y := linalgtest.LabeledRows(300, 3, 2)
	var e *linalg.ShapeError
	if _, err := logistic.Fit(short{x}, y, nil); !errors.As(err, &e) {
		t.Errorf("a fit: %v", err)
	}
	m, err := logistic.Fit(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.PredictRows(nil, short{x}); !errors.As(err, &e) {
		t.Errorf("a prediction: %v", err)
	}
}
