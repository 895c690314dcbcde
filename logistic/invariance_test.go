package logistic

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// mustCertify recomputes the certificate of a fit without a lasso part from the
// data and the published coefficients.
func mustCertify(t testing.TB, m *Model, x *linalg.Dense, y []int, lambda, tol float64) {
	t.Helper()
	ones := make([]float64, x.Cols)
	for j := range ones {
		ones[j] = 1
	}
	if _, kkt := elasticNetKKT(m, x, y, lambda, 0, ones); !(kkt <= tol) {
		t.Errorf("certificate %g, the report says %v", kkt, m.Report().Certificate())
	}
}

func TestScales(t *testing.T) {
	x, y := saHeart(t, "tobacco ldl famhist=Present age")
	m := mustFit(t, x, y, nil)
	scaled := x.Clone()
	scales := []float64{1e-12, 1e12, 1e-6, 1e6}
	for i := range scaled.Rows {
		for j, s := range scales {
			scaled.Set(i, j, s*x.At(i, j))
		}
	}
	want, got := intercepted(m), intercepted(mustFit(t, scaled, y, nil))
	for j, s := range scales {
		got[j+1] *= s
	}
	linalgtest.CloseSlice(t, "coef", got, want, 1e-9)
	for _, s := range []float64{1e-120, 1e120} {
		for i := range scaled.Rows {
			scaled.Set(i, 0, s*x.At(i, 0))
		}
		got := mustFit(t, scaled, y, nil)
		for i := range scaled.Rows {
			linalgtest.Close(t, "log-odds", got.LogOdds(scaled.Row(i)), m.LogOdds(x.Row(i)), 1e-8)
		}
	}
	// Numbers whose products no float64 holds are refused by name.
	for _, s := range []float64{1e-150, 1e150, 1e-310} {
		for i := range scaled.Rows {
			scaled.Set(i, 0, s*x.At(i, 0))
		}
		for _, o := range []*Options{nil, {Lambda: 1, Standardize: true}, {Lambda: 1, L1Ratio: 1}} {
			m, err := Fit(scaled, y, o)
			var e *linalg.RangeError
			if !errors.As(err, &e) || e.Column != 0 || e.What != "x" || m != nil {
				t.Errorf("%g: %v, %v", s, m, err)
			}
		}
	}
	// The lasso with standardising does not notice units.
	lasso := mustFit(t, x, y, &Options{L1Ratio: 1, Lambda: 3, Standardize: true, Tol: 1e-11})
	for i := range scaled.Rows {
		scaled.Set(i, 0, 1e-12*x.At(i, 0))
	}
	same := mustFit(t, scaled, y, &Options{L1Ratio: 1, Lambda: 3, Standardize: true, Tol: 1e-11})
	linalgtest.Close(t, "objective", same.Report().Objective(), lasso.Report().Objective(), 1e-12)
}

func TestLargeMeans(t *testing.T) {
	x, y := irisPair(t)
	m := mustFit(t, x, y, &Options{Lambda: 0.1})
	shifted := x.Clone()
	for i := range shifted.Data {
		shifted.Data[i] = math.Round(x.Data[i]*10)/10*1024 + 1e8
	}
	back := x.Clone()
	for i := range back.Data {
		back.Data[i] = shifted.Data[i] - 1e8
	}
	far, near := mustFit(t, shifted, y, &Options{Lambda: 0.1}), mustFit(t, back, y, &Options{Lambda: 0.1})
	for i := range x.Rows {
		linalgtest.Close(t, "log-odds", far.LogOdds(shifted.Row(i)), near.LogOdds(back.Row(i)), 1e-7)
	}
	if m.Report().Objective() == 0 || far.Origin()[0] < 1e8 {
		t.Error("no origin")
	}
	mustCertify(t, far, shifted, y, 0.1, 1e-8)
}

// The functions of a lasso on several classes do not sum to 0, and what they have
// in common may not cost the digits in which they differ.
func TestLargeMeansOfSeveralClasses(t *testing.T) {
	x := linalgtest.Normal(12, 60, 2)
	far, y := x.Clone(), make([]int, 60)
	for i := range y {
		y[i] = i % 3
		for j := range 2 {
			x.Set(i, j, math.Round(8*x.At(i, j)+float64(4*y[i]*j))/8)
			far.Set(i, j, x.At(i, j)+0x1p40)
		}
	}
	o := &Options{Lambda: 1, L1Ratio: 1, Tol: 1e-12}
	m, want := mustFit(t, far, y, o), mustFit(t, x, y, o)
	for i := range y {
		linalgtest.CloseSlice(t, "probabilities", m.Proba(nil, far.Row(i)), want.Proba(nil, x.Row(i)), 1e-9)
	}
	common := 0.0
	coef, intercept := m.Coef()
	for k := range 3 {
		common += coef.At(k, 1)
	}
	if math.Abs(common) < 1e-3 {
		t.Errorf("coefficients %v sum to 0: these data show nothing", coef.Data)
	}
	if s := sum(intercept); math.Abs(s) > 1e-15*math.Abs(intercept[0]) {
		t.Errorf("intercepts %v sum to %g", intercept, s)
	}
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
		m := mustFit(t, x, y, &Options{Lambda: 1})
		mustCertify(t, m, x, y, 1, 1e-8)
	}
}

func TestWeightsAreRepeatedRows(t *testing.T) {
	for _, data := range []func() (*linalg.Dense, []int){func() (*linalg.Dense, []int) { return saHeart(t, "tobacco ldl famhist=Present age") }, func() (*linalg.Dense, []int) { return mnData(t, "iris") }} {
		x, y := data()
		w := make([]float64, x.Rows)
		var rows [][]float64
		var labels []int
		for i := range w {
			w[i] = float64(i * 7 % 3)
			for range int(w[i]) {
				rows, labels = append(rows, x.Row(i)), append(labels, y[i])
			}
		}
		repeated, _ := linalg.FromRows(rows)
		for _, o := range []Options{{Tol: 1e-13}, {Lambda: 0.7, Tol: 1e-13}, {Lambda: 0.7, L1Ratio: 0.5, Standardize: true, Tol: 1e-12}} {
			a := mustFit(t, repeated, labels, &o)
			o.Weights = w
			b := mustFit(t, x, y, &o)
			ca, ia := a.Coef()
			cb, ib := b.Coef()
			linalgtest.CloseSlice(t, "coef", cb.Data, ca.Data, 1e-10)
			linalgtest.CloseSlice(t, "intercept", ib, ia, 1e-10)
		}
	}
}

// A row of weight 0 is deleted whatever it holds.
func TestDeletedRowIsHuge(t *testing.T) {
	x, _ := linalg.NewDense(7, 1, []float64{1e300, 1, 3, 2, 4, 2.5, 1.5})
	y := []int{0, 0, 0, 1, 1, 0, 1}
	w := []float64{0, 1, 1, 1, 1, 1, 1}
	want := intercepted(mustFit(t, x.RowRange(1, 7), y[1:], nil))
	linalgtest.CloseSlice(t, "coef", intercepted(mustFit(t, x, y, &Options{Weights: w})), want, 1e-12)
}

// An offset that is the same for all rows moves the intercept by as much.
func TestLargeOffset(t *testing.T) {
	x, y := irisPair(t)
	offset := make([]float64, len(y))
	for i := range offset {
		offset[i] = 1e4
	}
	want := intercepted(mustFit(t, x, y, nil))
	want[0] -= 1e4
	m := mustFit(t, x, y, &Options{Offset: offset})
	linalgtest.CloseSlice(t, "two classes", intercepted(m), want, 1e-7)
	x, y = mnData(t, "iris")
	offset = make([]float64, 3*len(y))
	for i := range y {
		offset[3*i], offset[3*i+1] = 1e4, x.At(i, 0)
	}
	m, plain := mustFit(t, x, y, &Options{Offset: offset}), mustFit(t, x, y, nil)
	c, b := m.Coef()
	c0, b0 := plain.Coef()
	linalgtest.CloseSlice(t, "intercepts", b, []float64{b0[0] - 1e4, b0[1], 0}, 1e-7)
	linalgtest.CloseSlice(t, "three classes", c.Data, []float64{c0.At(0, 0), c0.At(1, 0) - 1, 0}, 1e-7)
}

func TestDoubling(t *testing.T) {
	x, y := irisPair(t)
	double, _ := linalg.NewDense(2*x.Rows, x.Cols, append(slices.Clone(x.Clone().Data), x.Clone().Data...))
	both := append(slices.Clone(y), y...)
	for _, alpha := range []float64{0, 0.5, 1} {
		a := mustFit(t, x, y, &Options{Lambda: 1, L1Ratio: alpha, Tol: 1e-12})
		b := mustFit(t, double, both, &Options{Lambda: 2, L1Ratio: alpha, Tol: 1e-12})
		linalgtest.CloseSlice(t, "coef", intercepted(b), intercepted(a), 1e-9)
	}
}

func TestPermutations(t *testing.T) {
	x, y := irisPair(t)
	m := intercepted(mustFit(t, x, y, nil))
	flipped := slices.Clone(y)
	for i := range flipped {
		flipped[i] = 1 - y[i]
	}
	f := intercepted(mustFit(t, x, flipped, nil))
	linalg.Scale(f, -1)
	linalgtest.CloseSlice(t, "labels flipped", f, m, 1e-8)
	turned := x.Clone()
	for i := range turned.Rows {
		slices.Reverse(turned.Row(i))
	}
	r := intercepted(mustFit(t, turned, y, nil))
	slices.Reverse(r[1:])
	linalgtest.CloseSlice(t, "columns reversed", r, m, 1e-8)
}

// The bits of a fit do not depend on the number of workers.
func TestWorkers(t *testing.T) {
	n, p := 20000, 12
	if testing.Short() {
		n = 6000
	}
	x := linalgtest.Normal(6, n, p)
	y, three := make([]int, n), make([]int, n)
	for i := range y {
		f := x.At(i, 0) - 0.5*x.At(i, 1) + 2*math.Sin(float64(i*i%1000))
		if f > 0 {
			y[i] = 1
		}
		three[i] = y[i]
		if x.At(i, 2)+math.Cos(float64(i%777)) > 0 {
			three[i] = 2
		}
	}
	for name, fit := range map[string]func(workers int) []float64{
		"likelihood": func(w int) []float64 { return parameters(t, x, y, &Options{Workers: w}) },
		"ridge":      func(w int) []float64 { return parameters(t, x, y, &Options{Lambda: 3, Workers: w}) },
		"elastic net": func(w int) []float64 {
			return parameters(t, x, y, &Options{Lambda: 30, L1Ratio: 0.5, Standardize: true, Workers: w})
		},
		"multinomial": func(w int) []float64 { return parameters(t, x, three, &Options{Lambda: 3, Workers: w}) },
		"three, lasso": func(w int) []float64 {
			return parameters(t, x, three, &Options{Lambda: 30, L1Ratio: 1, Workers: w})
		},
		"path": func(w int) []float64 {
			path, err := FitPath(x, y, &PathOptions{Options: Options{L1Ratio: 1, Workers: w}, Count: 12})
			if err != nil {
				t.Fatal(err)
			}
			var all []float64
			for _, p := range path.Points {
				all = append(all, intercepted(p.Model)...)
			}
			return all
		},
	} {
		one := fit(1)
		for _, w := range []int{2, 3, 16} {
			if got := fit(w); !slices.Equal(got, one) {
				t.Errorf("%s: %d workers differ from one", name, w)
			}
		}
	}
}

func parameters(t *testing.T, x *linalg.Dense, y []int, o *Options) []float64 {
	c, b := mustFit(t, x, y, o).Coef()
	return append(b, c.Data...)
}

// Fits write neither to options nor to data.
func TestInputsUntouched(t *testing.T) {
	x, y := irisPair(t)
	o := &Options{Lambda: 1, L1Ratio: 0.5, Weights: make([]float64, len(y)), Offset: make([]float64, len(y)), Start: make([]float64, 5), PenaltyFactor: []float64{1, 2, 0.5, 1}}
	for i := range o.Weights {
		o.Weights[i], o.Offset[i] = 1, 0.1
	}
	copies := [][]float64{slices.Clone(x.Data), slices.Clone(o.Weights), slices.Clone(o.Offset), slices.Clone(o.Start), slices.Clone(o.PenaltyFactor)}
	labels := slices.Clone(y)
	mustFit(t, x, y, o)
	for k, now := range [][]float64{x.Data, o.Weights, o.Offset, o.Start, o.PenaltyFactor} {
		if !slices.Equal(now, copies[k]) {
			t.Errorf("input %d was written to", k)
		}
	}
	if !slices.Equal(labels, y) {
		t.Error("labels were written to")
	}
}

// The posterior of LDA is a logit model: on Gaussian classes with one covariance
// both boundaries come together as n grows, and LDA's varies less (ESL 4.4.5).
func TestLDAIsALogit(t *testing.T) {
	truth := []float64{-2, 2, 0} // log-odds of N((2,0), I) against N(0, I)
	spread := func(n, rounds int) (logit, lda float64) {
		for s := range rounds {
			x := linalgtest.Normal(uint64(100+s), n, 2)
			y := make([]int, n)
			for i := range y {
				y[i] = i % 2
				x.Set(i, 0, x.At(i, 0)+2*float64(y[i]))
			}
			logit += distance(intercepted(mustFit(t, x, y, nil)), truth)
			lda += distance(linearDiscriminant(x, y), truth)
		}
		return logit / float64(rounds), lda / float64(rounds)
	}
	logit, lda := spread(200, 200)
	t.Logf("mean squared error at n = 200: logistic %.4f, LDA %.4f", logit, lda)
	if !(lda < logit) {
		t.Errorf("LDA varies more: %g, logistic %g", lda, logit)
	}
	logit, lda = spread(20000, 3)
	if logit > 0.01 || lda > 0.01 {
		t.Errorf("at n = 20,000: logistic %g, LDA %g", logit, lda)
	}
}

func distance(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += (v - b[i]) * (v - b[i])
	}
	return s
}

// linearDiscriminant returns intercept and coefficients of LDA's log-odds for two
// features and classes of one size.
func linearDiscriminant(x *linalg.Dense, y []int) []float64 {
	var mean [2][2]float64
	n := float64(len(y)) / 2
	for i, c := range y {
		mean[c][0] += x.At(i, 0) / n
		mean[c][1] += x.At(i, 1) / n
	}
	w := linalg.Zeros(2, 2)
	for i, c := range y {
		d := []float64{x.At(i, 0) - mean[c][0], x.At(i, 1) - mean[c][1]}
		for j, v := range d {
			linalg.Axpy(w.Row(j), v/(2*n-2), d)
		}
	}
	f, err := linalg.NewCholesky(w)
	if err != nil {
		panic(err)
	}
	b := []float64{mean[1][0] - mean[0][0], mean[1][1] - mean[0][1]}
	f.Solve(b)
	return []float64{-b[0]*(mean[0][0]+mean[1][0])/2 - b[1]*(mean[0][1]+mean[1][1])/2, b[0], b[1]}
}
