package glm

import (
	"slices"

	"halfspace/linalg/design"
	"halfspace/optimize"
)

// defaultTol is the tolerance of a fit whose caller has none.
const defaultTol = 1e-8

// Problem is one fit of an objective. The zero value is the default.
type Problem struct {
	Start   []float64 // parameters, in the units of the design; nil is 0
	Given   bool      // the start is the caller's: the plan does not look for a better one
	Tol     float64   // of the certificate; 0 is 1e-8
	MaxIter int       // over all stages; 0 is the cap of each
	Trace   func(optimize.Step) error

	// Exists explains why there is no minimum, at a point where the solver ended: its
	// error ends the fit. It is asked where features have no ridge. moving says that
	// Newton steps still move scores, independent that the columns are so beyond doubt.
	// Nil asks nothing.
	Exists func(theta []float64, moving, independent bool) error
}

// Minimize carries out the plan and returns the minimum, parameters in the units of the
// design, which [design.Design.ToPublic] makes plain intercepts and coefficients on the
// data's scale (those of several functions after [Objective.FunctionsOf]); Step.X of the
// trace holds the K scores' in that form. A fit without a
// ridge goes on until no row's score moves, and in twice the precision where rounding
// hides derivatives above the tolerance. A fit with one is not called converged where
// rounding its coefficients can move derivatives by more than the tolerance.
//
// Errors: those of the first pass and of Exists, with a nil point; else one that wraps
// [optimize.ErrNotConverged].
func (o *Objective) Minimize(p Problem) ([]float64, optimize.Report, error) {
	theta := slices.Clone(p.Start)
	if theta == nil {
		theta = make([]float64, o.Parameters())
	}
	if p.Tol == 0 {
		p.Tol = defaultTol
	}
	stages, err := o.plan(theta, p.Given, p.Tol)
	if err != nil {
		return nil, optimize.Report{}, err
	}
	scale, err := o.Scale()
	if err != nil {
		return nil, optimize.Report{}, err
	}
	e := &ending{Objective: o, judge: o, p: p}
	if o.Free() != nil {
		stages = append(stages, e.examine())
		stages = append(stages, e.polish()...)
	}
	if o.Ridge == nil {
		stages = append(stages, e.sharpen())
	}
	c := &optimize.Control{Tol: p.Tol, MaxIter: p.MaxIter, Scale: scale, Trace: o.Public(p.Trace)}
	return optimize.Run(theta, c, e.certify, stages...)
}

// ending is the end of a fit: does a minimum exist, and is this it.
type ending struct {
	*Objective
	judge  *Objective // the objective whose certificate counts
	p      Problem
	moving bool  // rows move at the end of the plan
	err    error // of a pass by which a stage asked whether it has its turn: it then has one
}

// certify returns the objective and the certificate of the coefficients at theta. Without
// a ridge it is taken in twice the precision, from then on, where rounding may hide a
// derivative above the tolerance; with one rounding may deny it.
func (e *ending) certify(theta []float64) (float64, optimize.Certificate, error) {
	value, c, err := e.judge.Certify(theta, e.p.Tol)
	switch {
	case err != nil || !c.Holds() || e.RoundingNegligible(e.FunctionsOf(theta), e.sizes, c.Tol):
		return value, c, err
	case e.Ridge != nil:
		moved, err := e.Rounding(e.ClassFunctions(theta))
		if moved > c.Tol {
			c.Value = max(c.Value, moved)
		}
		return value, c, err
	case e.judge != e.Objective || e.Wide():
		return value, c, nil
	}
	hidden, err := e.rounded(theta)
	if err != nil || !hidden {
		return value, c, err
	}
	e.judge = e.InTwicePrecision()
	return e.judge.Certify(theta, e.p.Tol)
}

// rounded reports whether rounding the parameters at theta moves the probabilities of a
// row by more than the tolerance, estimated on about 1,000 evenly spaced rows.
func (e *ending) rounded(theta []float64) (bool, error) {
	part, err := e.Thin(design.CoprimeTo30(e.N / 1000))
	if err != nil {
		return false, err
	}
	moved, err := part.Rounding(e.ClassFunctions(theta))
	return moved > e.p.Tol, err
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

// Wide reports whether several functions have so many parameters that a Hessian costs
// many passes, and Newton's method is no way to finish.
func (o *Objective) Wide() bool { return o.k > 1 && o.Parameters() > fewParameters }

// examine asks whether a minimum exists.
func (e *ending) examine() optimize.Stage {
	return optimize.Stage{Name: "existence",
		When: func(_ []float64, r optimize.Report, _ optimize.Verdict) bool { return r.Status() != optimize.Stopped },
		Solve: func(x []float64, _ *optimize.Control) ([]float64, optimize.Report, error) {
			moving, independent, err := e.Rest(x)
			if err == nil && e.p.Exists != nil {
				err = e.p.Exists(x, moving, independent)
			}
			e.moving = moving
			return x, optimize.Report{}, err
		}}
}

// Where rows still move the tolerance is lowered so many times, by so much each.
const polishings, polish = 6, 1e-3

// polish goes on from the end of a fit whose certificate holds although rows still
// move: where one value of x dwarfs the others, so does the size that its column's
// derivative is measured in.
func (e *ending) polish() []optimize.Stage {
	var stages []optimize.Stage
	tol := e.p.Tol
	for k := range polishings {
		tol *= polish
		tight := tol
		stages = append(stages, optimize.Stage{Name: "Newton until rows rest",
			When: func(x []float64, r optimize.Report, _ optimize.Verdict) bool {
				if r.Status() != optimize.Converged || !e.moving || e.Wide() {
					return false
				}
				if k > 0 {
					e.moving, _, e.err = e.Rest(x)
				}
				return e.moving || e.err != nil
			},
			Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
				if e.err != nil {
					return nil, optimize.Report{}, e.err
				}
				own := *c
				own.Tol = tight
				return e.newton(x, &own)
			}})
	}
	return stages
}

// sharpen goes on in twice the precision where rounding is what stopped a fit.
func (e *ending) sharpen() optimize.Stage {
	return optimize.Stage{Name: "Newton in twice the precision",
		When: func(x []float64, r optimize.Report, _ optimize.Verdict) bool {
			return r.Status() == optimize.LineSearch && !e.Wide() && !e.RoundingNegligible(e.FunctionsOf(x), e.sizes, e.p.Tol)
		},
		Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
			if e.judge == e.Objective {
				e.judge = e.InTwicePrecision()
			}
			return e.judge.newton(x, c)
		}}
}
