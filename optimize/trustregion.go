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
	vec := func() []float64 { return make([]float64, p) }
	s := &region{
		Progress: run, f: f, model: modelOf(f), x: slices.Clone(x0), g: vec(), next: vec(), gNext: vec(),
		share: loosest, d: vec(), r: vec(), z: vec(), v: vec(), hv: vec(), hd: vec(),
	}
	s.value = f.Grad(s.g, s.x)
	s.cert = run.largest(s.g)
	for !run.Done(s.x, s.value, s.cert, s.length) {
		if !s.step() {
			break
		}
	}
	return run.Result(s.x)
}

// region is the state of a run.
type region struct {
	*Progress
	f           HessianVec
	model       Preconditioned // nil without one
	x, g        []float64
	next, gNext []float64
	d           []float64 // the step of the conjugate gradients
	hd          []float64 // H·d
	r, z, v, hv []float64 // their residual, the same preconditioned, direction and H·direction
	value, cert float64
	ahead       float64 // the objective at the end of the step tried
	radius      float64 // 0 before the first step
	dd, dv, vv  float64 // dᵀMd, dᵀMv, vᵀMv: by recurrences, for M itself is not at hand
	length      float64
	onTheBorder bool
	share       float64 // of the residual at which the next step is good enough
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
		foretold := -linalg.Dot(s.g, s.d) - linalg.Dot(s.d, s.hd)/2
		along(s.next, s.x, 1, s.d)
		if !(foretold > 0) || slices.Equal(s.next, s.x) {
			break
		}
		ratio := s.try(foretold)
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
	}
	s.Stuck()
	return false
}

// try evaluates the end of the step and returns how much of the decrease that
// was foretold came about: NaN if the end is not finite. Where rounding hides the
// decrease, the mean of the slopes at both ends tells it.
func (s *region) try(foretold float64) float64 {
	v := s.f.Grad(s.gNext, s.next)
	s.ahead = v
	if !s.Finite(s.next, v, s.gNext) {
		return math.NaN()
	}
	if noise := rounding(s.value); foretold <= noise && v <= s.value+noise {
		return -(linalg.Dot(s.g, s.d) + linalg.Dot(s.gNext, s.d)) / 2 / foretold
	}
	return (s.value - v) / foretold
}

func (s *region) accept(length float64) {
	s.value = s.ahead
	s.x, s.next = s.next, s.x
	s.g, s.gNext = s.gNext, s.g
	s.cert, s.length = s.largest(s.g), length
}

// steihaug sets d to an approximate minimiser of gᵀd + ½dᵀHd within the radius
// and hd to H·d, by conjugate gradients preconditioned by the model or the scales. The
// residual is orthogonal to all directions, which makes the recurrences of the lengths
// (Conn, Gould & Toint, Trust-Region Methods, 2000, §7.5.1).
func (s *region) steihaug() {
	clear(s.d)
	clear(s.hd)
	copy(s.r, s.g)
	rz := s.precondition()
	for j, z := range s.z {
		s.v[j] = -z
	}
	s.dd, s.dv, s.vv = 0, 0, rz
	stop := s.share * math.Sqrt(rz)
	s.onTheBorder = false
	for range 2 * len(s.d) {
		s.f.HessVec(s.hv, s.x, s.v)
		curve := linalg.Dot(s.v, s.hv)
		alpha := rz / curve
		if !(curve > 0) {
			s.toBorder()
			return
		}
		next := s.dd + alpha*(2*s.dv+alpha*s.vv)
		if s.radius > 0 && next >= s.radius*s.radius {
			s.toBorder()
			return
		}
		s.dd, s.dv = next, s.dv+alpha*s.vv
		linalg.Axpy(s.d, alpha, s.v)
		linalg.Axpy(s.hd, alpha, s.hv)
		linalg.Axpy(s.r, alpha, s.hv)
		before := rz
		if rz = s.precondition(); math.Sqrt(rz) <= stop || s.largest(s.r) <= s.tol/2 {
			return
		}
		for j, z := range s.z {
			s.v[j] = rz/before*s.v[j] - z
		}
		s.dv *= rz / before
		s.vv = rz + rz/before*(rz/before)*s.vv
	}
}

// precondition sets z = M⁻¹r, M = Scale² without a model, and returns rᵀz.
func (s *region) precondition() float64 {
	copy(s.z, s.r)
	if s.model != nil {
		s.model.Precondition(s.z)
	} else {
		s.unscale(s.z, 1)
	}
	return linalg.Dot(s.r, s.z)
}

// toBorder follows v from d to the border of the region. Before there is one,
// negative curvature at the very start takes a step of length 1 at most.
func (s *region) toBorder() {
	radius := s.radius
	if radius == 0 {
		radius = max(1, 2*math.Sqrt(s.dd))
	}
	left := radius*radius - s.dd
	t := left / (s.dv + math.Sqrt(s.dv*s.dv+s.vv*left))
	linalg.Axpy(s.d, t, s.v)
	linalg.Axpy(s.hd, t, s.hv)
	s.dd = radius * radius
	s.onTheBorder = true
}
