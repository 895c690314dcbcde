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
// f = Qγ with a K×(K−1) matrix Q of contrasts, and the parameters are those of the
// K−1 functions γ. With a ridge Q is orthonormal and its columns sum to 0: the ridge
// of γ is that of f, whose least one sums to 0 over the classes. Without one a
// reference class is 0 and γ are the other functions: their digits are those of
// what is published. It implements
// [optimize.Hessian]; with R = P − T the gradient is QᵀRᵀX, the Hessian
// Σ wᵢ Qᵀ(diag pᵢ − pᵢpᵢᵀ)Q ⊗ xᵢxᵢᵀ (Böhning, Ann. Inst. Stat. Math. 1992).
type multinomial struct {
	*design
	code     []int
	k        int
	contrast *linalg.Dense // Q
	zero     int           // the class whose function is 0; −1 if they sum to 0
	ridge    []float64     // by parameter of one function; nil without

	beta *linalg.Dense // scratch: slopes of the K functions, p×K
	coef *linalg.Dense // or the coefficients of exact scores, K×p
	b0   []float64
	full []float64 // scratch: the gradient by the K functions

	prob   *linalg.Dense // n×K, at probAt
	probAt []float64

	last linearisation
}

func newMultinomial(d *design, code []int, contrast *linalg.Dense, ridge []float64) *multinomial {
	k := contrast.Rows
	zero := -1
	for c := range k {
		if linalg.NormInf(contrast.Row(c)) == 0 {
			zero = c
		}
	}
	return &multinomial{
		design: d, code: code, k: k, contrast: contrast, zero: zero, ridge: ridge,
		beta: linalg.Zeros(d.p, k), b0: make([]float64, k), full: make([]float64, k*d.dim()),
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

// against returns the contrasts with one class: column a is the a-th of the
// others.
func against(k, reference int) *linalg.Dense {
	q := linalg.Zeros(k, k-1)
	a := 0
	for c := range k {
		if c != reference {
			q.Set(c, a, 1)
			a++
		}
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
	f                *linalg.Dense // blockRows×K: scores, probabilities, residuals
	lift             []float64     // by row: see relative
	qp               []float64     // Qᵀp of one row
	v                *linalg.Dense // weights of the blocks of h, K(K−1)/2×blockRows
	window           linalg.Dense
}

// at moves the K functions to gamma.
func (m *multinomial) at(gamma []float64) {
	dim := m.dim()
	m.expand(m.full, gamma)
	if m.exact && m.coef == nil {
		m.coef = linalg.Zeros(m.k, m.p)
	}
	slope := make([]float64, m.p)
	for c := range m.k {
		theta := m.full[c*dim : (c+1)*dim]
		if m.exact {
			m.b0[c] = m.design.coef(m.coef.Row(c), theta)
			continue
		}
		m.b0[c] = m.slopes(slope, theta)
		for j, b := range slope {
			m.beta.Set(j, c, b)
		}
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
	s := &multinomialSums{buf: m.buffer(), f: linalg.Zeros(blockRows, m.k), lift: make([]float64, blockRows)}
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
	x, f := m.scores(s, lo, hi)
	for i, y := range m.code[lo:hi] {
		s.lift[i] = relative(f.Row(i), y)
	}
	linalg.Exp(f.Data[:f.Rows*m.k], f.Data[:f.Rows*m.k])
	product := 1.0 // of probabilities' inverses, which saves logarithms
	for i, y := range m.code[lo:hi] {
		w := m.weight(lo + i)
		p := f.Row(i)
		own := p[y]
		p[y] = 0
		others := sum(p)
		all := own + others
		if w == 1 && s.lift[i] == 0 && all < 0x1p100 {
			if product *= all; product > 0x1p900 {
				s.value += math.Log(product)
				product = 1
			}
		} else {
			s.value += w * (s.lift[i] + math.Log(all))
		}
		if s.h != nil {
			p[y] = own
			linalg.Scale(p, 1/all)
			m.weigh(s, i, w, p)
			p[y] = -others / all
			linalg.Scale(p, w)
			continue
		}
		p[y] = -others // p_y − 1 without cancellation
		linalg.Scale(p, w/all)
	}
	s.value += math.Log(product)
	if s.g == nil {
		return
	}
	dim, k := m.dim(), m.intercept
	linalg.MulTAdd(&linalg.Dense{Rows: m.k, Cols: m.p, Stride: dim, Data: s.g[k:]}, 1, f, x)
	if k == 1 {
		for i := range f.Rows {
			for c, r := range f.Row(i) {
				s.g[c*dim] += r
			}
		}
	}
	if s.h == nil {
		return
	}
	for a := range m.k - 1 {
		for b := range a + 1 {
			v := s.v.Row(a*(a+1)/2 + b)[:hi-lo]
			m.addGram(s.h.Data[(a*dim)*s.h.Stride+b*dim:], s.h.Stride, x, v)
		}
	}
}

// relative subtracts the score of class y from all of a row, which is what exp(f)
// needs to be finite as a rule; where one of the others is far above it, the
// largest of them is subtracted too, and returned.
func relative(f []float64, y int) (lift float64) {
	own := f[y]
	for k := range f {
		f[k] -= own
		if f[k] > 600 {
			lift = max(lift, f[k])
		}
	}
	if lift > 0 {
		for k := range f {
			f[k] -= lift
		}
	}
	return lift
}

// scores sets f, by rows, to the scores of rows lo ≤ i < hi and returns it after
// the block of x.
func (m *multinomial) scores(s *multinomialSums, lo, hi int) (x, f *linalg.Dense) {
	x, f = m.block(&s.window, s.buf, lo, hi), s.f.RowRange(0, hi-lo)
	if m.exact {
		for i := range f.Rows {
			for c := range m.k {
				f.Set(i, c, m.exactScore(lo+i, m.coef.Row(c), m.b0[c], m.offsetOf(lo+i, c, m.k)))
			}
		}
		return x, f
	}
	for i := range f.Rows {
		copy(f.Row(i), m.b0)
		if m.offset != nil {
			linalg.Axpy(f.Row(i), 1, m.offset[(lo+i)*m.k:(lo+i+1)*m.k])
		}
	}
	linalg.MulAdd(f, 1, x, m.beta)
	return x, f
}

// weigh sets column i of v to the elements of w·Qᵀ(diag p − ppᵀ)Q on and below
// the diagonal.
func (m *multinomial) weigh(s *multinomialSums, i int, w float64, prob []float64) {
	clear(s.qp)
	least := math.Inf(1)
	for c, p := range prob {
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
			for c, p := range prob {
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
