package optimize

import (
	"math"

	"halfspace/linalg"
)

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
