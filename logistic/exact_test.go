package logistic

import (
	"errors"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// Columns that are almost copies have coefficients of 10⁶ of which the scores keep
// few digits: the fit converges, and in more digits its certificate holds as well, but
// for rounding below the tolerance.
func TestNearCopies(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 2))
		x, y := linalg.Zeros(200, 4), make([]int, 200)
		for i := range y {
			row := x.Row(i)
			row[0], row[1], row[2] = r.NormFloat64()+5, 10*r.NormFloat64()+5, 100*r.NormFloat64()+5
			row[3] = row[0] + 1e-7*r.NormFloat64()
			if row[0]-5+r.NormFloat64() > 0 {
				y[i] = 1
			}
		}
		m, err := Fit(x, y, nil)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		coef, _ := m.Coef()
		at := linalgtest.Affine{Coef: coef, At: m.intercept, Origin: m.Origin()}
		if g := linalgtest.LogisticGradient(linalgtest.Fit{X: x}, y, at); !(g <= 2e-10) {
			t.Errorf("seed %d: the gradient is %g", seed, g)
		}
	}
}

// Where hardly any coefficients in 53 bits make the derivatives small, the certificate
// is that of those published, and a cap is kept.
func TestBlurredFit(t *testing.T) {
	x, err := linalg.FromRows([][]float64{{5, 0.1}, {-3, 1e8 + 1}, {5, -3}, {1e8, 5}, {5.000000000000005, -3}, {-3, 1e8}, {5, 1e8 + 1}})
	if err != nil {
		t.Fatal(err)
	}
	y := []int{2, 1, 1, 0, 0, 2, 0}
	m, err := Fit(x, y, nil)
	if m == nil {
		t.Fatal(err)
	}
	if holds := m.Report().Certificate().Holds(); holds != (err == nil) || !holds && !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("%v with %+v", err, m.Report())
	}
	coef, _ := m.Coef()
	g := linalgtest.LogisticGradient(linalgtest.Fit{X: x}, y, linalgtest.Affine{Coef: coef, At: m.intercept, Origin: m.Origin()})
	linalgtest.Close(t, "certificate", m.Report().Certificate().Value, g, 1e-12)
	for most := 1; most < m.Report().Iterations(); most++ {
		c, err := Fit(x, y, &Options{MaxIter: most})
		if !errors.Is(err, optimize.ErrNotConverged) || c.Report().Iterations() > most {
			t.Errorf("at most %d iterations: %v with %+v", most, err, c.Report())
		}
	}
}
