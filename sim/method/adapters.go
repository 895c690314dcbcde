package method

import (
	"sync"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/sim"
	"halfspace/sim/feature"
)

// scaled is a classifier behind a standardiser. The classifiers that have
// probabilities scale by themselves, so it needs none.
type scaled struct {
	sim.Classifier
	scale *feature.Standardizer
}

// rowPool holds the scaled rows of predictions under way: none allocates.
var rowPool = sync.Pool{New: func() any { return new([]float64) }}

// apply calls use with the scaled row.
func apply(s *feature.Standardizer, row []float64, use func(row []float64)) {
	buf := rowPool.Get().(*[]float64)
	*buf = s.Apply((*buf)[:0], row)
	use(*buf)
	rowPool.Put(buf)
}

func (s scaled) Scores(dst, row []float64) []float64 {
	apply(s.scale, row, func(r []float64) { dst = s.Classifier.Scores(dst, r) })
	return dst
}

func (s scaled) Predict(row []float64) (label int) {
	apply(s.scale, row, func(r []float64) { label = s.Classifier.Predict(r) })
	return label
}

func (s scaled) PredictRows(dst []int, x linalg.Rows) ([]int, error) {
	return sample.PredictRows(dst, x, s.Features(), s)
}

// scaledRegressor is a regression behind a standardiser.
type scaledRegressor struct {
	sim.Regressor
	scale *feature.Standardizer
}

func (s scaledRegressor) Predict(row []float64) (v float64) {
	apply(s.scale, row, func(r []float64) { v = s.Regressor.Predict(r) })
	return v
}

func (s scaledRegressor) PredictRows(dst []float64, x linalg.Rows) ([]float64, error) {
	return sample.PredictRows(dst, x, s.Features(), s)
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
