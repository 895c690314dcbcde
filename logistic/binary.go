package logistic

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize/loss"
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
	sign    []float64 // 2t − 1, as package loss has it
	grouped bool      // some t lie between 0 and 1
	ridge   []float64 // by parameter, 0 for the intercept; nil without a ridge
	beta    []float64 // scratch: slopes at the point of the current pass

	size   []float64 // Σ wᵢ|xᵢⱼ| by parameter, from the first pass
	primed *primed

	curved, weightsAt []float64 // wᵢpᵢ(1−pᵢ), and the point that they belong to

	// every is how many rows apart those are whose part of the Hessian stands for
	// all; 0 is each row.
	every int

	last linearisation
}

// primed is what the first pass found, kept for the solver to ask for.
type primed struct {
	theta, g []float64
	h        *linalg.Dense
	value    float64
}

// prime makes the first pass, at theta: it finds NaN and infinities and sets
// size, if no pass before it did. h is a Hessian near enough for a first step; nil
// computes it.
func (b *binary) prime(theta []float64, h *linalg.Dense) error {
	dim, measured := b.dim(), b.size != nil
	p := &primed{slices.Clone(theta), make([]float64, dim), h, 0}
	if h != nil {
		p.value = b.pass(nil, p.g, theta)
	} else {
		p.h = linalg.Zeros(dim, dim)
		p.value = b.pass(p.h, p.g, theta)
	}
	b.primed = p
	if measured {
		return nil
	}
	return b.finishSizes(b.size)
}

// linearisation is what the last pass with a gradient and the last one with a
// Hessian saw.
type linearisation struct {
	h         *linalg.Dense
	g         []float64
	minWeight float64 // the smallest wᵢpᵢ(1−pᵢ) of the rows with wᵢ > 0
}

func newBinary(d *design, sign, ridge []float64) *binary {
	grouped := slices.ContainsFunc(sign, func(y float64) bool { return y*y != 1 })
	return &binary{design: d, sign: sign, grouped: grouped, ridge: ridge, beta: make([]float64, d.p),
		last: linearisation{g: make([]float64, d.dim())}}
}

// Value returns the objective at theta. O(np).
func (b *binary) Value(theta []float64) float64 { return b.pass(nil, nil, theta) }

// Grad sets g to the gradient and returns the objective. O(np).
func (b *binary) Grad(g, theta []float64) float64 { return b.pass(nil, g, theta) }

// Hess sets h and g to the derivatives and returns the objective. O(np²), one
// pass over the rows.
func (b *binary) Hess(h *linalg.Dense, g, theta []float64) float64 {
	if p := b.primed; p != nil {
		b.primed = nil
		if slices.Equal(p.theta, theta) {
			copy(h.Data, p.h.Data)
			copy(g, p.g)
			b.last.h = h
			return p.value
		}
	}
	return b.pass(h, g, theta)
}

// binarySums is what one goroutine sums over a chunk of rows.
type binarySums struct {
	value, minWeight float64
	g, size          []float64
	h                *linalg.Dense
	buf, eta, r, v   []float64
	window           linalg.Dense
}

func (b *binary) pass(h *linalg.Dense, g, theta []float64) float64 {
	b0 := b.slopes(b.beta, theta)
	if b.exact {
		b0 = b.coef(b.beta, theta)
	}
	dim, m := b.dim(), 1
	measure := b.size == nil
	if measure {
		b.size = make([]float64, dim)
	}
	if h != nil {
		m = b.p
		clear(h.Data)
	}
	clear(g)
	total, minWeight := 0.0, math.Inf(1)
	linalg.Reduce(b.n, b.chunk(m), b.workers,
		func() *binarySums {
			s := &binarySums{buf: b.buffer(), eta: make([]float64, blockRows), r: make([]float64, blockRows)}
			if measure {
				s.size = make([]float64, b.p)
			}
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
			if measure {
				linalg.Axpy(b.size[b.intercept:], 1, s.size)
			}
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
	clear(s.size)
	if s.h != nil {
		clear(s.h.Data)
	}
}

// scores sets eta to the scores of rows lo ≤ i < hi, at most blockRows of them,
// and returns the block of x.
func (b *binary) scores(s *binarySums, lo, hi int, b0 float64) *linalg.Dense {
	x := b.block(&s.window, s.buf, lo, hi)
	eta := s.eta[:hi-lo]
	if b.exact {
		for i := range eta {
			eta[i] = b.exactScore(lo+i, b.beta, b0, b.offsetOf(lo+i, 0, 1))
		}
		return x
	}
	linalg.MulVec(eta, x, b.beta, 1)
	for i := range eta {
		eta[i] += b0
	}
	if b.offset != nil {
		linalg.Axpy(eta, 1, b.offset[lo:hi])
	}
	return x
}

// losses returns the sum of the losses at the scores in eta, and sets r, and v
// if asked for, to their derivatives.
func (b *binary) losses(s *binarySums, lo, hi int, second bool) float64 {
	var v []float64
	if second {
		v = s.v[:hi-lo]
	}
	return b.rowLosses(s.r[:hi-lo], v, s.eta[:hi-lo], lo, hi)
}

// rowLosses returns the sum of the losses of rows lo ≤ i < hi at the scores eta,
// which it overwrites, and sets r, and v if it is not nil, to wᵢ times the
// derivatives.
func (b *binary) rowLosses(r, v, eta []float64, lo, hi int) float64 {
	sign, w := b.sign[lo:hi], b.weightsOf(lo, hi)
	if b.grouped {
		return loss.Logistic{}.Rows(r, v, sign, eta, w)
	}
	// A label ±1 has the loss log(1 + exp(−yη)), whose derivative −yσ(−yη) keeps
	// its digits in both tails.
	for i, y := range sign {
		eta[i] *= -y
	}
	linalg.Logistic(r, eta, eta)
	if v != nil {
		for i, q := range r {
			v[i] = q * (1 - q)
			if w != nil {
				v[i] *= w[i]
			}
		}
	}
	total := 0.0
	if w == nil {
		total = sum(eta)
	} else {
		total = linalg.Dot(eta, w)
	}
	for i, y := range sign {
		r[i] *= -y
		if w != nil {
			r[i] *= w[i]
		}
	}
	return total
}

// add sums over a block of rows, which stays in the cache from its scores to its
// part of the Hessian.
func (b *binary) add(s *binarySums, lo, hi int, b0 float64) {
	x := b.scores(s, lo, hi, b0)
	if s.size != nil {
		addAbs(s.size, x, b.weightsOf(lo, hi))
	}
	s.value += b.losses(s, lo, hi, s.h != nil)
	k := b.intercept
	if s.g != nil {
		r := s.r[:hi-lo]
		linalg.MulTVecAdd(s.g[k:], x, r)
		if k == 1 {
			s.g[0] += sum(r)
		}
	}
	if s.h == nil {
		return
	}
	v := s.v[:hi-lo]
	for i, u := range v {
		if b.weight(lo+i) > 0 {
			s.minWeight = min(s.minWeight, u)
		}
	}
	if b.every > 1 {
		x, v = b.sampled(x, v, lo/blockRows%b.every)
	}
	b.addGram(s.h.Data, s.h.Stride, x, v)
}

// sampled returns the rows of a block from first on, every b.every-th, and their
// weights, which it moves together, as many times greater.
func (b *binary) sampled(x *linalg.Dense, v []float64, first int) (*linalg.Dense, []float64) {
	if first >= x.Rows {
		return x.RowRange(0, 0), nil
	}
	rows := (x.Rows - first + b.every - 1) / b.every
	for i := range rows {
		v[i] = v[first+i*b.every] * float64(b.every)
	}
	return &linalg.Dense{Rows: rows, Cols: x.Cols, Stride: x.Stride * b.every, Data: x.Data[first*x.Stride:]}, v[:rows]
}

func sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}
