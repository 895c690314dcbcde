package regression

import (
	"math"
	"slices"

	"halfspace/linalg"
)

// system is the normal equations at one λ,
//
//	(XᵀWX + λ)θ = XᵀWz,   or   (X̃X̃ᵀ + λ)a = z̃,  θ = X̃ᵀa,  X̃ = √W·X,  z̃ = √W·z
//
// for fewer rows than columns, scaled to a unit diagonal and factored. Residuals are taken
// from the rows, not from the Gram matrix, so that refinement leaves the errors of a QR
// factorisation. (Björck, Numerical Methods for Least Squares Problems, 1996, §2.9.3: the
// corrected seminormal equations.)
type system struct {
	*problem
	lambda float64
	root   []float64
	factor *linalg.Cholesky
	rows   *linalg.Dense // X̃; nil with an equation for each column
}

const (
	// surePivot is the least squared pivot, of a unit diagonal, at which a factorisation of
	// the Gram matrix leaves degrees of freedom ten digits and refinement a factor 1e-10 a
	// step.
	surePivot = 1e-6
	// fewLambdas is the number of λ up to which a factor for each costs less than the
	// eigenvalues, from which all follow. (Measured at p = 500 and 2,000: twelve factors with
	// their inverses.)
	fewLambdas = 8
	// refinements bounds the steps of refinement; two are usual. The last one is smallStep of
	// the solution at most.
	refinements, smallStep = 4, 1e-11
)

// products are what the equations of all λ share: X̃ᵀX̃, or X̃ and X̃X̃ᵀ.
type products struct{ gram, rows *linalg.Dense }

// multiply returns the products, made once. O(np·min(n, p)).
func (p *problem) multiply() (*products, error) {
	if p.products != nil {
		return p.products, nil
	}
	m := &products{}
	var err error
	if _, remote := p.Rows().(linalg.Remote); (remote || p.Sparse()) && p.N >= p.P {
		if err := linalg.CheckSquare(p.P); err != nil {
			return nil, err
		}
		if m.gram, err = p.Gram(p.weights()); err != nil {
			return nil, err
		}
	} else if p.N >= p.P {
		x, err := p.dense()
		if err != nil {
			return nil, err
		}
		m.gram = linalg.Gram(x, p.Origin, p.Weights, p.Workers)
		scaleGram(m.gram, p.Unit)
	} else {
		if m.rows, err = p.Weighted(); err != nil {
			return nil, err
		}
		m.gram = linalg.GramOfRows(m.rows, p.Workers)
	}
	p.products = m
	return m, nil
}

// weights returns those of all rows.
func (p *problem) weights() []float64 {
	w := make([]float64, p.N)
	for i := range w {
		w[i] = p.Weight(i)
	}
	return w
}

// fitSystem fits by the normal equations; the model is nil where they are too ill
// conditioned, or where λ is so large that the degrees of freedom would cancel.
func (p *problem) fitSystem(lambda float64) (*Model, error) {
	if lambda > linalg.Dot(p.norms, p.norms) || lambda == 0 && p.N < p.P {
		return nil, nil
	}
	m, err := p.multiply()
	if err != nil {
		return nil, err
	}
	if lambda == 0 && !linalg.IndependentGram(m.gram, p.sizes(), p.Total) {
		return nil, nil
	}
	s := p.systemOf(m, lambda)
	if s == nil {
		return nil, nil
	}
	theta, err := s.coefficients()
	if theta == nil {
		return nil, err
	}
	return p.direct(theta, lambda, s.df())
}

// sizes bounds the values of each column, in units, by its mean and its norm about that.
func (p *problem) sizes() []float64 {
	size, least := slices.Clone(p.norms), math.Inf(1)
	for i := range p.N {
		if w := p.Weight(i); w > 0 {
			least = min(least, w)
		}
	}
	for j := range size {
		size[j] = math.Abs(p.Origin[j])/p.Unit[j] + size[j]/math.Sqrt(least)
	}
	return size
}

// systemOf factors the equations at λ; nil where they are not well enough conditioned.
func (p *problem) systemOf(m *products, lambda float64) *system {
	gram := m.gram.Clone()
	s := &system{problem: p, lambda: lambda, rows: m.rows, root: make([]float64, gram.Rows)}
	for j := range s.root {
		gram.Data[j*gram.Stride+j] += lambda
		s.root[j] = math.Sqrt(gram.At(j, j))
		if !(s.root[j] > 0) {
			return nil
		}
	}
	scaleGram(gram, s.root)
	var err error
	if s.factor, err = linalg.NewCholeskyOn(gram, p.Workers); err != nil || s.leastPivot() < surePivot {
		return nil
	}
	return s
}

// leastPivot returns the least squared pivot: the share of an equation that is
// independent of those before.
func (s *system) leastPivot() float64 {
	least, l := 1.0, s.factor.L()
	for j := range l.Rows {
		least = min(least, l.At(j, j))
	}
	return least * least
}

// solve overwrites b with the solution for the right-hand side b.
func (s *system) solve(b []float64) {
	s.unscale(b)
	s.factor.Solve(b)
	s.unscale(b)
}

func (s *system) unscale(b []float64) {
	for j, r := range s.root {
		b[j] /= r
	}
}

// coefficients returns θ, refined until a step is small; nil where steps do not become
// so. A pass over the rows for each.
func (s *system) coefficients() ([]float64, error) {
	theta, a := make([]float64, s.P), make([]float64, len(s.root))
	for range refinements {
		r, err := s.at(theta)
		if err != nil {
			return nil, err
		}
		step := s.missing(r, a)
		s.solve(step)
		linalg.Axpy(a, 1, step)
		if s.rows != nil {
			step = make([]float64, s.P)
			linalg.MulTVec(step, s.rows, a, s.Workers)
			linalg.Axpy(step, -1, theta)
		}
		linalg.Axpy(theta, 1, step)
		if linalg.Norm(step) <= smallStep*linalg.Norm(theta) {
			return theta, nil
		}
	}
	return nil, nil
}

// missing returns what is left of the right-hand side at the coefficients of r.
func (s *system) missing(r *residuals, a []float64) []float64 {
	if s.rows == nil {
		left := slices.Clone(r.gradient)
		linalg.Axpy(left, -s.lambda, r.theta)
		return left
	}
	left := make([]float64, s.rows.Rows)
	linalg.MulVec(left, s.rows, r.theta, s.Workers)
	for i, z := range s.weightedResponse() {
		left[i] = z - left[i] - s.lambda*a[i]
	}
	return left
}

// df returns the degrees of freedom Σ d²/(d²+λ): the number of equations less λ times the
// trace of the inverse. O(p³/3).
func (s *system) df() float64 {
	if s.lambda == 0 {
		return float64(len(s.root))
	}
	inverse, trace := s.factor.InverseL(s.Workers), 0.0
	for i := range inverse.Rows {
		for j, v := range inverse.Row(i)[:i+1] {
			v /= s.root[j]
			trace += v * v
		}
	}
	return float64(len(s.root)) - s.lambda*trace
}
