package moments

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// AddRows adds the rows of x with their labels y, one pass over x on workers
// goroutines. A nil w is all ones; rows of weight 0 are left out. O(np²).
//
// Errors: *[linalg.ShapeError], *[linalg.SizeError], *[linalg.WeightError], and
// those of [sample.Range]; m is then unchanged.
func (m *ByClass) AddRows(x *linalg.Dense, y []int, w []float64, workers int) error {
	if err := checkRows(x, y, w); err != nil {
		return err
	}
	if x.Cols != m.p {
		return &linalg.ShapeError{Want: m.p, WantOf: "columns", Got: x.Cols, GotOf: "in x"}
	}
	b := newBatch(x, y, w, m.pooled)
	if len(b.labels) == 0 {
		return x.CheckFinite()
	}
	if err := m.checkMemory(len(b.labels)); err != nil {
		return err
	}
	b.run(workers)
	if b.suspect {
		if err := sample.Range(x, nil, w); err != nil {
			return err
		}
	}
	if b.offCenter() {
		b.recenter()
		b.run(workers)
	}
	whole := b.moments()
	if m.origin != nil {
		return m.Merge(whole)
	}
	*m = *whole
	return nil
}

// copiedValues is how many values of rows that are not dense are copied at a time: 16 MB.
const copiedValues = 1 << 21

// AddAll is [ByClass.AddRows] for any storage of rows. Those that are not dense are copied, some at a
// time, and m has the first of them where an error follows.
func (m *ByClass) AddAll(x linalg.Rows, y []int, w []float64, workers int) error {
	if dense, ok := x.(*linalg.Dense); ok {
		return m.AddRows(dense, y, w, workers)
	}
	n, p, err := sample.Dims(x, len(y), "labels")
	if err == nil {
		err = checkLabels(n, y, w)
	}
	if err != nil {
		return err
	}
	if p != m.p {
		return &linalg.ShapeError{Want: m.p, WantOf: "columns", Got: p, GotOf: "in x"}
	}
	piece, at := linalg.Zeros(min(n, max(linalg.BlockRows, copiedValues/p)), p), 0
	return linalg.Pass(x, 0, n, func(b *linalg.Block) error {
		for i := range b.Len() {
			row := b.At + i
			b.CopyRow(piece.Row(row-at), i)
			done := row + 1
			if done-at < piece.Rows && done < n {
				continue
			}
			var own []float64
			if w != nil {
				own = w[at:done]
			}
			if err := m.AddRows(piece.RowRange(0, done-at), y[at:done], own, workers); err != nil {
				return movedBy(at, err)
			}
			at = done
		}
		return nil
	})
}

// movedBy returns an error about a row as one about the row that is so many further.
func movedBy(at int, err error) error {
	switch e := err.(type) {
	case *linalg.NonFiniteError:
		e.Row += at
	case *linalg.RangeError:
		e.Row += at
	}
	return err
}

// checkRows returns an error where lengths do not fit, or a weight is none.
func checkRows(x *linalg.Dense, y []int, w []float64) error {
	if err := x.Check(); err != nil {
		return err
	}
	return checkLabels(x.Rows, y, w)
}

// checkLabels is checkRows of so many rows that are in order.
func checkLabels(n int, y []int, w []float64) error {
	switch {
	case len(y) != n:
		return &linalg.ShapeError{Want: n, WantOf: "rows", Got: len(y), GotOf: "labels"}
	case w != nil && len(w) != n:
		return &linalg.ShapeError{Want: n, WantOf: "rows", Got: len(w), GotOf: "weights"}
	}
	return linalg.CheckWeights(w)
}

// batch gathers the moments of a matrix of rows. Every class has a centre near
// its mean; sums and Gram matrices are taken about the centres, and the scatter
// about the means follows from G − ssᵀ/N, which cancels nothing as long as the
// centres are within a few standard deviations of the means.
type batch struct {
	x       *linalg.Dense
	w       []float64
	pooled  bool
	labels  []int     // of the classes, ascending
	code    []int32   // position of each row's label, −1 for a row of weight 0
	order   []int     // rows by class, stretch by stretch; nil where pooled
	rows    []int     // of each class
	weight  []float64 // of each class
	piece   []piece
	center  *linalg.Dense   // K×p
	sum     *linalg.Dense   // K×p: Σw(x−c)
	gram    []*linalg.Dense // lower triangles of Σw(x−c)(x−c)ᵀ: K of them, or one where pooled
	suspect bool            // some number may be out of range
}

// piece is a stretch of rows (of positions in order) that one goroutine works
// on; where classes are apart it holds rows of one class.
type piece struct{ class, lo, hi int }

// panelRows is the number of centred rows that are handed to Syrk at a time:
// enough to keep its registers busy, few enough to stay in the nearest cache.
const panelRows = 64

func newBatch(x *linalg.Dense, y []int, w []float64, pooled bool) *batch {
	b := &batch{x: x, w: w, pooled: pooled}
	b.encode(y)
	if len(b.labels) > 0 {
		b.cut()
		b.guessCenters()
	}
	return b
}

// encode sets code, rows and weight, and checks the weights and the rows of weight
// 0, which the pass over the others leaves out.
func (b *batch) encode(y []int) {
	b.labels = sample.Distinct(y, b.w)
	index := sample.NewIndex(b.labels)
	k := len(b.labels)
	b.code, b.rows, b.weight = make([]int32, len(y)), make([]int, k), make([]float64, k)
	b.suspect = !sample.PlainWeights(b.w)
	for i, v := range y {
		if b.w != nil && b.w[i] == 0 {
			b.code[i] = -1
			b.suspect = b.suspect || !sample.InRange(b.x.Row(i))
			continue
		}
		c, _ := index.Position(v)
		b.code[i] = int32(c)
		b.rows[c]++
		if b.w != nil {
			b.weight[c] += b.w[i]
		}
	}
	if b.w == nil {
		for c, n := range b.rows {
			b.weight[c] = float64(n)
		}
	}
}

// cut makes the pieces: bounds depend on the rows and labels alone, never on the
// number of workers. A piece is worth several times the clearing and merging of
// its p×p (and, pooled, K×p) state.
func (b *batch) cut() {
	n, k := len(b.code), len(b.labels)
	if b.pooled {
		size := max(linalg.RowChunk(b.x.Cols), 1024, n/64, 4*k)
		b.piece = cutRange(b.piece, -1, 0, n, size)
		return
	}
	// Rows are sorted by class within stretches that are short enough for the last
	// level of cache, so memory is read in order.
	stretch := int(min(int64(k)*int64(max(1024, n/1024)), int64(n)))
	b.order = make([]int, n)
	for lo := 0; lo < n; lo += stretch {
		b.sortRows(lo, min(lo+stretch, n))
	}
}

// sortRows lists rows lo ≤ i < hi class by class, in their order within each, and
// makes the pieces of them.
func (b *batch) sortRows(lo, hi int) {
	next := make([]int, len(b.labels))
	for _, k := range b.code[lo:hi] {
		if k >= 0 {
			next[k]++
		}
	}
	at := lo
	for k, n := range next {
		next[k] = at
		b.piece = cutRange(b.piece, k, at, at+n, max(linalg.RowChunk(b.x.Cols), 1024))
		at += n
	}
	for i := lo; i < hi; i++ {
		if k := b.code[i]; k >= 0 {
			b.order[next[k]] = i
			next[k]++
		}
	}
}

func cutRange(pieces []piece, class, lo, hi, size int) []piece {
	for ; lo < hi; lo += size {
		pieces = append(pieces, piece{class, lo, min(lo+size, hi)})
	}
	return pieces
}

// guessCenters sets each centre to the mean of the first rows of its class. The
// running mean of equal values is that value, so a constant column stays exactly
// constant.
func (b *batch) guessCenters() {
	const few = 8
	b.center = linalg.Zeros(len(b.labels), b.x.Cols)
	seen := make([]int, len(b.labels))
	for i, k32 := range b.code {
		k := int(k32)
		if k < 0 || seen[k] == few {
			continue
		}
		seen[k]++
		c := b.center.Row(k)
		for j, v := range b.x.Row(i) {
			c[j] += (v - c[j]) / float64(seen[k])
		}
	}
}

// partial holds the sums of one piece.
type partial struct {
	class   int
	sum     *linalg.Dense // K×p, or 1×p where classes are apart
	gram    *linalg.Dense
	panel   *linalg.Dense  // the rows at hand
	row     [panelRows]int // their numbers
	count   int            // how many there are
	suspect bool           // some number may be out of range
}

// run makes the pass: sum and gram about the centres.
func (b *batch) run(workers int) {
	k, p := len(b.labels), b.x.Cols
	b.sum = linalg.Zeros(k, p)
	grams, sums := k, 1
	if b.pooled {
		grams, sums = 1, k
	}
	b.gram = make([]*linalg.Dense, grams)
	for g := range b.gram {
		b.gram[g] = linalg.Zeros(p, p)
	}
	linalg.Reduce(len(b.piece), 1, workers,
		func() *partial {
			return &partial{sum: linalg.Zeros(sums, p), gram: linalg.Zeros(p, p), panel: linalg.Zeros(panelRows, p)}
		},
		func(s *partial, lo, _ int) { b.gather(s, b.piece[lo]) },
		b.merge)
}

func (b *batch) gather(s *partial, pc piece) {
	s.class, s.suspect = pc.class, false
	clear(s.sum.Data)
	clear(s.gram.Data)
	for t := pc.lo; t < pc.hi; t++ {
		i := t
		if b.order != nil {
			i = b.order[t]
		}
		if b.code[i] < 0 {
			continue
		}
		copy(s.panel.Row(s.count), b.x.Row(i))
		s.row[s.count] = i
		if s.count++; s.count == panelRows {
			b.flush(s, b.from(t+1))
		}
	}
	b.flush(s, linalg.Upcoming{})
}

// flush adds the rows of the panel, less their centres, to the sums and the Gram
// matrix; meanwhile the rows ahead are fetched.
func (b *batch) flush(s *partial, ahead linalg.Upcoming) {
	if s.count == 0 {
		return
	}
	rows := s.panel.RowRange(0, s.count)
	s.suspect = s.suspect || !sample.InRange(rows.Data)
	for at, i := range s.row[:s.count] {
		d, k, sum := rows.Row(at), int(b.code[i]), s.sum.Row(0)
		if b.pooled {
			sum = s.sum.Row(k)
		}
		linalg.Axpy(d, -1, b.center.Row(k))
		if b.w == nil {
			linalg.Axpy(sum, 1, d)
		} else {
			linalg.Axpy(sum, b.w[i], d)
			linalg.Scale(d, math.Sqrt(b.w[i]))
		}
	}
	linalg.SyrkAhead(s.gram, rows, ahead)
	s.count = 0
}

// from returns the rows that a pass reads from position t on.
func (b *batch) from(t int) linalg.Upcoming {
	return linalg.Upcoming{Data: b.x.Data, Stride: b.x.Stride, Order: b.order}.From(t)
}

func (b *batch) merge(s *partial) {
	b.suspect = b.suspect || s.suspect
	if b.pooled {
		linalg.Axpy(b.sum.Data, 1, s.sum.Data)
		linalg.Axpy(b.gram[0].Data, 1, s.gram.Data)
		return
	}
	linalg.Axpy(b.sum.Row(s.class), 1, s.sum.Data)
	linalg.Axpy(b.gram[s.class].Data, 1, s.gram.Data)
}

// offCenter reports whether some centre was so far from its mean that G − ssᵀ/N
// cancels more than two digits: a class that begins with outliers.
func (b *batch) offCenter() bool {
	const tooMuch = 1 - 1.0/128
	for j := range b.x.Cols {
		shift := 0.0
		for k, n := range b.weight {
			s := b.sum.At(k, j)
			if b.pooled {
				shift += s * s / n
			} else if s*s/n > tooMuch*b.gram[k].At(j, j) {
				return true
			}
		}
		if b.pooled && shift > tooMuch*b.gram[0].At(j, j) {
			return true
		}
	}
	return false
}

// recenter moves the centres to the means that the pass found.
func (b *batch) recenter() {
	for k, n := range b.weight {
		linalg.Axpy(b.center.Row(k), 1/n, b.sum.Row(k))
	}
}

// moments turns sums and Gram matrices about the centres into moments about the
// centre of the heaviest class: the mean of all rows, which models work about, is
// near that one where weights differ most.
func (b *batch) moments() *ByClass {
	heaviest := linalg.ArgMax(b.weight)
	m := &ByClass{p: b.x.Cols, pooled: b.pooled, origin: slices.Clone(b.center.Row(heaviest))}
	if b.pooled {
		m.within = b.gram[0]
	}
	m.class = make([]classMoments, len(b.labels))
	for k := range m.class {
		c := &m.class[k]
		c.label, c.rows, c.weight = b.labels[k], b.rows[k], b.weight[k]
		s := b.sum.Row(k)
		linalg.Scale(s, 1/c.weight)
		c.dev = moved(s, b.center.Row(k), m.origin)
		if !b.pooled {
			c.scatter = b.gram[k]
		}
		g := m.scatterOf(c)
		for i, v := range s {
			linalg.Axpy(g.Row(i)[:i+1], -c.weight*v, s[:i+1])
		}
	}
	for _, g := range b.gram {
		for j := range g.Rows { // rounding must not make a variance negative
			g.Set(j, j, max(0, g.At(j, j)))
		}
		linalg.Symmetrize(g)
	}
	return m
}
