package logistic_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/optimize"
)

// A ridge without an intercept on features far from 0 is fitted as if they were near, of few rows
// and of many: in few iterations, with a certificate that holds in exact arithmetic, and a trace that ends
// at the coefficients.
func TestNoInterceptBesideLargeMeans(t *testing.T) {
	linalgtest.SkipSlow(t)
	for _, shape := range []struct{ n, p, k int }{{300, 4, 2}, {90, 4, 3}, {30, 40, 2}, {12, 14, 3}} {
		for _, mean := range []float64{1e3, 1e8} {
			for name, o := range map[string]logistic.Options{
				"plain":        {Lambda: 0.3},
				"standardized": {Lambda: 2, Standardize: true},
				"weights":      {Lambda: 0.3, Weights: make([]float64, shape.n)},
				"start":        {Lambda: 0.3, Start: []float64{}},
			} {
				t.Run(fmt.Sprint(shape, mean, name), func(t *testing.T) { fitFar(t, shape.n, shape.p, shape.k, mean, o) })
			}
		}
	}
}

func fitFar(t *testing.T, n, p, k int, mean float64, o logistic.Options) {
	x, y := linalgtest.LabeledRows(n, p, k)
	for i := range n {
		for j := range p {
			x.Row(i)[j] += mean * math.Sin(float64(j+1))
		}
	}
	for i := range o.Weights {
		o.Weights[i] = float64(i % 4)
	}
	if o.Start != nil {
		functions := k
		if k == 2 {
			functions = 1
		}
		o.Start = linalgtest.Numbers(functions * p)
		linalg.Scale(o.Start, 1/mean)
	}
	o.NoIntercept = true
	var last []float64
	o.Trace = func(s optimize.Step) error {
		last = append(last[:0], s.X...)
		return nil
	}
	m, err := logistic.Fit(x, y, &o)
	if err != nil || m.Report().Iterations() > 60 {
		t.Fatal(m.Report(), err)
	}
	coef, intercept := m.Coef()
	linalgtest.CloseSlice(t, "last of the trace", last, laidOut(coef, intercept, false), 1e-4)
	f := linalgtest.Fit{X: x, Lambda: o.Lambda, Standardize: o.Standardize, NoIntercept: true, W: o.Weights}
	bound := m.Report().Certificate().Value + 1e-15 // the coefficients are rounded
	if excess := linalgtest.LogisticExcess(f, y, affine(m), -1, bound); !(excess <= bound) {
		t.Errorf("excess %.2g, the report says %v", excess, m.Report())
	}
	o.Trace, o.Start = nil, nil
	audit, err := m.Audit(x, y, &o)
	if err != nil || !audit.Report.Certificate().Holds() {
		t.Errorf("%v, %v", audit, err)
	}
}

// Without an intercept, and with means of all sizes, each smaller penalty calls for other coefficients than the line
// through the last two fits foretells: followed at any price, it led to objectives hundreds of times
// that of no coefficients, where all the work was spent.
func TestLassoWithoutInterceptOfFarMeans(t *testing.T) {
	linalgtest.SkipSlow(t)
	const n, p, k = 7, 142, 6
	for seed := range uint64(3) {
		x, y, r := linalgtest.Normal(seed, n, p), make([]int, n), rand.New(rand.NewPCG(seed, 1))
		for j := range p {
			mean := math.Pow(10, 2+4*r.Float64())
			for i := range n {
				x.Row(i)[j] += mean
			}
		}
		for i := range y {
			y[i] = i % k
		}
		m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1e-4, L1Ratio: 0.5, NoIntercept: true, Standardize: true})
		if m == nil {
			t.Fatal(err)
		}
		if f := m.Report().Objective(); !(f < 0.01) {
			t.Errorf("seed %d: objective %g, that without coefficients is %g", seed, f, n*math.Log(k))
		}
	}
}
