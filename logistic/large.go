package logistic

import (
	"errors"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

// largeHessian is the number of parameters from which several classes are fitted
// without the full Hessian, whose K(K−1)/2 blocks cost as much as that many Gram
// matrices. Measured at n = 100,000, p = 100, K = 10 (900 parameters), a Newton
// step costs some 25 gradients.
const largeHessian = 200

const (
	sampledHessian = 2000 // parameters up to which a Hessian of part of the rows is factored
	sampleRows     = 10   // rows in that part for each parameter
)

// preconditioned is a likelihood of several classes in coordinates φ in which
// its Hessian is near the identity: with Γ the (K−1)×dim matrix of parameters,
//
//	Φ = Aᵀ·Γ·S,   AAᵀ = mean of Qᵀ(diag p − ppᵀ)Q,   SSᵀ = XᵀWX + ridge,
//
// as if probabilities and features were independent; or, for the last fit and not
// too many parameters, φ = Lᵀγ with the Hessian LLᵀ of part of the rows. It
// implements [optimize.Gradient].
type preconditioned struct {
	m     *multinomial
	a, s  *linalg.Cholesky
	h     *linalg.Cholesky // L, or nil
	gamma []float64
	g     []float64
	value float64
}

// newPreconditioned makes the preconditioner from the probabilities at gamma and
// the rows of m, one in every step.
func newPreconditioned(m *multinomial, gamma []float64, step int) (*preconditioned, error) {
	dim, cols := m.dim(), m.contrast.Cols
	t := m.thinned(step)
	part := newMultinomial(t, thin(m.code, 1, step), m.contrast, nil)
	prob := part.probabilities(gamma)
	mean := linalg.Zeros(cols, cols)
	qp, v := make([]float64, cols), make([]float64, t.n)
	total := 0.0
	for i := range t.n {
		p, w := prob.Row(i), t.weight(i)
		clear(qp)
		own := 0.0
		for c, pc := range p {
			linalg.Axpy(qp, pc, m.contrast.Row(c))
			own += pc * pc
			for a, q := range m.contrast.Row(c) {
				linalg.Axpy(mean.Row(a), w*pc*q, m.contrast.Row(c))
			}
		}
		for a, q := range qp {
			linalg.Axpy(mean.Row(a), -w*q, qp)
		}
		v[i] = w * (1 - own) // the trace, so that uncertain rows count more
		total += v[i]
	}
	// A⊗S has the Hessian's trace if S is weighted by the rows' traces and A by
	// their sum.
	if total > 0 {
		linalg.Scale(mean.Data, float64(step)/total)
	}
	gram := linalg.Zeros(dim, dim)
	t.subGram(gram, v, all(dim), nil)
	for j, r := range m.ridge {
		// Of the mean of A, whose trace is step.
		gram.Data[j*gram.Stride+j] += r * float64(cols) / float64(step)
	}
	a, err := steadied(mean)
	if err != nil {
		return nil, err
	}
	s, err := steadied(gram)
	if err != nil {
		return nil, err
	}
	return &preconditioned{m: m, a: a, s: s, gamma: make([]float64, cols*dim), g: make([]float64, cols*dim)}, nil
}

// steadied factors a matrix of a preconditioner; where the part of the rows does
// not determine it, after raising its diagonal. It may be changed.
func steadied(a *linalg.Dense) (*linalg.Cholesky, error) {
	if c, err := linalg.NewCholesky(a); err == nil && independent(a, c) {
		return c, nil
	}
	top := 0.0
	for j := range a.Rows {
		top = max(top, a.At(j, j))
	}
	for j := range a.Rows {
		a.Set(j, j, a.At(j, j)+1e-3*positive(top))
	}
	return linalg.NewCholesky(a)
}

func all(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// sampled returns the preconditioner by the Hessian of the rows of m, one in every
// step.
func sampled(m *multinomial, gamma []float64, step int) (*preconditioned, error) {
	part := m.part(step)
	h := linalg.Zeros(len(gamma), len(gamma))
	part.Hess(h, make([]float64, len(gamma)), gamma)
	linalg.Scale(h.Data, float64(step))
	factor, err := linalg.NewCholesky(h)
	if err != nil {
		return nil, err
	}
	return &preconditioned{m: m, h: factor, gamma: make([]float64, len(gamma)), g: make([]float64, len(gamma))}, nil
}

// part returns the likelihood of every step-th row, with its share of the ridge.
func (m *multinomial) part(step int) *multinomial {
	part := newMultinomial(m.thinned(step), thin(m.code, 1, step), m.contrast, slices.Clone(m.ridge))
	for j := range part.ridge {
		part.ridge[j] /= float64(step)
	}
	return part
}

// by applies a triangular operation with L to v, or with S to the rows of the
// (K−1)×dim matrix v and with A to its columns.
func (p *preconditioned) by(v []float64, f func(*linalg.Dense, []float64)) {
	if p.h != nil {
		f(p.h.L(), v)
		return
	}
	dim, k := p.m.dim(), p.m.contrast.Cols
	for a := range k {
		f(p.s.L(), v[a*dim:(a+1)*dim])
	}
	col := make([]float64, k)
	for j := range dim {
		for a := range col {
			col[a] = v[a*dim+j]
		}
		f(p.a.L(), col)
		for a := range col {
			v[a*dim+j] = col[a]
		}
	}
}

// parameters sets gamma to what phi stands for.
func (p *preconditioned) parameters(phi []float64) []float64 {
	copy(p.gamma, phi)
	p.by(p.gamma, linalg.SolveLowerT)
	return p.gamma
}

// coordinates sets phi to what stands for gamma.
func (p *preconditioned) coordinates(phi, gamma []float64) {
	copy(phi, gamma)
	p.by(phi, mulLowerT)
}

// mulLowerT overwrites b with Lᵀb.
func mulLowerT(l *linalg.Dense, b []float64) {
	for i := range b {
		v := b[i]
		b[i] = 0
		linalg.Axpy(b[:i+1], v, l.Row(i)[:i+1])
	}
}

// Value returns the objective.
func (p *preconditioned) Value(phi []float64) float64 { return p.m.Value(p.parameters(phi)) }

// Grad sets g to the gradient by phi and returns the objective.
func (p *preconditioned) Grad(g, phi []float64) float64 {
	p.value = p.m.Grad(p.g, p.parameters(phi))
	copy(g, p.g)
	p.by(g, linalg.SolveLower)
	return p.value
}

// errCertified ends a walk whose certificate holds.
var errCertified = errors.New("certified")

// fitLarge minimises m from gamma by L-BFGS in preconditioned coordinates, after
// fits to part of the rows where there are many.
func (m *multinomial) fitLarge(gamma, size []float64, o *Options, trace func(optimize.Step) error) ([]float64, optimize.Report, error) {
	if o.Start == nil {
		for step := 16; step > 1; step /= 4 {
			if m.n/step < 5*len(gamma) {
				continue
			}
			part := m.part(step)
			scaled := slices.Clone(size)
			linalg.Scale(scaled, 1/float64(step))
			near, report, _ := part.walk(gamma, scaled, 3e-4, 50, 1, nil) // step 1: the part is small
			if report.Certificate.Value < 1e-2 {
				copy(gamma, near)
			}
		}
	}
	step := max(1, m.n/max(4000, 20*m.dim()))
	return m.walk(gamma, size, o.tol(), o.MaxIter, step, trace)
}

// precondition chooses coordinates for a run from gamma.
func (m *multinomial) precondition(gamma []float64, step int) (*preconditioned, error) {
	if rows := sampleRows * len(gamma); step > 1 && len(gamma) <= sampledHessian && m.n > 2*rows {
		if p, err := sampled(m, gamma, m.n/rows); err == nil {
			return p, nil
		}
	}
	return newPreconditioned(m, gamma, step)
}

// walk is one run of L-BFGS, to the given tolerance of the certificate by the K
// functions.
func (m *multinomial) walk(gamma, size []float64, tol float64, maxIter, step int, trace func(optimize.Step) error) ([]float64, optimize.Report, error) {
	p, err := m.precondition(gamma, step)
	if err != nil {
		return nil, optimize.Report{}, err
	}
	phi := make([]float64, len(gamma))
	p.coordinates(phi, gamma)
	certificate := math.NaN()
	at, report, err := optimize.LBFGS(p, phi, 20, &optimize.Control{Tol: math.SmallestNonzeroFloat64, MaxIter: maxIter, Trace: func(s optimize.Step) error {
		// The last gradient is the one at this point.
		certificate = m.certificate(size)
		if trace != nil {
			s.X, s.Certificate = p.parameters(s.X), certificate
			if err := trace(s); err != nil {
				return err
			}
		}
		if certificate <= tol {
			return errCertified
		}
		return nil
	}})
	report.Certificate = optimize.Certificate{Kind: "gradient", Value: certificate, Tol: tol}
	if at == nil {
		return nil, report, err
	}
	if errors.Is(err, errCertified) {
		report.Status, err = optimize.Converged, nil
	}
	return slices.Clone(p.parameters(at)), report, err
}
