package regression_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// randomRegression draws a table, some with columns that nearly agree, far means and exact
// responses, and the options of a lasso or an elastic net.
func randomRegression(r *rand.Rand) (x *linalg.Dense, y []float64, o *regression.Options, name string) {
	n, p := 8+r.IntN(16), 1+r.IntN(5)
	x, y = linalg.Zeros(n, p), make([]float64, n)
	far, noise := 0.0, []float64{1, 1, 0.1, 1e-4}[r.IntN(4)]
	if r.IntN(4) == 0 {
		far = math.Pow(10, 6*r.Float64())
	}
	near := math.Exp(-20 * r.Float64())
	for i := range n {
		row := x.Row(i)
		for j := range row {
			row[j] = r.NormFloat64()
			y[i] += row[j] * float64(j%3-1)
		}
		if p > 2 && n%3 == 0 {
			row[1] = row[0] + near*row[1]
		}
		row[0] += far
		y[i] += far + noise*r.NormFloat64()
	}
	o = &regression.Options{Lambda: math.Exp(8*r.Float64() - 5), L1Ratio: 1, Standardize: r.IntN(2) == 0, NoIntercept: r.IntN(5) == 0}
	name = "lasso"
	if r.IntN(2) == 0 {
		o.L1Ratio, name = 0.01+0.98*r.Float64(), "elastic net"
	}
	if r.IntN(2) == 0 {
		o.Tol = math.Pow(10, -2-8*r.Float64())
	}
	if r.IntN(3) == 0 {
		o.Weights, o.Offset = make([]float64, n), make([]float64, n)
		for i := range o.Weights {
			o.Weights[i], o.Offset[i] = float64(r.IntN(4))*0.7, r.NormFloat64()
		}
		o.Weights[0] = 1
	}
	return x, y, o, name
}

// The minimum of a regression with a lasso part, found in 320 bits, lies within the
// certificate of the published coefficients, alone and on a path, however rough the fit is.
func TestMinimumOfARegressionIsWithinTheCertificate(t *testing.T) {
	looseness, fits, n := map[string][]float64{}, 0, lt.Rounds(100, 5000)
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 18))
		x, y, o, name := randomRegression(r)
		m, err := regression.FitElasticNet(x, y, o)
		if m == nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r.IntN(2) == 0 {
			lambdas := []float64{o.Lambda, o.Lambda / 3, o.Lambda / 10}
			var path *regression.Path
			o.Lambda = 0
			path, err = regression.ElasticNetPath(x, y, lambdas, o)
			m, name = path.Points[r.IntN(len(path.Points))].Model, "path, "+name
		}
		if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		f := lt.Fit{X: x, W: o.Weights, Offset: o.Offset, Lambda: m.Lambda(), L1Ratio: o.L1Ratio, Standardize: o.Standardize, NoIntercept: o.NoIntercept}
		coef, at := m.Plane().Normal(), m.Plane().Origin()
		published := lt.Affine{Coef: &linalg.Dense{Rows: 1, Cols: x.Cols, Stride: x.Cols, Data: coef}, At: []float64{m.Plane().Value(at)}, Origin: at}
		objective, minimum, e := lt.SquaredLeast(f, y, published)
		if e != nil {
			t.Logf("seed %d, %s: %v", seed, name, e)
			continue
		}
		fits++
		excess, _ := new(big.Float).Sub(objective, minimum).Float64()
		value, _ := objective.Float64()
		c := m.Report().Certificate()
		if c.Kind != optimize.KindGap || !(excess <= c.Value*value*(1+1e-9)) {
			t.Errorf("seed %d, %s: %g above the minimum %g, %v, %v", seed, name, excess, value, c, err)
		}
		if excess > 0 {
			looseness[name] = append(looseness[name], c.Value*value/excess)
		}
	}
	if fits < n*9/10 {
		t.Errorf("of %d fits %d have a minimum that is known", n, fits)
	}
	lt.LogLooseness(t, looseness)
}
