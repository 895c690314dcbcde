package regression

import (
	"halfspace/linalg"
	"halfspace/optimize/path"
)

// Path is a sequence of fits over λ.
type Path = path.Path[*Model]

// CV is a path of all rows with the mean squared error of each of its λ on rows that
// were left out.
type CV = path.Choice[*Model]

// pathOf makes a path of fits, nil of none.
func pathOf(fits []*Model, err error) (*Path, error) {
	if fits == nil {
		return nil, wrap(err)
	}
	p := &Path{Parameter: "lambda"}
	for _, m := range fits {
		p.Points = append(p.Points, path.Point[*Model]{Penalty: m.lambda, DF: m.df, DevRatio: m.r2,
			Objective: m.report.Objective(), Report: m.report, Model: m})
	}
	return p, wrap(err)
}

// CrossValidate fits [ElasticNetPath] to all rows and, at the same λ, to the rows outside
// each fold; folds[i] names the fold of row i. The loss is the mean of (y − offset − f)².
// The penalty belongs to a sum over rows, so that a λ weighs more on a part of them than
// on all. With L1Ratio 0 it is a ridge path.
//
// Errors: those of ElasticNetPath; *[linalg.ShapeError] for folds that do not fit the rows
// or are fewer than two. With [optimize.ErrNotConverged] the result is not nil, and a λ
// that some fold has no fit of has no loss.
func CrossValidate(x linalg.Rows, y, lambdas []float64, folds []int, o *Options) (*CV, error) {
	if o == nil {
		o = &Options{}
	}
	f, err := path.NewFolds(len(y), folds, o.Weights)
	if err != nil {
		return nil, wrap(err)
	}
	inner := *o
	inner.Count = 0
	return path.CrossValidate(f, func(w, grid []float64) (*Path, error) {
		if w == nil {
			return ElasticNetPath(x, y, lambdas, o)
		}
		inner.Weights = w
		return ElasticNetPath(x, y, grid, &inner)
	}, func(p *Path, w []float64) ([]float64, error) {
		sum := make([]float64, len(p.Points))
		for k, m := range p.Models() {
			f, err := m.PredictRows(nil, x)
			if err != nil {
				return nil, err
			}
			for i, v := range f {
				r := y[i] - v
				if o.Offset != nil {
					r -= o.Offset[i]
				}
				if w[i] > 0 {
					sum[k] += w[i] * r * r
				}
			}
		}
		return sum, nil
	})
}
