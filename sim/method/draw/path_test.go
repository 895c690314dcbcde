package draw_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"halfspace/linalg"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// behind returns the table that the steps of a model leave.
func behind(m *method.Model, d *dataset.Data) *dataset.Data {
	steps := m.Steps()
	through := *d
	through.X = linalg.Zeros(d.X.Rows, steps.Outputs())
	for i := range d.X.Rows {
		steps.Apply(through.X.Row(i)[:0], d.X.Row(i))
	}
	through.Schema = &dataset.Schema{Label: d.Schema.Label, Names: d.Names}
	for _, name := range steps.Names(d.Schema.Features()) {
		through.Schema.Columns = append(through.Schema.Columns, dataset.Column{Name: name})
	}
	return &through
}

// The path of a model with steps is that of the rows behind them.
func TestPathsAreOfTheRowsBehindTheSteps(t *testing.T) {
	var third []int
	for i := 0; i < 100; i += 3 {
		third = append(third, i)
	}
	whole := methodtest.Rows(twoIris(2), third)
	gaps := methodtest.Rows(whole, linalg.Sequence(len(third)))
	for i := 3; i < len(third); i += 7 {
		gaps.X.Set(i, 0, math.NaN())
	}
	for _, c := range []struct {
		what, method string
		d            *dataset.Data
		o            method.Options
		kinds        []string
	}{
		{"gaps", "logistic", gaps, method.Options{Steps: []feature.Step{feature.Impute{}}}, []string{"path", "cv"}},
		{"marks of gaps", "logistic", gaps, method.Options{Steps: []feature.Step{feature.Impute{Indicator: true}}}, []string{"path"}},
		{"products", "svc", whole, method.Options{Steps: []feature.Step{feature.Standardize{}, feature.Expand{}}}, []string{"path"}},
		{"standardised", "svc", whole, method.Options{Standardize: true}, []string{"path", "cv"}},
	} {
		m := fitted(t, c.method, c.d, &c.o)
		through := behind(m, c.d)
		plain := fitted(t, c.method, through, nil)
		for _, kind := range c.kinds {
			if svg(t, kind, m, c.d) != svg(t, kind, plain, through) {
				t.Errorf("%s: the %s is not that of the rows behind the steps", c.what, kind)
			}
		}
	}
}

// The path of a model with an offset has it too: one that the features explain takes its part of their coefficients.
func TestPathsHaveTheOffset(t *testing.T) {
	d := twoIris(2)
	none := *d
	none.Offset = make([]float64, d.X.Rows)
	loaded := *d
	loaded.Offset = d.X.Col(nil, 1)
	for _, kind := range []string{"path", "cv"} {
		without := svg(t, kind, fitted(t, "logistic", d, nil), d)
		if svg(t, kind, fitted(t, "logistic", &none, nil), &none) != without {
			t.Errorf("offsets of 0 change the %s", kind)
		}
		if svg(t, kind, fitted(t, "logistic", &loaded, nil), &loaded) == without {
			t.Errorf("an offset does not change the %s", kind)
		}
	}
}

// Pictures of rows that stay in a file are those of the rows in memory.
func TestRowsInAFileAreDrawnAsThoseInMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "iris.csv")
	if err := os.WriteFile(path, dataset.BuiltIn("iris"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := dataset.Iris()
	far, err := dataset.Load(path, &dataset.Options{Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	defer far.Stream.Close()
	m := fitted(t, "logistic", d, &method.Options{Lambda: 1})
	for _, kind := range []string{"boundary", "ld", "confusion", "path"} {
		if svg(t, kind, m, far) != svg(t, kind, m, d) {
			t.Errorf("the pictures of kind %s differ", kind)
		}
	}
}

// A path is of what the model's fit minimises, whatever its penalty.
func TestPathsHaveTheObjectiveOfTheModel(t *testing.T) {
	d := methodtest.Rows(twoIris(2), []int{0, 7, 14, 21, 28, 35, 42, 49, 56, 63, 70, 77, 84, 91, 98, 20, 33, 71, 50, 95})
	for _, c := range []struct {
		method, kind   string
		o, less, plain method.Options
	}{
		{"svc", "path", method.Options{Loss: "squared-hinge", C: 3}, method.Options{Loss: "squared-hinge"}, method.Options{}},
		{"logistic", "path", method.Options{NoIntercept: true, Lambda: 1, L1Ratio: 0.5}, method.Options{NoIntercept: true}, method.Options{}},
		{"logistic", "path", method.Options{Firth: true}, method.Options{Lambda: 1}, method.Options{ClassWeight: "balanced", NoIntercept: true}},
		{"rda", "cv", method.Options{Priors: []float64{0.1, 0.9}, Alpha: 0.5}, method.Options{Priors: []float64{0.1, 0.9}, Alpha: 0.1}, method.Options{Alpha: 0.5}},
	} {
		picture := svg(t, c.kind, fitted(t, c.method, d, &c.o), d)
		if svg(t, c.kind, fitted(t, c.method, d, &c.less), d) != picture {
			t.Errorf("%s %+v: the penalty of the model changes the %s", c.method, c.o, c.kind)
		}
		if svg(t, c.kind, fitted(t, c.method, d, &c.plain), d) == picture {
			t.Errorf("%s %+v: another objective does not change the %s", c.method, c.o, c.kind)
		}
	}
}
