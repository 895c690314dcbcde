package method

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/logistic/inference"
	"halfspace/optimize"
	"halfspace/sim/dataset"
)

type logisticRegression struct{ noNotes }

func (logisticRegression) fit(x linalg.Rows, d *dataset.Data, o *Options) (fitted, error) {
	lo, err := o.logistic(d)
	if err != nil {
		return nil, err
	}
	return some(logistic.Fit(x, d.Labels, lo))
}

func (logisticRegression) empty() fitted { return new(logistic.Model) }

func (logisticRegression) formula(m fitted, about []float64) *Formula {
	link := Softmax
	if m.(*logistic.Model).OneVsRest() {
		link = Sigmoids
	}
	return aboutOrigin(m.(*logistic.Model), about, link)
}

func (logisticRegression) parameter() string { return "lambda" }

func (logisticRegression) sweeps() string { return "lambda" }

func (logisticRegression) path(x linalg.Rows, d *dataset.Data, o *Options, grid []float64, count int) ([]pathFit, error) {
	lo, err := o.logistic(d)
	if err != nil {
		return nil, err
	}
	po := &logistic.PathOptions{Options: *lo, Lambdas: grid}
	po.Standardize = o.Standardize
	if grid == nil {
		po.Count = count
	}
	return pathFits(logistic.FitPath(x, d.Labels, po))
}

// losses are half the deviances.
func (logisticRegression) losses(models []fitted, x linalg.Rows, d *dataset.Data, workers int) ([]float64, error) {
	own := make([]*logistic.Model, len(models))
	for k, m := range models {
		own[k] = m.(*logistic.Model)
	}
	sums, err := logistic.Deviances(own, x, d.Labels, &logistic.Options{Weights: d.Weights, Offset: d.Offset, Workers: workers})
	linalg.Scale(sums, 0.5)
	return sums, err
}

// infer has a table for a fit without a penalty that has converged.
func (logisticRegression) infer(m fitted, d *dataset.Data, o *Options) (*Inference, error) {
	own, err := o.logistic(d)
	if err != nil {
		return nil, err
	}
	inf, err := inference.Of(m.(*logistic.Model), d.Rows(), d.Labels, own)
	if errors.Is(err, inference.ErrNoInference) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	table := &Inference{Deviance: inf.Deviance, NullDeviance: inf.NullDeviance, DF: inf.DF, NullDF: inf.NullDF, AIC: inf.AIC, BIC: inf.BIC}
	score, err := inf.ScoreAll()
	if table.Score = score.Statistic; err != nil {
		table.Score = math.NaN()
	}
	lo, hi := inf.Wald(confidence)
	for i, t := range inf.Terms {
		table.Terms = append(table.Terms, Term{t.Class, t.Column, inf.Estimate[i], inf.SE[i], inf.Z[i], inf.P[i], lo[i], hi[i]})
	}
	return table, nil
}

func (logisticRegression) audit(m fitted, x linalg.Rows, d *dataset.Data, o *Options) (*optimize.Audit, error) {
	lo, err := o.logistic(d)
	if err != nil {
		return nil, err
	}
	return m.(*logistic.Model).Audit(x, d.Labels, lo)
}

func (logisticRegression) cites(err error) (classes, columns []int) {
	if sep := (*logistic.SeparationError)(nil); errors.As(err, &sep) {
		columns = sep.Columns
	}
	if singular := (*inference.InformationError)(nil); errors.As(err, &singular) {
		columns = []int{singular.Column}
	}
	return nil, columns
}

// start returns the parameters of a model that a fit to d begins at, as [logistic.Options] has
// them; nil without one.
func (o *Options) start(d *dataset.Data) (at []float64, err error) {
	if o.Start == nil {
		return nil, nil
	}
	start, ok := o.Start.(*Model)
	if !ok || start == nil {
		return nil, fmt.Errorf("logistic: the start is a %T, not a model, or nil", o.Start)
	}
	m, ok := start.fit.(*logistic.Model)
	if !ok {
		return nil, fmt.Errorf("logistic: the start is a %T", start.fit)
	}
	if s := start.Schema; !slices.Equal(s.Names, d.Names) || !slices.Equal(s.Features(), d.Schema.Features()) {
		return nil, fmt.Errorf("logistic: the start has classes %q and %d features, the data have %q and %d, or others by name", s.Names, len(s.Features()), d.Names, len(d.Schema.Features()))
	}
	coef, intercept := m.Coef()
	for k, b := range intercept {
		if !o.NoIntercept {
			at = append(at, b)
		}
		at = append(at, coef.Row(k)...)
	}
	return at, nil
}

func (o *Options) logistic(d *dataset.Data) (*logistic.Options, error) {
	w, err := o.classWeights(d)
	if err != nil {
		return nil, err
	}
	start, err := o.start(d)
	return &logistic.Options{
		Lambda: o.Lambda, L1Ratio: o.L1Ratio, Firth: o.Firth, Standardize: o.Standardize && o.Lambda > 0, NoIntercept: o.NoIntercept,
		Weights: d.Weights, ClassWeights: w, Offset: d.Offset, Classes: codes(d.Names), Start: start,
		Tol: o.Tol, MaxIter: o.MaxIter, Workers: o.Workers, Trace: o.Trace}, err
}
