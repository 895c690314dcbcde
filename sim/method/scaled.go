package method

import (
	"sync"

	"halfspace/linalg"
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

func (s scaled) PredictRows(dst []int, x *linalg.Dense) ([]int, error) {
	return predictRows(s, dst, x)
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

func (s scaledRegressor) PredictRows(dst []float64, x *linalg.Dense) ([]float64, error) {
	return predictRows(s, dst, x)
}
