package draw_test

import (
	"bytes"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/draw"
)

// twoIris are versicolor and virginica with the first p features.
func twoIris(p int) *dataset.Data {
	all := dataset.Iris()
	d := &dataset.Data{X: linalg.Zeros(100, p), Features: all.Features[:p], Labels: make([]int, 100), Names: all.Names[1:],
		Schema: &dataset.Schema{Label: "species", Names: all.Names[1:], Columns: all.Schema.Columns[:p]}}
	for i := range 100 {
		copy(d.X.Row(i), all.X.Row(50 + i)[4-p:])
		d.Labels[i] = all.Labels[50+i] - 1
	}
	return d
}

func fitted(t *testing.T, name string, d *dataset.Data, o *method.Options) *method.Model {
	t.Helper()
	m, err := method.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	model, err := m.Fit(d, o)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func svg(t *testing.T, kind string, m *method.Model, d *dataset.Data) string {
	t.Helper()
	p, err := draw.Kind(kind, m, d, "", "")
	if err != nil {
		t.Fatalf("%s of %s: %v", kind, m.Method.Name, err)
	}
	var b bytes.Buffer
	if err := p.SVG(&b); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
		t.Errorf("%s of %s has places that are not finite", kind, m.Method.Name)
	}
	return b.String()
}

// Every kind draws what it names, of the models that have it, and refuses the others.
func TestKinds(t *testing.T) {
	two, three := twoIris(4), dataset.Iris()
	svc, lda := fitted(t, "svc", two, nil), fitted(t, "lda", three, nil)
	logit := fitted(t, "logistic", two, nil)
	for kind, words := range map[string][]string{"margins": {"f(x), positive for virginica", "versicolor"}, "roc": {"area 0.99", "chance"}, "confusion": {"true class"}, "": {"f(x), positive"}} {
		picture := svg(t, kind, svc, two)
		for _, w := range words {
			if !strings.Contains(picture, w) {
				t.Errorf("%q is not in the picture of kind %q", w, kind)
			}
		}
	}
	if !strings.Contains(svg(t, "calibration", logit, two), "if predictions are right") {
		t.Error("no line of right predictions")
	}
	if s := svg(t, "", lda, three); !strings.Contains(s, "second discriminant coordinate") {
		t.Error("four features of three classes are not drawn in discriminant coordinates")
	}
	numeric := &dataset.Data{X: three.X, Features: three.Features, Y: three.X.Col(nil, 3), Schema: &dataset.Schema{Label: "width", Columns: three.Schema.Columns}}
	if ols := fitted(t, "ridge", numeric, &method.Options{Lambda: 1}); !strings.Contains(svg(t, "residuals", ols, numeric), "fitted width") {
		t.Error("residuals have no axis")
	}
	for _, c := range []struct {
		kind string
		m    *method.Model
		d    *dataset.Data
	}{{"nosuch", svc, two}, {"ld", svc, two}, {"roc", lda, three}, {"margins", lda, three}, {"calibration", svc, two}, {"residuals", svc, two}} {
		if p, err := draw.Kind(c.kind, c.m, c.d, "", ""); err == nil || p != nil {
			t.Errorf("%s of %s is drawn", c.kind, c.m.Method.Name)
		}
	}
	if _, err := draw.Kind("roc", svc, two, "petal_length", ""); err == nil {
		t.Error("a ROC curve over petal_length is drawn")
	}
}

// The path of a method is drawn over its penalty, with the losses that choose one.
func TestPathsAreDrawn(t *testing.T) {
	three, two := dataset.Iris(), twoIris(4)
	numeric := &dataset.Data{X: three.X, Features: three.Features, Y: three.X.Col(nil, 3), Schema: &dataset.Schema{Label: "width", Columns: three.Schema.Columns}}
	for _, c := range []struct {
		m     *method.Model
		d     *dataset.Data
		words []string // of the path, nil where there is none; the feature that is largest at its end is the first
	}{
		{fitted(t, "logistic", two, nil), two, []string{"petal_width", ">coefficient<", ">lambda<"}},
		{fitted(t, "logistic", three, &method.Options{Steps: []feature.Step{feature.Standardize{}}, Lambda: 1}), three, []string{"norm of a feature"}},
		{fitted(t, "svc", two, nil), two, []string{">lambda<"}},
		{fitted(t, "ridge", numeric, &method.Options{Lambda: 1}), numeric, []string{"petal_width"}},
		{fitted(t, "rda", three, &method.Options{Alpha: 0.5}), three, nil},
		{fitted(t, "lda", three, nil), three, nil},
	} {
		if c.words == nil {
			if p, err := draw.Kind("path", c.m, c.d, "", ""); err == nil || p != nil {
				t.Errorf("coefficients of %s are drawn", c.m.Method.Name)
			}
		} else {
			picture := svg(t, "path", c.m, c.d)
			for _, w := range c.words {
				if !strings.Contains(picture, w) {
					t.Errorf("%q is not in the path of %s", w, c.m.Method.Name)
				}
			}
		}
		if p, err := draw.Kind("cv", c.m, c.d, "", ""); (err == nil) != c.m.Method.Takes("path") || (p == nil) != (err != nil) {
			t.Errorf("cross-validation of %s: %v", c.m.Method.Name, err)
		}
	}
	for _, w := range []string{"loss on 10 folds", "one standard error", ">least<", ">one-SE rule<"} {
		if !strings.Contains(svg(t, "cv", fitted(t, "lasso", numeric, &method.Options{Lambda: 1}), numeric), w) {
			t.Errorf("no %q", w)
		}
	}
}

// A margin of two features has its slab and a ring for every row on it or inside, and no
// fewer than support vectors; the slacks are as many as rows inside. On standardised
// features the picture is of the data's own.
func TestMarginsAreDrawn(t *testing.T) {
	d := twoIris(2)
	for _, o := range []*method.Options{{C: 1}, {C: 1, Steps: []feature.Step{feature.Standardize{}}}} {
		m := fitted(t, "svc", d, o)
		inside := 0
		for i, k := range d.Labels {
			s := m.Classifier().Scores(nil, d.X.Row(i))
			if float64(2*k-1)*(s[1]-s[0]) < 1-1e-6 {
				inside++
			}
		}
		picture := svg(t, "", m, d)
		for _, w := range []string{"margins", "slack", "on the margin or inside"} {
			if !strings.Contains(picture, ">"+w+"<") {
				t.Errorf("no %q", w)
			}
		}
		on := 0
		for i, k := range d.Labels {
			s := m.Classifier().Scores(nil, d.X.Row(i))
			if float64(2*k-1)*(s[1]-s[0]) <= 1+1e-6 {
				on++
			}
		}
		rings := look(t, m, d, "", "").points
		if inside < 5 || len(rings[len(rings)-1]) != on {
			t.Errorf("%d rows inside, %d there or on the margin, %d rings", inside, on, len(rings[len(rings)-1]))
		}
	}
	if s := svg(t, "", fitted(t, "lda", d, nil), d); strings.Contains(s, ">slack<") {
		t.Error("LDA has slacks")
	}
}
