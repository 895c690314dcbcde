package logistic

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/sample"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
	"halfspace/qp/separation"
)

// problem is the checked data and options of a fit.
type problem struct {
	d *design.Design
	r *response
	o *Options

	undecided error                // of the search for a separation; nil if it had an answer
	asked     *separation.Problem  // whether there is one, the last time that none was found; nil before
	answer    *separation.Evidence // to that
}

// newProblem checks data and options; nil options are the defaults.
func newProblem(x linalg.Rows, y []int, o *Options) (*problem, error) {
	if o == nil {
		o = &Options{}
	}
	own, err := *o, error(nil)
	if own.Weights, err = sample.WeighClasses(y, o.Classes, o.Weights, o.ClassWeights); err != nil {
		return nil, err
	}
	o = &own
	d, err := newDesign(x, len(y), "labels", o.Weights, o)
	if err != nil {
		return nil, err
	}
	r, err := newResponse(y, o)
	if err == nil {
		err = linalg.CheckSquare(r.k()) // contrasts of the classes are so many
	}
	if err != nil {
		return nil, err
	}
	return &problem{d: d, r: r, o: o}, o.checkVectors(d.N, r.functions(), d.Dim())
}

// readyForPasses copies sparse rows to dense ones where the many passes of a fit without a lasso take less
// time over these.
func (p *problem) readyForPasses() (err error) {
	if p.o.L1Ratio == 0 {
		p.d, err = p.d.ForPasses(p.r.functions())
	}
	return err
}

// newDesign checks the rows and the options that do not depend on the labels.
func newDesign(x linalg.Rows, count int, countOf string, weights []float64, o *Options) (*design.Design, error) {
	_, p, err := sample.Dims(x, count, countOf)
	if err != nil {
		return nil, err
	}
	if err := o.check(p); err != nil {
		return nil, err
	}
	return design.New(x, count, countOf, design.Settings{Weights: weights, Offset: o.Offset, NoIntercept: o.NoIntercept, Workers: o.Workers})
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
		return glm.NewMulti(p.d, p.r.codes(), loss.Softmax{K: k}, contrast, ridge)
	}
	return glm.New(p.d, p.r.signs(), loss.Logistic{}, ridge)
}

// largestRidge is the largest ridge of a column in its unit.
const largestRidge = largest * largest

// ridge returns the ridge by parameter of one function, nil without a penalty.
// Error: *[linalg.RangeError] for a column so small or large that its ridge is infinite
// or rounds to none.
func (p *problem) ridge() ([]float64, error) {
	o := p.o
	if !o.penalized() {
		return nil, nil
	}
	var sd []float64
	if o.Standardize {
		var err error
		if _, sd, err = p.d.Spread(); err != nil {
			return nil, err
		}
	}
	r := make([]float64, p.d.Dim())
	for j, u := range p.d.Unit {
		s := 1 / u
		if sd != nil && sd[j] > 0 {
			s = sd[j] // where it is 0 the penalty acts on the coefficient as it is
		}
		share := o.Lambda * (1 - o.L1Ratio) * o.factor(j)
		v := share * s * s
		if share > 0 && !(v > 0 && v <= largestRidge) {
			return nil, &linalg.RangeError{Column: j}
		}
		r[j+p.d.Intercept] = v
	}
	return r, nil
}

// levels returns the intercepts of the classes' functions without features: log-odds
// for two classes, logarithms of the classes' shares for more, less the mean offsets.
func (p *problem) levels() []float64 {
	if p.r.k() == 2 {
		return []float64{math.Log(p.r.count[1]/p.r.count[0]) - p.d.MeanOffset(0)}
	}
	level := make([]float64, p.r.k())
	for c, n := range p.r.count {
		level[c] = math.Log(n/p.d.Total) - p.d.MeanOffset(c)
	}
	return level
}

// null returns the parameters of the intercepts alone, function by function.
func (p *problem) null() []float64 {
	theta := make([]float64, p.r.functions()*p.d.Dim())
	if p.d.Intercept == 1 {
		for c, level := range p.levels() {
			theta[c*p.d.Dim()] = level
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
	theta := make([]float64, p.r.functions()*p.d.Dim())
	p.d.FromPublic(theta, p.o.Start)
	return theta
}
