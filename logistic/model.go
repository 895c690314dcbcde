package logistic

import (
	"fmt"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Model is a fitted logistic regression, an immutable value that any number of
// goroutines may use.
type Model struct {
	classes   []int
	coef      *linalg.Packed // one row for two classes, K for more
	intercept []float64      // at the origin
	plain     []float64      // at 0
	origin    []float64      // nil is 0
	far       []int32        // columns in which it is not
	method    Method
	rest      bool // each function tells its class from the rest, see [NewOneVsRest]
	report    optimize.Report
}

func newModel(classes []int, coef *linalg.Dense, intercept, origin []float64, m Method, r optimize.Report) *Model {
	model := &Model{classes: slices.Clone(classes), coef: linalg.Whole(coef), intercept: intercept, method: m, report: r}
	for j, c := range origin {
		if c != 0 {
			model.far = append(model.far, int32(j))
		}
	}
	if model.far != nil {
		model.origin = linalg.Clone(origin)
	}
	model.plain = linalg.Clone(intercept)
	if model.origin != nil {
		for k := range model.plain {
			model.plain[k] -= linalg.Dot(coef.Row(k), model.origin)
		}
	}
	if m != MaximumLikelihood && m != Elsewhere && coef.Rows > 1 {
		center(model.plain)
	}
	return model
}

// Fitted returns the model of a fit that was made in rounds, by package rounds: functions about
// an origin as they are in a [Model], and the report. It keeps its arguments.
func Fitted(classes []int, coef *linalg.Dense, intercept, origin []float64, m Method, r optimize.Report) *Model {
	return newModel(classes, coef, intercept, origin, m, r)
}

// center lets the values sum to 0.
func center(v []float64) {
	mean := linalg.Sum(v) / float64(len(v))
	for k := range v {
		v[k] -= mean
	}
}

// Classes returns the labels, ascending.
func (m *Model) Classes() []int { return slices.Clone(m.classes) }

// Features returns the number p of features.
func (m *Model) Features() int {
	_, p := m.coef.Dims()
	return p
}

// Method returns the function that the fit minimised.
func (m *Model) Method() Method { return m.method }

// Report says how the fit ended.
func (m *Model) Report() optimize.Report { return m.report }

// Coef returns copies of the coefficients and intercepts: one row for two
// classes (f is the log-odds of the larger label), K rows for more, of which the
// reference's is 0 in an unpenalised fit. With a penalty the K intercepts sum to 0, and so do
// the coefficients of a feature without one; the sum of the K [Model.Scores] is 0 at the
// [Model.Origin] instead. Both change scores by a constant, which changes no probability, and
// the latter loses no digits where means are large.
func (m *Model) Coef() (coef *linalg.Dense, intercept []float64) {
	return m.coef.Copy(), linalg.Clone(m.plain)
}

// Origin returns a copy of the point c about which the model computes
// f(x) = b + coef·(x − c), so that features with means of 1e8 lose no digits.
func (m *Model) Origin() []float64 {
	if m.origin == nil {
		return make([]float64, m.Features())
	}
	return linalg.Clone(m.origin)
}

// function returns row k of the coefficients applied to x.
func (m *Model) function(k int, row []float64) float64 {
	b := m.coef.Matrix().Row(k)
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
	m.toProba(dst[at:])
	return dst
}

// toProba replaces K scores by the probabilities.
func (m *Model) toProba(scores []float64) {
	m.toLogits(scores)
	linalg.Softmax(scores)
}

// toLogProba replaces K scores by the logarithms of the probabilities.
func (m *Model) toLogProba(scores []float64) {
	m.toLogits(scores)
	sum := linalg.LogSumExp(scores)
	for k := range scores {
		scores[k] -= sum
	}
}

// toLogits replaces the scores by values whose softmax are the probabilities: where each
// function tells its class from the rest, log σ(f).
func (m *Model) toLogits(scores []float64) {
	if !m.rest {
		return
	}
	for k, f := range scores {
		scores[k] = -linalg.Log1pExp(-f)
	}
}

// LogProba appends the logarithms of the K probabilities, which are finite also
// where a probability rounds to 0.
func (m *Model) LogProba(dst, row []float64) []float64 {
	at := len(dst)
	dst = m.Scores(dst, row)
	m.toLogProba(dst[at:])
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

// PredictRows appends the label of each row of x to dst. O(npK) on all processors.
//
// Errors: *[linalg.ShapeError] if x does not have the model's features,
// *[linalg.NonFiniteError], those of the storage.
func (m *Model) PredictRows(dst []int, x linalg.Rows) ([]int, error) {
	p, k, origin := m.Features(), len(m.intercept), m.Origin()
	dst, err := sample.PredictBlocks(dst, x, p, p+k, m, func() func([]int, *linalg.Dense) {
		var scores []float64
		return func(out []int, rows *linalg.Dense) {
			scores = slices.Grow(scores[:0], rows.Rows*k)[:rows.Rows*k]
			f := &linalg.Dense{Rows: rows.Rows, Cols: k, Stride: k, Data: scores}
			linalg.Affine(f, rows, origin, m.coef.Matrix(), m.intercept)
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

// String returns how the fit ended and the coefficients.
func (m *Model) String() string {
	if m.coef == nil {
		return "logistic regression, not fitted"
	}
	coef, intercept := m.Coef()
	return sample.Describe("logistic regression", m.Classes(), m.Features(), m.Report(), coef, intercept)
}
