package method_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// audited is a fit that is audited, and options of which it is no fit.
type audited struct {
	o, not method.Options
	rows   int // classifiers: 3 is all species, 2 two that overlap, 1 two that a plane separates
}

// audits are fits of every method.
var audits = map[string][]audited{
	"indicator": {{rows: 3}},
	"lda":       {{rows: 3, not: method.Options{Divisor: "n"}}},
	"qda":       {{rows: 3, not: method.Options{Divisor: "n"}}},
	"rda":       {{rows: 3, o: method.Options{Alpha: 0.4, Shrinkage: 0.2}, not: method.Options{Alpha: 0.3}}},
	"rrlda":     {{rows: 3, not: method.Options{Priors: []float64{0.2, 0.3, 0.5}}}, {rows: 3, o: method.Options{Rank: 1}, not: method.Options{Rank: 2}}},
	"logistic": {
		{rows: 3, o: method.Options{Lambda: 0.5}, not: method.Options{Lambda: 0.6}},
		{rows: 3, o: method.Options{Lambda: 0.5, L1Ratio: 1, Standardize: true}, not: method.Options{Lambda: 0.5, L1Ratio: 0.9, Standardize: true}},
		{rows: 2, not: method.Options{Lambda: 1}},
		{rows: 2, o: method.Options{Firth: true}},
	},
	"perceptron": {{rows: 1, not: method.Options{}}},
	"hardmargin": {{rows: 1, not: method.Options{}}},
	"svc": {
		{rows: 3, o: method.Options{C: 2}, not: method.Options{C: 1}},
		{rows: 3, o: method.Options{C: 2, Multi: "ovr", Standardize: true, Probability: true}, not: method.Options{C: 1}},
	},
	"svr":   {{o: method.Options{C: 1, Epsilon: 0.2}, not: method.Options{C: 1, Epsilon: 0.3}}},
	"ols":   {{}},
	"ridge": {{o: method.Options{Lambda: 3}, not: method.Options{Lambda: 4}}},
	"lasso": {{o: method.Options{Lambda: 3, Standardize: true}, not: method.Options{Lambda: 4}}},
}

// data returns the rows of iris that a case is fitted to.
func (c audited) data(t *testing.T) *dataset.Data {
	t.Helper()
	x, species, _ := linalgtest.Table(t, "iris.csv", "species")
	labels, names := coded(species)
	switch c.rows {
	case 1:
		return &dataset.Data{X: x.RowRange(0, 100), Labels: labels[:100], Names: names[:2]}
	case 2:
		return &dataset.Data{X: x.RowRange(50, 150), Labels: times(labels[:100], 1), Names: names[1:]}
	case 3:
		return &dataset.Data{X: x, Labels: labels, Names: names}
	}
	y := make([]float64, x.Rows)
	for i := range y {
		y[i] = 2*x.At(i, 0) - x.At(i, 3) + 0.3*float64(i%7)
	}
	return &dataset.Data{X: x, Y: y}
}

// eachAudit calls check with a fit of each case, its data and the options of its audit. A method
// without a case fails.
func eachAudit(t *testing.T, check func(t *testing.T, c audited, fit *method.Model, d *dataset.Data, o *method.Options)) {
	t.Helper()
	for _, m := range method.All() {
		if len(audits[m.Name]) == 0 {
			t.Errorf("%s: no fit of it is audited here", m.Name)
		}
		for _, c := range audits[m.Name] {
			t.Run(m.Name, func(t *testing.T) {
				d := c.data(t)
				fit, err := m.Fit(d, &c.o)
				if err != nil {
					t.Fatal(err)
				}
				o := c.o
				o.Probability = false
				if len(fit.Steps()) > 0 {
					o.Standardize = false // the steps of the model do
				}
				check(t, c, fit, d, &o)
			})
		}
	}
}

// Whatever was fitted is audited with the verdict and the numbers of its fit, behind steps too,
// and with another verdict as soon as its options are others.
func TestAuditAgreesWithTheFitOfEveryMethod(t *testing.T) {
	eachAudit(t, func(t *testing.T, c audited, fit *method.Model, d *dataset.Data, o *method.Options) {
		a, err := fit.Audit(d, o)
		if err != nil {
			t.Fatal(err)
		}
		r, own := a.Report, fit.Report()
		if r.Status() != optimize.Audited || r.Err(nil) != nil || a.NoMinimum != nil {
			t.Errorf("%v, the fit %v", r, own)
		}
		if fit.Method.Name != "rrlda" && !(math.Abs(r.Objective()-own.Objective()) <= 1e-12*own.Objective()) {
			t.Errorf("objective %v, the fit %v", r.Objective(), own.Objective())
		}
		if v, w := r.Certificate(), own.Certificate(); v.Kind == w.Kind && !(math.Abs(v.Value-w.Value) <= 1e-12+1e-6*w.Value) || v.Kind != w.Kind && v.Kind != optimize.KindGap {
			t.Errorf("%v, the fit %v", v, w)
		}
		again, err := fit.Refit(d, o)
		if err != nil || again.Report().Err(nil) != nil || len(again.Steps()) != len(fit.Steps()) {
			t.Errorf("the fit from there: %v %v", again, err)
		}
		if c.not.Lambda == 0 && c.not.C == 0 && c.not.Divisor == "" && c.not.Priors == nil && c.not.Alpha == 0 && c.not.Rank == 0 {
			return
		}
		if a, err = fit.Audit(d, &c.not); err != nil || a.Report.Err(nil) == nil {
			t.Errorf("with other options: %v %v", a, err)
		}
	})
}

// Of coefficients that are off, the bound is at least the true excess, and no more than what
// the fit leaves open, and the status tells whether it is within the tolerance.
func TestAuditBoundsTheExcessOfEveryMethod(t *testing.T) {
	eachAudit(t, func(t *testing.T, _ audited, fit *method.Model, d *dataset.Data, o *method.Options) {
		own, flipped := fit.Report(), false
		for _, change := range []float64{1e-13, 1e-9, 1e-6, 1e-3, 0.1, 10} {
			m := disturbed(t, fit, d, change)
			a, err := m.Audit(d, o)
			if err != nil {
				t.Fatal(err)
			}
			f, c := a.Report.Objective(), a.Report.Certificate()
			if held := a.Report.Err(nil) == nil; held != c.Holds() || held == (c.Value > c.Tol) || held && flipped {
				t.Errorf("changed by %g: %v, flipped before: %v", change, a.Report, flipped)
			} else if !held {
				flipped = true
			}
			switch excess := f - own.Objective(); c.Kind {
			case optimize.KindGap:
				least := own.Objective()
				if own.Certificate().Kind == optimize.KindGap {
					least *= 1 - own.Certificate().Value
				}
				if a.Excess() < excess-1e-12*f || c.Value <= c.Tol && excess > c.Tol*f+1e-12*f || a.Excess() > 1.0001*(f-least)+math.Max(1e-12, c.Tol)*f {
					t.Errorf("changed by %g: %v, but the excess is %g", change, a, excess)
				}
				if f < math.Inf(1) && !(math.Abs(f-a.Excess()-a.Minimum) <= 1e-12*f) || a.Minimum > own.Objective()+1e-12*f {
					t.Errorf("changed by %g: a minimum of %v, the fit has %v", change, a.Minimum, own.Objective())
				}
			case optimize.KindResidual, optimize.KindStationary:
				if len(a.Equations) == 0 || a.Minimum == a.Minimum {
					t.Errorf("changed by %g: %v", change, a)
				}
			}
		}
		if !flipped {
			t.Error("no change is too large")
		}
	})
}

// disturbed returns the model from elsewhere with normal numbers of a size added to its estimates.
func disturbed(t *testing.T, fit *method.Model, d *dataset.Data, change float64) *method.Model {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 5))
	add := func(v []float64) []float64 {
		for i := range v {
			v[i] += change * r.NormFloat64()
		}
		return v
	}
	dense := func(m *linalg.Dense) *linalg.Dense { add(m.Data); return m }
	var other any
	var err error
	switch m := fit.Fitted().(type) {
	case *logistic.Model:
		coef, intercept := m.Coef()
		other, err = logistic.New(m.Classes(), dense(coef), add(intercept))
	case *discriminant.Indicator:
		origin, coef, intercept := m.CoefAbout()
		for k := range intercept {
			intercept[k] -= linalg.Dot(coef.Row(k), origin)
		}
		other, err = discriminant.NewIndicator(m.Classes(), dense(coef), add(intercept))
	case *discriminant.LDA:
		other, err = discriminant.NewLDA(m.Classes(), m.Priors(), dense(m.Means()), m.Cov())
	case *discriminant.ReducedRank:
		l, err := discriminant.FitLDA(d.X, d.Labels, nil)
		if err != nil {
			t.Fatal(err)
		}
		if other, err = discriminant.NewReducedRank(m.Classes(), m.Priors(), dense(l.Means()), m.Scaling()); err != nil {
			t.Fatal(err)
		}
	case *discriminant.QDA:
		var densities []*discriminant.Gaussian
		for k := range m.Classes() {
			g, err := discriminant.NewGaussian(add(m.Density(k).Mean()), m.Density(k).Cov())
			if err != nil {
				t.Fatal(err)
			}
			densities = append(densities, g)
		}
		other, err = discriminant.NewRDA(m.Classes(), m.Priors(), densities, m.Alpha(), m.Shrinkage())
	case *hyperplane.Perceptron:
		coef, intercept := m.Coef()
		other, err = hyperplane.NewPerceptron(m.Classes(), add(coef.Row(0)), add(intercept)[0])
	case *hyperplane.HardMargin:
		coef, intercept := m.Coef()
		other, err = hyperplane.NewHardMargin(m.Classes(), dense(coef), add(intercept), nil)
	case interface {
		Machines() []hyperplane.Machine
		Classes() []int
		Coef() (*linalg.Dense, []float64)
		C() float64
	}:
		coef, intercept := m.Coef()
		so := &hyperplane.SVCOptions{C: m.C()}
		if m.Machines()[0].Rest {
			so.Multi = hyperplane.OneVsRest
		}
		other, err = hyperplane.NewSVC(m.Classes(), dense(coef), add(intercept), so)
	case *hyperplane.SVR:
		coef, intercept := m.Coef()
		other, err = hyperplane.NewSVR(add(coef.Row(0)), add(intercept)[0], &hyperplane.SVROptions{C: m.C(), Epsilon: m.Epsilon()})
	case *regression.Model:
		coef, intercept := m.Coef()
		other, err = regression.New(add(coef.Row(0)), add(intercept)[0], &regression.Options{Lambda: m.Lambda(), L1Ratio: m.L1Ratio()})
	default:
		t.Fatalf("a %T cannot be disturbed", m)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := method.New(fit.Schema, fit.Steps(), other)
	if err != nil || out.Method != fit.Method {
		t.Fatalf("%v, %v", out, err)
	}
	return out
}

// A model and its file keep the objective, which an audit and a fit from there take unless
// they are given another.
func TestModelsKeepTheirObjective(t *testing.T) {
	eachAudit(t, func(t *testing.T, c audited, fit *method.Model, d *dataset.Data, o *method.Options) {
		back := comeBack(t, fit.Method.Name, fit)
		a, err := back.Audit(d, &method.Options{Tol: o.Tol, Workers: 1})
		if err != nil || a.Report.Err(nil) != nil {
			t.Errorf("%v %v", a, err)
		}
		again, err := back.Refit(d, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(again.Report().Objective()-fit.Report().Objective()) <= 1e-7*fit.Report().Objective()) {
			t.Errorf("fitted again: %v, before %v", again.Report(), fit.Report())
		}
		if fit.Method.Name != "logistic" || o.Firth {
			return
		}
		other, err := fit.WithObjective(&method.Options{Lambda: 7})
		if err != nil {
			t.Fatal(err)
		}
		if a, err := other.Audit(d, nil); err != nil || a.Report.Err(nil) == nil {
			t.Errorf("meant for λ = 7: %v %v", a, err)
		}
		if a, err := other.Audit(d, o); o.Lambda > 0 && (err != nil || a.Report.Err(nil) != nil) {
			t.Errorf("meant for λ = 7, with λ given: %v %v", a, err)
		}
	})
}

// An option that is named as given counts where it is 0.
func TestAuditTakesOptionsThatAreNamed(t *testing.T) {
	d := audited{rows: 3}.data(t)
	m, _ := method.Named("svc")
	fit, err := m.Fit(d, &method.Options{C: 2, ClassWeight: "balanced", NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, given := range [][]string{{"no-intercept"}, {"class-weight", "no-intercept"}} {
		own, err := fit.Refit(d, nil, given...)
		if err != nil {
			t.Fatal(err)
		}
		if o := own.Objective(); o.NoIntercept || (o.ClassWeight == "") != (len(given) == 2) || o.C != 2 {
			t.Errorf("%q: %+v", given, o)
		}
	}
	rest, err := m.Fit(d, &method.Options{C: 3, Loss: "squared-hinge", Multi: "ovr"})
	if err != nil {
		t.Fatal(err)
	}
	if bare, err := method.New(rest.Schema, nil, rest.Fitted()); err != nil || bare.Objective().Multi != "ovr" || bare.Objective().C != 3 || bare.Objective().Loss != "squared-hinge" {
		t.Errorf("what the planes say themselves: %+v, %v", bare, err)
	}
	if a, err := fit.Audit(d, &method.Options{Multi: "ovr"}); err == nil {
		t.Error(a)
	}
	if own, err := fit.Refit(d, &method.Options{Multi: "ovr"}); err == nil {
		t.Error(own)
	}
}

// An α and a shrinkage of 0 that are named as given are those of the audit and of the fit from there; a model from
// elsewhere has its own where none are named.
func TestAuditOfRDAAtAnAlphaOf0(t *testing.T) {
	d := audited{rows: 3}.data(t)
	m, _ := method.Named("rda")
	for _, o := range []*method.Options{{Alpha: 0.5}, {Shrinkage: 0.5}, {Alpha: 0.5, Shrinkage: 0.5}} {
		fit, err := m.Fit(d, o)
		if err != nil {
			t.Fatal(err)
		}
		bare, err := method.New(fit.Schema, nil, fit.Fitted())
		if err != nil {
			t.Fatal(err)
		}
		for _, model := range []*method.Model{fit, bare} {
			a, err := model.Audit(d, nil, "alpha", "gamma")
			if err != nil || a.Report.Err(nil) == nil {
				t.Errorf("%+v, judged at 0: %v, %v", o, a, err)
			}
			at0, err := model.Refit(d, nil, "alpha", "gamma")
			if err != nil {
				t.Fatal(err)
			}
			if a, err = at0.Audit(d, nil, "alpha", "gamma"); err != nil || a.Report.Err(nil) != nil {
				t.Errorf("%+v, fitted at 0: %v, %v", o, a, err)
			}
			if a, err = model.Audit(d, nil); err != nil || a.Report.Err(nil) != nil {
				t.Errorf("%+v, judged as it is: %v, %v", o, a, err)
			}
			again, err := model.Refit(d, nil)
			if err != nil || again.Report().Objective() != fit.Report().Objective() || !reflect.DeepEqual(model.Objective(), o) {
				t.Errorf("%+v, fitted again: %v, %v, for %+v", o, again, err, model.Objective())
			}
		}
	}
}

func TestAuditRefusesOtherOptions(t *testing.T) {
	d := audited{rows: 3}.data(t)
	m, _ := method.Named("lda")
	fit, err := m.Fit(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := fit.Audit(d, &method.Options{Lambda: 1}); err == nil {
		t.Error(a)
	}
	if m, err := fit.WithObjective(&method.Options{Lambda: 1}); err == nil {
		t.Error(m)
	}
	for _, name := range []string{"logistic", "lasso"} {
		m, _ := method.Named(name)
		d := audits[name][0].data(t)
		fit, err := m.Fit(d, &method.Options{Lambda: 1})
		if err != nil {
			t.Fatal(err)
		}
		if a, err := fit.Audit(d, &method.Options{L1Ratio: 0.5}, "lambda"); err == nil || strings.Count(err.Error(), ":") != 1 {
			t.Errorf("%s: %v, %v, want a name once", name, a, err)
		}
	}
}

// A model that was not fitted is not audited, nor is one on rows that are nil.
func TestAuditOfNothingIsAnError(t *testing.T) {
	eachAudit(t, func(t *testing.T, _ audited, fit *method.Model, d *dataset.Data, _ *method.Options) {
		y := reflect.ValueOf(d.Labels)
		if fit.Method.Regression {
			y = reflect.ValueOf(d.Y)
		}
		model := reflect.ValueOf(fit.Fitted())
		zero := reflect.New(model.Type().Elem())
		for _, c := range []struct {
			name  string
			audit reflect.Value
			x     reflect.Value
		}{
			{"a zero model", zero.MethodByName("Audit"), reflect.ValueOf(d.X)},
			{"nil rows", model.MethodByName("Audit"), reflect.Zero(model.MethodByName("Audit").Type().In(0))},
		} {
			if out := c.audit.Call([]reflect.Value{c.x, y, reflect.Zero(c.audit.Type().In(2))}); out[1].IsNil() {
				t.Errorf("%s: %v", c.name, out[0])
			}
		}
	})
}

// A model with probabilities is fitted again with them, unless it is to have none.
func TestRefitKeepsProbabilities(t *testing.T) {
	svc, err := method.Named("svc")
	if err != nil {
		t.Fatal(err)
	}
	iris := dataset.Iris()
	for _, with := range []bool{true, false} {
		m, err := svc.Fit(iris, &method.Options{Probability: with})
		if err != nil {
			t.Fatal(err)
		}
		again, err := m.Refit(iris, &method.Options{C: 2})
		if err != nil || again.HasProba() != with {
			t.Errorf("probabilities: %v, of the model %v, %v", again.HasProba(), with, err)
		}
		if none, err := m.Refit(iris, nil, "probability"); err != nil || none.HasProba() {
			t.Errorf("probabilities of a fit that was to have none, %v", err)
		}
	}
}
