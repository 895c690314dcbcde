package method

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"sync"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/sim"
	"halfspace/sim/feature"
)

// stepped is a classifier behind steps, whose labels become class codes.
type stepped struct {
	sim.Classifier
	steps  feature.Chain         // nil: none
	labels []int                 // by code; nil: labels are codes
	scale  *feature.Standardizer // the steps where they only divide, which leaves zeros; else nil
}

// behind returns c behind the steps with class codes for labels, with probabilities
// where c has them.
func behind(c sim.Classifier, steps feature.Chain) sim.Classifier {
	s := stepped{c, steps, c.Classes(), feature.AsScale(steps)}
	if slices.Equal(s.labels, codes(s.labels)) {
		s.labels = nil
	}
	if steps == nil && s.labels == nil {
		return c
	}
	p, isProber := c.(sim.Prober)
	l, isLogProber := c.(sim.LogProber)
	switch {
	case isProber && isLogProber:
		return steppedLogProber{steppedProber{s, p}, l}
	case isProber:
		return steppedProber{s, p}
	}
	return s
}

// coded returns a classifier as one of class codes: f itself, but for a fit that [New] was given with other
// labels, which are then replaced where its record has them.
func coded(f fitted) (fitted, error) {
	c, ok := f.(sim.Classifier)
	if !ok || slices.Equal(c.Classes(), codes(c.Classes())) {
		return f, nil
	}
	var r struct {
		Kind    string
		Version int
		Body    map[string]json.RawMessage
	}
	b, err := f.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err == nil {
		r.Body["classes"], err = json.Marshal(codes(c.Classes()))
	}
	if err == nil {
		b, err = record.Marshal(r.Kind, r.Version, r.Body)
	}
	own := reflect.New(reflect.TypeOf(f).Elem()).Interface().(fitted)
	if err == nil {
		err = own.UnmarshalJSON(b)
	}
	return own, err
}

// rowPool holds the rows of predictions under way: none allocates.
var rowPool = sync.Pool{New: func() any { return new([]float64) }}

// apply calls use with what the steps make of a row.
func apply(steps feature.Chain, row []float64, use func(row []float64)) {
	if steps == nil {
		use(row)
		return
	}
	buf := rowPool.Get().(*[]float64)
	*buf = steps.Apply((*buf)[:0], row)
	use(*buf)
	rowPool.Put(buf)
}

// view returns what the steps make of rows.
func view(steps feature.Chain, x linalg.Rows) (linalg.Rows, error) {
	if steps == nil {
		return x, nil
	}
	return feature.View(steps, x)
}

func (s stepped) Classes() []int { return codes(s.Classifier.Classes()) }

func (s stepped) Features() int {
	if s.steps == nil {
		return s.Classifier.Features()
	}
	return s.steps.Features()
}

func (s stepped) Scores(dst, row []float64) []float64 {
	apply(s.steps, row, func(r []float64) { dst = s.Classifier.Scores(dst, r) })
	return dst
}

// ScoresSparse is Scores of a sparse row, see [sim.SparseScorer].
func (s stepped) ScoresSparse(dst []float64, index []int32, value []float64) []float64 {
	var sparse sparseFunction
	if c, ok := s.Classifier.(sim.SparseScorer); ok {
		sparse = c.ScoresSparse
	}
	return s.stored(dst, index, value, sparse, s.Scores)
}

// sparseFunction appends numbers of a row to dst, given the values that are stored of it.
type sparseFunction func(dst []float64, index []int32, value []float64) []float64

// stored appends what sparse does of the stored values of a row behind the steps. Where it is nil, or the
// steps leave no zeros, it appends what dense does of the row with its zeros.
func (s stepped) stored(dst []float64, index []int32, value []float64, sparse sparseFunction, dense func(dst, row []float64) []float64) []float64 {
	if sparse != nil && s.steps == nil {
		return sparse(dst, index, value)
	}
	buf := rowPool.Get().(*[]float64)
	defer rowPool.Put(buf)
	if sparse != nil && s.scale != nil {
		*buf = s.scale.ApplyStored((*buf)[:0], index, value)
		return sparse(dst, index, *buf)
	}
	*buf = linalg.AppendRow((*buf)[:0], s.Features(), index, value)
	return dense(dst, *buf)
}

func (s stepped) Predict(row []float64) (code int) {
	apply(s.steps, row, func(r []float64) { code = s.code(s.Classifier.Predict(r)) })
	return code
}

// code returns the position of a label among the classes.
func (s stepped) code(label int) int {
	if s.labels != nil {
		label, _ = slices.BinarySearch(s.labels, label)
	}
	return label
}

func (s stepped) PredictRows(dst []int, x linalg.Rows) ([]int, error) {
	z, err := view(s.steps, x)
	if err != nil {
		return dst, err
	}
	from := len(dst)
	dst, err = s.Classifier.PredictRows(dst, z)
	for i := from; i < len(dst); i++ {
		dst[i] = s.code(dst[i])
	}
	return dst, err
}

type steppedProber struct {
	stepped
	prober sim.Prober
}

func (s steppedProber) Proba(dst, row []float64) []float64 {
	apply(s.steps, row, func(r []float64) { dst = s.prober.Proba(dst, r) })
	return dst
}

// ProbaSparse is Proba of a sparse row.
func (s steppedProber) ProbaSparse(dst []float64, index []int32, value []float64) []float64 {
	var sparse sparseFunction
	if p, ok := s.prober.(sim.SparseProber); ok {
		sparse = p.ProbaSparse
	}
	return s.stored(dst, index, value, sparse, s.Proba)
}

type steppedLogProber struct {
	steppedProber
	logs sim.LogProber
}

func (s steppedLogProber) LogProba(dst, row []float64) []float64 {
	apply(s.steps, row, func(r []float64) { dst = s.logs.LogProba(dst, r) })
	return dst
}

// LogProbaSparse is LogProba of a sparse row.
func (s steppedLogProber) LogProbaSparse(dst []float64, index []int32, value []float64) []float64 {
	var sparse sparseFunction
	if l, ok := s.logs.(sim.SparseLogProber); ok {
		sparse = l.LogProbaSparse
	}
	return s.stored(dst, index, value, sparse, s.LogProba)
}

// steppedRegressor is a regression behind steps.
type steppedRegressor struct {
	sim.Regressor
	steps feature.Chain
}

func (s steppedRegressor) Features() int { return s.steps.Features() }

func (s steppedRegressor) Predict(row []float64) (v float64) {
	apply(s.steps, row, func(r []float64) { v = s.Regressor.Predict(r) })
	return v
}

func (s steppedRegressor) PredictRows(dst []float64, x linalg.Rows) ([]float64, error) {
	z, err := view(s.steps, x)
	if err != nil {
		return dst, err
	}
	return s.Regressor.PredictRows(dst, z)
}

// beside is rows with one more column, the last.
type beside struct {
	linalg.Rows
	column []float64
}

func (r beside) Dims() (n, p int) {
	n, p = r.Rows.Dims()
	return n, p + 1
}

func (r beside) Pass(lo, hi int, visit func(*linalg.Block) error) error {
	if n, _ := r.Dims(); len(r.column) != n {
		return &linalg.ShapeError{Want: n, WantOf: "rows", Got: len(r.column), GotOf: "offsets"}
	}
	return linalg.Pass(r.Rows, lo, hi, func(b *linalg.Block) error {
		m, p := b.Dims()
		column := r.column[b.At : b.At+m]
		if b.CSR != nil {
			return visit(&linalg.Block{At: b.At, CSR: b.CSR.WithColumn(column)})
		}
		wide := linalg.Zeros(m, p+1)
		for i, v := range column {
			copy(wide.Row(i), b.Dense.Row(i))
			wide.Set(i, p, v)
		}
		return visit(&linalg.Block{At: b.At, Dense: wide})
	})
}

// MaxCopy returns the bytes up to which copies of the rows are made, see [linalg.Remote].
func (r beside) MaxCopy() float64 {
	if far, ok := r.Rows.(linalg.Remote); ok {
		return far.MaxCopy()
	}
	return math.Inf(1)
}

// offsetClassifier is a logistic regression for two classes of rows that end with
// their offset.
type offsetClassifier struct{ sim.Classifier }

func (c offsetClassifier) Features() int { return c.Classifier.Features() + 1 }

func (c offsetClassifier) Scores(dst, row []float64) []float64 {
	p := len(row) - 1
	dst = c.Classifier.Scores(dst, row[:p])
	dst[len(dst)-1] += row[p]
	return dst
}

// value returns f(x). It writes the scores into the room behind dst, if there is any.
func (c offsetClassifier) value(dst, row []float64) float64 {
	s := c.Scores(dst, row)[len(dst):]
	return s[1] - s[0]
}

func (c offsetClassifier) Predict(row []float64) int {
	buf := rowPool.Get().(*[]float64)
	defer rowPool.Put(buf)
	*buf = c.Scores((*buf)[:0], row)
	if s := *buf; s[1] > s[0] {
		return 1
	}
	return 0
}

func (c offsetClassifier) PredictRows(dst []int, x linalg.Rows) ([]int, error) {
	return sample.PredictRows(dst, x, c.Features(), c)
}

func (c offsetClassifier) Proba(dst, row []float64) []float64 {
	f := c.value(dst, row)
	return append(dst, linalg.Sigmoid(-f), linalg.Sigmoid(f))
}

func (c offsetClassifier) LogProba(dst, row []float64) []float64 {
	f := c.value(dst, row)
	return append(dst, -linalg.Log1pExp(f), -linalg.Log1pExp(-f))
}

// offsetRegressor is a regression of rows that end with their offset.
type offsetRegressor struct{ sim.Regressor }

func (r offsetRegressor) Features() int { return r.Regressor.Features() + 1 }

func (r offsetRegressor) Predict(row []float64) float64 {
	p := len(row) - 1
	return r.Regressor.Predict(row[:p]) + row[p]
}

func (r offsetRegressor) PredictRows(dst []float64, x linalg.Rows) ([]float64, error) {
	return sample.PredictRows(dst, x, r.Features(), r)
}
