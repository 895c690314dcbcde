package logistic

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/tail"
	"halfspace/optimize"
	"halfspace/optimize/glm"
)

// Test is a χ² test of nested models.
type Test struct {
	Statistic float64
	DF        int
	P         float64 // probability of a larger statistic if the smaller model holds
}

func newTest(statistic float64, df int) Test {
	statistic = math.Max(statistic, 0)
	return Test{statistic, df, tail.ChiSquare(statistic, df)}
}

// LikelihoodRatio tests a model against a larger one that contains it, fitted to
// the same rows: twice the difference of the log-likelihoods is χ² with the
// difference of the numbers of parameters.
//
// Errors: *[linalg.ShapeError] if the rows or the parameters do not nest,
// *[ResponseError] if the rows respond differently; one that wraps
// [ErrNoInference] for Firth's correction, whose penalty differs between the two
// ([Inference.Drop] keeps that of the larger).
func LikelihoodRatio(smaller, larger *Inference) (Test, error) {
	a, b := smaller.data, larger.data
	if a.N != b.N {
		return Test{}, wrap(&linalg.ShapeError{Want: b.N, WantOf: "rows in the larger model", Got: a.N, GotOf: "in the smaller"})
	}
	for _, e := range []*evidence{a, b} {
		if e.firth {
			return Test{}, fmt.Errorf("logistic: %w: the penalties of two fits with Firth's correction differ; Drop keeps one", ErrNoInference)
		}
	}
	if i := a.differs(b); i >= 0 {
		return Test{}, wrap(&ResponseError{i})
	}
	df := len(b.theta) - len(a.theta)
	if df <= 0 {
		return Test{}, wrap(&linalg.ShapeError{Want: len(a.theta) + 1, WantOf: "parameters or more in the larger model", Got: len(b.theta), GotOf: "there"})
	}
	return newTest(2*(a.value-b.value), df), nil
}

// ResponseError reports two models that were not fitted to the same responses and
// weights.
type ResponseError struct{ Row int }

func (e *ResponseError) Error() string {
	return fmt.Sprintf("row %d has another response or weight in the other model", e.Row)
}

// differs returns the first row of positive weight whose response or weight is
// another in b, −1 if there is none.
func (e *evidence) differs(b *evidence) int {
	for i := range e.N {
		w := e.Weight(i)
		if w != b.Weight(i) || e.r.k() != b.r.k() {
			return i
		}
		if w > 0 && (e.r.code[i] != b.r.code[i] || e.r.k() == 2 && e.r.target[i] != b.r.target[i]) {
			return i
		}
	}
	return -1
}

// Drop tests each group of features by the likelihood ratio of the model without
// it, refitted; nil groups are the features one by one. With Firth's correction
// the coefficients are fixed at 0 and the penalty stays that of the full model.
//
// An error is that of the refit that did not converge.
func (inf *Inference) Drop(groups [][]int) ([]Test, error) {
	e := inf.data
	if groups == nil {
		for j := range e.P {
			groups = append(groups, []int{j})
		}
	}
	tests := make([]Test, len(groups))
	for i, group := range groups {
		out := make([]bool, e.P)
		for _, j := range group {
			if j < 0 || j >= e.P {
				return nil, wrap(&linalg.ShapeError{Want: e.P, WantOf: "columns", Got: j, GotOf: "is the column to drop"})
			}
			out[j] = true
		}
		at := append([]float64(nil), e.theta...)
		var free []int
		df := 0
		for c := range at {
			j := c%e.Dim() - e.Intercept
			if j >= 0 && out[j] {
				at[c] = 0
				df++
			} else {
				free = append(free, c)
			}
		}
		_, report, err := optimize.Restrict(e.objective(), at, free).Minimize(e.refit())
		if err != nil {
			return nil, fmt.Errorf("logistic: without columns %v: %w", group, err)
		}
		tests[i] = newTest(2*(report.Objective()-e.value), df)
	}
	return tests, nil
}

// Score is Rao's test for adding all columns of z to the model, which is not
// refitted: gᵀI⁻¹g with the gradient and the information of the larger model at
// the smaller one's estimate. O(n(p+q)²), and a copy of (x, z).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], and
// *[linalg.RankError] where a column of z depends on the others.
func (inf *Inference) Score(z *linalg.Dense) (Test, error) {
	t, err := inf.score(z)
	if err != nil {
		return Test{}, wrap(err)
	}
	return t, nil
}

func (inf *Inference) score(z *linalg.Dense) (Test, error) {
	e := inf.data
	if err := z.Check(); err != nil {
		return Test{}, err
	}
	if z.Rows != e.N {
		return Test{}, &linalg.ShapeError{Want: e.N, WantOf: "rows", Got: z.Rows, GotOf: "rows to add"}
	}
	if e.firth {
		return Test{}, fmt.Errorf("%w: Rao's test is that of the likelihood without Firth's correction", ErrNoInference)
	}
	x, err := e.Columns(nil)
	if err != nil {
		return Test{}, err
	}
	p, q := e.P, z.Cols
	joint := linalg.Zeros(e.N, p+q)
	for i := range joint.Rows {
		copy(joint.Row(i), x.Row(i))
		copy(joint.Row(i)[p:], z.Row(i))
	}
	if err := z.CheckFinite(); err != nil {
		return Test{}, err
	}
	d, err := design.New(joint, e.N, "rows", design.Settings{Weights: e.Weights, Offset: e.Offset, NoIntercept: e.Intercept == 0, Workers: e.Workers})
	if err != nil {
		return Test{}, err
	}
	d = d.At(append(slices.Clone(e.Origin), make([]float64, q)...), append(slices.Clone(e.Unit), d.Unit[p:]...))
	theta := make([]float64, e.functions*d.Dim())
	for k := range e.functions {
		copy(theta[k*d.Dim():], e.theta[k*e.Dim():(k+1)*e.Dim()])
	}
	h, g := linalg.Zeros(len(theta), len(theta)), make([]float64, len(theta))
	e.likelihood.On(d).Hess(h, g, theta)
	factor, err := linalg.NewCholesky(h)
	if err != nil || !glm.Independent(h, factor) {
		if err := d.CheckRank(nil); err != nil {
			return Test{}, err
		}
	}
	if err != nil {
		return Test{}, err
	}
	step := append([]float64(nil), g...)
	factor.Solve(step)
	return newTest(linalg.Dot(g, step), q*e.functions), nil
}

// Profile returns the interval of the values of one term that the likelihood
// ratio test does not reject at the given level of confidence (0.95): those for
// which twice the loss of log-likelihood, with the other parameters refitted, is
// at most the quantile of χ² with one degree of freedom. term is an index into
// Terms. An end may be infinite.
//
// Errors: *[linalg.ShapeError] for a term or a level that is none, and that of a
// refit that did not converge.
func (inf *Inference) Profile(term int, level float64) (lo, hi float64, err error) {
	if term < 0 || term >= len(inf.Terms) {
		return 0, 0, wrap(&linalg.ShapeError{Want: len(inf.Terms), WantOf: "terms", Got: term, GotOf: "is the term asked for"})
	}
	if !(level > 0 && level < 1) {
		return 0, 0, fmt.Errorf("logistic: level %v is not between 0 and 1", level)
	}
	e := inf.data
	if inf.Terms[term].Column < 0 && linalg.NormInf(e.Origin) > 0 {
		// The plain intercept is a coordinate only where the origin is 0.
		if e, err = e.about(make([]float64, e.P)); err != nil {
			return 0, 0, fmt.Errorf("logistic: profile of the intercept at 0, which is far from the rows: %w", err)
		}
	}
	unit := 1.0
	if j := inf.Terms[term].Column; j >= 0 {
		unit = e.Unit[j]
	}
	p := profile{evidence: e, term: term, goal: tail.NormalQuantile((1 - level) / 2), se: inf.SE[term] * unit}
	if lo, err = p.end(-1); err == nil {
		hi, err = p.end(1)
	}
	if err != nil {
		err = fmt.Errorf("logistic: profile of %s: %w", inf.name(inf.Terms[term], nil, nil), err)
	}
	return lo / unit, hi / unit, err
}

// profile is the search for the ends of one interval, in units.
type profile struct {
	*evidence
	term     int
	goal, se float64
}

// end returns the end of the interval in one direction: the root of the excess,
// which is near linear in the parameter, between the estimate and a point beyond.
func (p *profile) end(sign float64) (float64, error) {
	excess := p.excess()
	in := optimize.Sample{X: p.theta[p.term], F: -p.goal}
	for step, tries := sign*p.goal*p.se, 0; tries <= 40; tries++ {
		out := optimize.Sample{X: in.X + step}
		var err error
		if out.F, err = excess(out.X); err != nil {
			return 0, err
		}
		if out.F >= 0 {
			return optimize.Root(excess, in, out, 1e-11*p.se, 1e-10)
		}
		in, step = out, 1.5*step
	}
	return math.Inf(int(sign)), nil
}

// excess returns the function whose root is an end: the root of twice the loss of
// log-likelihood where the term has a value, less that allowed.
func (p *profile) excess() func(b float64) (float64, error) {
	var free []int
	for c := range p.theta {
		if c != p.term {
			free = append(free, c)
		}
	}
	r, at := optimize.Restrict(p.objective(), p.theta, free), make([]float64, len(p.theta))
	// The other coordinates start where the quadratic approximation has them.
	line := make([]float64, len(p.theta))
	line[p.term] = 1
	p.factor.Solve(line)
	return func(b float64) (float64, error) {
		copy(at, p.theta)
		linalg.Axpy(at, (b-p.theta[p.term])/line[p.term], line)
		at[p.term] = b
		r.Hold(at)
		_, report, err := r.Minimize(p.refit())
		return math.Sqrt(math.Max(0, 2*(report.Objective()-p.value))) - p.goal, err
	}
}
