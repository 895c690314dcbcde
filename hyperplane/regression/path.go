package regression

import "halfspace/optimize/path"

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
