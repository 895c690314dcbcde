package regression

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// inverse returns a⁻¹ by Gauss and Jordan's rule, with pivots.
func inverse(a *linalg.Dense) *linalg.Dense {
	n := a.Rows
	w := linalg.Zeros(n, 2*n)
	for i := range n {
		copy(w.Row(i), a.Row(i))
		w.Set(i, n+i, 1)
	}
	for k := range n {
		best := k
		for i := k; i < n; i++ {
			if math.Abs(w.At(i, k)) > math.Abs(w.At(best, k)) {
				best = i
			}
		}
		for j := range 2 * n {
			u, v := w.At(k, j), w.At(best, j)
			w.Set(k, j, v)
			w.Set(best, j, u)
		}
		linalg.Scale(w.Row(k), 1/w.At(k, k))
		for i := range n {
			if i != k {
				linalg.Axpy(w.Row(i), -w.At(i, k), w.Row(k))
			}
		}
	}
	b := linalg.Zeros(n, n)
	for i := range n {
		copy(b.Row(i), w.Row(i)[n:])
	}
	return b
}

// drawn is a table with weights, of which some are 0, and an offset.
func drawn(seed uint64, n, p int) (x *linalg.Dense, y []float64, o Options) {
	r := rand.New(rand.NewPCG(seed, 81))
	x, y = lt.Thinned(seed, n, p, 0.7), make([]float64, n)
	o.Weights, o.Offset = make([]float64, n), make([]float64, n)
	for i := range n {
		x.Row(i)[0] += 3
		y[i], o.Weights[i], o.Offset[i] = 2+x.At(i, 0)+r.NormFloat64(), float64(r.IntN(4)), r.NormFloat64()
	}
	o.Weights[0], o.Weights[1] = 1, 2
	if seed%3 == 1 {
		o.Weights = nil
	}
	if seed%4 == 1 {
		o.Offset = nil
	}
	o.NoIntercept, o.Standardize = seed%5 == 0, seed%2 == 0
	return x, y, o
}

// naive is weighted least squares with a ridge: moments, coefficients in units, and what follows.
type naive struct {
	mean, unit, theta         []float64
	level, rss, tss, df, norm float64
	intercept                 float64
}

func naively(x *linalg.Dense, y []float64, o Options, lambda float64) (s naive) {
	n, p := x.Dims()
	w, z := make([]float64, n), make([]float64, n)
	total := 0.0
	for i := range n {
		if w[i], z[i] = 1, y[i]; o.Weights != nil {
			w[i] = o.Weights[i]
		}
		if o.Offset != nil {
			z[i] -= o.Offset[i]
		}
		total += w[i]
	}
	s.mean, s.unit, s.theta = make([]float64, p), make([]float64, p), make([]float64, p)
	for i := range n {
		if !o.NoIntercept {
			linalg.Axpy(s.mean, w[i]/total, x.Row(i))
			s.level += w[i] / total * z[i]
		}
	}
	for j := range p {
		mean, square := 0.0, 0.0
		for i := range n {
			mean += w[i] / total * x.At(i, j)
		}
		for i := range n {
			square += w[i] / total * (x.At(i, j) - mean) * (x.At(i, j) - mean)
		}
		if s.unit[j] = 1; o.Standardize && lambda > 0 && square > 1e-24*mean*mean { // else it is rounding of a constant
			s.unit[j] = math.Sqrt(square)
		}
	}
	k, rhs := linalg.Zeros(p, p), make([]float64, p)
	at := func(i, j int) float64 { return (x.At(i, j) - s.mean[j]) / s.unit[j] }
	for i := range n {
		for a := range p {
			rhs[a] += w[i] * at(i, a) * (z[i] - s.level)
			for b := range p {
				k.Set(a, b, k.At(a, b)+w[i]*at(i, a)*at(i, b))
			}
		}
		s.tss += w[i] * (z[i] - s.level) * (z[i] - s.level)
	}
	gram := k.Clone()
	for a := range p {
		k.Set(a, a, k.At(a, a)+lambda)
	}
	inv := inverse(k)
	inv.MulVec(s.theta, rhs)
	for a := range p {
		for b := range p {
			s.df += inv.At(a, b) * gram.At(b, a)
		}
	}
	s.intercept = s.level
	for i := range n {
		r := z[i] - s.level
		for j := range p {
			r -= at(i, j) * s.theta[j]
		}
		s.rss += w[i] * r * r
	}
	for j, b := range s.theta {
		s.norm += b * b
		s.intercept -= b / s.unit[j] * s.mean[j]
	}
	return s
}

// Ridge and least squares have the coefficients, the objective, the degrees of freedom and the
// share of the variance of their definitions, however rows are stored, by whichever of the ways.
func TestRidgeIsItsDefinition(t *testing.T) {
	for seed := range uint64(90) {
		n, p := 14, 1+int(seed%5)
		if seed%6 == 5 {
			n, p = 6, 9
		}
		x, y, o := drawn(seed, n, p)
		if n < p {
			o.Weights = nil
		}
		grid := []float64{50, 3, 0.2, 1e-3}
		if seed%3 == 0 {
			grid = append(grid, 1e3, 1e-5, 20, 7, 0.5)
		}
		if o.Weights == nil && n > p && !o.Standardize {
			grid = append(grid, 0)
		}
		var rows linalg.Rows = x
		if seed%4 == 2 {
			rows = lt.Sparse(x)
		}
		path, err := RidgePath(rows, y, grid, &o)
		if err != nil {
			t.Fatal(seed, err)
		}
		for k, lambda := range grid {
			one := o
			if one.Lambda = lambda; lambda == 0 {
				one.Standardize = false
			}
			single, err := FitRidge(rows, y, &one)
			if err != nil {
				t.Fatal(seed, err)
			}
			want := naively(x, y, o, lambda)
			near := 1e-9
			if n < p {
				near = 1e-7
			}
			for _, m := range []*Model{path.Points[k].Model, single} {
				for j, b := range m.plane.Normal() {
					lt.Close(t, "β", b, want.theta[j]/want.unit[j], near*(1+math.Abs(want.theta[j])))
				}
				lt.CloseSlice(t, "intercept, df, R², objective, λ", []float64{m.plane.Intercept(), m.DF(), m.R2(), m.Report().Objective(), m.Lambda()},
					[]float64{want.intercept, want.df, 1 - want.rss/want.tss, want.rss/2 + lambda/2*want.norm, lambda}, 10*near*(1+want.rss+math.Abs(want.intercept)))
			}
			if point := path.Points[k]; point.Penalty != lambda || point.DF != point.Model.DF() || point.Objective != point.Model.Report().Objective() {
				t.Errorf("seed %d: %+v", seed, point)
			}
			if t.Failed() {
				t.Fatalf("seed %d, %d × %d, λ %g", seed, n, p, lambda)
			}
		}
	}
}

// The certificate of a closed form is the largest residual of the normal equations relative to
// the sizes of its terms, at any coefficients.
func TestResidualOfTheNormalEquations(t *testing.T) {
	for seed := range uint64(40) {
		x, y, o := drawn(seed, 12, 3)
		if seed%4 == 3 {
			for i := range 12 {
				x.Set(i, 2, 0) // a column of zeros has no equation
			}
		}
		p, err := newProblem(x, y, &o)
		if err != nil {
			t.Fatal(err)
		}
		theta := lt.Normal(seed, 1, 3).Data
		r, err := p.at(theta)
		if err != nil {
			t.Fatal(err)
		}
		const lambda = 0.7
		unit := o
		want := naively(x, y, unit, 1)
		w := func(i int) float64 {
			if o.Weights == nil {
				return 1
			}
			return o.Weights[i]
		}
		norms, g, rss := make([]float64, 3), make([]float64, 3), 0.0
		for i := range 12 {
			z := y[i] - want.level
			if o.Offset != nil {
				z -= o.Offset[i]
			}
			for j, b := range theta {
				z -= b * (x.At(i, j) - want.mean[j]) / want.unit[j]
			}
			rss += w(i) * z * z
			for j := range theta {
				u := (x.At(i, j) - want.mean[j]) / want.unit[j]
				g[j] += w(i) * z * u
				norms[j] += w(i) * u * u
			}
		}
		size, length := math.Sqrt(want.tss), linalg.Norm(theta)
		for j, b := range theta {
			norms[j] = math.Sqrt(norms[j])
			size += norms[j] * math.Abs(b)
		}
		worst := 0.0
		for j, b := range theta {
			worst = max(worst, math.Abs(g[j]-lambda*b)/(norms[j]*size+lambda*length))
		}
		lt.CloseSlice(t, "norms", p.norms, norms, 1e-12)
		lt.CloseSlice(t, "gradient", r.gradient, g, 1e-11)
		lt.CloseSlice(t, "rss, size, residual", []float64{r.rss, r.size, p.normalResidual(r, lambda)}, []float64{rss, size, worst}, 1e-11)
	}
}

// The right-hand side of a refinement is exact but for its last rounding, where terms cancel
// to a part in 1e12.
func TestExactGradient(t *testing.T) {
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(v) }
	mul := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(600).Mul(a, b) }
	for seed := range uint64(20) {
		x, y, o := drawn(seed, 9, 3)
		for i := range y {
			x.Row(i)[1] = 1e6 + x.Row(i)[1]
			y[i] *= 1e5
			if o.Weights != nil {
				o.Weights[i]++
			}
		}
		o.Standardize = false
		p, err := newProblem(x, y, &o)
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.fitOLS()
		if err != nil {
			t.Fatal(err)
		}
		beta := m.plane.Normal()
		got, level := p.exactGradient(beta, x)
		total, most := num(0), 0.0
		for j := range beta {
			sum, size := num(0), 0.0
			for i := range y {
				r := num(y[i])
				r.Sub(r, num(p.mean))
				if o.Offset != nil {
					r.Sub(r, num(o.Offset[i]))
				}
				for k, b := range beta {
					d := num(x.At(i, k))
					d.Sub(d, num(p.Origin[k]))
					r.Sub(r, mul(num(b), d))
				}
				d := num(x.At(i, j))
				d.Sub(d, num(p.Origin[j]))
				if j == 0 {
					total.Add(total, mul(r, num(p.Weight(i))))
					most += p.Weight(i) * (math.Abs(y[i]) + 1e6*math.Abs(beta[1]))
				}
				term := mul(mul(r, d), num(p.Weight(i)))
				v, _ := d.Float64()
				size += math.Abs(v) * p.Weight(i) * (math.Abs(y[i]) + 1e6*math.Abs(beta[1]))
				sum.Add(sum, term)
			}
			want, _ := sum.Float64()
			lt.Close(t, fmt.Sprintf("seed %d", seed), got[j], want, 4e-16*math.Abs(want)+1e-28*size)
		}
		want, _ := total.Float64()
		lt.Close(t, fmt.Sprintf("seed %d, sum", seed), level, want, 4e-16*math.Abs(want)+1e-28*most)
	}
}

// The loss of a cross-validation is the mean of (y − offset − f)² over the rows that were left out.
func TestCrossValidationIsByHand(t *testing.T) {
	for _, ratio := range []float64{0, 0.6, 1} {
		for seed := range uint64(4) {
			x, y, o := drawn(seed, 30, 3)
			folds, lambdas := make([]int, 30), []float64{5, 0.5}
			for i := range folds {
				folds[i] = i % 3
			}
			o.L1Ratio, o.Tol = ratio, 1e-12
			if ratio == 0 {
				o.Tol = 0
			}
			cv, err := CrossValidate(x, y, lambdas, folds, &o)
			if err != nil {
				t.Fatal(err)
			}
			all := o.Weights
			if all == nil {
				all = make([]float64, 30)
				for i := range all {
					all[i] = 1
				}
			}
			for k, lambda := range lambdas {
				sum, total := 0.0, 0.0
				for f := range 3 {
					own := o
					own.Lambda, own.Weights = lambda, append([]float64(nil), all...)
					for i := range folds {
						if folds[i] == f {
							own.Weights[i] = 0
						}
					}
					m, err := FitElasticNet(x, y, &own)
					if err != nil {
						t.Fatal(err)
					}
					for i, w := range all {
						if folds[i] == f {
							r := y[i] - m.Predict(x.Row(i))
							if o.Offset != nil {
								r -= o.Offset[i]
							}
							sum += w * r * r
							total += w
						}
					}
				}
				lt.Close(t, "loss", cv.CV.Mean[k], sum/total, 1e-6*sum/total)
			}
		}
	}
}

// The trace of a fit by passes shows the plain intercept and coefficients.
func TestTraceOfAFitByPasses(t *testing.T) {
	const n = fewRows + 1
	x := linalg.Zeros(n, 2100)
	r := rand.New(rand.NewPCG(1, 82))
	y := make([]float64, n)
	for i := range y {
		for range 30 {
			x.Set(i, r.IntN(2100), r.NormFloat64())
		}
		y[i] = 5 + x.At(i, 3) + r.NormFloat64()
	}
	for _, standardize := range []bool{false, true} {
		var last []float64
		m, err := FitRidge(lt.Sparse(x), y, &Options{Lambda: 2, Standardize: standardize, Trace: func(s optimize.Step) error {
			last = append(last[:0], s.X...)
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		coef, intercept := m.Coef()
		if len(last) != 2101 {
			t.Fatalf("%d numbers are shown", len(last))
		}
		lt.Close(t, "intercept", last[0], intercept[0], 1e-9)
		lt.CloseSlice(t, "coefficients", last[1:], coef.Row(0), 1e-9)
		dense, err := FitRidge(x, y, &Options{Lambda: 2, Standardize: standardize})
		if err != nil {
			t.Fatal(err)
		}
		lt.CloseSlice(t, "as dense", m.plane.Normal(), dense.plane.Normal(), 1e-6)
	}
}

// R² of gradient descent is 1 − J over the variance, by the weights.
func TestDescentExplains(t *testing.T) {
	x, y, o := drawn(3, 25, 2)
	m, err := FitDescent(x, y, &DescentOptions{BFGS: true, Weights: o.Weights, Tol: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	o = Options{Weights: o.Weights}
	want := naively(x, y, o, 0)
	total := 0.0
	for _, w := range o.Weights {
		total += w
	}
	lt.CloseSlice(t, "R², J, df", []float64{m.R2(), m.Report().Objective(), m.DF()}, []float64{1 - want.rss/want.tss, want.rss / total, 2}, 1e-8)
	if _, err := FitDescent(x, y, &DescentOptions{Start: make([]float64, 2)}); !errors.As(err, new(*linalg.ShapeError)) {
		t.Errorf("a short start: %v", err)
	}
}

// Quartiles as R's quantile has them, on paper, and names of columns that have none.
func TestQuartilesAndNames(t *testing.T) {
	for _, c := range []struct{ v, w, want []float64 }{
		{[]float64{7}, nil, []float64{7, 7, 7, 7, 7}}, {[]float64{3, 1}, nil, []float64{1, 1.5, 2, 2.5, 3}},
		{[]float64{4, 1, 3, 2}, nil, []float64{1, 1.75, 2.5, 3.25, 4}}, {[]float64{5, 4, 3, 2, 1}, nil, []float64{1, 2, 3, 4, 5}}, {nil, nil, make([]float64, 5)},
		{[]float64{9, 3, 1, 5}, []float64{0, 1, 3, 0}, []float64{1, 1, 1, 1.5, 3}}, // 1, 1, 1, 3
		{[]float64{1, 2, 3}, []float64{1, 1, 0.5}, []float64{1, 1.375, 1.75, 2.125, 3}},
	} {
		q := quartiles(c.v, c.w)
		lt.CloseSlice(t, "quartiles", q[:], c.want, 0)
	}
	x, y, o := drawn(7, 25, 3)
	o.Standardize = false
	for _, none := range []bool{false, true} {
		o.NoIntercept = none
		_, s, err := Summarize(x, y, &o)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]bool{"(Intercept)": !none, "height": true, "x2": true, "x3": true, "x1": false, "x4": false, "Residuals:": true} {
			if strings.Contains(s.Table([]string{"height"}), text) != want {
				t.Errorf("%q in\n%s", text, s.Table([]string{"height"}))
			}
		}
		if !strings.Contains(s.String(), "x1") {
			t.Error(s)
		}
	}
}

// Records with numbers that no fit makes, and models that were never fitted.
func TestDamagedRecords(t *testing.T) {
	if s := new(Model).String(); s != "linear regression, not fitted" {
		t.Error(s)
	}
	x, y, _ := drawn(7, 25, 3)
	m, err := FitRidge(x, y, &Options{Lambda: 1})
	if err != nil || strings.Contains(m.String(), "not fitted") {
		t.Fatal(m, err)
	}
	for name, change := range map[string]func(m *Model){
		"none": func(*Model) {}, "λ": func(m *Model) { m.lambda = -1 }, "ratio": func(m *Model) { m.l1Ratio = -0.5 }, "more": func(m *Model) { m.l1Ratio = 1.5 },
		"df": func(m *Model) { m.df = -1 }, "bounds": func(m *Model) { m.lambda, m.l1Ratio, m.df = 0, 1, 0 },
	} {
		own := *m
		change(&own)
		b, err := json.Marshal(&own)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, new(Model)); errors.As(err, new(*record.DamageError)) != (name != "none" && name != "bounds") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if m, err := New([]float64{0, 2, 0, -1}, 3, &Options{Lambda: 2}); err != nil || m.DF() != 2 || m.Lambda() != 2 || !math.IsNaN(m.R2()) {
		t.Errorf("%v, %v", m, err)
	}
}

// Weights that sum to 1 are no repeated rows, of which a variance could be told.
func TestSummaryOfTooLittleWeight(t *testing.T) {
	x, y, o := drawn(7, 25, 3)
	o.Standardize, o.Weights = false, slices.Repeat([]float64{1. / 25}, 25)
	var e *sample.OptionError
	if m, s, err := Summarize(x, y, &o); m != nil || s != nil || !errors.As(err, &e) || !strings.Contains(err.Error(), "repeated rows") {
		t.Error(s, err)
	}
	linalg.Scale(o.Weights, 4.5) // one function has four coefficients
	if _, s, err := Summarize(x, y, &o); err != nil || !(s.DF > 0.4 && s.DF < 0.6) {
		t.Error(s, err)
	}
}

// As many rows as coefficients leave nothing to estimate the variance from.
func TestNoDegreesOfFreedom(t *testing.T) {
	x := lt.Rows(t, []float64{1, 2}, []float64{3, 1}, []float64{-1, 4})
	_, s, err := Summarize(x, []float64{1, 2, 4}, nil)
	if err != nil || s.DF != 0 {
		t.Fatal(s, err)
	}
	for what, v := range map[string]float64{"σ": s.Sigma, "adjusted R²": s.AdjR2, "F": s.F, "p of F": s.FP, "se": s.Terms[1].SE, "t": s.Terms[0].T, "p": s.Terms[2].P} {
		if !math.IsNaN(v) {
			t.Errorf("%s is %g", what, v)
		}
	}
}

// Elastic nets of many features go by rows, but for columns of sizes of many orders: of these most stay out.
func TestElasticNetsOfUnevenColumnsGoByHessians(t *testing.T) {
	for _, c := range []struct {
		orders float64
		byRows bool
	}{{0, true}, {3, true}, {10, false}} {
		x, y := lt.Normal(5, 20, 90), lt.Normal(6, 1, 20).Data
		for i := range x.Rows {
			for j := range x.Cols {
				x.Set(i, j, x.At(i, j)*math.Pow(10, c.orders*(float64(j*37%x.Cols)/float64(x.Cols)-0.5)))
			}
			x.Set(i, 3, 0) // a column without values does not count
		}
		e, err := newElasticNet(x, y, &Options{L1Ratio: 0.3})
		if err != nil {
			t.Fatal(err)
		}
		if byRows := e.q.Instead != nil; byRows != c.byRows {
			t.Errorf("sizes of %g orders: by rows %v", c.orders, byRows)
		}
		m, err := FitElasticNet(x, y, &Options{L1Ratio: 0.3, Lambda: 1e-3})
		if err != nil || !m.Report().Certificate().Holds() {
			t.Errorf("sizes of %g orders: %v", c.orders, err)
		}
	}
}

// The triangle of the rows is made once for all λ of a path, none of which writes to it.
func TestTriangleOfTheRowsIsMadeOnce(t *testing.T) {
	x, y, o := drawn(3, 40, 3)
	p, err := newProblem(x, y, &o)
	if err != nil {
		t.Fatal(err)
	}
	s := &spectrum{problem: p, lambdas: []float64{1e-9, 2e-9}}
	first, err := s.compact()
	if err != nil {
		t.Fatal(err)
	}
	kept := first.Clone()
	for _, lambda := range s.lambdas {
		if _, err := s.triangle(lambda); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.fromRows(); err != nil {
		t.Fatal(err)
	}
	if again, err := s.compact(); err != nil || again != first || !slices.Equal(again.Data, kept.Data) {
		t.Errorf("another triangle, %v", err)
	}
}
