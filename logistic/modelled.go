package logistic

import (
	"errors"
	"math"

	"halfspace/linalg"
	"halfspace/optimize"
)

// modelled is the likelihood of two classes with a ridge and a Hessian of part of
// the rows: that of the part that foretold the start, and from the first point
// after it one of more rows. It implements [optimize.Preconditioned].
type modelled struct {
	*binary
	factor *linalg.Cholesky
	better int     // rows between those of the better Hessian; 0 once it is there
	begin  float64 // the objective at the start
}

// Precondition overwrites d with M⁻¹d.
func (m *modelled) Precondition(d []float64) { m.factor.Solve(d) }

// Grad sets g to the gradient and returns the objective.
func (m *modelled) Grad(g, theta []float64) float64 {
	if p := m.primed; p != nil {
		m.primed = nil
		copy(g, p.g)
		m.begin = p.value
		return p.value
	}
	if m.better == 0 {
		return m.binary.Grad(g, theta)
	}
	h := linalg.Zeros(len(g), len(g))
	m.every = m.better
	v := m.binary.Hess(h, g, theta)
	m.every = 0
	if v <= m.begin {
		if f, err := linalg.NewCholesky(h); err == nil {
			m.factor, m.better = f, 0
		}
	}
	return v
}

// sparsity returns how many rows apart those should be that the Hessian of a ridge
// is made from. With all of them it costs what p/50 gradients do (measured at p =
// 100, where reading the rows is what a gradient costs). With m rows each step of
// L-BFGS shrinks the gradient by about √(m/p) (Marchenko and Pastur's spread of
// the eigenvalues), which makes n/m = p/50 near the best, and m no less than 50p.
func (b *binary) sparsity() int { return min(b.p, b.n/b.p) / 50 }

// follow minimises b from theta, which part of the rows foretold together with the
// Hessian that b is primed with, by L-BFGS with Hessians of part of the rows; by
// Newton's method where all rows are worth having, or parts prove to mislead.
func (b *binary) follow(theta []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	factor, err := linalg.NewCholesky(b.primed.h)
	if b.sparsity() < 2 || err != nil {
		return optimize.Newton(b, theta, c)
	}
	m := &modelled{binary: b, factor: factor, better: b.sparsity()}
	first, done := math.NaN(), 0
	led := *c
	led.Trace = func(s optimize.Step) error {
		if done = s.Iteration; done == 1 {
			first = s.Certificate
		}
		if c.Trace != nil {
			if err := c.Trace(s); err != nil {
				return err
			}
		}
		// Newton's method gets there with some two Hessians of all rows. At the pace so
		// far this does not.
		if done > 4 && done != c.MaxIter && float64(done-1)*math.Log(s.Certificate/c.Tol) > float64(2+b.p/16)*math.Log(first/s.Certificate) {
			return errSlow
		}
		return nil
	}
	at, report, err := optimize.LBFGS(m, theta, 20, &led)
	if !errors.Is(err, errSlow) {
		return at, report, err
	}
	at, report, err = optimize.Newton(b, at, after(c, done))
	return at, plus(report, done), err
}

// plus returns r after as many iterations more.
func plus(r optimize.Report, done int) optimize.Report {
	return optimize.NewReport(r.Status(), r.Iterations()+done, r.Objective(), r.Certificate())
}

// after returns c for a method that goes on from where another has ended: what is
// left of the iterations, and a trace that goes on counting.
func after(c *optimize.Control, done int) *optimize.Control {
	rest := *c
	if c.MaxIter > 0 {
		rest.MaxIter -= done
	}
	if c.Trace != nil {
		rest.Trace = func(s optimize.Step) error {
			if s.Iteration == 0 {
				return nil
			}
			s.Iteration += done
			return c.Trace(s)
		}
	}
	return &rest
}
