package method

import (
	"errors"
	"fmt"
	"strings"

	"halfspace/optimize"
	"halfspace/optimize/path"
	"halfspace/sim/dataset"
)

// Path is a sequence of fits from the most to the least penalized. Its parameter is
// "lambda", which of svc is 1/C, or for rda "alpha", from 0 (LDA) to 1 (QDA). DF counts
// features with a non-zero coefficient; of ridge regression it is the trace of the hat
// matrix, of rda NaN. DevRatio is NaN for rda and svc.
type Path = path.Path[*Model]

// Path fits a sequence of count models from the most to the least penalized, each
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
			Objective: f.model.Report().Objective(), Report: f.model.Report(), Model: t.model(f.model)})
	}
	if errors.Is(err, optimize.ErrNotConverged) {
		err = fmt.Errorf("%w; the path ends after %d of at most %d fits", err, len(fits), count)
	}
	return p, t.named(err)
}
