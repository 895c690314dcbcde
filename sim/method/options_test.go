package method_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg/tail"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
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
	for value, want := range map[string]float64{"0": 1, "1": 0} {
		if err := o.Set("gamma", value); err != nil || o.Shrinkage != want {
			t.Errorf("gamma of %s: %v, %v", value, o.Shrinkage, err)
		}
	}
	if err := o.Set("priors", "uniform"); err != nil || !o.Uniform || o.Priors != nil {
		t.Errorf("uniform priors: %v, %+v", err, o)
	}
	for name, value := range map[string]string{"multi": "all", "lambda": "x", "nosuch": "1", "priors": "a", "divisor": "n+1", "gamma": "1.1"} {
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
		if !(math.Abs(ca.Data[i]-cb.Data[i]) <= 1e-9) {
			t.Errorf("coefficient %d: %v and %v", i, ca.Data[i], cb.Data[i])
		}
	}
}

// The options have each name once, and every method takes some of them; a table
// that a method cannot fit is refused under the method's name.
func TestWhatMethodsTake(t *testing.T) {
	names := method.OptionNames()
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			t.Errorf("two options are called %s", name)
		}
		if !slices.ContainsFunc(method.All(), func(m *method.Method) bool { return m.Takes(name) }) {
			t.Errorf("no method takes %s", name)
		}
	}
	for _, m := range method.All() {
		for _, name := range m.Options {
			if !m.Takes(name) || !slices.Contains(names, name) {
				t.Errorf("%s: option %s", m.Name, name)
			}
		}
		var b bytes.Buffer
		model := methodtest.Must(t, m, methodtest.Clouds(m, 1, 60, 3), methodtest.Options(m))
		if err := model.Save(new(methodtest.Full)); err == nil {
			t.Errorf("%s: a full disk is no error", m.Name)
		}
		if err := model.Save(&b); err != nil {
			t.Fatal(err)
		}
		d := methodtest.Clouds(m, 1, 60, 3)
		d.Weights = slices.Repeat([]float64{1}, 60)
		if model, err := m.Fit(d, methodtest.Options(m)); (err == nil) != m.Takes("weights") || err != nil && (model != nil || !strings.Contains(err.Error(), m.Name+": this method takes no weights")) {
			t.Errorf("%s: weights: %v", m.Name, err)
		}
		d = methodtest.Clouds(m, 1, 60, 3)
		d.Labels, d.Y = d.Labels[:0:0], d.Y[:0:0]
		if model, err := m.Fit(d, methodtest.Options(m)); model != nil || err == nil {
			t.Errorf("%s: 60 rows without labels: %v", m.Name, err)
		}
	}
	if o := method.Defaults(); o.Epsilon != 0.1 || fmt.Sprint(o) != fmt.Sprint(method.Options{Epsilon: 0.1}) {
		t.Errorf("%+v", o)
	}
}

// What a method does not take is refused by name, with the reason for class weights of planes that
// weigh nothing; a model keeps the options that say what it minimises, and no others.
func TestOptionsAreRefusedAndKept(t *testing.T) {
	for name, c := range map[string]struct {
		options method.Options
		says    string
	}{
		"hardmargin": {method.Options{ClassWeight: "balanced"}, `hardmargin takes no option "class-weight": every row keeps its distance, whatever it costs`},
		"ols":        {method.Options{ClassWeight: "balanced"}, `ols takes no option "class-weight"`},
		"lda":        {method.Options{Lambda: 1}, `lda takes no option "lambda"`},
	} {
		m, _ := method.Named(name)
		if _, err := m.Fit(methodtest.Clouds(m, 1, 60, 3), &c.options); err == nil || !strings.HasSuffix(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	m, _ := method.Named("svr")
	d := methodtest.Clouds(m, 1, 60, 3)
	for _, epsilon := range []float64{0.05, 0.5} {
		model := methodtest.Must(t, m, d, &method.Options{Epsilon: epsilon})
		a, err := model.Audit(d, new(method.Options))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := a.Report.Objective(), model.Report().Objective(); !(math.Abs(got-want) <= 1e-6*want) {
			t.Errorf("epsilon %g: the audit has the objective %g, the fit %g", epsilon, got, want)
		}
	}
}

// The intervals of least squares are Estimate ± t·SE, t the quantile of Student's distribution.
func TestIntervalsOfLeastSquares(t *testing.T) {
	m, _ := method.Named("ols")
	d := methodtest.Clouds(m, 1, 20, 3)
	inf, err := methodtest.Must(t, m, d, new(method.Options)).Infer(d, new(method.Options))
	if err != nil || inf.DF != 16 || len(inf.Terms) != 4 {
		t.Fatal(inf, err)
	}
	half := tail.StudentQuantile(0.025, 16)
	for k, v := range inf.Terms {
		if v.Column != k-1 || math.Abs(v.Hi-v.Estimate-half*v.SE) > 1e-12*v.SE || math.Abs(v.Estimate-v.Lo-half*v.SE) > 1e-12*v.SE || math.Abs(v.Z-v.Estimate/v.SE) > 1e-9*math.Abs(v.Z) {
			t.Errorf("%+v", v)
		}
	}
}

// An option takes the values that its flag takes, and refuses those with the same words.
func TestOptionsAreSetAsFlagsAre(t *testing.T) {
	for _, name := range method.OptionNames() {
		for _, value := range []string{"1", "-1", "0.5", "1e400", "0x10", "99999999999999999999", "true", "F", "", "x", "n", "ovr", "balanced", "hinge", "0.2,0.8"} {
			var one, other method.Options
			fs := flag.NewFlagSet("", flag.ContinueOnError)
			other.Declare(fs, name)
			err, want := one.Set(name, value), fs.Set(name, value)
			if (err == nil) != (want == nil) || want != nil && !strings.HasSuffix(err.Error(), want.Error()) || want == nil && !reflect.DeepEqual(one, other) {
				t.Errorf("%s=%s: %+v, %v\nits flag: %+v, %v", name, value, one, err, other, want)
			}
		}
	}
}
