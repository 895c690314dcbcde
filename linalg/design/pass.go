package design

import (
	"slices"
	"sync"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// Block is up to [linalg.BlockRows] rows Lo ≤ i < Hi of a design. Where the origin is 0
// the rows are used as they are stored; else they are copied, about the origin, but for one
// function or sum where few columns are about another origin than 0. Units are applied to
// functions and sums ([Functions.Set], [Design.FinishBack], [Design.FinishGram]): a division
// of each value costs more than all else of a pass.
type Block struct {
	Lo, Hi int

	d        *Design
	most     int          // rows
	raw      linalg.Block // as the storage has them
	x        linalg.Block // as the solver sees them, once centered
	centered bool
	window   linalg.Dense
	buf      []float64 // of the window
	scratch  []float64 // of a function, in the units of the storage
}

// Sums are one goroutine's sums over a piece of the rows: Reset returns them to 0, Add
// takes in a block.
type Sums interface {
	Reset()
	Add(b *Block)
}

// largeSums is the number of partial sums from which on a goroutine has those of one piece
// alone: 8 MB.
const largeSums = 1 << 20

// Reduce sums over all rows. Each goroutine fills states that fresh makes, a piece of
// the rows at a time, and merge adds them up in the order of the rows; the bits of the
// result depend on the rows alone. values is how many partial sums a state has for
// each column: pieces are made long enough to be worth adding up.
//
// The error is one of the storage; the sums are then worth nothing.
func Reduce[S Sums](d *Design, values int, fresh func() S, merge func(S)) error {
	return d.reduce(values, func() Sums { return fresh() }, func(s Sums) { merge(s.(S)) })
}

// reduce is [Reduce], one for all types of sums: a program has one of it.
func (d *Design) reduce(values int, fresh func() Sums, merge func(Sums)) error {
	type piece struct {
		sums  Sums
		block Block
		err   error
	}
	var failed error
	var pieces []*piece
	states := 2
	if d.P*values >= largeSums {
		states = 1
	}
	linalg.ReduceWith(states, d.N, d.chunk(values), d.Workers,
		func() *piece {
			pieces = append(pieces, &piece{sums: fresh(), block: Block{d: d, most: d.blockRows(values)}})
			return pieces[len(pieces)-1]
		},
		func(q *piece, lo, hi int) {
			q.sums.Reset()
			q.err = q.block.pass(lo, hi, q.sums.Add)
		},
		func(q *piece) {
			if failed == nil {
				failed = q.err
			}
			merge(q.sums)
		})
	for _, q := range pieces {
		q.block.release()
	}
	return failed
}

// EachBlock calls visit with all rows, block after block, on the calling goroutine.
func (d *Design) EachBlock(visit func(*Block)) error {
	b := Block{d: d, most: d.blockRows(d.P)}
	defer b.release()
	return b.pass(0, d.N, visit)
}

// chunk is the number of rows that make a piece of work for one goroutine, with m partial
// sums for each column: an eighth of the rows where they are few, and all of them where
// dividing them gains nothing; else pieces are even in number and alike. Of sparse rows a piece
// has some sparseWork times as many values as there are partial sums to be added up for it, but is at
// most a quarter of them.
func (d *Design) chunk(m int) int {
	const block, sparseWork = linalg.BlockRows, 16
	stored := max(1, int(d.perRow))
	rows := max(min((1<<17)/stored, max(d.N/8, (1<<14)/stored)), 2*m, block)
	if stored < d.P {
		rows = max(rows, min(sparseWork*d.P*m/stored, d.N/4))
	}
	if pieces := d.N / rows; pieces > 1 {
		pieces -= pieces % 2
		rows = (d.N + pieces - 1) / pieces
	}
	return (rows + block - 1) / block * block
}

// SumLength bounds the number of additions by which a row comes into a sum of [Reduce] with
// so many values for each column: their rounding errors are so many units in the last place.
func (d *Design) SumLength(values int) int {
	piece := min(d.chunk(values), d.N)
	return piece + (d.N+piece-1)/piece
}

// buffers holds memory of blocks: a fit makes many passes, and fresh memory is cleared.
var buffers = sync.Pool{New: func() any { return new([]float64) }}

// release gives the memory of a block back.
func (b *Block) release() {
	if buf := b.buf; buf != nil {
		buffers.Put(&buf)
		b.buf = nil
	}
}

// blockRows is the most rows of a block with so many partial sums for each column: fewer than
// usual where rows are long, so that a block stays in the cache from one operation to the next.
// What several functions or columns have packed for a block is worth a longer one.
func (d *Design) blockRows(sums int) int {
	const one, several, fewest = 1 << 15, 1 << 17, 8
	values := several
	if sums == 1 {
		values = one
	}
	return min(linalg.BlockRows, max(fewest, values/max(1, int(d.perRow))))
}

// pass moves the block over rows lo ≤ i < hi.
func (b *Block) pass(lo, hi int, visit func(*Block)) error {
	return linalg.Pass(b.d.rows, lo, hi, func(raw *linalg.Block) error {
		m, step := raw.Len(), b.most
		for at := 0; at < m; at += step {
			b.raw = *raw
			if m > step {
				b.raw = raw.Range(at, min(at+step, m))
			}
			b.Lo, b.centered = b.raw.At, false
			b.Hi = b.Lo + b.raw.Len()
			visit(b)
		}
		return nil
	})
}

// rows returns the rows as the solver sees them. They are centered when the first
// operation on the block asks for them: some look at a few columns alone.
//
//go:noinline // a program would have dozens of copies
func (b *Block) rows() *linalg.Block {
	if !b.centered {
		b.center()
		b.centered = true
	}
	return &b.x
}

// center sets x to the rows of raw about the origin. Deleted rows, those of weight 0, may
// hold numbers of any size: where they are out of range the row is 0, for 0 times an
// infinite score would be no number.
func (b *Block) center() {
	huge := b.hugeRows()
	if b.d.plain && huge == nil {
		b.x = b.raw
		return
	}
	if b.raw.CSR != nil {
		b.x = linalg.Block{At: b.Lo, CSR: b.raw.CSR.Map(b.d.stored(huge))}
		return
	}
	b.takeWindow()
	most := max(1, len(b.d.tiled)/b.d.P)
	for lo := 0; lo < b.window.Rows; lo += most {
		hi := min(lo+most, b.window.Rows)
		rows := b.buf[lo*b.d.P : hi*b.d.P]
		copyRows(rows, &b.raw, lo, hi)
		b.d.shift(rows)
	}
	for _, i := range huge {
		clear(b.window.Row(i))
	}
}

// unmoved returns dense rows as they are stored where few of their columns are about an origin and there
// is no copy yet, and makes scratch; nil where they are taken as the solver sees them.
func unmoved(b *Block) *linalg.Dense {
	if b.d.off == nil || b.centered || b.raw.CSR != nil || b.hugeRows() != nil {
		return nil
	}
	if b.scratch == nil {
		b.scratch = make([]float64, b.d.P)
	}
	return b.raw.Dense
}

// takeWindow sets x to dense rows of its own, as many as raw has.
func (b *Block) takeWindow() {
	m, p := b.raw.Dims()
	if b.buf == nil {
		b.buf = *buffers.Get().(*[]float64)
	}
	b.buf = slices.Grow(b.buf[:0], m*p)[:m*p]
	b.window = linalg.Dense{Rows: m, Cols: p, Stride: p, Data: b.buf}
	b.x = linalg.Block{At: b.Lo, Dense: &b.window}
}

// stored returns how a value that is stored in row i and column j of a sparse block is moved
// to the origin, which is 0 in all columns that hold other zeros; rows of huge are 0.
func (d *Design) stored(huge []int) func(i int, j int32, v float64) float64 {
	return func(i int, j int32, v float64) float64 {
		switch {
		case slices.Contains(huge, i):
			return 0
		case d.plain:
			return v
		}
		return v - d.Origin[j]
	}
}

// hugeRows returns the rows of the block that have weight 0 and numbers out of range.
func (b *Block) hugeRows() (rows []int) {
	for i, w := range b.Weights() {
		if w > 0 {
			continue
		}
		if _, values := b.raw.Row(i); !sample.InRange(values) {
			rows = append(rows, i)
		}
	}
	return rows
}

// Len returns the number of rows.
func (b *Block) Len() int { return b.Hi - b.Lo }

// Weights returns the weights of the rows, nil for all ones.
func (b *Block) Weights() []float64 { return b.d.WeightsOf(b.Lo, b.Hi) }

// ones are the values of a constant column in a block.
var ones = slices.Repeat([]float64{1}, linalg.BlockRows)

// levels returns the values of the intercept's column in the block.
//
//go:noinline // programs would have it ten times
func (b *Block) levels() []float64 {
	if b.d.level == nil {
		return ones[:b.Len()]
	}
	return b.d.level[b.Lo:b.Hi]
}

// Row sets dst to (1, x) of the i-th row of the block, in units.
func (b *Block) Row(dst []float64, i int) {
	k := b.d.Intercept
	b.rows().CopyRow(dst[k:], i)
	if k == 1 {
		dst[0] = b.levels()[i]
	}
	if b.d.implied || !b.d.unscaled {
		for j, u := range b.d.Unit {
			if b.d.implied {
				dst[j+k] -= b.d.Origin[j]
			}
			dst[j+k] /= u
		}
	}
}

// Shift makes dst, which holds (1, x) of the i-th row before the one wanted, that of the i-th
// row, in units. Before the first row of the block and behind the last, dst holds zeros: sparse
// rows about 0 then cost O(stored values), and others O(p).
func (b *Block) Shift(dst []float64, i int) {
	k, inside := b.d.Intercept, i < b.Len()
	if b.rows().CSR == nil || b.d.implied {
		if clear(dst); inside {
			b.Row(dst, i)
		}
		return
	}
	if i > 0 {
		columns, _ := b.Stored(i - 1)
		for _, j := range columns {
			dst[int(j)+k] = 0
		}
	}
	clear(dst[:k])
	if !inside {
		return
	}
	if k == 1 {
		dst[0] = 1
	}
	columns, values := b.Stored(i)
	for c, j := range columns {
		dst[int(j)+k] = values[c]
		dst[int(j)+k] /= b.d.Unit[j]
	}
}

// Stored returns the values of the i-th row that are stored, about the origin, and their
// columns (nil: all), without units. They are not copies.
func (b *Block) Stored(i int) (columns []int32, values []float64) { return b.rows().Row(i) }

// Functions are K functions in the coordinates of blocks.
type Functions struct {
	Slopes   *linalg.Dense // K×p, and p×K where they lie by column
	Levels   []float64     // intercepts at the origin
	byColumn bool
}

// NewFunctions returns room for k functions.
func (d *Design) NewFunctions(k int) *Functions {
	if d.byColumn(k) {
		return &Functions{linalg.Zeros(d.P, k), make([]float64, k), true}
	}
	return &Functions{linalg.Zeros(k, d.P), make([]float64, k), false}
}

// Set makes function c the one with parameters theta.
func (f *Functions) Set(d *Design, c int, theta []float64) {
	first, step := c*d.P, 1
	if f.byColumn {
		first, step = c, len(f.Levels)
	}
	for j, t := range theta[d.Intercept:] {
		f.Slopes.Data[first+j*step] = t / d.Unit[j]
	}
	f.Levels[c] = d.LevelAt0(theta)
}

// Scores sets dst (rows × K) to the scores of the rows: functions and offsets.
// O(pK) a row.
func (b *Block) Scores(dst *linalg.Dense, f *Functions) {
	offsets, k := b.d.Offset, len(f.Levels)
	if k == 1 {
		b.Along(dst, f)
		if offsets != nil {
			linalg.Axpy(dst.Data[:b.Len()], 1, offsets[b.Lo:b.Hi])
		}
		return
	}
	b.AlongAll(dst, f)
	for i := range dst.Rows {
		if offsets != nil {
			linalg.Axpy(dst.Row(i), 1, offsets[(b.Lo+i)*k:(b.Lo+i+1)*k])
		}
	}
}

// AlongAll sets dst (rows × K) to K functions of the rows, without offsets. O(pK) a row.
func (b *Block) AlongAll(dst *linalg.Dense, f *Functions) {
	if len(f.Levels) == 1 {
		b.Along(dst, f)
		return
	}
	for i, a := range b.levels() {
		if copy(dst.Row(i), f.Levels); a != 1 {
			linalg.Scale(dst.Row(i), a)
		}
	}
	if f.byColumn {
		b.rows().AddScoresByColumn(dst, f.Slopes)
		return
	}
	b.rows().AddScores(dst, f.Slopes)
}

// Along sets dst (rows × 1) to one function of the rows, without offsets. O(p) a row.
func (b *Block) Along(dst *linalg.Dense, f *Functions) {
	eta := dst.Data[:b.Len()]
	if x := unmoved(b); x != nil {
		alongStored(b.d, eta, x, f.Slopes.Data, b.scratch)
	} else {
		b.rows().MulVec(eta, f.Slopes.Data)
	}
	linalg.Axpy(eta, f.Levels[0], b.levels())
}

// AddBack adds Rᵀ(1, X) to dst for residuals r (rows × K): K rows of Dim values, or where
// they lie by column Dim rows of K values, which [Design.FinishBack] transposes.
func (b *Block) AddBack(dst []float64, r *linalg.Dense) {
	k, dim := b.d.Intercept, b.d.Dim()
	switch {
	case r.Cols == 1:
		v := r.Data[:b.Len()]
		if x := unmoved(b); x != nil {
			addStored(b.d, dst[k:], v, x, b.scratch)
		} else {
			b.rows().AddTVec(dst[k:], v)
		}
		switch {
		case b.d.level != nil:
			dst[0] += linalg.Dot(v, b.levels())
		case k == 1:
			dst[0] += linalg.Sum(v)
		}
	case b.d.byColumn(r.Cols):
		b.rows().AddBackByColumn(&linalg.Dense{Rows: b.d.P, Cols: r.Cols, Stride: r.Cols, Data: dst[k*r.Cols:]}, r)
		if k == 1 {
			linalg.MulTVecAdd(dst[:r.Cols], r, b.levels())
		}
	default:
		b.rows().AddBack(&linalg.Dense{Rows: r.Cols, Cols: b.d.P, Stride: dim, Data: dst[k:]}, r)
		if k == 1 {
			sums := make([]float64, r.Cols)
			linalg.MulTVecAdd(sums, r, b.levels())
			for c, v := range sums {
				dst[c*dim] += v
			}
		}
	}
}

// byColumn reports whether the slopes of k functions and their sums lie by column: those of sparse rows, and
// those of more than half of the functions that a product takes at a time, and of no more, for which it
// reads dense rows where they lie. (Measured for 100 columns and 10 functions: scores take 0.93 of the
// time, and sums 0.86; of 8 functions it is as much either way.)
func (d *Design) byColumn(k int) bool { return k > 1 && d.Sparse() || k > 8 && k <= 16 }

// AddSquares adds Σ vᵢₖ(1, xᵢⱼ)² to dst, Dim rows of K values, for weights v (rows × K);
// [Design.FinishSquares] completes the sums. O(pK) a row.
func (b *Block) AddSquares(dst []float64, v *linalg.Dense) {
	k := b.d.Intercept * v.Cols
	b.rows().AddSquares(&linalg.Dense{Rows: b.d.P, Cols: v.Cols, Stride: v.Cols, Data: dst[k:]}, v)
	for i, a := range b.levels() {
		linalg.Axpy(dst[:k], a*a, v.Row(i)[:k])
	}
}

// FinishSquares turns sums of [Block.AddSquares] into those by the parameters of one function
// after the other. It overwrites scratch, which is at least as long as h.
func (d *Design) FinishSquares(h, scratch []float64) {
	d.byFunction(h, len(h)/d.Dim(), scratch[:len(h)])
	d.unscale(h)
	d.unscale(h)
}

// FinishBack turns derivatives by the slopes of k functions, sums of [Block.AddBack], into
// those by the parameters, K rows of Dim values. It overwrites scratch, which is as long as g;
// nil is made where it is needed.
func (d *Design) FinishBack(g []float64, k int, scratch []float64) {
	if d.byColumn(k) {
		d.byFunction(g, k, scratch)
	}
	d.unscale(g)
}

// byFunction turns Dim rows of k values into k rows of Dim values.
func (d *Design) byFunction(g []float64, k int, scratch []float64) {
	if k == 1 {
		return
	}
	if scratch == nil {
		scratch = make([]float64, len(g))
	}
	copy(scratch, g)
	dim := d.Dim()
	linalg.For(dim, 1<<10, d.Workers, func(lo, hi int) {
		from := linalg.Dense{Rows: hi - lo, Cols: k, Stride: k, Data: scratch[lo*k:]}
		linalg.Transpose(&linalg.Dense{Rows: k, Cols: hi - lo, Stride: dim, Data: g[lo:]}, &from)
	})
}

// unscale divides derivatives by slopes, functions of Dim values each, by the units.
func (d *Design) unscale(g []float64) {
	for dim := d.Dim(); !d.unscaled && len(g) > 0; g = g[dim:] {
		for j, u := range d.Unit {
			g[j+d.Intercept] /= u
		}
	}
}
