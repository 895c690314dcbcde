package method_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/draw"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/report"
)

// fit keeps the model of a fit, or fails.
func fit[M any](t *testing.T) func(m M, err error) any {
	return func(m M, err error) any {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

// A model of the packages gets names and can be saved. Its labels become codes.
func TestModelsOfThePackagesGetNames(t *testing.T) {
	iris := dataset.Iris()
	x, y := iris.X.RowRange(50, 150), iris.Labels[50:] // labels 1 and 2
	apart := iris.X.RowRange(0, 100)
	values := make([]float64, 100)
	for i := range values {
		values[i] = x.At(i, 3)
	}
	lr := func(o logistic.Options) any { return fit[*logistic.Model](t)(logistic.Fit(x, y, &o)) }
	for _, c := range []struct {
		method string
		model  any
	}{
		{"indicator", fit[*discriminant.Indicator](t)(discriminant.FitIndicator(x, y, nil))},
		{"lda", fit[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))},
		{"rrlda", fit[*discriminant.ReducedRank](t)(discriminant.FitReducedRank(iris.X, iris.Labels, nil))},
		{"qda", fit[*discriminant.QDA](t)(discriminant.FitQDA(x, y, nil))},
		{"logistic", lr(logistic.Options{Lambda: 1})},
		{"perceptron", fit[*hyperplane.Perceptron](t)(hyperplane.FitPerceptron(apart, iris.Labels[:100], nil))},
		{"hardmargin", fit[*hyperplane.HardMargin](t)(hyperplane.FitHardMargin(apart, iris.Labels[:100], nil))},
		{"svc", fit[*hyperplane.SVC](t)(hyperplane.FitSVC(x, y, nil))},
		{"svc", fit[*hyperplane.SVC](t)(hyperplane.FitSVC(iris.X, times(iris.Labels, 3), nil))},
		{"svr", fit[*hyperplane.SVR](t)(hyperplane.FitSVR(x, values, nil))},
		{"ols", fit[*regression.Model](t)(regression.FitOLS(x, values, nil))},
		{"ridge", fit[*regression.Model](t)(regression.FitRidge(x, values, &regression.Options{Lambda: 1}))},
		{"lasso", fit[*regression.Model](t)(regression.FitElasticNet(x, values, &regression.Options{Lambda: 1, L1Ratio: 0.5}))},
	} {
		m, err := method.New(nil, nil, c.model)
		if err != nil {
			t.Errorf("%s: %v", c.method, err)
			continue
		}
		if m.Method.Name != c.method || !slices.Equal(m.Schema.Features(), []string{"x1", "x2", "x3", "x4"}) || m.Fitted() != c.model {
			t.Errorf("a %T is a %s of %q", c.model, m.Method.Name, m.Schema.Features())
		}
		back := comeBack(t, c.method, m)
		if !sameBits(methodtest.Predictions(back, x), methodtest.Predictions(m, x)) {
			t.Errorf("%s: other predictions after the file", c.method)
		}
		own, ok := c.model.(sim.Classifier)
		if !ok {
			continue
		}
		classes, coded := own.Classes(), back.Classifier()
		codes, err := coded.PredictRows(nil, x)
		if err != nil || fmt.Sprint(m.Schema.Names) != strings.ReplaceAll(fmt.Sprint(classes), ",", "") || coded.Classes()[0] != 0 {
			t.Errorf("%s: %v, classes %v are named %q and coded %v", c.method, err, classes, m.Schema.Names, coded.Classes())
		}
		for i, k := range codes {
			if want := own.Predict(x.Row(i)); classes[k] != want || coded.Predict(x.Row(i)) != k {
				t.Errorf("%s: row %d is of class %d, the model says %d", c.method, i, classes[k], want)
			}
		}
		_, isProber := c.model.(sim.Prober)
		if back.HasProba() != isProber {
			t.Errorf("%s: probabilities: %v", c.method, back.HasProba())
		}
		if f := m.Formula(); f.Pairs != nil && fmt.Sprint(f.Pairs) != "[[0 1] [0 2] [1 2]]" {
			t.Errorf("%s: pairs %v", c.method, f.Pairs)
		}
	}
}

func times(v []int, a int) []int {
	out := make([]int, len(v))
	for i, x := range v {
		out[i] = a * x
	}
	return out
}

// With steps and a schema the model takes rows of the schema.
func TestNewModelsWithSteps(t *testing.T) {
	iris := dataset.Iris()
	steps, z, err := feature.FitSteps(&feature.Sample{X: iris.X}, feature.Expand{}, feature.Standardize{})
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := logistic.Fit(z, iris.Labels, &logistic.Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := method.New(iris.Schema, steps, fitted)
	if err != nil {
		t.Fatal(err)
	}
	back := comeBack(t, "iris", m)
	c := back.Classifier().(sim.Prober)
	for i := range z.Rows {
		linalgtest.CloseSlice(t, "probabilities", c.Proba(nil, iris.X.Row(i)), fitted.Proba(nil, z.Row(i)), 1e-15)
	}
	for what, err := range map[string]error{
		"no model":         second(method.New(iris.Schema, nil, nil)),
		"a nil model":      second(method.New(iris.Schema, nil, (*logistic.Model)(nil))),
		"a number":         second(method.New(iris.Schema, nil, 7)),
		"no method":        second(method.New(iris.Schema, nil, new(hyperplane.Kozinec))),
		"not fitted":       second(method.New(iris.Schema, nil, new(logistic.Model))),
		"other columns":    second(method.New(iris.Schema, nil, fitted)),
		"other names":      second(method.New(&dataset.Schema{Columns: iris.Schema.Columns, Names: []string{"a", "b"}}, steps, fitted)),
		"steps too narrow": second(method.New(iris.Schema, steps[:1], mustFit(t, iris.X, iris.Labels))),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "method: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func mustFit(t *testing.T, x *linalg.Dense, y []int) *logistic.Model {
	t.Helper()
	m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func second[T any](_ T, err error) error { return err }

// Data of other columns than their schema's are refused before a fit, where once a
// model came that could not be loaded.
func TestDataOfOtherColumnsThanTheirSchema(t *testing.T) {
	for _, m := range method.All() {
		d := methodtest.Clouds(m, 1, 60, 3)
		wide := methodtest.Clouds(m, 1, 60, 5)
		wide.Schema = d.Schema
		var shape *linalg.ShapeError
		if model, err := m.Fit(wide, methodtest.Options(m)); model != nil || !errors.As(err, &shape) || shape.Want != 3 || shape.Got != 5 || !strings.HasPrefix(err.Error(), m.Name+": ") {
			t.Errorf("%s: %v", m.Name, err)
		}
		for what, d := range map[string]*dataset.Data{"nothing": nil, "no rows": {}} {
			if model, err := m.Fit(d, nil); model != nil || err == nil {
				t.Errorf("%s: %s: %v", m.Name, what, err)
			}
		}
	}
}

// Nil options are the defaults, and data without a schema have plain names.
func TestNilOptionsAndNoSchema(t *testing.T) {
	for _, m := range method.All() {
		d := methodtest.Clouds(m, 1, 60, 3)
		want := methodtest.Predictions(methodtest.Must(t, m, d, new(method.Options)), d.X)
		labels := slices.Clone(d.Labels)
		for i := range labels {
			labels[i] = 10*labels[i] - 10
		}
		bare := &dataset.Data{X: d.X, Labels: labels, Y: d.Y}
		model, err := m.Fit(bare, nil)
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
			continue
		}
		if !sameBits(methodtest.Predictions(model, d.X), want) {
			t.Errorf("%s: other predictions than with a schema", m.Name)
		}
		if names := fmt.Sprint(model.Schema.Names); !m.Regression && names != "[-10 0 10]" && names != "[-10 0]" || bare.Schema != nil || model.Schema.Features()[2] != "x3" {
			t.Errorf("%s: classes %s, columns %v", m.Name, names, model.Schema.Features())
		}
		comeBack(t, m.Name, model)
	}
}

// An option that a method does not take is refused by a fit, a path, a fit of moments
// and cross-validation.
func TestOptionsThatAMethodDoesNotTake(t *testing.T) {
	values := map[string]string{"priors": "uniform", "divisor": "n", "alpha": "0.5", "gamma": "0.5", "rank": "1", "lambda": "1", "l1-ratio": "0.5",
		`C`: "2", "epsilon": "0.2", "rate": "2", "max-epochs": "9", "loss": "squared-hinge", "pocket": "true", "multi": "ovr", "class-weight": "balanced", "standardize": "true",
		"no-intercept": "true", "tol": "1e-9", "max-iter": "500", "workers": "1", "seed": "3", "firth": "true", "probability": "true"}
	for _, m := range method.All() {
		d := methodtest.Clouds(m, 1, 60, 3)
		for _, name := range method.OptionNames() {
			o := new(method.Options)
			if err := o.Set(name, values[name]); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			_, err := m.Fit(d, o)
			refused := err != nil && strings.Contains(err.Error(), "takes no option")
			if refused == m.Takes(name) {
				t.Errorf("%s, %s: %v", m.Name, name, err)
			}
			if m.Takes(name) {
				continue
			}
			if m.Takes("path") {
				_, err = m.Path(d, o, 3)
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("takes no option %q", name)) {
					t.Errorf("%s, %s, path: %v", m.Name, name, err)
				}
			}
			folds, _ := method.Folds(d, 2, 1, 1)
			if _, err = m.CrossValidate(d, o, [][]method.Setting{nil}, folds, nil); err == nil || !strings.Contains(err.Error(), "takes no option") {
				t.Errorf("%s, %s, cross-validation: %v", m.Name, name, err)
			}
			if m.Takes("moments") {
				part, err := method.Gather(d, 1)
				if err != nil {
					t.Fatal(err)
				}
				if _, err = m.FitMoments(part.Moments, d.Schema, o); err == nil || !strings.Contains(err.Error(), "takes no option") {
					t.Errorf("%s, %s, moments: %v", m.Name, name, err)
				}
			}
		}
		o := method.Defaults()
		if _, err := m.Fit(d, &o); err != nil && strings.Contains(err.Error(), "takes no option") {
			t.Errorf("%s: the command's defaults: %v", m.Name, err)
		}
	}
}

// A trace hears of every fit, and its error stops a fit, a path and a cross-validation.
func TestTracesStopEveryFit(t *testing.T) {
	stop := errors.New("enough")
	for _, m := range method.All() {
		d := methodtest.Clouds(m, 1, 60, 3)
		o := methodtest.Options(m)
		calls := 0
		o.Trace = func(optimize.Step) error { calls++; return nil }
		if _, err := m.Fit(d, o); err != nil || calls == 0 {
			t.Errorf("%s: %d calls, %v", m.Name, calls, err)
		}
		o.Trace = func(optimize.Step) error { return stop }
		model, err := m.Fit(d, o)
		if !errors.Is(err, stop) || model != nil && !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("%s: stopped with %v", m.Name, err)
		}
		if m.Takes("path") {
			own := *o
			own.Lambda, own.C, own.Alpha = 0, 0, 0 // which a path goes along
			if _, err := m.Path(d, &own, 5); !errors.Is(err, stop) {
				t.Errorf("%s: a path stopped with %v", m.Name, err)
			}
		}
		folds, err := method.Folds(d, 4, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		until, calls := optimize.Until(ctx), 0
		o.Trace = func(s optimize.Step) error {
			if calls++; calls == 3 {
				cancel()
			}
			return until(s)
		}
		if cv, err := m.CrossValidate(d, o, [][]method.Setting{nil, nil}, folds, nil); cv != nil || !errors.Is(err, context.Canceled) || calls != 3 {
			t.Errorf("%s: cross-validation: %v after %d calls", m.Name, err, calls)
		}
	}
}

// The zero model has nothing to save, and coefficients are copies.
func TestModelsAreNotChangedFromOutside(t *testing.T) {
	if _, err := json.Marshal(new(method.Model)); !errors.Is(err, record.ErrUnfitted) {
		t.Errorf("the zero model: %v", err)
	}
	for _, m := range method.All() {
		d := methodtest.Clouds(m, 1, 60, 3)
		model := methodtest.Must(t, m, d, methodtest.Options(m))
		want := methodtest.Predictions(model, d.X)
		if coef, intercept, ok := model.Coef(); ok {
			linalg.Scale(coef.Data, -3)
			linalg.Scale(intercept, -3)
		}
		f := model.Formula()
		for _, v := range slices.Concat(f.Coef, f.Mean, [][]float64{f.Origin, f.At}) {
			linalg.Scale(v, -3)
		}
		if c := model.Classifier(); c != nil {
			c.Classes()[0] = 99
		}
		n := model.Notes()
		for _, v := range slices.Concat(n.Means, [][]float64{n.Priors}) {
			linalg.Scale(v, -3)
		}
		if !sameBits(methodtest.Predictions(model, d.X), want) {
			t.Errorf("%s: other predictions after its coefficients were overwritten", m.Name)
		}
	}
	list := method.All()
	list[0] = nil
	if method.All()[0] == nil {
		t.Error("the list of methods can be overwritten")
	}
}

// Names of classes may stand in any order, that of their codes: such a model comes back.
func TestNamesInTheOrderOfTheirCodes(t *testing.T) {
	m, err := method.Named("lda")
	if err != nil {
		t.Fatal(err)
	}
	iris := dataset.Iris()
	d := &dataset.Data{X: iris.X, Labels: iris.Labels, Names: []string{"low", "mid", "high"}}
	back := comeBack(t, "low, mid, high", methodtest.Must(t, m, d, nil))
	if !slices.Equal(back.Schema.Names, d.Names) {
		t.Errorf("the names became %q", back.Schema.Names)
	}
	d.Names = []string{"low", "high", "low"}
	if _, err := m.Fit(d, nil); err == nil || !strings.Contains(err.Error(), `two of the labels are "low"`) {
		t.Errorf("two classes of one name: %v", err)
	}
}

// Inference behind steps is that of the fit to what they make of the rows, with classes
// by any labels.
func TestInferenceBehindSteps(t *testing.T) {
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	iris := dataset.Iris()
	d := &dataset.Data{X: iris.X.RowRange(50, 150), Labels: iris.Labels[50:]}
	o := &method.Options{Steps: []feature.Step{feature.Quantile{Count: 10}}}
	model := methodtest.Must(t, m, d, o)
	got, err := model.Infer(d, o)
	if err != nil || got == nil {
		t.Fatal(got, err)
	}
	z, err := feature.ApplyRows(model.Steps(), d.X)
	if err != nil {
		t.Fatal(err)
	}
	bare := &dataset.Data{X: z, Labels: d.Labels}
	want, err := methodtest.Must(t, m, bare, nil).Infer(bare, nil)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v: %v, want %v", err, got, want)
	}
	o.Steps = append(o.Steps, feature.Standardize{})
	if inf, err := methodtest.Must(t, m, d, o).Infer(d, o); inf != nil || err != nil {
		t.Errorf("behind a standardizer: %v, %v", inf, err)
	}
}

// A model of labels that are no codes is judged as one of codes is, and has its inference.
func TestModelsOfAnyLabelsAreJudged(t *testing.T) {
	iris := dataset.Iris()
	x, y := iris.X.RowRange(50, 150), times(iris.Labels[50:], 5) // labels 5 and 10
	apart, sides := iris.X.RowRange(0, 100), times(iris.Labels[:100], -3)
	three := times(iris.Labels, 3)
	for name, c := range map[string]struct {
		x     *linalg.Dense
		y     []int
		o     method.Options
		model any
	}{
		"indicator":        {x, y, method.Options{}, fit[*discriminant.Indicator](t)(discriminant.FitIndicator(x, y, nil))},
		"lda":              {iris.X, three, method.Options{}, fit[*discriminant.LDA](t)(discriminant.FitLDA(iris.X, three, nil))},
		"rrlda":            {iris.X, three, method.Options{}, fit[*discriminant.ReducedRank](t)(discriminant.FitReducedRank(iris.X, three, nil))},
		"qda":              {x, y, method.Options{}, fit[*discriminant.QDA](t)(discriminant.FitQDA(x, y, nil))},
		"rda":              {x, y, method.Options{Alpha: 0.5}, fit[*discriminant.QDA](t)(discriminant.FitRDA(x, y, &discriminant.Options{Alpha: 0.5}))},
		"logistic":         {x, y, method.Options{}, fit[*logistic.Model](t)(logistic.Fit(x, y, nil))},
		"ridge logistic":   {iris.X, three, method.Options{Lambda: 1}, fit[*logistic.Model](t)(logistic.Fit(iris.X, three, &logistic.Options{Lambda: 1}))},
		"perceptron":       {apart, sides, method.Options{}, fit[*hyperplane.Perceptron](t)(hyperplane.FitPerceptron(apart, sides, nil))},
		"hardmargin":       {apart, sides, method.Options{}, fit[*hyperplane.HardMargin](t)(hyperplane.FitHardMargin(apart, sides, nil))},
		"svc":              {iris.X, three, method.Options{C: 2}, fit[*hyperplane.SVC](t)(hyperplane.FitSVC(iris.X, three, &hyperplane.SVCOptions{C: 2}))},
		"svc with Platt's": {x, y, method.Options{Probability: true}, fit[*hyperplane.SVCProba](t)(hyperplane.FitSVCProba(x, y, nil))},
	} {
		m, err := method.New(nil, nil, c.model)
		if err != nil {
			t.Fatal(name, err)
		}
		d := &dataset.Data{X: c.x, Labels: c.y}
		whole, err := m.Method.Fit(d, &c.o)
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := m.Audit(d, &c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want, err := whole.Audit(d, &c.o)
		if err != nil || fmt.Sprint(got.Report) != fmt.Sprint(want.Report) || fmt.Sprint(got.Rows) != fmt.Sprint(want.Rows) {
			t.Errorf("%s: %v %v, of codes %v, %v", name, got.Report, got.Rows, want, err)
		}
		inf, err := m.Infer(d, &c.o)
		of, other := whole.Infer(d, &c.o)
		if fmt.Sprint(inf, err) != fmt.Sprint(of, other) || (inf == nil) != (name != "logistic") {
			t.Errorf("%s: inference %v, %v, of codes %v, %v", name, inf, err, of, other)
		}
		if again, err := m.Refit(d, &c.o); err != nil || fmt.Sprint(again.Classifier().Classes()) != fmt.Sprint(m.Classifier().Classes()) {
			t.Errorf("%s: fitted again: %v", name, err)
		}
	}
}

// Of data without names the labels are the names of classes, also where some classes have no rows.
func TestLabelsOfDataWithoutNames(t *testing.T) {
	iris := dataset.Iris()
	lda, err := method.Named("lda")
	if err != nil {
		t.Fatal(err)
	}
	m := methodtest.Must(t, lda, &dataset.Data{X: iris.X, Labels: times(iris.Labels, -4)}, nil) // -8, -4, 0
	d, err := m.Coded(&dataset.Data{X: iris.X.RowRange(0, 2), Labels: []int{0, -4}})
	if err != nil || fmt.Sprint(d.Labels, d.Names) != "[2 1] [-8 -4 0]" {
		t.Errorf("codes %v of %q, %v", d.Labels, d.Names, err)
	}
	for what, d := range map[string]*dataset.Data{"names": iris, "no labels": {X: iris.X}, "nothing": nil} {
		if got, err := m.Coded(d); got != d || err != nil {
			t.Errorf("%s: other data, %v", what, err)
		}
	}
	// Also one that is a code is no name. Spelled otherwise it is one, and classes that have words for names have codes.
	for _, c := range []struct {
		names  []string
		labels []int
		want   string
	}{
		{nil, []int{0, 1}, ""}, {nil, []int{2}, ""}, {[]string{"1", "2", "3"}, []int{0, 1, 2}, ""}, {[]string{"1", "2", "3"}, []int{1, 2}, "[0 1]"},
		{[]string{"1.0", "2", "3e0"}, []int{3, 1}, "[2 0]"}, {[]string{"1", "2", "a"}, []int{1, 2, 0}, "[1 2 0]"}, {iris.Names, []int{3}, ""}, {iris.Names, []int{-1}, ""},
	} {
		own := *m
		if c.names != nil {
			own.Schema = &dataset.Schema{Numbered: 4, Names: c.names}
		}
		d := &dataset.Data{X: iris.X.RowRange(0, len(c.labels)), Labels: c.labels}
		got, err := own.Coded(d)
		if c.want == "" {
			_, evaluated := report.Evaluate(&own, d)
			_, drawn := draw.Kind("boundary", &own, d, "", "")
			_, audited := own.Audit(d, nil)
			for k, err := range []error{err, evaluated, drawn, audited} {
				if !errors.As(err, new(*linalg.ClassError)) {
					t.Errorf("%q, labels %v, %d: %v", c.names, c.labels, k, err)
				}
			}
		} else if err != nil || fmt.Sprint(got.Labels) != c.want || fmt.Sprint(got.Names) != fmt.Sprint(c.names) {
			t.Errorf("%q: codes %v, %v", c.names, got, err)
		}
	}
}
