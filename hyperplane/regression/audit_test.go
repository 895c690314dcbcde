package regression_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

func TestAuditOfARegressionBoundsTheExcess(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	x, y, w := linalg.Zeros(60, 4), make([]float64, 60), make([]float64, 60)
	for i := range y {
		for j := range 4 {
			x.Set(i, j, r.NormFloat64()*float64(j+1)+float64(10*j))
		}
		y[i], w[i] = x.At(i, 0)-x.At(i, 2)+r.NormFloat64(), float64(i%3)
	}
	for name, o := range map[string]*regression.Options{
		"least squares": {}, "no intercept": {NoIntercept: true}, "ridge": {Lambda: 3}, "ridge standardized": {Lambda: 3, Standardize: true},
		"lasso": {Lambda: 20, L1Ratio: 1}, "elastic net": {Lambda: 10, L1Ratio: 0.3, Standardize: true, NoIntercept: true},
	} {
		o.Weights = w
		fit, err := regression.FitElasticNet(x, y, o)
		if err != nil {
			t.Fatal(name, err)
		}
		own, err := fit.Audit(x, y, o)
		if err != nil {
			t.Fatal(name, err)
		}
		if s := own.Report; s.Status() != optimize.Audited || s.Err(nil) != nil || math.Abs(s.Objective()-fit.Report().Objective()) > 1e-13*s.Objective() {
			t.Errorf("%s: %v, the fit %v", name, s, fit.Report())
		}
		if c := fit.Report().Certificate(); c.Kind == optimize.KindGap && own.Report.Certificate().Value > c.Value*1.1+1e-15 {
			t.Errorf("%s: %v, the fit %v", name, own.Report, c)
		}
		for _, change := range []float64{0, 1e-7, 1e-4, 0.1, 10} {
			coef, intercept := fit.Coef()
			for j := range coef.Data {
				coef.Data[j] += change * r.NormFloat64()
			}
			if !o.NoIntercept {
				intercept[0] += change * r.NormFloat64()
			}
			m, err := regression.New(coef.Row(0), intercept[0], nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := m.Audit(x, y, o)
			if err != nil {
				t.Fatal(name, err)
			}
			objective, excess := a.Report.Objective(), a.Report.Objective()-fit.Report().Objective()
			if want := objectiveAt(x, y, coef.Row(0), intercept[0], o); !(math.Abs(objective-want) <= 1e-10*want) {
				t.Errorf("%s, changed by %g: objective %v, want %v", name, change, objective, want)
			}
			if a.Excess() < excess-1e-13*objective || a.Excess() > 1.0001*excess+1e-7*fit.Report().Objective() {
				t.Errorf("%s, changed by %g: %v, but the excess is %g", name, change, a, excess)
			}
			if held := a.Report.Certificate().Holds(); change > 1e-3 && (held || a.Report.Err(nil) == nil || len(a.Rows) == 0) {
				t.Errorf("%s, changed by %g: %v", name, change, a)
			}
		}
	}
}

// objectiveAt sums the objective row by row.
func objectiveAt(x *linalg.Dense, y, coef []float64, intercept float64, o *regression.Options) (f float64) {
	total := 0.0
	for i, w := range o.Weights {
		r := y[i] - intercept - linalg.Dot(coef, x.Row(i))
		f += w * r * r / 2
		total += w
	}
	for j, b := range coef {
		if o.Standardize {
			mean, square := 0.0, 0.0
			for i, w := range o.Weights {
				mean += w / total * x.At(i, j)
			}
			for i, w := range o.Weights {
				square += w / total * (x.At(i, j) - mean) * (x.At(i, j) - mean)
			}
			b *= math.Sqrt(square)
		}
		f += o.Lambda * (o.L1Ratio*math.Abs(b) + (1-o.L1Ratio)/2*b*b)
	}
	return f
}

// What a fit refuses an audit refuses too, of good coefficients as of others, which alone are fitted anew.
func TestAuditRefusesOptionsOfNoUse(t *testing.T) {
	x, err := linalg.FromRows([][]float64{{1}, {2}, {4}, {3}})
	if err != nil {
		t.Fatal(err)
	}
	y := []float64{1, 2, 3, 5}
	good, err := regression.FitOLS(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	bad, err := regression.New([]float64{3}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]*regression.Options{"Count": {Count: 5}, "L1Ratio": {L1Ratio: 1}, "Standardize": {Standardize: true}, "MinNorm": {MinNorm: true, Lambda: 1}} {
		for _, m := range []*regression.Model{good, bad} {
			option := (*sample.OptionError)(nil)
			if _, err := m.Audit(x, y, o); !errors.As(err, &option) || option.Name != name {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
