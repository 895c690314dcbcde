package logistic

import (
	"errors"
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/tail"
	"halfspace/optimize"
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
	d         *design
	r         *response
	objective optimize.Hessian // the negative log-likelihood, with Firth's penalty if the model has it
	theta     []float64        // its minimum
	functions int
	reference int              // class whose function is 0, of three or more
	factor    *linalg.Cholesky // of the information at theta
	scale     []float64
	value     float64
	saturated float64 // the least the objective can be
	constant  float64 // the log-likelihood is this less the objective
	about     func(origin []float64) (*evidence, error)
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
	return m.infer(o, func(o *Options) (*design, *response, error) {
		d, err := newDesign(x, len(y), "labels", o)
		if err != nil {
			return nil, nil, err
		}
		r, err := newResponse(y, o)
		return d, r, err
	})
}

// InferCounts is Infer for a model that [FitCounts] fitted. The log-likelihood
// includes the binomial coefficients, and rows, not trials, are counted for DF
// and BIC.
func (m *Model) InferCounts(x *linalg.Dense, successes, trials []float64, o *Options) (*Inference, error) {
	return m.infer(o, func(o *Options) (*design, *response, error) { return newCounts(x, successes, trials, o) })
}

func (m *Model) infer(o *Options, data func(*Options) (*design, *response, error)) (*Inference, error) {
	if o == nil {
		o = &Options{}
	}
	inf, err := m.inference(o, data)
	if err != nil {
		return nil, wrap(err)
	}
	return inf, nil
}

func (m *Model) inference(o *Options, data func(*Options) (*design, *response, error)) (*Inference, error) {
	if m.method == ridge || m.method == sparse {
		return nil, fmt.Errorf("%w: a penalty biases the estimates, and standard errors do not measure bias", ErrNoInference)
	}
	var reference int
	gather := func(origin []float64) (*evidence, error) {
		d, r, err := data(o)
		if err != nil {
			return nil, err
		}
		if d.p != m.coef.Cols {
			return nil, &linalg.ShapeError{Want: m.coef.Cols, WantOf: "features", Got: d.p, GotOf: "columns"}
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
		if err := o.checkVectors(d.n, r.functions(), len(o.Start)); err != nil {
			return nil, err
		}
		if d.intercept == 1 {
			d.about(origin)
		}
		return m.evidence(d, r, reference)
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
func (m *Model) evidence(d *design, r *response, reference int) (*evidence, error) {
	size, err := d.sizes()
	if err != nil {
		return nil, err
	}
	e := &evidence{d: d, r: r, functions: max(1, r.k()-1), reference: reference, constant: r.constant}
	if r.k() == 2 {
		b := newBinary(d, r.signs(), nil)
		e.objective = b
		if m.method == firth {
			e.objective = &penalised{binary: b}
			for _, u := range d.unit {
				e.constant += math.Log(u) // of the determinant on the data's scale
			}
		}
	} else {
		e.objective = newMultinomial(d, r.code, against(r.k(), reference), nil)
	}
	dim := d.dim()
	e.theta = make([]float64, e.functions*dim)
	at := 0
	for k := range m.coef.Rows {
		if r.k() > 2 && k == reference {
			continue
		}
		d.from(e.theta[at:at+dim], m, k)
		if r.k() > 2 {
			zero := make([]float64, dim)
			d.from(zero, m, reference)
			linalg.Axpy(e.theta[at:at+dim], -1, zero)
		}
		at += dim
	}
	e.scale = d.control(size, &Options{}, e.functions).Scale
	for i, t := range r.target {
		if w := d.weight(i); w > 0 && t > 0 && t < 1 {
			e.saturated -= w * (t*math.Log(t) + (1-t)*math.Log1p(-t))
		}
	}
	return e, e.linearise()
}

// from sets theta to function k of a model with the design's origin, or another.
func (d *design) from(theta []float64, m *Model, k int) {
	b := m.coef.Row(k)
	for j, u := range d.unit {
		theta[j+d.intercept] = b[j] * u
	}
	if d.intercept == 1 {
		theta[0] = m.intercept[k]
		for j, c := range m.Origin() {
			theta[0] += b[j] * (d.origin[j] - c)
		}
	}
}

// linearise factors the information at theta and checks that the gradient is
// small there.
func (e *evidence) linearise() error {
	p := len(e.theta)
	h, g := linalg.Zeros(p, p), make([]float64, p)
	e.value = e.objective.Hess(h, g, e.theta)
	for i, v := range g {
		if c := math.Abs(v) / e.scale[i]; !(c <= 1e-6) {
			return fmt.Errorf("%w: the model does not maximise the likelihood of these data: certificate %.3g", ErrNoInference, c)
		}
	}
	if f, ok := e.objective.(*penalised); ok {
		h = f.information(e.theta)
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
		for j := -inf.data.d.intercept; j < inf.data.d.p; j++ {
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
		for j := -e.d.intercept; j < e.d.p; j++ {
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
	p, dim := len(e.theta), e.d.dim()
	v := linalg.Zeros(p, p)
	for i := range p {
		v.Set(i, i, 1)
		e.factor.Solve(v.Row(i))
	}
	public := make([]float64, dim)
	for range 2 { // once by rows, once by columns
		for i := range p {
			row := v.Row(i)
			for at := 0; at < p; at += dim {
				e.d.public(public, row[at:at+dim])
				copy(row[at:at+dim], public)
			}
		}
		t := linalg.Zeros(p, p)
		for i := range p {
			v.Col(t.Row(i), i)
		}
		v = t
	}
	return v
}

// refit returns the settings for a fit of a nested model.
func (e *evidence) refit() *optimize.Control {
	return &optimize.Control{Tol: defaultTolExact, Scale: e.scale}
}

// own returns the objective with scratch of its own, so that any number of
// goroutines may use an inference.
func (e *evidence) own() optimize.Hessian {
	switch f := e.objective.(type) {
	case *penalised:
		// Its SubHess is that of the likelihood alone.
		return struct{ optimize.Hessian }{&penalised{binary: newBinary(f.design, f.sign, nil)}}
	case *multinomial:
		return newMultinomial(f.design, f.code, f.contrast, nil)
	case *binary:
		return newBinary(f.design, f.sign, nil)
	}
	panic("logistic: an inference without a likelihood")
}

// intercepts returns the coordinates of the intercepts.
func (e *evidence) intercepts() []int {
	var at []int
	if e.d.intercept == 1 {
		for k := range e.functions {
			at = append(at, k*e.d.dim())
		}
	}
	return at
}

// null returns the parameters near which the intercepts alone have their least
// objective: the classes' log-odds, less the mean offsets.
func (e *evidence) null() []float64 {
	theta, k := make([]float64, len(e.theta)), e.r.functions()
	level := func(c int) float64 { return math.Log(e.r.count[c]) - e.d.meanOffset(c, k) }
	for a, at := range e.intercepts() {
		if k == 1 {
			theta[at] = math.Log(e.r.count[1]/e.r.count[0]) - e.d.meanOffset(0, 1)
			continue
		}
		for c, q := range e.objective.(*multinomial).contrast.Col(nil, a) {
			theta[at] += q * level(c)
		}
		theta[at] -= level(e.reference)
	}
	return theta
}

// rows returns the number of observations.
func (e *evidence) rows() float64 {
	if e.r.grouped {
		return e.r.rows
	}
	return e.d.total
}

func (inf *Inference) criteria() error {
	e := inf.data
	inf.LogLikelihood = e.constant - e.value
	// Firth's determinant on the data's scale, not in units.
	perfect := e.saturated + e.constant - e.r.constant
	inf.Deviance = 2 * (e.value - perfect)
	_, null, err := optimize.Restrict(e.own(), e.null(), e.intercepts()).Minimize(e.refit())
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
			s += e.d.weight(i) * r * r
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
		s += e.d.weight(i) * rest / p[y]
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

// each calls visit with the probabilities of each row of positive weight, in
// order.
func (e *evidence) each(visit func(i int, p []float64)) {
	k, dim := e.r.k(), e.d.dim()
	scores := make([][]float64, e.functions)
	for a := range scores {
		scores[a] = make([]float64, e.d.n)
		e.d.margins(e.theta[a*dim:(a+1)*dim], func(i int, f float64) { scores[a][i] = f })
	}
	p := make([]float64, k)
	for i := range e.d.n {
		if !(e.d.weight(i) > 0) {
			continue
		}
		if k == 2 {
			f := scores[0][i]
			if e.d.offset != nil {
				f += e.d.offset[i]
			}
			p[0], p[1] = linalg.Sigmoid(-f), linalg.Sigmoid(f)
		} else {
			q := e.objective.(*multinomial).contrast
			clear(p)
			for c := range p {
				for a, v := range q.Row(c) {
					p[c] += v * scores[a][i]
				}
			}
			if e.d.offset != nil {
				linalg.Axpy(p, 1, e.d.offset[i*k:(i+1)*k])
			}
			linalg.Softmax(p)
		}
		visit(i, p)
	}
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
