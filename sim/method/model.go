package method

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/linalg/record"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
)

// Model is a fitted method with the meaning of its columns and labels. It takes
// rows on the scale of the data and is safe for any number of goroutines.
type Model struct {
	Method *Method
	Schema *dataset.Schema
	scale  *feature.Standardizer // applied to rows first; nil: none
	fit    fitted
}

// Fit fits the method to d.
//
// A method without a scaling of its own gets standardised columns where
// o.Standardize asks for them, held beside x: the only option that costs a second
// copy of the data. With [optimize.ErrNotConverged] the model is not nil.
func (m *Method) Fit(d *dataset.Data, o *Options) (*Model, error) {
	if err := m.suits(d); err != nil {
		return nil, err
	}
	x, scale, err := m.standardized(d, o)
	if err != nil {
		return nil, err
	}
	f, err := m.entry.fit(x, d, o)
	if f == nil {
		return nil, m.named(err, d.Schema)
	}
	return &Model{m, d.Schema, scale, f}, err
}

// standardized returns the rows that m is fitted to: those of d, behind a
// standardiser where the options ask for one and m has none of its own.
func (m *Method) standardized(d *dataset.Data, o *Options) (*linalg.Dense, *feature.Standardizer, error) {
	if !o.Standardize || m.scales {
		return d.X, nil, nil
	}
	scale, err := feature.FitStandardizer(d.X, d.Weights)
	if err != nil {
		return nil, nil, err
	}
	x, err := scale.ApplyRows(d.X)
	return x, scale, err
}

// suits refuses data of the wrong kind.
func (m *Method) suits(d *dataset.Data) error {
	switch {
	case m.Regression && d.Y == nil:
		return fmt.Errorf("%s: the label is not a number", m.Name)
	case !m.Regression && d.Labels == nil:
		return fmt.Errorf("%s: the data have no class labels", m.Name)
	case d.Weights != nil && !m.weighted:
		return fmt.Errorf("%s: this method takes no weights", m.Name)
	case d.Offset != nil && !m.offset:
		return fmt.Errorf("%s: this method takes no offset", m.Name)
	case d.Offset != nil && len(d.Names) > 2:
		return fmt.Errorf("%s: an offset needs two classes, the data have %d", m.Name, len(d.Names))
	}
	return nil
}

// FitMoments fits the method to moments whose classes are codes of the schema's
// labels; a label that none of the rows had is an error, as in [Method.Fit].
func (m *Method) FitMoments(mo *moments.ByClass, s *dataset.Schema, o *Options) (*Model, error) {
	e, ok := m.entry.(momentsEntry)
	if !ok {
		return nil, fmt.Errorf("%s cannot be fitted from moments", m.Name)
	}
	if p := len(s.Features()); mo.Features() != p {
		return nil, &linalg.ShapeError{Want: p, WantOf: "features in the schema", Got: mo.Features(), GotOf: "in the moments"}
	}
	f, err := e.fitMoments(mo, s, o)
	if f == nil {
		return nil, m.named(err, s)
	}
	return &Model{m, s, nil, f}, err
}

// Classifier returns the model as a classifier of rows on the scale of the data,
// at offset 0, or nil if it is a regression. Classes are codes of Schema.Names. It
// is a [sim.Prober] if the model [Model.HasProba].
func (m *Model) Classifier() sim.Classifier {
	c, ok := m.fit.(sim.Classifier)
	switch {
	case !ok:
		return nil
	case m.scale == nil:
		return c
	}
	return scaled{c, m.scale}
}

// HasProba reports whether the classifier has probabilities.
func (m *Model) HasProba() bool {
	c := m.Classifier()
	if g, asks := c.(interface{ HasProba() bool }); asks {
		return g.HasProba()
	}
	_, ok := c.(sim.Prober)
	return ok
}

// Regressor returns the model as a regressor of rows on the scale of the data, at
// offset 0, or nil if it is a classifier.
func (m *Model) Regressor() sim.Regressor {
	r, ok := m.fit.(sim.Regressor)
	switch {
	case !ok:
		return nil
	case m.scale == nil:
		return r
	}
	return scaledRegressor{r, m.scale}
}

// For returns the model as a classifier or as a regressor, the other nil, of the
// rows x of d. If d has an offset and the model can, x has it as a last column, and
// predictions add it, as those of R do: an offset is part of f, not of the
// coefficients. To a model that takes none it is no part of f.
func (m *Model) For(d *dataset.Data) (c sim.Classifier, r sim.Regressor, x *linalg.Dense) {
	c, r = m.Classifier(), m.Regressor()
	if d.Offset == nil || !m.Method.offset || len(m.Schema.Names) > 2 {
		return c, r, d.X
	}
	x = linalg.Zeros(d.X.Rows, d.X.Cols+1)
	for i, o := range d.Offset {
		copy(x.Row(i), d.X.Row(i))
		x.Set(i, d.X.Cols, o)
	}
	if r != nil {
		return nil, offsetRegressor{r}, x
	}
	return offsetClassifier{c}, nil, x
}

// Check refuses rows of another length than the model's.
//
// Error: *[linalg.ShapeError].
func (m *Model) Check(d *dataset.Data) error {
	if p := m.fit.Features(); d.X.Cols != p {
		return &linalg.ShapeError{Want: p, WantOf: "features", Got: d.X.Cols, GotOf: "columns"}
	}
	return nil
}

// Report says how the fit ended.
func (m *Model) Report() optimize.Report { return m.fit.Report() }

// Fitted returns the model of the layer below (*discriminant.LDA, …). It takes
// rows on the scale that Standardize asked for.
func (m *Model) Fitted() any { return m.fit }

// Coef returns coefficients and intercepts on the scale of the data, or ok false
// if the model is not linear.
func (m *Model) Coef() (coef *linalg.Dense, intercept []float64, ok bool) {
	l, ok := m.fit.(sim.Linear)
	if !ok {
		return nil, nil, false
	}
	coef, intercept = l.Coef()
	if m.scale != nil {
		coef, intercept = m.scale.Fold(coef, intercept)
	}
	return coef, intercept, true
}

// Formula returns the model in plain numbers. O(Kp), for a quadratic model O(Kp²).
func (m *Model) Formula() *Formula {
	if m.scale == nil {
		return m.Method.entry.formula(m.fit, nil)
	}
	// Standardized features have mean 0.
	f := m.Method.entry.formula(m.fit, make([]float64, m.fit.Features()))
	f.unscale(m.scale)
	return f
}

// Notes returns the numbers that the method reports of the model beside its formula.
func (m *Model) Notes() Notes {
	coef, _, _ := m.Coef()
	return m.Method.entry.notes(m.fit, coef)
}

// df returns the degrees of freedom of the model: the model's own if it counts them,
// otherwise the non-zero coefficients; NaN for a model without coefficients.
func (m *Model) df() float64 {
	if own, ok := m.fit.(interface{ DF() float64 }); ok {
		return own.DF()
	}
	if l, ok := m.fit.(sim.Linear); ok {
		coef, _ := l.Coef()
		return nonZero(coef)
	}
	return math.NaN()
}

// Infer returns the inference of a model that was fitted to d with options o, nil
// where the method has none and for a fit that has a penalty or did not converge.
func (m *Model) Infer(d *dataset.Data, o *Options) (*Inference, error) {
	e, ok := m.Method.entry.(inferenceEntry)
	if !ok {
		return nil, nil
	}
	return e.infer(m.fit, d, o)
}

type modelJSON struct {
	Method string                `json:"method"`
	Schema *dataset.Schema       `json:"schema"`
	Scale  *feature.Standardizer `json:"scale,omitempty"`
	Model  json.RawMessage       `json:"model"`
}

const kind = "halfspace"

// Save writes the model as versioned JSON, with a checksum over its numbers.
func (m *Model) Save(w io.Writer) error {
	inner, err := m.fit.MarshalJSON()
	if err != nil {
		return err
	}
	b, err := record.Marshal(kind, version, modelJSON{m.Method.Name, m.Schema, m.scale, inner})
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// Load reads a model that Save wrote. It reads at most 1 GB.
//
// Errors: *[record.KindError], *[record.VersionError], *[record.DamageError], and
// those of encoding/json.
func Load(r io.Reader) (*Model, error) {
	b, err := readJSON(r)
	if err != nil {
		return nil, err
	}
	var j modelJSON
	if _, err := record.Unmarshal(b, kind, version, &j); err != nil {
		return nil, err
	}
	method, err := Named(j.Method)
	if err != nil {
		return nil, err
	}
	f := method.entry.empty()
	if err := f.UnmarshalJSON(j.Model); err != nil {
		return nil, err
	}
	m := &Model{method, j.Schema, j.Scale, f}
	if err := m.check(); err != nil {
		return nil, err
	}
	return m, nil
}

// check makes sure that the parts of a loaded model fit together.
func (m *Model) check() error {
	if m.Schema == nil {
		return &record.DamageError{Reason: "no schema"}
	}
	p := len(m.Schema.Features())
	if p != m.fit.Features() || m.scale != nil && p != m.scale.Features() {
		return &record.DamageError{Reason: fmt.Sprintf("%d features in the schema, %d in the model", p, m.fit.Features())}
	}
	if c, ok := m.fit.(sim.Classifier); ok {
		for i, k := range c.Classes() {
			if i != k || len(m.Schema.Names) != len(c.Classes()) {
				return &record.DamageError{Reason: "the classes are not those of the schema"}
			}
		}
	}
	return nil
}
