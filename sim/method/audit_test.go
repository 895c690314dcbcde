package method_test

import (
	"math"
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// Whatever was fitted is audited with the verdict of its fit, behind steps too, and with
// another as soon as its options are others.
func TestAuditOfAnyMethodAgreesWithItsFit(t *testing.T) {
	x, species, _ := linalgtest.Table(t, "iris.csv", "species")
	labels, names := coded(species)
	y := make([]float64, len(labels))
	for i := range y {
		y[i] = 2*x.At(i, 0) - x.At(i, 3) + 0.3*float64(i%7)
	}
	for _, c := range []struct {
		name   string
		o, not method.Options
	}{
		{"logistic", method.Options{Lambda: 0.5}, method.Options{Lambda: 0.6}},
		{"logistic", method.Options{Lambda: 0.5, L1Ratio: 1, Standardize: true}, method.Options{Lambda: 0.5, L1Ratio: 0.9, Standardize: true}},
		{"svc", method.Options{C: 2}, method.Options{C: 1}},
		{"svc", method.Options{C: 2, Multi: "ovr", Standardize: true, Probability: true}, method.Options{C: 1}},
		{"lda", method.Options{}, method.Options{Divisor: "n"}},
		{"rrlda", method.Options{}, method.Options{Priors: []float64{0.2, 0.3, 0.5}}},
		{"qda", method.Options{Standardize: false}, method.Options{Divisor: "n"}},
		{"svr", method.Options{C: 1, Epsilon: 0.2}, method.Options{C: 1, Epsilon: 0.3}},
		{"ols", method.Options{}, method.Options{}},
		{"ridge", method.Options{Lambda: 3}, method.Options{Lambda: 4}},
		{"lasso", method.Options{Lambda: 3, Standardize: true}, method.Options{Lambda: 3}},
	} {
		m, err := method.Named(c.name)
		if err != nil {
			t.Fatal(err)
		}
		d := &dataset.Data{X: x, Labels: labels, Names: names}
		if m.Regression {
			d = &dataset.Data{X: x, Y: y}
		}
		fit, err := m.Fit(d, &c.o)
		if err != nil {
			t.Fatal(c.name, err)
		}
		o := c.o
		o.Probability = false
		if m.Takes("standardize") && len(fit.Steps()) > 0 {
			o.Standardize = false // the steps of the model do
		}
		a, err := fit.Audit(d, &o)
		if err != nil {
			t.Fatal(c.name, err)
		}
		r, own := a.Report, fit.Report()
		if r.Status() != optimize.Audited || r.Err(nil) != nil {
			t.Errorf("%s: %v, the fit %v", c.name, r, own)
		}
		if r.Objective() == r.Objective() && math.Abs(r.Objective()-own.Objective()) > 1e-12*own.Objective() {
			t.Errorf("%s: objective %v, the fit %v", c.name, r.Objective(), own.Objective())
		}
		again, err := fit.Refit(d, &o)
		if err != nil || again.Report().Err(nil) != nil || len(again.Steps()) != len(fit.Steps()) {
			t.Errorf("%s: the fit from there: %v %v", c.name, again, err)
		}
		if c.name == "svc" || c.name == "svr" || c.name == "ridge" { // of which the model keeps the options
			if a, err := fit.Audit(d, nil); err != nil || a.Report.Err(nil) != nil {
				t.Errorf("%s without options: %v %v", c.name, a, err)
			}
		}
		if c.name == "ols" {
			continue
		}
		if a, err = fit.Audit(d, &c.not); err != nil || a.Report.Err(nil) == nil {
			t.Errorf("%s with other options: %v %v", c.name, a, err)
		}
	}
}

func TestAuditRefusesOtherOptionsAndMethods(t *testing.T) {
	x, species, _ := linalgtest.Table(t, "iris.csv", "species")
	labels, names := coded(species)
	d := &dataset.Data{X: x, Labels: labels, Names: names}
	for name, o := range map[string]*method.Options{"lda": {Lambda: 1}, "indicator": nil} {
		m, _ := method.Named(name)
		fit, err := m.Fit(d, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a, err := fit.Audit(d, o); err == nil {
			t.Errorf("%s: %v", name, a)
		}
	}
}
