package glm

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize/loss"
)

// manyClasses is the number of classes from which on one sum of outer products of all
// functions together costs less than K(K−1)/2 sums by pairs of them, although it has
// twice the terms: while there are more classes than twice the parameters of a function.
// Measured for n = 4000 on two cores with AVX-512. From pairsTooLarge classes on, pairs
// take more memory than a cache holds, and soon than there is.
const manyClasses, pairsTooLarge = 16, 64

// byOuterProducts reports whether the Hessian of many classes costs least as one sum of
// outer products.
func (o *Objective) byOuterProducts() bool {
	_, softmax := o.loss.(loss.Softmax)
	return softmax && o.k >= manyClasses && (o.k > 2*o.Dim() || o.k >= pairsTooLarge)
}

// outerSums is one goroutine's share of Σ wᵢQᵀ(diag pᵢ − pᵢpᵢᵀ)Q⊗uᵢuᵢᵀ for probabilities
// pᵢ and q functions uᵢ of the rows: one sum of the outer products of (Qᵀpᵢ)⊗uᵢ, and
// apart from it the sums that the diagonal is made of.
type outerSums struct {
	o         *Objective
	functions *design.Functions
	h         *linalg.Dense // −Σ wᵢ(Qᵀpᵢ⊗uᵢ)(Qᵀpᵢ⊗uᵢ)ᵀ, the lower triangle
	diagonal  *linalg.Dense // row a(a+1)/2 + b is Σ wᵢuᵢₐuᵢ_b·pᵢ, b ≤ a
	u, pu     *linalg.Dense // uᵢ and Qᵀpᵢ⊗uᵢ of a block
	contrast  *linalg.Dense // Qᵀpᵢ of a block; nil where Q is
	minus     []float64     // −wᵢ of a block
}

// newOuterSums makes sums that add to h, which is 0, for the functions whose parameters
// are the rows of by; nil is the features and the intercept themselves.
func newOuterSums(o *Objective, h, by *linalg.Dense) *outerSums {
	const rows = linalg.BlockRows
	if by == nil {
		by = linalg.Identity(o.Dim())
	}
	m, q := o.Functions(), by.Rows
	s := &outerSums{o: o, functions: o.NewFunctions(q), h: h, diagonal: linalg.Zeros(q*(q+1)/2, o.k),
		u: linalg.Zeros(rows, q), pu: linalg.Zeros(rows, q*m), minus: make([]float64, rows)}
	for b := range q {
		s.functions.Set(o.Design, b, by.Row(b))
	}
	if o.q != nil {
		s.contrast = linalg.Zeros(rows, m)
	}
	return s
}

func (s *outerSums) Reset() {
	clear(s.h.Data)
	clear(s.diagonal.Data)
}

// add sums over a block of rows with the probabilities given. O(n(qm)²).
func (s *outerSums) add(b *design.Block, prob *linalg.Dense) {
	m, q := b.Len(), s.u.Cols
	u, pu := s.u.RowRange(0, m), s.pu.RowRange(0, m)
	b.AlongAll(u, s.functions)
	by := prob
	if s.contrast != nil {
		by = s.contrast.RowRange(0, m)
		clear(by.Data)
		linalg.MulAdd(by, 1, prob, s.o.q)
	}
	for i := range m {
		w, to := s.o.Weight(b.Lo+i), pu.Row(i)
		s.minus[i] = -w
		for c, pc := range by.Row(i) {
			times(to[c*q:], pc, u.Row(i))
		}
	}
	linalg.Syrk(s.h, pu, nil, s.minus[:m])
	s.addPairs(u, prob)
}

// addPairs adds to the sums that the diagonal is made of, by as many pairs of functions at a time as there is
// room for in pu, which has done its work.
func (s *outerSums) addPairs(u, prob *linalg.Dense) {
	for a, next := 0, 0; a < u.Cols; a = next {
		from, to := a*(a+1)/2, 0
		for ; next < u.Cols && (next+1)*(next+2)/2-from <= s.pu.Cols; next++ {
			to = (next + 1) * (next + 2) / 2
		}
		pairs := &linalg.Dense{Rows: u.Rows, Cols: to - from, Stride: s.pu.Stride, Data: s.pu.Data}
		for i := range u.Rows {
			row, at := u.Row(i), pairs.Row(i)
			for b := a; b < next; b++ {
				times(at, -s.minus[i]*row[b], row[:b+1])
				at = at[b+1:]
			}
		}
		linalg.MulTAdd(s.diagonal.RowRange(from, to), 1, pairs, prob)
	}
}

// merge adds the sums over other rows.
func (s *outerSums) merge(o *outerSums) {
	linalg.Axpy(s.h.Data, 1, o.h.Data)
	linalg.Axpy(s.diagonal.Data, 1, o.diagonal.Data)
}

// finish completes h, and notes by how much its diagonal is smaller than the sums that it is a
// difference of: a finite number also where nothing is left, for records have no other.
func (s *outerSums) finish() {
	q, less := s.u.Cols, make([]float64, s.h.Rows)
	for j := range less {
		less[j] = s.h.At(j, j)
	}
	for a := range q {
		for b := range a + 1 {
			s.addDiagonal(s.diagonal.Row(a*(a+1)/2+b), a, b)
		}
	}
	linalg.Symmetrize(s.h)
	s.o.cancelled = 0
	for j, v := range less {
		if v < 0 {
			s.o.cancelled = max(s.o.cancelled, min(-v/max(0, s.h.At(j, j)), math.MaxFloat64))
		}
	}
}

// addDiagonal adds Qᵀdiag(d)Q to the elements of h on and below the diagonal by the
// functions a and b ≤ a of the q in each block. O(Km²).
func (s *outerSums) addDiagonal(d []float64, a, b int) {
	q, h := s.u.Cols, s.h
	if s.o.q == nil {
		for c, v := range d {
			h.Data[(c*q+a)*h.Stride+c*q+b] += v
		}
		return
	}
	sum := linalg.Gram(s.o.q, nil, d, s.o.Workers)
	for i := range sum.Rows {
		for j, v := range sum.Row(i)[:i+1] {
			h.Data[(i*q+a)*h.Stride+j*q+b] += v
			if a != b {
				h.Data[(i*q+b)*h.Stride+j*q+a] += v
			}
		}
	}
}

// chosen are some parameters of K functions, in the order of the functions: a matrix by
// them has the blocks of each function in one window.
type chosen struct {
	place   []int // in the caller's order
	feature []int // of the parameter, its place among those that are read
	ends    []int // functions' ends
}

// ofScores returns the parameters of the K functions that some are: behind a reference those of the next function.
func (o *Objective) ofScores(set []int) []int {
	r := o.Reference()
	if r < 0 || set == nil {
		return set
	}
	all := make([]int, len(set))
	for i, c := range set {
		if all[i] = c; c >= r*o.Dim() {
			all[i] += o.Dim()
		}
	}
	return all
}

// choose orders parameters, given the place of each feature among those that are read.
func choose(parameters []int, k int, among []int) *chosen {
	c := &chosen{}
	for f := range k {
		for at, parameter := range parameters {
			if parameter/len(among) == f {
				c.place, c.feature = append(c.place, at), append(c.feature, among[parameter%len(among)])
			}
		}
		c.ends = append(c.ends, len(c.place))
	}
	return c
}

// start returns where the parameters of function f begin.
func (c *chosen) start(f int) int {
	if f == 0 {
		return 0
	}
	return c.ends[f-1]
}

// of returns the features of function f.
func (c *chosen) of(f int) []int { return c.feature[c.start(f):c.ends[f]] }

// window returns the columns of function f.
func (c *chosen) window(a *linalg.Dense, f int) *linalg.Dense {
	from := c.start(f)
	return &linalg.Dense{Rows: a.Rows, Cols: c.ends[f] - from, Stride: a.Stride, Data: a.Data[min(from, len(a.Data)):]}
}

// chosenRows are the rows of a block, for sums of some elements of the Hessian by the
// parameters of K functions, Σ wᵢ(diag pᵢ − pᵢpᵢᵀ)⊗xᵢxᵢᵀ, in the order of [chosen].
type chosenRows struct {
	o        *Objective
	prob     *linalg.Dense // of all rows
	features []int         // that are read, ascending
	row      []float64
	x        *linalg.Dense // the features of the rows
	part     *linalg.Dense // scratch of gather
	left     *chosen
	px       *linalg.Dense // multiples of pᵢ⊗xᵢ by the left side
}

func newChosenRows(o *Objective, prob *linalg.Dense, features []int, left *chosen, rows int) chosenRows {
	s := chosenRows{o: o, prob: prob, features: features, row: make([]float64, o.Dim()), left: left,
		x: linalg.Zeros(min(linalg.BlockRows, o.N), len(features)), part: linalg.Zeros(min(linalg.BlockRows, o.N), len(features)), px: linalg.Zeros(min(rows, o.N), len(left.place))}
	s.row[0] = float64(o.Intercept)
	return s
}

// take reads a block. Where intercepts alone are chosen the row is 1.
func (s *chosenRows) take(b *design.Block) {
	m, levels := b.Len(), len(s.features) == 0 || s.features[len(s.features)-1] < s.o.Intercept
	for i := range m {
		if !levels {
			b.Shift(s.row, i)
		}
		to := s.x.Row(i)
		if len(to) == len(s.row) {
			copy(to, s.row)
			continue
		}
		for at, j := range s.features {
			to[at] = s.row[j]
		}
	}
	if !levels {
		b.Shift(s.row, m)
	}
}

// gather returns the features of function f in the first m rows, until it is called again.
func (s *chosenRows) gather(f, m int) *linalg.Dense {
	features := s.left.of(f)
	part := &linalg.Dense{Rows: m, Cols: len(features), Stride: s.part.Stride, Data: s.part.Data}
	for i := range m {
		to, from := part.Row(i), s.x.Row(i)
		for at, j := range features {
			to[at] = from[j]
		}
	}
	return part
}

// outerRows is how many rows are gathered for one sum of outer products: as many as Syrk packs at
// a time at most.
const outerRows = 4 * linalg.BlockRows

// outerSquare is one goroutine's share of the elements by the left side and itself.
type outerSquare struct {
	chosenRows
	v       []float64
	waiting int             // rows of px
	h       *linalg.Dense   // Σ wᵢpᵢpᵢᵀ⊗xᵢxᵢᵀ, the lower triangle
	own     []*linalg.Dense // the same by one function, less Σ wᵢpᵢ⊗xᵢxᵢᵀ
}

func newOuterSquare(o *Objective, prob *linalg.Dense, features []int, c *chosen) *outerSquare {
	s := &outerSquare{chosenRows: newChosenRows(o, prob, features, c, outerRows),
		v: make([]float64, linalg.BlockRows), h: linalg.Zeros(len(c.place), len(c.place))}
	for f := range c.ends {
		n := len(c.of(f))
		s.own = append(s.own, linalg.Zeros(n, n))
	}
	return s
}

func (s *outerSquare) Reset() {
	clear(s.h.Data)
	for _, h := range s.own {
		clear(h.Data)
	}
	s.waiting = 0
}

// Add sums over a block. Elements by one function are sums of their own, of curvatures pᵢ(1 − pᵢ):
// beside rows of a huge weight that are all but certain the difference Σ wᵢpᵢ − Σ wᵢpᵢ² has no digits.
func (s *outerSquare) Add(b *design.Block) {
	s.take(b)
	m := b.Len()
	px := s.px.RowRange(s.waiting, s.waiting+m)
	for f := range s.left.ends {
		x, to := s.gather(f, m), s.left.window(px, f)
		if x.Cols == 0 {
			continue
		}
		for i := range m {
			w, p := s.o.Weight(b.Lo+i), s.prob.Row(b.Lo+i)
			s.v[i] = -w * p[f] * others(p, f)
			times(to.Row(i), math.Sqrt(w)*p[f], x.Row(i))
		}
		linalg.Syrk(s.own[f], x, nil, s.v[:m])
	}
	if s.waiting += m; s.waiting+linalg.BlockRows > s.px.Rows {
		s.flush()
	}
}

// flush adds the outer products of the rows that wait for theirs.
func (s *outerSquare) flush() {
	linalg.Syrk(s.h, s.px.RowRange(0, s.waiting), nil, nil)
	s.waiting = 0
}

// merge adds the elements to the lower triangle of h.
func (s *outerSquare) merge(h *linalg.Dense) {
	s.flush()
	for f, own := range s.own {
		to := s.left.window(s.h.RowRange(s.left.start(f), s.left.ends[f]), f)
		for i := range own.Rows {
			copy(to.Row(i), own.Row(i))
		}
	}
	for i, at := range s.left.place {
		for j, v := range s.h.Row(i)[:i+1] {
			to := s.left.place[j]
			h.Data[max(at, to)*h.Stride+min(at, to)] -= v
		}
	}
}

// outerStrip is one goroutine's share of the elements by a left side, of few parameters, and a right
// one. They are those of products with every feature that is read, for all functions
// together: to gather the features of one function after the other costs more.
type outerStrip struct {
	chosenRows
	right *chosen
	bent  *linalg.Dense // of a block, by function and left side
	h     *linalg.Dense // by function and left side, and feature
}

func newOuterStrip(o *Objective, prob *linalg.Dense, features []int, left, right *chosen) *outerStrip {
	all := o.k * len(left.place)
	return &outerStrip{chosenRows: newChosenRows(o, prob, features, left, linalg.BlockRows), right: right,
		bent: linalg.Zeros(min(linalg.BlockRows, o.N), all), h: linalg.Zeros(all, len(features))}
}

func (s *outerStrip) Reset() { clear(s.h.Data) }

// Add sums over a block. The columns of function f are sums of wᵢpᵢf(1 − pᵢf)xᵢ for the left side's parameters of f
// itself, and of −wᵢpᵢfpᵢₖxᵢ for those of another function k.
func (s *outerStrip) Add(b *design.Block) {
	s.take(b)
	m := b.Len()
	for f := range s.left.ends {
		x, to := s.gather(f, m), s.left.window(s.px, f)
		for i := range m {
			times(to.Row(i), s.prob.At(b.Lo+i, f), x.Row(i))
		}
	}
	for i := range m {
		p, w, px, to := s.prob.Row(b.Lo+i), s.o.Weight(b.Lo+i), s.px.Row(i), s.bent.Row(i)
		for f, pf := range p {
			times(to, -w*pf, px)
			times(to[s.left.start(f):], w*others(p, f), px[s.left.start(f):s.left.ends[f]])
			to = to[len(px):]
		}
	}
	linalg.MulTAdd(s.h, 1, s.bent.RowRange(0, m), s.x.RowRange(0, m))
}

// merge adds the elements to h.
func (s *outerStrip) merge(h *linalg.Dense) {
	for f := range s.right.ends {
		features, place := s.right.of(f), s.right.place[s.right.start(f):]
		for a, at := range s.left.place {
			to, from := h.Row(at), s.h.Row(f*len(s.left.place)+a)
			for i, j := range features {
				to[place[i]] += from[j]
			}
		}
	}
}

// outerHessian returns Σ wᵢQᵀ(diag pᵢ − pᵢpᵢᵀ)Q⊗uᵢuᵢᵀ for the functions uᵢ of row i whose
// parameters are the rows of by.
func (o *Objective) outerHessian(by, prob *linalg.Dense) (*linalg.Dense, error) {
	size := by.Rows * o.Functions()
	sums := func() *outerSums { return newOuterSums(o, linalg.Zeros(size, size), by) }
	total := sums()
	err := design.Reduce(o.Design, size,
		func() *blockOuter { return &blockOuter{sums(), prob} },
		func(s *blockOuter) { total.merge(s.outerSums) })
	total.finish()
	return total.h, err
}

// blockOuter adds blocks whose probabilities are known.
type blockOuter struct {
	*outerSums
	prob *linalg.Dense // of all rows
}

func (s *blockOuter) Add(b *design.Block) { s.add(b, s.prob.RowRange(b.Lo, b.Hi)) }

// times sets dst to a·x.
func times(dst []float64, a float64, x []float64) {
	for j, v := range x {
		dst[j] = a * v
	}
}

// others returns 1 − p꜀, to all digits: where those cancel, as the sum of the others.
func others(p []float64, c int) float64 {
	if p[c] <= 0.5 {
		return 1 - p[c]
	}
	return linalg.Sum(p[:c]) + linalg.Sum(p[c+1:])
}
