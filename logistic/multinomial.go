package logistic

import (
	"math"

	"halfspace/linalg"
)

// multinomial is the penalised negative log-likelihood of K classes,
//
//	−Σ wᵢ log pᵢ(yᵢ) + ½ Σₖⱼ ridgeⱼβₖⱼ²,   pᵢ(k) ∝ exp(fₖ(xᵢ) + offsetᵢₖ).
//
// Adding one function to all fₖ changes no probability, so the K functions are
// f = Qγ with an orthonormal K×(K−1) matrix Q of contrasts, whose columns sum to
// 0, and the parameters are those of the K−1 functions γ. The ridge of γ is that
// of f, whose least one sums to 0 over the classes. It implements
// [optimize.Hessian]; with R = P − T the gradient is QᵀRᵀX, the Hessian
// Σ wᵢ Qᵀ(diag pᵢ − pᵢpᵢᵀ)Q ⊗ xᵢxᵢᵀ (Böhning, Ann. Inst. Stat. Math. 1992).
type multinomial struct {
	*design
	code     []int
	k        int
	contrast *linalg.Dense // Q
	ridge    []float64     // by parameter of one function; nil without

	beta *linalg.Dense // scratch: slopes of the K functions, K×p
	b0   []float64
	full []float64 // scratch: the gradient by the K functions

	prob   *linalg.Dense // n×K, at probAt
	probAt []float64

	last linearisation
}

func newMultinomial(d *design, code []int, contrast *linalg.Dense, ridge []float64) *multinomial {
	k := contrast.Rows
	return &multinomial{
		design: d, code: code, k: k, contrast: contrast, ridge: ridge,
		beta: linalg.Zeros(k, d.p), b0: make([]float64, k), full: make([]float64, k*d.dim()),
		last: linearisation{g: make([]float64, contrast.Cols*d.dim())},
	}
}

// contrasts returns Helmert's orthonormal contrasts: column a compares class a+1
// with the mean of those before it.
func contrasts(k int) *linalg.Dense {
	q := linalg.Zeros(k, k-1)
	for a := range k - 1 {
		m := float64(a + 1)
		for c := range a + 1 {
			q.Set(c, a, -1/math.Sqrt(m*(m+1)))
		}
		q.Set(a+1, a, math.Sqrt(m/(m+1)))
	}
	return q
}

// expand sets functions (K·dim) to Qγ.
func (m *multinomial) expand(functions, gamma []float64) {
	dim := m.dim()
	clear(functions)
	for c := range m.k {
		for a, q := range m.contrast.Row(c) {
			linalg.Axpy(functions[c*dim:(c+1)*dim], q, gamma[a*dim:(a+1)*dim])
		}
	}
}

// reduce sets gamma to Qᵀ·functions.
func (m *multinomial) reduce(gamma, functions []float64) {
	dim := m.dim()
	clear(gamma)
	for c := range m.k {
		for a, q := range m.contrast.Row(c) {
			linalg.Axpy(gamma[a*dim:(a+1)*dim], q, functions[c*dim:(c+1)*dim])
		}
	}
}

// Value returns the objective. O(npK).
func (m *multinomial) Value(gamma []float64) float64 { return m.pass(nil, nil, gamma) }

// Grad sets g to the gradient and returns the objective. O(npK).
func (m *multinomial) Grad(g, gamma []float64) float64 { return m.pass(nil, g, gamma) }

// Hess sets h and g to the derivatives and returns the objective. O(np²K²).
func (m *multinomial) Hess(h *linalg.Dense, g, gamma []float64) float64 { return m.pass(h, g, gamma) }

// multinomialSums is what one goroutine sums over a chunk of rows.
type multinomialSums struct {
	value, minWeight float64
	g                []float64 // by function
	h                *linalg.Dense
	buf              []float64
	f                *linalg.Dense // K×blockRows: scores, then residuals
	p, qp            []float64     // probabilities of one row, Qᵀp
	v                *linalg.Dense // weights of the blocks of h, K(K−1)/2×blockRows
	window           linalg.Dense
}

// at moves the K functions to gamma.
func (m *multinomial) at(gamma []float64) {
	dim := m.dim()
	m.expand(m.full, gamma)
	for c := range m.k {
		m.b0[c] = m.slopes(m.beta.Row(c), m.full[c*dim:(c+1)*dim])
	}
}

func (m *multinomial) pass(h *linalg.Dense, g, gamma []float64) float64 {
	dim, size := m.dim(), m.k
	m.at(gamma)
	if h != nil {
		size = m.p * m.k
		clear(h.Data)
	}
	clear(m.full)
	total, minWeight := 0.0, math.Inf(1)
	linalg.Reduce(m.n, m.chunk(size), m.workers,
		func() *multinomialSums { return m.sums(g != nil, h != nil) },
		func(s *multinomialSums, lo, hi int) {
			s.reset()
			for ; lo < hi; lo += blockRows {
				m.add(s, lo, min(lo+blockRows, hi))
			}
		},
		func(s *multinomialSums) {
			total += s.value
			minWeight = min(minWeight, s.minWeight)
			if g != nil {
				linalg.Axpy(m.full, 1, s.g)
			}
			if h != nil {
				linalg.Axpy(h.Data, 1, s.h.Data)
			}
		})
	if h != nil {
		m.finish(h)
		m.last.h, m.last.minWeight = h, minWeight
	}
	if g != nil {
		for c := range m.k {
			m.toUnits(m.full[c*dim : (c+1)*dim])
		}
		m.reduce(g, m.full)
	}
	for a := range m.contrast.Cols {
		for j, r := range m.ridge {
			at := a*dim + j
			total += 0.5 * r * gamma[at] * gamma[at]
			if g != nil {
				g[at] += r * gamma[at]
			}
			if h != nil {
				h.Data[at*h.Stride+at] += r
			}
		}
	}
	if g != nil {
		copy(m.last.g, g)
	}
	return total
}

func (m *multinomial) sums(gradient, hessian bool) *multinomialSums {
	s := &multinomialSums{buf: m.buffer(), f: linalg.Zeros(m.k, blockRows), p: make([]float64, m.k)}
	if gradient {
		s.g = make([]float64, m.k*m.dim())
	}
	if hessian {
		d := (m.k - 1) * m.dim()
		s.h, s.v, s.qp = linalg.Zeros(d, d), linalg.Zeros(m.k*(m.k-1)/2, blockRows), make([]float64, m.k-1)
	}
	return s
}

func (s *multinomialSums) reset() {
	s.value, s.minWeight = 0, math.Inf(1)
	clear(s.g)
	if s.h != nil {
		clear(s.h.Data)
	}
}

// add sums over rows lo ≤ i < hi, at most blockRows of them.
func (m *multinomial) add(s *multinomialSums, lo, hi int) {
	x := m.scores(s, lo, hi)
	rows := hi - lo
	for i := range rows {
		w := m.weight(lo + i)
		m.row(s, lo, lo+i)
		s.value += w * softmaxLoss(s.p, m.code[lo+i])
		if s.h != nil {
			m.weigh(s, i, w)
		}
		if s.g != nil {
			y := m.code[lo+i]
			rest := 0.0 // 1 − p_y without cancellation
			for c, p := range s.p {
				if c != y {
					s.f.Set(c, i, w*p)
					rest += p
				}
			}
			s.f.Set(y, i, -w*rest)
		}
	}
	if s.g == nil {
		return
	}
	dim, k := m.dim(), m.intercept
	for c := range m.k {
		r := s.f.Row(c)[:rows]
		linalg.MulTVecAdd(s.g[c*dim+k:(c+1)*dim], x, r)
		if k == 1 {
			s.g[c*dim] += sum(r)
		}
	}
	if s.h == nil {
		return
	}
	for a := range m.k - 1 {
		for b := range a + 1 {
			v := s.v.Row(a*(a+1)/2 + b)[:rows]
			corner := s.h.Data[(a*dim)*s.h.Stride+b*dim:]
			linalg.Syrk(&linalg.Dense{Rows: m.p, Cols: m.p, Stride: s.h.Stride, Data: corner[k*(s.h.Stride+1):]}, x, nil, v)
			if k == 1 {
				corner[0] += sum(v)
				linalg.MulTVecAdd(corner[1:m.p+1], x, v)
			}
		}
	}
}

// scores sets f to the scores of rows lo ≤ i < hi, less intercepts and offsets.
func (m *multinomial) scores(s *multinomialSums, lo, hi int) *linalg.Dense {
	x := m.block(&s.window, s.buf, lo, hi)
	for c := range m.k {
		linalg.MulVec(s.f.Row(c)[:hi-lo], x, m.beta.Row(c), 1)
	}
	return x
}

// row sets p to the scores of row i of a block that begins with row lo.
func (m *multinomial) row(s *multinomialSums, lo, i int) {
	for c := range m.k {
		s.p[c] = s.f.At(c, i-lo) + m.b0[c]
	}
	if m.offset != nil {
		linalg.Axpy(s.p, 1, m.offset[i*m.k:(i+1)*m.k])
	}
}

// softmaxLoss returns −log p_y and turns the scores f into probabilities. The
// sum leaves out the largest term's 1, so that a loss near 0 keeps its digits.
func softmaxLoss(f []float64, y int) float64 {
	top := linalg.ArgMax(f)
	largest, fy := f[top], f[y]
	rest := 0.0
	for c, v := range f {
		f[c] = math.Exp(v - largest)
		if c != top {
			rest += f[c]
		}
	}
	for c := range f {
		f[c] /= 1 + rest
	}
	return math.Log1p(rest) + (largest - fy)
}

// weigh sets column i of v to the elements of w·Qᵀ(diag p − ppᵀ)Q on and below
// the diagonal.
func (m *multinomial) weigh(s *multinomialSums, i int, w float64) {
	clear(s.qp)
	least := math.Inf(1)
	for c, p := range s.p {
		linalg.Axpy(s.qp, p, m.contrast.Row(c))
		least = min(least, p)
	}
	if w > 0 {
		// The least p bounds the smallest eigenvalue from below.
		s.minWeight = min(s.minWeight, w*least)
	}
	for a := range m.k - 1 {
		for b := range a + 1 {
			t := 0.0
			for c, p := range s.p {
				t += p * m.contrast.At(c, a) * m.contrast.At(c, b)
			}
			s.v.Set(a*(a+1)/2+b, i, w*(t-s.qp[a]*s.qp[b]))
		}
	}
}

// finish completes the blocks of h on and below the diagonal to the symmetric
// Hessian by the parameters.
func (m *multinomial) finish(h *linalg.Dense) {
	dim := m.dim()
	for a := range m.k - 1 {
		for b := range a + 1 {
			block := &linalg.Dense{Rows: dim, Cols: dim, Stride: h.Stride, Data: h.Data[a*dim*h.Stride+b*dim:]}
			m.finishBlock(block)
		}
	}
	linalg.Symmetrize(h)
}
