package qp

import (
	"fmt"
	"sync"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/exact"
)

// Linear is the Q of a linear kernel, Qᵢⱼ = sᵢsⱼ·(xᵢ−c)ᵀ(xⱼ−c), over rows that
// are not copied. Sign has one entry a variable; with more variables than rows
// of X the rows repeat (variable i is row i mod n), as the two multipliers of
// a row in regression do.
//
// Products with all rows are passes over X. Single rows are read at once from a [linalg.Dense] or a [linalg.CSR],
// and by a pass over one row from another storage. The fields are not to be changed after the first use.
type Linear struct {
	X       linalg.Rows
	Origin  []float64 // c; nil is 0, which it has to be of rows that are not a *[linalg.Dense]
	Far     []float64 // a point that rows of a *[linalg.Dense] lie about, far from an origin of 0, see [Linear.Reflected]; nil of none
	Sign    []float64 // s, length m, a multiple of the rows of X
	Workers int

	begin sync.Once
	read  *reading
}

// reading is the rows of a [Linear] as they are read, and their products once these have been asked for.
type reading struct {
	dense    *linalg.Dense // X, if it is one
	sparse   *linalg.CSR   // X, if it is one
	about    sync.Once
	d        *design.Design // X about c, see [Linear.design]
	block    sync.Once
	few      *linalg.Dense // X about c where it is small, see [Linear.small]
	multiply sync.Once
	products *linalg.Dense // (xᵢ−c)·(xⱼ−c)
	mirror   mirror
	carried  bool // by their columns v has digits that products do not leave, see [Linear.shortened]
	mu       sync.Mutex
	err      error       // the first of the storage
	sums     [][]float64 // scratch of addRows, of p+1 values each
}

// With returns the kernel of the same rows with other signs. Where products of rows are computed, both share them.
func (l *Linear) With(sign []float64) *Linear {
	return &Linear{X: l.X, Origin: l.Origin, Far: l.Far, Sign: sign, Workers: l.Workers, read: l.rows()}
}

// rows returns the reading, which the first use makes.
func (l *Linear) rows() *reading {
	l.begin.Do(func() {
		if l.read != nil {
			return // those of another Linear
		}
		l.read = new(reading)
		l.read.dense, _ = l.X.(*linalg.Dense)
		l.read.sparse, _ = l.X.(*linalg.CSR)
	})
	return l.read
}

// design returns X about c. Pairs of rows, of which classes by the hundred have very many, need none.
func (l *Linear) design() *design.Design {
	r := l.rows()
	r.about.Do(func() { r.d = design.About(l.X, l.Origin, l.Workers) })
	return r.d
}

// Check returns an error where the lengths do not fit.
func (l *Linear) Check() error {
	x, dense := l.X.(*linalg.Dense)
	if dense || l.X == nil {
		if err := x.Check(); err != nil {
			return err
		}
	}
	n, p := l.X.Dims()
	if err := linalg.CheckDims(n, p); err != nil {
		return err
	}
	switch {
	case len(l.Sign)%n != 0:
		return &linalg.ShapeError{Want: n, WantOf: "rows, or a multiple", Got: len(l.Sign), GotOf: "signs of Q"}
	case l.Origin != nil && len(l.Origin) != p, l.Far != nil && len(l.Far) != p:
		return &linalg.ShapeError{Want: p, WantOf: "columns", Got: len(l.Origin) + len(l.Far), GotOf: "in the origin"}
	case (l.Origin != nil || l.Far != nil) && !dense: // a pass over sparse blocks has them about 0
		return fmt.Errorf("an origin of rows stored as a %T, not dense", l.X)
	}
	return nil
}

// failure returns the first error of the storage: products are worth nothing then.
func (l *Linear) failure() error {
	r := l.rows()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// keep keeps the first error of the storage.
func (r *reading) keep(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

// Len returns m.
func (l *Linear) Len() int { return len(l.Sign) }

// Rank returns p.
func (l *Linear) Rank() int {
	_, p := l.X.Dims()
	return p
}

// height returns the number of rows of X.
func (l *Linear) height() int {
	n, _ := l.X.Dims()
	return n
}

// table returns the rows of X where they are in memory, else nil.
func (l *Linear) table() linalg.Table {
	x, _ := l.X.(linalg.Table)
	return x
}

// stored returns how many values rows in memory have.
func stored(x linalg.Table) int {
	if sparse, ok := x.(*linalg.CSR); ok {
		return sparse.Stored()
	}
	n, p := x.Dims()
	return n * p
}

// shift returns c·v.
func (l *Linear) shift(v []float64) float64 {
	if l.Origin == nil {
		return 0
	}
	return linalg.Dot(l.Origin, v)
}

// centered returns xᵢ − c, in buf where it is not the row itself.
func (l *Linear) centered(buf []float64, i int) []float64 {
	r := l.rows()
	switch {
	case r.dense != nil && l.Origin == nil:
		return r.dense.Row(i)
	case r.dense != nil:
		for j, v := range r.dense.Row(i) {
			buf[j] = v - l.Origin[j]
		}
	case r.sparse != nil:
		clear(buf)
		r.sparse.AddRow(buf, i, 1)
	default:
		r.keep(l.design().Row(buf, i))
	}
	return buf
}

// buffer returns room for a row that has to be copied.
func (l *Linear) buffer() []float64 {
	if _, ok := l.X.(*linalg.Dense); ok && l.Origin == nil {
		return nil
	}
	return make([]float64, l.Rank())
}

// fewEntries is the size of a dense matrix up to which products with it are those of one block: a pass begins 1 µs later.
const fewEntries = 1 << 14

// small returns the rows xᵢ − c of a dense matrix that is small, nil of others. A copy about c is made once.
func (l *Linear) small() *linalg.Dense {
	r := l.rows()
	if r.dense == nil || r.dense.Rows*r.dense.Cols > fewEntries {
		return nil
	}
	if l.Origin == nil {
		return r.dense
	}
	r.block.Do(func() { r.few = l.window(r.dense, 0, r.dense.Rows) })
	return r.few
}

// Diag sets dst to ‖xᵢ−c‖². O(np).
func (l *Linear) Diag(dst []float64) {
	l.squares(dst)
	for i, n := l.height(), l.height(); i < len(dst); i++ {
		dst[i] = dst[i-n]
	}
}

// squares sets dst to ‖xᵢ−c‖², one a row.
func (l *Linear) squares(dst []float64) {
	if x := l.small(); x != nil {
		for i := range x.Rows {
			dst[i] = linalg.Dot(x.Row(i), x.Row(i))
		}
		return
	}
	r := l.rows()
	r.keep(l.design().EachRow(func() func(b *design.Block) {
		return func(b *design.Block) {
			for i := range b.Len() {
				_, values := b.Stored(i)
				dst[b.Lo+i] = linalg.Dot(values, values)
			}
		}
	}))
}

// Row sets dst to the columns cols of row i. O(p·len(cols)).
func (l *Linear) Row(dst []float64, i int, cols []int) {
	n := l.height()
	xi := l.centered(l.buffer(), i%n)
	if cols == nil {
		l.scaled(dst, xi, l.Sign[i])
		return
	}
	r, buf := l.rows(), l.buffer()
	for k, j := range cols {
		if r.sparse != nil {
			dst[k] = l.Sign[i] * l.Sign[j] * r.sparse.Dot(j%n, xi)
			continue
		}
		dst[k] = l.Sign[i] * l.Sign[j] * linalg.Dot(xi, l.centered(buf, j%n))
	}
}

// scaled sets dst to f·A·v.
func (l *Linear) scaled(dst, v []float64, f float64) {
	if x := l.small(); x != nil {
		linalg.MulVec(dst[:x.Rows], x, v, 1)
	} else {
		l.rows().keep(l.design().Margins(dst[:l.height()], v))
	}
	l.unfold(dst)
	linalg.Scale(dst, f)
}

// unfold copies the first n values, one a row, to the other variables, and multiplies
// all with their signs.
func (l *Linear) unfold(dst []float64) {
	n := l.height()
	for lo := n; lo < len(dst); lo += n {
		copy(dst[lo:], dst[:n])
	}
	for i, s := range l.Sign {
		dst[i] *= s
	}
}

// fold returns Σ rᵢ over the variables of each row, with their signs or without.
func (l *Linear) fold(r []float64, signed bool) []float64 {
	n := l.height()
	if len(r) == n && !signed {
		return r
	}
	w := make([]float64, n)
	l.addFolded(w, r, 0, signed)
	return w
}

// addFolded adds Σ rᵢ over the variables of each row from the given one on to w, with their signs or without.
func (l *Linear) addFolded(w, r []float64, from int, signed bool) {
	for lo := from; lo < len(r); lo += l.height() {
		for i, s := range l.Sign[lo : lo+len(w)] {
			if !signed {
				s = 1
			}
			w[i] += s * r[lo+i]
		}
	}
}

// Apply sets dst to A·v, rows sᵢ(xᵢ−c)·v. O(np).
func (l *Linear) Apply(dst, v []float64) { l.scaled(dst, v, 1) }

// ApplyT sets dst to Σ rᵢsᵢ(xᵢ−c). O(np).
func (l *Linear) ApplyT(dst, r []float64) {
	clear(dst)
	if few := l.small(); few != nil {
		l.addFew(dst, few, r)
		return
	}
	x := l.rows()
	if x.sparse != nil {
		w := l.fold(r, true)
		l.addRows(dst, x.sparse, nil, len(w), func(i int) float64 { return w[i] })
		return
	}
	x.keep(design.Reduce(l.design(), 1,
		func() *backSums { return &backSums{l: l, sum: make([]float64, len(dst)), r: r} },
		func(s *backSums) { linalg.Axpy(dst, 1, s.sum) }))
}

// addFew adds Σ rᵢsᵢxᵢ over all rows of x to dst. It allocates nothing.
func (l *Linear) addFew(dst []float64, x *linalg.Dense, r []float64) {
	for lo := 0; lo < x.Rows; lo += linalg.BlockRows {
		var w [linalg.BlockRows]float64
		hi := min(lo+linalg.BlockRows, x.Rows)
		l.addFolded(w[:hi-lo], r, lo, true)
		part := linalg.Dense{Rows: hi - lo, Cols: x.Cols, Stride: x.Stride, Data: x.Data[lo*x.Stride:]} // no allocation
		linalg.MulTVecAdd(dst, &part, w[:hi-lo])
	}
}

// room returns scratch of as many values, the same at each call, one that is kept if there is any.
func (r *reading) room(p int) []float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := len(r.sums) - 1
	if last < 0 {
		return make([]float64, p)
	}
	s := r.sums[last]
	r.sums = r.sums[:last]
	return s
}

// sparsePieces is the largest number of pieces in which sparse rows are added up, and
// pieceValues the least of values in each, for every column: each has a sum of its own.
const sparsePieces, pieceValues = 8, 2

// addRows adds Σ w(k)·(xᵢ−c) to dst over the rows i = listₖ of x, all for a nil list. Calls of w are
// concurrent. The sums of pieces are kept for the next call: conjugate gradients make thousands, and
// collecting the garbage took a tenth of a fit of 20 classes of 60,000 columns.
func (l *Linear) addRows(dst []float64, x linalg.Table, list []int, rows int, w func(k int) float64) {
	n, p := x.Dims()
	least, r := pieceValues*p*n/max(1, stored(x)), l.rows()
	taken, total := [][]float64(nil), 0.0
	linalg.Reduce(rows, max(linalg.BlockRows, rows/sparsePieces, least), l.Workers,
		func() []float64 {
			taken = append(taken, r.room(p+1))
			return taken[len(taken)-1]
		},
		func(sum []float64, lo, hi int) {
			clear(sum)
			for k := lo; k < hi; k++ {
				i := k
				if list != nil {
					i = list[k]
				}
				if v := w(k); v != 0 {
					x.AddRow(sum[:p], i, v)
					sum[p] += v
				}
			}
		},
		func(sum []float64) {
			linalg.Axpy(dst, 1, sum[:p])
			total += sum[p]
		})
	if l.Origin != nil {
		linalg.Axpy(dst, -total, l.Origin)
	}
	r.mu.Lock()
	r.sums = append(r.sums, taken...)
	r.mu.Unlock()
}

// ExactResiduals sets dst (n values) to level + (xᵢ−c)·v − yᵢ, one a row and without signs,
// summed in twice the working precision and rounded once.
func (l *Linear) ExactResiduals(dst, v []float64, level float64, y []float64) {
	r := l.rows()
	if l.small() != nil {
		for i, to := range y {
			sum := exact.Sum{Hi: level}
			sum.Add(-to, 0)
			sum.AddProducts(nil, v, r.dense.Row(i), l.Origin)
			dst[i] = sum.Value()
		}
		return
	}
	d := *l.design()
	d.Offset = linalg.Clone(y)
	linalg.Scale(d.Offset, -1)
	f := d.Exactly(&linalg.Dense{Rows: 1, Cols: len(v), Stride: len(v), Data: v}, []float64{level})
	r.keep(d.EachRow(func() func(*design.Block) {
		return func(b *design.Block) {
			b.ExactScores(&linalg.Dense{Rows: b.Len(), Cols: 1, Stride: 1, Data: dst[b.Lo:b.Hi]}, f)
		}
	}))
}

// ExactT is ApplyT for the sum of words, summed in twice the working precision.
func (l *Linear) ExactT(dst []float64, words ...[]float64) {
	folded := make([][]float64, len(words))
	for k, r := range words {
		folded[k] = l.fold(r, true)
	}
	x := l.rows()
	x.keep(l.design().ExactBack(dst, folded...))
}

// backSums is one goroutine's share of Σ rᵢsᵢ(xᵢ−c).
type backSums struct {
	l      *Linear
	sum, r []float64
	w      [linalg.BlockRows]float64 // of the rows of a block
}

func (q *backSums) Reset() { clear(q.sum) }

func (q *backSums) Add(b *design.Block) {
	w := q.w[:b.Len()]
	clear(w)
	q.l.addFolded(w, q.r, b.Lo, true)
	b.AddBack(q.sum, &linalg.Dense{Rows: b.Len(), Cols: 1, Stride: 1, Data: w})
}

// AddRow adds f·sᵢ(xᵢ−c) to dst.
func (l *Linear) AddRow(dst []float64, i int, f float64) {
	if r := l.rows(); r.sparse != nil {
		r.sparse.AddRow(dst, i%l.height(), f*l.Sign[i])
		return
	}
	linalg.Axpy(dst, f*l.Sign[i], l.centered(l.buffer(), i%l.height()))
}

// Gram returns Σ dᵢ(xᵢ−c)(xᵢ−c)ᵀ. O(kp²) for k rows whose dᵢ is not 0.
func (l *Linear) Gram(d []float64) *linalg.Dense {
	d = l.fold(d, false)
	if x := l.small(); x != nil {
		return linalg.Gram(x, nil, d, 1)
	}
	rows := make([]int, 0, len(d))
	for i, v := range d {
		if v != 0 {
			rows = append(rows, i)
		}
	}
	r := l.rows()
	if 2*len(rows) < len(d) && r.sparse == nil {
		return l.some(rows, d)
	}
	g, err := l.design().Gram(d)
	r.keep(err)
	return g
}

// some returns Σ dᵢ(xᵢ−c)(xᵢ−c)ᵀ over the rows listed, which it brings together a
// batch at a time.
func (l *Linear) some(rows []int, d []float64) *linalg.Dense {
	const batch = linalg.BlockRows
	type part struct {
		sum, x *linalg.Dense
		d, row []float64
	}
	p := l.Rank()
	g := linalg.Zeros(p, p)
	// A piece has several times the work of its own sums, and some of the rows where these are short.
	batches := 1 + max(2*p, (1<<15)/p)/batch
	linalg.Reduce(len(rows), batches*batch, l.Workers,
		func() part {
			return part{linalg.Zeros(p, p), linalg.Zeros(batch, p), make([]float64, batch), make([]float64, p)}
		},
		func(s part, lo, hi int) {
			clear(s.sum.Data)
			for ; lo < hi; lo += batch {
				k := min(batch, hi-lo)
				for r, i := range rows[lo : lo+k] {
					copy(s.x.Row(r), l.centered(s.row, i))
					s.d[r] = d[i]
				}
				linalg.Syrk(s.sum, s.x.RowRange(0, k), nil, s.d[:k])
			}
		},
		func(s part) { linalg.Axpy(g.Data, 1, s.sum.Data) })
	linalg.Symmetrize(g)
	return g
}

// MulVec sets dst to Q·a = A(Aᵀa). O(np).
func (l *Linear) MulVec(dst, a []float64) {
	v := make([]float64, l.Rank())
	l.ApplyT(v, a)
	l.Apply(dst, v)
}

// window returns rows lo ≤ i < hi of x about the origin, a copy where that is not 0.
func (l *Linear) window(x *linalg.Dense, lo, hi int) *linalg.Dense {
	x = x.RowRange(lo, hi)
	if l.Origin == nil {
		return x
	}
	c := x.Clone()
	for i := range c.Rows {
		linalg.Axpy(c.Row(i), -1, l.Origin)
	}
	return c
}
