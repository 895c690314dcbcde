package glm

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
)

// Jeffreys is Firth's objective for the logistic loss, the negative log-likelihood less
// half the log-determinant of the information I = XᵀVX (Jeffreys' prior; Firth,
// Biometrika 1993; Heinze & Schemper, Statistics in Medicine 2002):
//
//	f(θ) − ½ log det I,   vᵢ = wᵢpᵢ(1−pᵢ).
//
// Its gradient has w(p − t) + h(p − ½) in place of the residual w(p − t), with h
// the leverages of V^½X; its Hessian is
//
//	I − ½ Σ v″ᵢ(xᵢᵀI⁻¹xᵢ)xᵢxᵢᵀ + ½ tr(I⁻¹T_jI⁻¹T_k),   T_j = Σ v′ᵢxᵢⱼxᵢxᵢᵀ
//
// with the derivatives v′ = v(1−2p) and v″ = v(1−6p(1−p)) by the score. The last
// term costs O(np³) and p³ values. I alone is a model of it that costs nothing more than
// the gradient. It implements [optimize.Hessian] and [optimize.Preconditioned].
type Jeffreys struct {
	o    *Objective
	info *linalg.Dense // scratch: I
	g    []float64
	last *linalg.Cholesky // of I where the gradient was last taken
}

// NewJeffreys returns Firth's objective for one of the logistic loss.
func NewJeffreys(o *Objective) *Jeffreys {
	dim := o.Dim()
	return &Jeffreys{o: o, info: linalg.Zeros(dim, dim), g: make([]float64, dim)}
}

// Information returns I at theta.
func (f *Jeffreys) Information(theta []float64) *linalg.Dense {
	h := linalg.Zeros(f.o.Dim(), f.o.Dim())
	f.o.Hess(h, f.g, theta)
	return h
}

// Err returns the first error of a pass.
func (f *Jeffreys) Err() error { return f.o.failed }

// Value returns the objective; +Inf where the information is singular. O(np²).
func (f *Jeffreys) Value(theta []float64) float64 {
	v, factor := f.factor(theta)
	if factor == nil {
		return math.Inf(1)
	}
	return v - factor.LogDet()/2
}

// Grad sets g to the gradient and returns the objective. O(np²).
func (f *Jeffreys) Grad(g, theta []float64) float64 { return f.derive(nil, g, theta) }

// Hess sets h and g to the derivatives and returns the objective. O(np³).
func (f *Jeffreys) Hess(h *linalg.Dense, g, theta []float64) float64 { return f.derive(h, g, theta) }

// Precondition overwrites d with I⁻¹d, for I where the gradient was last taken.
func (f *Jeffreys) Precondition(d []float64) { f.last.Solve(d) }

// scoredFeatures is the number of parameters from which the information leads L-BFGS first:
// with fewer the exact Hessian costs a few gradients.
const scoredFeatures = 8

// Minimize finds the minimum from theta: by L-BFGS led by the information, O(np²) a step,
// and where that creeps or there are few parameters by Newton's method.
func (f *Jeffreys) Minimize(theta []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	newton := optimize.Stage{Name: "Newton", Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		return optimize.Newton(f, x, c)
	}}
	if len(theta) < scoredFeatures {
		return newton.Solve(theta, c)
	}
	scored := optimize.Stage{Name: "L-BFGS led by the information", Until: optimize.Pace(c.Tol, 0, patience, float64(2*len(theta))),
		Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
			return optimize.LBFGS(f, x, pairsKept, c)
		}}
	return optimize.Run(theta, c, func(x []float64) (float64, optimize.Certificate, error) {
		g, worst := make([]float64, len(x)), 0.0
		value := f.Grad(g, x)
		for j, v := range g {
			worst = max(worst, math.Abs(v)/c.Scale.At(j))
		}
		return value, optimize.Certificate{Kind: optimize.KindGradient, Value: worst, Tol: c.Tol}, f.Err()
	}, scored, newton)
}

// factor returns the negative log-likelihood and the factor of the information, nil
// where that is singular.
func (f *Jeffreys) factor(theta []float64) (float64, *linalg.Cholesky) {
	v := f.o.Hess(f.info, f.g, theta)
	factor, err := linalg.NewCholesky(f.info)
	if err != nil {
		return v, nil
	}
	return v, factor
}

func (f *Jeffreys) derive(h *linalg.Dense, g, theta []float64) float64 {
	v, factor := f.factor(theta)
	if factor != nil {
		f.last = factor
	} else {
		for j := range g {
			g[j] = math.NaN()
		}
		return math.Inf(1)
	}
	total := newLeverageSums(f.o, theta, factor, h != nil)
	if f.o.failed == nil {
		f.o.failed = design.Reduce(f.o.Design, f.o.Dim(),
			func() *leverageSums { return newLeverageSums(f.o, theta, factor, h != nil) }, total.merge)
	}
	copy(g, f.g)
	linalg.Axpy(g, 1, total.g)
	if h != nil {
		for i := range h.Rows {
			copy(h.Row(i), f.info.Row(i))
			linalg.Axpy(h.Row(i), 1, total.h.Row(i))
		}
		total.addTraces(h)
		linalg.Symmetrize(h)
	}
	return v - factor.LogDet()/2
}

// leverageSums is one goroutine's share of the derivatives of ½ log det I.
type leverageSums struct {
	o        *Objective
	f        *design.Functions
	factor   *linalg.Cholesky
	g        []float64
	h        *linalg.Dense
	t        []*linalg.Dense // T_j; nil without a Hessian
	rows     *linalg.Dense
	eta      *linalg.Dense
	sol      []float64
	a, c, cx []float64 // weights of the rows in h, in T_j before and after xᵢⱼ
}

func newLeverageSums(o *Objective, theta []float64, factor *linalg.Cholesky, hessian bool) *leverageSums {
	const rows = linalg.BlockRows
	dim := o.Dim()
	s := &leverageSums{o: o, f: o.NewFunctions(1), factor: factor, g: make([]float64, dim), h: linalg.Zeros(dim, dim),
		rows: linalg.Zeros(rows, dim), eta: linalg.Zeros(rows, 1), sol: make([]float64, dim),
		a: make([]float64, rows), c: make([]float64, rows), cx: make([]float64, rows)}
	s.f.Set(o.Design, 0, theta)
	if hessian {
		for range dim {
			s.t = append(s.t, linalg.Zeros(dim, dim))
		}
	}
	return s
}

// Reset forgets all rows.
func (s *leverageSums) Reset() {
	clear(s.g)
	clear(s.h.Data)
	for _, t := range s.t {
		clear(t.Data)
	}
}

func (s *leverageSums) merge(part *leverageSums) {
	linalg.Axpy(s.g, 1, part.g)
	linalg.Axpy(s.h.Data, 1, part.h.Data)
	for j, t := range part.t {
		linalg.Axpy(s.t[j].Data, 1, t.Data)
	}
}

// Add sums over the rows of a block.
func (s *leverageSums) Add(b *design.Block) {
	m := b.Len()
	rows, eta := s.rows.RowRange(0, m), s.eta.RowRange(0, m)
	b.Scores(eta, s.f)
	for i := range m {
		row := rows.Row(i)
		b.Row(row, i)
		p, q := linalg.Sigmoid(eta.Data[i]), linalg.Sigmoid(-eta.Data[i])
		v := s.o.Weight(b.Lo+i) * p * q
		copy(s.sol, row)
		linalg.SolveLower(s.factor.L(), s.sol)
		lev := linalg.Dot(s.sol, s.sol)
		linalg.Axpy(s.g, lev*v*(p-q)/2, row)
		s.a[i] = -lev * v * (1 - 6*p*q) / 2
		s.c[i] = v * (q - p)
	}
	if s.t == nil {
		return
	}
	linalg.Syrk(s.h, rows, nil, s.a[:m])
	for j, t := range s.t {
		for i := range m {
			s.cx[i] = s.c[i] * rows.At(i, j)
		}
		linalg.Syrk(t, rows, nil, s.cx[:m])
	}
}

// addTraces adds ½ tr(I⁻¹T_jI⁻¹T_k) to the lower triangle of h: half the inner
// product of L⁻¹T_jL⁻ᵀ and L⁻¹T_kL⁻ᵀ.
func (s *leverageSums) addTraces(h *linalg.Dense) {
	turned := linalg.Zeros(h.Rows, h.Cols)
	for _, t := range s.t {
		linalg.Symmetrize(t)
		for range 2 {
			for i := range t.Rows {
				linalg.SolveLower(s.factor.L(), t.Row(i))
			}
			linalg.Transpose(turned, t)
			copy(t.Data, turned.Data)
		}
	}
	for j, t := range s.t {
		for k, u := range s.t[:j+1] {
			h.Data[j*h.Stride+k] += linalg.Dot(t.Data, u.Data) / 2
		}
	}
}
