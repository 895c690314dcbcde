package linalg

import "math"

// TallQR is the triangle of a QR factorisation of n rows [√w(x − c) | y√w],
// taken in blocks of rows of which only R and Qᵀy are kept: memory is O((p+q)²)
// however large n is.
//
// A block is stacked below the triangle so far and eliminated by Householder
// reflections that leave the zeros of the triangle alone. (Golub & Van Loan,
// §6.5.3; the block step is LAPACK's tpqrt.)
type TallQR struct {
	p, q  int
	r     *Dense    // (p+q)×(p+q), upper triangular, of scaled columns
	scale []float64 // column j of r is the true one times scale[j], a power of two
}

// NewTallQR factors the rows of x (n×p), with y (n×q, or nil for none) carried
// along, on workers goroutines. A nil origin c is 0, a nil w all ones; rows of
// weight 0 do not count. O(n(p+q)²) and no copy of x.
//
// Errors: *[ShapeError], *[NonFiniteError].
func NewTallQR(x, y *Dense, origin, w []float64, workers int) (*TallQR, error) {
	if err := checkTall(x, y, origin, w); err != nil {
		return nil, err
	}
	n, p := x.Dims()
	t := &TallQR{p: p}
	if y != nil {
		t.q = y.Cols
	}
	m := p + t.q
	t.scale = tallScale(x, y, origin)
	t.r = Zeros(m, m)
	rows := max(2*m, 128)
	Reduce(n, max(8*rows, rowChunk(m)), workers,
		func() *tallBlock { return &tallBlock{Zeros(m, m), Zeros(m, rows)} },
		func(b *tallBlock, lo, hi int) {
			clear(b.r.Data)
			for ; lo < hi; lo += rows {
				b.add(x, y, origin, w, t.scale, lo, min(lo+rows, hi))
			}
		},
		func(b *tallBlock) {
			upper := Zeros(m, m)
			transpose(upper, b.r)
			stack(t.r, upper)
		})
	return t, nil
}

func checkTall(x, y *Dense, origin, w []float64) error {
	if err := x.Check(); err != nil {
		return err
	}
	n, p := x.Dims()
	if y != nil {
		if err := y.Check(); err != nil {
			return err
		}
		if y.Rows != n {
			return &ShapeError{n, "rows of x", y.Rows, "rows of y"}
		}
	}
	if origin != nil && len(origin) != p {
		return &ShapeError{p, "columns", len(origin), "values of the origin"}
	}
	if w != nil && len(w) != n {
		return &ShapeError{n, "rows", len(w), "weights"}
	}
	if err := x.CheckFinite(); err != nil {
		return err
	}
	if y != nil {
		if err := y.CheckFinite(); err != nil {
			e := err.(*NonFiniteError)
			e.What = "y"
			return e
		}
	}
	return CheckFinite("weights", w)
}

// tallScale returns, for each column of [x−c | y], the power of two that brings
// its largest entry to about 1.
func tallScale(x, y *Dense, origin []float64) []float64 {
	s := columnMax(x, origin)
	if y != nil {
		s = append(s, columnMax(y, nil)...)
	}
	for j, v := range s {
		s[j] = unitScale(v)
	}
	return s
}

// columnMax returns the largest magnitude in each column of x − c.
func columnMax(x *Dense, origin []float64) []float64 {
	s := make([]float64, x.Cols)
	if origin == nil {
		origin = make([]float64, x.Cols)
	}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if a := math.Abs(v - origin[j]); a > s[j] {
				s[j] = a
			}
		}
	}
	return s
}

// tallBlock is the state of one worker: its triangle and the columns of a block
// of rows.
type tallBlock struct {
	r    *Dense
	cols *Dense
}

// add eliminates rows lo ≤ i < hi.
func (b *tallBlock) add(x, y *Dense, origin, w, scale []float64, lo, hi int) {
	c := &Dense{b.cols.Rows, hi - lo, b.cols.Stride, b.cols.Data}
	for i := lo; i < hi; i++ {
		sw := 1.0
		if w != nil {
			sw = math.Sqrt(w[i])
		}
		k := i - lo
		for j, v := range x.Row(i) {
			if origin != nil {
				v -= origin[j]
			}
			c.Data[k] = v * scale[j] * sw
			k += c.Stride
		}
		if y != nil {
			for j, v := range y.Row(i) {
				c.Data[k] = v * scale[x.Cols+j] * sw
				k += c.Stride
			}
		}
	}
	stack(b.r, c)
}

// stack overwrites the upper triangle r (m×m) with that of the QR factorisation
// of r with the rows of Cᵀ below it; row j of c is column j and is destroyed.
func stack(r, c *Dense) {
	for j := range r.Rows {
		v, rj := c.Row(j), r.Row(j)
		beta, tau := reflect(rj[j], v)
		rj[j] = beta
		if tau == 0 {
			continue
		}
		for k := j + 1; k < r.Cols; k++ {
			u := c.Row(k)
			t := tau * (rj[k] + Dot(v, u))
			rj[k] -= t
			Axpy(u, -t, v)
		}
	}
}

// R returns the p×p upper triangle: RᵀR = Σ wᵢ(xᵢ−c)(xᵢ−c)ᵀ, without the loss
// of digits that forming the right side means. Zero rows stand at the bottom
// where n < p.
func (t *TallQR) R() *Dense { return t.window(0, 0, t.p) }

// QTY returns the p×q matrix Qᵀy: least squares of y on x is that of QTY on R.
// It is nil without y.
func (t *TallQR) QTY() *Dense {
	if t.q == 0 {
		return nil
	}
	return t.window(0, t.p, t.q)
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

func (t *TallQR) window(i0, j0, cols int) *Dense {
	d := Zeros(t.p, cols)
	for i := range t.p {
		for j := range cols {
			d.Set(i, j, t.r.At(i0+i, j0+j)/t.scale[j0+j])
		}
	}
	return d
}
