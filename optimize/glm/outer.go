package glm

import (
	"slices"

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
	diagonal  *linalg.Dense // row aq + b is Σ wᵢuᵢₐuᵢ_b·pᵢ, b ≤ a
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
	s := &outerSums{o: o, functions: o.NewFunctions(q), h: h, diagonal: linalg.Zeros(q*q, o.k),
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
			for j, v := range u.Row(i) {
				to[c*q+j] = pc * v
			}
		}
		for j, v := range u.Row(i) {
			for l, other := range u.Row(i)[:j+1] {
				linalg.Axpy(s.diagonal.Row(j*q+l), w*v*other, prob.Row(i))
			}
		}
	}
	linalg.Syrk(s.h, pu, nil, s.minus[:m])
}

// merge adds the sums over other rows.
func (s *outerSums) merge(o *outerSums) {
	linalg.Axpy(s.h.Data, 1, o.h.Data)
	linalg.Axpy(s.diagonal.Data, 1, o.diagonal.Data)
}

// finish completes h, and notes by how much its diagonal is smaller than the sums that it is a
// difference of.
func (s *outerSums) finish() {
	q, less := s.u.Cols, make([]float64, s.h.Rows)
	for j := range less {
		less[j] = s.h.At(j, j)
	}
	for a := range q {
		for b := range a + 1 {
			s.addDiagonal(s.diagonal.Row(a*q+b), a, b)
		}
	}
	linalg.Symmetrize(s.h)
	s.o.cancelled = 0
	for j, v := range less {
		if v < 0 {
			s.o.cancelled = max(s.o.cancelled, -v/max(0, s.h.At(j, j)))
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
	feature []int // of the parameter, the intercept counted
	ends    []int // functions' ends
}

func choose(parameters []int, k, dim int) *chosen {
	c := &chosen{}
	for f := range k {
		for at, parameter := range parameters {
			if parameter/dim == f {
				c.place, c.feature = append(c.place, at), append(c.feature, parameter%dim)
			}
		}
		c.ends = append(c.ends, len(c.place))
	}
	return c
}

// below reports whether no parameter has the given feature or a later one.
func (c *chosen) below(feature int) bool {
	return !slices.ContainsFunc(c.feature, func(j int) bool { return j >= feature })
}

// window returns the columns of function f.
func (c *chosen) window(a *linalg.Dense, f int) *linalg.Dense {
	from := 0
	if f > 0 {
		from = c.ends[f-1]
	}
	return &linalg.Dense{Rows: a.Rows, Cols: c.ends[f] - from, Stride: a.Stride, Data: a.Data[min(from, len(a.Data)):]}
}

// outerBlock holds, for the rows of a block, xᵢ and pᵢ⊗xᵢ by chosen parameters.
type outerBlock struct {
	*chosen
	x, px *linalg.Dense // px is nil where x is enough
}

func newOuterBlock(c *chosen) *outerBlock {
	return &outerBlock{chosen: c, x: linalg.Zeros(linalg.BlockRows, len(c.place))}
}

// setX takes in row i of the block without its probabilities.
func (b *outerBlock) setX(i int, x []float64) {
	to := b.x.Row(i)
	for at, j := range b.feature {
		to[at] = x[j]
	}
}

// set takes in row i of the block.
func (b *outerBlock) set(i int, x, p []float64) {
	to, times, from := b.x.Row(i), b.px.Row(i), 0
	for f, end := range b.ends {
		features, pf := b.feature[from:end], p[f]
		to, times := to[from:end], times[from:end]
		for at, j := range features {
			v := x[j]
			to[at], times[at] = v, pf*v
		}
		from = end
	}
}

// subOuterSums is one goroutine's share of some elements of the Hessian by the
// parameters of K functions: Σ wᵢ(diag pᵢ − pᵢpᵢᵀ)⊗xᵢxᵢᵀ in the order of [chosen].
type subOuterSums struct {
	o           *Objective
	prob        *linalg.Dense // of all rows
	left, right *outerBlock   // one where the elements are symmetric
	h           *linalg.Dense
	own         []*linalg.Dense // of symmetric elements those by one function, until merge
	row, v      []float64
	levels      bool // intercepts alone were chosen, and row is 1
}

func newSubOuterSums(o *Objective, prob *linalg.Dense, rows, cols *chosen) *subOuterSums {
	s := &subOuterSums{o: o, prob: prob, left: newOuterBlock(rows), h: linalg.Zeros(len(rows.place), len(cols.place)),
		row: make([]float64, o.Dim()), v: make([]float64, linalg.BlockRows),
		levels: rows.below(o.Intercept) && cols.below(o.Intercept)}
	s.left.px = linalg.Zeros(linalg.BlockRows, len(rows.place))
	s.row[0] = float64(o.Intercept)
	if s.right = s.left; rows != cols {
		s.right = newOuterBlock(cols)
		return s
	}
	for f := range rows.ends {
		n := rows.window(s.h, f).Cols
		s.own = append(s.own, linalg.Zeros(n, n))
	}
	return s
}

func (s *subOuterSums) Reset() {
	clear(s.h.Data)
	for _, h := range s.own {
		clear(h.Data)
	}
}

// merge adds the elements to sum.
func (s *subOuterSums) merge(sum *linalg.Dense) {
	for f, h := range s.own {
		end := s.left.ends[f]
		to := s.left.window(s.h.RowRange(end-h.Rows, end), f)
		for i := range h.Rows {
			copy(to.Row(i), h.Row(i))
		}
	}
	linalg.Axpy(sum.Data, 1, s.h.Data)
}

// Add sums over a block of rows.
func (s *subOuterSums) Add(b *design.Block) {
	m := b.Len()
	for i := range m {
		if !s.levels {
			b.Shift(s.row, i)
		}
		p := s.prob.Row(b.Lo + i)
		s.left.set(i, s.row, p)
		if s.right != s.left {
			s.right.setX(i, s.row)
		}
	}
	if !s.levels {
		b.Shift(s.row, m)
	}
	if s.right == s.left {
		s.addSquare(b)
	} else {
		s.addStrip(b)
	}
}

// addSquare adds the lower triangle by the parameters of both sides. Elements by one function are
// sums of their own, of curvatures pᵢ(1 − pᵢ): beside rows of a huge weight that are all but certain
// the difference Σ wᵢpᵢ − Σ wᵢpᵢ² has no digits.
func (s *subOuterSums) addSquare(b *design.Block) {
	m := b.Len()
	s.weigh(b, func(i int) float64 { return -s.o.Weight(i) })
	linalg.Syrk(s.h, s.left.px.RowRange(0, m), nil, s.v[:m])
	for f := range s.left.ends {
		if x := s.left.window(s.left.x.RowRange(0, m), f); x.Cols > 0 {
			s.weigh(b, func(i int) float64 { return s.o.Weight(i) * s.prob.At(i, f) * others(s.prob.Row(i), f) })
			linalg.Syrk(s.own[f], x, nil, s.v[:m])
		}
	}
}

// addStrip adds the columns of one function after the other.
func (s *subOuterSums) addStrip(b *design.Block) {
	m := b.Len()
	bent := &linalg.Dense{Rows: m, Cols: s.left.x.Cols, Stride: s.left.x.Stride, Data: s.left.x.Data} // x is not used again
	for f := range s.left.ends {
		if x := s.right.window(s.right.x.RowRange(0, m), f); x.Cols > 0 {
			s.bend(bent, b, f)
			linalg.MulTAdd(s.right.window(s.h, f), 1, bent, x)
		}
	}
}

// bend sets the rows of bent to what the columns of function f are summed of: wᵢpᵢf(1 − pᵢf)xᵢ by f itself
// and −wᵢpᵢfpᵢₖxᵢ by another function k.
func (s *subOuterSums) bend(bent *linalg.Dense, b *design.Block, f int) {
	own := s.left.window(bent, f)
	for i := range bent.Rows {
		p, w, px := s.prob.Row(b.Lo+i), s.o.Weight(b.Lo+i), s.left.px.Row(i)
		curvature := -w * p[f]
		for at, to := 0, bent.Row(i); at < len(to); at++ {
			to[at] = curvature * px[at]
		}
		if own.Cols > 0 {
			curvature = w * others(p, f)
			px = px[s.left.ends[f]-own.Cols:]
			for at, to := 0, own.Row(i); at < len(to); at++ {
				to[at] = curvature * px[at]
			}
		}
	}
}

// others returns 1 − p꜀, to all digits: where those cancel, as the sum of the others.
func others(p []float64, c int) float64 {
	if p[c] <= 0.5 {
		return 1 - p[c]
	}
	return linalg.Sum(p[:c]) + linalg.Sum(p[c+1:])
}

// weigh sets v by the rows of a block.
func (s *subOuterSums) weigh(b *design.Block, weight func(i int) float64) {
	for i := range b.Len() {
		s.v[i] = weight(b.Lo + i)
	}
}
