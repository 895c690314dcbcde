package optimize

import (
	"fmt"
	"math"

	"halfspace/linalg"
)

// inverse is a quasi-Newton method's knowledge of the inverse Hessian.
type inverse interface {
	// direction sets d to −H⁻¹g.
	direction(d, g []float64)
	// learn takes in a step s and the change y of the gradient along it.
	learn(s, y []float64)
	// forget returns to the start; it reports whether there was anything to forget.
	forget() bool
}

// quasiNewton goes along the directions of h with a strong Wolfe line search.
// Where that finds no step, h starts anew once.
func quasiNewton(f Gradient, x0 []float64, run *Progress, h inverse) ([]float64, Report, error) {
	p := len(x0)
	x, g, l := linalg.Clone(x0), make([]float64, p), newLine(run, f, p)
	s, y := make([]float64, p), make([]float64, p)
	at := linePoint{value: f.Grad(g, x)}
	for !run.Done(x, at.value, run.largest(g), at.t) {
		h.direction(l.d, g)
		next, ok := l.search(x, linalg.Dot(g, l.d), at.value)
		if !ok && h.forget() {
			h.direction(l.d, g)
			next, ok = l.search(x, linalg.Dot(g, l.d), at.value)
		}
		if !ok {
			run.Stuck()
			break
		}
		for j := range x {
			s[j], y[j] = l.next[j]-x[j], l.gNext[j]-g[j]
		}
		h.learn(s, y)
		at = next
		copy(x, l.next)
		copy(g, l.gNext)
	}
	return run.Result(x)
}

// secant returns sᵀy, or 0 where that is not the positive number, more than
// rounding errors, that an update needs to stay positive definite.
func secant(s, y []float64) float64 {
	size := 0.0
	for j, v := range s {
		size += math.Abs(v * y[j])
	}
	if c := linalg.Dot(s, y); c > 0x1p-50*size {
		return c
	}
	return 0
}

// LBFGS minimises a differentiable function by the limited-memory BFGS method:
// the inverse Hessian is what the last memory steps tell of it, with a strong Wolfe
// line search. Of what they do not tell, a [Preconditioned] f has a model, M⁻¹;
// else it is a multiple of 1 in the coordinates' scales. (Liu & Nocedal 1989;
// Nocedal & Wright, Numerical Optimization, 2nd ed., Algorithms 7.4 and 7.5.)
//
// memory 0 is 10. The certificate is max |gⱼ|/Scaleⱼ. Defaults: Tol 1e-8, MaxIter
// 1000. About one Grad and O(memory·p) an iteration.
func LBFGS(f Gradient, x0 []float64, memory int, c *Control) ([]float64, Report, error) {
	run, err := Begin(f, x0, c, Defaults{Kind: KindGradient, Tol: 1e-8, MaxIter: 1000})
	if err != nil {
		return nil, Report{}, err
	}
	if memory < 0 {
		return nil, Report{}, fmt.Errorf("optimize: memory is %d, want ≥ 0", memory)
	}
	if memory == 0 {
		memory = 10
	}
	m := &pairs{Progress: run, limit: memory, model: modelOf(f), factor: 1}
	if u, ok := f.(interface{ UpToScale() bool }); ok && m.model != nil && u.UpToScale() {
		m.scaled = make([]float64, len(x0))
	}
	return quasiNewton(f, x0, run, m)
}

// modelOf returns f as one with a model of its Hessian, nil without.
func modelOf(f Gradient) Preconditioned {
	m, _ := f.(Preconditioned)
	return m
}

// pairs is the memory of L-BFGS, the oldest pair first.
type pairs struct {
	*Progress
	model Preconditioned // nil without one
	limit int
	s, y  [][]float64
	rho   []float64 // 1/sᵀy
	alpha []float64

	factor float64   // of the model, sᵀy/yᵀM⁻¹y of the last pair where it is to be learnt
	scaled []float64 // scratch: M⁻¹y; nil where it is known
}

func (m *pairs) learn(s, y []float64) {
	c := secant(s, y)
	if c == 0 {
		return
	}
	if len(m.s) == m.limit { // the oldest pair's room is used again
		m.s, m.y = append(m.s[1:], m.s[0]), append(m.y[1:], m.y[0])
		m.rho = append(m.rho[1:], 0)
		copy(m.s[m.limit-1], s)
		copy(m.y[m.limit-1], y)
	} else {
		m.s, m.y = append(m.s, linalg.Clone(s)), append(m.y, linalg.Clone(y))
		m.rho, m.alpha = append(m.rho, 0), append(m.alpha, 0)
	}
	m.rho[len(m.rho)-1] = 1 / c
	if m.scaled != nil {
		copy(m.scaled, y)
		m.model.Precondition(m.scaled)
		m.factor = c / linalg.Dot(y, m.scaled)
	}
}

func (m *pairs) forget() bool {
	had := len(m.s) > 0
	m.s, m.y, m.rho, m.alpha = nil, nil, nil, nil
	return had
}

// direction is the two-loop recursion.
func (m *pairs) direction(d, g []float64) {
	for j, v := range g {
		d[j] = -v
	}
	k := len(m.s)
	for i := k - 1; i >= 0; i-- {
		m.alpha[i] = m.rho[i] * linalg.Dot(m.s[i], d)
		linalg.Axpy(d, -m.alpha[i], m.y[i])
	}
	switch {
	case m.model != nil:
		m.model.Precondition(d)
		linalg.Scale(d, m.factor)
	case k == 0:
		m.firstStep(d)
	default:
		m.unscale(d, 1/(m.rho[k-1]*m.sumOfSquares(m.y[k-1])))
	}
	for i := range k {
		linalg.Axpy(d, m.alpha[i]-m.rho[i]*linalg.Dot(m.y[i], d), m.s[i])
	}
}

// firstStep scales d, a direction of steepest descent, where nothing is known of the
// curvature: no coordinate moves by more than 1/Scaleⱼ.
func (p *Progress) firstStep(d []float64) {
	p.unscale(d, 1/max(1, p.largest(d)))
}

// BFGS minimises a differentiable function by the method of Broyden, Fletcher,
// Goldfarb and Shanno with a strong Wolfe line search: it keeps the whole inverse
// Hessian that the steps so far tell of. (Nocedal & Wright, Numerical
// Optimization, 2nd ed., Algorithm 6.1 and (6.20).)
//
// The certificate is max |gⱼ|/Scaleⱼ. Defaults: Tol 1e-8, MaxIter 1000. About one
// Grad and O(p²) an iteration, O(p²) memory.
func BFGS(f Gradient, x0 []float64, c *Control) ([]float64, Report, error) {
	run, err := Begin(f, x0, c, Defaults{Kind: KindGradient, Tol: 1e-8, MaxIter: 1000})
	if err != nil {
		return nil, Report{}, err
	}
	if err := linalg.CheckSquare(len(x0)); err != nil {
		return nil, Report{}, fmt.Errorf("optimize: %w", err)
	}
	return quasiNewton(f, x0, run, &broyden{Progress: run, hy: make([]float64, len(x0))})
}

// broyden is the inverse Hessian of BFGS, nil before the first step.
type broyden struct {
	*Progress
	h  *linalg.Dense
	hy []float64
}

func (b *broyden) direction(d, g []float64) {
	if b.h == nil {
		for j, v := range g {
			d[j] = -v
		}
		b.firstStep(d)
		return
	}
	for j := range d {
		d[j] = -linalg.Dot(b.h.Row(j), g)
	}
}

func (b *broyden) forget() bool {
	had := b.h != nil
	b.h = nil
	return had
}

// learn is the update H⁻¹ ← (I − ρsyᵀ)H⁻¹(I − ρysᵀ) + ρssᵀ, ρ = 1/sᵀy, written out.
func (b *broyden) learn(s, y []float64) {
	c := secant(s, y)
	if c == 0 {
		return
	}
	rho := 1 / c
	if b.h == nil {
		b.begin(len(s), 1/(rho*b.sumOfSquares(y)))
	}
	for j := range b.hy {
		b.hy[j] = linalg.Dot(b.h.Row(j), y)
	}
	ss := rho * (1 + rho*linalg.Dot(y, b.hy))
	for j := range s {
		row := b.h.Row(j)
		linalg.Axpy(row, ss*s[j]-rho*b.hy[j], s)
		linalg.Axpy(row, -rho*s[j], b.hy)
	}
}

// begin sets the inverse Hessian to factor/Scaleⱼ² on the diagonal.
func (b *broyden) begin(p int, factor float64) {
	b.h = linalg.Zeros(p, p)
	for j := range p {
		s := b.scale.At(j)
		b.h.Set(j, j, factor/s/s)
	}
}
