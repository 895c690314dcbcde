package logistic

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
)

// CV is a path with the deviance of each of its λ on rows that were left out.
type CV struct {
	Path     *Path     // of all rows
	Deviance []float64 // mean over the folds, weighted by their rows, of −2·log p a row
	SE       []float64 // standard error of that mean, from its spread over the folds
	Best     int       // index of the least deviance
	OneSE    int       // index of the largest λ within one standard error of it
}

// CrossValidate fits a path to all rows and, on its grid, to the rows outside
// each fold; folds[i] names the fold of row i. (ESL 7.10; the one-standard-error
// rule is that of 7.10.1.)
//
// Errors: those of [FitPath], where a fit does not converge too; *[linalg.ShapeError] for
// folds that do not fit the rows, fewer than two folds with rows of positive weight, or a
// path without a λ; *[linalg.ClassError] where the rows outside a fold lack a class.
func CrossValidate(x linalg.Rows, y []int, folds []int, o *PathOptions) (*CV, error) {
	if o == nil {
		o = &PathOptions{}
	}
	cv, err := crossValidate(x, y, folds, o)
	return cv, wrap(err)
}

func crossValidate(x linalg.Rows, y []int, folds []int, o *PathOptions) (*CV, error) {
	if len(folds) != len(y) {
		return nil, &linalg.ShapeError{Want: len(y), WantOf: "labels", Got: len(folds), GotOf: "folds"}
	}
	path, err := fitPath(x, y, o)
	if err != nil {
		return nil, err
	}
	if len(path.Points) == 0 {
		return nil, &linalg.ShapeError{Want: 1, WantOf: "λ or more needed", Got: 0, GotOf: "on the path"}
	}
	var names []int
	for i, f := range folds {
		if o.Weights == nil || o.Weights[i] > 0 {
			names = append(names, f)
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) < 2 {
		return nil, &linalg.ShapeError{Want: 2, WantOf: "folds or more needed", Got: len(names), GotOf: "there"}
	}
	cv := &CV{Path: path}
	inner := *o
	inner.Classes, inner.Trace = path.Points[0].Model.classes, nil
	inner.Lambdas = make([]float64, len(path.Points))
	for k, p := range path.Points {
		inner.Lambdas[k] = p.Lambda
	}
	means, sizes := make([][]float64, len(names)), make([]float64, len(names))
	for f, name := range names {
		if means[f], sizes[f], err = leaveOut(x, y, folds, name, &inner); err != nil {
			return nil, fmt.Errorf("without fold %d: %w", name, err)
		}
	}
	cv.summarize(means, sizes)
	return cv, nil
}

// leaveOut returns the mean deviance of a fold's rows for each λ, and their
// weight.
func leaveOut(x linalg.Rows, y, folds []int, name int, o *PathOptions) (mean []float64, size float64, err error) {
	inner, held := *o, make([]float64, len(y))
	inner.Weights = make([]float64, len(y))
	for i, f := range folds {
		w := 1.0
		if o.Weights != nil {
			w = o.Weights[i]
		}
		if f == name {
			held[i] = w
			size += w
		} else {
			inner.Weights[i] = w
		}
	}
	path, err := fitPath(x, y, &inner)
	if err != nil {
		return nil, 0, err
	}
	mean = make([]float64, len(path.Points))
	n, p := x.Dims()
	row := make([]float64, p)
	err = linalg.Pass(x, 0, n, func(b *linalg.Block) error {
		for i := range b.Len() {
			w := held[b.At+i]
			if w == 0 {
				continue
			}
			b.CopyRow(row, i)
			for k, p := range path.Points {
				mean[k] += w * p.Model.loss(row, y[b.At+i], inner.offsetOf(b.At+i, p.Model))
			}
		}
		return nil
	})
	linalg.Scale(mean, 2/size)
	return mean, size, err
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

// summarize combines the folds.
func (cv *CV) summarize(means [][]float64, sizes []float64) {
	total := linalg.Sum(sizes)
	for k := range cv.Path.Points {
		mean, spread := 0.0, 0.0
		for f, m := range means {
			mean += sizes[f] * m[k] / total
		}
		for f, m := range means {
			spread += sizes[f] * (m[k] - mean) * (m[k] - mean) / total
		}
		cv.Deviance = append(cv.Deviance, mean)
		cv.SE = append(cv.SE, math.Sqrt(spread/float64(len(means)-1)))
		if mean < cv.Deviance[cv.Best] {
			cv.Best = k
		}
	}
	limit := cv.Deviance[cv.Best] + cv.SE[cv.Best]
	cv.OneSE = slices.IndexFunc(cv.Deviance, func(d float64) bool { return d <= limit })
}
