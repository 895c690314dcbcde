package logistic

import (
	"math"

	"halfspace/linalg"
	"halfspace/optimize"
)

// maxFirth is the largest number of features: their p³ derivatives of the
// information take 216 MB a goroutine.
const maxFirth = 300

// fitFirth minimises Firth's objective. Its only failures are dependent columns
// and the iteration cap.
func fitFirth(b *binary, start []float64, c *optimize.Control, r *response) (*Model, error) {
	theta, report, err := optimize.Newton(&penalised{binary: b}, start, c)
	if report.Status() != optimize.Stopped && b.last.h != nil {
		factor, pivot := linalg.NewCholesky(b.last.h)
		if pivot != nil || !independent(b.last.h, factor) {
			if err := b.rank(nil); err != nil {
				return nil, err
			}
		}
	}
	if theta == nil {
		return nil, err
	}
	return b.binaryModel(theta, r, firth, report), err
}

// penalised is Firth's objective for two classes, the negative log-likelihood
// less half the log-determinant of the information I = XᵀVX (Jeffreys' prior;
// Firth, Biometrika 1993; Heinze & Schemper, Statistics in Medicine 2002):
//
//	f(θ) − ½ log det I,   vᵢ = wᵢpᵢ(1−pᵢ).
//
// Its gradient has w(p − t) + h(p − ½) in place of the residual w(p − t), with h
// the leverages of V^½X; its Hessian is
//
//	I − ½ Σ v″ᵢ(xᵢᵀI⁻¹xᵢ)xᵢxᵢᵀ + ½ tr(I⁻¹T_jI⁻¹T_k),   T_j = Σ v′ᵢxᵢⱼxᵢxᵢᵀ
//
// with the derivatives v′ = v(1−2p) and v″ = v(1−6p(1−p)) by the score. The last
// term costs O(np³) and p³ values: the method is for tens of features.
type penalised struct {
	*binary
	h *linalg.Dense // scratch
}

// information returns XᵀWX at theta.
func (p *penalised) information(theta []float64) *linalg.Dense {
	h := linalg.Zeros(p.dim(), p.dim())
	p.binary.Hess(h, make([]float64, p.dim()), theta)
	return h
}

// Value returns the objective; +Inf where the information is singular.
func (p *penalised) Value(theta []float64) float64 {
	v, factor := p.factor(theta)
	if factor == nil {
		return math.Inf(1)
	}
	return v - factor.LogDet()/2
}

// Grad sets g to the gradient and returns the objective. O(np²).
func (p *penalised) Grad(g, theta []float64) float64 { return p.pass(nil, g, theta) }

// Hess sets h and g to the derivatives and returns the objective. O(np³).
func (p *penalised) Hess(h *linalg.Dense, g, theta []float64) float64 { return p.pass(h, g, theta) }

func (p *penalised) factor(theta []float64) (float64, *linalg.Cholesky) {
	if p.h == nil {
		p.h = linalg.Zeros(p.dim(), p.dim())
	}
	v := p.binary.Hess(p.h, p.last.g, theta)
	factor, err := linalg.NewCholesky(p.h)
	if err != nil {
		return v, nil
	}
	return v, factor
}

func (p *penalised) pass(h *linalg.Dense, g, theta []float64) float64 {
	v, factor := p.factor(theta)
	if factor == nil {
		for j := range g {
			g[j] = math.NaN()
		}
		return math.Inf(1)
	}
	v -= factor.LogDet() / 2
	copy(g, p.last.g)
	if h != nil {
		for i := range h.Rows {
			copy(h.Row(i), p.h.Row(i))
		}
	}
	total := newFirthSums(p.dim(), h != nil)
	linalg.Reduce(p.n, p.chunk(p.dim()), p.workers,
		func() *firthSums { return newFirthSums(p.dim(), h != nil) },
		func(s *firthSums, lo, hi int) {
			s.reset()
			for ; lo < hi; lo += blockRows {
				p.add(s, lo, min(lo+blockRows, hi), theta, factor)
			}
		},
		total.merge)
	linalg.Axpy(g, 1, total.g)
	if h != nil {
		linalg.Axpy(h.Data, 1, total.h.Data)
		total.addTraces(h, factor)
		linalg.Symmetrize(h)
	}
	return v
}

// firthSums is what one goroutine sums over a chunk of rows.
type firthSums struct {
	g        []float64
	h        *linalg.Dense
	t        []*linalg.Dense // T_j; nil without a Hessian
	rows     *linalg.Dense
	sol      []float64
	a, c, cx []float64 // weights of the rows in h, in T_j before and after xᵢⱼ
}

func newFirthSums(dim int, hessian bool) *firthSums {
	s := &firthSums{
		g: make([]float64, dim), h: linalg.Zeros(dim, dim), rows: linalg.Zeros(blockRows, dim), sol: make([]float64, dim),
		a: make([]float64, blockRows), c: make([]float64, blockRows), cx: make([]float64, blockRows),
	}
	if hessian {
		for range dim {
			s.t = append(s.t, linalg.Zeros(dim, dim))
		}
	}
	return s
}

func (s *firthSums) reset() {
	clear(s.g)
	clear(s.h.Data)
	for _, t := range s.t {
		clear(t.Data)
	}
}

func (s *firthSums) merge(part *firthSums) {
	linalg.Axpy(s.g, 1, part.g)
	linalg.Axpy(s.h.Data, 1, part.h.Data)
	for j, t := range part.t {
		linalg.Axpy(s.t[j].Data, 1, t.Data)
	}
}

// add sums over rows lo ≤ i < hi, at most blockRows of them.
func (p *penalised) add(s *firthSums, lo, hi int, theta []float64, factor *linalg.Cholesky) {
	rows := s.rows.RowRange(0, hi-lo)
	for i := range rows.Rows {
		row, w := rows.Row(i), p.weight(lo+i)
		p.row(row, lo+i)
		eta := linalg.Dot(row, theta)
		if p.offset != nil {
			eta += p.offset[lo+i]
		}
		prob, other := linalg.Sigmoid(eta), linalg.Sigmoid(-eta)
		v := w * prob * other
		copy(s.sol, row)
		linalg.SolveLower(factor.L(), s.sol)
		q := linalg.Dot(s.sol, s.sol)
		linalg.Axpy(s.g, q*v*(prob-other)/2, row)
		s.a[i] = -q * v * (1 - 6*prob*other) / 2
		s.c[i] = v * (other - prob)
	}
	if s.t == nil {
		return
	}
	linalg.Syrk(s.h, rows, nil, s.a[:hi-lo])
	for j, t := range s.t {
		for i := range rows.Rows {
			s.cx[i] = s.c[i] * rows.At(i, j)
		}
		linalg.Syrk(t, rows, nil, s.cx[:hi-lo])
	}
}

// addTraces adds ½ tr(I⁻¹T_jI⁻¹T_k) to the lower triangle of h: half the inner
// product of L⁻¹T_jL⁻ᵀ and L⁻¹T_kL⁻ᵀ.
func (s *firthSums) addTraces(h *linalg.Dense, factor *linalg.Cholesky) {
	turned := linalg.Zeros(h.Rows, h.Cols)
	for _, t := range s.t {
		linalg.Symmetrize(t)
		for range 2 {
			for i := range t.Rows {
				linalg.SolveLower(factor.L(), t.Row(i))
			}
			for i := range t.Rows {
				t.Col(turned.Row(i), i)
			}
			copy(t.Data, turned.Data)
		}
	}
	for j, t := range s.t {
		for k, u := range s.t[:j+1] {
			h.Data[j*h.Stride+k] += linalg.Dot(t.Data, u.Data) / 2
		}
	}
}
