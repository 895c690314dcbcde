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

	triangle bool      // the factor is that of the rows, with no products
	inverse  []float64 // see variances
	rows     []float64 // a, of equations by rows
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

// byRow reports whether the equations are those of rows, which are fewer than columns.
func (p *problem) byRow() bool { return p.N < p.P }

// multiply returns the products of the equations, X̃ᵀX̃ or X̃X̃ᵀ, made once where several λ share
// them. O(np·min(n, p)).
func (p *problem) multiply() (products *linalg.Dense, err error) {
	if p.products != nil {
		return p.products, nil
	}
	_, remote := p.Rows().(linalg.Remote)
	switch {
	case p.byRow():
		products, err = p.kernel()
	case remote || p.Sparse():
		if err = linalg.CheckSquare(p.P); err == nil {
			products, err = p.Gram(p.weights())
		}
	default:
		var x *linalg.Dense
		if x, err = p.dense(); err == nil {
			products = linalg.Gram(x, p.Origin, p.Weights, p.Workers)
			scaleGram(products, p.Unit, p.Workers)
		}
	}
	if p.shared {
		p.products = products
	}
	return products, err
}

// kernel returns X̃X̃ᵀ.
func (p *problem) kernel() (*linalg.Dense, error) {
	k, err := p.Kernel(slices.Repeat([]float64{1}, p.P))
	if err != nil || p.Weights == nil {
		return k, err
	}
	for i := range k.Rows {
		for j := range k.Cols {
			k.Data[i*k.Stride+j] *= math.Sqrt(p.Weight(i)) * math.Sqrt(p.Weight(j))
		}
	}
	return k, nil
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
	products, err := p.multiply()
	if err != nil {
		return nil, err
	}
	if lambda == 0 && !linalg.IndependentGram(products, p.sizes(), p.Total) {
		return nil, nil
	}
	s := p.systemOf(products, lambda)
	if s == nil {
		return nil, nil
	}
	theta, err := s.coefficients()
	if theta == nil {
		return nil, err
	}
	return s.direct(theta, s.df())
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

// systemOf factors the equations at λ, in the memory of the products unless they are shared; nil
// where the equations are not well enough conditioned.
func (p *problem) systemOf(products *linalg.Dense, lambda float64) *system {
	gram := products
	if p.shared {
		gram = linalg.Zeros(products.Rows, products.Rows)
	}
	s := &system{problem: p, lambda: lambda, root: make([]float64, gram.Rows)}
	for j := range s.root {
		copy(gram.Row(j)[:j+1], products.Row(j))
		gram.Data[j*gram.Stride+j] += lambda
		s.root[j] = math.Sqrt(gram.At(j, j))
		if !(s.root[j] > 0) {
			return nil
		}
	}
	scaleGram(gram, s.root, p.Workers)
	var err error
	if s.factor, err = linalg.NewCholeskyIn(gram, p.Workers); err != nil || s.leastPivot() < surePivot {
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
// so. One or two passes over the rows for each.
func (s *system) coefficients() ([]float64, error) {
	theta, a := make([]float64, s.P), make([]float64, len(s.root))
	for range refinements {
		step, err := s.missing(theta, a)
		if err != nil {
			return nil, err
		}
		s.solve(step)
		if s.byRow() {
			linalg.Axpy(a, 1, step)
			if step, err = s.along(a); err != nil {
				return nil, err
			}
			linalg.Axpy(step, -1, theta)
		}
		linalg.Axpy(theta, 1, step)
		if linalg.Norm(step) <= smallStep*linalg.Norm(theta) {
			s.rows = a
			return theta, nil
		}
	}
	return nil, nil
}

// along returns X̃ᵀa.
func (s *system) along(a []float64) ([]float64, error) {
	v := slices.Clone(a)
	for i := range v {
		v[i] *= math.Sqrt(s.Weight(i))
	}
	return s.Back(&linalg.Dense{Rows: s.N, Cols: 1, Stride: 1, Data: v})
}

// missing returns what is left of the right-hand side at the coefficients theta = X̃ᵀa.
func (s *system) missing(theta, a []float64) ([]float64, error) {
	if !s.byRow() {
		r, err := s.at(theta)
		if err != nil {
			return nil, err
		}
		left := slices.Clone(r.gradient)
		linalg.Axpy(left, -s.lambda, theta)
		return left, nil
	}
	left, f := s.weightedResponse(), make([]float64, s.N)
	if linalg.NormInf(theta) == 0 {
		return left, nil
	}
	if err := s.Margins(f, theta); err != nil {
		return nil, err
	}
	for i, v := range f {
		left[i] -= math.Sqrt(s.Weight(i))*v + s.lambda*a[i]
	}
	return left, nil
}

// df returns the degrees of freedom Σ d²/(d²+λ): the number of equations less λ times the
// trace of the inverse. O(p³/3).
func (s *system) df() float64 {
	if s.lambda == 0 {
		return float64(len(s.root))
	}
	return float64(len(s.root)) - s.lambda*linalg.Sum(s.variances())
}

// variances returns the diagonal of the inverse of the equations. O(p³/3).
func (s *system) variances() []float64 {
	if s.inverse == nil {
		s.inverse = s.factor.InverseDiagonal(s.Workers)
		for j, v := range s.inverse {
			s.inverse[j] = v / s.root[j] / s.root[j]
		}
	}
	return s.inverse
}

// metric returns that of the equations by columns, by their factor, or of the ridge alone where rounding leaves
// nothing of it. By rows the derivatives at θ are X̃ᵀρ, ρ what is left of the equations, but for the rounding of
// θ = X̃ᵀa, and √(ρᵀX̃M⁻¹X̃ᵀρ) ≤ ‖ρ‖.
func (s *system) metric(theta []float64) (*metric, error) {
	m := s.ridgeMetric(s.lambda)
	if s.byRow() {
		left, err := s.missing(theta, s.rows)
		m.length = func([]float64) float64 { return linalg.Norm(left) }
		return m, err
	}
	if own := s.columnMetric(); own.share > 0.5 {
		m = own
	}
	return m, nil
}

// direct returns the model with the coefficients theta.
func (s *system) direct(theta []float64, df float64) (*Model, error) {
	m, err := s.metric(theta)
	if err != nil {
		return nil, err
	}
	return s.problem.direct(theta, s.lambda, df, m)
}

// columnMetric is that of the factor of the equations by columns.
func (s *system) columnMetric() *metric {
	m, trace, cancelled := &metric{inverse: s.variances(), length: s.length}, 0.0, 1.0
	whole := s.lengths()
	for j, v := range m.inverse {
		trace += v * (s.norms[j]*s.norms[j] + s.lambda)
		cancelled = max(cancelled, whole[j]/s.norms[j])
	}
	p := float64(s.P)
	if s.triangle {
		m.share = 1 - s.sumRounding(s.P)*p*math.Sqrt(p*trace)
	} else {
		m.share = math.Sqrt(1 - (s.sumRounding(s.P)*cancelled*cancelled+p*unit)*p*trace)
	}
	return m
}

// length overwrites v with L⁻¹v for the factor L of the equations by columns, and returns how long that is.
func (s *system) length(v []float64) float64 {
	s.unscale(v)
	linalg.SolveLower(s.factor.L(), v)
	return linalg.Norm(v)
}

// scaleGram divides the rows and columns of a Gram matrix by units, in its lower triangle.
func scaleGram(gram *linalg.Dense, unit []float64, workers int) {
	linalg.For(gram.Rows, scaledRows, workers, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			row := gram.Row(j)[:j+1]
			for k, v := range row {
				row[k] = v / unit[j] / unit[k]
			}
		}
	})
}

// scaledRows is the number of rows of a Gram matrix that are a piece of work.
const scaledRows = 64
