package method

import (
	"cmp"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/tail"
	"halfspace/optimize"
	"halfspace/sim/dataset"
)

type ols struct{ leastSquares }

func (ols) fit(x linalg.Rows, d *dataset.Data, o *Options) (fitted, error) {
	return some(regression.FitOLS(x, d.Y, o.regression(d)))
}

// infer has the table of a fit whose coefficients the rows determine.
func (ols) infer(_ fitted, d *dataset.Data, o *Options) (*Inference, error) {
	m, s, err := regression.Summarize(d.Rows(), d.Y, o.regression(d))
	if m == nil {
		return nil, err
	}
	inf := &Inference{DF: s.DF, LeastSquares: s}
	half := tail.StudentQuantile((1-confidence)/2, s.DF)
	for k, t := range s.Terms {
		column := k
		if s.Intercept {
			column--
		}
		inf.Terms = append(inf.Terms, Term{0, column, t.Estimate, t.SE, t.T, t.P, t.Estimate - half*t.SE, t.Estimate + half*t.SE})
	}
	return inf, nil
}

func (ols) owns(m fitted) bool { return m.(*regression.Model).Lambda() == 0 }

type ridge struct {
	leastSquares
	penalized
}

func (ridge) fit(x linalg.Rows, d *dataset.Data, o *Options) (fitted, error) {
	return some(regression.FitRidge(x, d.Y, o.regression(d)))
}

func (ridge) path(x linalg.Rows, d *dataset.Data, o *Options, grid []float64, count int) ([]pathFit, error) {
	return pathFits(regression.RidgePath(x, d.Y, grid, o.onPath(o.regression(d), grid, count)))
}

func (ridge) owns(m fitted) bool {
	r := m.(*regression.Model)
	return r.Lambda() != 0 && r.L1Ratio() == 0
}

type lasso struct {
	leastSquares
	penalized
}

func (lasso) fit(x linalg.Rows, d *dataset.Data, o *Options) (fitted, error) {
	return some(regression.FitElasticNet(x, d.Y, o.lasso(d)))
}

func (lasso) audit(m fitted, x linalg.Rows, d *dataset.Data, o *Options) (*optimize.Audit, error) {
	return m.(*regression.Model).Audit(x, d.Y, o.lasso(d))
}

func (lasso) path(x linalg.Rows, d *dataset.Data, o *Options, grid []float64, count int) ([]pathFit, error) {
	ro := o.onPath(o.regression(d), grid, count)
	ro.L1Ratio = cmp.Or(o.L1Ratio, 1)
	return pathFits(regression.ElasticNetPath(x, d.Y, grid, ro))
}

// leastSquares is the common part of the entries whose model is a
// *[regression.Model].
type leastSquares struct{ noNotes }

func (leastSquares) empty() fitted { return new(regression.Model) }

func (leastSquares) formula(m fitted, about []float64) *Formula {
	r := m.(*regression.Model)
	if about == nil {
		about = r.Plane().Origin()
	}
	return valueFormula(r, about)
}

func (leastSquares) audit(m fitted, x linalg.Rows, d *dataset.Data, o *Options) (*optimize.Audit, error) {
	return m.(*regression.Model).Audit(x, d.Y, o.regression(d))
}

// keep sets the penalty.
func (leastSquares) keep(m fitted, o *Options) {
	r := m.(*regression.Model)
	o.Lambda, o.L1Ratio = cmp.Or(o.Lambda, r.Lambda()), cmp.Or(o.L1Ratio, r.L1Ratio())
}

// penalized is part of the entries with a path over λ.
type penalized struct{}

func (penalized) parameter() string { return "lambda" }

func (penalized) sweeps() string { return "lambda" }

func (o *Options) regression(d *dataset.Data) *regression.Options {
	return &regression.Options{Lambda: o.Lambda, Standardize: o.Standardize && o.Lambda > 0, NoIntercept: o.NoIntercept,
		Weights: d.Weights, Offset: d.Offset, Tol: o.Tol, MaxIter: o.MaxIter, Workers: o.Workers, Trace: o.Trace}
}

// lasso are the options of an elastic net, whose share of the lasso is 1 if none
// is given.
func (o *Options) lasso(d *dataset.Data) *regression.Options {
	ro := o.regression(d)
	if ro.L1Ratio = o.L1Ratio; o.Lambda != 0 {
		ro.L1Ratio = cmp.Or(o.L1Ratio, 1)
	}
	return ro
}

// onPath makes ro the options of a path of count fits, or of those of a grid.
func (o *Options) onPath(ro *regression.Options, grid []float64, count int) *regression.Options {
	ro.Standardize = o.Standardize
	if grid == nil {
		ro.Count = count
	}
	return ro
}
