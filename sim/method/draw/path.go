package draw

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/plot"
)

// fits and folds of the pictures of paths.
const (
	pathFits = 60
	folds    = 10
	dealing  = 1 // the seed
)

// along returns what a path of the model's method is fitted to: the rows as the model's
// steps leave them, and the model's options but for the penalty, with the lasso where the method has it.
func along(m *method.Model, d *dataset.Data) (*dataset.Data, *method.Options, error) {
	if !m.Method.Takes("path") {
		return nil, nil, fmt.Errorf("%s has no path; there are those of %s", m.Method.Name, strings.Join(method.WithPath(), ", "))
	}
	steps, rows := m.Steps(), d.Rows()
	if len(steps) > 0 {
		var err error
		if rows, err = feature.View(steps, rows); err != nil {
			return nil, nil, err
		}
	}
	x, err := linalg.ToDense(rows)
	o := m.Objective()
	o.Lambda, o.L1Ratio, o.C, o.Alpha, o.Firth = 0, 0, 0, 0, false
	if k := len(steps); k > 0 {
		_, done := steps[k-1].(*feature.Standardizer)
		o.Standardize = o.Standardize && !done
	}
	if m.Method.Takes("l1-ratio") {
		o.L1Ratio = 1
	}
	named := &dataset.Schema{Names: d.Names}
	for _, name := range steps.Names(m.Schema.Features()) {
		named.Columns = append(named.Columns, dataset.Column{Name: name})
	}
	return &dataset.Data{X: x, Schema: named, Labels: d.Labels, Names: d.Names, Y: d.Y, Weights: d.Weights, Offset: d.Offset}, o, err
}

// penalties is the axis of a path.
func penalties(p *method.Path) plot.Axis {
	if p.Parameter == "lambda" {
		return plot.Axis{Label: "λ", Log: true}
	}
	return plot.Axis{Label: p.Parameter}
}

// coefficients draws the coefficients along the path, of three classes or more the norm
// of each feature's. The largest at the end have names.
func coefficients(m *method.Model, d *dataset.Data) (*plot.Plot, error) {
	d, o, err := along(m, d)
	if err != nil {
		return nil, err
	}
	path, err := m.Method.Path(d, o, pathFits)
	if path == nil || len(path.Points) == 0 || err != nil && !errors.Is(err, optimize.ErrNotConverged) {
		return nil, err
	}
	names := d.Features()
	lambda, size := make([]float64, len(path.Points)), linalg.Zeros(len(names), len(path.Points))
	for k, point := range path.Points {
		coef, _, linear := point.Model.Coef()
		if !linear {
			return nil, fmt.Errorf("%s has no coefficients along its path", m.Method.Name)
		}
		lambda[k] = point.Penalty
		for j := range names {
			v := coef.At(0, j)
			if coef.Rows > 1 {
				v = linalg.Norm(coef.Col(nil, j))
			}
			size.Set(j, k, v)
		}
	}
	p := &plot.Plot{X: penalties(path), Y: plot.Axis{Label: "coefficient"}}
	if len(d.Names) > 2 {
		p.Y.Label = "norm of a feature's coefficients"
	}
	order := linalg.Sequence(len(names))
	last := len(lambda) - 1
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(math.Abs(size.At(b, last)), math.Abs(size.At(a, last)))
	})
	for rank, j := range order {
		name, style := "", plot.Style{Color: plot.Grey, Width: 1}
		if rank < len(named) {
			name, style = names[j], named[rank]
		}
		p.Curve(name, style, lambda, size.Row(j))
	}
	return p, nil
}

// named are the lines of the features that have names; the colours of classes are not for them.
var named = []plot.Style{{Width: 2}, {Width: 2, Dash: plot.Dashed}, {Width: 2, Dash: plot.Dotted}, {Color: plot.Brown, Width: 2}, {Color: plot.Brown, Width: 2, Dash: plot.Dashed}, {Color: plot.Brown, Width: 2, Dash: plot.Dotted}}

// lossName is the loss that [method.Method.CrossValidatePath] takes for a model.
func lossName(m *method.Model) string {
	switch {
	case m.Regressor() != nil:
		return "squared error"
	case m.HasProba():
		return "log-loss"
	}
	return "error rate"
}

// crossValidated draws the loss over the path, with standard errors, and the penalties that it chooses.
func crossValidated(m *method.Model, d *dataset.Data) (*plot.Plot, error) {
	d, o, err := along(m, d)
	if err != nil {
		return nil, err
	}
	dealt, err := method.Folds(d, folds, 1, dealing)
	if err != nil {
		return nil, err
	}
	choice, err := m.Method.CrossValidatePath(d, o, pathFits, dealt[0])
	if choice == nil || err != nil && !errors.Is(err, optimize.ErrNotConverged) {
		return nil, err
	}
	var at, loss, se []float64
	for k, point := range choice.Path.Points {
		if v := choice.CV.Mean[k]; !math.IsNaN(v) && !math.IsInf(v, 0) {
			at, loss, se = append(at, point.Penalty), append(loss, v), append(se, choice.CV.SE[k])
		}
	}
	if len(at) == 0 {
		return nil, cmp.Or(err, errors.New("no penalty has a loss on all folds"))
	}
	p := &plot.Plot{X: penalties(choice.Path), Y: plot.Axis{Label: fmt.Sprintf("%s on %d folds", lossName(m), folds)}}
	p.ErrorBars("± one standard error", plot.Grey, at, loss, se)
	p.Curve("mean of the folds", plot.Style{Width: 2}, at, loss)
	p.VLine("least", plot.Style{Dash: plot.Dashed, Width: 1.3}, choice.Best().Penalty)
	p.VLine("one-SE rule", plot.Style{Dash: plot.Dotted, Width: 1.3}, choice.OneSE().Penalty)
	return p, nil
}
