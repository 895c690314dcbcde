package validate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim"
)

// Calibrated is a classifier M with probabilities that were fitted to its scores on rows
// of its own: one map from score to probability for two classes, of f(x) = s₁ − s₀, and
// one a class for more, of its score, divided by their sum. It predicts as M does.
type Calibrated[M sim.Classifier] struct {
	Model M
	Maps  []Map
}

// Map turns a score into a probability: 1/(1+exp(−(A·f+B))) where there are no knots,
// else by straight lines between the knots, constant beyond them.
type Map struct {
	A, B float64
	At   []float64 // knots, ascending
	P    []float64 // their probabilities, not falling
}

// Calibrate fits Platt's sigmoid to the scores of m on the rows of x, which m should not
// have been fitted to: a logistic regression on the score whose targets are
// (N₊+1)/(N₊+2) and 1/(N₋+2) (J. Platt, Probabilistic outputs for support vector
// machines, 1999). For K ≥ 3 classes each against the rest.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.ClassError] for a label
// that the model does not know and for a class without rows; those of [logistic.FitCounts].
// With [optimize.ErrNotConverged] the result is not nil.
func Calibrate[M sim.Classifier](m M, x linalg.Rows, y []int) (*Calibrated[M], error) {
	return calibrate(m, x, y, sigmoid)
}

// CalibrateIsotonic fits to the scores of m on the rows of x, which m should not have
// been fitted to, the probabilities that do not fall as the score rises and are closest
// in squares (the pool of adjacent violators). It wants some thousand rows, and follows
// any shape. For K ≥ 3 classes each against the rest. O(n log n).
//
// Errors: those of [Calibrate].
func CalibrateIsotonic[M sim.Classifier](m M, x linalg.Rows, y []int) (*Calibrated[M], error) {
	return calibrate(m, x, y, isotonic)
}

func calibrate[M sim.Classifier](m M, x linalg.Rows, y []int, fit func(score []float64, of []bool) (Map, error)) (*Calibrated[M], error) {
	rows, err := checkRows(m, x, y)
	if err != nil {
		return nil, wrap(err)
	}
	l, err := sample.Code(y, m.Classes(), nil)
	if err != nil {
		return nil, wrap(err)
	}
	scores := linalg.Zeros(len(y), l.K())
	scoresOf(m).each(rows, 0, len(y), nil, func(i int, v []float64) { copy(scores.Row(i), v) })
	if err := scores.CheckFinite(); err != nil {
		return nil, wrap(err)
	}
	c := &Calibrated[M]{Model: m}
	var failed error // of a map that is used all the same
	for k := range l.Classes {
		score := scores.Col(nil, k)
		if l.K() == 2 { // one map, of f
			if k == 0 {
				continue
			}
			linalg.Axpy(score, -1, scores.Col(nil, 0))
		}
		one, err := fit(score, equal(l.Code, k))
		if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			return nil, wrap(err)
		}
		c.Maps, failed = append(c.Maps, one), cmp.Or(failed, err)
	}
	return c, wrap(failed)
}

// sigmoid fits Platt's map.
func sigmoid(score []float64, of []bool) (Map, error) {
	plus := 0.0
	for _, yes := range of {
		if yes {
			plus++
		}
	}
	minus := float64(len(of)) - plus
	hits, trials := make([]float64, len(of)), make([]float64, len(of))
	for i, yes := range of {
		trials[i], hits[i] = 1, 1/(minus+2)
		if yes {
			hits[i] = (plus + 1) / (plus + 2)
		}
	}
	unit := linalg.NormInf(score)
	if unit == 0 || slices.Max(score) == slices.Min(score) {
		return Map{B: Logit(linalg.Sum(hits) / float64(len(hits)))}, nil
	}
	column := &linalg.Dense{Rows: len(score), Cols: 1, Stride: 1, Data: slices.Clone(score)}
	linalg.Scale(column.Data, 1/unit)
	m, err := logistic.FitCounts(column, hits, trials, nil)
	if m == nil {
		return Map{}, err
	}
	coef, intercept := m.Coef()
	return Map{A: coef.At(0, 0) / unit, B: intercept[0]}, err
}

// isotonic fits the map by pooling adjacent violators, from the largest score down. Rows of
// one score are one block from the start: they have one probability.
func isotonic(score []float64, of []bool) (Map, error) {
	type block struct{ lo, hi, hits, rows float64 }
	var blocks []block
	hits, rows := 0.0, 0.0
	levels(score, of, func(f, pos, neg float64) {
		b := block{f, f, pos - hits, pos + neg - rows}
		hits, rows = pos, pos+neg
		for len(blocks) > 0 {
			above := blocks[len(blocks)-1]
			if b.hits*above.rows < above.hits*b.rows {
				break
			}
			b = block{b.lo, above.hi, b.hits + above.hits, b.rows + above.rows}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	})
	var m Map
	for _, b := range slices.Backward(blocks) {
		m.At, m.P = append(m.At, b.lo), append(m.P, b.hits/b.rows)
		if b.hi > b.lo {
			m.At, m.P = append(m.At, b.hi), append(m.P, b.hits/b.rows)
		}
	}
	return m, nil
}

// Proba returns the probability that the map gives a score; NaN for NaN.
func (m *Map) Proba(f float64) float64 {
	n := len(m.At)
	switch {
	case n == 0 || f != f:
		return linalg.Sigmoid(m.A*f + m.B)
	case f <= m.At[0]:
		return m.P[0]
	case f >= m.At[n-1]:
		return m.P[n-1]
	}
	k, _ := slices.BinarySearch(m.At, f) // the first knot that is not below f
	t := (f - m.At[k-1]) / (m.At[k] - m.At[k-1])
	return m.P[k-1] + t*(m.P[k]-m.P[k-1])
}

// both returns 1 − p and p for the probability p of a score; of a sigmoid the smaller has all
// its digits.
func (m *Map) both(f float64) (other, p float64) {
	if len(m.At) > 0 {
		p = m.Proba(f)
		return 1 - p, p
	}
	t := m.A*f + m.B
	smaller := linalg.Sigmoid(-math.Abs(t))
	if t < 0 {
		return 1 - smaller, smaller
	}
	return smaller, 1 - smaller
}

// Classes returns the labels, ascending.
func (c *Calibrated[M]) Classes() []int { return c.Model.Classes() }

// Features returns p, the length of a row.
func (c *Calibrated[M]) Features() int { return c.Model.Features() }

// Report says how the fit of the model ended.
func (c *Calibrated[M]) Report() optimize.Report { return c.Model.Report() }

// Scores appends the scores of the model.
func (c *Calibrated[M]) Scores(dst, row []float64) []float64 { return c.Model.Scores(dst, row) }

// ScoresSparse is Scores of a sparse row, see [sim.SparseScorer]; a model that takes none scores a dense copy.
func (c *Calibrated[M]) ScoresSparse(dst []float64, index []int32, value []float64) []float64 {
	return scoresSparse(c.Model, dst, index, value)
}

// Predict returns the label that the model predicts.
func (c *Calibrated[M]) Predict(row []float64) int { return c.Model.Predict(row) }

// PredictRows appends the labels that the model predicts.
func (c *Calibrated[M]) PredictRows(dst []int, x linalg.Rows) ([]int, error) {
	return c.Model.PredictRows(dst, x)
}

// Proba appends the K probabilities, which sum to 1; equal ones where every map says 0.
func (c *Calibrated[M]) Proba(dst, row []float64) []float64 {
	return c.mapped(len(dst), c.Model.Scores(dst, row))
}

// ProbaSparse is Proba of a sparse row, see ScoresSparse.
func (c *Calibrated[M]) ProbaSparse(dst []float64, index []int32, value []float64) []float64 {
	return c.mapped(len(dst), c.ScoresSparse(dst, index, value))
}

// mapped returns dst, in which it has put probabilities in the place of the scores from n on.
func (c *Calibrated[M]) mapped(n int, dst []float64) []float64 {
	p := dst[n:]
	if len(c.Maps) == 1 {
		p[0], p[1] = c.Maps[0].both(p[1] - p[0])
		return dst
	}
	total := 0.0
	for k := range p {
		p[k] = c.Maps[k].Proba(p[k])
		total += p[k]
	}
	for k := range p {
		if total == 0 {
			p[k] = 1 / float64(len(p))
		} else {
			p[k] /= total
		}
	}
	return dst
}

// String returns the maps and the model.
func (c *Calibrated[M]) String() string {
	kind := "sigmoids"
	if len(c.Maps) > 0 && c.Maps[0].At != nil {
		kind = "isotonic maps"
	}
	return fmt.Sprintf("calibrated by %d %s, of\n%v", len(c.Maps), kind, c.Model)
}

// MarshalJSON writes the model and its maps; UnmarshalJSON reads them back.
func (c Calibrated[M]) MarshalJSON() ([]byte, error) {
	if given(c.Model) != nil || c.Maps == nil {
		return nil, wrap(record.ErrUnfitted)
	}
	return record.Plain(c)
}

// UnmarshalJSON reads what MarshalJSON wrote.
//
// Errors: those of the model, *[record.DamageError] for maps that are not.
func (c *Calibrated[M]) UnmarshalJSON(data []byte) error {
	var read Calibrated[M]
	if err := record.ReadPlain(data, &read); err != nil {
		return wrap(err)
	}
	if given(read.Model) != nil {
		return wrap(&record.DamageError{Reason: "maps without a model"})
	}
	if k := len(read.Model.Classes()); len(read.Maps) != k && !(k == 2 && len(read.Maps) == 1) {
		return wrap(&record.DamageError{Reason: fmt.Sprintf("%d maps for %d classes", len(read.Maps), k)})
	}
	for _, m := range read.Maps {
		rises := len(m.At) == len(m.P) && slices.IsSorted(m.At) && slices.IsSorted(m.P) && linalg.CheckFinite("", slices.Concat(m.At, m.P, []float64{m.A, m.B})) == nil
		if !rises || len(m.P) > 0 && !(m.P[0] >= 0 && m.P[len(m.P)-1] <= 1) {
			return wrap(&record.DamageError{Reason: "a map that does not rise from 0 to 1"})
		}
	}
	*c = read
	return nil
}
