package optimize

import (
	"fmt"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize/penalty"
)

// recent is how many objectives back a proximal gradient step may not rise above.
const recent = 5

// ProximalGradient minimises f(x) + P(x) for a differentiable f and any penalty,
// such as the group lasso, by the steps
//
//	x ← Prox(x − t·∇f(x), t)
//
// whose length t is that of Barzilai and Borwein, ‖s‖²/sᵀy from the last step s and
// the change y of the gradient, halved until the objective falls below the highest
// of the last five. (SpaRSA: Wright, Nowak & Figueiredo, IEEE Trans. Signal Process.
// 57, 2009.) A first-order method: the coordinates should be on one scale.
//
// The certificate, of kind "kkt", is max |rⱼ|/Scaleⱼ over the shortest subgradient
// r. Defaults: Tol 1e-6, MaxIter 10,000. About one Grad an iteration and O(p).
func ProximalGradient(f Gradient, x0 []float64, pen penalty.Penalty, c *Control) ([]float64, Report, error) {
	run, err := Begin(f, x0, c, Defaults{Kind: KindKKT, Tol: 1e-6, MaxIter: 10_000, Idle: 500})
	if err != nil {
		return nil, Report{}, err
	}
	p := len(x0)
	if err := pen.Check(p); err != nil {
		return nil, Report{}, fmt.Errorf("optimize: %w", err)
	}
	vec := func() []float64 { return make([]float64, p) }
	s := &sparsa{Progress: run, f: f, pen: pen, x: linalg.Clone(x0), g: vec(), next: vec(), gNext: vec(), r: vec()}
	s.value = f.Grad(s.g, s.x) + pen.Value(s.x)
	s.cert = s.residual(s.g, s.x)
	s.t = 1 / linalg.Norm(s.g)
	for !run.Done(s.x, s.value, s.cert, s.length) {
		if !s.step() {
			run.Stuck()
			break
		}
	}
	return run.Result(s.x)
}

// sparsa is the state of a run.
type sparsa struct {
	*Progress
	f           Gradient
	pen         penalty.Penalty
	x, g        []float64
	next, gNext []float64
	r           []float64
	value, cert float64
	t, length   float64   // the step to try, and the last one
	values      []float64 // the last objectives
}

func (s *sparsa) residual(g, x []float64) float64 {
	s.pen.Residual(s.r, g, x)
	return s.largest(s.r)
}

// step moves x and reports whether a step was found.
func (s *sparsa) step() bool {
	if s.values = append(s.values, s.value); len(s.values) > recent {
		s.values = s.values[1:]
	}
	highest := slices.Max(s.values)
	for t := min(max(s.t, 1e-100), 1e100); s.failed() == nil && !s.work.Done(); t /= 2 {
		along(s.next, s.x, -t, s.g)
		s.pen.Prox(s.next, s.next, t)
		if slices.Equal(s.next, s.x) {
			return false
		}
		v := s.f.Grad(s.gNext, s.next)
		if !s.Finite(s.next, v, s.gNext) {
			continue
		}
		v += s.pen.Value(s.next)
		square, curve := s.difference()
		cert := s.residual(s.gNext, s.next)
		if v <= highest-armijo/2*square/t || cert < s.cert && v <= highest+rounding(highest) {
			s.accept(v, cert, t)
			s.t = 2 * t
			if curve > 0 {
				s.t = square / curve
			}
			return true
		}
	}
	return false
}

// difference returns ‖s‖² and sᵀy for the step s = next − x and the change y of the
// gradient.
func (s *sparsa) difference() (square, curve float64) {
	for j, v := range s.next {
		d := v - s.x[j]
		square += d * d
		curve += d * (s.gNext[j] - s.g[j])
	}
	return square, curve
}

func (s *sparsa) accept(value, cert, t float64) {
	s.x, s.next = s.next, s.x
	s.g, s.gNext = s.gNext, s.g
	s.value, s.cert, s.length = value, cert, t
}
