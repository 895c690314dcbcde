package method

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
)

// Model is a fitted method with the meaning of its columns and labels, and with the
// steps that rows go through first. It takes rows of the schema's features, on the
// scale of the data, and is safe for any number of goroutines. The zero value is there to
// unmarshal into.
type Model struct {
	Method *Method
	Schema *dataset.Schema
	steps  feature.Chain // applied to rows first; nil: none
	fit    fitted
	meant  *Options // those of its objective; nil: the defaults, or not known
}

// Fit fits the method to d; nil options are the defaults. Data without a schema have columns x1,
// x2, …, and without names of the classes the labels are any integers, which become the names.
//
// The steps of the options are fitted first, and a step that standardises where o.Standardize asks
// for it and the method has no scaling of its own; the image of the rows is held beside them. Sparse
// rows are divided by their deviations and stay sparse: the intercept of a plane takes up the means.
// Other steps refuse them. With [optimize.ErrNotConverged] the model is not nil.
func (m *Method) Fit(d *dataset.Data, o *Options) (*Model, error) {
	t, o, err := m.train(d, o)
	if err != nil {
		return nil, err
	}
	f, err := m.entry.fit(t.X, t.Data, o)
	if f == nil {
		return nil, t.named(err)
	}
	return t.model(f, o), err
}

// New returns a model of the packages below (*logistic.Model, *discriminant.LDA, …) as
// one that has names, goes through steps and can be saved. The steps take rows of the
// schema's features and give those of the model; nil is none. A nil schema has columns
// x1, x2, … and labels spelled as the model's integers; the names of any other are those
// of the model's classes, ascending.
//
// Errors: *[linalg.ShapeError]; *[record.DamageError] for scores that leave the range of floating point; a type that
// no method has, or that was not fitted.
func New(s *dataset.Schema, steps feature.Chain, fit any) (*Model, error) {
	f, ok := fit.(fitted)
	m := &Model{Schema: s, steps: steps, fit: f}
	if ok {
		m.Method = owner(f)
	}
	if m.Method == nil || reflect.ValueOf(fit).IsNil() {
		return nil, fmt.Errorf("method: no model is given, or its type, %T, is that of no method", fit)
	}
	_, err := f.MarshalJSON()
	if m.steps = nil; err == nil && len(steps) > 0 {
		m.steps, err = feature.NewChain(steps...)
	}
	if err != nil {
		return nil, fmt.Errorf("method: %w", err)
	}
	if s == nil {
		m.Schema = &dataset.Schema{Numbered: m.features()}
		if c, ok := fit.(sim.Classifier); ok {
			m.Schema.Names = spelled(c.Classes())
		}
	}
	for _, check := range []func() error{m.check, m.Schema.Check, m.checkScale} {
		if err := check(); err != nil {
			return nil, fmt.Errorf("method: %w", err)
		}
	}
	return m, nil
}

// Classifier returns the model as a classifier of rows on the scale of the data,
// at offset 0, or nil if it is a regression. Classes are codes of Schema.Names. It
// is a [sim.Prober] if the model [Model.HasProba].
func (m *Model) Classifier() sim.Classifier {
	c, ok := m.fit.(sim.Classifier)
	if !ok {
		return nil
	}
	return behind(c, m.steps)
}

// HasProba reports whether the classifier has probabilities.
func (m *Model) HasProba() bool {
	_, ok := m.Classifier().(sim.Prober)
	return ok
}

// Regressor returns the model as a regressor of rows on the scale of the data, at
// offset 0, or nil if it is a classifier.
func (m *Model) Regressor() sim.Regressor {
	r, ok := m.fit.(sim.Regressor)
	if !ok || m.steps == nil {
		return r
	}
	return steppedRegressor{r, m.steps}
}

// For returns the model as a classifier or as a regressor, the other nil, of the
// rows x of d. If d has an offset and the model can, x is what the steps make of the rows
// with the offset as a last column, and predictions add it, as those of R do: an offset is
// part of f, not of the coefficients. To a model that takes none it is no part of f.
func (m *Model) For(d *dataset.Data) (c sim.Classifier, r sim.Regressor, x linalg.Rows) {
	c, r = m.Classifier(), m.Regressor()
	z, err := view(m.steps, d.Rows())
	if err != nil || d.Offset == nil || !m.Method.offset || len(m.Schema.Names) > 2 {
		return c, r, d.Rows() // rows of another length are the model's to refuse
	}
	x = beside{z, d.Offset}
	if r != nil {
		return nil, offsetRegressor{m.fit.(sim.Regressor)}, x
	}
	return offsetClassifier{behind(m.fit.(sim.Classifier), nil)}, nil, x
}

// Check refuses rows of another length than the model's, and labels, responses, weights and offsets that
// are not as many as the rows.
//
// Errors: *[linalg.ShapeError]; a model that is its zero value.
func (m *Model) Check(d *dataset.Data) error {
	if err := m.unfitted(); err != nil {
		return err
	}
	cols := 0
	if d != nil {
		_, cols = d.Dims()
	}
	if cols != m.features() {
		return &linalg.ShapeError{Want: m.features(), WantOf: "features", Got: cols, GotOf: "columns"}
	}
	return m.Method.lengths(d, false)
}

// features is the length of the rows that the model takes.
func (m *Model) features() int {
	switch {
	case m.steps != nil:
		return m.steps.Features()
	case m.fit != nil:
		return m.fit.Features()
	}
	return 0
}

// unfitted returns an error for a model that is its zero value.
func (m *Model) unfitted() error {
	if m.fit == nil {
		return errors.New("method: a model that was not fitted")
	}
	return nil
}

// Encoder returns an encoder of rows with the given columns as rows that the model
// takes, see [dataset.Schema.Encoder].
func (m *Model) Encoder(columns []string) (*dataset.Encoder, error) {
	if err := m.unfitted(); err != nil {
		return nil, err
	}
	return m.Schema.Encoder(columns)
}

// Row appends one row, whose cells have the names of their columns, as the model takes
// it; see [dataset.Schema.Row].
func (m *Model) Row(dst []float64, cells map[string]any) ([]float64, error) {
	if err := m.unfitted(); err != nil {
		return dst, err
	}
	return m.Schema.Row(dst, cells)
}

// Steps returns the fitted steps that rows go through first, nil without one.
func (m *Model) Steps() feature.Chain { return slices.Clone(m.steps) }

// split returns the steps without a last one that standardises, and that one.
// Coefficients count behind the former: the latter is folded into them.
func (m *Model) split() (feature.Chain, *feature.Standardizer) {
	if len(m.steps) > 0 {
		if s, ok := m.steps[len(m.steps)-1].(*feature.Standardizer); ok {
			return m.steps[:len(m.steps)-1], s
		}
	}
	return m.steps, nil
}

// FeatureNames returns the names of what the coefficients belong to: the features of the
// schema, or what the steps make of them.
func (m *Model) FeatureNames() []string {
	steps, _ := m.split()
	return steps.Names(m.Schema.Features())
}

// Report says how the fit ended.
func (m *Model) Report() optimize.Report {
	if m.fit == nil {
		return optimize.Report{}
	}
	return m.fit.Report()
}

// Fitted returns the model of the layer below (*discriminant.LDA, …). It takes what the
// steps make of rows.
func (m *Model) Fitted() any { return m.fit }

// Coef returns a copy of the coefficients, a column for each of [Model.FeatureNames], and
// of the intercepts, or ok false if the model is not linear.
func (m *Model) Coef() (coef *linalg.Dense, intercept []float64, ok bool) {
	l, ok := m.fit.(sim.Linear)
	if !ok {
		return nil, nil, false
	}
	coef, intercept = l.Coef()
	if _, scale := m.split(); scale != nil {
		coef, intercept = scale.Fold(coef, intercept)
	}
	return coef, intercept, true
}

// CoefRows is Coef for reading only: it copies no coefficients that the model has as they are, of
// which there can be many more than values in the data.
func (m *Model) CoefRows() (rows [][]float64, intercept []float64, ok bool) {
	if own, ok := m.fit.(interface {
		Normals() ([][]float64, []float64)
	}); ok && m.steps == nil {
		rows, intercept = own.Normals()
		return rows, intercept, true
	}
	coef, intercept, ok := m.Coef()
	for k := range intercept {
		rows = append(rows, coef.Row(k))
	}
	return rows, intercept, ok
}

// Formula returns the model in plain numbers, of the features that FeatureNames names.
// O(Kp), for a quadratic model O(Kp²).
func (m *Model) Formula() *Formula {
	_, scale := m.split()
	if scale == nil {
		return m.Method.entry.formula(m.fit, nil)
	}
	// Standardized features are about 0.
	f := m.Method.entry.formula(m.fit, make([]float64, m.fit.Features()))
	f.unscale(scale)
	return f
}

// Functions returns a name for each function of the model: the class whose log-odds
// or score it is, the larger of two, or one class against another, "virginica:setosa".
// The function of a regression is called "estimate".
func (m *Model) Functions() []string {
	classes := m.Schema.Names
	rows, _, _ := m.CoefRows()
	switch {
	case m.Method.Regression:
		return []string{"estimate"}
	case len(rows) == 1:
		return classes[1:]
	}
	var pairs [][2]int
	if c, ok := m.fit.(machinesModel); ok {
		pairs = c.Pairs()
	}
	if pairs == nil {
		return classes
	}
	names := make([]string, len(pairs))
	for i, pair := range pairs {
		names[i] = classes[pair[1]] + ":" + classes[pair[0]]
	}
	return names
}

// maxShown is the most coefficients of a function that String shows.
const maxShown = 20

// String returns the method, how the fit ended and the coefficients, or the class means.
func (m *Model) String() string {
	if m.fit == nil {
		return "a model that was not fitted"
	}
	names, r := m.FeatureNames(), m.Report()
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s", m.Method.Name, sim.Count(len(names), "feature"))
	if !m.Method.Regression {
		fmt.Fprintf(&b, ", classes %q", m.Schema.Names)
	}
	fmt.Fprintf(&b, ", %v\n", r.Status())
	t := &sim.Table{Head: append([]string{""}, m.Schema.Names...)}
	add := func(name string, value func(k int) float64) {
		cells := []any{name}
		for k := range t.Head[1:] {
			cells = append(cells, value(k))
		}
		t.Add(cells...)
	}
	coef, first, linear := m.Coef()
	if linear {
		t.Head = append([]string{""}, m.Functions()...)
		add("(Intercept)", func(k int) float64 { return first[k] })
	} else {
		n := m.Notes()
		coef, _ = linalg.FromRows(n.Means)
		add("(Prior)", func(k int) float64 { return n.Priors[k] })
	}
	for j, name := range names[:min(maxShown, len(names))] {
		add(name, func(k int) float64 { return coef.At(k, j) })
	}
	t.Write(&b, true)
	if len(names) > maxShown {
		fmt.Fprintf(&b, "  … %d more\n", len(names)-maxShown)
	}
	return b.String()
}

// Notes returns the numbers that the method reports of the model beside its formula.
func (m *Model) Notes() Notes {
	rows, _, _ := m.CoefRows()
	return m.Method.entry.notes(m.fit, rows)
}

// Infer returns the inference of a model that was fitted to d with options o, nil
// where the method has none, for a fit that has a penalty or did not converge, and for
// a model whose last step standardises.
func (m *Model) Infer(d *dataset.Data, o *Options) (*Inference, error) {
	steps, scale := m.split()
	rows, o, err := m.table(steps, d, o)
	if err != nil {
		return nil, err
	}
	fit, err := coded(m.fit)
	if err != nil {
		return nil, err
	}
	e, ok := m.Method.entry.(inferenceEntry)
	if !ok || scale != nil {
		return nil, nil
	}
	inf, err := e.infer(fit, rows, o)
	if err != nil {
		return nil, m.Method.named(err, rows.Names, m.FeatureNames)
	}
	return inf, nil
}

// table returns d with rows that have gone through steps, as the model's method takes it, and
// options that are not nil.
func (m *Model) table(steps feature.Chain, d *dataset.Data, o *Options) (*dataset.Data, *Options, error) {
	if err := m.unfitted(); err != nil {
		return nil, nil, err
	}
	if o == nil {
		o = new(Options)
	}
	if err := m.Method.refuse(o); err != nil {
		return nil, nil, err
	}
	rows, err := m.suits(d)
	if err != nil || len(steps) == 0 {
		return rows, o, err
	}
	if rows.Sparse = feature.ApplySparse(steps, d.Sparse); rows.Sparse != nil {
		return rows, o, nil
	}
	x, err := d.Dense()
	if err != nil {
		return nil, nil, err
	}
	rows.X, err = feature.ApplyRows(steps, x)
	rows.Sparse, rows.Stream = nil, nil
	return rows, o, err
}

// WithObjective returns the model, whoever fitted it, as one that is meant to minimise the objective
// that its method has with these options, by which [Model.Audit] and [Model.Refit] go where they
// are given no other. A file of the model keeps them.
//
// Errors: options that the method does not take.
func (m *Model) WithObjective(o *Options) (*Model, error) {
	if err := m.unfitted(); err != nil {
		return nil, err
	}
	if o == nil {
		o = new(Options)
	}
	if err := m.Method.refuse(o); err != nil {
		return nil, err
	}
	own := *m
	own.meant = o.objective(m.Method)
	return &own, nil
}

// Objective returns the options by which the model is judged where no others are given: those that it
// was fitted with or is meant for, see [Model.WithObjective], and C, epsilon, penalty, α and γ that the
// model of a machine, of a regression or of rda has itself.
func (m *Model) Objective() *Options {
	own := new(Options)
	if m.meant != nil {
		own.take(m.meant, func(string) bool { return false })
	}
	if m.Method.Takes("standardize") && !m.Method.scales {
		_, scale := m.split()
		own.Standardize = scale != nil
	}
	if e, ok := m.Method.entry.(keepingEntry); ok {
		e.keep(m.fit, own)
	}
	return own
}

// Audit judges the model, whoever fitted it, by the objective that its method minimises on d
// with the given options: the objective, a certificate, and the rows with the largest part in
// the excess above the minimum. An option that is not 0, or is named as given, replaces that of
// [Model.Objective]. Without a penalty there is no L1Ratio unless it is given. The methods of the
// packages below (hyperplane.SVC.Audit, …) say what each certificate is.
//
// Errors: those of [Method.Fit] for bad data and options; another way to tell several classes
// apart than the model's, and another scale of its own rows.
func (m *Model) Audit(d *dataset.Data, o *Options, given ...string) (*optimize.Audit, error) {
	rows, o, err := m.judged(d, o, given)
	if err != nil {
		return nil, err
	}
	fit, err := coded(m.fit)
	if err != nil {
		return nil, err
	}
	a, err := m.Method.entry.audit(fit, rows.Rows(), rows, o)
	return a, m.Method.named(err, rows.Names, m.FeatureNames)
}

// judged returns the table and the options by which a model is judged or fitted again.
func (m *Model) judged(d *dataset.Data, o *Options, given []string) (*dataset.Data, *Options, error) {
	rows, o, err := m.table(m.steps, d, o)
	if err == nil {
		o, err = m.objective(m.Objective(), o, given)
	}
	return rows, o, err
}

// Refit fits the model's method to d, behind the model's steps, as they are: by the same objective
// as [Model.Audit] judges, and with probabilities if the model has them. With [optimize.ErrNotConverged] the model is not nil.
func (m *Model) Refit(d *dataset.Data, o *Options, given ...string) (*Model, error) {
	rows, o, err := m.judged(d, o, given)
	if err != nil {
		return nil, err
	}
	o.Probability = o.Probability || m.Method.Takes("probability") && m.HasProba() && !slices.Contains(given, "probability")
	fit, err := m.Method.entry.fit(rows.Rows(), rows, o)
	if fit == nil {
		return nil, m.Method.named(err, rows.Names, m.FeatureNames)
	}
	return &Model{m.Method, m.Schema, m.steps, fit, o.objective(m.Method)}, err
}

// check makes sure that the parts of a model fit together.
func (m *Model) check() error {
	if m.Schema == nil {
		return errors.New("no schema")
	}
	p := m.Schema.Width()
	if p != m.features() || m.steps != nil && m.steps.Outputs() != m.fit.Features() {
		return fmt.Errorf("%d features in the schema, %d in the model", p, m.fit.Features())
	}
	if c, ok := m.fit.(sim.Classifier); ok && len(m.Schema.Names) != len(c.Classes()) {
		return fmt.Errorf("the schema names %d classes, the model has %d", len(m.Schema.Names), len(c.Classes()))
	}
	return nil
}

// checkScale makes sure that coefficients of standardised features are such that scores
// of rows are finite, see [record.CheckAffine].
func (m *Model) checkScale() error {
	_, scale := m.split()
	coef, intercept, ok := m.Coef()
	if scale == nil || !ok {
		return nil
	}
	for k, b := range intercept {
		if err := record.CheckAffine(coef.Row(k), scale.Mean(), b); err != nil {
			return err
		}
	}
	return nil
}
