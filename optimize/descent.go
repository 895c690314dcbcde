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
	s := &descent{Progress: run, f: f, x: slices.Clone(x0), g: make([]float64, p), next: make([]float64, p), gNext: make([]float64, p)}
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
	square := linalg.Dot(s.g, s.g)
	t := 2 * s.length
	if s.length == 0 {
		t = 1 / linalg.Norm(s.g)
	}
	for t = min(t, math.MaxFloat64); t > 0; t /= 2 { // halving an infinity would not end
		if s.try(t, s.value-armijo*t*square) {
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
