package discriminant_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/moments"
)

func gaussian(t testing.TB, mean []float64, cov ...[]float64) *discriminant.Gaussian {
	t.Helper()
	c, err := linalg.FromRows(cov)
	if err != nil {
		t.Fatal(err)
	}
	g, err := discriminant.NewGaussian(mean, c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGaussianDensity(t *testing.T) {
	g := gaussian(t, []float64{1, 2}, []float64{2, 0.6}, []float64{0.6, 0.5})
	// |Σ| = 0.64, Σ⁻¹ = [0.5 −0.6; −0.6 2]/0.64; at (2, 1): d = (1, −1), dᵀΣ⁻¹d = 3.7/0.64.
	want := -math.Log(2*math.Pi) - math.Log(0.64)/2 - 3.7/0.64/2
	linalgtest.Close(t, "log-density", g.LogDensity([]float64{2, 1}), want, 1e-14)
	linalgtest.CloseSlice(t, "covariance", g.Cov().Data, []float64{2, 0.6, 0.6, 0.5}, 1e-15)
}

// The mean and covariance of 200,000 draws lie within 5 standard errors of the
// density's: 5 figures, each with a chance of 6e-7 to fail for a random seed.
func TestGaussianSample(t *testing.T) {
	g := gaussian(t, []float64{1, -2}, []float64{2, 0.6}, []float64{0.6, 0.5})
	r := rand.New(rand.NewPCG(1, 2))
	m, _ := moments.New(2, true)
	const n = 200000
	x := linalg.Zeros(n, 2)
	for i := range n {
		g.Sample(x.Row(i)[:0], r)
	}
	if err := m.AddRows(x, make([]int, n), nil, 0); err != nil {
		t.Fatal(err)
	}
	c := g.Cov()
	for j, v := range m.Mean(0) {
		if se := math.Sqrt(c.At(j, j) / n); !(math.Abs(v-g.Mean()[j]) <= 5*se) {
			t.Errorf("mean %d is %v, want %v ± %v", j, v, g.Mean()[j], se)
		}
		for l := range j + 1 {
			se := math.Sqrt((c.At(j, j)*c.At(l, l) + c.At(j, l)*c.At(j, l)) / n)
			if got := m.Within().At(j, l) / n; !(math.Abs(got-c.At(j, l)) <= 5*se) {
				t.Errorf("covariance %d, %d is %v, want %v ± %v", j, l, got, c.At(j, l), se)
			}
		}
	}
}

func TestBayesExactAndSimulatedError(t *testing.T) {
	cov := [][]float64{{1, 0.5}, {0.5, 2}}
	f, g := gaussian(t, []float64{0, 0}, cov...), gaussian(t, []float64{2, 1}, cov...)
	for _, priors := range [][]float64{nil, {0.9, 0.1}} {
		b, err := discriminant.NewBayes([]int{-1, 5}, []discriminant.Density{f, g}, priors, nil)
		if err != nil {
			t.Fatal(err)
		}
		exact, ok := b.ExactError()
		if !ok {
			t.Fatal("no exact error")
		}
		// 4 standard errors: fails for one seed in 16,000.
		rate, se := b.Error(nil, 20000, 7)
		if !(math.Abs(rate-exact) <= 4*se) {
			t.Errorf("priors %v: error %v ± %v, exactly %v", priors, rate, se, exact)
		}
		if again, _ := b.Error(b.Predict, 20000, 7); again != rate {
			t.Error("the same seed gave another error")
		}
	}
	// Δ = 2 and equal priors: Φ(−1).
	unit := [][]float64{{1}}
	b, err := discriminant.NewBayes([]int{0, 1}, []discriminant.Density{gaussian(t, []float64{0}, unit...), gaussian(t, []float64{2}, unit...)}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	exact, _ := b.ExactError()
	linalgtest.Close(t, "Φ(−1)", exact, 0.15865525393145707, 1e-15)
}

// Moving the classes far from 0 leaves the exact error alone.
func TestExactErrorFarFromZero(t *testing.T) {
	x, y := gaussians(14, 200, 3, 2, 1)
	far := x.Clone()
	for i, v := range x.Data {
		x.Data[i] = math.Round(v*1024) / 1024
		far.Data[i] = x.Data[i] + 1<<36 // exact
	}
	want, _ := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil)).Bayes().ExactError()
	got, ok := must[*discriminant.LDA](t)(discriminant.FitLDA(far, y, nil)).Bayes().ExactError()
	if !ok {
		t.Fatal("no exact error")
	}
	linalgtest.Close(t, "error", got, want, 1e-12)
}

func TestMixture(t *testing.T) {
	a, b := gaussian(t, []float64{-1}, []float64{1}), gaussian(t, []float64{3}, []float64{4})
	m := must[*discriminant.Mixture](t)(discriminant.NewMixture([]float64{.25, .75}, []*discriminant.Gaussian{a, b}))
	for _, x := range []float64{-3, 0, 2, 50} {
		phi := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
		want := math.Log(.25*phi(x+1) + .75*phi((x-3)/2)/2)
		linalgtest.Close(t, "log-density", m.LogDensity([]float64{x}), want, 1e-13)
	}
	// Far out, where both densities underflow, the logarithm is still finite.
	if v := m.LogDensity([]float64{1e6}); math.IsInf(v, 0) {
		t.Errorf("log-density %v", v)
	}
	// Mean .25·(−1) + .75·3 = 2, variance .25·(1+9) + .75·(4+1) = 6.25; within 5
	// standard errors of 40,000 draws.
	const n = 40000
	r, s := rand.New(rand.NewPCG(3, 4)), 0.0
	var x []float64
	for range n {
		x = m.Sample(x[:0], r)
		s += x[0]
	}
	if !(math.Abs(s/n-2) <= 5*2.5/math.Sqrt(n)) {
		t.Errorf("mean %v", s/n)
	}
	two := gaussian(t, []float64{0, 0}, []float64{1, 0}, []float64{0, 1})
	for name, f := range map[string]func() (*discriminant.Mixture, error){
		"no parts": func() (*discriminant.Mixture, error) { return discriminant.NewMixture(nil, nil) },
		"a nil part": func() (*discriminant.Mixture, error) {
			return discriminant.NewMixture([]float64{1}, []*discriminant.Gaussian{nil})
		},
		"weights missing": func() (*discriminant.Mixture, error) {
			return discriminant.NewMixture([]float64{1}, []*discriminant.Gaussian{a, b})
		},
		"weights of 2": func() (*discriminant.Mixture, error) {
			return discriminant.NewMixture([]float64{1, 1}, []*discriminant.Gaussian{a, b})
		},
		"other features": func() (*discriminant.Mixture, error) {
			return discriminant.NewMixture([]float64{.5, .5}, []*discriminant.Gaussian{a, two})
		},
	} {
		if m, err := f(); err == nil || m != nil {
			t.Errorf("%s: %v, %v", name, m, err)
		} else if s := err.Error(); strings.HasPrefix(name, "weights") && (strings.Contains(s, "riors") || !strings.Contains(s, "eights")) {
			t.Errorf("%s: %s", name, s)
		}
	}
}

func TestBayesScoresAndErrors(t *testing.T) {
	a, b := gaussian(t, []float64{0}, []float64{1}), gaussian(t, []float64{2}, []float64{4})
	costs, _ := linalg.FromRows([][]float64{{0, 1}, {5, 0}})
	densities := []discriminant.Density{a, b}
	m := must[*discriminant.Bayes](t)(discriminant.NewBayes([]int{3, 8}, densities, []float64{.6, .4}, nil))
	c := must[*discriminant.Bayes](t)(discriminant.NewBayes([]int{3, 8}, densities, []float64{.6, .4}, costs))
	x, _ := linalg.FromRows([][]float64{{-1}, {0.4}, {1.1}, {2}})
	rows, err := m.PredictRows(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	for i, class := range rows {
		u := x.At(i, 0)
		want := []float64{math.Log(.6) + a.LogDensity([]float64{u}), math.Log(.4) + b.LogDensity([]float64{u})}
		linalgtest.CloseSlice(t, "scores", m.Scores(nil, []float64{u}), want, 1e-14)
		p := m.Proba(nil, []float64{u})
		linalgtest.Close(t, "posterior", p[1], linalg.Sigmoid(want[1]-want[0]), 1e-14)
		linalgtest.Close(t, "log-posterior", m.LogProba(nil, []float64{u})[1], math.Log(p[1]), 1e-13)
		linalgtest.Close(t, "cost", c.Scores(nil, []float64{u})[0], -5*p[1], 1e-13)
		if class != m.Predict([]float64{u}) || (class == 8) != (p[1] > .5) {
			t.Errorf("class %d at %v", class, u)
		}
	}
	if m.Report().Status().String() != "direct" || m.Density(1) != densities[1] || m.Priors()[0] != .6 || m.Classes()[1] != 8 || m.Features() != 1 {
		t.Error("accessors")
	}
	if _, ok := m.ExactError(); ok {
		t.Error("exact error for two covariances")
	}
	if _, ok := c.ExactError(); ok {
		t.Error("exact error under costs")
	}
	same := must[*discriminant.Bayes](t)(discriminant.NewBayes([]int{0, 1}, []discriminant.Density{a, a}, []float64{.7, .3}, nil))
	if e, ok := same.ExactError(); !ok || math.Abs(e-.3) > 1e-15 {
		t.Errorf("error of equal densities: %v, %v", e, ok)
	}
	two := gaussian(t, []float64{0, 0}, []float64{1, 0}, []float64{0, 1})
	for name, f := range map[string]func() (*discriminant.Bayes, error){
		"no classes": func() (*discriminant.Bayes, error) { return discriminant.NewBayes(nil, nil, nil, nil) },
		"one class":  func() (*discriminant.Bayes, error) { return discriminant.NewBayes([]int{1}, densities[:1], nil, nil) },
		"densities":  func() (*discriminant.Bayes, error) { return discriminant.NewBayes([]int{1, 2, 3}, densities, nil, nil) },
		"descending": func() (*discriminant.Bayes, error) { return discriminant.NewBayes([]int{2, 1}, densities, nil, nil) },
		"repeated":   func() (*discriminant.Bayes, error) { return discriminant.NewBayes([]int{2, 2}, densities, nil, nil) },
		"nil density": func() (*discriminant.Bayes, error) {
			return discriminant.NewBayes([]int{1, 2}, []discriminant.Density{a, nil}, nil, nil)
		},
		"other features": func() (*discriminant.Bayes, error) {
			return discriminant.NewBayes([]int{1, 2}, []discriminant.Density{a, two}, nil, nil)
		},
		"priors": func() (*discriminant.Bayes, error) {
			return discriminant.NewBayes([]int{1, 2}, densities, []float64{1, 0}, nil)
		},
		"costs": func() (*discriminant.Bayes, error) {
			return discriminant.NewBayes([]int{1, 2}, densities, nil, linalg.Zeros(1, 2))
		},
	} {
		if m, err := f(); err == nil || m != nil {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	for name, f := range map[string]func() error{
		"labels":  func() error { _, _, err := m.LogLikelihood(x, []int{3}, nil); return err },
		"unknown": func() error { _, _, err := m.LogLikelihood(x, []int{3, 8, 3, 4}, nil); return err },
		"columns": func() error { _, _, err := m.LogLikelihood(linalg.Zeros(1, 2), []int{3}, nil); return err },
		"weights": func() error { _, _, err := m.LogLikelihood(x, []int{3, 8, 3, 8}, []float64{1, 1, 1, -1}); return err },
	} {
		if f() == nil {
			t.Errorf("likelihood: %s: no error", name)
		}
	}
}

func TestGaussianErrors(t *testing.T) {
	nan := linalg.Identity(2)
	nan.Set(1, 0, math.NaN())
	singular, _ := linalg.FromRows([][]float64{{1, 1}, {1, 1}})
	for name, c := range map[string]struct {
		mean []float64
		cov  *linalg.Dense
	}{
		"no covariance": {[]float64{0}, nil}, "mean": {[]float64{0}, linalg.Identity(2)}, "not square": {[]float64{0, 0}, linalg.Zeros(2, 3)},
		"NaN": {[]float64{0, 0}, nan}, "infinite mean": {[]float64{0, math.Inf(1)}, linalg.Identity(2)}, "singular": {[]float64{0, 0}, singular},
	} {
		if g, err := discriminant.NewGaussian(c.mean, c.cov); err == nil || g != nil {
			t.Errorf("%s: %v, %v", name, g, err)
		}
	}
}

func TestLikelihoods(t *testing.T) {
	x, y := iris(t)
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
	q := must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, nil))
	for name, m := range map[string]interface {
		classifier
		Bayes() *discriminant.Bayes
		LogProba(dst, row []float64) []float64
	}{"LDA": l, "QDA": q} {
		b := m.Bayes()
		joint, conditional, err := b.LogLikelihood(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		sum, total := 0.0, 0.0
		for i := range x.Rows {
			p := m.LogProba(nil, x.Row(i))
			sum += p[y[i]]
			total += p[y[i]] + b.LogDensity(x.Row(i))
			linalgtest.CloseSlice(t, name+": posterior of the densities", b.Proba(nil, x.Row(i)), m.Proba(nil, x.Row(i)), 1e-12)
		}
		linalgtest.Close(t, name+": conditional", conditional, sum, 1e-12)
		linalgtest.Close(t, name+": joint = conditional + marginal", joint, total, 1e-12)
	}
	joint, _, _ := l.Bayes().LogLikelihood(x, y, nil)
	linalgtest.Close(t, "LDA: objective", l.Report().Objective(), -joint, 1e-12)
	joint, _, _ = q.Bayes().LogLikelihood(x, y, nil)
	linalgtest.Close(t, "QDA: objective", q.Report().Objective(), -joint, 1e-12)
}

// Rows of weight 0 count for nothing: one with a label that no class has, and one so far away that it has no density.
func TestLikelihoodsPassOverRowsOfWeightZero(t *testing.T) {
	x, y := iris(t)
	b := must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, nil)).Bayes()
	joint, conditional, err := b.LogLikelihood(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := x.Rows
	more, w := linalg.Zeros(n+2, x.Cols), append(slices.Repeat([]float64{1}, n), 0, 0)
	for i := range n {
		copy(more.Row(i), x.Row(i))
	}
	more.Set(n+1, 2, 1e200)
	j, c, err := b.LogLikelihood(more, append(slices.Clone(y), 9, y[0]), w)
	if err != nil || j != joint || c != conditional {
		t.Errorf("%v, %v, %v, want %v, %v", j, c, err, joint, conditional)
	}
}

// The standard error of an estimated rate e is √(e(1−e)/n).
func TestEstimatedErrorHasItsStandardError(t *testing.T) {
	b := must[*discriminant.Bayes](t)(discriminant.NewBayes([]int{0, 1}, []discriminant.Density{gaussian(t, []float64{0}, []float64{1}), gaussian(t, []float64{1}, []float64{1})}, nil, nil))
	e, se := b.Error(nil, 400, 1)
	if !(e > 0.2 && e < 0.4) {
		t.Errorf("the error is %v", e)
	}
	linalgtest.Close(t, "its standard error", se, math.Sqrt(e*(1-e)/400), 1e-15)
}
