package regression_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/optimize"
)

// Weights and columns of sizes 1e60 apart leave least squares with fewer digits
// than its tolerance asks for: a fit without error has a certificate that holds.
func TestNoErrorMeansThatTheCertificateHolds(t *testing.T) {
	sizes := []float64{0, 0.5, 1, 2, 1e-30, 1e30, 1e15, 1e6}
	unsettled := make(map[string]int)
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 3))
		n, p := 6+r.IntN(6), 1+r.IntN(3)
		x, y, w := linalg.Zeros(n, p), make([]float64, n), make([]float64, n)
		for i := range x.Data {
			x.Data[i] = []float64{0, 1, -1, 2, -3, 5, 0.1, 1e-7, r.NormFloat64(), 1e8}[r.IntN(10)]
		}
		for i := range y {
			y[i], w[i] = x.Data[i], sizes[r.IntN(len(sizes))]
		}
		for name, fit := range map[string]func(linalg.Rows, []float64, *regression.Options) (*regression.Model, error){
			"OLS": regression.FitOLS, "ridge": regression.FitRidge, "normal equations": regression.FitNormalEquations,
		} {
			for _, shortest := range []bool{false, true} {
				m, err := fit(x, y, &regression.Options{Weights: w, MinNorm: shortest})
				if m == nil {
					continue
				}
				c := m.Report().Certificate()
				if holds := c.Value <= c.Tol; holds != (err == nil) || !holds && !errors.Is(err, optimize.ErrNotConverged) {
					t.Errorf("%s, seed %d: certificate %.3g, tolerance %.3g, error %v", name, seed, c.Value, c.Tol, err)
				} else if !holds {
					unsettled[name]++
				}
			}
		}
	}
	// Zeros in place of residuals would hold everywhere.
	for _, name := range []string{"OLS", "ridge"} {
		if unsettled[name] == 0 {
			t.Errorf("%s: no certificate was above its tolerance", name)
		}
	}
}
