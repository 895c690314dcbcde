package regression_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// A row of weight 0 does not count, whatever finite numbers stand in it.
func TestRowOfWeightZero(t *testing.T) {
	x, y, w := lt.Normal(1, 10, 2), lt.Normal(2, 10, 1).Data, make([]float64, 10)
	for i := range w {
		w[i] = 1
	}
	w[0], y[0] = 0, math.MaxFloat64
	copy(x.Row(0), []float64{-math.MaxFloat64, 1e300})
	rest := x.RowRange(1, 10)
	for name, fit := range map[string]func(linalg.Rows, []float64, *regression.Options) (*regression.Model, error){"ridge": regression.FitRidge, "lasso": regression.FitLasso} {
		for _, p := range []int{1, 2} {
			a, err := fit(columns(x, []int{0, 1}[:p]), y, &regression.Options{Lambda: 1, Weights: w})
			if err != nil {
				t.Fatal(name, err)
			}
			b, err := fit(columns(rest, []int{0, 1}[:p]), y[1:], &regression.Options{Lambda: 1})
			if err != nil {
				t.Fatal(name, err)
			}
			lt.CloseSlice(t, name, append(a.Plane().Normal(), atOrigin(a)), append(b.Plane().Normal(), atOrigin(b)), 1e-8)
		}
	}
}

// A response that is an offset and a constant is fitted by the constant to the last digit: all certificates hold,
// and those of audits, whose bound of the minimum is none above the objective of a fit.
func TestResponsesThatAreOffsetsAreFitted(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for trial := range 100 {
		n, p := 1+r.IntN(30), 1+r.IntN(4)
		x := lt.Normal(uint64(trial), n, p)
		offset, y, w := make([]float64, n), make([]float64, n), make([]float64, n)
		level, spread := r.NormFloat64()*math.Pow(10, float64(r.IntN(7)-3)), math.Pow(10, float64(r.IntN(7)-3))
		for i := range y {
			offset[i] = r.NormFloat64() * spread
			y[i], w[i] = offset[i]+level, r.Float64()+.1
		}
		o := regression.Options{Lambda: math.Pow(10, float64(r.IntN(5)-3)), Offset: offset, Weights: w}
		for _, rows := range []linalg.Rows{x, lt.Sparse(x)} {
			for _, ratio := range []float64{0, .5, 1} {
				o.L1Ratio = ratio
				m, err := regression.FitElasticNet(rows, y, &o)
				if err != nil {
					t.Errorf("%d × %d, l1-ratio %g: %v", n, p, ratio, err)
					continue
				}
				a, err := m.Audit(rows, y, &o)
				if err != nil || !a.Report.Certificate().Holds() || !(a.Minimum <= a.Report.Objective()) {
					t.Errorf("%d × %d, l1-ratio %g, %v: %v, %v", n, p, ratio, m.Report(), a, err)
				}
			}
		}
		o.Lambda, o.L1Ratio = 0, 1
		if _, err := regression.ElasticNetPath(x, y, nil, &o); err != nil {
			t.Errorf("%d × %d, a path: %v", n, p, err)
		}
	}
}

// The bound of an audit is as close as that of the fit which it compares with, however far the coefficients are.
func TestMinimumOfAnAuditFarAway(t *testing.T) {
	x, y := lt.Rows(t, []float64{1}, []float64{2}, []float64{3}, []float64{4}), []float64{1.001, 2, 3, 3.999}
	o := &regression.Options{Lambda: 1e-6}
	fit, err := regression.FitRidge(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	far, err := regression.New([]float64{1e4}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := far.Audit(x, y, o)
	if least := fit.Report().Objective(); err != nil || !(a.Minimum <= least && a.Minimum >= least*(1-1e-9)) {
		t.Errorf("at least %v, the fit has %v; %v", a.Minimum, least, err)
	}
}
