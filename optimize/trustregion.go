package optimize

import (
	"math"
	"slices"

	"halfspace/linalg"
)

// NewtonCG minimises a twice differentiable function by Newton steps within a
// trust region, each found by conjugate gradients from products with the Hessian
// alone. Directions of negative curvature are followed to the region's border.
// (Steihaug 1983; Nocedal & Wright, Numerical Optimization, 2nd ed., Algorithms
// 4.1 and 7.2.) Lengths are measured in the coordinates' scales, Σ(Scaleⱼdⱼ)², or, for a
// [Preconditioned] f, in its model of the Hessian, dᵀMd; it preconditions the conjugate
// gradients.
//
// The certificate is max |gⱼ|/Scaleⱼ. Defaults: Tol 1e-8, MaxIter 200. One Grad
// and at most 2p products with the Hessian an iteration, O(p) memory.
func NewtonCG(f HessianVec, x0 []float64, c *Control) ([]float64, Report, error) {
	run, err := Begin(f, x0, c, Defaults{Kind: KindGradient, Tol: 1e-8, MaxIter: 200})
	if err != nil {
		return nil, Report{}, err
	}
	p := len(x0)
	s := &region{
		Progress: run, f: f, model: modelOf(f), x: linalg.Clone(x0), share: loosest,
	}
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

// region is the state of a run. Between steps Image holds the gradient at x, and once a step is
// found Direction and Image hold the point at its end and the gradient there: each is as long as
// the parameters, of which there can be millions.
type region struct {
	*Progress
	*linalg.Conjugate // of Hd = −g, for the step d = X
	f                 HessianVec
	model             Preconditioned // nil without one
	settler           settler        // nil without one
	x                 []float64
	value, cert       float64
	ahead             float64 // the objective at the end of the step tried
	foretold          float64 // −gᵀd − dᵀHd/2 for the step d
	radius            float64 // 0 before the first step
	dd, dv, vv        float64 // dᵀMd, dᵀMv, vᵀMv of the step d and the direction v: by recurrences, for M itself is not at hand
	length            float64
	onTheBorder       bool
	share             float64 // of the residual at which the next step is good enough
}

// settler is a function that knows gradients at which it wants no further step.
type settler interface {
	Settles(g []float64, value float64) bool
}

// shrinkings bounds the tries of an iteration: the radius falls by a factor 4.
const shrinkings = 60

// forcing returns the share of the residual to which the equations of the next step are
// solved: as far as the last one was from the decrease that its model foretold, for a
// solution that is nearer than the model gains nothing (cf. Eisenstat & Walker, SIAM J. Sci.
// Comput. 17, 1996).
func forcing(ratio float64, border bool) float64 {
	if border || ratio != ratio {
		return loosest
	}
	return min(loosest, max(math.Abs(ratio-1), sharpest))
}

const loosest, sharpest = 0.5, 1e-6

// step moves to a better point and reports whether there is one.
func (s *region) step() bool {
	for range shrinkings {
		s.steihaug()
		along(s.Direction, s.x, 1, s.X)
		if !(s.foretold > 0) || slices.Equal(s.Direction, s.x) {
			break
		}
		ratio := s.try()
		s.share = forcing(ratio, s.onTheBorder)
		length := math.Sqrt(s.dd)
		switch {
		case !(ratio >= 0.25):
			s.radius = length / 4
		case ratio > 0.75 && (s.onTheBorder || s.radius == 0):
			s.radius = max(s.radius, 2*length)
		case s.radius == 0:
			s.radius = length
		}
		if ratio > armijo {
			s.accept(length)
			return true
		}
		s.f.Grad(s.Image, s.x)
	}
	s.Stuck()
	return false
}

// try evaluates the end of the step and returns how much of the decrease that
// was foretold came about: NaN if the end is not finite. Where rounding hides the
// decrease, the mean of the slopes at both ends tells it.
func (s *region) try() float64 {
	v := s.f.Grad(s.Image, s.Direction)
	s.ahead = v
	if !s.Finite(s.Direction, v, s.Image) {
		return math.NaN()
	}
	if noise := rounding(s.value); s.foretold <= noise && v <= s.value+noise {
		return -(s.slope() + linalg.Dot(s.Image, s.X)) / 2 / s.foretold
	}
	return (s.value - v) / s.foretold
}

// slope returns gᵀd, as −g − Hd is left.
func (s *region) slope() float64 { return linalg.Dot(s.X, s.Left) - 2*s.foretold }

func (s *region) accept(length float64) {
	s.value = s.ahead
	s.x, s.Direction = s.Direction, s.x
	s.cert, s.length = s.largest(s.Image), length
}

// steihaug makes X an approximate minimiser d of gᵀd + ½dᵀHd within the radius, by conjugate
// gradients preconditioned by the model or the scales. The residual is orthogonal to all
// directions, which makes the recurrences of the lengths (Conn, Gould & Toint, Trust-Region
// Methods, 2000, §7.5.1).
func (s *region) steihaug() {
	clear(s.X)
	along(s.Left, s.X, -1, s.Image)
	s.Start()
	s.dd, s.dv, s.vv, s.foretold = 0, 0, s.Size, 0
	stop := s.share * math.Sqrt(s.Size)
	s.onTheBorder = false
	for range 2 * len(s.X) {
		s.f.HessVec(s.Image, s.x, s.Direction)
		curve := s.Curvature()
		t := s.Size / curve
		next := s.dd + t*(2*s.dv+t*s.vv)
		if !(curve > 0) || s.radius > 0 && next >= s.radius*s.radius {
			s.toBorder(curve)
			return
		}
		s.dd = next
		s.foretold += t * s.Size / 2
		beta := s.Step(curve)
		if math.Sqrt(s.Size) <= stop || s.largestTo(s.tol/2, s.Left) <= s.tol/2 || s.settler != nil && s.settler.Settles(s.Left, s.value) {
			return
		}
		s.dv, s.vv = beta*(s.dv+t*s.vv), s.Size+beta*beta*s.vv
	}
}

// precondition overwrites z with M⁻¹z, M = Scale² without a model.
func (s *region) precondition(z []float64) {
	if s.model != nil {
		s.model.Precondition(z)
	} else {
		s.unscale(z, 1)
	}
}

// toBorder follows the direction, of the given curvature, from d to the border of the region.
// Before there is one, negative curvature at the very start takes a step of length 1 at most.
func (s *region) toBorder(curve float64) {
	radius := s.radius
	if radius == 0 {
		radius = max(1, 2*math.Sqrt(s.dd))
	}
	left := radius*radius - s.dd
	t := left / (s.dv + math.Sqrt(s.dv*s.dv+s.vv*left))
	linalg.Axpy(s.X, t, s.Direction)
	linalg.Axpy(s.Left, -t, s.Image)
	s.dd = radius * radius
	s.foretold += t * (s.Size - t*curve/2)
	s.onTheBorder = true
}
