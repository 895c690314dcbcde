package optimize

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
)

// GradientDescent minimises a differentiable function by x ← x − t·g.
//
// With rate > 0 the step t is that rate each time, as textbooks have it: too
// large a rate diverges, which ends as not_finite at the last finite point. With
// rate 0 the step is found by backtracking from twice the last one (from 1/‖g‖
// at the start) until the objective falls by 10⁻⁴·t‖g‖² (Armijo's rule; Nocedal &
// Wright, Numerical Optimization, 2nd ed., Algorithm 3.1).
//
// The certificate is max |gⱼ|/Scaleⱼ. Defaults: Tol 1e-6, MaxIter 10,000. One
// Grad an iteration and O(p).
func GradientDescent(f Gradient, x0 []float64, rate float64, c *Control) ([]float64, Report, error) {
	d := Defaults{Kind: KindGradient, Tol: 1e-6, MaxIter: 10_000}
	if rate > 0 {
		d.Idle = -1 // a fixed rate may go up
	}
	run, err := Begin(f, x0, c, d)
	if err != nil {
		return nil, Report{}, err
	}
	if !(rate >= 0) || math.IsInf(rate, 1) {
		return nil, Report{}, fmt.Errorf("optimize: rate is %v, want a finite number ≥ 0", rate)
	}
	p := len(x0)
	s := &descent{Progress: run, f: f, x: linalg.Clone(x0), g: make([]float64, p), next: make([]float64, p), gNext: make([]float64, p)}
	s.value = f.Grad(s.g, s.x)
	for !run.Done(s.x, s.value, run.largest(s.g), s.length) {
		if rate > 0 && s.try(rate, math.Inf(1)) || rate == 0 && s.backtrack() {
			continue
		}
		run.Stuck()
		break
	}
	return run.Result(s.x)
}

// descent is the state of a run.
type descent struct {
	*Progress
	f           Gradient
	x, g        []float64
	next, gNext []float64
	value       float64
	length      float64 // of the last step
}

// backtrack makes a step that lowers the objective.
func (s *descent) backtrack() bool {
	norm := linalg.Norm(s.g) // its square may overflow
	t := 2 * s.length
	if s.length == 0 {
		t = 1 / norm
	}
	for t = min(t, math.MaxFloat64); t > 0; t /= 2 { // halving an infinity would not end
		if s.try(t, s.value-armijo*(t*norm)*norm) {
			return true
		}
		if slices.Equal(s.next, s.x) {
			break
		}
	}
	return false
}

// try makes the step t if it changes the point, its end is finite and the
// objective there at most limit.
func (s *descent) try(t, limit float64) bool {
	along(s.next, s.x, -t, s.g)
	if slices.Equal(s.next, s.x) {
		return false
	}
	v := s.f.Grad(s.gNext, s.next)
	if !s.Finite(s.next, v, s.gNext) || v > limit {
		return false
	}
	s.x, s.next = s.next, s.x
	s.g, s.gNext = s.gNext, s.g
	s.value, s.length = v, t
	return true
}

// SubgradientDescent minimises a convex function that may have corners, such as
// the hinge loss, by x ← x − t·s with any subgradient s (which f.Grad returns) and
// steps t = rate/√k at iteration k. A subgradient need not point downhill, so the
// best point seen is returned; the trace shows the iterates themselves. (Shor 1985; Boyd &
// Mutapcic, Subgradient Methods, Stanford 2007.)
//
// rate 0 is 1/‖s‖ at the start. The certificate, of kind "subgradient", is an
// ε-subgradient: a mean s̄ of the subgradients of at least half of the iterates for
// which, whatever z,
//
//	f(z) ≥ f(x) − ε − ‖s̄‖·‖z − x‖;
//
// its value is max(max |s̄ⱼ|/Scaleⱼ, ε/max(1, |f(x)|)). It falls as 1/√k: this is a
// method for teaching and for checking the others. Defaults: Tol 1e-3, MaxIter
// 100,000. One Grad an iteration and O(p).
func SubgradientDescent(f Gradient, x0 []float64, rate float64, c *Control) ([]float64, Report, error) {
	run, err := Begin(f, x0, c, Defaults{Kind: KindSubgradient, Tol: 1e-3, MaxIter: 100_000, Idle: -1})
	if err != nil {
		return nil, Report{}, err
	}
	if !(rate >= 0) || math.IsInf(rate, 1) {
		return nil, Report{}, fmt.Errorf("optimize: rate is %v, want a finite number ≥ 0", rate)
	}
	p := len(x0)
	x, g, next := linalg.Clone(x0), make([]float64, p), make([]float64, p)
	value := f.Grad(g, x)
	b := &bundle{Progress: run, best: linalg.Clone(x), value: value, half: newPlane(p), last: newPlane(p), mean: make([]float64, p)}
	if rate == 0 {
		rate = 1 / linalg.Norm(g)
	}
	t := 0.0
	for k := 1; !run.Done(x, value, b.certify(g), t); k++ {
		t = rate / math.Sqrt(float64(k))
		b.add(k, t, value, g, x)
		along(next, x, -t, g)
		v := f.Grad(g, next)
		if !run.Finite(next, v, g) {
			run.Stuck()
			break
		}
		x, next, value = next, x, v
		b.see(x, value)
	}
	run.report.objective = b.value
	return run.Result(b.best)
}

// bundle holds the best point and the mean of the planes that support f.
type bundle struct {
	*Progress
	best       []float64
	value      float64
	half, last *plane // of the last whole power of two of iterations, and since
	mean       []float64
}

// plane is a weighted sum of affine lower bounds f(xₖ) + sₖᵀ(z − xₖ) of f(z).
type plane struct {
	weight   float64
	slope    []float64
	constant float64
}

func newPlane(p int) *plane { return &plane{slope: make([]float64, p)} }

// see keeps the point if it is the best so far.
func (b *bundle) see(x []float64, value float64) {
	if value < b.value {
		b.value = value
		copy(b.best, x)
	}
}

// add counts the plane at x with weight t. At each power of two the older half
// of the iterates is dropped.
func (b *bundle) add(k int, t, value float64, s, x []float64) {
	if k&(k-1) == 0 {
		b.half, b.last = b.last, b.half
		b.last.weight, b.last.constant = 0, 0
		clear(b.last.slope)
	}
	b.last.weight += t
	b.last.constant += t * (value - linalg.Dot(s, x))
	linalg.Axpy(b.last.slope, t, s)
}

// certify returns the certificate of the best point; s is the subgradient at the present one.
func (b *bundle) certify(s []float64) float64 {
	m := b.largest(s)
	weight := b.half.weight + b.last.weight
	if m == 0 || weight == 0 || m != m {
		return m
	}
	constant := (b.half.constant + b.last.constant) / weight
	for j := range b.mean {
		b.mean[j] = (b.half.slope[j] + b.last.slope[j]) / weight
	}
	epsilon := b.value - constant - linalg.Dot(b.mean, b.best)
	return max(b.largest(b.mean), epsilon/max(1, math.Abs(b.value)))
}
