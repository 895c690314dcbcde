package logistic

import (
	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/path"
)

// Fit fits a logistic regression of the labels y on the rows of x; nil options are the
// defaults: maximum likelihood with an intercept (ESL §4.4.1, equations 4.19 to 4.28; with a
// lasso §4.4.4, equation 4.31). x is a *[linalg.Dense] or another
// storage, which is read in passes; of one that is not dense, columns are copied to
// find a rank or a separation, and for a lasso.
//
// Errors: *[linalg.ShapeError], *[linalg.SizeError], *[linalg.NonFiniteError],
// *[sample.OptionError], *[linalg.WeightError], *[linalg.ClassError] for bad input,
// *[linalg.RangeError] for numbers whose products leave the range of a float64; without
// a penalty *[linalg.RankError] for columns that depend on the others,
// *[SeparationError] for classes that a hyperplane separates. With an error that wraps
// [optimize.ErrNotConverged] the model is not nil: it is the last point.
func Fit(x linalg.Rows, y []int, o *Options) (*Model, error) {
	p, err := newProblem(x, y, o)
	if err != nil {
		return nil, wrap(err)
	}
	m, err := p.fit()
	return m, wrap(err)
}

// unused refuses the options of a penalty that there is none of, and a reference that
// a fit for k classes has no use for.
func (o *Options) unused(k int) error {
	if o.Lambda == 0 {
		if err := sample.Unused(o, "as Lambda is 0", "L1Ratio", "PenaltyFactor", "Grouped", "Standardize"); err != nil {
			return err
		}
	}
	if k == 2 || o.penalized() {
		return sample.Unused(o, "but for three classes and more without a penalty", "Reference")
	}
	return nil
}

// fit takes the way that the options ask for.
func (p *problem) fit() (*Model, error) {
	if err := p.o.unused(p.r.k()); err != nil {
		return nil, err
	}
	if err := p.readyForPasses(); err != nil {
		return nil, err
	}
	switch p.o.method() {
	case ElasticNet:
		return p.fitElasticNet()
	case Firth:
		return p.fitFirth()
	}
	return p.fitSmooth()
}

// fitSmooth fits by maximum likelihood or with a ridge.
func (p *problem) fitSmooth() (*Model, error) {
	f, err := p.objective()
	if err != nil {
		return nil, err
	}
	if free := f.Free(); free != nil {
		// Newton's method sees dependent columns in its first Hessian. The methods for many
		// parameters would spend many passes before, and where the rows are fewer than the
		// columns, or many columns sparse, that Hessian costs more than the rank.
		if f.Wide() || p.d.N < len(free) {
			err = p.d.CheckRank(free)
		} else {
			err = p.d.Dependent(free)
		}
		if err != nil {
			return nil, err
		}
	}
	if f.Ridge == nil {
		if err := p.nearestMean(); err != nil {
			return nil, err
		}
	}
	theta, report, err := f.Minimize(glm.Problem{Start: f.ThetaOf(p.start()), Given: p.o.Start != nil,
		Tol: p.o.Tol, MaxIter: p.o.MaxIter, Trace: p.o.Trace, Exists: p.exists(f),
		Apart: func(theta, steps []float64) error {
			return p.apart(f.Free(), f.FunctionsOf(steps), f.FunctionsOf(theta), f.Work.Share())
		}})
	if theta == nil {
		return nil, err
	}
	return p.model(f.FunctionsOf(theta), p.o.method(), report), p.ended(err)
}

// exists returns the explanation of a fit that may have no minimum, for
// [glm.Problem.Exists]: dependent columns or separated classes.
func (p *problem) exists(f *glm.Objective) func(theta []float64, moving, independent bool) error {
	free := f.Free()
	return func(theta []float64, moving, independent bool) error {
		if !moving && independent {
			return nil
		}
		// A column that is constant but for rounding looks like any other in units of its
		// spread. Neither the factor of the Hessian nor the search for a direction tells it
		// from others, so the rank is found from the columns.
		return p.explain(&search{columns: free, moving: moving, reached: f.FunctionsOf(theta), spent: f.Work.Share()})
	}
}

// model returns the model with the functions given, one for two classes.
func (p *problem) model(functions [][]float64, m Method, report optimize.Report) *Model {
	k := len(functions)
	coef, intercept := linalg.Zeros(k, p.d.P), make([]float64, k)
	for c, theta := range functions {
		intercept[c] = p.d.Coef(coef.Row(c), theta)
	}
	return newModel(p.r.classes, coef, intercept, p.d.Origin, m, report)
}

// corrected returns the likelihood that Firth's correction is of, and the sizes of its
// derivatives.
func (p *problem) corrected() (f *glm.Objective, scale []float64, err error) {
	if p.r.k() > 2 {
		return nil, nil, &sample.OptionError{Name: "Firth", Value: 1, Want: "false for three classes and more"}
	}
	if err := linalg.CheckSquare(p.d.Dim()); err != nil {
		return nil, nil, err
	}
	if f, err = p.objective(); err != nil {
		return nil, nil, err
	}
	scale, err = f.Scale()
	return f, scale, err
}

// fitFirth fits two classes with Firth's correction, with which a minimum exists unless
// columns are dependent.
func (p *problem) fitFirth() (*Model, error) {
	f, scale, err := p.corrected()
	if err != nil {
		return nil, err
	}
	c := &optimize.Control{Tol: p.o.tol(), MaxIter: p.o.MaxIter, Scale: scale, Trace: f.Public(p.o.Trace)}
	start := p.start()
	if p.d.N >= len(start) {
		f.Hess(linalg.Zeros(len(start), len(start)), make([]float64, len(start)), start)
	}
	if p.d.N < len(start) || f.Dependent() { // a step would be led by rounding
		if err := p.d.CheckRank(nil); err != nil {
			return nil, err
		}
	}
	theta, report, err := glm.NewJeffreys(f).Minimize(start, c)
	if theta == nil {
		return nil, err
	}
	stationary := report.Certificate()
	stationary.Kind = optimize.KindStationary
	return p.model([][]float64{theta}, Firth, report.Certify(report.Objective(), stationary)), err
}

// fitElasticNet fits with a penalty that has a lasso part.
func (p *problem) fitElasticNet() (*Model, error) {
	q, err := p.elasticNet(true)
	if err != nil {
		return nil, err
	}
	var start []float64
	if p.o.Start != nil {
		start = p.start()
	}
	theta, report, err := q.Fit(p.o.Lambda, start, &optimize.Control{Tol: p.o.tol(), MaxIter: p.o.MaxIter, Trace: q.Public(p.o.Trace)})
	if theta == nil {
		return nil, err
	}
	return p.model(q.Symmetric(theta), ElasticNet, report), p.ended(err)
}

// elasticNet returns the family of fits over λ. Where it has no minimum that is an error if explains is true.
func (p *problem) elasticNet(explains bool) (*path.Problem, error) {
	o := p.o
	if err := path.Measure(p.d, o.Standardize); err != nil {
		return nil, err
	}
	f := p.smooth(nil, nil)
	var exists func(theta []float64, free []int) error
	if explains {
		exists = func(theta []float64, free []int) error {
			return p.explain(&search{columns: free, moving: true, reached: f.FunctionsOf(theta)})
		}
	}
	return path.New(f, path.Penalty{L1Ratio: o.L1Ratio, Factors: o.PenaltyFactor, Grouped: o.Grouped}, p.levels(), exists)
}
