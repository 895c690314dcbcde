package glm

import (
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

// finish completes h.
func (s *outerSums) finish() {
	q := s.u.Cols
	for a := range q {
		for b := range a + 1 {
			s.addDiagonal(s.diagonal.Row(a*q+b), a, b)
		}
	}
	linalg.Symmetrize(s.h)
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

// subOuterSums is one goroutine's share of some elements of the Hessian by the
// parameters of K functions.
type subOuterSums struct {
	o           *Objective
	prob        *linalg.Dense // of all rows
	rows, cols  []int         // parameters; nil cols are the rows
	same        [][2]int      // elements of h by two parameters of one function
	h           *linalg.Dense
	left, right *linalg.Dense // pᵢ⊗xᵢ at the rows, times −wᵢ, and at the columns, of a block
	x           []float64
}

func newSubOuterSums(o *Objective, prob *linalg.Dense, rows, cols []int) *subOuterSums {
	s := &subOuterSums{o: o, prob: prob, rows: rows, cols: cols, x: make([]float64, o.Dim())}
	if cols == nil {
		s.cols = rows
	}
	of := make([][]int, o.k)
	for at, c := range s.cols {
		of[c/o.Dim()] = append(of[c/o.Dim()], at)
	}
	for i, r := range rows {
		for _, j := range of[r/o.Dim()] {
			s.same = append(s.same, [2]int{i, j})
		}
	}
	s.h = linalg.Zeros(len(rows), len(s.cols))
	s.left, s.right = linalg.Zeros(linalg.BlockRows, len(rows)), linalg.Zeros(linalg.BlockRows, len(s.cols))
	return s
}

func (s *subOuterSums) Reset() { clear(s.h.Data) }

// Add sums over a block of rows.
func (s *subOuterSums) Add(b *design.Block) {
	m, dim := b.Len(), len(s.x)
	left, right := s.left.RowRange(0, m), s.right.RowRange(0, m)
	for i := range m {
		b.Row(s.x, i)
		w, p, l, r := s.o.Weight(b.Lo+i), s.prob.Row(b.Lo+i), left.Row(i), right.Row(i)
		for at, c := range s.rows {
			l[at] = -w * p[c/dim] * s.x[c%dim]
		}
		for at, c := range s.cols {
			r[at] = p[c/dim] * s.x[c%dim]
		}
		for _, at := range s.same {
			s.h.Data[at[0]*s.h.Stride+at[1]] -= l[at[0]] * s.x[s.cols[at[1]]%dim]
		}
	}
	linalg.MulTAdd(s.h, 1, left, right)
}
