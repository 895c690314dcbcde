package regression

import (
	"fmt"

	"halfspace/optimize"
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

// show calls the trace with fit k of a path of closed forms.
func (o *Options) show(k int, m *Model) error {
	if o.Trace == nil {
		return nil
	}
	coef, intercept := m.Coef()
	err := o.Trace(optimize.Step{Iteration: k, X: append(intercept, coef.Row(0)...), Objective: m.report.Objective(), Certificate: m.report.Certificate().Value})
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: stopped at λ = %g: %w", optimize.ErrNotConverged, m.lambda, err)
}
