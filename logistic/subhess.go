package logistic

import (
	"slices"

	"halfspace/linalg"
)

// SubHess sets h to elements of the Hessian of the likelihood, without a ridge.
// O(n·rows·cols) after O(np) for the weights at a new theta. It makes *binary an [optimize.SubHessian].
func (b *binary) SubHess(h *linalg.Dense, theta []float64, rows, cols []int) {
	b.subGram(h, b.curvature(theta), rows, cols)
}

// curvature returns the weights wᵢpᵢ(1−pᵢ) at theta, those of the last call if
// the point is the same.
func (b *binary) curvature(theta []float64) []float64 {
	if b.weightsAt != nil && slices.Equal(b.weightsAt, theta) {
		return b.curved
	}
	if b.curved == nil {
		b.curved = make([]float64, b.n)
	}
	b0 := b.slopes(b.beta, theta)
	linalg.Reduce(b.n, b.chunk(1), b.workers,
		func() *binarySums {
			return &binarySums{buf: b.buffer(), eta: make([]float64, blockRows), v: make([]float64, blockRows), r: make([]float64, blockRows)}
		},
		func(s *binarySums, lo, hi int) {
			for ; lo < hi; lo += blockRows {
				end := min(lo+blockRows, hi)
				b.scores(s, lo, end, b0)
				b.losses(s, lo, end, true)
				copy(b.curved[lo:end], s.v)
			}
		},
		func(*binarySums) {})
	b.weightsAt = append(b.weightsAt[:0], theta...)
	return b.curved
}

// subGram sets h to Σ vᵢxᵢⱼxᵢₖ over the parameters j of rows and k of cols of one
// function; nil cols are the rows.
func (d *design) subGram(h *linalg.Dense, v []float64, rows, cols []int) {
	for i := range h.Rows {
		clear(h.Row(i))
	}
	type part struct{ h, a, b *linalg.Dense }
	size := len(rows)
	linalg.Reduce(d.n, d.chunk(size*max(len(cols), size)/d.p), d.workers,
		func() *part {
			q := &part{h: linalg.Zeros(h.Rows, h.Cols), a: linalg.Zeros(blockRows, len(rows))}
			if cols != nil {
				q.b = linalg.Zeros(blockRows, len(cols))
			}
			return q
		},
		func(q *part, lo, hi int) {
			clear(q.h.Data)
			for ; lo < hi; lo += blockRows {
				end := min(lo+blockRows, hi)
				a := d.gather(q.a, lo, end, rows)
				if cols == nil {
					linalg.Syrk(q.h, a, nil, v[lo:end])
					continue
				}
				for i := range a.Rows {
					linalg.Scale(a.Row(i), v[lo+i])
				}
				linalg.MulTAdd(q.h, 1, a, d.gather(q.b, lo, end, cols))
			}
		},
		func(q *part) {
			for i := range h.Rows {
				linalg.Axpy(h.Row(i), 1, q.h.Row(i))
			}
		})
	if cols == nil {
		linalg.Symmetrize(h)
		cols = rows
	}
	if !d.asIs {
		return
	}
	for i, c := range rows {
		for j, e := range cols {
			h.Data[i*h.Stride+j] /= d.unitOf(c) * d.unitOf(e)
		}
	}
}

// unitOf returns the unit of a parameter, 1 for the intercept.
func (d *design) unitOf(c int) float64 {
	if c < d.intercept {
		return 1
	}
	return d.unit[c-d.intercept]
}

// gather copies some parameters' columns of rows lo ≤ i < hi, as [design.block]
// has them, to the first rows of dst.
func (d *design) gather(dst *linalg.Dense, lo, hi int, columns []int) *linalg.Dense {
	k := d.intercept
	for i := lo; i < hi; i++ {
		from, to := d.x.Row(i), dst.Row(i - lo)[:len(columns)]
		for m, c := range columns {
			switch j := c - k; {
			case j < 0:
				to[m] = 1
			case d.asIs:
				to[m] = from[j]
			default:
				to[m] = (from[j] - d.origin[j]) / d.unit[j]
			}
		}
	}
	return dst.RowRange(0, hi-lo)
}

// SubHess sets h to elements of the Hessian by the K functions, for which the
// contrasts must be those of [functions].
func (m *multinomial) SubHess(h *linalg.Dense, theta []float64, rows, cols []int) {
	p := m.probabilities(theta)
	dim := m.dim()
	symmetric := cols == nil
	if symmetric {
		cols = rows
	}
	for i := range h.Rows {
		clear(h.Row(i))
	}
	v := make([]float64, m.n)
	for k := range m.k {
		at, left := part(rows, k, dim)
		for l := range m.k {
			to, right := part(cols, l, dim)
			if len(left) == 0 || len(right) == 0 {
				continue
			}
			for i := range v {
				pk, pl := p.At(i, k), p.At(i, l)
				v[i] = -m.weight(i) * pk * pl
				if k == l {
					v[i] = m.weight(i) * pk * (1 - pk)
				}
			}
			block := linalg.Zeros(len(left), len(right))
			m.subGram(block, v, left, right)
			for a, i := range at {
				for b, j := range to {
					h.Set(i, j, block.At(a, b))
				}
			}
		}
	}
	if symmetric {
		linalg.Symmetrize(h)
	}
}

// part returns where in set the parameters of function k stand, and which they
// are.
func part(set []int, k, dim int) (at, columns []int) {
	for i, c := range set {
		if c/dim == k {
			at, columns = append(at, i), append(columns, c%dim)
		}
	}
	return at, columns
}

// functions returns the contrasts by which the parameters are those of the K
// functions themselves.
func functions(k int) *linalg.Dense { return linalg.Identity(k) }

// probabilities returns the n×K probabilities at theta, those of the last call if
// the point is the same.
func (m *multinomial) probabilities(theta []float64) *linalg.Dense {
	if m.probAt != nil && slices.Equal(m.probAt, theta) {
		return m.prob
	}
	if m.prob == nil {
		m.prob = linalg.Zeros(m.n, m.k)
	}
	m.at(theta)
	linalg.Reduce(m.n, m.chunk(m.k), m.workers,
		func() *multinomialSums { return m.sums(false, false) },
		func(s *multinomialSums, lo, hi int) {
			for ; lo < hi; lo += blockRows {
				end := min(lo+blockRows, hi)
				_, f := m.scores(s, lo, end)
				linalg.SoftmaxRows(f)
				for i := range f.Rows {
					copy(m.prob.Row(lo+i), f.Row(i))
				}
			}
		},
		func(*multinomialSums) {})
	m.probAt = append(m.probAt[:0], theta...)
	return m.prob
}
