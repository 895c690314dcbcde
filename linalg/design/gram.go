package design

import (
	"halfspace/linalg"
)

// gramSums is one goroutine's share of a cross product.
type gramSums struct {
	h, a, b    *linalg.Dense
	v          []float64
	rows, cols []int
}

func (q *gramSums) Reset() { clear(q.h.Data) }

// Add adds the cross product of all parameters.
func (q *gramSums) Add(b *Block) { b.AddGram(q.h.Data, q.h.Stride, q.v[b.Lo:b.Hi]) }

// Gram returns Σ vᵢ(1, xᵢ)(1, xᵢ)ᵀ over the parameters of one function. O(np²).
func (d *Design) Gram(v []float64) (*linalg.Dense, error) {
	dim := d.Dim()
	h := linalg.Zeros(dim, dim)
	err := Reduce(d, d.P,
		func() *gramSums { return &gramSums{h: linalg.Zeros(dim, dim), v: v} },
		func(s *gramSums) { linalg.Axpy(h.Data, 1, s.h.Data) })
	if d.implied && err == nil {
		all := linalg.Sequence(d.P)
		err = d.moveGram(h, v, all, all)
	}
	d.FinishGram(h)
	return h, err
}

// Back returns the sums Σ rᵢ(1, xᵢ), in units, for each column of r (rows × K): K rows of Dim
// values. O(npK).
func (d *Design) Back(r *linalg.Dense) ([]float64, error) {
	dim := d.Dim()
	sum := make([]float64, dim*r.Cols)
	err := d.sweep(sum, func(q *columnSums, b *Block) { b.AddBack(q.s, r.RowRange(b.Lo, b.Hi)) })
	d.FinishBack(sum, r.Cols, nil)
	if d.implied {
		level := make([]float64, r.Cols)
		for i := range r.Rows {
			linalg.Axpy(level, 1, r.Row(i))
		}
		for k, v := range level {
			for j, c := range d.Origin {
				sum[k*dim+d.Intercept+j] -= v * c / d.Unit[j]
			}
		}
	}
	return sum, err
}

// moveGram turns sums Σ vxxᵀ, of features in rows and cols, into those about the implied origin,
// Σ vxxᵀ − scᵀ − csᵀ + Vccᵀ for s = Σ vx and V = Σ v: one pass.
func (d *Design) moveGram(h *linalg.Dense, v []float64, rows, cols []int) error {
	s, total, c := make([]float64, d.P), linalg.Sum(v), d.Origin
	err := d.sweep(s, func(q *columnSums, b *Block) { b.rows().AddTVec(q.s, v[b.Lo:b.Hi]) })
	for at, i := range rows {
		for to, j := range cols {
			h.Data[at*h.Stride+to] += total*c[i]*c[j] - s[i]*c[j] - c[i]*s[j]
		}
	}
	return err
}

// AddGram adds Σ vᵢ(1, xᵢ)(1, xᵢ)ᵀ to the block of a matrix h that begins at data and
// has the given stride: the features' lower triangle, and in the first row the
// intercept's column. [Design.FinishGram] completes the sums.
func (b *Block) AddGram(h []float64, stride int, v []float64) {
	b.addGram(b.rows(), h, stride, v, 0, 1)
}

// AddGramEvery is AddGram of every step-th row of the block, each standing for step
// rows; the first of them changes from block to block, so that rows in turns are met
// alike. It overwrites v.
func (b *Block) AddGramEvery(h []float64, stride int, v []float64, step int) {
	first := b.Lo / linalg.BlockRows % step
	x := b.rows().Every(first, step)
	m, _ := x.Dims()
	for i := range m {
		v[i] = v[first+i*step] * float64(step)
	}
	b.addGram(&x, h, stride, v[:m], first, step)
}

func (b *Block) addGram(x *linalg.Block, h []float64, stride int, v []float64, first, step int) {
	k, p := b.d.Intercept, b.d.P
	x.AddGram(&linalg.Dense{Rows: p, Cols: p, Stride: stride, Data: h[k*(stride+1):]}, v)
	if b.d.level != nil {
		v = linalg.Clone(v)
		for i := range v {
			a := b.levels()[first+i*step]
			v[i] *= a
			h[0] += v[i] * (a - 1)
		}
	}
	if k == 1 {
		h[0] += linalg.Sum(v)
		x.AddTVec(h[1:p+1], v)
	}
}

// FinishGram completes sums of [Block.AddGram] for a symmetric block of a Hessian: the
// first row holds those of the first column, the features' lower triangle those of the
// upper; slopes become parameters.
func (d *Design) FinishGram(h *linalg.Dense) {
	k, dim := d.Intercept, d.Dim()
	for i, ui := range d.Unit {
		row := h.Data[(i+k)*h.Stride:][:dim]
		if k == 1 {
			row[0] = h.Data[i+1]
		}
		if d.unscaled {
			continue
		}
		if k == 1 {
			row[0] /= ui
		}
		for j, uj := range d.Unit[:i+1] {
			row[j+k] /= ui * uj
		}
	}
	linalg.Symmetrize(&linalg.Dense{Rows: dim, Cols: dim, Stride: h.Stride, Data: h.Data})
}

// SubGram sets h to Σ vᵢxᵢⱼxᵢₖ over the parameters j of rows and k of cols of one
// function; nil cols are the rows. O(n·rows·cols).
func (d *Design) SubGram(h *linalg.Dense, v []float64, rows, cols []int) error {
	for i := range h.Rows {
		clear(h.Row(i))
	}
	err := Reduce(d, len(rows)*max(len(cols), len(rows))/d.P,
		func() *subGramSums { return newSubGramSums(d, v, rows, cols) },
		func(q *subGramSums) {
			for i := range h.Rows {
				linalg.Axpy(h.Row(i), 1, q.h.Row(i))
			}
		})
	if cols == nil {
		linalg.Symmetrize(h)
		cols = rows
	}
	if d.implied && err == nil {
		err = d.moveGram(h, v, rows, cols)
	}
	if !d.unscaled {
		for i, c := range rows {
			for j, e := range cols {
				h.Data[i*h.Stride+j] /= d.unitOf(c) * d.unitOf(e)
			}
		}
	}
	return err
}

// unitOf returns the unit of a parameter, 1 for the intercept.
func (d *Design) unitOf(c int) float64 {
	if c < d.Intercept {
		return 1
	}
	return d.Unit[c-d.Intercept]
}

// subGramSums is gramSums for some parameters.
type subGramSums struct {
	gramSums
	left, right *selection // of sparse rows; right is nil where the parameters are the same
}

func newSubGramSums(d *Design, v []float64, rows, cols []int) *subGramSums {
	q := &subGramSums{gramSums: gramSums{v: v, rows: rows, cols: cols}}
	if d.Sparse() {
		q.left, q.h = newSelection(d.Dim(), rows), linalg.Zeros(len(rows), len(rows))
		if cols != nil {
			q.right, q.h = newSelection(d.Dim(), cols), linalg.Zeros(len(rows), len(cols))
		}
		return q
	}
	q.a = linalg.Zeros(linalg.BlockRows, len(rows))
	if cols == nil {
		q.h = linalg.Zeros(len(rows), len(rows))
	} else {
		q.h, q.b = linalg.Zeros(len(rows), len(cols)), linalg.Zeros(linalg.BlockRows, len(cols))
	}
	return q
}

// Add adds the cross product of the parameters named.
func (q *subGramSums) Add(b *Block) {
	v := q.v[b.Lo:b.Hi]
	if q.left != nil {
		q.addStored(b, v)
		return
	}
	left := b.gather(q.a, q.rows)
	if q.cols == nil {
		linalg.Syrk(q.h, left, nil, v)
		return
	}
	for i := range left.Rows {
		linalg.Scale(left.Row(i), v[i])
	}
	linalg.MulTAdd(q.h, 1, left, b.gather(q.b, q.cols))
}

// addStored adds the cross products of the stored values of a block: for each row as many as
// pairs of those that are selected.
func (q *subGramSums) addStored(b *Block, v []float64) {
	for i, vi := range v {
		if vi == 0 {
			continue
		}
		q.left.take(b, i)
		if q.right != nil {
			q.right.take(b, i)
			for k, j := range q.left.at {
				linalg.AxpyAt(q.h.Row(int(j)), vi*q.left.value[k], q.right.at, q.right.value)
			}
			continue
		}
		for k, j := range q.left.at { // both triangles: their places are in no order
			linalg.AxpyAt(q.h.Row(int(j)), vi*q.left.value[k], q.left.at, q.left.value)
		}
	}
}

// selection is the stored values of a row that belong to some parameters.
type selection struct {
	place []int32 // by parameter, its place among those selected, or −1
	at    []int32 // the places of the values of the row
	value []float64
}

func newSelection(dim int, parameters []int) *selection {
	s := &selection{place: make([]int32, dim)}
	for j := range s.place {
		s.place[j] = -1
	}
	for k, j := range parameters {
		s.place[j] = int32(k)
	}
	return s
}

// take makes the values those of the i-th row of a block.
func (s *selection) take(b *Block, i int) {
	s.at, s.value = s.at[:0], s.value[:0]
	k := b.d.Intercept
	if k == 1 && s.place[0] >= 0 {
		s.at, s.value = append(s.at, s.place[0]), append(s.value, 1)
	}
	columns, values := b.rows().Row(i)
	for c, v := range values {
		if columns != nil {
			c = int(columns[c])
		}
		if at := s.place[c+k]; at >= 0 {
			s.at, s.value = append(s.at, at), append(s.value, v)
		}
	}
}

// gather copies the columns of some parameters, without units where the block has
// none, to the first rows of dst and returns these.
func (b *Block) gather(dst *linalg.Dense, parameters []int) *linalg.Dense {
	k, m := b.d.Intercept, b.Len()
	for at, c := range parameters {
		if c >= k {
			b.copyColumn(dst.Data[at:], dst.Stride, c-k)
			continue
		}
		for i, a := range b.levels() {
			dst.Data[i*dst.Stride+at] = a
		}
	}
	return dst.RowRange(0, m)
}

// copyColumn sets dst[0], dst[stride], … to the values of a feature as the solver sees
// them.
func (b *Block) copyColumn(dst []float64, stride, j int) {
	if b.d.plain || b.centered {
		b.rows().CopyColumn(dst, stride, j)
		return
	}
	b.raw.CopyColumn(dst, stride, j)
	c := b.d.Origin[j]
	for i := range b.Len() {
		v := dst[i*stride] - c
		if v-v != 0 && b.d.Weight(b.Lo+i) == 0 {
			v = 0 // as in Block.center
		}
		dst[i*stride] = v
	}
}

// Transpose sets dst to the transpose of the block's rows from row on and features from
// feature on, in units, as many as dst has columns and rows. Where no row has a weight the other features are not read.
func (b *Block) Transpose(dst *linalg.Dense, row, feature int) {
	x := &b.raw
	if b.d.plain || b.centered || x.CSR != nil || b.d.Weights != nil {
		x = b.rows()
	}
	x.CopyTransposed(dst, row, feature)
	for j := range dst.Rows {
		to, c, u := dst.Row(j), b.d.Origin[feature+j], b.d.Unit[feature+j]
		if x == &b.raw && c != 0 {
			for i, v := range to {
				to[i] = v - c
			}
		}
		if u != 1 {
			linalg.Scale(to, 1/u)
		}
	}
}
