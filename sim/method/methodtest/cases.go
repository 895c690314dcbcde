package methodtest

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"halfspace/linalg"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/validate"
)

// Clouds draws rows that suit a method: normal classes that overlap, or are apart
// for the methods that need it; a noisy plane for regressions.
func Clouds(m *method.Method, seed uint64, n, p int) *dataset.Data {
	r := rand.New(rand.NewPCG(seed, 1))
	k, apart := 3, 1.5
	if m.Name == "perceptron" || m.Name == "hardmargin" {
		k, apart = 2, 12
	}
	d := &dataset.Data{X: linalg.Zeros(n, p), Schema: &dataset.Schema{Label: "y"}}
	for j := range p {
		d.Schema.Columns = append(d.Schema.Columns, dataset.Column{Name: string(rune('a' + j))})
	}
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

// Iris returns data that suit the method: all of iris, or setosa and
// versicolor where it takes two classes or separable ones, or petal width.
func Iris(t testing.TB, m *method.Method) *dataset.Data {
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
		return &dataset.Data{X: x, Y: y, Schema: s}
	case m.Name == "perceptron" || m.Name == "hardmargin":
		s := *d.Schema
		s.Names = s.Names[:2]
		d.X, d.Labels, d.Names, d.Schema = d.X.RowRange(0, 100), d.Labels[:100], s.Names, &s
	}
	return d
}

// Options are those with which the method fits iris or two of its classes.
func Options(m *method.Method) *method.Options {
	o := new(method.Options)
	if m.Takes("lambda") {
		o.Lambda = 1
	}
	if m.Takes("alpha") {
		o.Alpha = 0.5
	}
	return o
}

// Ways are the options under which properties are tried: as they come, and with
// standardised columns and the other way with several classes.
func Ways(m *method.Method) []*method.Options {
	list := []*method.Options{Options(m)}
	if m.Takes("standardize") {
		o := Options(m)
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
	if m.Takes("loss") {
		o := Options(m)
		o.Loss = "squared-hinge"
		list = append(list, o)
	}
	for _, o := range list {
		o.Epsilon = 0.1
	}
	return list
}

// Taken sets the options that m does not take, and would refuse, to their defaults.
func Taken(m *method.Method, o *method.Options) *method.Options {
	for name, reset := range map[string]func(){
		"priors": func() { o.Priors, o.Uniform = nil, false }, "divisor": func() { o.Divisor = "" }, "alpha": func() { o.Alpha = 0 },
		"gamma": func() { o.Shrinkage = 0 }, "rank": func() { o.Rank = 0 }, "lambda": func() { o.Lambda = 0 }, "l1-ratio": func() { o.L1Ratio = 0 },
		`C`: func() { o.C = 0 }, "epsilon": func() { o.Epsilon = 0 }, "rate": func() { o.Rate = 0 }, "max-epochs": func() { o.MaxEpochs = 0 },
		"pocket": func() { o.Pocket = false }, "loss": func() { o.Loss = "" }, "multi": func() { o.Multi = "" }, "class-weight": func() { o.ClassWeight = "" },
		"standardize": func() { o.Standardize = false }, "no-intercept": func() { o.NoIntercept = false }, "tol": func() { o.Tol = 0 },
		"max-iter": func() { o.MaxIter = 0 }, "workers": func() { o.Workers = 0 }, "seed": func() { o.Seed = 0 },
	} {
		if !m.Takes(name) {
			reset()
		}
	}
	return o
}

// TwoClasses returns the rows of the first two classes.
func TwoClasses(d *dataset.Data) *dataset.Data {
	var rows []int
	for i, k := range d.Labels {
		if k < 2 {
			rows = append(rows, i)
		}
	}
	c := Rows(d, rows)
	s := *d.Schema
	s.Names = s.Names[:2]
	c.Schema, c.Names = &s, s.Names
	return c
}

// Lopsided leaves 5 rows of class 1, and every row of a regression.
func Lopsided(d *dataset.Data) *dataset.Data {
	var rows []int
	for i := range d.X.Rows {
		if d.Labels == nil || d.Labels[i] != 1 || i < 15 {
			rows = append(rows, i)
		}
	}
	return Rows(d, rows)
}

// Loaded gives the rows weights 1 and 2 and, where the method takes one for these
// classes, an offset.
func Loaded(m *method.Method, d *dataset.Data) *dataset.Data {
	c := *d
	if m.Takes("offset") && len(d.Names) == 3 {
		c = *TwoClasses(d)
	}
	for i := range c.X.Rows {
		if m.Takes("weights") {
			c.Weights = append(c.Weights, float64(1+i%2))
		}
		if m.Takes("offset") {
			c.Offset = append(c.Offset, math.Sin(float64(i)))
		}
	}
	return &c
}

// Rows returns the given rows, in that order, with all that belongs to them.
func Rows(d *dataset.Data, rows []int) *dataset.Data {
	c := *d
	c.X, c.Labels, c.Y = validate.TakeRows(d.X, rows), validate.Take(d.Labels, rows), validate.Take(d.Y, rows)
	c.Weights, c.Offset = validate.Take(d.Weights, rows), validate.Take(d.Offset, rows)
	return &c
}

// Must fits or fails.
func Must(t *testing.T, m *method.Method, d *dataset.Data, o *method.Options) *method.Model {
	t.Helper()
	model, err := m.Fit(d, o)
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	return model
}

// FitIris fits the method to its part of iris, or fails.
func FitIris(t testing.TB, m *method.Method, o *method.Options) (*method.Model, *dataset.Data) {
	t.Helper()
	d := Iris(t, m)
	model, err := m.Fit(d, o)
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	return model, d
}

// Predictions returns all numbers with which the model answers to the rows of x.
func Predictions(m *method.Model, x *linalg.Dense) []float64 {
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

// Means returns the mean of each column.
func Means(d *dataset.Data) []float64 {
	mean := make([]float64, d.X.Cols)
	for i := range d.X.Rows {
		linalg.Axpy(mean, 1/float64(d.X.Rows), d.X.Row(i))
	}
	return mean
}

// Deviances returns −2 log-likelihood of a logistic regression, and of the model of
// class shares alone.
func Deviances(m *method.Model, d *dataset.Data) (deviance, null float64) {
	share, total := make([]float64, len(d.Names)), 0.0
	weight := func(i int) float64 {
		if d.Weights != nil {
			return d.Weights[i]
		}
		return 1
	}
	for i, k := range d.Labels {
		share[k] += weight(i)
		total += weight(i)
	}
	c := m.Classifier().(sim.Prober)
	for i, k := range d.Labels {
		deviance -= 2 * weight(i) * math.Log(c.Proba(nil, d.X.Row(i))[k])
		null -= 2 * weight(i) * math.Log(share[k]/total)
	}
	return deviance, null
}

// Put writes a file, or fails.
func Put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
