package qp

import "halfspace/linalg"

// Linear is the Q of a linear kernel, Qᵢⱼ = sᵢsⱼ·(xᵢ−c)ᵀ(xⱼ−c), over rows that
// are not copied. Sign has one entry a variable; with more variables than rows
// of X the rows repeat (variable i is row i mod n), as the two multipliers of
// a row in regression do.
type Linear struct {
	X       *linalg.Dense
	Origin  []float64 // c; nil is 0
	Sign    []float64 // s, length m, a multiple of the rows of X
	Workers int
}

// check returns an error where the lengths do not fit.
func (l *Linear) check() error {
	if err := l.X.Check(); err != nil {
		return err
	}
	n, p := l.X.Dims()
	switch {
	case len(l.Sign)%n != 0:
		return &linalg.ShapeError{Want: n, WantOf: "rows, or a multiple", Got: len(l.Sign), GotOf: "signs of Q"}
	case l.Origin != nil && len(l.Origin) != p:
		return &linalg.ShapeError{Want: p, WantOf: "columns", Got: len(l.Origin), GotOf: "in the origin"}
	}
	return nil
}

// Len returns m.
func (l *Linear) Len() int { return len(l.Sign) }

// Rank returns p.
func (l *Linear) Rank() int { return l.X.Cols }

// centred returns xᵢ − c, in buf where it is not the row itself.
func (l *Linear) centred(buf []float64, i int) []float64 {
	row := l.X.Row(i)
	if l.Origin == nil {
		return row
	}
	for j, v := range row {
		buf[j] = v - l.Origin[j]
	}
	return buf
}

func (l *Linear) buffer() []float64 {
	if l.Origin == nil {
		return nil
	}
	return make([]float64, l.X.Cols)
}

// Diag sets dst to ‖xᵢ−c‖².
func (l *Linear) Diag(dst []float64) {
	n, buf := l.X.Rows, l.buffer()
	for i := range n {
		r := l.centred(buf, i)
		dst[i] = linalg.Dot(r, r)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = dst[i-n]
	}
}

// Row sets dst to the columns cols of row i. O(p·len(cols)).
func (l *Linear) Row(dst []float64, i int, cols []int) {
	n := l.X.Rows
	xi := l.centred(l.buffer(), i%n)
	if cols == nil {
		l.scaled(dst, xi, l.Sign[i])
		return
	}
	buf := l.buffer()
	for k, j := range cols {
		dst[k] = l.Sign[i] * l.Sign[j] * linalg.Dot(xi, l.centred(buf, j%n))
	}
}

// scaled sets dst to f·A·v.
func (l *Linear) scaled(dst, v []float64, f float64) {
	n := l.X.Rows
	l.product(dst[:n], v)
	for lo := n; lo < len(dst); lo += n {
		copy(dst[lo:], dst[:n])
	}
	for i, s := range l.Sign {
		dst[i] *= f * s
	}
}

// product sets dst to (X − 1cᵀ)v.
func (l *Linear) product(dst, v []float64) {
	if l.Origin == nil {
		linalg.MulVec(dst, l.X, v, l.Workers)
		return
	}
	linalg.For(l.X.Rows, linalg.RowChunk(l.X.Cols), l.Workers, func(lo, hi int) {
		buf := make([]float64, l.X.Cols)
		for i := lo; i < hi; i++ {
			dst[i] = linalg.Dot(l.centred(buf, i), v)
		}
	})
}

// Apply sets dst to A·v, rows sᵢ(xᵢ−c)·v. O(np).
func (l *Linear) Apply(dst, v []float64) { l.scaled(dst, v, 1) }

// ApplyT sets dst to Σ rᵢsᵢ(xᵢ−c). O(np).
func (l *Linear) ApplyT(dst, r []float64) {
	n := l.X.Rows
	w := make([]float64, n)
	for lo := 0; lo < len(r); lo += n {
		for i, s := range l.Sign[lo : lo+n] {
			w[i] += s * r[lo+i]
		}
	}
	if l.Origin == nil {
		linalg.MulTVec(dst, l.X, w, l.Workers)
		return
	}
	clear(dst)
	linalg.Reduce(l.X.Rows, linalg.RowChunk(l.X.Cols), l.Workers,
		func() [2][]float64 { return [2][]float64{make([]float64, l.X.Cols), make([]float64, l.X.Cols)} },
		func(s [2][]float64, lo, hi int) {
			clear(s[0])
			for i := lo; i < hi; i++ {
				linalg.Axpy(s[0], w[i], l.centred(s[1], i))
			}
		},
		func(s [2][]float64) { linalg.Axpy(dst, 1, s[0]) })
}

// AddRow adds f·sᵢ(xᵢ−c) to dst.
func (l *Linear) AddRow(dst []float64, i int, f float64) {
	linalg.Axpy(dst, f*l.Sign[i], l.centred(l.buffer(), i%l.X.Rows))
}

// Gram returns Σ dᵢ(xᵢ−c)(xᵢ−c)ᵀ. O(kp²) for k rows whose dᵢ is not 0.
func (l *Linear) Gram(d []float64) *linalg.Dense {
	if n := l.X.Rows; len(d) > n {
		w := append([]float64(nil), d[:n]...)
		for lo := n; lo < len(d); lo += n {
			linalg.Axpy(w, 1, d[lo:lo+n])
		}
		d = w
	}
	rows := make([]int, 0, len(d))
	for i, v := range d {
		if v != 0 {
			rows = append(rows, i)
		}
	}
	if 2*len(rows) < len(d) {
		return l.some(rows, d)
	}
	return linalg.Gram(l.X, l.Origin, d, l.Workers)
}

// some returns Σ dᵢ(xᵢ−c)(xᵢ−c)ᵀ over the rows listed, which it brings together a
// block at a time.
func (l *Linear) some(rows []int, d []float64) *linalg.Dense {
	const block = 128
	type part struct {
		sum, x *linalg.Dense
		d      []float64
	}
	p := l.X.Cols
	g := linalg.Zeros(p, p)
	linalg.Reduce(len(rows), 16*block, l.Workers,
		func() part { return part{linalg.Zeros(p, p), linalg.Zeros(block, p), make([]float64, block)} },
		func(s part, lo, hi int) {
			clear(s.sum.Data)
			for ; lo < hi; lo += block {
				k := min(block, hi-lo)
				for r, i := range rows[lo : lo+k] {
					copy(s.x.Row(r), l.X.Row(i))
					s.d[r] = d[i]
				}
				linalg.Syrk(s.sum, s.x.RowRange(0, k), l.Origin, s.d[:k])
			}
		},
		func(s part) { linalg.Axpy(g.Data, 1, s.sum.Data) })
	linalg.Symmetrize(g)
	return g
}

// MulVec sets dst to Q·a = A(Aᵀa). O(np).
func (l *Linear) MulVec(dst, a []float64) {
	v := make([]float64, l.X.Cols)
	l.ApplyT(v, a)
	l.Apply(dst, v)
}
