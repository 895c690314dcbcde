package optimize

import "halfspace/linalg"

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
	diagonal := make([]float64, p)
	for j := range diagonal {
		diagonal[j] = 1
	}
	b.unscale(diagonal, factor)
	b.h = linalg.Zeros(p, p)
	for j, v := range diagonal {
		b.h.Set(j, j, v)
	}
}
