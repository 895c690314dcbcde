package method_test

import (
	"flag"
	"math"
	"slices"
	"testing"

	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

func TestOptionsByName(t *testing.T) {
	var o method.Options
	for name, value := range map[string]string{"priors": "0.2,0.3,0.5", "gamma": "0.75", "lambda": "2", "multi": "ovr", "divisor": "n", "pocket": "true", "max-iter": "7"} {
		if err := o.Set(name, value); err != nil {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
	if !slices.Equal(o.Priors, []float64{.2, .3, .5}) || o.Shrinkage != .25 || o.Lambda != 2 || o.Multi != "ovr" || o.Divisor != "n" || !o.Pocket || o.MaxIter != 7 {
		t.Errorf("%+v", o)
	}
	if err := o.Set("priors", "uniform"); err != nil || !o.Uniform || o.Priors != nil {
		t.Errorf("uniform priors: %v, %+v", err, o)
	}
	for name, value := range map[string]string{"multi": "all", "lambda": "x", "nosuch": "1", "priors": "a", "divisor": "n+1"} {
		if err := o.Set(name, value); err == nil {
			t.Errorf("%s=%s is accepted", name, value)
		}
	}
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	o.Declare(fs)
	for _, m := range method.All() {
		for _, name := range m.Options {
			if fs.Lookup(name) == nil {
				t.Errorf("%s takes an option %q that is not declared", m.Name, name)
			}
		}
	}
}

// A balanced fit is the fit with the weights spelt out.
func TestBalancedClasses(t *testing.T) {
	d := dataset.Iris()
	d.X, d.Labels = d.X.RowRange(20, 150), d.Labels[20:] // 30, 50, 50
	m, _ := method.Named("logistic")
	a, err := m.Fit(d, &method.Options{Lambda: 1, ClassWeight: "balanced"})
	if err != nil {
		t.Fatal(err)
	}
	d.Weights = make([]float64, d.X.Rows)
	for i, k := range d.Labels {
		d.Weights[i] = 130 / (3 * []float64{30, 50, 50}[k])
	}
	b, err := m.Fit(d, &method.Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	ca, _, _ := a.Coef()
	cb, _, _ := b.Coef()
	for i := range ca.Data {
		if math.Abs(ca.Data[i]-cb.Data[i]) > 1e-9 {
			t.Errorf("coefficient %d: %v and %v", i, ca.Data[i], cb.Data[i])
		}
	}
}
