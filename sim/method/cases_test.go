package method_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/validate"
)

// clouds draws rows that suit a method: normal classes that overlap, or are apart
// for the methods that need it; a noisy plane for regressions.
func clouds(m *method.Method, seed uint64, n, p int) *dataset.Data {
	r := rand.New(rand.NewPCG(seed, 1))
	k, apart := 3, 1.5
	if m.Name == "perceptron" || m.Name == "hardmargin" {
		k, apart = 2, 12
	}
	d := &dataset.Data{X: linalg.Zeros(n, p), Schema: &dataset.Schema{Label: "y"}}
	for j := range p {
		d.Schema.Columns = append(d.Schema.Columns, dataset.Column{Name: string(rune('a' + j))})
	}
	d.Features = d.Schema.Features()
	for i := range n {
		row, noise := d.X.Row(i), r.NormFloat64()
		for j := range row {
			row[j] = r.NormFloat64()
		}
		if m.Regression {
			y := 3 + noise
			for j, v := range row {
				y += float64(j-1) * v
			}
			d.Y = append(d.Y, y)
			continue
		}
		class := i % k
		row[class%p] += apart
		d.Labels = append(d.Labels, class)
	}
	if !m.Regression {
		d.Schema.Names = []string{"u", "v", "w"}[:k]
		d.Names = d.Schema.Names
	}
	return d
}

// changed returns a copy of d with other rows.
func changed(d *dataset.Data, change func(row []float64)) *dataset.Data {
	c := *d
	c.X = d.X.Clone()
	for i := range c.X.Rows {
		change(c.X.Row(i))
	}
	return &c
}

// pick returns the given rows of d, in that order.
func pick(d *dataset.Data, rows []int) *dataset.Data {
	c := *d
	c.X, c.Labels, c.Y = validate.TakeRows(d.X, rows), validate.Take(d.Labels, rows), validate.Take(d.Y, rows)
	return &c
}

// answers is what the model says about the row, free of what is arbitrary: the
// prediction of a regression, else scores less their mean.
func answers(m *method.Model, row []float64) []float64 {
	if r := m.Regressor(); r != nil {
		return []float64{r.Predict(row)}
	}
	s := m.Classifier().Scores(nil, row)
	mean := 0.0
	for _, v := range s {
		mean += v / float64(len(s))
	}
	for k := range s {
		s[k] -= mean
	}
	return s
}

// agree compares two models on the rows of x and what change makes of them. order
// says where the classes of a are in b; nil is where they were.
func agree(t *testing.T, what string, a, b *method.Model, x *linalg.Dense, change func(row []float64), order []int) {
	t.Helper()
	for i := range x.Rows {
		u := answers(a, x.Row(i))
		row := slices.Clone(x.Row(i))
		if change != nil {
			change(row)
		}
		v := answers(b, row)
		for k := range u {
			at := k
			if order != nil {
				at = order[k]
			}
			if d := math.Abs(u[k] - v[at]); !(d <= 2e-6*(1+math.Abs(u[k]))) {
				t.Errorf("%s: %s: row %d: %v became %v", a.Method.Name, what, i, u, v)
				return
			}
		}
	}
}

// must fits or fails.
func must(t *testing.T, m *method.Method, d *dataset.Data, o *method.Options) *method.Model {
	t.Helper()
	model, err := m.Fit(d, o)
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	return model
}

// ways are the options under which properties are tried: as they come, and with
// standardised columns and the other way with several classes.
func ways(m *method.Method) []*method.Options {
	list := []*method.Options{options(m)}
	if m.Takes("standardize") {
		o := options(m)
		o.Standardize = true
		if m.Takes("multi") {
			o.Multi = "ovr"
		}
		if m.Takes("l1-ratio") {
			o.L1Ratio = 0.5
		}
		list = append(list, o)
	}
	if m.Takes("l1-ratio") {
		list = append(list, new(method.Options)) // maximum likelihood
	}
	for _, o := range list {
		o.Epsilon = 0.1
	}
	return list
}

// twoOf returns the rows of the first two classes.
func twoOf(d *dataset.Data) *dataset.Data {
	var rows []int
	for i, k := range d.Labels {
		if k < 2 {
			rows = append(rows, i)
		}
	}
	c := pick(d, rows)
	s := *d.Schema
	s.Names = s.Names[:2]
	c.Schema, c.Names = &s, s.Names
	return c
}

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
