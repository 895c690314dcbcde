package logistic

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize/path"
)

// CV is a path of all rows with the deviance of each of its λ on rows that were left
// out: the mean of −2·log p a row.
type CV = path.Choice[*Model]

// CrossValidate fits a path to all rows and, on its grid, to the rows outside
// each fold; folds[i] names the fold of row i. (ESL §7.10; the one-standard-error
// rule is that of §7.10.1.)
//
// Errors: those of [FitPath]; *[linalg.ShapeError] for folds that do not fit the rows,
// fewer than two folds with rows of positive weight, or a path without a λ;
// *[linalg.ClassError] where the rows outside a fold lack a class. With
// [optimize.ErrNotConverged] the result is not nil, and a λ that some fold has no fit of
// has no loss.
func CrossValidate(x linalg.Rows, y []int, folds []int, o *PathOptions) (*CV, error) {
	if o == nil {
		o = &PathOptions{}
	}
	cv, err := crossValidate(x, y, folds, o)
	return cv, wrap(err)
}

func crossValidate(x linalg.Rows, y []int, folds []int, o *PathOptions) (*CV, error) {
	f, err := path.NewFolds(len(y), folds, o.Weights)
	if err != nil {
		return nil, err
	}
	inner := PathOptions{Options: o.Options}
	return path.CrossValidate(f, func(w, grid []float64) (*Path, error) {
		if w == nil {
			whole, err := fitPath(x, y, o)
			if whole != nil && len(whole.Points) > 0 {
				inner.Classes = whole.Points[0].Model.classes
			}
			return whole, err
		}
		inner.Weights, inner.Lambdas = w, grid
		return fitPath(x, y, &inner)
	}, func(p *Path, w []float64) ([]float64, error) { return o.deviances(x, y, w, p) })
}

// deviances returns −2Σ w·log p over the rows of x for each model of a path.
func (o *Options) deviances(x linalg.Rows, y []int, w []float64, path *Path) ([]float64, error) {
	sum := make([]float64, len(path.Points))
	n, p := x.Dims()
	row := make([]float64, p)
	err := linalg.Pass(x, 0, n, func(b *linalg.Block) error {
		for i := range b.Len() {
			at := b.At + i
			if w[at] == 0 {
				continue
			}
			b.CopyRow(row, i)
			for k, p := range path.Points {
				sum[k] += 2 * w[at] * p.Model.loss(row, y[at], o.offsetOf(at, p.Model))
			}
		}
		return nil
	})
	return sum, err
}

// offsetOf returns the offsets of row i, nil without.
func (o *Options) offsetOf(i int, m *Model) []float64 {
	if o.Offset == nil {
		return nil
	}
	k := m.coef.Rows
	return o.Offset[i*k : (i+1)*k]
}

// loss returns −log p(label | row), +Inf for a label that the model does not know.
func (m *Model) loss(row []float64, label int, offset []float64) float64 {
	own, ok := slices.BinarySearch(m.classes, label)
	if !ok {
		return math.Inf(1)
	}
	scores := m.Scores(nil, row)
	linalg.Axpy(scores[len(scores)-len(offset):], 1, offset)
	if len(m.classes) == 2 {
		return linalg.Log1pExp(scores[1-own] - scores[own]) // to rounding relative to itself
	}
	return linalg.LogSumExp(scores) - scores[own]
}
