package logistic_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
	"halfspace/optimize"
)

// Many rows start from a part of them and end at the same place.
func TestManyRows(t *testing.T) {
	n := 40000
	if testing.Short() {
		n = 10000
	}
	x, y := linalgtest.LabeledRows(n, 20, 2)
	w := make([]float64, len(y))
	for i := range w {
		w[i] = float64(i % 3)
	}
	for _, o := range []*logistic.Options{nil, {Lambda: 5}, {Weights: w}} {
		near := lt.MustFit(t, x, y, o)
		cold := logistic.Options{Start: make([]float64, 21)}
		if o != nil {
			cold.Lambda, cold.Weights = o.Lambda, o.Weights
		}
		linalgtest.CloseSlice(t, "coef", lt.Intercepted(near), lt.Intercepted(lt.MustFit(t, x, y, &cold)), 1e-7)
	}
	// A NaN in a row that the parts do not see.
	x.Set(n-1, 7, math.Inf(1))
	var e *linalg.NonFiniteError
	if _, err := logistic.Fit(x, y, nil); !errors.As(err, &e) || e.Row != n-1 || e.Col != 7 {
		t.Errorf("%v", err)
	}
}

// What part of the rows foretells may be wrong: every second row of one class, a
// column of rare values, every second weight 0.
func TestMisleadingParts(t *testing.T) {
	x, y := linalgtest.LabeledRows(20000, 10, 2)
	w := make([]float64, len(y))
	for i := range y {
		y[i], w[i] = i%2, float64(i%2)
		x.Set(i, 3, 0)
		if i%1000 == 7 {
			x.Set(i, 3, 1)
			y[i] = i / 1000 % 2
		}
	}
	m := lt.MustFit(t, x, y, nil)
	mustCertify(t, m, x, y, 0, 1e-10)
	_, y = linalgtest.LabeledRows(20000, 10, 2)
	if m, err := logistic.Fit(x, y, &logistic.Options{Weights: w}); err != nil || !m.Report().Certificate().Holds() {
		t.Errorf("weights: %v", err)
	}
}

// The rows that fits to part of the rows start from can be of another scale and
// other classes than the rest: such a start costs passes, and no digits.
func TestPartsOfAnotherScale(t *testing.T) {
	linalgtest.SkipSlow(t)
	for _, size := range []struct{ n, p, k int }{{92000, 4, 2}, {8000, 30, 8}} {
		for _, scale := range []struct{ part, all float64 }{{1e-2, 1}, {1e-4, 1e-6}, {1e-20, 1e6}, {1e-120, 1}} {
			if testing.Short() && scale.all != 1e-6 {
				continue
			}
			x, y := linalgtest.LabeledRows(size.n, size.p, size.k)
			linalg.Scale(x.Data, scale.all)
			for i := 0; i < size.n; i += 7 {
				linalg.Scale(x.Row(i), scale.part)
				y[i] = size.k - 1 - y[i]
			}
			for _, lambda := range []float64{0, scale.all * scale.all} {
				m := lt.MustFit(t, x, y, &logistic.Options{Lambda: lambda})
				if got := m.Report().Iterations(); got > 25 {
					t.Errorf("%d classes, scales %g, λ = %g: %d iterations", size.k, scale, lambda, got)
				}
				mustCertify(t, m, x, y, lambda, 1e-8)
			}
		}
	}
}

// The certificate is in the units of the columns also where a start from part of the
// rows was given up: a few far rows mislead it.
func TestCertificateAfterAFalseStart(t *testing.T) {
	for _, unit := range []float64{1e-12, 1e-6, 1e6, 1e12} {
		if testing.Short() && unit != 1e-6 {
			continue
		}
		x, y := linalgtest.LabeledRows(60000, 12, 2)
		linalg.Scale(x.Data, unit)
		for _, i := range []int{12347, 23459, 40009} {
			x.Set(i, 0, 1e6*unit)
			y[i] = 0
		}
		lambda := 1e-3 * unit * unit
		mustCertify(t, lt.MustFit(t, x, y, &logistic.Options{Lambda: lambda}), x, y, lambda, 1e-8)
	}
}

// A ridge led by Hessians of part of the rows arrives where Newton's method does,
// also where no part knows the rare features.
func TestRidgeOfManyFeatures(t *testing.T) {
	linalgtest.SkipSlow(t)
	for name, draw := range map[string]func() (*linalg.Dense, []int){
		"normal": func() (*linalg.Dense, []int) { return linalgtest.LabeledRows(12000, 100, 2) },
		"rare":   func() (*linalg.Dense, []int) { return linalgtest.WithRareFeatures(12000) },
	} {
		x, y := draw()
		seen := 0
		m := lt.MustFit(t, x, y, &logistic.Options{Lambda: 1, Trace: func(s optimize.Step) error {
			if s.Iteration != seen {
				t.Errorf("%s: iteration %d after %d", name, s.Iteration, seen-1)
			}
			seen++
			return nil
		}})
		mustCertify(t, m, x, y, 1, 1e-8)
		cold := lt.MustFit(t, x, y, &logistic.Options{Lambda: 1, Start: make([]float64, 101)})
		linalgtest.Close(t, name, m.Report().Objective()/cold.Report().Objective(), 1, 1e-12)
		if it := m.Report().Iterations(); it != seen-1 || it > 25 {
			t.Errorf("%s: %d iterations, the trace saw %d", name, it, seen-1)
		}
		for most := 1; most < 8; most += 2 {
			m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1, MaxIter: most})
			if it := m.Report().Iterations(); it > most || !m.Report().Certificate().Holds() && !errors.Is(err, optimize.ErrNotConverged) {
				t.Errorf("%s, at most %d: %v, %+v", name, most, err, m.Report())
			}
		}
	}
}

// The methods for many parameters arrive where Newton's does.
func TestManyParameters(t *testing.T) {
	linalgtest.SkipSlow(t)
	n := 30000
	if testing.Short() {
		n = 4000
	}
	x, y := linalgtest.LabeledRows(n, 40, 6) // 205 parameters
	for j := range x.Rows {
		row := x.Row(j)
		row[3] *= 1e4
		row[4] += 5 * row[5]
	}
	m := lt.MustFit(t, x, y, &logistic.Options{Lambda: 1})
	mustCertify(t, m, x, y, 1, 1e-8)
	// The likelihood alone, with its check for separation.
	m = lt.MustFit(t, x, y, nil)
	mustCertify(t, m, x, y, 0, 1e-10)
	stop := errors.New("enough")
	if _, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1, Trace: func(s optimize.Step) error {
		if s.Iteration == 2 {
			return stop
		}
		return nil
	}}); !errors.Is(err, stop) || !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("%v", err)
	}
	if m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1, MaxIter: 2, Start: make([]float64, 6*41)}); !errors.Is(err, optimize.ErrNotConverged) || m == nil {
		t.Errorf("%v", err)
	}
}

// Part of the rows may lack all rows that count, or the rare values of a column:
// only the whole decides.
func TestPartsWithoutRareValues(t *testing.T) {
	linalgtest.SkipSlow(t)
	n := 8000
	x, y := linalgtest.LabeledRows(n, 40, 6)
	offset, w := make([]float64, 6*n), make([]float64, n)
	for i := range y {
		w[i] = float64(i % 2)
		x.Set(i, 3, 0)
		if i%500 == 7 {
			x.Set(i, 3, 1)
		}
		for c := range 6 {
			offset[6*i+c] = 0.3 * x.At(i, c)
		}
	}
	for name, o := range map[string]*logistic.Options{"rare values": nil, "weights": {Weights: w, Lambda: 1}} {
		if m, err := logistic.Fit(x, y, o); err != nil || !m.Report().Certificate().Holds() {
			t.Errorf("%s: %v", name, err)
		}
	}
	// An offset that is linear in x moves the coefficients by as much, whatever the
	// rows of a part.
	for _, rows := range []int{n, n - 1, n - 2, n - 3} {
		part := x.RowRange(0, rows)
		plain := lt.MustFit(t, part, y[:rows], nil)
		moved := lt.MustFit(t, part, y[:rows], &logistic.Options{Offset: offset[:6*rows]})
		a, _ := plain.Coef()
		b, _ := moved.Coef()
		for c := range 5 {
			want := a.At(c, c) - 0.3
			linalgtest.Close(t, "coef", b.At(c, c), want, 1e-6)
		}
	}
	for i := range y {
		x.Set(i, 3, 5)
	}
	if _, err := logistic.Fit(x, y, nil); !lt.Is[*linalg.RankError](err) {
		t.Errorf("constant column: %v", err)
	}
}

// Rows in clusters, whose Hessian the model gets wrong.
func TestClusteredRows(t *testing.T) {
	n := 20000
	if testing.Short() {
		n = 8000
	}
	x, y := linalgtest.Clustered(n)
	slow := 0
	m := lt.MustFit(t, x, y, &logistic.Options{Lambda: 1, Trace: func(s optimize.Step) error {
		if s.Iteration != slow {
			t.Errorf("iteration %d after %d", s.Iteration, slow-1)
		}
		slow++
		return nil
	}})
	mustCertify(t, m, x, y, 1, 1e-8)
	if it := m.Report().Iterations(); it != slow-1 || it > 60 {
		t.Errorf("%d iterations, the trace saw %d", it, slow-1)
	}
	for _, most := range []int{13, 1, 2, 3}[:linalgtest.Rounds(4, 4)] { // the first where the model is given up
		m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1, MaxIter: most})
		if !errors.Is(err, optimize.ErrNotConverged) || m.Report().Iterations() != most || m.Report().Status() != optimize.MaxIterations {
			t.Errorf("%v, %+v", err, m.Report())
		}
	}
}

func TestMoreFeaturesThanNewtonTakes(t *testing.T) {
	x := linalgtest.Normal(2, 120, 1600)
	y := make([]int, x.Rows)
	for i := range y {
		if x.At(i, 0)+x.At(i, 1) > 0 {
			y[i] = 1
		}
		x.Set(i, 2, 1e3*x.At(i, 2)+1e5)
	}
	m := lt.MustFit(t, x, y, &logistic.Options{Lambda: 1})
	mustCertify(t, m, x, y, 1, 1e-8)
}

func TestMoreFeaturesThanRows(t *testing.T) {
	x := linalgtest.Normal(4, 100, 500)
	y := make([]int, 100)
	for i := range y {
		y[i] = i % 2
	}
	for _, k := range []int{2, 3} {
		for i := range y {
			y[i] = i % k
		}
		m := lt.MustFit(t, x, y, &logistic.Options{Lambda: 1})
		mustCertify(t, m, x, y, 1, 1e-8)
	}
}

// Fits of many rows allocate O(n + p²), not O(np).
func TestMemory(t *testing.T) {
	linalgtest.SkipSlow(t)
	if linalgtest.Race {
		t.Skip("the race detector lets pools forget")
	}
	two, y2 := linalgtest.LabeledRows(40000, 20, 2)
	led, y3 := linalgtest.LabeledRows(40000, 100, 2)
	large, y4 := linalgtest.LabeledRows(40000, 60, 8)
	for name, c := range map[string]struct {
		x *linalg.Dense
		y []int
		o *logistic.Options
	}{
		"likelihood": {two, y2, nil}, "ridge": {two, y2, &logistic.Options{Lambda: 1}},
		"ridge, led": {led, y3, &logistic.Options{Lambda: 1}}, "eight classes": {large, y4, &logistic.Options{Lambda: 1}},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		lt.MustFit(t, c.x, c.y, c.o)
		runtime.ReadMemStats(&after)
		if got, data := int64(after.TotalAlloc-before.TotalAlloc), int64(8*len(c.x.Data)); got > data/2 {
			t.Errorf("%s: %d bytes allocated for %d of data", name, got, data)
		}
	}
}

// Indicators of several fields are found to be dependent before the first step: a Hessian of thousands
// of columns is dear.
func TestIndicatorsAreDependentBeforeTheFit(t *testing.T) {
	const n, fields, levels = 2000, 4, 80
	r := rand.New(rand.NewPCG(1, 35))
	start, index, y := []int{0}, []int32{}, make([]int, n)
	for i := range n {
		for f := range fields {
			index = append(index, int32(f*levels+r.IntN(levels)))
		}
		start, y[i] = append(start, len(index)), r.IntN(2)
	}
	x, err := linalg.NewCSR(n, fields*levels, start, index, slices.Repeat([]float64{1}, len(index)))
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	_, err = logistic.Fit(x, y, &logistic.Options{Trace: func(optimize.Step) error { steps++; return nil }})
	var rank *linalg.RankError
	if !errors.As(err, &rank) || rank.Rank != fields*(levels-1) || steps > 0 {
		t.Errorf("%v after %d steps", err, steps)
	}
}

// A maximum of the likelihood of more parameters than Newton's method factors is proven by their Hessian all the same.
func TestMaximumOfManyParametersIsProven(t *testing.T) {
	linalgtest.SkipSlow(t)
	const n, p, classes = 4000, 10, 200
	x, centers, y := linalgtest.Normal(11, n, p), linalgtest.Normal(12, classes, p), make([]int, n)
	for i := range y {
		y[i] = i % classes
		linalg.Axpy(x.Row(i), 1, centers.Row(y[i]))
	}
	m, err := logistic.Fit(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c := m.Report().Certificate(); c.Kind != optimize.KindGap || !c.Holds() {
		t.Errorf("certificate %+v", c)
	}
}
