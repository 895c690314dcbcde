package logistic

import (
	"math"

	"halfspace/linalg"
)

// binary is the penalised negative log-likelihood of two classes as a function
// of θ (see design), with rows of responses t between 0 and 1 (a proportion of
// wᵢ trials):
//
//	Σ wᵢ(log(1 + exp ηᵢ) − tᵢηᵢ) + ½ Σ ridgeⱼθⱼ²,   ηᵢ = θ₀ + θ·xᵢ + offsetᵢ
//
// (ESL eq. 4.20). Its gradient is Xᵀw(p − t), its Hessian XᵀWX with weights
// w·p(1−p) (4.21, 4.25). It implements [optimize.Hessian].
type binary struct {
	*design
	target []float64 // t
	ridge  []float64 // by parameter, 0 for the intercept; nil without a ridge
	beta   []float64 // scratch: slopes at the point of the current pass

	last linearisation
}

// linearisation is what the last pass with a gradient and the last one with a
// Hessian saw.
type linearisation struct {
	h         *linalg.Dense
	g         []float64
	minWeight float64 // the smallest wᵢpᵢ(1−pᵢ) of the rows with wᵢ > 0
}

func newBinary(d *design, target, ridge []float64) *binary {
	return &binary{design: d, target: target, ridge: ridge, beta: make([]float64, d.p),
		last: linearisation{g: make([]float64, d.dim())}}
}

// Value returns the objective at theta. O(np).
func (b *binary) Value(theta []float64) float64 { return b.pass(nil, nil, theta) }

// Grad sets g to the gradient and returns the objective. O(np).
func (b *binary) Grad(g, theta []float64) float64 { return b.pass(nil, g, theta) }

// Hess sets h and g to the derivatives and returns the objective. O(np²), one
// pass over the rows.
func (b *binary) Hess(h *linalg.Dense, g, theta []float64) float64 { return b.pass(h, g, theta) }

// binarySums is what one goroutine sums over a chunk of rows.
type binarySums struct {
	value, minWeight float64
	g                []float64
	h                *linalg.Dense
	buf, eta, v      []float64
	window           linalg.Dense
}

func (b *binary) pass(h *linalg.Dense, g, theta []float64) float64 {
	b0 := b.slopes(b.beta, theta)
	dim, m := b.dim(), 1
	if h != nil {
		m = b.p
		clear(h.Data)
	}
	clear(g)
	total, minWeight := 0.0, math.Inf(1)
	linalg.Reduce(b.n, b.chunk(m), b.workers,
		func() *binarySums {
			s := &binarySums{buf: b.buffer(), eta: make([]float64, blockRows)}
			if g != nil {
				s.g = make([]float64, dim)
			}
			if h != nil {
				s.h, s.v = linalg.Zeros(dim, dim), make([]float64, blockRows)
			}
			return s
		},
		func(s *binarySums, lo, hi int) {
			s.reset()
			for ; lo < hi; lo += blockRows {
				b.add(s, lo, min(lo+blockRows, hi), b0)
			}
		},
		func(s *binarySums) {
			total += s.value
			minWeight = min(minWeight, s.minWeight)
			if g != nil {
				linalg.Axpy(g, 1, s.g)
			}
			if h != nil {
				linalg.Axpy(h.Data, 1, s.h.Data)
			}
		})
	if h != nil {
		b.finishBlock(h)
		b.last.h, b.last.minWeight = h, minWeight
	}
	if g != nil {
		b.toUnits(g)
	}
	for j, r := range b.ridge {
		total += 0.5 * r * theta[j] * theta[j]
		if g != nil {
			g[j] += r * theta[j]
		}
		if h != nil {
			h.Data[j*h.Stride+j] += r
		}
	}
	if g != nil {
		copy(b.last.g, g)
	}
	return total
}

func (s *binarySums) reset() {
	s.value, s.minWeight = 0, math.Inf(1)
	clear(s.g)
	if s.h != nil {
		clear(s.h.Data)
	}
}

// add sums over rows lo ≤ i < hi, at most blockRows of them: the block of x stays
// in the cache from its margins to its part of the Hessian.
func (b *binary) add(s *binarySums, lo, hi int, b0 float64) {
	x := b.block(&s.window, s.buf, lo, hi)
	r := s.eta[:hi-lo]
	linalg.MulVec(r, x, b.beta, 1)
	gradient, hessian := s.g != nil, s.h != nil
	for i, eta := range r {
		eta += b0
		if b.offset != nil {
			eta += b.offset[lo+i]
		}
		t, w := b.target[lo+i], b.weight(lo+i)
		e := math.Exp(-math.Abs(eta))
		s.value += w * (math.Log1p(e) + excess(eta, t))
		if gradient {
			q := e / (1 + e) // the probability of the less likely class
			if eta < 0 {
				r[i] = w * (q - t)
			} else {
				r[i] = w * ((1 - t) - q)
			}
			if hessian {
				v := w * q / (1 + e)
				s.v[i] = v
				if w > 0 {
					s.minWeight = min(s.minWeight, v)
				}
			}
		}
	}
	if gradient {
		k := b.intercept
		linalg.MulTVecAdd(s.g[k:], x, r)
		if k == 1 {
			s.g[0] += sum(r)
		}
	}
	if hessian {
		v := s.v[:hi-lo]
		k := b.intercept
		linalg.Syrk(&linalg.Dense{Rows: b.p, Cols: b.p, Stride: s.h.Stride, Data: s.h.Data[k*(s.h.Stride+1):]}, x, nil, v)
		if k == 1 {
			// The first row holds what belongs to the first column.
			s.h.Data[0] += sum(v)
			linalg.MulTVecAdd(s.h.Data[1:b.p+1], x, v)
		}
	}
}

// excess returns max(η, 0) − tη without cancellation for t = 0 and 1.
func excess(eta, t float64) float64 {
	if eta > 0 {
		return (1 - t) * eta
	}
	return -t * eta
}

func sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}
