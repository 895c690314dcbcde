package path

import (
	"cmp"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

const (
	blockRows = linalg.BlockRows
	// strip is the number of features that are transposed while they stay in
	// the cache.
	strip = 64
)

// columns is a design with its features side by side: a copy of features, in units and for
// blocks of rows, those in use first, then those near them, so that a pass need not read
// the others. It makes second derivatives of an objective of one score by the intercept and
// the features in use.
type columns struct {
	*design.Design
	y       []float64
	loss    loss.Batch
	blocks  []*linalg.Dense // held×blockRows, the last one narrower
	feature []int           // by row of the blocks, then those that are not held
	row     []int           // the inverse
	held    int
	bounds  *bounds // nil until they are asked for
	err     error   // the first of the storage

	v    []float64   // curvatures of the rows, at the point of setCurvature
	idle [][]float64 // memory of matrices given back
}

// mostlyUnused is how many times more features than rows there are where few of them ever come
// into use, and those that do are copied one by one: a lasso alone has at most as many as rows, and an elastic net seldom far more.
const mostlyUnused = 4

// newColumns makes the copy: of features as they come into use where rows are in memory and most
// never do, O(n) time and memory for each, else of all, O(np).
func newColumns(o *glm.Objective) (*columns, error) {
	c := &columns{Design: o.Design, y: o.Y, loss: o.Loss(), feature: linalg.Sequence(o.P), row: linalg.Sequence(o.P), v: make([]float64, o.N)}
	for at := 0; at < c.N; at += blockRows {
		m := min(blockRows, c.N-at)
		c.blocks = append(c.blocks, &linalg.Dense{Cols: m, Stride: m})
	}
	if _, inMemory := c.Rows().(*linalg.Dense); !inMemory || c.P < mostlyUnused*c.N {
		c.hold(c.feature)
	}
	return c, c.err
}

// hold copies features that are not held. O(n) each, and with weights about another origin than 0
// O(np).
func (c *columns) hold(features []int) {
	lo := c.held
	for _, j := range slices.Clone(features) {
		c.swap(c.held, j)
		c.held++
	}
	for _, a := range c.blocks {
		a.Rows = c.held
		if old := a.Data; cap(old) < c.held*a.Stride {
			a.Data = append(make([]float64, 0, c.held*a.Stride+len(old)), old...)
		}
		a.Data = a.Data[:c.held*a.Stride]
	}
	err := c.EachRow(func() func(*design.Block) {
		return func(b *design.Block) {
			for from := b.Lo; from < b.Hi; {
				k := from / blockRows
				to := min((k+1)*blockRows, b.Hi)
				c.take(b, c.blocks[k], from, to, lo)
				from = to
			}
		}
	})
	c.err = cmp.Or(c.err, err)
}

// take copies, to the rows of a from lo on, what rows from ≤ i < to of a block have of their
// features, runs of neighbours at once.
func (c *columns) take(b *design.Block, a *linalg.Dense, from, to, lo int) {
	for lo < c.held {
		hi := lo + 1
		for hi < min(lo+strip, c.held) && c.feature[hi] == c.feature[hi-1]+1 {
			hi++
		}
		at := &linalg.Dense{Rows: hi - lo, Cols: to - from, Stride: a.Stride, Data: a.Data[lo*a.Stride+from%blockRows:]}
		b.Transpose(at, from-b.Lo, c.feature[lo])
		lo = hi
	}
}

// matrix returns a matrix with any values: a path needs so many that fresh memory
// would cost more than what is written to it.
func (c *columns) matrix(rows, cols int) *linalg.Dense {
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

// release takes matrices back.
func (c *columns) release(used ...*linalg.Dense) {
	for _, h := range used {
		c.idle = append(c.idle, h.Data)
	}
}

// use makes a feature that is held the i-th in use.
func (c *columns) use(i, feature int) {
	from := c.row[feature]
	if from == i {
		return
	}
	for _, a := range c.blocks {
		to, row := a.Row(i), a.Row(from)
		for k, v := range to {
			to[k], row[k] = row[k], v
		}
	}
	c.swap(i, feature)
}

// swap makes a feature the i-th, and the i-th the one in its place.
func (c *columns) swap(i, feature int) {
	from, other := c.row[feature], c.feature[i]
	c.feature[i], c.feature[from] = feature, other
	c.row[feature], c.row[other] = i, from
}

// need holds those of the features that are not held yet.
func (c *columns) need(features []int) {
	var lacking []int
	for _, j := range features {
		if c.row[j] >= c.held {
			lacking = append(lacking, j)
		}
	}
	if len(lacking) > 0 {
		slices.Sort(lacking)
		c.hold(lacking)
	}
}

// bringNear makes features that are not among the first lo those from there on, in
// any order, and returns where they end.
func (c *columns) bringNear(lo int, features []int) (hi int) {
	c.need(features)
	hi = lo + len(features)
	wanted := make([]bool, c.P)
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

// setCurvature makes the curvatures those at x: the intercept, if there is one, and the
// coefficients of the features in use. O(n) for each.
func (c *columns) setCurvature(x []float64) {
	k := c.Intercept
	linalg.For(len(c.blocks), 1, c.Workers, func(b, _ int) {
		a := c.blocks[b].RowRange(0, len(x)-k)
		lo, hi := b*blockRows, b*blockRows+a.Cols
		eta, r := make([]float64, a.Cols), make([]float64, a.Cols)
		c.startScores(eta, lo, x[:k])
		linalg.MulTVecAdd(eta, a, x[k:])
		c.loss.Rows(r, c.v[lo:hi], c.y[lo:hi], eta, c.WeightsOf(lo, hi))
	})
}

// startScores sets the scores of rows from lo on to the intercept, if there is one, and
// the offsets.
func (c *columns) startScores(eta []float64, lo int, intercept []float64) {
	b0 := linalg.Sum(intercept)
	for i := range eta {
		eta[i] = b0
	}
	if c.Offset != nil {
		linalg.Axpy(eta, 1, c.Offset[lo:lo+len(eta)])
	}
}

// hessianRows sets h to the rows of the Hessian from the given one on, by coordinates as
// setCurvature has them. The features in use are read where they lie.
func (c *columns) hessianRows(h *linalg.Dense, from int) {
	k, top := c.Intercept, h.Cols
	rows := linalg.Sequence(top)[from:]
	type part struct{ h, w *linalg.Dense }
	total := linalg.Zeros(top, len(rows))
	linalg.Reduce(len(c.blocks), c.piece(), c.Workers,
		func() *part { return &part{linalg.Zeros(top, len(rows)), linalg.Zeros(len(rows), blockRows)} },
		func(q *part, lo, hi int) {
			clear(q.h.Data)
			for b := lo; b < hi; b++ {
				a := c.blocks[b]
				w := &linalg.Dense{Rows: len(rows), Cols: a.Cols, Stride: blockRows, Data: q.w.Data}
				c.weigh(w, b, rows)
				if k == 1 {
					for m := range rows {
						q.h.Data[m] += linalg.Sum(w.Row(m))
					}
				}
				linalg.MulBTAdd(q.h.RowRange(k, top), 1, a.RowRange(0, top-k), w)
			}
		},
		func(q *part) { linalg.Axpy(total.Data, 1, q.h.Data) })
	for i := range rows {
		total.Col(h.Row(i), i)
	}
}

// weigh sets the rows of w to the curvatures of a block times the coordinates named.
func (c *columns) weigh(w *linalg.Dense, b int, coordinates []int) {
	a := c.blocks[b]
	for m, j := range coordinates {
		to := w.Row(m)
		copy(to, c.v[b*blockRows:])
		if j >= c.Intercept {
			for i, e := range a.Row(j - c.Intercept) {
				to[i] *= e
			}
		}
	}
}

// piece is the number of blocks that make a piece of work.
func (c *columns) piece() int { return (len(c.blocks) + 7) / 8 }

// hessian sets h to the Hessian by the first n coordinates.
func (c *columns) hessian(h *linalg.Dense, n int) {
	clear(h.Data)
	type part struct{ h, a *linalg.Dense }
	var used []*linalg.Dense
	linalg.Reduce(len(c.blocks), c.piece(), c.Workers,
		func() part {
			q := part{c.matrix(n, n), c.matrix(blockRows, n)}
			used = append(used, q.h, q.a)
			return q
		},
		func(q part, lo, hi int) {
			clear(q.h.Data)
			for b := lo; b < hi; b++ {
				a := c.rowsOf(q.a, b, n)
				linalg.Syrk(q.h, a, nil, c.v[b*blockRows:][:a.Rows])
			}
		},
		func(q part) { linalg.Axpy(h.Data, 1, q.h.Data) })
	c.release(used...)
	linalg.Symmetrize(h)
}

// rowsOf sets the first rows of dst to those of a block, of the first n coordinates
// alone.
func (c *columns) rowsOf(dst *linalg.Dense, b, n int) *linalg.Dense {
	a, k := c.blocks[b], c.Intercept
	to := dst.RowRange(0, a.Cols)
	if k == 1 {
		for i := range a.Cols {
			to.Data[i*to.Stride] = 1
		}
	}
	linalg.Transpose(&linalg.Dense{Rows: a.Cols, Cols: n - k, Stride: to.Stride, Data: to.Data[k:]}, a.RowRange(0, n-k))
	return to
}

// end is a point where the solver by columns has ended, with all that its gap asks for.
type end struct {
	p      *Problem
	theta  []float64
	loss   float64
	g      []float64
	levels *centered
}

// end returns theta as such a point; nil if it is none, or a feature lacks a penalty.
func (p *Problem) end(theta []float64) *end {
	if p.screened == nil || !p.levelsAlone() {
		return nil
	}
	e := p.screened.End(theta)
	if e == nil {
		return nil
	}
	sum := exactSum(e.Residuals)
	levels := p.center1(sum, e.Curvature, func() (float64, error) { return p.misfit(e.Residuals), nil })
	levels.sumLength, levels.summed = e.Additions, true
	g := e.Gradient
	if p.Implied() { // the columns are about 0, where residuals that do not sum to 0 add to derivatives
		g = linalg.Clone(g)
		for j, c := range p.Origin {
			g[j] -= sum * c / p.Unit[j]
		}
	}
	return &end{p, theta, e.Value, g, levels}
}

// gap returns the objective at λ and its gap without a pass over the rows; of no end the gap is +Inf.
func (e *end) gap(lambda float64) (value, gap float64, err error) {
	if e == nil {
		return 0, math.Inf(1), nil
	}
	gap, err = e.p.gapAt(lambda, e.loss, e.theta, e.g, e.levels)
	return e.loss + e.p.value(lambda, e.theta), gap, err
}
