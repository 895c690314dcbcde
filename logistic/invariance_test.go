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

func TestWeightsAreRepeatedRows(t *testing.T) {
	for _, data := range []func() (*linalg.Dense, []int){func() (*linalg.Dense, []int) { return lt.Heart(t, "tobacco ldl famhist=Present age") }, func() (*linalg.Dense, []int) { return lt.Several(t, "iris") }} {
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
		for _, o := range []logistic.Options{{Tol: 1e-13}, {Lambda: 0.7, Tol: 1e-13}, {Lambda: 0.7, L1Ratio: 0.5, Standardize: true, Tol: 1e-12}} {
			a := lt.MustFit(t, repeated, labels, &o)
			o.Weights = w
			b := lt.MustFit(t, x, y, &o)
			ca, ia := a.Coef()
			cb, ib := b.Coef()
			linalgtest.CloseSlice(t, "coef", cb.Data, ca.Data, 1e-10)
			linalgtest.CloseSlice(t, "intercept", ib, ia, 1e-10)
		}
	}
}

func TestDoubling(t *testing.T) {
	x, y := lt.IrisPair(t)
	double, _ := linalg.NewDense(2*x.Rows, x.Cols, append(slices.Clone(x.Clone().Data), x.Clone().Data...))
	both := append(slices.Clone(y), y...)
	for _, alpha := range []float64{0, 0.5, 1} {
		a := lt.MustFit(t, x, y, &logistic.Options{Lambda: 1, L1Ratio: alpha, Tol: 1e-12})
		b := lt.MustFit(t, double, both, &logistic.Options{Lambda: 2, L1Ratio: alpha, Tol: 1e-12})
		linalgtest.CloseSlice(t, "coef", lt.Intercepted(b), lt.Intercepted(a), 1e-9)
	}
}

func TestPermutations(t *testing.T) {
	x, y := lt.IrisPair(t)
	m := lt.Intercepted(lt.MustFit(t, x, y, nil))
	flipped := slices.Clone(y)
	for i := range flipped {
		flipped[i] = 1 - y[i]
	}
	f := lt.Intercepted(lt.MustFit(t, x, flipped, nil))
	linalg.Scale(f, -1)
	linalgtest.CloseSlice(t, "labels flipped", f, m, 1e-8)
	turned := x.Clone()
	for i := range turned.Rows {
		slices.Reverse(turned.Row(i))
	}
	r := lt.Intercepted(lt.MustFit(t, turned, y, nil))
	slices.Reverse(r[1:])
	linalgtest.CloseSlice(t, "columns reversed", r, m, 1e-8)
}

func TestReference(t *testing.T) {
	x, y := lt.Several(t, "iris")
	last, ref := lt.MustFit(t, x, y, nil), 0
	first := lt.MustFit(t, x, y, &logistic.Options{Reference: &ref})
	for i := range x.Rows {
		linalgtest.CloseSlice(t, "probabilities", first.Proba(nil, x.Row(i)), last.Proba(nil, x.Row(i)), 1e-12)
	}
	coef, intercept := first.Coef()
	linalgtest.CloseSlice(t, "reference", append(intercept[:1], coef.Row(0)...), []float64{0, 0}, 0)
	ref = 7
	if _, err := logistic.Fit(x, y, &logistic.Options{Reference: &ref}); !lt.Is[*linalg.ClassError](err) {
		t.Errorf("reference 7: %v", err)
	}
}

func TestRidgeSumsToZero(t *testing.T) {
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	y, _ := linalgtest.Codes(labels)
	m := lt.MustFit(t, x, y, &logistic.Options{Lambda: 0.1})
	coef, intercept := m.Coef()
	for j := range x.Cols {
		linalgtest.Close(t, "Σ coef", coef.At(0, j)+coef.At(1, j)+coef.At(2, j), 0, 1e-12)
	}
	linalgtest.Close(t, "Σ intercept", lt.Sum(intercept), 0, 1e-11)
}

func TestInterceptsSumToZero(t *testing.T) {
	x, y := linalgtest.Normal(5, 90, 2), make([]int, 90)
	for i := range y {
		y[i] = i % 3
		for j := range 2 {
			x.Set(i, j, 1e8+math.Round(x.At(i, j)*8)+float64(y[i]))
		}
	}
	for _, ratio := range []float64{0, 0.5, 1} {
		path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: ratio}, Lambdas: []float64{1}})
		if err != nil {
			t.Fatal(err)
		}
		if _, b := path.Points[0].Model.Coef(); !(math.Abs(lt.Sum(b)) <= 1e-14*linalg.NormInf(b)) {
			t.Errorf("L1Ratio %g: %v sum to %g", ratio, b, lt.Sum(b))
		}
	}
}

// Fits write neither to options nor to data.
func TestInputsUntouched(t *testing.T) {
	x, y := lt.IrisPair(t)
	o := &logistic.Options{Lambda: 1, L1Ratio: 0.5, Weights: make([]float64, len(y)), Offset: make([]float64, len(y)), Start: make([]float64, 5), PenaltyFactor: []float64{1, 2, 0.5, 1}}
	for i := range o.Weights {
		o.Weights[i], o.Offset[i] = 1, 0.1
	}
	copies := [][]float64{slices.Clone(x.Data), slices.Clone(o.Weights), slices.Clone(o.Offset), slices.Clone(o.Start), slices.Clone(o.PenaltyFactor)}
	labels := slices.Clone(y)
	lt.MustFit(t, x, y, o)
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
			logit += distance(lt.Intercepted(lt.MustFit(t, x, y, nil)), truth)
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
