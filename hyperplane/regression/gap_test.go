package regression_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
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
	worst, excess := 0.0, 0.0
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
		worst = math.Max(worst, math.Abs(g))
		excess += math.Pow(math.Max(0, math.Abs(g)-l1), 2)
	}
	dualOf := func(s, excess float64) float64 { // of s times the residual
		if l2 > 0 {
			return s*cross - s*s*rss/2 - excess/(2*l2)
		}
		return s*cross - s*s*rss/2
	}
	dual := dualOf(math.Min(1, l1/worst), 0)
	if l2 > 0 {
		dual = math.Max(dual, dualOf(1, excess))
	}
	return objective, (objective - dual) / math.Max(objective, 1e-12*spread/2)
}

// However rough a fit is, its gap is the one that the data give, and the objective less
// that is below the optimum.
func TestElasticNetGapAnywhere(t *testing.T) {
	x, y := lt.Normal(111, 200, 40), lt.Normal(112, 200, 1).Data
	loose := 0
	for _, ratio := range []float64{1, .7, .1} {
		o := regression.Options{Lambda: 3, L1Ratio: ratio, Standardize: true}
		best, err := regression.FitElasticNet(x, y, &o)
		if err != nil {
			t.Fatal(err)
		}
		for _, o.Tol = range []float64{0.9, 0.3, 0.1, 1e-2, 1e-3, 1e-5} {
			m, err := regression.FitElasticNet(x, y, &o)
			if err != nil {
				t.Fatal(err)
			}
			objective, gap := gapFromData(t, m, x, y, o)
			lt.Close(t, "objective", m.Report().Objective(), objective, 1e-12)
			lt.Close(t, "gap", m.Report().Certificate().Value, gap, 1e-8)
			if objective*(1-gap) > best.Report().Objective()*(1+1e-7) {
				t.Errorf("α %g: dual value %g above the optimum %g", ratio, objective*(1-gap), best.Report().Objective())
			}
			if gap > 1e-5 {
				loose++
			}
		}
	}
	if loose == 0 {
		t.Error("all fits are exact")
	}
}

// Means of columns that are far from 0 are rounded by a part of the spread. The certificate is that
// of the problem with an intercept all the same, and holds; so does that of an audit.
func TestElasticNetGapFarFromZero(t *testing.T) {
	x, y := lt.Normal(5, 40, 3), lt.Normal(6, 40, 1).Data
	for i := range y {
		y[i] += 5*x.At(i, 0) - 3*x.At(i, 1)
		for j := range 3 {
			x.Set(i, j, 1e14*float64(j+1)/3+3*x.At(i, j))
		}
	}
	for _, ratio := range []float64{0.5, 1} {
		o := regression.Options{Lambda: 0.5, L1Ratio: ratio}
		m, err := regression.FitElasticNet(x, y, &o)
		if err != nil {
			t.Fatal(err)
		}
		p := m.Plane()
		f := lt.Affine{Coef: lt.Rows(t, p.Normal()), At: []float64{p.Value(p.Origin())}, Origin: p.Origin()}
		if gap := lt.ElasticNetExcess(lt.Fit{X: x, Lambda: 0.5, L1Ratio: ratio}, y, f, 1e-8); !(gap <= 1e-8) {
			t.Errorf("L1 ratio %g: gap %g", ratio, gap)
		}
		if a, err := m.Audit(x, y, &o); err != nil || !a.Report.Certificate().Holds() {
			t.Errorf("L1 ratio %g: audit %v, %v", ratio, a, err)
		}
	}
}

// Beside a row of a huge weight the means of columns are rounded by much, of sparse rows too: what is
// certified holds.
func TestElasticNetGapOfSparseRowsBesideAHeavyOne(t *testing.T) {
	const n, p, lambda = 40, 1700, 20
	b, x := lt.Normal(7, n, 2), linalg.Zeros(n, 1+n)
	start, index, value := []int{0}, []int32{}, []float64{}
	y, o := make([]float64, n), &regression.Options{Weights: slices.Repeat([]float64{1}, n), Lambda: lambda, L1Ratio: 1}
	for i := range n {
		y[i] = b.At(i, 0) + b.At(i, 1)
		x.Set(i, 0, b.At(i, 0)/3)
		x.Set(i, 1+i, b.At(i, 1))
		index, value = append(index, 0, int32(1+i)), append(value, b.At(i, 0)/3, b.At(i, 1))
		start = append(start, len(index))
	}
	rows, err := linalg.NewCSR(n, p, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	converged := 0
	for heavy := range 12 {
		o.Weights[heavy] = 1e18
		m, err := regression.FitElasticNet(rows, y, o)
		if err == nil {
			converged++
			if excess, c := excessOf(t, m, x, y, o), m.Report().Certificate(); !(excess <= c.Value) {
				t.Errorf("row %d heavy: %g above the minimum, %v", heavy, excess, c)
			}
		} else if !errors.Is(err, optimize.ErrNotConverged) {
			t.Fatal(err)
		}
		o.Weights[heavy] = 1
	}
	if converged == 0 {
		t.Error("no fit is certified")
	}
}

// excessOf returns how far the published coefficients are above the minimum, relative to the objective, in
// 320 bits, of which the report is to know it; x holds the first columns, and all others have no values.
func excessOf(t *testing.T, m *regression.Model, x *linalg.Dense, y []float64, o *regression.Options) float64 {
	t.Helper()
	p, origin := m.Plane(), m.Plane().Origin()
	f := lt.Affine{Coef: lt.Rows(t, p.Normal()[:x.Cols]), At: []float64{p.Value(origin)}, Origin: origin}
	fit := lt.Fit{X: x, W: o.Weights, Offset: o.Offset, Lambda: o.Lambda, L1Ratio: o.L1Ratio, Standardize: o.Standardize}
	value, least, err := lt.SquaredLeast(fit, y, f)
	if err != nil {
		t.Fatal(err)
	}
	excess, _ := new(big.Float).Quo(new(big.Float).Sub(value, least), value).Float64()
	objective, _ := value.Float64()
	r := m.Report()
	if c := r.Certificate().Value; c < 1 {
		lt.Close(t, fmt.Sprintf("%+v: the objective", *o), r.Objective(), objective, (c+1e-12)*objective)
	}
	return excess
}

// Responses that are far from 0 keep the digits of their differences from offsets, as far as the level does.
func TestOffsetsKeepTheDigitsOfResponses(t *testing.T) {
	converged := 0
	for seed := range uint64(40) {
		x, noise := lt.Normal(2*seed, 12, 6), lt.Normal(2*seed+1, 12, 2)
		y, o := make([]float64, 12), &regression.Options{Lambda: 1e-3, L1Ratio: 1, Offset: make([]float64, 12)}
		for i := range y {
			y[i], o.Offset[i] = 3e11+math.Round(1e3*noise.At(i, 0))/1024, noise.At(i, 1)
		}
		m, err := regression.FitElasticNet(x, y, o)
		if errors.Is(err, optimize.ErrNotConverged) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		converged++
		if excess, c := excessOf(t, m, x, y, o), m.Report().Certificate(); !(excess <= c.Value) {
			t.Errorf("%g above the minimum, %v", excess, c)
		}
	}
	if converged == 0 {
		t.Error("no fit is certified")
	}
	t.Log(converged)
}

// Of sparse rows that stay about 0, the rounding of means far from 0 is in the certificates; near 0 it is
// next to nothing.
func TestSparseRowsBesideAColumnFarFromZero(t *testing.T) {
	for k, far := range []float64{100, 1e5, 1e6, 100, 1e5, 1e6, 100, 1e5, 1e6} {
		n, p := []int{40, 40, 510}[k/3], []int{1900, 2100, 2100}[k/3] // ridges by columns, by rows, and by passes
		b := lt.Normal(7, n, 4)
		x, y := linalg.Zeros(n, 3), make([]float64, n)
		start, index, value := []int{0}, []int32{}, []float64{}
		for i := range n {
			x.Set(i, 0, far+b.At(i, 0))
			index, value = append(index, 0), append(value, x.At(i, 0))
			if i%3 > 0 {
				x.Set(i, i%3, b.At(i, 1))
				index, value = append(index, int32(i%3)), append(value, b.At(i, 1))
			}
			y[i] = b.At(i, 0) + b.At(i, 1) + b.At(i, 3)
			start = append(start, len(index))
		}
		sparse, err := linalg.NewCSR(n, p, start, index, value)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []*regression.Options{{Lambda: 100}, {Lambda: 1}, {Lambda: 1e-3, L1Ratio: 0.5}, {Lambda: 3, L1Ratio: 0.5}, {Lambda: 1, L1Ratio: 1}} {
			if n > 40 && o.L1Ratio > 0 {
				continue // as with 40 rows
			}
			m, err := regression.FitElasticNet(sparse, y, o)
			if m == nil || far == 100 && err != nil {
				t.Fatal(err)
			}
			excess, c := excessOf(t, m, x, y, o), m.Report().Certificate()
			if !(excess <= c.Value) || far <= 1e5 && !(c.Value < 1e-8) {
				t.Errorf("far %g, λ %g, L1 ratio %g: %g above the minimum, %v", far, o.Lambda, o.L1Ratio, excess, c)
			}
		}
	}
}

// The level of sparse rows that stay about 0 is rounded to float64 where responses are far from 0, which is in
// the certificates.
func TestLevelOfSparseRowsFarFromZero(t *testing.T) {
	for seed := range uint64(12) {
		n, p := []int{40, 40, 510}[seed%3], []int{1900, 2100, 2100}[seed%3] // ridges by columns, by rows, and by passes
		b, start, index, value := lt.Normal(seed, n, 2), []int{0}, []int32{}, []float64{}
		x, y := linalg.Zeros(n, 1), make([]float64, n)
		for i := range n {
			if i%2 == 0 {
				x.Set(i, 0, b.At(i, 0))
				index, value = append(index, 0), append(value, b.At(i, 0))
			}
			y[i] = 3e11/7 + b.At(i, 1)
			start = append(start, len(index))
		}
		sparse, err := linalg.NewCSR(n, p, start, index, value)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []*regression.Options{{Lambda: 1e3}, {Lambda: 1e3, L1Ratio: 1}, {Lambda: 0.1, L1Ratio: 1}} {
			m, err := regression.FitElasticNet(sparse, y, o)
			if m == nil {
				t.Fatal(err)
			}
			if excess, c := excessOf(t, m, x, y, o), m.Report().Certificate(); c.Kind == optimize.KindGap && !(excess <= c.Value) {
				t.Errorf("seed %d, λ %g, L1 ratio %g: %g above the minimum, %v", seed, o.Lambda, o.L1Ratio, excess, c)
			}
		}
	}
}

// An audit of a function that is given about 0 has all digits of its values at columns far from there.
func TestAuditOfAFunctionAboutAFarOrigin(t *testing.T) {
	x, y := lt.Normal(5, 40, 2), lt.Normal(6, 40, 1).Data
	for i := range y {
		for j := range 2 {
			x.Set(i, j, 1e13*float64(j+1)/3+x.At(i, j))
		}
	}
	for _, o := range []*regression.Options{{Lambda: 3, L1Ratio: 1}, {Lambda: 3}, {Lambda: 3, L1Ratio: 0.5}} {
		for _, slope := range []float64{0.3, -0.7, 0.11} {
			plain := -slope*x.At(0, 0) + slope*x.At(0, 1)/2
			m, err := regression.New([]float64{slope, -slope / 2}, plain, nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := m.Audit(x, y, o)
			if err != nil {
				t.Fatal(err)
			}
			f := lt.Affine{Coef: lt.Rows(t, m.Plane().Normal()), At: []float64{m.Plane().Intercept()}}
			value, least, err := lt.SquaredLeast(lt.Fit{X: x, Lambda: o.Lambda, L1Ratio: o.L1Ratio}, y, f)
			if err != nil {
				t.Fatal(err)
			}
			objective, _ := value.Float64()
			excess, _ := new(big.Float).Quo(new(big.Float).Sub(value, least), value).Float64()
			lt.Close(t, "objective", a.Report.Objective(), objective, 1e-9*objective)
			if c := a.Report.Certificate(); !(excess <= c.Value*(1+1e-9)) {
				t.Errorf("%+v, slope %g: %g above the minimum, %v", o, slope, excess, c)
			}
		}
	}
}
