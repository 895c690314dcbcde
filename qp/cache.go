package qp

import (
	"math"
	"slices"
	"sync"

	"halfspace/linalg"
	"halfspace/linalg/exact"
)

// cache keeps rows of Q restricted to the active columns, the least recently
// used giving way when the bytes run out.
type cache struct {
	q          Matrix
	cols       []int       // active columns, ascending; every kept row has these
	rows       [][]float64 // by row of Q; nil: not kept
	next, prev []int32     // ring by recency; the entry m is its head
	left       int         // values that may still be kept
	spare      [][]float64 // buffers of dropped rows
}

func newCache(q Matrix, bytes int) *cache {
	m := q.Len()
	c := &cache{q: q, rows: make([][]float64, m), next: make([]int32, m+1), prev: make([]int32, m+1)}
	c.left = max(bytes/8, 2*m)
	c.cols = make([]int, m)
	for i := range c.cols {
		c.cols[i] = i
	}
	c.next[m], c.prev[m] = int32(m), int32(m)
	return c
}

// row returns row i on the active columns. It stays valid while one other row is
// asked for.
func (c *cache) row(i int) []float64 {
	if c.rows[i] != nil {
		c.unlink(i)
		c.link(i)
		return c.rows[i]
	}
	k := len(c.cols)
	for c.left < k {
		c.drop(int(c.prev[len(c.rows)]))
	}
	row := c.buffer(k)
	if k == len(c.rows) {
		c.q.Row(row, i, nil)
	} else {
		c.q.Row(row, i, c.cols)
	}
	c.rows[i] = row
	c.left -= k
	c.link(i)
	return row
}

func (c *cache) buffer(k int) []float64 {
	for len(c.spare) > 0 {
		b := c.spare[len(c.spare)-1]
		c.spare = c.spare[:len(c.spare)-1]
		if cap(b) >= k {
			return b[:k]
		}
	}
	return make([]float64, k)
}

func (c *cache) drop(i int) {
	c.unlink(i)
	c.left += len(c.rows[i])
	c.spare = append(c.spare, c.rows[i])
	c.rows[i] = nil
}

func (c *cache) link(i int) {
	head := int32(len(c.rows))
	c.next[i], c.prev[i] = c.next[head], head
	c.prev[c.next[head]] = int32(i)
	c.next[head] = int32(i)
}

func (c *cache) unlink(i int) {
	c.next[c.prev[i]], c.prev[c.next[i]] = c.next[i], c.prev[i]
}

// shrink keeps only the columns whose positions are listed, ascending, and
// closes up the rows it holds.
func (c *cache) shrink(keep []int) {
	for i, row := range c.rows {
		if row == nil {
			continue
		}
		short := make([]float64, len(keep)) // a part of the row would hold all of it
		for k, from := range keep {
			short[k] = row[from]
		}
		c.left += len(row) - len(keep)
		c.rows[i] = short
	}
	for k, from := range keep {
		c.cols[k] = c.cols[from]
	}
	c.cols = c.cols[:len(keep)]
	c.spare = nil
}

// unshrink makes every column active; shortened rows are lost.
func (c *cache) unshrink() {
	if len(c.cols) == len(c.rows) {
		return
	}
	for i, row := range c.rows {
		if row != nil {
			c.drop(i)
		}
	}
	c.spare = nil
	c.cols = c.cols[:len(c.rows)]
	for i := range c.cols {
		c.cols[i] = i
	}
}

// Products returns the products (xᵢ−c)·(xⱼ−c) of all rows, without signs. They are computed once:
// problems that differ in all but X and Origin share them. O(n²p).
func (l *Linear) Products() *linalg.Dense {
	r := l.rows()
	r.multiply.Do(func() {
		n, p := l.X.Dims()
		r.products = linalg.Zeros(n, n)
		if r.dense != nil {
			l.denseProducts(r.products, r.dense)
			return
		}
		row := make([]float64, p)
		for i := range n {
			r.keep(l.design().Margins(r.products.Row(i), l.centered(row, i)))
		}
	})
	return r.products
}

// denseProducts sets k to the products of the rows of x, block by block.
func (l *Linear) denseProducts(k, x *linalg.Dense) {
	const side = linalg.BlockRows
	blocks := (x.Rows + side - 1) / side
	linalg.For(blocks*(blocks+1)/2, 1, l.Workers, func(piece, _ int) {
		a := 0
		for ; piece > a; a++ {
			piece -= a + 1
		}
		left := l.window(x, a*side, min(x.Rows, (a+1)*side))
		right := left
		if piece != a {
			right = l.window(x, piece*side, (piece+1)*side)
		}
		at := k.RowRange(a*side, a*side+left.Rows)
		at.Data, at.Cols = at.Data[piece*side:], right.Rows
		linalg.MulBTAdd(at, 1, left, right)
	})
	linalg.Symmetrize(k)
}

// rowProducts is the Q of a [Linear] as an n×n matrix of products with signs: where there are
// few rows of many columns, a row of Q costs O(n) and not O(np).
type rowProducts struct {
	l *Linear
	k *linalg.Dense
}

func (q *rowProducts) Len() int { return q.l.Len() }

func (q *rowProducts) Diag(dst []float64) {
	for i := range dst {
		k := i % q.k.Rows
		dst[i] = q.k.At(k, k)
	}
}

func (q *rowProducts) Row(dst []float64, i int, cols []int) {
	n := q.k.Rows
	row, s := q.k.Row(i%n), q.l.Sign[i]
	if cols == nil {
		copy(dst, row)
		q.l.unfold(dst)
		linalg.Scale(dst, s)
		return
	}
	for k, j := range cols {
		dst[k] = s * q.l.Sign[j] * row[j%n]
	}
}

// MulVec sets dst to Q·a. O(n²).
func (q *rowProducts) MulVec(dst, a []float64) {
	linalg.MulVec(dst[:q.k.Rows], q.k, q.l.fold(a, true), q.l.Workers)
	q.l.unfold(dst)
}

// mirror is the reflection I − 2wwᵀ of the rows of a [Linear], made once.
type mirror struct {
	once, shorten sync.Once
	axis          int       // on which Far is then
	w             []float64 // of length 1; nil of no reflection
	rows          *Linear
	short         *Linear // see [Linear.shortened]
}

// Reflected returns rows of the same products, on which solvers work: l itself, or the images of its rows in a mirror
// that puts Far on an axis. Rows about (10⁸, …, 10⁸) then differ in the other columns, where the sums of
// such rows, and scores and gradients, have digits for what differs. Each number is summed in twice the working
// precision. O(np), once.
func (l *Linear) Reflected() *Linear {
	m := &l.rows().mirror
	m.once.Do(func() {
		columns := 0
		for j, c := range l.Far {
			if c != 0 {
				columns++
			}
			if math.Abs(c) > math.Abs(l.Far[m.axis]) {
				m.axis = j
			}
		}
		if columns < 2 || l.Origin != nil { // on an axis
			return
		}
		m.w = linalg.Clone(l.Far)
		linalg.Scale(m.w, 1/linalg.Norm(m.w))
		m.w[m.axis] += math.Copysign(1, m.w[m.axis])
		linalg.Scale(m.w, 1/linalg.Norm(m.w))
		x := l.rows().dense.Clone()
		for i := range x.Rows {
			l.Reflect(x.Row(i))
		}
		m.rows = &Linear{X: x, Sign: l.Sign, Workers: l.Workers}
	})
	if m.rows == nil {
		return l
	}
	return m.rows.With(l.Sign)
}

// Reflect overwrites a vector with its image among the rows of Reflected, or an image with the vector.
func (l *Linear) Reflect(v []float64) {
	w, along := l.rows().mirror.w, exact.Sum{}
	if w == nil {
		return
	}
	along.AddProducts(nil, w, v, nil)
	for j, x := range v {
		sum := exact.Sum{Hi: x}
		sum.AddProduct(along.Hi, along.Lo, -2*w[j], 0)
		v[j] = sum.Value()
	}
}

// shortened returns fewer columns of the same products as those of Reflected, or these themselves: the axis first, and
// then L with LLᵀ the products of the other columns. Beside those of the axis nothing is left of these in the products of all,
// nor of v in a sum of rows with multipliers; of columns a solver holds v itself. L is Rᵀ of a QR factorisation with
// rows that are nearly 0, so that it has an inverse. O(n²p), once.
func (l *Linear) shortened() *Linear {
	m, image := &l.rows().mirror, l.Reflected()
	m.shorten.Do(func() {
		m.short = &Linear{X: image.X, Sign: l.Sign, Workers: l.Workers}
		if x := image.rows().dense; x.Rows < measured.widestThin && x.Cols > max(measured.alwaysThin, x.Rows+1) {
			others, sizes := linalg.Zeros(x.Cols+x.Rows, x.Rows), make([]float64, x.Cols)
			linalg.Transpose(others.RowRange(0, x.Cols), x)
			axis := slices.Clone(others.Row(m.axis))
			clear(others.Row(m.axis))
			for j := range sizes {
				sizes[j] = linalg.NormInf(others.Row(j))
			}
			slices.Sort(sizes)
			least, counted := max(nearlyZero*sizes[x.Cols-1], 0x1p-400), sizes[x.Cols-x.Rows:]
			for len(counted) > 1 && counted[0] == 0 { // columns of zeros have no products
				counted = counted[1:]
			}
			for i := range x.Rows {
				others.Row(x.Cols + i)[i] = least
			}
			if t, err := linalg.NewTallQR(others, nil, nil, nil, l.Workers); err == nil && least < nothingBeside*counted[0] {
				r, short := t.R(), linalg.Zeros(x.Rows, x.Rows+1)
				for i, a := range axis {
					short.Row(i)[0] = a
					r.Col(short.Row(i)[1:], i)
				}
				m.short.X = short
			}
		}
		m.short.rows().carried = true
	})
	return m.short.With(l.Sign)
}

// nearlyZero is the size of the rows beside those of L, in units of the largest number. Their squares, by which they change products,
// have to be nothing beside those of as many columns as there are rows: nothingBeside of these.
const nearlyZero, nothingBeside = 0x1p-36, 0x1p-26

// restored returns v by the columns of l where it is given by those of shortened. The part of L is Lᵀγ, where γ is the
// multipliers but for what solvers have left of it, and in the other columns Σγᵢxᵢ.
func (l *Linear) restored(v, alpha []float64) []float64 {
	short, image := l.shortened().rows().dense, l.Reflected()
	if short.Cols == l.Rank() {
		l.Reflect(v)
		return v
	}
	gamma, left, long := image.fold(alpha, true), linalg.Clone(v), make([]float64, l.Rank())
	linalg.Scale(left, -1)
	linalg.MulTVecAdd(left, short, gamma)
	triangle := *short
	triangle.Data, triangle.Cols = short.Data[1:], short.Rows
	linalg.SolveLowerT(&triangle, left[1:])
	linalg.Axpy(gamma, -1, left[1:])
	linalg.MulTVecAdd(long, image.rows().dense, gamma)
	long[l.rows().mirror.axis] = v[0]
	l.Reflect(long)
	return long
}

// farPrice is the largest multiplier times the square of Far, in units of the largest |q|, from which on rows are reflected:
// the rounding of gradients by products is 1e-9 then. Few rows took as long from there on, and below it half as long by products.
const farPrice = 1e7

// reflected returns the problem on the reflected rows of q, and the options for it.
func reflected(p *Problem, o *Options) (q *Linear, image *Problem, at *Options) {
	if p == nil {
		return nil, p, o
	}
	q, _ = p.Q.(*Linear)
	if q == nil || q.Far == nil || q.Check() != nil ||
		p.Upper != nil && linalg.NormInf(p.Upper)*linalg.Dot(q.Far, q.Far) < farPrice*linalg.NormInf(p.Linear) {
		return nil, p, o
	}
	own, short := *p, q.shortened()
	own.Q = short
	if o != nil && o.Near != nil {
		near, other := *o.Near, *o
		near.V, other.Near = linalg.Clone(near.V), &near
		q.Reflect(near.V)
		if short.Rank() < q.Rank() { // which is of use where rows are many
			other.Near = nil
		}
		o = &other
	}
	return q, &own, o
}
