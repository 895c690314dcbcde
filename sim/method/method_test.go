package method_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/linalg/record"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// plain are options with which the methods fit iris or two of its classes.
var plain = method.Options{Lambda: 1, Alpha: .5}

// irisFor returns data that suit the method: all of iris, or setosa and
// versicolor where it takes two classes or separable ones, or petal width.
func irisFor(t testing.TB, m *method.Method) *dataset.Data {
	t.Helper()
	d := dataset.Iris()
	switch {
	case m.Regression:
		y := d.X.Col(nil, 3)
		x, err := linalg.NewDense(d.X.Rows, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Rows {
			copy(x.Row(i), d.X.Row(i)[:3])
		}
		s := &dataset.Schema{Columns: d.Schema.Columns[:3], Label: "petal_width"}
		return &dataset.Data{X: x, Y: y, Features: s.Features(), Schema: s}
	case m.Name == "perceptron" || m.Name == "hardmargin":
		s := *d.Schema
		s.Names = s.Names[:2]
		d.X, d.Labels, d.Names, d.Schema = d.X.RowRange(0, 100), d.Labels[:100], s.Names, &s
	}
	return d
}

func options(m *method.Method) *method.Options {
	o := new(method.Options)
	if m.Takes("lambda") {
		o.Lambda = plain.Lambda
	}
	if m.Takes("alpha") {
		o.Alpha = plain.Alpha
	}
	return o
}

func fit(t testing.TB, m *method.Method, o *method.Options) (*method.Model, *dataset.Data) {
	t.Helper()
	d := irisFor(t, m)
	model, err := m.Fit(d, o)
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	return model, d
}

// predictions returns everything the model says about the rows.
func predictions(m *method.Model, x *linalg.Dense) []float64 {
	var out []float64
	for i := range x.Rows {
		if r := m.Regressor(); r != nil {
			out = append(out, r.Predict(x.Row(i)))
			continue
		}
		c := m.Classifier()
		out = c.Scores(append(out, float64(c.Predict(x.Row(i)))), x.Row(i))
		if p, ok := c.(sim.Prober); ok {
			out = p.Proba(out, x.Row(i))
		}
	}
	return out
}

func TestSavedModelsPredictBitForBit(t *testing.T) {
	for _, m := range method.All() {
		o := options(m)
		o.Standardize = m.Takes("standardize")
		model, d := fit(t, m, o)
		var b bytes.Buffer
		if err := model.Save(&b); err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		back, err := method.Load(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		if back.Method != m || !slices.Equal(back.Schema.Names, d.Names) || !slices.Equal(back.Schema.Features(), d.Features) {
			t.Errorf("%s: became a %s for %v, %v", m.Name, back.Method.Name, back.Schema.Names, back.Schema.Features())
		}
		want, got := predictions(model, d.X), predictions(back, d.X)
		for i := range want {
			if math.Float64bits(want[i]) != math.Float64bits(got[i]) {
				t.Errorf("%s: value %d: %v became %v", m.Name, i, want[i], got[i])
				break
			}
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	lda, err := method.Named("lda")
	if err != nil {
		t.Fatal(err)
	}
	model, _ := fit(t, lda, new(method.Options))
	var b bytes.Buffer
	if err := model.Save(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	var (
		damage  *record.DamageError
		version *record.VersionError
		kind    *record.KindError
	)
	for _, c := range []struct {
		name, text string
		as         any
	}{
		{"empty", "", &damage},
		{"zeros", strings.Repeat("\x00", 1<<20), &damage},
		{"another number", strings.Replace(text, "0.", "0.1", 1), &damage},
		{"newer", strings.Replace(text, `"version":1`, `"version":2`, 1), &version},
		{"another kind", strings.Replace(text, `"kind":"halfspace"`, `"kind":"else"`, 1), &kind},
	} {
		if m, err := method.Load(strings.NewReader(c.text)); m != nil && err == nil || !errors.As(err, c.as) {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
	for n := range len(text) - 2 {
		if _, err := method.Load(strings.NewReader(text[:n])); err == nil {
			t.Fatalf("truncated to %d of %d bytes, it loads", n, len(text))
		}
	}
}

// Standardised fits come back on the scale of the data.
func TestCoefficientsAreOfTheDataAsItCame(t *testing.T) {
	for _, m := range method.All() {
		if !m.Takes("standardize") || m.Name == "svc" {
			continue
		}
		o := options(m)
		o.Standardize = true
		model, d := fit(t, m, o)
		coef, intercept, ok := model.Coef()
		if !ok {
			t.Errorf("%s is not linear", m.Name)
			continue
		}
		for i := range d.X.Rows {
			row := d.X.Row(i)
			var want []float64
			if r := model.Regressor(); r != nil {
				want = []float64{r.Predict(row)}
			} else if s := model.Classifier().Scores(nil, row); coef.Rows == 1 {
				want = []float64{s[1] - s[0]}
			} else {
				want = s
			}
			for k := range coef.Rows {
				if got := intercept[k] + linalg.Dot(coef.Row(k), row); math.Abs(got-want[k]) > 1e-12*(1+math.Abs(want[k])) {
					t.Fatalf("%s: row %d: %v, coefficients give %v", m.Name, i, want[k], got)
				}
			}
		}
	}
}

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

func TestRefusals(t *testing.T) {
	ols := &dataset.Data{X: linalg.Zeros(3, 1), Y: []float64{1, 2, 3}}
	lda, _ := method.Named("lda")
	if _, err := lda.Fit(ols, new(method.Options)); err == nil {
		t.Error("a classifier takes numeric responses")
	}
	perceptron, _ := method.Named("perceptron")
	d := irisFor(t, perceptron)
	d.Weights = slices.Repeat([]float64{1}, d.X.Rows)
	if _, err := perceptron.Fit(d, new(method.Options)); err == nil || !strings.Contains(err.Error(), "weights") {
		t.Errorf("a perceptron with weights: %v", err)
	}
	if _, err := method.Named("nosuch"); err == nil || !strings.Contains(err.Error(), "lda") {
		t.Errorf("unknown method: %v", err)
	}
	svc, _ := method.Named("svc")
	mo, _ := moments.New(2, false)
	if _, err := svc.FitMoments(mo, nil, new(method.Options)); err == nil {
		t.Error("svc is fitted from moments")
	}
}

func TestNotConvergedKeepsTheModel(t *testing.T) {
	m, _ := method.Named("perceptron")
	d := dataset.Iris()
	s := *d.Schema
	s.Names = s.Names[1:]
	d.X, d.Names, d.Schema = d.X.RowRange(50, 150), s.Names, &s
	d.Labels = d.Labels[50:]
	for i := range d.Labels {
		d.Labels[i]--
	}
	model, err := m.Fit(d, &method.Options{MaxEpochs: 3})
	if model == nil || !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("got %v, %v", model, err)
	}
}

func TestGrid(t *testing.T) {
	g, err := method.Grid("alpha=0,1", "gamma=0.5")
	if err != nil || fmt.Sprint(g) != "[[{alpha 0} {gamma 0.5}] [{alpha 1} {gamma 0.5}]]" {
		t.Errorf("%v, %v", g, err)
	}
	if g, err := method.Grid(); err != nil || len(g) != 1 {
		t.Errorf("%v, %v", g, err)
	}
	for _, bad := range []string{"alpha", "=1", "alpha="} {
		if _, err := method.Grid(bad); err == nil {
			t.Errorf("%q passes", bad)
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

func Example() {
	m, err := method.Named("lda")
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := m.Fit(dataset.Iris(), new(method.Options))
	if err != nil {
		fmt.Println(err)
		return
	}
	k := model.Classifier().Predict([]float64{5.1, 3.5, 1.4, 0.2})
	fmt.Println(model.Schema.Names[k])
	// Output: setosa
}
