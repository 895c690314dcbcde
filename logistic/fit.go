package logistic

import (
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
	"halfspace/optimize/path"
)

// Fit fits a logistic regression of the labels y on the rows of x; nil options
// are the defaults: maximum likelihood with an intercept. x is a *[linalg.Dense] or
// another storage, which is read in passes and copied only where its columns have to be
// looked at: for a rank, a separation, a lasso.
//
// Errors: *[linalg.ShapeError], *[linalg.SizeError], *[linalg.NonFiniteError],
// *[sample.OptionError], *[linalg.WeightError], *[linalg.ClassError] for bad
// input, *[linalg.RangeError] for columns whose coefficients a float64 cannot
// hold; without a penalty *[linalg.RankError] for columns that depend on the
// others, *[SeparationError] for classes that a hyperplane separates. With an
// error that wraps [optimize.ErrNotConverged] the model is not nil: it is the
// last point.
func Fit(x linalg.Rows, y []int, o *Options) (*Model, error) {
	p, err := newProblem(x, y, o)
	if err != nil {
		return nil, wrap(err)
	}
	m, err := p.fit()
	return m, wrap(err)
}

// problem is the checked data and options of a fit.
type problem struct {
	*design.Design
	r *response
	o *Options
}

func newProblem(x linalg.Rows, y []int, o *Options) (*problem, error) {
	if o == nil {
		o = &Options{}
	}
	d, err := newDesign(x, len(y), "labels", o)
	if err != nil {
		return nil, err
	}
	r, err := newResponse(y, o)
	if err != nil {
		return nil, err
	}
	return &problem{d, r, o}, nil
}

// newDesign checks the rows and the options that do not depend on the labels.
func newDesign(x linalg.Rows, count int, countOf string, o *Options) (*design.Design, error) {
	n, p, err := sample.Dims(x, count, countOf)
	if err != nil {
		return nil, err
	}
	if err := o.check(n, p); err != nil {
		return nil, err
	}
	return design.New(x, count, countOf, design.Settings{Weights: o.Weights, Offset: o.Offset, NoIntercept: o.NoIntercept, Workers: o.Workers})
}

// fit takes the way that the options ask for.
func (p *problem) fit() (*Model, error) {
	var m *Model
	var err error
	switch p.o.method() {
	case ElasticNet:
		m, err = p.fitElasticNet()
	case Firth:
		m, err = p.fitFirth()
	default:
		m, err = p.fitSmooth()
	}
	return representable(m, err)
}

// fitSmooth fits by maximum likelihood or with a ridge.
func (p *problem) fitSmooth() (*Model, error) {
	o := p.o
	if err := o.checkVectors(p.N, p.r.functions(), p.r.functions()*p.Dim()); err != nil {
		return nil, err
	}
	f, err := p.objective()
	if err != nil {
		return nil, err
	}
	if free := f.Free(); free != nil && f.Wide() {
		// Dependence costs Newton's method one Hessian to see, and other methods many passes.
		if err := p.CheckRank(free); err != nil {
			return nil, err
		}
	}
	theta, report, err := f.Minimize(glm.Problem{Start: f.ThetaOf(p.start()), Given: o.Start != nil,
		Tol: o.tol(), MaxIter: o.MaxIter, Trace: o.Trace, Exists: p.exists(f)})
	if theta == nil {
		return nil, err
	}
	return p.model(f.FunctionsOf(theta), o.method(), report), err
}

// objective returns the negative log-likelihood with the ridge that the options ask
// for. Without a penalty the reference class of three or more has no function.
func (p *problem) objective() (*glm.Objective, error) {
	ridge, err := p.ridge()
	if err != nil {
		return nil, err
	}
	if ridge == nil {
		return p.likelihood()
	}
	return p.smooth(glm.Contrasts(p.r.k()), ridge), nil
}

// likelihood returns the negative log-likelihood.
func (p *problem) likelihood() (*glm.Objective, error) {
	if p.r.k() == 2 {
		return p.smooth(nil, nil), nil
	}
	reference, err := p.o.reference(p.r.classes)
	if err != nil {
		return nil, err
	}
	return p.smooth(glm.Against(p.r.k(), reference), nil), nil
}

// smooth returns the negative log-likelihood with a ridge, for three classes and more as
// a function of the contrasts given.
func (p *problem) smooth(contrast *linalg.Dense, ridge []float64) *glm.Objective {
	if k := p.r.k(); k > 2 {
		return glm.NewMulti(p.Design, p.r.codes(), loss.Softmax{K: k}, contrast, ridge)
	}
	return glm.New(p.Design, p.r.signs(), loss.Logistic{}, ridge)
}

// ridge returns the ridge by parameter of one function, nil without a penalty.
// Error: *[linalg.RangeError] for a penalty that rounds to none.
func (p *problem) ridge() ([]float64, error) {
	o := p.o
	if !o.penalised() {
		return nil, nil
	}
	var sd []float64
	if o.Standardize {
		var err error
		if _, sd, err = p.Spread(); err != nil {
			return nil, err
		}
	}
	r := make([]float64, p.Dim())
	for j, u := range p.Unit {
		s := 1 / u
		if sd != nil && sd[j] > 0 {
			s = sd[j] // a constant is left as it is
		}
		share := o.Lambda * (1 - o.L1Ratio) * o.factor(j)
		r[j+p.Intercept] = share * s * s
		if share > 0 && r[j+p.Intercept] == 0 {
			return nil, &linalg.RangeError{Column: j}
		}
	}
	return r, nil
}

// levels returns the intercepts of the classes' functions without features: log-odds
// for two classes, logarithms of the classes' shares for more, less the mean offsets.
func (p *problem) levels() []float64 {
	if p.r.k() == 2 {
		return []float64{math.Log(p.r.count[1]/p.r.count[0]) - p.MeanOffset(0)}
	}
	level := make([]float64, p.r.k())
	for c, n := range p.r.count {
		level[c] = math.Log(n/p.Total) - p.MeanOffset(c)
	}
	return level
}

// null returns the parameters of the intercepts alone, function by function.
func (p *problem) null() []float64 {
	theta := make([]float64, p.r.functions()*p.Dim())
	if p.Intercept == 1 {
		for c, level := range p.levels() {
			theta[c*p.Dim()] = level
		}
	}
	return theta
}

// start returns where the iteration begins, function by function: the caller's point or
// the intercepts alone.
func (p *problem) start() []float64 {
	if p.o.Start == nil {
		return p.null()
	}
	theta := make([]float64, p.r.functions()*p.Dim())
	p.FromPublic(theta, p.o.Start)
	return theta
}

// exists returns the explanation of a fit that may have no maximum.
func (p *problem) exists(f *glm.Objective) func(theta []float64, moving, independent bool) error {
	free := f.Free()
	return func(theta []float64, moving, independent bool) error {
		if moving || !independent {
			// Units hide a column that is constant but for rounding, from the factor as from
			// the search for a direction.
			if err := p.CheckRank(free); err != nil {
				return err
			}
		}
		if !moving {
			return nil
		}
		return p.separated(f.FunctionsOf(theta), free)
	}
}

// model returns the model with the functions given, one for two classes.
func (p *problem) model(functions [][]float64, m Method, report optimize.Report) *Model {
	k := len(functions)
	coef, intercept := linalg.Zeros(k, p.P), make([]float64, k)
	for c, theta := range functions {
		intercept[c] = p.Coef(coef.Row(c), theta)
	}
	return newModel(p.r.classes, coef, intercept, p.Origin, m, report)
}

// maxFirth is the largest number of features: their p³ derivatives of the
// information take 216 MB a goroutine.
const maxFirth = 300

// fitFirth fits two classes with Firth's correction. Its only failures are dependent
// columns and the iteration cap.
func (p *problem) fitFirth() (*Model, error) {
	if p.r.k() > 2 {
		return nil, &sample.OptionError{Name: "Firth", Value: 1, Want: "false for three classes and more"}
	}
	if p.P > maxFirth {
		return nil, &sample.OptionError{Name: "Firth", Value: 1, Want: fmt.Sprintf("false for %d features, more than %d", p.P, maxFirth)}
	}
	if err := p.o.checkVectors(p.N, 1, p.Dim()); err != nil {
		return nil, err
	}
	f, err := p.objective()
	if err != nil {
		return nil, err
	}
	scale, err := f.Scale()
	if err != nil {
		return nil, err
	}
	c := &optimize.Control{Tol: p.o.tol(), MaxIter: p.o.MaxIter, Scale: scale, Trace: f.Public(p.o.Trace)}
	theta, report, err := optimize.Newton(glm.NewJeffreys(f), p.start(), c)
	if report.Status() != optimize.Stopped && f.Dependent() {
		if err := p.CheckRank(nil); err != nil {
			return nil, err
		}
	}
	if theta == nil {
		return nil, err
	}
	return p.model([][]float64{theta}, Firth, report), err
}

// fitElasticNet fits with a penalty that has a lasso part.
func (p *problem) fitElasticNet() (*Model, error) {
	q, err := p.elasticNet()
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
	return p.sparseModel(q, theta, ElasticNet, report), err
}

// elasticNet returns the family of fits over λ.
func (p *problem) elasticNet() (*path.Problem, error) {
	o := p.o
	if err := o.checkVectors(p.N, p.r.functions(), p.r.functions()*p.Dim()); err != nil {
		return nil, err
	}
	if err := path.Measure(p.Design, o.Standardize); err != nil {
		return nil, err
	}
	f := p.smooth(nil, nil)
	return path.New(f, path.Penalty{L1Ratio: o.L1Ratio, Factors: o.PenaltyFactor, Grouped: o.Grouped}, p.levels(),
		func(theta []float64, free []int) error {
			if err := p.CheckRank(free); err != nil {
				return err
			}
			return p.separated(f.FunctionsOf(theta), free)
		})
}

// sparseModel is model for parameters of a path: the intercepts of several classes sum
// to 0.
func (p *problem) sparseModel(q *path.Problem, theta []float64, m Method, report optimize.Report) *Model {
	model := p.model(q.FunctionsOf(theta), m, report)
	if len(model.intercept) > 1 && p.Intercept == 1 {
		centre(model.intercept)
		model = newModel(model.classes, model.coef, model.intercept, p.Origin, m, report)
	}
	return model
}
