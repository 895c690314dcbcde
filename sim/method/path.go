package method

import (
	"errors"
	"fmt"
	"strings"

	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/path"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/validate"
)

// Path is a sequence of fits from the most to the least penalised. Its parameter is
// "lambda", which of svc is 1/C, or for rda "alpha", from 0 (LDA) to 1 (QDA). DF counts
// features with a non-zero coefficient; of ridge regression it is the trace of the hat
// matrix, of rda NaN. DevRatio is NaN for rda and svc.
type Path = path.Path[*Model]

// Path fits a sequence of count models from the most to the least penalised, each
// from the one before. It ends at the first that does not converge, with an error
// that wraps [optimize.ErrNotConverged] and the points before; those of svc, ridge
// and lasso then end with this one, whose Report says so. Also where a point of rda
// cannot be fitted the points before it are returned.
func (m *Method) Path(d *dataset.Data, o *Options, count int) (*Path, error) {
	if count < 1 {
		return nil, fmt.Errorf("%s: a path of %d models", m.Name, count)
	}
	return m.pathAt(d, o, nil, count)
}

// pathAt fits a path at the penalties of a grid, nil for count of its own.
func (m *Method) pathAt(d *dataset.Data, o *Options, grid []float64, count int) (*Path, error) {
	e, ok := m.entry.(pathEntry)
	if !ok {
		return nil, fmt.Errorf("%s has no path; there are those of %s", m.Name, strings.Join(WithPath(), " "))
	}
	if o != nil && o.given(e.sweeps()) {
		return nil, fmt.Errorf("%s: a path goes along %s, which the options must not have", m.Name, e.sweeps())
	}
	t, o, err := m.train(d, o)
	if err != nil {
		return nil, err
	}
	fits, err := e.path(t.X, t.Data, o, grid, count)
	if fits == nil && err != nil {
		return nil, t.named(err)
	}
	p := &Path{Parameter: e.parameter()}
	for _, f := range fits {
		p.Points = append(p.Points, path.Point[*Model]{Penalty: f.penalty, DF: f.df, DevRatio: f.devRatio,
			Objective: f.model.Report().Objective(), Report: f.model.Report(), Model: t.model(f.model, o.at(e.sweeps(), f.penalty))})
	}
	if errors.Is(err, optimize.ErrNotConverged) {
		err = fmt.Errorf("%w; the path ends after %d of at most %d fits", err, len(fits), count)
	}
	return p, t.named(err)
}

// at returns the options with a penalty of a path over one of them.
func (o *Options) at(swept string, penalty float64) *Options {
	own := *o
	switch swept {
	case `C`:
		own.C = 1 / penalty
	case "alpha":
		own.Alpha = penalty
	default:
		own.Lambda = penalty
	}
	return &own
}

// Choice is a path with the cross-validated loss of each of its penalties.
type Choice = path.Choice[*Model]

// CrossValidatePath fits a path of at most count models to d and, at the same penalties,
// to the rows outside each fold, steps and terms of documents included; folds[i] names the fold of row i. The loss
// is −log p of the row's class where the models have probabilities, else the share of rows
// that are misclassified, and the squared error of a regression: its mean over the rows
// that were left out, by their weights.
//
// Errors: those of [Method.Path]; folds that are not one a row, or fewer than two. With
// [optimize.ErrNotConverged] the result is not nil, and a penalty that some fold has no fit
// of has no loss.
func (m *Method) CrossValidatePath(d *dataset.Data, o *Options, count int, folds []int) (*Choice, error) {
	d, err := m.divisible(d)
	if err != nil {
		return nil, err
	}
	f, err := path.NewFolds(d.Len(), folds, d.Weights)
	if err == nil && !m.Regression {
		err = f.HoldClasses(d.Labels, nil)
	}
	if err != nil {
		return nil, m.named(fmt.Errorf("%s: %w", m.Name, err), d.Names, d.Features)
	}
	var own Options
	if o != nil {
		own = *o
	}
	o, own.Trace = &own, f.Trace(own.Trace)
	return path.CrossValidate(f, func(w, grid []float64) (*Path, error) {
		if w == nil {
			return m.Path(d, o, count)
		}
		rest, err := subset(d, positive(w), nil)
		if err != nil {
			return nil, err
		}
		return m.pathAt(rest, o, grid, len(grid))
	}, func(p *Path, w []float64) ([]float64, error) {
		if len(p.Points) == 0 {
			return nil, nil
		}
		held, err := subset(d, positive(w), p.Points[0].Model.Schema)
		if err != nil {
			return nil, err
		}
		return m.pathLosses(p.Models(), held, o.Workers)
	})
}

// pathLosses returns Σ w·loss over the rows of d, of weight 1 without weights, for each model
// of a path.
func (m *Method) pathLosses(models []*Model, d *dataset.Data, workers int) ([]float64, error) {
	if e, ok := m.entry.(lossesEntry); ok {
		fits := make([]fitted, len(models))
		for k, model := range models {
			fits[k] = model.fit
		}
		x, err := view(models[0].steps, d.Rows())
		if err != nil {
			return nil, err
		}
		return e.losses(fits, x, d, workers)
	}
	sums := make([]float64, len(models))
	for k, model := range models {
		losses, err := model.losses(d, true)
		if err != nil {
			return nil, err
		}
		for i, loss := range losses {
			sums[k] += loss * sample.WeightAt(d.Weights, i)
		}
	}
	return sums, nil
}

// positive returns the positions of positive weights.
func positive(w []float64) (rows []int) {
	for i, v := range w {
		if v > 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// losses returns the loss of each row of d: the squared error of a regression, for log −log p of a
// classifier with probabilities, else 1 for a row that is misclassified.
func (m *Model) losses(d *dataset.Data, log bool) ([]float64, error) {
	c, r, x := m.For(d)
	out := make([]float64, d.Len())
	if r != nil {
		f, err := r.PredictRows(nil, x)
		for i, v := range f {
			out[i] = (d.Y[i] - v) * (d.Y[i] - v)
		}
		return out, err
	}
	if p, ok := c.(sim.Prober); ok && log {
		return validate.LogLosses(p, x, d.Labels)
	}
	labels, err := c.PredictRows(nil, x)
	for i, k := range labels {
		if k != d.Labels[i] {
			out[i] = 1
		}
	}
	return out, err
}

// divisible returns d as suits does, with rows that folds can be taken from.
func (m *Method) divisible(d *dataset.Data) (*dataset.Data, error) {
	d, err := m.suits(d)
	if err == nil {
		d, err = held(d)
	}
	return d, err
}

// subset returns a copy of the given rows of d, with the terms of documents that s has, or for nil
// those that these rows have. The classes stay those of d.
func subset(d *dataset.Data, rows []int, s *dataset.Schema) (*dataset.Data, error) {
	t := *d
	if t.Sparse = nil; d.Sparse != nil {
		t.Sparse = d.Sparse.Take(rows)
	} else {
		t.X = validate.TakeRows(d.X, rows)
	}
	t.Labels, t.Y, t.Documents = validate.Take(d.Labels, rows), validate.Take(d.Y, rows), validate.Take(d.Documents, rows)
	t.Weights, t.Offset = validate.Take(d.Weights, rows), validate.Take(d.Offset, rows)
	return t.WithTerms(s)
}
