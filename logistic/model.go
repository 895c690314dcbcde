package logistic

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Model is a fitted logistic regression, an immutable value that any number of
// goroutines may use.
type Model struct {
	classes   []int
	coef      *linalg.Dense // one row for two classes, K for more
	intercept []float64     // at the origin
	plain     []float64     // at 0
	origin    []float64     // nil is 0
	method    Method
	report    optimize.Report
}

// Method is the function that a fit minimises: inference depends on it.
type Method uint8

const (
	MaximumLikelihood Method = iota // −log-likelihood
	Ridge                           // with a ridge penalty
	ElasticNet                      // with a penalty that has a lasso part
	Firth                           // with Firth's correction
)

// methodNames are the methods in files.
var methodNames = []string{"likelihood", "ridge", "sparse", "firth"}

// String returns the name that the method has in files.
func (m Method) String() string { return methodNames[m] }

func newModel(classes []int, coef *linalg.Dense, intercept, origin []float64, m Method, r optimize.Report) *Model {
	model := &Model{classes: slices.Clone(classes), coef: coef, intercept: intercept, method: m, report: r}
	if slices.ContainsFunc(origin, func(c float64) bool { return c != 0 }) {
		model.origin = slices.Clone(origin)
	}
	model.plain = slices.Clone(intercept)
	if model.origin != nil {
		for k := range model.plain {
			model.plain[k] -= linalg.Dot(coef.Row(k), model.origin)
		}
	}
	if m != MaximumLikelihood && coef.Rows > 1 {
		centre(model.plain)
	}
	return model
}

// centre lets the values sum to 0.
func centre(v []float64) {
	mean := sum(v) / float64(len(v))
	for k := range v {
		v[k] -= mean
	}
}

// representable refuses a model whose numbers a float64 cannot hold with all their
// digits. Error: *[linalg.RangeError].
func representable(m *Model, err error) (*Model, error) {
	if m == nil {
		return nil, err
	}
	for k, b0 := range m.plain {
		for j, b := range m.coef.Row(k) {
			if b-b != 0 || b != 0 && math.Abs(b) < 0x1p-1022 {
				return nil, &linalg.RangeError{Column: j}
			}
		}
		if b0-b0 != 0 {
			return nil, &linalg.RangeError{Column: slices.IndexFunc(m.origin, func(c float64) bool { return c != 0 })}
		}
	}
	return m, err
}

// Classes returns the labels, ascending.
func (m *Model) Classes() []int { return slices.Clone(m.classes) }

// Features returns the number p of features.
func (m *Model) Features() int { return m.coef.Cols }

// Method returns the function that the fit minimised.
func (m *Model) Method() Method { return m.method }

// Report says how the fit ended.
func (m *Model) Report() optimize.Report { return m.report }

// Coef returns copies of the coefficients and intercepts: one row for two
// classes (f is the log-odds of the larger label), K rows for more, of which the
// reference's is 0 in an unpenalised fit. With a penalty the K intercepts sum to 0,
// and so do the scores at the [Model.Origin]: of two constants that change no
// probability the latter costs no digits where means are large.
func (m *Model) Coef() (coef *linalg.Dense, intercept []float64) {
	return m.coef.Clone(), slices.Clone(m.plain)
}

// Origin returns a copy of the point c about which the model computes
// f(x) = b + coef·(x − c), so that features with means of 1e8 lose no digits.
func (m *Model) Origin() []float64 {
	if m.origin == nil {
		return make([]float64, m.coef.Cols)
	}
	return slices.Clone(m.origin)
}

// function returns row k of the coefficients applied to x.
func (m *Model) function(k int, row []float64) float64 {
	b := m.coef.Row(k)
	if m.origin == nil {
		return m.intercept[k] + linalg.Dot(b, row)
	}
	s := m.intercept[k]
	for j, v := range row {
		s += b[j] * (v - m.origin[j])
	}
	return s
}

// LogOdds returns f(x) = log P(larger label)/P(smaller label) for two classes.
// It panics for more, and for a row of the wrong length. O(p).
func (m *Model) LogOdds(row []float64) float64 {
	m.mustBinary("LogOdds")
	m.mustRow(row)
	return m.function(0, row)
}

func (m *Model) mustBinary(what string) {
	if len(m.classes) != 2 {
		panic(fmt.Sprintf("logistic: %s of a model with %d classes, want 2", what, len(m.classes)))
	}
}

func (m *Model) mustRow(row []float64) {
	if len(row) != m.coef.Cols {
		panic(fmt.Sprintf("logistic: row of %d values for a model of %d features", len(row), m.coef.Cols))
	}
}

// Scores appends the K scores fₖ(x) to dst, (0, f(x)) for two classes. It panics
// for a row of the wrong length; a NaN in it makes NaN scores. O(Kp).
func (m *Model) Scores(dst, row []float64) []float64 {
	m.mustRow(row)
	if len(m.classes) == 2 {
		f, zero := m.function(0, row), 0.0
		if f != f {
			zero = f
		}
		return append(dst, zero, f)
	}
	for k := range m.classes {
		dst = append(dst, m.function(k, row))
	}
	return dst
}

// Proba appends the K probabilities of the classes to dst. They are finite and
// sum to 1 for scores of any size.
func (m *Model) Proba(dst, row []float64) []float64 {
	m.mustRow(row)
	if len(m.classes) == 2 {
		f := m.function(0, row)
		return append(dst, linalg.Sigmoid(-f), linalg.Sigmoid(f))
	}
	at := len(dst)
	dst = m.Scores(dst, row)
	linalg.Softmax(dst[at:])
	return dst
}

// LogProba appends the logarithms of the K probabilities, which are finite also
// where a probability rounds to 0.
func (m *Model) LogProba(dst, row []float64) []float64 {
	at := len(dst)
	dst = m.Scores(dst, row)
	sum := linalg.LogSumExp(dst[at:])
	for k := at; k < len(dst); k++ {
		dst[k] -= sum
	}
	return dst
}

// Predict returns the label with the largest score, the smaller of equals.
func (m *Model) Predict(row []float64) int {
	m.mustRow(row)
	if len(m.classes) == 2 {
		if m.function(0, row) > 0 {
			return m.classes[1]
		}
		return m.classes[0]
	}
	best, top := 0, m.function(0, row)
	for k := 1; k < len(m.classes); k++ {
		if f := m.function(k, row); f > top || top != top && f == f {
			best, top = k, f
		}
	}
	return m.classes[best]
}

// PredictAt returns, for two classes, the larger label where its probability is
// above the threshold and else the smaller one.
func (m *Model) PredictAt(row []float64, threshold float64) int {
	if linalg.Sigmoid(m.LogOdds(row)) > threshold {
		return m.classes[1]
	}
	return m.classes[0]
}

// PredictRows appends the label of each row of x to dst. O(npK) on all processors.
//
// Errors: *[linalg.ShapeError] if x does not have the model's features.
func (m *Model) PredictRows(dst []int, x linalg.Rows) ([]int, error) {
	p, k, origin := m.coef.Cols, len(m.intercept), m.Origin()
	dst, err := sample.PredictBlocks(dst, x, p, p+k, func() func([]int, *linalg.Dense) {
		var scores []float64
		return func(out []int, rows *linalg.Dense) {
			scores = slices.Grow(scores[:0], rows.Rows*k)[:rows.Rows*k]
			f := &linalg.Dense{Rows: rows.Rows, Cols: k, Stride: k, Data: scores}
			linalg.Affine(f, rows, origin, m.coef, m.intercept)
			m.labels(out, f)
		}
	})
	return dst, wrap(err)
}

// labels sets dst to the labels that rows of scores stand for.
func (m *Model) labels(dst []int, f *linalg.Dense) {
	if len(m.classes) > 2 {
		linalg.ArgMaxRows(dst, f)
	} else {
		for i, v := range f.Data {
			if dst[i] = 0; v > 0 {
				dst[i] = 1
			}
		}
	}
	for i, k := range dst {
		dst[i] = m.classes[k]
	}
}

const kind, version = "halfspace/logistic", 1

type modelJSON struct {
	Classes   []int           `json:"classes"`
	Features  int             `json:"features"`
	Coef      []float64       `json:"coef"`
	Intercept []float64       `json:"intercept"`
	Origin    []float64       `json:"origin,omitempty"`
	Method    string          `json:"method"`
	Report    optimize.Report `json:"report"`
}

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it
// back bit for bit.
func (m *Model) MarshalJSON() ([]byte, error) {
	if m.coef == nil {
		return nil, fmt.Errorf("logistic: a model that was not fitted cannot be saved")
	}
	return record.Marshal(kind, version, modelJSON{m.classes, m.coef.Cols, m.coef.Clone().Data, m.intercept, m.origin, m.method.String(), m.report})
}

// UnmarshalJSON reads what MarshalJSON wrote.
//
// Errors: those of package record, and *[record.DamageError] for numbers that
// do not describe a model.
func (m *Model) UnmarshalJSON(data []byte) error {
	var j modelJSON
	if _, err := record.Unmarshal(data, kind, version, &j); err != nil {
		return wrap(err)
	}
	if err := j.check(); err != nil {
		return wrap(err)
	}
	read := newModel(j.Classes, &linalg.Dense{Rows: len(j.Intercept), Cols: j.Features, Stride: j.Features, Data: j.Coef},
		j.Intercept, j.Origin, Method(slices.Index(methodNames, j.Method)), j.Report)
	if _, err := representable(read, nil); err != nil {
		return wrap(&record.DamageError{Reason: "an intercept is not finite"})
	}
	*m = *read
	return nil
}

func (j *modelJSON) check() error {
	functions := len(j.Classes)
	if functions == 2 {
		functions = 1
	}
	bad := ""
	switch {
	case len(j.Classes) < 2:
		bad = "fewer than two classes"
	case !slices.IsSorted(j.Classes) || len(slices.Compact(slices.Clone(j.Classes))) != len(j.Classes):
		bad = "classes are not ascending"
	case j.Features < 1 || len(j.Coef)%j.Features != 0 || len(j.Coef)/j.Features != functions || len(j.Intercept) != functions:
		bad = fmt.Sprintf("%d coefficients and %d intercepts for %d classes and %d features", len(j.Coef), len(j.Intercept), len(j.Classes), j.Features)
	case j.Origin != nil && len(j.Origin) != j.Features:
		bad = fmt.Sprintf("an origin of %d values for %d features", len(j.Origin), j.Features)
	case !slices.Contains(methodNames, j.Method):
		bad = fmt.Sprintf("unknown method %q", j.Method)
	}
	for _, v := range [][]float64{j.Coef, j.Intercept, j.Origin} {
		if linalg.CheckFinite("", v) != nil {
			bad = "a number is not finite"
		}
	}
	if bad != "" {
		return &record.DamageError{Reason: bad}
	}
	return nil
}

var _ json.Marshaler = (*Model)(nil)

// wrap names the package in an error.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("logistic: %w", err)
}
