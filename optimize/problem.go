package optimize

import (
	"context"
	"fmt"
	"math"

	"halfspace/linalg"
)

// Function is an objective to minimise.
type Function interface {
	Value(x []float64) float64
}

// Gradient is a differentiable objective. Grad sets g to ∇f(x) and returns
// f(x): one pass over the data makes both.
type Gradient interface {
	Function
	Grad(g, x []float64) float64
}

// Preconditioned is a differentiable objective with a model M of its Hessian,
// symmetric and positive definite. Precondition overwrites d with M⁻¹d. One with a method
// UpToScale() bool that reports true knows M but for a factor, which [LBFGS] learns.
type Preconditioned interface {
	Gradient
	Precondition(d []float64)
}

// Hessian is a twice differentiable objective. Hess sets g and the full
// symmetric h and returns f(x).
type Hessian interface {
	Gradient
	Hess(h *linalg.Dense, g, x []float64) float64
}

// HessianVec is a twice differentiable objective whose Hessian is only
// multiplied with. HessVec sets dst to ∇²f(x)·v. One with a method Settles(g []float64, value
// float64) bool knows gradients g at which it wants no further step, of whatever point near the
// last one, where its value was that; [NewtonCG] then solves for no smaller ones.
type HessianVec interface {
	Gradient
	HessVec(dst, x, v []float64)
}

// SubHessian is a twice differentiable convex objective whose Hessian is wanted
// for a few coordinates at a time. SubHess sets h to the elements of ∇²f(x) in the
// rows and columns named; nil cols are the rows, and h is then symmetric.
type SubHessian interface {
	Gradient
	SubHess(h *linalg.Dense, x []float64, rows, cols []int)
}

// Step describes the point after an iteration to the caller's trace.
type Step struct {
	Iteration   int       // 0 is the start
	X           []float64 // the current point, for reading during the call only
	Objective   float64
	Certificate float64
	Length      float64 // step length the line search took; 0 at the start
}

// Verdict is the answer of a rule that looks at a run after each iteration.
type Verdict uint8

const (
	Continue Verdict = iota
	Enough           // the stage has done its work
	TooSlow          // another method gets there sooner
)

// Control holds the settings that all solvers share. The zero value and nil are the
// defaults. Solvers do not write to it.
type Control struct {
	Tol     float64 // tolerance of the certificate; 0 is the solver's documented default
	MaxIter int     // iteration cap; 0 is the solver's documented default
	Scale   Scale   // the sizes that derivatives are measured in
	Trace   func(Step) error
	// Until, where it is not nil, is asked after Trace; unless it answers Continue the
	// solver ends with status max_iterations.
	Until func(Step) Verdict
	// Work, where it is not nil, is what the run may spend; it ends as at its cap once that is
	// spent.
	Work *Work
}

// Work counts the multiplications of a fit, by all who do them, and holds how many it may make. One fit
// has one: a fit within shares it, and neither the fits of a path nor those of folds do, so that what is
// reached depends on the data and the options alone. Nil counts nothing.
type Work struct{ Spent, Most float64 }

// Alone is how many multiplications within a product of matrices, in cache and side by side, take the
// time of one by a row of a matrix from memory; of rows that are read several at a time it is a third.
const Alone = 12

// WorkOn returns what a fit to n rows of p columns may spend: 24·10⁹ multiplications, up to two seconds of
// a processor, for up to 1,000 numbers, and more in proportion to the square of their number; nil, all
// that it takes, where the caller has set a cap of iterations.
//
//go:noinline // a program would have a copy for each caller
func WorkOn(n, p, maxIter int) *Work {
	if maxIter > 0 {
		return nil
	}
	size := max(1, float64(n)*float64(p)/1000)
	return &Work{Most: 24e9 * size * size}
}

// Spend counts a·b·c multiplications.
//
//go:noinline // for its callers are many
func (w *Work) Spend(a, b, c int) {
	if w != nil {
		w.Spent += float64(a) * float64(b) * float64(c)
	}
}

// Share returns how much of all is spent, up to 1.
func (w *Work) Share() float64 {
	if w == nil {
		return 0
	}
	return min(1, w.Spent/w.Most)
}

// Done reports whether all is spent.
func (w *Work) Done() bool { return w != nil && w.Spent > w.Most }

// Scale is, for each coordinate, the size that its derivative is measured in; nil is 1. A list
// that is shorter repeats: K functions of the same features have one of as many sizes.
type Scale []float64

// At returns the size for coordinate j.
func (s Scale) At(j int) float64 {
	if s == nil {
		return 1
	}
	return s[j%len(s)]
}

// check refuses settings and starts that no method can use.
func (c *Control) check(x0 []float64) error {
	if !(c.Tol >= 0) || math.IsInf(c.Tol, 1) {
		return fmt.Errorf("option Tol is %v, want a finite number ≥ 0", c.Tol)
	}
	if c.MaxIter < 0 {
		return fmt.Errorf("option MaxIter is %d, want ≥ 0", c.MaxIter)
	}
	if c.Scale != nil && (len(c.Scale) == 0 || len(x0)%len(c.Scale) != 0) {
		return &linalg.ShapeError{Want: len(x0), WantOf: "coordinates", Got: len(c.Scale), GotOf: "scales"}
	}
	for j, s := range c.Scale {
		if !(s > 0) || math.IsInf(s, 1) {
			return fmt.Errorf("option Scale[%d] is %v, want a finite number > 0", j, s)
		}
	}
	if len(x0) == 0 {
		return &linalg.ShapeError{Want: 1, WantOf: "coordinate needed", Got: 0, GotOf: "in the start"}
	}
	return linalg.CheckFinite("start", x0)
}

// Show calls the trace of a fit that has no iterations, unless it is nil, with its end: fit k
// of several, at x. The error of the trace comes back beside an ErrNotConverged, although
// the fit is made: the caller ends those that would follow.
func (r Report) Show(trace func(Step) error, k int, x []float64) error {
	if trace == nil {
		return nil
	}
	err := trace(Step{Iteration: k, X: x, Objective: r.objective, Certificate: r.certificate.Value})
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: stopped after fit %d: %w", ErrNotConverged, k, err)
}

// Until returns a Trace that stops a fit, a path or a cross-validation once ctx is
// done: with the deadline or the cancellation as its cause. The model so far comes
// back beside the error, which wraps [ErrNotConverged] and context.Cause(ctx).
func Until(ctx context.Context) func(Step) error {
	return func(Step) error { return context.Cause(ctx) }
}

// lender is a function that has its gradient at a point until it is evaluated at another.
type lender interface{ Lend(x []float64) []float64 }
