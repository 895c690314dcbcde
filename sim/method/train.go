package method

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
)

// training is a table that a method is fitted to.
type training struct {
	*dataset.Data             // with a schema, and class codes
	X             linalg.Rows // what the steps make of its rows
	method        *Method
	steps         feature.Chain
}

// model returns the model of a fit to t with those options.
func (t *training) model(f fitted, o *Options) *Model {
	return &Model{t.method, t.Schema, t.steps, f, o.objective(t.method)}
}

// named adds names to an error of a fit to t.
func (t *training) named(err error) error {
	return t.method.named(err, t.Names, func() []string { return t.steps.Names(t.Features()) })
}

// train checks a table and options and fits the steps. The options that come back are
// not nil, and never call a trace that the fit is done with.
func (m *Method) train(d *dataset.Data, o *Options) (*training, *Options, error) {
	if o == nil {
		o = new(Options)
	}
	if err := m.refuse(o); err != nil {
		return nil, nil, err
	}
	d, err := m.suits(d)
	if err != nil {
		return nil, nil, err
	}
	steps := o.Steps
	if o.Standardize && !m.scales {
		// The intercept of a plane takes up the means of sparse rows, which are not centered.
		steps = append(slices.Clone(steps), feature.Standardize{KeepOrigin: o.NoIntercept || d.Sparse != nil && m.Takes("no-intercept")})
	}
	if len(steps) == 0 {
		return &training{Data: d, X: d.Rows(), method: m}, o, nil
	}
	if d, err = held(d); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	t := &training{Data: d, X: d.Rows(), method: m}
	if d.Sparse != nil {
		err = t.scale(steps)
	} else {
		t.steps, t.X, err = feature.FitSteps(&feature.Sample{X: d.X, Weights: d.Weights, Labels: d.Labels, Y: d.Y, Levels: levels(d.Schema)}, steps...)
	}
	if err != nil {
		return nil, nil, m.named(fmt.Errorf("%s: %w", m.Name, err), d.Names, d.Features)
	}
	return t, o, nil
}

// scale fits steps to sparse rows: there is one that takes them, which divides by standard deviations.
func (t *training) scale(steps []feature.Step) error {
	if s, ok := steps[0].(feature.Standardize); !ok || !s.KeepOrigin || len(steps) > 1 {
		return errors.New("steps take no sparse rows, whose zeros they would have to store")
	}
	s, err := feature.FitScale(t.Sparse, t.Weights)
	if err == nil {
		t.steps, t.X = feature.Chain{s}, feature.ApplySparse(s, t.Sparse)
	}
	return err
}

// held returns d with its rows in memory, for steps, and for folds, which take rows in any order.
//
// Errors: those of [linalg.ToDense].
func held(d *dataset.Data) (*dataset.Data, error) {
	if d.Stream == nil {
		return d, nil
	}
	x, err := d.Dense()
	if err != nil {
		return nil, err
	}
	s := *d
	s.X, s.Stream = x, nil
	return &s, nil
}

// suits returns d with a schema, and with class codes if it is for a classifier, or
// refuses data of the wrong kind.
func (m *Method) suits(d *dataset.Data) (*dataset.Data, error) {
	switch {
	case d == nil || d.X == nil && d.Sparse == nil && d.Stream == nil:
		return nil, fmt.Errorf("%s: %w", m.Name, &linalg.ShapeError{Want: 1, WantOf: "row needed", Got: 0, GotOf: "rows"})
	case d.Weights != nil && !m.weighted:
		return nil, fmt.Errorf("%s: this method takes no weights", m.Name)
	case d.Offset != nil && !m.offset:
		return nil, fmt.Errorf("%s: this method takes no offset", m.Name)
	}
	if err := m.lengths(d, true); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	t := *d
	_, p := d.Dims()
	if t.Schema == nil {
		t.Schema = &dataset.Schema{Numbered: p, Names: d.Names}
	}
	if !m.Regression {
		nameClasses(&t)
	}
	if named := t.Schema.Width(); named != p {
		return nil, fmt.Errorf("%s: %w", m.Name, &linalg.ShapeError{Want: named, WantOf: "features in the schema", Got: p, GotOf: "columns of x"})
	}
	if !slices.Equal(t.Names, t.Schema.Names) {
		s := *t.Schema
		s.Names, t.Schema = t.Names, &s
	}
	if err := t.Schema.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	if d.Offset != nil && len(t.Names) > 2 {
		return nil, fmt.Errorf("%s: an offset needs two classes, the data have %d", m.Name, len(t.Names))
	}
	return &t, nil
}

// lengths refuses lists of d that are not as long as it has rows; labels or responses, of which the
// method takes one, may be none unless they are needed.
func (m *Method) lengths(d *dataset.Data, needed bool) error {
	for _, list := range []struct {
		what   string
		wanted bool
		len    int
	}{
		{"numbers to explain", m.Regression && (needed || d.Y != nil), len(d.Y)}, {"class labels", !m.Regression && (needed || d.Labels != nil), len(d.Labels)},
		{"documents", d.Documents != nil, len(d.Documents)}, {"weights", d.Weights != nil, len(d.Weights)}, {"offsets", d.Offset != nil, len(d.Offset)},
	} {
		if list.wanted && list.len != d.Len() {
			return &linalg.ShapeError{Want: d.Len(), WantOf: "rows", Got: list.len, GotOf: list.what}
		}
	}
	return nil
}

// nameClasses gives names to the classes of d where it has none: those of its schema, or
// its labels, of which it then has the codes.
func nameClasses(d *dataset.Data) {
	if d.Names == nil {
		d.Names = d.Schema.Names
	}
	if d.Names != nil {
		return
	}
	classes := slices.Compact(slices.Sorted(slices.Values(d.Labels)))
	s := *d.Schema
	s.Names = spelled(classes)
	codes := make([]int, len(d.Labels))
	for i, l := range d.Labels {
		codes[i], _ = slices.BinarySearch(classes, l)
	}
	d.Schema, d.Names, d.Labels = &s, s.Names, codes
}

// suits is that of the method, of data with the model's class codes.
func (m *Model) suits(d *dataset.Data) (*dataset.Data, error) {
	d, err := m.Coded(d)
	if err != nil {
		return nil, err
	}
	return m.Method.suits(d)
}

// Coded returns d with class codes for labels, as a table has that was read by the model's schema. Labels of
// data without names are names of classes if all classes of the model are named by integers, and codes if not.
// Data that have names come back as they are.
//
// Error: *[linalg.ClassError] for a label of no class.
func (m *Model) Coded(d *dataset.Data) (*dataset.Data, error) {
	if d == nil || d.Labels == nil || d.Names != nil || d.Schema != nil && d.Schema.Names != nil || m.Schema.Names == nil {
		return d, nil
	}
	values, ok := dataset.Integers(m.Schema.Names)
	if !ok {
		values = codes(m.Schema.Names)
	}
	code := make(map[int]int, len(values))
	for k, v := range values {
		code[v] = k
	}
	t := *d
	t.Names, t.Labels = m.Schema.Names, make([]int, len(d.Labels))
	for i, l := range d.Labels {
		k, known := code[l]
		if !known {
			return nil, fmt.Errorf("%s: %w", m.Method.Name, &linalg.ClassError{Class: l, Rows: 1, Reason: "is not one of the model's"})
		}
		t.Labels[i] = k
	}
	return &t, nil
}

// ClassNames returns the names of the classes of d in the order of their codes: its own, those of its schema, or where
// there are none its labels, ascending.
func ClassNames(d *dataset.Data) []string {
	switch {
	case d.Names != nil:
		return d.Names
	case d.Schema != nil && d.Schema.Names != nil:
		return d.Schema.Names
	}
	return spelled(sample.Distinct(d.Labels, nil))
}

// spelled returns integers as text.
func spelled(labels []int) []string {
	names := make([]string, len(labels))
	for k, l := range labels {
		names[k] = strconv.Itoa(l)
	}
	return names
}

// levels returns the number of levels of each column.
func levels(s *dataset.Schema) []int {
	n := make([]int, s.Numbered+len(s.Columns))
	for k, c := range s.Columns {
		n[k] = len(c.Levels)
	}
	return n
}

// objective returns the options of o that say what a fit by m minimises, nil for the defaults.
func (o *Options) objective(m *Method) *Options {
	own := new(Options)
	own.take(o, func(name string) bool { return !m.Takes(name) })
	if !slices.ContainsFunc(m.Options, own.given) {
		return nil
	}
	return own
}

// classWeights returns the weight of each class of d: nil for ones, or where o asks for it
// that which gives all classes the same total, Σw/(K·Σ of the class).
func (o *Options) classWeights(d *dataset.Data) ([]float64, error) {
	if o.ClassWeight == "" {
		return nil, nil
	}
	l, err := sample.Code(d.Labels, codes(d.Names), d.Weights)
	if err != nil {
		return nil, fmt.Errorf("method: %w", err)
	}
	total, w := linalg.Sum(l.Count), make([]float64, l.K())
	for k, c := range l.Count {
		w[k] = total / (float64(l.K()) * c)
	}
	return w, nil
}

// owner returns the method whose models have the type of f, and f among them; nil if
// there is none.
func owner(f fitted) *Method {
	for _, m := range registry {
		if e, ok := m.entry.(probaEntry); ok && reflect.TypeOf(e.withProba()) == reflect.TypeOf(f) {
			return m
		}
		own, picks := m.entry.(owningEntry)
		if reflect.TypeOf(m.entry.empty()) == reflect.TypeOf(f) && (!picks || own.owns(f)) {
			return m
		}
	}
	return nil
}
