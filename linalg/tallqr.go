package linalg

import (
	"math"
)

// TallQR is the triangle of a QR factorisation of n rows [√w(x − c) | y√w],
// taken in blocks of rows. Only R and Qᵀy are kept: memory is O((p+q)²) however large
// n is.
//
// A block is stacked below the triangle so far and eliminated by Householder
// reflections that leave the zeros of the triangle alone. (Golub & Van Loan,
// §6.5.3; the block step is LAPACK's tpqrt.)
type TallQR struct {
	p, q  int
	r     *Dense    // (p+q)×(p+q), upper triangular, of scaled columns
	scale []float64 // column j of r is the true one times scale[j], a power of two
}

// tallCache is how many values of a block of rows a cache holds while each of its
// columns meets all others.
const tallCache = 1 << 17

// NewTallQR factors the rows of x (n×p), with y (n×q, or nil for none) carried
// along, on workers goroutines. A nil origin c is 0, a nil w all ones; rows of
// weight 0 do not count. O(n(p+q)²) and no copy of x.
//
// Errors: *[ShapeError], *[NonFiniteError], *[WeightError].
func NewTallQR(x, y *Dense, origin, w []float64, workers int) (*TallQR, error) {
	a := &tallRows{x: x, y: y, origin: origin, w: w}
	if err := a.check(); err != nil {
		return nil, err
	}
	n, p := x.Dims()
	t := &TallQR{p: p}
	if y != nil {
		t.q = y.Cols
	}
	m := p + t.q
	if err := a.setScale(workers); err != nil {
		return nil, err
	}
	t.scale = a.scale
	t.r = Zeros(m, m)
	first := true
	rows := max(128, min(2*m, tallCache/m))
	// 4m rows a chunk: merging a triangle is a twelfth of the work. Of one chunk all workers take part.
	chunk := max(4*m, 8*128, RowChunk(m))
	shared := 1
	if n <= chunk {
		shared = workers
	}
	Reduce(n, chunk, workers,
		func() *tallBlock { return &tallBlock{Zeros(m, m), Zeros(m, max(m, rows))} },
		func(b *tallBlock, lo, hi int) {
			clear(b.r.Data)
			for ; lo < hi; lo += rows {
				b.add(a, lo, min(lo+rows, hi), shared)
			}
		},
		func(b *tallBlock) {
			if first {
				copy(t.r.Data, b.r.Data)
				first = false
				return
			}
			upper := b.cols.window(0, m, 0, m)
			Transpose(upper, b.r)
			stack(t.r, upper, true, 1)
		})
	return t, nil
}

// tallRows are the rows √w(x − c | y), and the scale of their columns.
type tallRows struct {
	x, y      *Dense // nil y is none
	origin, w []float64
	scale     []float64
}

func (a *tallRows) check() error {
	if err := a.x.Check(); err != nil {
		return err
	}
	n, p := a.x.Dims()
	if a.y != nil {
		if err := a.y.Check(); err != nil {
			return err
		}
		if a.y.Rows != n {
			return &ShapeError{n, "rows of x", a.y.Rows, "rows of y"}
		}
	}
	if a.origin != nil && len(a.origin) != p {
		return &ShapeError{p, "columns", len(a.origin), "values of the origin"}
	}
	if a.w != nil && len(a.w) != n {
		return &ShapeError{n, "rows", len(a.w), "weights"}
	}
	return CheckFinite("origin", a.origin)
}

// setScale finds, for each column of [x−c | y], the power of two that keeps
// its entries at 1 or below. They are checked on the way.
func (a *tallRows) setScale(workers int) error {
	scan, err := scanColumns(a.x, a.w, nil, workers)
	if err != nil {
		return err
	}
	s := scan.size
	for j, c := range a.origin {
		s[j] = math.Max(s[j], math.Abs(c))
	}
	if a.y != nil {
		scan, err := scanColumns(a.y, a.w, nil, workers)
		if err != nil {
			if e, ok := err.(*NonFiniteError); ok {
				e.What = "y"
			}
			return err
		}
		s = append(s, scan.size...)
	}
	for j, v := range s {
		s[j] = unitScale(v)
	}
	a.scale = s
	return nil
}

// tallBlock is the state of one worker: its triangle and the columns of a block
// of rows.
type tallBlock struct {
	r    *Dense
	cols *Dense
}

// add eliminates rows lo ≤ i < hi.
func (b *tallBlock) add(a *tallRows, lo, hi, workers int) {
	c := b.cols.window(0, b.cols.Rows, 0, hi-lo)
	a.transpose(c, lo, hi)
	stack(b.r, c, false, workers)
}

// transpose sets c to the transpose of rows lo ≤ i < hi, times the scale.
func (a *tallRows) transpose(c *Dense, lo, hi int) {
	x, origin, scale := a.x, a.origin, a.scale
	for i := lo; i < hi; i++ {
		sw := 1.0
		if a.w != nil {
			sw = math.Sqrt(a.w[i])
		}
		if sw == 0 {
			for k := i - lo; k < len(c.Data); k += c.Stride {
				c.Data[k] = 0
			}
			continue
		}
		k := i - lo
		if origin == nil {
			k = c.writeScaled(k, x.Row(i), scale, sw)
		} else {
			for j, v := range x.Row(i) {
				// Scaled first: the difference itself might overflow.
				c.Data[k] = (v*scale[j] - origin[j]*scale[j]) * sw
				k += c.Stride
			}
		}
		if a.y != nil {
			c.writeScaled(k, a.y.Row(i), scale[x.Cols:], sw)
		}
	}
}

// writeScaled writes v times scale times s down a column from element k on and returns
// where it ended.
func (a *Dense) writeScaled(k int, v, scale []float64, s float64) int {
	for j, x := range v {
		a.Data[k] = x * scale[j] * s
		k += a.Stride
	}
	return k
}

const (
	// panelColumns is the number of columns that are eliminated before the others take in their reflections
	// together, by products of matrices, where there are at least manyColumns.
	panelColumns, manyColumns = 32, 200
	// followers is how many of the others a goroutine takes at a time.
	followers = 128
)

// stack overwrites the upper triangle r (m×m) with that of the QR factorisation
// of r with the rows of Cᵀ below it; row j of c is column j and is destroyed. If
// they are an upper triangle too, column j has j+1 entries, and zeros behind them.
func stack(r, c *Dense, triangle bool, workers int) {
	m, panel := r.Rows, r.Rows
	var w, turned *Dense
	if m >= manyColumns {
		panel = panelColumns
		w, turned = Zeros(m, panel), Zeros(m, panel)
	}
	tau := make([]float64, panel)
	for lo := 0; lo < m; lo += panel {
		hi, length := min(lo+panel, m), c.Cols
		for j := lo; j < hi; j++ {
			if triangle {
				length = j + 1
			}
			tau[j-lo] = stackColumn(r, c, j, hi, length)
		}
		if hi < m {
			follow(r, c, lo, hi, length, tau, w, turned, workers)
		}
	}
}

// stackColumn eliminates the first n entries of column j and has the columns before the one given follow.
func stackColumn(r, c *Dense, j, before, n int) float64 {
	v, rj := c.Row(j)[:n], r.Row(j)
	beta, tau := reflect(rj[j], v)
	rj[j] = beta
	for k := j + 1; tau != 0 && k < before; k++ {
		u := c.Row(k)[:n]
		t := tau * (rj[k] + Dot(v, u))
		rj[k] -= t
		Axpy(u, -t, v)
	}
	return tau
}

// follow applies the reflections of columns lo ≤ j < hi, with vectors (eⱼ, vⱼ), to those behind: with the rows V of
// these vectors and W = Rᵀ + CVᵀ for the columns behind, R takes off (WT)ᵀ and C takes off WTV. It overwrites w and turned.
func follow(r, c *Dense, lo, hi, length int, tau []float64, w, turned *Dense, workers int) {
	v, gram := c.window(lo, hi, 0, length), Zeros(hi-lo, hi-lo)
	MulBTAdd(gram, 1, v, v)
	t := blockReflector(gram, tau).Transposed()
	For(r.Rows-hi, followers, workers, func(from, to int) {
		from, to = from+hi, to+hi
		behind, w, turned := c.window(from, to, 0, length), w.RowRange(from, to), turned.RowRange(from, to)
		Transpose(w, r.window(lo, hi, from, to))
		MulBTAdd(w, 1, behind, v)
		clear(turned.Data)
		MulAdd(turned, -1, w, t)
		MulAdd(behind, 1, turned, v)
		for k := range turned.Rows {
			for j, s := range turned.Row(k) {
				r.Data[(lo+j)*r.Stride+from+k] += s
			}
		}
	})
}

// R returns the p×p upper triangle: RᵀR = Σ wᵢ(xᵢ−c)(xᵢ−c)ᵀ, without the loss
// of digits that forming the right side means. Zero rows stand at the bottom
// where n < p.
func (t *TallQR) R() *Dense { return t.columns(0, t.p) }

// QTY returns the p×q matrix Qᵀy: least squares of y on x is that of QTY on R.
// It is nil without y.
func (t *TallQR) QTY() *Dense {
	if t.q == 0 {
		return nil
	}
	return t.columns(t.p, t.q)
}

// Residual returns, for column j of y, the root of the weighted residual sum of
// squares of its least squares fit on x.
func (t *TallQR) Residual(j int) float64 {
	col := make([]float64, j+1)
	for i := range col {
		col[i] = t.r.At(t.p+i, t.p+j)
	}
	return Norm(col) / t.scale[t.p+j]
}

// columns returns some columns of the first p rows, not scaled.
func (t *TallQR) columns(from, count int) *Dense {
	d := Zeros(t.p, count)
	for i := range t.p {
		for j := range count {
			d.Set(i, j, t.r.At(i, from+j)/t.scale[from+j])
		}
	}
	return d
}
