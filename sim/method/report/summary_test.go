package report_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/linalg/tail"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/report"
)

// A summary, read back from JSON, has the numbers of the model, and its print the
// same with four digits.
func TestSummaryIsOfTheModel(t *testing.T) {
	for _, m := range method.All() {
		for _, o := range methodtest.Ways(m) {
			d := methodtest.Clouds(m, 1, 60, 3)
			judgeSummary(t, m, o, d)
			if len(d.Names) == 3 {
				judgeSummary(t, m, o, methodtest.TwoClasses(d))
			}
		}
	}
}

func judgeSummary(t *testing.T, m *method.Method, o *method.Options, d *dataset.Data) {
	t.Helper()
	model, n := methodtest.Must(t, m, d, o), d.X.Rows
	made := report.Summarize(model, n, 0.25)
	s := methodtest.Decoded(t, made)
	r := model.Fitted().(interface{ Report() optimize.Report }).Report()
	if s.Method != m.Name || s.N != n || s.P != 3 || fmt.Sprint(s.Classes) != fmt.Sprint(d.Names) || fmt.Sprint(s.Features) != "[a b c]" ||
		s.FitSeconds != 0.25 || s.Status != r.Status() || s.Iterations != r.Iterations() || s.Certificate.Kind != r.Certificate().Kind {
		t.Errorf("%s: %+v", m.Name, s)
	}
	linalgtest.Close(t, m.Name+": objective", float64(s.Objective), r.Objective(), 0)
	linalgtest.Close(t, m.Name+": certificate", float64(s.Certificate.Value), r.Certificate().Value, 0)
	linalgtest.Close(t, m.Name+": tolerance", float64(s.Certificate.Tol), r.Certificate().Tol, 0)
	text := methodtest.Lines(t, made)
	if coef, intercept, ok := model.Coef(); ok {
		if len(s.Coef) != coef.Rows || s.Means != nil && m.Name != "lda" {
			t.Fatalf("%s: %d rows of coefficients, want %d", m.Name, len(s.Coef), coef.Rows)
		}
		methodtest.SameNumbers(t, m.Name+": intercept", s.Intercept, record.Numbers(intercept), 0)
		for k := range s.Coef {
			methodtest.SameNumbers(t, m.Name+": coefficients", record.Numbers(s.Coef[k]), record.Numbers(coef.Row(k)), 0)
		}
		if s.Scaling != nil {
			judgeDiscriminants(t, m, s, text)
		} else {
			for k := range s.Coef {
				methodtest.Cell(t, m.Name, text, "(Intercept)", k, intercept[k])
				for j, name := range d.Features() {
					methodtest.Cell(t, m.Name, text, name, k, coef.At(k, j))
				}
			}
			judgeRows(t, m, o, d, text[""], coef.Rows)
		}
	} else {
		judgeMeans(t, m, d, s, text)
	}
	judgeExtras(t, model, d, s, text)
	if err := made.Write(new(methodtest.Full), true); err == nil {
		t.Errorf("%s: a full disk is no error", m.Name)
	}
}

// judgeDiscriminants compares the print of a linear discriminant analysis with its JSON.
func judgeDiscriminants(t *testing.T, m *method.Method, s *report.Summary, text map[string][]string) {
	t.Helper()
	total := 0.0
	for _, share := range s.Proportion {
		total += float64(share)
	}
	linalgtest.Close(t, m.Name+": shares of the trace", total, 1, 1e-12)
	if len(s.Priors) != len(s.Classes) || len(s.Scaling) != len(s.Features) || len(s.Proportion) > len(s.Classes)-1 {
		t.Errorf("%s: %d priors, %d × %d discriminants", m.Name, len(s.Priors), len(s.Scaling), len(s.Proportion))
	}
	for j, name := range s.Features {
		for r := range s.Proportion {
			methodtest.Cell(t, m.Name, text, name, r, float64(s.Scaling[j][r]))
		}
	}
	for k := range s.Means {
		for j := range s.Features {
			methodtest.Cell(t, m.Name, text, s.Classes[k], j, float64(s.Means[k][j]))
		}
	}
}

// judgeRows says what the columns of the printed table are called.
func judgeRows(t *testing.T, m *method.Method, o *method.Options, d *dataset.Data, head []string, rows int) {
	t.Helper()
	want := d.Names
	switch {
	case m.Regression:
		want = []string{"estimate"}
	case m.Name == "svc" && o.Multi == "" && len(d.Names) == 3:
		want = []string{"v:u", "w:u", "w:v"} // the later class is positive
	case len(d.Names) == 2 && rows == 1:
		want = d.Names[1:]
	}
	if fmt.Sprint(head) != fmt.Sprint(want) || len(want) != rows {
		t.Errorf("%s: %d columns are called %q, want %q", m.Name, rows, head, want)
	}
}

// judgeMeans compares the means and priors of a quadratic discriminant.
func judgeMeans(t *testing.T, m *method.Method, d *dataset.Data, s *report.Summary, text map[string][]string) {
	t.Helper()
	for k := range d.Names {
		var rows []int
		for i, class := range d.Labels {
			if class == k {
				rows = append(rows, i)
			}
		}
		mean := methodtest.Means(methodtest.Rows(d, rows))
		methodtest.SameNumbers(t, m.Name+": means", s.Means[k], record.Numbers(mean), 1e-12)
		share := float64(len(rows)) / float64(len(d.Labels))
		linalgtest.Close(t, m.Name+": prior", float64(s.Priors[k]), share, 1e-12)
		methodtest.Cell(t, m.Name, text, "(Prior)", k, share)
		methodtest.Cell(t, m.Name, text, "b", k, mean[1])
	}
}

// judgeExtras counts support vectors, mistakes and the margin.
func judgeExtras(t *testing.T, model *method.Model, d *dataset.Data, s *report.Summary, text map[string][]string) {
	t.Helper()
	name := model.Method.Name
	figure := map[string]any{}
	for _, f := range s.Figures {
		figure[f.Key] = f.Value
	}
	if f, ok := model.Fitted().(interface{ Support() []int }); ok != (figure["support"] != nil) || ok && figure["support"] != len(f.Support()) {
		t.Errorf("%s: %v support vectors", name, figure["support"])
	}
	if name == "perceptron" {
		wrong := 0
		for i, k := range d.Labels {
			if model.Classifier().Predict(d.X.Row(i)) != k {
				wrong++
			}
		}
		if figure["misclassified"] != wrong || text["misclassified "+fmt.Sprint(wrong)] == nil {
			t.Errorf("%s: %v misclassified, want %d; %v", name, figure["misclassified"], wrong, text)
		}
	}
	if margin, has := figure["margin"].(float64); has != (name == "hardmargin" || name == "svc" && len(d.Names) == 2) {
		t.Errorf("%s: margin %v", name, margin)
	} else if has {
		coef, _, _ := model.Coef()
		linalgtest.Close(t, name+": margin", margin, 1/linalg.Norm(coef.Row(0)), 1e-9)
		word := map[string]string{"hardmargin": "margin ", "svc": "half-width "}[name]
		if text[word+sim.Number(margin)] == nil {
			t.Errorf("%s: no %sin %v", name, word, text)
		}
	}
	if text["objective "+sim.Number(float64(s.Objective))] == nil {
		t.Errorf("%s: no objective in %v", name, text)
	}
}

// The table of a logistic regression with one feature against the closed form of its
// information matrix [Σv Σvx; Σvx Σvx²], v = w·p(1−p).
func TestInferenceOfOneFeature(t *testing.T) {
	m, _ := method.Named("logistic")
	for _, weighted := range []bool{false, true} {
		d := methodtest.TwoClasses(methodtest.Clouds(m, 1, 60, 1))
		if weighted {
			d = methodtest.Loaded(m, d)
		}
		o := &method.Options{Tol: 1e-12}
		model := methodtest.Must(t, m, d, o)
		s := report.Summarize(model, d.X.Rows, 0)
		add(t, s, model, d, o)
		var a, b, c, deviance float64
		prober, _, x := denseFor(model, d)
		for i, k := range d.Labels {
			p, w := prober.(sim.Prober).Proba(nil, x.Row(i)), 1.0
			if weighted {
				w = d.Weights[i]
			}
			v, f := w*p[0]*p[1], d.X.At(i, 0)
			a, b, c = a+v, b+v*f, c+v*f*f
			deviance -= 2 * w * math.Log(p[k])
		}
		det := a*c - b*b
		se := []float64{math.Sqrt(c / det), math.Sqrt(a / det)}
		coef, intercept, _ := model.Coef()
		estimate := []float64{intercept[0], coef.At(0, 0)}
		back, text := methodtest.Decoded(t, s), methodtest.Lines(t, s)
		for i, term := range back.Table {
			name := []string{"(Intercept)", "a"}[i]
			z := estimate[i] / se[i]
			if term.Class != "v" || term.Term != name {
				t.Errorf("term %d is %q of %q", i, term.Term, term.Class)
			}
			linalgtest.Close(t, "estimate", float64(term.Estimate), estimate[i], 0)
			linalgtest.Close(t, "se", float64(term.SE), se[i], 1e-8)
			linalgtest.Close(t, "z", float64(term.Z), z, 1e-8)
			linalgtest.Close(t, "p", float64(term.P), math.Erfc(math.Abs(z)/math.Sqrt2), 1e-8)
			methodtest.Cell(t, "table", text, name, 0, estimate[i])
			methodtest.Cell(t, "table", text, name, 1, float64(term.SE))
			methodtest.Cell(t, "table", text, name, 2, float64(term.Z))
			methodtest.Cell(t, "table", text, name, 3, float64(term.P))
		}
		linalgtest.Close(t, "deviance", float64(*back.Deviance), deviance, 1e-10)
		linalgtest.Close(t, "aic", float64(*back.AIC), deviance+4, 1e-10)
		if !weighted {
			_, null := methodtest.Deviances(model, d)
			linalgtest.Close(t, "null deviance", float64(*back.NullDeviance), null, 1e-10)
			if text["null deviance "+sim.Number(null)+" on "+fmt.Sprint(d.X.Rows-1)+" degrees of freedom"] == nil ||
				text["residual deviance "+sim.Number(deviance)+" on "+fmt.Sprint(d.X.Rows-2)+" degrees of freedom"] == nil ||
				text["likelihood ratio "+sim.Number(null-deviance)+" on 1 degrees of freedom against the intercept alone, p-value "+tail.PValue(tail.ChiSquare(null-deviance, 1))] == nil ||
				text["Rao's score "+sim.Number(rao(d))+" on 1 degrees of freedom against the intercept alone, p-value "+tail.PValue(tail.ChiSquare(rao(d), 1))] == nil ||
				text["AIC "+sim.Number(deviance+4)] == nil || text["BIC "+sim.Number(deviance+2*math.Log(float64(d.X.Rows)))] == nil {
				t.Errorf("%v", text)
			}
		}
	}
}

// Without an intercept the null model is f = 0, of deviance 2n·log 2.
func TestTestsWithoutIntercept(t *testing.T) {
	m, _ := method.Named("logistic")
	d, o := methodtest.TwoClasses(methodtest.Clouds(m, 1, 60, 1)), &method.Options{NoIntercept: true}
	s := report.Summarize(methodtest.Must(t, m, d, o), d.X.Rows, 0)
	add(t, s, methodtest.Must(t, m, d, o), d, o)
	var b strings.Builder
	if err := s.Write(&b, false); err != nil || strings.Count(b.String(), " against f = 0, ") != 2 || strings.Contains(b.String(), "intercept alone") {
		t.Errorf("%v, %s", err, b.String())
	}
	linalgtest.Close(t, "null deviance", float64(*methodtest.Decoded(t, s).NullDeviance), 2*float64(d.X.Rows)*math.Ln2, 1e-12)
}

// One feature, row or iteration is not said in the plural.
func TestHeadingsOfOne(t *testing.T) {
	m, _ := method.Named("ridge")
	model := methodtest.Must(t, m, methodtest.Clouds(m, 1, 10, 1), &method.Options{Lambda: 1})
	for n, rows := range map[int]string{1: "1 row", 2: "2 rows"} {
		var b strings.Builder
		s := report.Summarize(model, n, 0)
		s.Status, s.Iterations = optimize.Converged, n
		if err := s.Write(&b, false); err != nil || !strings.HasPrefix(b.String(), "ridge: "+rows+", 1 feature\nconverged after "+sim.Count(n, "iteration")+" in ") {
			t.Errorf("%v, %s", err, b.String())
		}
		b.Reset()
		if err := (&report.Audit{Method: "ridge", N: n}).Write(&b, false); err != nil || !strings.HasPrefix(b.String(), "ridge on "+rows+": ") {
			t.Errorf("%v, %s", err, b.String())
		}
	}
	if !strings.HasPrefix(model.String(), "ridge, 1 feature, ") {
		t.Error(model)
	}
}

// add adds the inference of a model to its summary.
func add(t *testing.T, s *report.Summary, m *method.Model, d *dataset.Data, o *method.Options) {
	t.Helper()
	inf, err := m.Infer(d, o)
	if err != nil || inf == nil {
		t.Fatal(inf, err)
	}
	s.Add(inf)
}

// With three classes each has its terms but the reference; with a penalty, and for
// other models, there are none, and for data of another kind an error.
func TestInferenceWhereThereIsSome(t *testing.T) {
	m, _ := method.Named("logistic")
	d, o := methodtest.Clouds(m, 1, 60, 3), new(method.Options)
	model := methodtest.Must(t, m, d, o)
	s := report.Summarize(model, 60, 0)
	add(t, s, model, d, o)
	var got []string
	for _, term := range s.Table {
		got = append(got, term.Class+":"+term.Term)
	}
	if fmt.Sprint(got) != "[u:(Intercept) u:a u:b u:c v:(Intercept) v:a v:b v:c]" {
		t.Errorf("%v", got)
	}
	text := methodtest.Lines(t, s)
	for i, name := range got {
		methodtest.Cell(t, "table", text, name, 0, float64(s.Table[i].Estimate))
	}
	coef, _, _ := model.Coef()
	linalgtest.Close(t, "v:b", float64(s.Table[6].Estimate), coef.At(1, 1), 1e-12)

	var shape *linalg.ShapeError
	if inf, err := model.Infer(methodtest.Clouds(m, 1, 60, 4), o); inf != nil || !errors.As(err, &shape) {
		t.Errorf("four columns: %v", err)
	}
	var class *linalg.ClassError
	one := *d
	one.Labels = make([]int, 60)
	if inf, err := model.Infer(&one, &method.Options{ClassWeight: "balanced"}); inf != nil || !errors.As(err, &class) {
		t.Errorf("one class: %v", err)
	}
	for _, m := range method.All() {
		o := methodtest.Options(m)
		model, s := methodtest.Must(t, m, methodtest.Clouds(m, 1, 60, 3), o), new(report.Summary)
		if m.Name == "ols" {
			continue // see TestLeastSquaresHasATable
		}
		inf, err := model.Infer(methodtest.Clouds(m, 1, 60, 3), o)
		if s.Add(inf); inf != nil || err != nil || s.Table != nil || s.Deviance != nil {
			t.Errorf("%s with λ = %v: %v, %+v", m.Name, o.Lambda, err, s)
		}
	}
}

// denseFor is For with the rows as a matrix, whichever storage they come in.
func denseFor(m *method.Model, d *dataset.Data) (sim.Classifier, sim.Regressor, *linalg.Dense) {
	c, r, x := m.For(d)
	dense, err := linalg.ToDense(x)
	if err != nil {
		panic(err)
	}
	return c, r, dense
}

// Of columns with means of 1e8 the intercept at 0 keeps too few digits: the JSON of a fit holds
// the origin and the intercept there, by which the certificate can be recomputed.
func TestJSONOfFarColumnsHoldsTheOrigin(t *testing.T) {
	x, labels, columns := linalgtest.Table(t, "offset.csv", "y")
	y, names := linalgtest.Codes(labels)
	s := &dataset.Schema{Label: "y", Names: names}
	for _, c := range columns {
		s.Columns = append(s.Columns, dataset.Column{Name: c})
	}
	d := &dataset.Data{X: x, Labels: y, Names: names, Schema: s}
	m, _ := method.Named("logistic")
	model, err := m.Fit(d, new(method.Options))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(report.Summarize(model, x.Rows, 0))
	if err != nil {
		t.Fatal(err)
	}
	var printed struct {
		Coef              [][]float64
		Origin, Intercept []float64
		AtOrigin          []float64 `json:"at_origin"`
	}
	if err := json.Unmarshal(text, &printed); err != nil || len(printed.Origin) != 2 || len(printed.AtOrigin) != 1 {
		t.Fatalf("%v in %s", err, text)
	}
	gap := func(at, origin []float64) float64 {
		return linalgtest.LogisticGap(linalgtest.Fit{X: x}, y, linalgtest.Affine{Coef: linalgtest.Rows(t, printed.Coef...), At: at, Origin: origin}, -1, nil)
	}
	stated := model.Report().Certificate().Value
	if there, plain := gap(printed.AtOrigin, printed.Origin), gap(printed.Intercept, nil); !(there <= stated) || !(plain > 10*stated) {
		t.Errorf("gap %g about the origin, %g by the intercept at 0, certified %g", there, plain, stated)
	}
	near := methodtest.Iris(t, m)
	model, err = m.Fit(near, &method.Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(report.Summarize(model, near.X.Rows, 0)); err != nil || strings.Contains(string(text), "origin") {
		t.Errorf("%v in %s", err, text)
	}
}

// rao is Rao's test of one feature: n times its squared correlation with the class.
func rao(d *dataset.Data) float64 {
	var n, x, y, xx, xy, yy float64
	for i, k := range d.Labels {
		u, v := d.X.At(i, 0), float64(k)
		n, x, y, xx, xy, yy = n+1, x+u, y+v, xx+u*u, xy+u*v, yy+v*v
	}
	r := (xy - x*y/n) / math.Sqrt((xx-x*x/n)*(yy-y*y/n))
	return n * r * r
}

// Degrees of freedom of weights that are no integers are shown without the rounding errors of their sum.
func TestDegreesOfFreedomAreShownRounded(t *testing.T) {
	for name, want := range map[string][]string{"logistic": {"60.7", "59.7"}, "ols": {"59.7"}} {
		m := must(method.Named(name))
		d := &dataset.Data{X: linalgtest.Normal(1, 89, 1)}
		for i := range d.X.Rows {
			d.Labels, d.Y = append(d.Labels, i*i%5%2), append(d.Y, float64(i*i%5))
			d.Weights = append(d.Weights, []float64{0.1, 0.7, 1.3}[i%3])
		}
		model := methodtest.Must(t, m, d, nil)
		s := report.Summarize(model, d.Len(), 0)
		s.Add(must(model.Infer(d, nil)))
		var b strings.Builder
		if err := s.Write(&b, false); err != nil {
			t.Fatal(err)
		}
		for _, df := range want {
			if !strings.Contains(b.String(), " "+df+" degrees of freedom") {
				t.Errorf("%s: no %s degrees of freedom in\n%s", name, df, b.String())
			}
		}
	}
}
