package logistic

import "halfspace/linalg"

// Rows that are mostly 0 are scored by the columns, ascending, and values that are not:
// O(K) a value, whatever the number of features, and nothing is allocated where dst has room.
// The methods panic for a column that the model does not have.

// functionAt is function of a sparse row.
func (m *Model) functionAt(k int, index []int32, value []float64) float64 {
	return linalg.AffineAt(m.intercept[k], m.coef.Matrix().Row(k), m.origin, m.far, index, value)
}

// ScoresSparse is [Model.Scores] of a sparse row.
func (m *Model) ScoresSparse(dst []float64, index []int32, value []float64) []float64 {
	if len(m.classes) == 2 {
		f, zero := m.functionAt(0, index, value), 0.0
		if f != f {
			zero = f
		}
		return append(dst, zero, f)
	}
	for k := range m.intercept {
		dst = append(dst, m.functionAt(k, index, value))
	}
	return dst
}

// ProbaSparse is [Model.Proba] of a sparse row.
func (m *Model) ProbaSparse(dst []float64, index []int32, value []float64) []float64 {
	at := len(dst)
	dst = m.ScoresSparse(dst, index, value)
	m.toProba(dst[at:])
	return dst
}

// LogProbaSparse is [Model.LogProba] of a sparse row.
func (m *Model) LogProbaSparse(dst []float64, index []int32, value []float64) []float64 {
	at := len(dst)
	dst = m.ScoresSparse(dst, index, value)
	m.toLogProba(dst[at:])
	return dst
}

// PredictSparse is [Model.Predict] of a sparse row.
func (m *Model) PredictSparse(index []int32, value []float64) int {
	best, top := 0, m.functionAt(0, index, value)
	if len(m.classes) == 2 {
		if top > 0 {
			best = 1
		}
		return m.classes[best]
	}
	for k := 1; k < len(m.classes); k++ {
		if f := m.functionAt(k, index, value); f > top || top != top && f == f {
			best, top = k, f
		}
	}
	return m.classes[best]
}
