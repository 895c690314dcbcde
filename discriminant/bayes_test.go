package discriminant_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
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
	m, _ := linalg.NewMoments(2, true)
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
		if se := math.Sqrt(c.At(j, j) / n); math.Abs(v-g.Mean()[j]) > 5*se {
			t.Errorf("mean %d is %v, want %v ± %v", j, v, g.Mean()[j], se)
		}
		for l := range j + 1 {
			se := math.Sqrt((c.At(j, j)*c.At(l, l) + c.At(j, l)*c.At(j, l)) / n)
			if got := m.Within().At(j, l) / n; math.Abs(got-c.At(j, l)) > 5*se {
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
		if math.Abs(rate-exact) > 4*se {
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
