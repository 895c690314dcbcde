package exchange

import (
	"fmt"
	"slices"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
)

// Audit is [method.Model.Audit] by the objective that LIBLINEAR minimises with that bias
// (its option -B, scikit-learn's intercept_scaling): the intercept is the bias times the
// coefficient of a feature that is the bias in every row, and is penalised like the others.
// A bias of 0 is our own objective. The named options are given even where they are 0. It is for a logistic regression of two classes or of each
// class against the rest, and for a hinge or a squared hinge so.
//
// Errors: those of [method.Model.Audit]; a bias below 0, another model.
func Audit(m *method.Model, d *dataset.Data, o *method.Options, bias float64, given ...string) (*optimize.Audit, error) {
	if bias == 0 {
		return m.Audit(d, o, given...)
	}
	if !(bias > 0) || bias-bias != 0 {
		return nil, fmt.Errorf("exchange: a bias of %g", bias)
	}
	fit, err := biased(m.Fitted(), bias)
	if err != nil {
		return nil, err
	}
	wide, err := withBias(m.Steps(), d, bias)
	if err != nil {
		return nil, err
	}
	_, p := wide.Dims()
	whole, err := method.New(&dataset.Schema{Numbered: p, Names: m.Schema.Names}, nil, fit)
	if err == nil {
		whole, err = whole.WithObjective(m.Objective())
	}
	if err != nil {
		return nil, err
	}
	own := method.Options{}
	if o != nil {
		own = *o
	}
	own.NoIntercept = true
	return whole.Audit(wide, &own, given...)
}

// withBias returns the table behind the steps with one feature more, which is the bias in every row: sparse where the
// table is and the steps leave it so.
func withBias(steps feature.Chain, d *dataset.Data, bias float64) (*dataset.Data, error) {
	if d == nil {
		return nil, fmt.Errorf("exchange: %w", &linalg.ShapeError{Want: 1, WantOf: "row needed", Got: 0, GotOf: "rows"})
	}
	wide := &dataset.Data{Labels: d.Labels, Names: d.Names, Weights: d.Weights, Offset: d.Offset}
	if d.Names == nil && d.Schema != nil {
		wide.Names = d.Schema.Names
	}
	sparse := d.Sparse
	if len(steps) > 0 {
		sparse = feature.ApplySparse(steps, sparse)
	}
	if sparse != nil {
		wide.Sparse = sparse.WithColumn(slices.Repeat([]float64{bias}, d.Len()))
		return wide, nil
	}
	x, err := d.Dense()
	if err == nil {
		err = x.Check()
	}
	if err == nil && len(steps) > 0 {
		x, err = feature.ApplyRows(steps, x)
	}
	if err != nil {
		return nil, fmt.Errorf("exchange: %w", err)
	}
	wide.X = linalg.Zeros(x.Rows, x.Cols+1)
	for i := range x.Rows {
		copy(wide.X.Row(i), x.Row(i))
		wide.X.Row(i)[x.Cols] = bias
	}
	return wide, nil
}

// biased returns the model with its intercept as the coefficient of one feature more.
func biased(fit any, bias float64) (any, error) {
	c, ok := fit.(interface {
		Classes() []int
		Coef() (*linalg.Dense, []float64)
	})
	if !ok {
		return nil, fmt.Errorf("exchange: a %T has no penalised bias", fit)
	}
	coef, intercept := c.Coef()
	wide := linalg.Zeros(coef.Rows, coef.Cols+1)
	for k, b := range intercept {
		copy(wide.Row(k), coef.Row(k))
		wide.Row(k)[coef.Cols] = b / bias
	}
	zero := make([]float64, len(intercept))
	switch m := fit.(type) {
	case *logistic.Model:
		if len(c.Classes()) == 2 || m.OneVsRest() {
			return logistic.NewOneVsRest(c.Classes(), wide, zero)
		}
	case *hyperplane.SVC:
		machines := m.Machines()
		if len(machines) == 1 || machines[0].Rest {
			return hyperplane.NewSVC(c.Classes(), wide, zero, &hyperplane.SVCOptions{C: m.C(), Loss: m.Loss(), NoIntercept: true, Multi: hyperplane.OneVsRest})
		}
	}
	return nil, fmt.Errorf("exchange: this %T is no model of LIBLINEAR's", fit)
}
