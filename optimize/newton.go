package optimize

import (
	"fmt"
	"math"

	"halfspace/linalg"
)

const (
	armijo   = 1e-4 // the share of the decrease foretold by the slope that a step must bring
	dampings = 60
	rounded  = 1e-10 // the share of the diagonal that is tried first: rounding alone calls for no more
)

// Newton minimises a twice differentiable function by x ← x − t·H⁻¹g.
//
// The full step t = 1 is tried by Hess at the new point, so that a step that is
// taken costs one pass; if the objective does not fall, a line search by Grad ends
// within a tenth of the slope: a kink of the objective, such as where a row of large
// values is no longer certain of its class, is met and not jumped over, and the
// Hessian there tells of it. After such a step Grad is called before Hess. Where H is
// not positive definite, or no t helps, a multiple τ of diag|H| is added to it (Levenberg and
// Marquardt's damping; Nocedal & Wright, Numerical Optimization, 2nd ed.,
// Algorithm 3.3, made independent of the coordinates' scales). Where the
// objective's differences are no larger than its rounding errors, a full step
// is taken if it lowers the certificate. When the last steps foretell that the
// next point is the solution, Grad is called there in place of Hess.
//
// The certificate is max |gⱼ|/Scaleⱼ. Defaults: Tol 1e-8, MaxIter 100. One Hess
// and O(p³) an iteration, O(p²) memory.
func Newton(f Hessian, x0 []float64, c *Control) ([]float64, Report, error) {
	run, err := Begin(f, x0, c, Defaults{Kind: KindGradient, Tol: 1e-8, MaxIter: 100})
	if err != nil {
		return nil, Report{}, err
	}
	p := len(x0)
	if err := linalg.CheckSquare(p); err != nil {
		return nil, Report{}, fmt.Errorf("optimize: %w", err)
	}
	n := &newton{
		Progress: run, f: f, h: linalg.Zeros(p, p),
		x: linalg.Clone(x0), g: make([]float64, p), d: make([]float64, p),
		next: make([]float64, p), gNext: make([]float64, p),
	}
	n.value = f.Hess(n.h, n.g, n.x)
	n.fresh = true
	n.cert = run.largest(n.g)
	for !run.Done(n.x, n.value, n.cert, n.length) {
		if !n.step() {
			break
		}
	}
	return run.Result(n.x)
}

// newton is the state of a run.
type newton struct {
	*Progress
	f           Hessian
	x, g, d     []float64
	next, gNext []float64
	h           *linalg.Dense
	fresh       bool             // h is the Hessian at x
	factor      *linalg.Cholesky // of the last Hessian, damped
	value       float64
	cert        float64
	length      float64
	before      float64 // the certificate one point earlier, 0 if the step from it was not a full one
}

// step moves to a better point and reports whether there is one.
func (n *newton) step() bool {
	if n.keep() {
		n.direction()
		if n.full(false) {
			return true
		}
	}
	tau := 0.0
	for range dampings {
		if !n.fresh {
			n.f.Hess(n.h, n.g, n.x)
			n.fresh = true
		}
		if tau = n.factorize(tau); math.IsInf(tau, 1) {
			n.tried = true // the Hessian is not finite
			break
		}
		n.direction()
		if n.full(!n.nearlyThere() && !n.cut()) || n.part() {
			return true
		}
		if n.negligible() || n.failed() != nil || n.work.Done() {
			break
		}
		tau = max(16*tau, tau*math.Sqrt(math.Sqrt(tau)), 1e-3) // the second where curvatures are e⁻³⁰⁰ and less
	}
	n.Stuck()
	return false
}

// keep reports whether the last factor promises the solution in one more step:
// the gradient alone was computed at x, and the step to it shrank the
// certificate so much that the same again suffices.
func (n *newton) keep() bool {
	return !n.fresh && n.before > 0 && 4*n.cert*(n.cert/n.before) <= n.tol
}

// nearlyThere reports whether quadratic convergence at the pace of the last step
// makes the next point the solution, or brings it so near that the factor at hand
// does the rest.
func (n *newton) nearlyThere() bool {
	ratio := n.cert / n.before
	next := ratio * ratio // the certificate's at the next step, and with the same factor at the one after
	return n.before > 0 && min(n.cert*next, 4*n.cert*next*next) <= n.tol
}

// cut reports whether the last step was less than a whole one: the next one may be too.
func (n *newton) cut() bool { return n.length > 0 && n.length < 1 }

// factorize factors H + τ·D, D = diag|H|, for the smallest τ of a growing
// sequence from the given one for which that is positive definite, and returns
// it; +Inf if there is none.
func (n *newton) factorize(tau float64) float64 {
	var units []float64 // of the Hessian, found once for all dampings
	for range dampings {
		a := n.h
		n.work.Spend(a.Rows, a.Rows, a.Rows/3)
		if tau > 0 {
			if units == nil {
				units = equilibrate(n.h)
			}
			a = damped(n.h, tau, units)
		}
		if f, err := linalg.NewCholesky(a); err == nil {
			n.factor = f
			return tau
		}
		if tau == 0 {
			tau = rounded
		} else {
			tau = max(4*tau, 1e-3)
		}
	}
	return math.Inf(1)
}

// damped returns h + τ·D for D in the units that [equilibrate] returns.
func damped(h *linalg.Dense, tau float64, units []float64) *linalg.Dense {
	a := h.Clone()
	for j, s := range units {
		a.Data[j*a.Stride+j] += tau * s * s
	}
	return a
}

// equilibrate returns positive s for which the largest |hᵢⱼ|/(sᵢsⱼ) of each row
// is about 1 (Ruiz, RAL-TR-2001-034), from √|hⱼⱼ| on: a measure of the coordinates
// in their own units that does not fail where a diagonal element is zero.
func equilibrate(h *linalg.Dense) []float64 {
	s, largest := make([]float64, h.Rows), make([]float64, h.Rows)
	for j := range s {
		s[j] = math.Sqrt(math.Abs(h.At(j, j)))
	}
	for j := range s {
		if h.At(j, j) != 0 {
			continue
		}
		for i, v := range h.Row(j) {
			if h.At(i, i) != 0 {
				s[j] = max(s[j], math.Abs(v)/s[i])
			}
		}
		if s[j] == 0 {
			s[j] = 1
		}
	}
	for range 10 {
		for i := range s {
			largest[i] = 0
			for j, v := range h.Row(i) {
				largest[i] = max(largest[i], math.Abs(v)/s[i]/s[j])
			}
		}
		settled := true
		for i, m := range largest {
			if m > 0 && finite(m) {
				s[i] *= math.Sqrt(m)
				settled = settled && math.Abs(m-1) < 0.1
			}
		}
		if settled { // at once where the matrix is positive semidefinite
			break
		}
	}
	return s
}

// direction sets d = −(H + τD)⁻¹g.
func (n *newton) direction() {
	for j, v := range n.g {
		n.d[j] = -v
	}
	n.factor.Solve(n.d)
}

// negligible reports whether the decrease that the direction promises is below
// the rounding errors of the objective: then no halving can show it.
func (n *newton) negligible() bool {
	return -linalg.Dot(n.g, n.d) <= rounding(n.value)
}

// full tries the step t = 1, with the Hessian at its end if asked for.
func (n *newton) full(hessian bool) bool {
	along(n.next, n.x, 1, n.d)
	var v float64
	if hessian {
		v = n.f.Hess(n.h, n.gNext, n.next)
	} else {
		v = n.f.Grad(n.gNext, n.next)
	}
	n.fresh = n.fresh && !hessian
	if !n.Finite(n.next, v, n.gNext) {
		return false
	}
	cert := n.largest(n.gNext)
	falls := !n.negligible() && v <= n.value+armijo*linalg.Dot(n.g, n.d)
	if !falls && !(cert < n.cert && v <= n.value+rounding(n.value)) {
		return false
	}
	n.before = n.cert
	n.accept(v, cert, 1, hessian)
	return true
}

// part goes to about the lowest point along the direction.
func (n *newton) part() bool {
	if n.negligible() {
		return false
	}
	l := &line{Progress: n.Progress, f: n.f, steepest: exact, d: n.d, next: n.next, gNext: n.gNext}
	at, ok := l.search(n.x, linalg.Dot(n.g, n.d), n.value)
	if ok {
		n.before = 0
		n.accept(at.value, n.largest(n.gNext), at.t, false)
	}
	return ok
}

func (n *newton) accept(value, cert, length float64, hessian bool) {
	n.x, n.next = n.next, n.x
	n.g, n.gNext = n.gNext, n.g
	n.value, n.cert, n.length, n.fresh = value, cert, length, hessian
}

// NewtonCG minimises a twice differentiable function by Newton steps, each found by
// conjugate gradients from products with the Hessian alone, and a line search. A step ends
// at a direction of negative curvature, which is followed where it is the first one.
// (Nocedal & Wright, Numerical Optimization, 2nd ed., Algorithm 7.1.) A region of trust in the
// place of the line search would measure steps in a model of the Hessian: where rows of two
// classes are nearly apart that has next to no curvature along steps that gain much, and the
// region stays small. A [Preconditioned] f has a model of the Hessian, which preconditions the
// conjugate gradients; else that is 1 in the coordinates' scales.
//
// The certificate is max |gⱼ|/Scaleⱼ. Defaults: Tol 1e-8, MaxIter 200. Some Grads
// and at most 2p products with the Hessian an iteration, O(p) memory.
func NewtonCG(f HessianVec, x0 []float64, c *Control) ([]float64, Report, error) {
	run, err := Begin(f, x0, c, Defaults{Kind: KindGradient, Tol: 1e-8, MaxIter: 200})
	if err != nil {
		return nil, Report{}, err
	}
	p := len(x0)
	s := &truncated{Progress: run, f: f, model: modelOf(f), x: linalg.Clone(x0), share: loosest}
	s.settler, _ = f.(settler)
	s.Conjugate = linalg.NewConjugate(make([]float64, p), make([]float64, p), s.precondition)
	s.value = f.Grad(s.Image, s.x)
	s.cert = run.largest(s.Image)
	for !run.Done(s.x, s.value, s.cert, s.length) {
		if !s.step() {
			break
		}
	}
	return run.Result(s.x)
}

// truncated is the state of a run. Between steps Image holds the gradient at x, and once a step is
// found Direction and Image hold the point at its end and the gradient there: each is as long as
// the parameters, of which there can be millions.
type truncated struct {
	*Progress
	*linalg.Conjugate // of Hd = −g, for the step d = X
	f                 HessianVec
	model             Preconditioned // nil without one
	settler           settler        // nil without one
	x                 []float64
	value, cert       float64
	foretold          float64 // −gᵀd − dᵀHd/2 for the step d
	length            float64
	share             float64 // of the decrease foretold, see [truncated.solve]
}

// settler is a function that knows gradients at which it wants no further step.
type settler interface {
	Settles(g []float64, value float64) bool
}

const loosest, sharpest = 0.5, 1e-6

// step moves to a better point and reports whether there is one.
func (s *truncated) step() bool {
	s.solve()
	l := &line{Progress: s.Progress, f: s.f, steepest: exact, d: s.X, next: s.Direction, gNext: s.Image}
	slope := s.slope()
	at, ok := l.search(s.x, slope, s.value)
	if !ok {
		s.Stuck()
		return false
	}
	if s.share = loosest; at.t == 1 { // the next step is worth as much as the model was right
		s.share = min(loosest, max(math.Abs((slope+at.slope)/2/s.foretold+1), sharpest))
	}
	s.x, s.Direction = s.Direction, s.x
	s.value, s.cert, s.length = at.value, s.largest(s.Image), at.t
	return true
}

// slope returns gᵀd, as −g − Hd is left.
func (s *truncated) slope() float64 { return linalg.Dot(s.X, s.Left) - 2*s.foretold }

// solve makes X an approximate minimiser d of gᵀd + ½dᵀHd by conjugate gradients. They end once
// one of them adds less than the share of what all have added on average (Nash & Sofer, Oper. Res.
// Lett. 9, 1990): residuals may stay large long after they say little of the decrease.
func (s *truncated) solve() {
	clear(s.X)
	along(s.Left, s.X, -1, s.Image)
	s.Start()
	s.foretold = 0
	for k := range 2 * len(s.X) {
		s.f.HessVec(s.Image, s.x, s.Direction)
		curve, size := s.Curvature(), s.Size
		if !(curve > 0) {
			s.descend(k, curve)
			return
		}
		s.Step(curve)
		gain := size / curve * size / 2
		s.foretold += gain
		if k > 0 && float64(k+1)*gain <= s.share*s.foretold || s.largestTo(s.tol/2, s.Left) <= s.tol/2 ||
			s.settler != nil && s.settler.Settles(s.Left, s.value) {
			return
		}
	}
}

// descend makes the first direction, whose curvature is not positive, a step of length 1 in the model.
func (s *truncated) descend(k int, curve float64) {
	if k > 0 || !(s.Size > 0) {
		return
	}
	t := 1 / math.Sqrt(s.Size)
	linalg.Axpy(s.X, t, s.Direction)
	linalg.Axpy(s.Left, -t, s.Image)
	s.foretold = t * (s.Size - t*curve/2)
}

// precondition overwrites z with M⁻¹z, M = Scale² without a model.
func (s *truncated) precondition(z []float64) {
	if s.model != nil {
		s.model.Precondition(z)
	} else {
		s.unscale(z, 1)
	}
}
