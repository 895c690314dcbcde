package discriminant

import (
	"errors"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/optimize"
)

// Weights from 0 to 1e30 leave closed forms with fewer digits than their tolerance
// asks for: a fit without error has a certificate that holds.
func TestNoErrorMeansThatTheCertificateHolds(t *testing.T) {
	sizes := []float64{0, 0.5, 1, 2, 1e-30, 1e30, 1e15, 1e6}
	unsettled := make(map[string]int)
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 3))
		n, p := 6+r.IntN(6), 1+r.IntN(3)
		x, y, w := linalg.Zeros(n, p), make([]int, n), make([]float64, n)
		for i := range x.Data {
			x.Data[i] = []float64{0, 1, -1, 2, -3, 5, 0.1, 1e-7, r.NormFloat64(), 1e8}[r.IntN(10)]
		}
		for i := range y {
			y[i], w[i] = r.IntN(2), sizes[r.IntN(len(sizes))]
		}
		o := &Options{Weights: w, Alpha: 0.5}
		type reported interface{ Report() optimize.Report }
		for name, fit := range map[string]func() (reported, bool, error){
			"indicator":    func() (reported, bool, error) { m, err := FitIndicator(x, y, o); return m, m != nil, err },
			"LDA":          func() (reported, bool, error) { m, err := FitLDA(x, y, o); return m, m != nil, err },
			"QDA":          func() (reported, bool, error) { m, err := FitQDA(x, y, o); return m, m != nil, err },
			"RDA":          func() (reported, bool, error) { m, err := FitRDA(x, y, o); return m, m != nil, err },
			"reduced rank": func() (reported, bool, error) { m, err := FitReducedRank(x, y, o); return m, m != nil, err },
		} {
			m, ok, err := fit()
			if !ok {
				if err == nil {
					t.Fatalf("%s, seed %d: neither model nor error", name, seed)
				}
				continue
			}
			c := m.Report().Certificate
			if holds := c.Value <= c.Tol; holds != (err == nil) || !holds && !errors.Is(err, optimize.ErrNotConverged) {
				t.Errorf("%s, seed %d: certificate %.3g, tolerance %.3g, error %v", name, seed, c.Value, c.Tol, err)
			} else if !holds {
				unsettled[name]++
			}
		}
	}
	// Zeros in place of residuals would hold everywhere. RDA has QDA's.
	for _, name := range []string{"indicator", "LDA", "QDA", "reduced rank"} {
		if unsettled[name] == 0 {
			t.Errorf("%s: no certificate was above its tolerance", name)
		}
	}
}
