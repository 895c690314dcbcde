package glm

import (
	"cmp"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// defaultTol is the tolerance of a fit whose caller has none; a likelihood's is in
// addition such that the Newton step from the fit is at most restless standard errors long, unless weights
// make these so small that it would be below finest, which rounding lets thousands of rows of a hundred features reach.
const defaultTol, restless, finest = 1e-14, 1e-6, 1e-21

// sparedTol is the tolerance, where the caller has none, of a fit whose plan makes no Hessian:
// no last step of Newton's method squares the excess there, and each digit costs passes.
const sparedTol = 1e-12

// spared is the root of the tolerance of such a fit for that of the derivatives of its stages.
const spared = 3000

// Problem is one fit of an objective. The zero value is the default.
type Problem struct {
	Start []float64 // parameters, in the units of the design; nil is 0
	Given bool      // the start is the caller's: the plan does not look for a better one
	// Tol is that of the gap; 0 is 1e-14, less for large likelihoods, 1e-12 for a ridge without Hessians. A loss without
	// a gap ends by derivatives of √Tol/1000, with a ridge √Tol/10 or, where no Hessian is made, √Tol/3000.
	Tol     float64
	MaxIter int            // over all stages; 0 is the cap of each, and of the work
	Work    *optimize.Work // of the fit that this is a part of; nil is its own
	Trace   func(optimize.Step) error

	// Exists explains why there is no minimum, at a point where the solver ended: its
	// error ends the fit. It is asked where features have no ridge. moving says that the
	// bound does not prove that there is a minimum, independent that the columns are so
	// beyond doubt. Nil asks nothing.
	Exists func(theta []float64, moving, independent bool) error

	// Apart explains at little cost why there is no minimum, where a point of the solver or the
	// steps that have led there show it. Its error ends the fit. It is asked where features have
	// no ridge. Nil asks nothing.
	Apart func(theta, steps []float64) error
}

// Minimize carries out the plan and returns the minimum, parameters in the units of the
// design, which [design.Design.ToPublic] makes plain intercepts and coefficients on the
// data's scale (those of several functions after [Objective.FunctionsOf]); Step.X of the
// trace holds the K scores' in that form. The plan's stages end by the largest derivative
// in the sizes of the columns, and go on to smaller ones until the bound that is the
// certificate holds: in an orthonormal basis of the columns where rounding in their own
// leaves a doubt.
//
// Errors: those of the first pass and of Exists, with a nil point; else one that wraps
// [optimize.ErrNotConverged].
func (o *Objective) Minimize(p Problem) ([]float64, optimize.Report, error) {
	theta := linalg.Clone(p.Start)
	p.Start = nil
	if theta == nil {
		theta = make([]float64, o.Parameters())
	}
	e := &ending{o: o, p: p}
	tol := e.solverTol()
	if o.Work = p.Work; o.Work == nil {
		o.Work = optimize.WorkOn(o.N, o.P, p.MaxIter)
	}
	c := &optimize.Control{Tol: tol, MaxIter: p.MaxIter, Trace: o.Public(p.Trace), Work: o.Work}
	stages, err := e.stages(theta, c)
	if err != nil {
		return nil, optimize.Report{}, err
	}
	return optimize.Run(theta, c, e.certify, stages...)
}

// stages returns those of the plan from theta, which it moves to a better start, and then those that
// go on where the certificate does not hold. It sets the scale of the control.
func (e *ending) stages(theta []float64, c *optimize.Control) ([]optimize.Stage, error) {
	if l := e.o.inLevel(); l.level != nil {
		return []optimize.Stage{l.stage(e.o, e.p)}, nil
	}
	stages, err := e.o.plan().build(e.o, theta, e.p.Given, c.Tol)
	if err != nil { // a model of some rows is made before the pass that sees a value that is no number
		_, outside := e.o.Sizes()
		return nil, cmp.Or(outside, err)
	}
	if c.Scale, err = e.o.Scale(); err != nil {
		return nil, err
	}
	sure := e.tighten(stages[len(stages)-1].Solve, c.Tol, littleTighter)
	if e.o.spares() && len(stages) > 1 { // once more by the method before the sure one, which costs many passes
		sure = append([]optimize.Stage{e.again(&stages[len(stages)-2], c.Tol)}, sure...)
	}
	for i := range stages {
		if e.o.Free() != nil {
			e.watch(&stages[i], i == len(stages)-1 && !e.o.Wide())
		}
	}
	stages = append(stages, sure...)
	if e.o.Free() != nil {
		stages = append(stages, e.examine())
		if e.o.Parameters() <= provable { // beyond that a bound has no Hessian either
			stages = append(stages, e.tighten((&foretold{o: e.o}).newton, c.Tol, muchTighter)...)
		}
	}
	if e.o.Ridge == nil {
		for share := 1.0; share > muchTighter*muchTighter*muchTighter; share *= muchTighter {
			stages = append(stages, e.sharpen(c.Tol*share))
		}
	}
	return stages, nil
}

// watch has a stage ask after half the usual steps, all of them, twice as many and so on whether the
// way since the last of these shows that there is no minimum; one that is sure asks for certain
// after the usual steps.
func (e *ending) watch(s *optimize.Stage, sure bool) {
	solve, until, next := s.Solve, s.Until, usualSteps/2
	s.Until = func(step optimize.Step) optimize.Verdict {
		if step.Iteration == next {
			next *= 2
			e.none = e.apart(step.X)
			if sure && e.none == nil && step.Iteration == usualSteps && e.p.Exists != nil {
				e.none = e.p.Exists(step.X, true, false)
			}
		}
		if e.none != nil {
			return optimize.Enough
		}
		return asked(until, step)
	}
	s.Solve = func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		x, r, err := solve(x, c)
		if e.none != nil {
			err = e.none
		}
		return x, r, err
	}
}

// apart asks whether x or the steps to it from where it last asked show that there is no minimum.
func (e *ending) apart(x []float64) error {
	steps := e.from
	if e.from = linalg.Clone(x); steps == nil || e.p.Apart == nil {
		return nil
	}
	linalg.Scale(steps, -1)
	linalg.Axpy(steps, 1, x)
	return e.p.Apart(x, steps)
}

// stage is the whole fit of o in these coordinates.
func (l *leveled) stage(o *Objective, p Problem) optimize.Stage {
	return optimize.Stage{Name: "the same about the means", Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		p.Start, p.MaxIter, p.Work = l.from(x), c.MaxIter, c.Work
		p.Trace = traced(c.Trace, func(x []float64) []float64 {
			l.level.To(x)
			return o.ThetaOf(x)
		})
		phi, report, err := l.o.Minimize(p)
		l.level.To(phi)
		return phi, report, err
	}}
}

// ending is the end of a fit: does a minimum exist, and is this it.
type ending struct {
	o     *Objective
	p     Problem
	bound Bound     // of the point last certified
	basis *basis    // of the columns; nil before it is needed
	asked bool      // whether a minimum exists
	from  []float64 // the point at which that was last asked; nil before
	none  error     // why there is none
}

// solverTol returns the largest derivative, in the sizes of the columns, that a stage
// leaves: the excess of the objective is a square of it. Of a likelihood, from which
// standard errors are taken, one more step of Newton's method gives the last digits.
func (e *ending) solverTol() float64 {
	tol := math.Sqrt(cmp.Or(e.p.Tol, e.usualTol())) / 10
	switch {
	case e.o.Ridge == nil:
		tol /= 100
	case e.o.spares():
		tol *= 10. / spared // the bound knows little of the Hessian
	}
	return tol
}

// tolerance returns that of the certificate of an objective of the given value.
func (e *ending) tolerance(value float64) float64 {
	if e.p.Tol == 0 && e.o.Ridge == nil && loss.IsCategorical(e.o.loss) {
		return min(defaultTol, max(finest, restless*restless/2/value))
	}
	return cmp.Or(e.p.Tol, e.usualTol())
}

// usualTol returns the tolerance of a fit whose caller has none and that is no likelihood.
func (e *ending) usualTol() float64 {
	if e.o.spares() {
		return sparedTol
	}
	return defaultTol
}

// certify returns the objective and the certificate of the coefficients at theta.
func (e *ending) certify(theta []float64) (float64, optimize.Certificate, error) {
	if l := e.o.inLevel(); l.level != nil {
		return l.o.Judge(l.from(theta), e.p.Tol)
	}
	if e.basis != nil {
		return e.certifyIn(e.basis, theta)
	}
	if e.o.evaluate(theta); !e.o.Proves() || e.o.failed != nil {
		return e.o.certifyByGradient(theta, e.solverTol())
	}
	value, tol := e.o.memo.value, e.tolerance(e.o.memo.value)
	var err error
	e.bound, err = e.o.Bound(theta, tol*value)
	if err == nil {
		value, err = e.sharpened(theta, value)
	}
	return value, e.bound.certificate(value, tol), err
}

// mostRounded is how many times the aim a bound by few rows may be for rounding alone, which it measures by the
// ridge: a Hessian knows columns of large values better, and those that a small ridge alone tells apart. (Of 50,000 rows
// with altitudes in meters, 7 classes and a ridge of 1, it is 8 times the aim, and grows as the ridge falls: beside the
// indicators of all levels, at a ridge of 1e-5, it is a million times.)
const mostRounded = 1e9

// Bound returns a bound on F(θ) − min F that is at most aim if one is within reach. It
// takes the last Hessian that a pass has made near θ, in O(p³) and without a pass, and in
// doubt that at θ, with a pass over the rows for the exact t and, if need be, leverages.
// Errors: those of the storage.
func (o *Objective) Bound(theta []float64, aim float64) (Bound, error) {
	if o.evaluate(theta); o.failed != nil {
		return Bound{}, o.failed
	}
	if !o.Proves() {
		return unproven(), nil
	}
	b := o.quickBound(theta)
	if b.Exists && b.Gap <= aim {
		return b, nil
	}
	surely := o.exactBound
	switch {
	case o.rows != nil:
		surely = o.rows.bound
	case o.spares():
		surely = o.boundByFewRows
	case o.Parameters() > factorable && (o.Ridge != nil || o.Parameters() > provable):
		return b, nil
	case o.Wide():
		surely = o.partBound
	}
	exact, err := surely(theta, aim)
	if near := exact.Gap / aim; err == nil && near > 1 && (near < mostRounded || o.Free() != nil) && !o.memo.above && o.spares() && o.Parameters() <= factorable {
		few := exact
		if exact, err = o.partBound(theta, aim); few.Gap < exact.Gap {
			exact = few
		}
	}
	if err == nil && !(b.Exists && b.Gap < exact.Gap) {
		b = exact
	}
	return b, err
}

// sharpened returns the objective at theta from scores in twice the precision, or as it is
// where rounding the functions moves it by no more than a small share: by the sizes of
// the columns, or, in doubt, by those of the terms of its derivatives, which the lengths of few
// rows bound and a pass tells.
func (e *ending) sharpened(theta []float64, value float64) (float64, error) {
	functions := e.o.FunctionsOf(theta)
	if e.o.RoundingNegligible(functions, e.o.sizes, blurred*value) {
		return value, nil
	}
	if m := e.o.rows; m != nil && slices.Equal(m.judged, theta) && unit*m.terms <= blurred*value {
		return value, nil
	}
	r, err := e.o.reaches(theta, nil, nil, 0)
	if err != nil {
		return value, err
	}
	terms := 0.0
	for c, f := range functions {
		makeAbsolute(f)
		terms += linalg.Dot(f, r.sizes[c*len(f):(c+1)*len(f)])
	}
	if unit*terms <= blurred*value {
		return value, nil
	}
	exact := e.o.InTwicePrecision()
	return exact.Value(theta), exact.failed
}

// Judge returns the objective at theta, whoever found it, and its certificate, as that of
// a fit of the given tolerance (0: the default): a gap relative to the objective, which is 1
// where the point proves nothing.
//
// Errors: those of passes over the rows.
func (o *Objective) Judge(theta []float64, tol float64) (float64, optimize.Certificate, error) {
	return (&ending{o: o, p: Problem{Tol: tol}}).certify(theta)
}

// blurred is the rounding of scores relative to the objective from which on that is summed
// from scores in twice the precision.
const blurred = 0x1p-44

// certifyIn is certify by the scores of the published coefficients in twice the precision
// and the derivatives in a basis.
func (e *ending) certifyIn(b *basis, theta []float64) (float64, optimize.Certificate, error) {
	f, err := b.at(e.o, theta)
	if err != nil {
		return 0, optimize.Certificate{}, err
	}
	zero := make([]float64, len(theta))
	value := f.Value(zero)
	tol := e.tolerance(value)
	e.bound, err = f.Bound(zero, tol*value)
	return value, e.bound.certificate(value, tol), err
}

// certificate returns the bound relative to the objective.
func (b Bound) certificate(value, tol float64) optimize.Certificate {
	return optimize.GapOf(b.Gap, value, tol)
}

// ClassFunctions returns the functions of all classes: of one score that of the other
// class is 0.
func (o *Objective) ClassFunctions(theta []float64) [][]float64 {
	f := o.FunctionsOf(theta)
	if o.k == 1 {
		f = append([][]float64{make([]float64, o.Dim())}, f...)
	}
	return f
}

// examine asks whether a minimum exists. Where the bound does not prove it, rounding may be
// what hides it, and the bound is taken in a basis of the columns.
func (e *ending) examine() optimize.Stage {
	return optimize.Stage{Name: "existence",
		When: func(_ []float64, r optimize.Report, _ optimize.Verdict) bool { return r.Status() != optimize.Stopped },
		Solve: func(x []float64, _ *optimize.Control) ([]float64, optimize.Report, error) {
			var err error
			e.asked = true
			if !e.bound.Exists {
				err = e.apart(x)
			}
			if err == nil && e.o.Ridge == nil && e.o.Proves() && !e.bound.Exists && !e.o.Wide() {
				err = e.turn(x)
			}
			if err == nil && e.p.Exists != nil {
				err = e.p.Exists(x, !e.bound.Exists || e.tooSmall(x), e.bound.Independent && e.basis == nil)
			}
			return x, optimize.Report{}, err
		}}
}

// tooSmall reports whether the objective is one that no overlapping classes have: of them
// some row has at most an even chance. Residuals may then be too small for a float64, and
// show no derivative.
func (e *ending) tooSmall(theta []float64) bool {
	return loss.IsCategorical(e.o.loss) && e.o.Value(theta) < math.Ln2*e.o.leastWeight()
}

// turn makes the basis, if the columns have one, and certifies x in it. Where columns are
// independent beyond doubt, and the basis proves no more, it is left again.
func (e *ending) turn(x []float64) error {
	before := e.bound
	var err error
	if e.basis, err = e.o.newBasis(x); err != nil || e.basis == nil {
		return err
	}
	if _, _, err = e.certify(x); !e.bound.Exists && before.Independent {
		e.basis, e.bound = nil, before
	}
	return err
}

// Where the bound is above the tolerance at the end of a stage, its solver goes on to
// smaller derivatives so many times, in so many iterations at most: by a little each where
// an iteration gains a little, and by more where Newton's method squares.
const tightenings, mostTightening, littleTighter, muchTighter = 4, 100, 1. / 30, 1e-3

// tighten goes on by a solver from the end of a stage whose certificate does not hold,
// unless whether there is a minimum is still to be asked.
//
//go:noinline // programs would have it twice
func (e *ending) tighten(solve solver, tol, share float64) []optimize.Stage {
	var stages []optimize.Stage
	for i := range tightenings {
		tol *= share
		t := &tightened{e: e, method: solve, tol: tol, share: 1}
		if i == tightenings-1 {
			t.share = share
		}
		stages = append(stages, t.stage())
	}
	return stages
}

// solver is the method of a stage.
type solver = func([]float64, *optimize.Control) ([]float64, optimize.Report, error)

// tightened is a solver that goes on to derivatives of tol, and to a share of those that it
// starts from where these are smaller.
type tightened struct {
	e          *ending
	method     solver
	tol, share float64
	slow       bool // the solver was left
}

func (t *tightened) stage() optimize.Stage {
	return optimize.Stage{Name: "the same, to smaller derivatives", When: t.wanted, Solve: t.solve}
}

func (t *tightened) wanted(x []float64, r optimize.Report, _ optimize.Verdict) bool {
	e, ended := t.e, r.Status() == optimize.LineSearch || r.Status() == optimize.MaxIterations
	if !ended || t.slow || e.basis != nil || !e.bound.Exists && !e.asked && e.o.Free() != nil {
		return false
	}
	reached := e.o.Certificate(x)
	switch {
	case t.share < 1:
		t.tol = min(t.tol, t.share*reached)
	case loss.IsCategorical(e.o.loss): // of separated classes derivatives are as small as the objective
		t.tol *= min(1, e.o.memo.value/e.o.Total)
	}
	return reached > t.tol
}

func (t *tightened) solve(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	own := *c
	own.Tol = t.tol
	if own.MaxIter == 0 || own.MaxIter > mostTightening {
		own.MaxIter = mostTightening
	}
	return t.method(x, &own)
}

// again goes on once by the solver of a stage, unless that was left as too slow.
func (e *ending) again(s *optimize.Stage, tol float64) optimize.Stage {
	t := &tightened{e: e, method: s.Solve, tol: tol * littleTighter, share: littleTighter}
	if until := s.Until; until != nil {
		s.Until = func(step optimize.Step) optimize.Verdict {
			v := until(step)
			t.slow = v == optimize.TooSlow
			return v
		}
	}
	return t.stage()
}

// sharpen goes on in a basis of the columns where the bound does not hold.
func (e *ending) sharpen(tol float64) optimize.Stage {
	return optimize.Stage{Name: "Newton in an orthonormal basis of the columns",
		When: func(x []float64, r optimize.Report, _ optimize.Verdict) bool {
			ended := r.Status() == optimize.LineSearch || r.Status() == optimize.MaxIterations
			return ended && !e.o.Wide() && e.o.Proves()
		},
		Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
			if e.basis == nil {
				var err error
				if e.basis, err = e.o.newBasis(x); err != nil || e.basis == nil {
					return x, optimize.Report{}, err
				}
			}
			own := *c
			own.Tol = tol
			return e.basis.minimize(e.o, x, &own)
		}}
}
