package logistic

import (
	"errors"
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/tail"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// Term names a parameter: the coefficient of a feature, or the intercept, of the
// function of a class.
type Term struct {
	Class  int // label; the larger one for two classes
	Column int // feature, from 0; −1 is the intercept
}

// Inference is what maximum likelihood theory says about a fit: an estimate is
// near normal about the truth with the inverse information (XᵀWX)⁻¹ as
// covariance (ESL 4.4.3). Slices and Covariance have the order of Terms: by
// class (the larger of two; all but the reference of more), the intercept first.
//
// Of a fit with Firth's correction the likelihood is the penalised one, also in
// the deviances, tests and profiles. Any number of goroutines may use an
// Inference; it refers to the rows that it was made from.
type Inference struct {
	Terms      []Term
	Estimate   []float64
	SE         []float64     // standard error
	Z          []float64     // Estimate/SE
	P          []float64     // P(|N(0,1)| > |Z|), Wald's test
	Covariance *linalg.Dense // on the data's scale

	LogLikelihood float64
	Deviance      float64 // twice the log-likelihood that is missing to a perfect fit
	NullDeviance  float64 // of the intercepts (and the offset) alone
	DF, NullDF    float64 // residual degrees of freedom
	AIC, BIC      float64
	Pearson       float64 // Pearson's χ², Σ w(t−p)²/(p(1−p))

	data *evidence
}

// evidence is the data and the objective of an inference.
type evidence struct {
	*problem
	likelihood *glm.Objective // the negative log-likelihood
	firth      bool           // the objective has Firth's penalty too
	theta      []float64      // its minimum
	functions  int
	reference  int              // class whose function is 0, of three or more
	factor     *linalg.Cholesky // of the information at theta
	scale      []float64
	value      float64
	saturated  float64 // the least the objective can be
	constant   float64 // the log-likelihood is this less the objective
	about      func(origin []float64) (*evidence, error)
}

// ErrNoInference is wrapped by the error of [Model.Infer] where standard errors
// would be wrong.
var ErrNoInference = errors.New("no inference")

// Infer computes standard errors, tests and criteria for a model that was fitted
// to x and y by maximum likelihood or with Firth's correction, with the options
// of that fit. O(np²K²).
//
// Errors: those of [Fit] for bad input; one that wraps [ErrNoInference] for a fit
// with a penalty, whose estimates are biased by design so that their spread says
// nothing of their error, and for a model that does not maximise the likelihood
// of these data.
func (m *Model) Infer(x *linalg.Dense, y []int, o *Options) (*Inference, error) {
	return m.infer(o, func(o *Options) (*problem, error) { return newProblem(x, y, o) })
}

// InferCounts is Infer for a model that [FitCounts] fitted. The log-likelihood
// includes the binomial coefficients, and rows, not trials, are counted for DF
// and BIC.
func (m *Model) InferCounts(x *linalg.Dense, successes, trials []float64, o *Options) (*Inference, error) {
	return m.infer(o, func(o *Options) (*problem, error) { return newCounts(x, successes, trials, o) })
}

func (m *Model) infer(o *Options, data func(*Options) (*problem, error)) (*Inference, error) {
	if o == nil {
		o = &Options{}
	}
	inf, err := m.inference(o, data)
	if err != nil {
		return nil, wrap(err)
	}
	return inf, nil
}

func (m *Model) inference(o *Options, data func(*Options) (*problem, error)) (*Inference, error) {
	if m.method == ridge || m.method == elasticNet {
		return nil, fmt.Errorf("%w: a penalty biases the estimates, and standard errors do not measure bias", ErrNoInference)
	}
	var reference int
	gather := func(origin []float64) (*evidence, error) {
		p, err := data(o)
		if err != nil {
			return nil, err
		}
		r := p.r
		if p.P != m.coef.Cols {
			return nil, &linalg.ShapeError{Want: m.coef.Cols, WantOf: "features", Got: p.P, GotOf: "columns"}
		}
		if r.k() != len(m.classes) {
			return nil, &linalg.ShapeError{Want: len(m.classes), WantOf: "classes", Got: r.k(), GotOf: "found"}
		}
		for k, c := range r.classes {
			if !r.grouped && c != m.classes[k] {
				return nil, &linalg.ClassError{Class: c, Rows: int(r.count[k]), Reason: "is not one of the model's"}
			}
		}
		if reference, err = o.reference(r.classes); err != nil {
			return nil, err
		}
		if err := o.checkVectors(p.N, r.functions(), len(o.Start)); err != nil {
			return nil, err
		}
		if p.Intercept == 1 {
			p.MoveOrigin(origin)
		}
		return m.evidence(p, reference)
	}
	e, err := gather(m.Origin())
	if err != nil {
		return nil, err
	}
	e.about = gather
	inf := &Inference{data: e}
	inf.terms(m.classes, reference)
	inf.estimates(m, reference)
	return inf, inf.criteria()
}

// evidence sets up the objective and its state at the model.
func (m *Model) evidence(p *problem, reference int) (*evidence, error) {
	r := p.r
	e := &evidence{problem: p, functions: max(1, r.k()-1), reference: reference, constant: r.constant, firth: m.method == firth}
	if r.k() == 2 {
		e.likelihood = glm.New(p.Design, r.signs(), loss.Logistic{}, nil)
	} else {
		e.likelihood = glm.NewMulti(p.Design, r.codes(), loss.Softmax{K: r.k()}, glm.Against(r.k(), reference), nil)
	}
	if e.firth {
		for _, u := range p.Unit {
			e.constant += math.Log(u) // of the determinant on the data's scale
		}
	}
	functions := make([]float64, 0, r.functions()*p.Dim())
	for k := range m.coef.Rows {
		functions = append(functions, p.parametersOf(m, k)...)
	}
	e.theta = e.likelihood.ThetaOf(functions)
	var err error
	if e.scale, err = e.sizes(); err != nil {
		return nil, err
	}
	for i, t := range r.target {
		if w := p.Weight(i); w > 0 && t > 0 && t < 1 {
			e.saturated -= w * (t*math.Log(t) + (1-t)*math.Log1p(-t))
		}
	}
	return e, e.linearise()
}

// sizes returns the sizes that derivatives by theta are measured in.
func (e *evidence) sizes() ([]float64, error) {
	size, err := e.likelihood.Sizes()
	var scale []float64
	for range e.functions {
		for _, s := range size {
			if s == 0 {
				s = 1
			}
			scale = append(scale, s)
		}
	}
	return scale, err
}

// parametersOf returns the parameters of function k of a model with the design's
// origin, or another.
func (p *problem) parametersOf(m *Model, k int) []float64 {
	theta, b := make([]float64, p.Dim()), m.coef.Row(k)
	for j, u := range p.Unit {
		theta[j+p.Intercept] = b[j] * u
	}
	if p.Intercept == 1 {
		theta[0] = m.intercept[k]
		for j, c := range m.Origin() {
			theta[0] += b[j] * (p.Origin[j] - c)
		}
	}
	return theta
}

// linearise factors the information at theta and checks that the gradient is
// small there.
func (e *evidence) linearise() error {
	p := len(e.theta)
	h, g := linalg.Zeros(p, p), make([]float64, p)
	e.value = e.objective().Hess(h, g, e.theta)
	for i, v := range g {
		if c := math.Abs(v) / e.scale[i]; !(c <= 1e-6) {
			return fmt.Errorf("%w: the model does not maximise the likelihood of these data: certificate %.3g", ErrNoInference, c)
		}
	}
	if e.firth {
		e.likelihood.Hess(h, g, e.theta) // the information
	}
	var err error
	e.factor, err = linalg.NewCholesky(h)
	return err
}

func (inf *Inference) terms(classes []int, reference int) {
	for k, label := range classes {
		if len(classes) == 2 && k == 0 || len(classes) > 2 && k == reference {
			continue
		}
		for j := -inf.data.Intercept; j < inf.data.P; j++ {
			inf.Terms = append(inf.Terms, Term{label, j})
		}
	}
}

func (inf *Inference) estimates(m *Model, reference int) {
	e := inf.data
	for k := range m.coef.Rows {
		if m.coef.Rows > 1 && k == reference {
			continue
		}
		for j := -e.Intercept; j < e.P; j++ {
			v, zero := m.parameter(k, j), 0.0
			if m.coef.Rows > 1 {
				zero = m.parameter(reference, j)
			}
			inf.Estimate = append(inf.Estimate, v-zero)
		}
	}
	inf.Covariance = e.covariance()
	for i, v := range inf.Estimate {
		se := math.Sqrt(inf.Covariance.At(i, i))
		inf.SE = append(inf.SE, se)
		inf.Z = append(inf.Z, v/se)
		inf.P = append(inf.P, 2*tail.Normal(math.Abs(v/se)))
	}
}

// parameter returns coefficient j of function k, the intercept for −1.
func (m *Model) parameter(k, j int) float64 {
	if j < 0 {
		return m.plain[k]
	}
	return m.coef.At(k, j)
}

// covariance returns the inverse information on the data's scale.
func (e *evidence) covariance() *linalg.Dense {
	p := len(e.theta)
	v := linalg.Zeros(p, p)
	for i := range p {
		v.Set(i, i, 1)
		e.factor.Solve(v.Row(i))
	}
	public := make([]float64, p)
	for range 2 { // once by rows, once by columns
		for i := range p {
			row := v.Row(i)
			e.ToPublic(public, row)
			copy(row, public)
		}
		t := linalg.Zeros(p, p)
		for i := range p {
			v.Col(t.Row(i), i)
		}
		v = t
	}
	return v
}

// objective returns the function that the model minimises, with memory of its own, so
// that any number of goroutines may use an inference.
func (e *evidence) objective() optimize.Hessian {
	own := e.likelihood.Own()
	if e.firth {
		return glm.NewJeffreys(own)
	}
	return own
}

// intercepts returns the coordinates of the intercepts.
func (e *evidence) intercepts() []int {
	var at []int
	if e.Intercept == 1 {
		for k := range e.functions {
			at = append(at, k*e.Dim())
		}
	}
	return at
}

// null returns the parameters near which the intercepts alone have their least
// objective.
func (e *evidence) null() []float64 {
	functions, dim := make([]float64, e.r.functions()*e.Dim()), e.Dim()
	if e.Intercept == 1 {
		for c, level := range e.levels() {
			functions[c*dim] = level
		}
	}
	return e.likelihood.ThetaOf(functions)
}

// rows returns the number of observations.
func (e *evidence) rows() float64 {
	if e.r.grouped {
		return e.r.rows
	}
	return e.Total
}

func (inf *Inference) criteria() error {
	e := inf.data
	inf.LogLikelihood = e.constant - e.value
	// Firth's determinant on the data's scale, not in units.
	perfect := e.saturated + e.constant - e.r.constant
	inf.Deviance = 2 * (e.value - perfect)
	_, null, err := optimize.Restrict(e.objective(), e.null(), e.intercepts()).Minimize(e.refit())
	if err != nil {
		return fmt.Errorf("null model: %w", err)
	}
	inf.NullDeviance = 2 * (null.Objective() - perfect)
	n, parameters := e.rows(), float64(len(e.theta))
	inf.DF = n*float64(e.functions) - parameters
	inf.NullDF = n*float64(e.functions) - float64(len(e.intercepts()))
	inf.AIC = 2*parameters - 2*inf.LogLikelihood
	inf.BIC = math.Log(n)*parameters - 2*inf.LogLikelihood
	inf.Pearson = e.pearson()
	return nil
}

// pearson returns Σ w Σₖ (tₖ−pₖ)²/pₖ, for two classes Σ w(t−p)²/(p(1−p)).
func (e *evidence) pearson() float64 {
	s := 0.0
	e.each(func(i int, p []float64) {
		if e.r.k() == 2 {
			r := pearson(e.r.target[i], p)
			s += e.Weight(i) * r * r
			return
		}
		// Σₖ (tₖ−pₖ)²/pₖ = 1/p_y − 1.
		y := e.r.code[i]
		rest := 0.0
		for k, v := range p {
			if k != y {
				rest += v
			}
		}
		s += e.Weight(i) * rest / p[y]
	})
	return s
}

// pearson returns (t − p)/√(p(1−p)) of a row, where p = 0 or 1 too if t is so.
func pearson(t float64, p []float64) float64 {
	switch t {
	case 0:
		return -math.Sqrt(p[1] / p[0])
	case 1:
		return math.Sqrt(p[0] / p[1])
	}
	return (t - p[1]) / math.Sqrt(p[0]*p[1])
}

// each calls visit with the probabilities of each row of positive weight, in order.
func (e *evidence) each(visit func(i int, p []float64)) {
	f, k := e.likelihood.FunctionsAt(e.theta), e.r.k()
	scores, p := linalg.Zeros(linalg.BlockRows, len(f.Levels)), make([]float64, k)
	_ = e.EachBlock(func(b *design.Block) {
		at := scores.RowRange(0, b.Len())
		b.Scores(at, f)
		for i := range at.Rows {
			if !(e.Weight(b.Lo+i) > 0) {
				continue
			}
			if k == 2 {
				p[0], p[1] = linalg.Sigmoid(-at.At(i, 0)), linalg.Sigmoid(at.At(i, 0))
			} else {
				copy(p, at.Row(i))
				linalg.Softmax(p)
			}
			visit(b.Lo+i, p)
		}
	})
}

// refit returns the settings of a fit of the objective to some of its parameters.
func (e *evidence) refit() *optimize.Control {
	return &optimize.Control{Tol: defaultTolExact, Scale: e.scale}
}

// Wald returns the intervals Estimate ± z·SE with the given coverage (0.95), NaN
// for one that is not between 0 and 1.
func (inf *Inference) Wald(level float64) (lo, hi []float64) {
	z := tail.NormalQuantile((1 - level) / 2)
	for i, v := range inf.Estimate {
		lo, hi = append(lo, v-z*inf.SE[i]), append(hi, v+z*inf.SE[i])
	}
	return lo, hi
}
