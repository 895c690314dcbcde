package logistic

import (
	"math"
	"slices"

	"halfspace/linalg"
)

// byFeature is the likelihood of two classes as a function of the intercept and of
// some of the features, which may be joined by others. It reads a copy of x that
// holds, for blocks of rows, the features in units side by side: those in use
// first, then those near them, so that a pass need not read the others.
type byFeature struct {
	*binary
	blocks  []*linalg.Dense // p×blockRows, the last one narrower
	ones    []float64
	feature []int // by row of the blocks
	row     []int // the inverse
	bounds  *bounds

	v    []float64   // curvatures of the rows, for the Hessians
	idle [][]float64 // of matrices given back
}

// take returns a matrix with any values: a path needs so many that fresh memory
// would cost more than what is written to it.
func (c *byFeature) take(rows, cols int) *linalg.Dense {
	size := rows * cols
	for i, v := range c.idle {
		if cap(v) >= size {
			last := len(c.idle) - 1
			c.idle[i], c.idle = c.idle[last], c.idle[:last]
			return &linalg.Dense{Rows: rows, Cols: cols, Stride: cols, Data: v[:size]}
		}
	}
	if last := len(c.idle) - 1; last >= 0 {
		c.idle = c.idle[:last] // too small
	}
	return &linalg.Dense{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, size, size*3/2)}
}

// put takes matrices back.
func (c *byFeature) put(used ...*linalg.Dense) {
	for _, h := range used {
		c.idle = append(c.idle, h.Data)
	}
}

// strip is the number of features that are transposed and summed while they stay in
// the cache.
const strip = 64

// newByFeature makes the copy. O(np) time and memory.
func newByFeature(b *binary) *byFeature {
	c := &byFeature{binary: b, feature: all(b.p), row: all(b.p), v: make([]float64, b.n),
		blocks: make([]*linalg.Dense, (b.n+blockRows-1)/blockRows)}
	sums := make([]*linalg.Dense, len(c.blocks))
	for range blockRows {
		c.ones = append(c.ones, 1)
	}
	linalg.For(b.n, blockRows, b.workers, func(lo, hi int) {
		var window linalg.Dense
		x := b.block(&window, b.buffer(), lo, hi)
		a, q := linalg.Zeros(b.p, hi-lo), linalg.Zeros(2, b.p)
		for from := 0; from < b.p; from += strip {
			to := min(from+strip, b.p)
			linalg.Transpose(a.RowRange(from, to), &linalg.Dense{Rows: x.Rows, Cols: to - from, Stride: x.Stride, Data: x.Data[from:]})
			for j := from; j < to; j++ {
				if b.asIs {
					linalg.Scale(a.Row(j), 1/b.unit[j])
				}
				q.Data[j], q.Data[b.p+j] = linalg.Dot(a.Row(j), c.ones[:a.Cols]), linalg.Norm(a.Row(j))
			}
		}
		c.blocks[lo/blockRows], sums[lo/blockRows] = a, q
	})
	total, norm := sums[0].Row(0), sums[0].Row(1)
	for _, q := range sums[1:] {
		linalg.Axpy(total, 1, q.Row(0))
		for j, v := range q.Row(1) {
			norm[j] = math.Hypot(norm[j], v)
		}
	}
	c.bounds = newBounds(b.n, total, norm)
	return c
}

// use makes a feature the i-th in use.
func (c *byFeature) use(i, feature int) {
	from, other := c.row[feature], c.feature[i]
	if from == i {
		return
	}
	for _, a := range c.blocks {
		to, row := a.Row(i), a.Row(from)
		for k, v := range to {
			to[k], row[k] = row[k], v
		}
	}
	c.feature[i], c.feature[from] = feature, other
	c.row[feature], c.row[other] = i, from
}

// gather makes features that are not among the first lo those from there on, in
// any order, and returns where they end.
func (c *byFeature) gather(lo int, features []int) (hi int) {
	hi = lo + len(features)
	wanted := make([]bool, c.p)
	for _, j := range features {
		wanted[j] = true
	}
	to := lo
	for _, j := range features {
		if at := c.row[j]; at >= hi {
			for wanted[c.feature[to]] {
				to++
			}
			c.use(to, j)
			to++
		}
	}
	return hi
}

// bend makes the Hessians those at x: the intercept, if there is one, and the
// coefficients of the features in use. O(n) for each.
func (c *byFeature) bend(x []float64) {
	k := c.intercept
	linalg.For(len(c.blocks), 1, c.workers, func(b, _ int) {
		a := c.blocks[b].RowRange(0, len(x)-k)
		lo, hi := b*blockRows, b*blockRows+a.Cols
		eta, r := make([]float64, a.Cols), make([]float64, a.Cols)
		c.begin(eta, lo, x[:k])
		linalg.MulTVecAdd(eta, a, x[k:])
		c.rowLosses(r, c.v[lo:hi], eta, lo, hi)
	})
}

// begin sets the scores of rows from lo on to the intercept, if there is one, and
// the offsets.
func (c *byFeature) begin(eta []float64, lo int, intercept []float64) {
	b0 := sum(intercept)
	for i := range eta {
		eta[i] = b0
	}
	if c.offset != nil {
		linalg.Axpy(eta, 1, c.offset[lo:lo+len(eta)])
	}
}

// hessian sets h to elements of the Hessian at the point of the last bend, by
// coordinates as bend has them; nil cols are the rows.
func (c *byFeature) hessian(h *linalg.Dense, rows, cols []int) {
	if cols == nil {
		c.gram(h, rows)
		return
	}
	// Few rows: the features in use are read where they lie.
	k := c.intercept
	top := slices.Max(cols) + 1
	type part struct{ h, w *linalg.Dense }
	total := linalg.Zeros(top, len(rows))
	linalg.Reduce(len(c.blocks), c.piece(), c.workers,
		func() *part { return &part{linalg.Zeros(top, len(rows)), linalg.Zeros(len(rows), blockRows)} },
		func(q *part, lo, hi int) {
			clear(q.h.Data)
			for b := lo; b < hi; b++ {
				a := c.blocks[b]
				v := c.v[b*blockRows:][:a.Cols]
				w := &linalg.Dense{Rows: len(rows), Cols: a.Cols, Stride: blockRows, Data: q.w.Data}
				for m, j := range rows {
					to := w.Row(m)
					copy(to, v)
					if j >= k {
						for i, e := range a.Row(j - k) {
							to[i] *= e
						}
					}
					if k == 1 {
						q.h.Data[m] += sum(to)
					}
				}
				linalg.MulBTAdd(q.h.RowRange(k, top), 1, a.RowRange(0, top-k), w)
			}
		},
		func(q *part) { linalg.Axpy(total.Data, 1, q.h.Data) })
	for i := range rows {
		for m, j := range cols {
			h.Set(i, m, total.At(j, i))
		}
	}
}

// piece is the number of blocks that make a piece of work on a Hessian.
func (c *byFeature) piece() int { return (len(c.blocks) + 7) / 8 }

// gram sets h to the Hessian by the given coordinates.
func (c *byFeature) gram(h *linalg.Dense, set []int) {
	clear(h.Data)
	type part struct{ h, a *linalg.Dense }
	var used []*linalg.Dense
	linalg.Reduce(len(c.blocks), c.piece(), c.workers,
		func() part {
			q := part{c.take(len(set), len(set)), c.take(blockRows, len(set))}
			used = append(used, q.h, q.a)
			return q
		},
		func(q part, lo, hi int) {
			clear(q.h.Data)
			for b := lo; b < hi; b++ {
				a := c.gatherRows(q.a, b, set)
				linalg.Syrk(q.h, a, nil, c.v[b*blockRows:][:a.Rows])
			}
		},
		func(q part) { linalg.Axpy(h.Data, 1, q.h.Data) })
	c.put(used...)
	linalg.Symmetrize(h)
}

// gatherRows sets the first rows of dst to those of a block, of the given
// coordinates alone.
func (c *byFeature) gatherRows(dst *linalg.Dense, b int, set []int) *linalg.Dense {
	a, k := c.blocks[b], c.intercept
	row := func(j int) []float64 {
		if j < k {
			return c.ones[:a.Cols]
		}
		return a.Row(j - k)
	}
	m := 0
	for ; m+8 <= len(set); m += 8 {
		// Eight at a time fill a line of the cache.
		var f [8][]float64
		for e := range f {
			f[e] = row(set[m+e])[:a.Cols]
		}
		for i := range a.Cols {
			d := dst.Data[i*dst.Stride+m:][:8]
			d[0], d[1], d[2], d[3] = f[0][i], f[1][i], f[2][i], f[3][i]
			d[4], d[5], d[6], d[7] = f[4][i], f[5][i], f[6][i], f[7][i]
		}
	}
	for ; m < len(set); m++ {
		for i, v := range row(set[m]) {
			dst.Data[i*dst.Stride+m] = v
		}
	}
	return dst.RowRange(0, a.Cols)
}
