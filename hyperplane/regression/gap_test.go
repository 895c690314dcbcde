package regression_test

import (
	"math"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// gapFromData recomputes, from the data and the published coefficients alone,
// what a lasso's or an elastic net's certificate says: the gap between the
// objective and the dual value of the residual scaled into the dual's constraints.
func gapFromData(t testing.TB, m *regression.Model, x *linalg.Dense, y []float64, o regression.Options) (objective, gap float64) {
	t.Helper()
	n, p := x.Dims()
	w := o.Weights
	if w == nil {
		w = make([]float64, n)
		for i := range w {
			w[i] = 1
		}
	}
	pred, err := m.PredictRows(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for _, v := range w {
		total += v
	}
	mean := func(at func(i int) float64) float64 {
		if o.NoIntercept {
			return 0
		}
		first := at(0)
		s := 0.0
		for i := range n {
			s += w[i] * (at(i) - first)
		}
		return first + s/total
	}
	l1, l2 := m.Lambda()*m.L1Ratio(), m.Lambda()*(1-m.L1Ratio())
	zbar := mean(func(i int) float64 { return y[i] })
	rss, cross, spread := 0.0, 0.0, 0.0
	for i := range n {
		r := y[i] - pred[i]
		rss += w[i] * r * r
		cross += w[i] * r * (y[i] - zbar)
		spread += w[i] * (y[i] - zbar) * (y[i] - zbar)
	}
	objective = rss / 2
	worst, excess, size := 0.0, 0.0, rss
	for j := range p {
		xbar := mean(func(i int) float64 { return x.At(i, j) })
		g, sd := 0.0, 0.0
		for i := range n {
			v := x.At(i, j) - xbar
			g += w[i] * v * (y[i] - pred[i])
			sd += w[i] * v * v
		}
		unit := 1.0
		if o.Standardize && sd > 0 {
			unit = math.Sqrt(sd / total)
		}
		b := m.Plane().Normal()[j] * unit
		g /= unit
		objective += l1*math.Abs(b) + l2/2*b*b
		size += l2 * b * b
		worst = math.Max(worst, math.Abs(g-l2*b))
		excess += math.Pow(math.Max(0, math.Abs(g)-l1), 2)
	}
	s := cross / size
	if worst > 0 {
		s = math.Min(s, l1/worst)
	}
	dual := s*cross - s*s*size/2
	if l2 > 0 {
		dual = math.Max(dual, cross-rss/2-excess/(2*l2))
	}
	return objective, (objective - dual) / math.Max(objective, 1e-12*spread/2)
}

// Away from the optimum too the gap is the one that the data give, and the dual
// value is below the optimum.
func TestElasticNetGapAnywhere(t *testing.T) {
	x, y := lt.Normal(111, 30, 4), lt.Normal(112, 30, 1).Data
	far := lt.Normal(113, 12, 4)
	for _, ratio := range []float64{1, .7, .1} {
		o := regression.Options{Lambda: 3, L1Ratio: ratio, Standardize: true}
		best, err := regression.FitElasticNet(x, y, &o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range far.Rows {
			scale := math.Pow(.3, float64(i))
			beta := best.Plane().Normal()
			for j := range beta {
				beta[j] += scale * far.At(i, j)
			}
			m, dual, err := regression.GapAt(x, y, &o, beta)
			if err != nil {
				t.Fatal(err)
			}
			objective, gap := gapFromData(t, m, x, y, o)
			lt.Close(t, "objective", m.Report().Objective(), objective, 1e-12)
			lt.Close(t, "gap", m.Report().Certificate().Value, gap, 1e-10)
			if dual > best.Report().Objective()*(1+1e-7) {
				t.Errorf("α %g: dual value %g above the optimum %g", ratio, dual, best.Report().Objective())
			}
		}
	}
}

// Where a solver has converged and the duality gap is above its tolerance, the next
// solve is a hundred times tighter; one that ran out of iterations has no next.
func TestElasticNetTightens(t *testing.T) {
	stages, err := regression.StagesAt(lt.Normal(91, 30, 6), lt.Normal(92, 30, 1).Data, &regression.Options{L1Ratio: 1, Lambda: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	tol := 1e-8 * regression.GapShare
	if len(stages) != 4 {
		t.Errorf("%d solves", len(stages))
	}
	for k, stage := range stages {
		start := make([]float64, 6)
		_, r, err := stage.Solve(start, &optimize.Control{})
		if c := r.Certificate(); err != nil || math.Abs(c.Tol/tol-1) > 1e-12 || !c.Holds() {
			t.Errorf("solve %d: %+v, %v", k, r, err)
		}
		_, cut, _ := stage.Solve(start, &optimize.Control{MaxIter: 1})
		wide := r.Certify(1, optimize.Certificate{Kind: optimize.KindGap, Value: 1})
		for _, c := range []struct {
			r    optimize.Report
			want bool
		}{{optimize.Report{}, true}, {wide, true}, {r, false}, {cut, false}} {
			if got := stage.When(start, c.r, optimize.Continue); got != c.want {
				t.Errorf("after %v: %v", c.r.Status(), got)
			}
		}
		tol /= 100
	}
}
