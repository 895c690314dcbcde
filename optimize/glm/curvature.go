package glm

import (
	"cmp"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// curvatureAt returns the second derivatives of the rows at theta, those of the last
// call if the point is the same. O(npK), and n·K values of memory.
func (o *Objective) curvatureAt(theta []float64) []float64 {
	c := &o.curved
	if o.failed != nil || c.v != nil && slices.Equal(c.theta, theta) {
		return c.v
	}
	if c.r != nil {
		o.Value(theta)
	}
	if o.renewCurvature(); c.r != nil {
		scores := o.recorded
		if o.k == 1 { // a loss of one score may read them after it has written residuals
			scores = linalg.Clone(scores)
		}
		o.loss.Rows(c.r, c.v, o.Y, scores, o.Weights)
		c.theta = o.memo.theta
		return c.v
	}
	o.moveTo(theta)
	o.failed = o.EachRow(func() func(*design.Block) {
		f, r := linalg.Zeros(linalg.BlockRows, o.k), make([]float64, linalg.BlockRows*o.k)
		return func(b *design.Block) {
			m := b.Len()
			scores := f.RowRange(0, m)
			o.score(scores, b)
			o.loss.Rows(r[:m*o.k], c.v[b.Lo*o.k:b.Hi*o.k], o.Y[b.Lo:b.Hi], scores.Data[:m*o.k], b.Weights())
		}
	})
	c.theta = linalg.Clone(theta)
	return c.v
}

// KeepCurvature lets the passes for a gradient, from now on, leave the second derivatives of the
// rows, which cost [Objective.SubHess] and [Objective.HessVec] at that point a pass otherwise.
func (o *Objective) KeepCurvature() { o.curving = true }

// probabilities returns the n×K probabilities at theta.
//
//go:noinline // a program would have a dozen copies
func (o *Objective) probabilities(theta []float64) *linalg.Dense {
	return &linalg.Dense{Rows: o.N, Cols: o.k, Stride: o.k, Data: o.curvatureAt(theta)}
}

// RowsAt returns the derivatives of the loss at theta by the scores of the rows, K a row, and
// K values a row that tell the second ones, as [loss.Batch] has both, until the next pass. From
// the first call on passes leave the scores, O(nK) memory, and it makes none where the last one
// was at theta. Where a pass fails they mean nothing, and Err tells.
func (o *Objective) RowsAt(theta []float64) (r, v []float64) {
	c := &o.curved
	if c.r == nil {
		c.r = make([]float64, o.N*o.k)
		o.recorded, c.theta, o.memo = c.r, nil, memo{}
		o.curving = false // the scores tell the residuals as well
	}
	v = o.curvatureAt(theta)
	return c.r, v
}

// Release forgets the last point and gives back the memory of passes, for a solver that has need of it
// before the next pass, which writes over the last gradient.
//
//go:noinline // a copy of the function for each caller is large
func (o *Objective) Release() {
	o.spare, o.at, o.memo.theta, o.curved.theta = nil, nil, nil, nil
}

// traces returns the traces of the rows' second derivatives v.
func (o *Objective) traces(v []float64) []float64 {
	if _, softmax := o.loss.(loss.Softmax); !softmax {
		return v
	}
	trace := make([]float64, o.N)
	for i := range trace {
		p := v[i*o.k : (i+1)*o.k]
		trace[i] = o.Weight(i) * (1 - linalg.Dot(p, p))
	}
	return trace
}

// pairAt returns the second derivatives of all rows by functions a and b of the K.
func (o *Objective) pairAt(theta []float64, a, b int) []float64 {
	v := o.curvatureAt(theta)
	if o.k == 1 {
		return v
	}
	dst := make([]float64, o.N)
	o.loss.Curvature(dst, a, b, v, o.Weights)
	return dst
}

// SubHess sets h to elements of the Hessian at theta, without the ridge, of an
// objective whose parameters are those of the K functions, or of all but a reference. O(n·rows·cols) after
// O(npK) for the second derivatives at a new theta.
func (o *Objective) SubHess(h *linalg.Dense, theta []float64, rows, cols []int) {
	o.Work.Spend(3*o.N, len(rows), max(len(cols), len(rows)/2)) // by a third of the rate of large products
	if o.k == 1 {
		o.subGram(h, o.curvatureAt(theta), rows, cols)
		return
	}
	if o.curvatureAt(theta); o.failed != nil {
		h.Data[0] = math.NaN()
		return
	}
	rows, cols = o.ofScores(rows), o.ofScores(cols)
	if _, softmax := o.loss.(loss.Softmax); softmax {
		o.subOuter(h, theta, rows, cols)
		return
	}
	symmetric := cols == nil
	if symmetric {
		cols = rows
	}
	dim := o.Dim()
	for a := range o.k {
		at, left := ofFunction(rows, a, dim)
		for b := range o.k {
			to, right := ofFunction(cols, b, dim)
			if len(left) == 0 || len(right) == 0 {
				continue
			}
			block := linalg.Zeros(len(left), len(right))
			o.subGram(block, o.pairAt(theta, a, b), left, right)
			for i, row := range at {
				for j, col := range to {
					h.Set(row, col, block.At(i, j))
				}
			}
		}
	}
	if symmetric {
		linalg.Symmetrize(h)
	}
}

// productsPerSum is how many multiplications of outer products, which stay within the cache, take at
// most the time in which one partial sum of theirs, from memory, is added up. (Measured for 10,000 rows
// of 100 features and 10 classes: two pieces cost as much as one, and share the processors.)
const productsPerSum = 8

// subOuter is SubHess for softmax: one sum of outer products over all classes.
func (o *Objective) subOuter(h *linalg.Dense, theta []float64, rows, cols []int) {
	features, among := o.featuresOf(rows, cols)
	prob, left := o.probabilities(theta), choose(rows, o.k, among)
	for i := range h.Rows {
		clear(h.Row(i))
	}
	if cols == nil {
		o.failed = design.Reduce(o.Design, len(rows)*len(rows)/(productsPerSum*o.P),
			func() *outerSquare { return newOuterSquare(o, prob, features, left) },
			func(s *outerSquare) { s.merge(h) })
		linalg.Symmetrize(h)
	} else {
		right := choose(cols, o.k, among)
		o.failed = design.Reduce(o.Design, len(rows)*o.k/productsPerSum,
			func() *outerStrip { return newOuterStrip(o, prob, features, left, right) },
			func(s *outerStrip) { s.merge(h) })
	}
	if o.failed != nil {
		h.Data[0] = math.NaN()
	}
}

// featuresOf returns the features of parameters, the intercept counted, in ascending order, and of each its place there.
//
//go:noinline // a program would have a dozen copies
func (o *Objective) featuresOf(rows, cols []int) (features, among []int) {
	among = make([]int, o.Dim())
	for _, parameter := range rows {
		among[parameter%o.Dim()] = 1
	}
	for _, parameter := range cols {
		among[parameter%o.Dim()] = 1
	}
	for j, chosen := range among {
		if chosen > 0 {
			among[j] = len(features)
			features = append(features, j)
		}
	}
	return features, among
}

func (o *Objective) subGram(h *linalg.Dense, v []float64, rows, cols []int) {
	if o.failed == nil {
		o.failed = o.SubGram(h, v, rows, cols)
	}
	if o.failed != nil {
		h.Data[0] = math.NaN()
	}
}

// ofFunction returns where in set the parameters of one function stand, and which
// parameters of that function they are.
func ofFunction(set []int, function, dim int) (at, parameters []int) {
	for i, c := range set {
		if c/dim == function {
			at, parameters = append(at, i), append(parameters, c%dim)
		}
	}
	return at, parameters
}

// HessVec sets dst to the product of the Hessian at theta with u, for a loss of one
// score and for [loss.Softmax]: one pass over the rows. O(npK).
func (o *Objective) HessVec(dst, theta, u []float64) {
	v, dim := o.curvatureAt(theta), o.Dim()
	o.Work.Spend(o.N+perCall, o.k, 4*dim+exponential/2)
	functions := o.functions(u)
	for c := range o.k {
		o.at.Set(o.Design, c, functions[c*dim:(c+1)*dim])
	}
	back, room := o.back(dst), o.room()
	if o.failed == nil {
		o.failed = design.Reduce(o.Design, o.k,
			func() *product {
				return &product{o: o, v: v, f: linalg.Zeros(min(linalg.BlockRows, o.N), o.k), sum: room()}
			},
			func(p *product) { linalg.Axpy(back, 1, p.sum) })
	}
	if o.failed != nil {
		dst[0] = math.NaN()
		return
	}
	o.FinishBack(back, o.k, o.spare[0])
	o.reduce(dst, back)
	for ; o.Ridge != nil && len(dst) > 0; dst, u = dst[dim:], u[dim:] {
		for j, r := range o.Ridge {
			dst[j] += r * u[j]
		}
	}
}

// product is a share of XᵀVXu.
type product struct {
	o   *Objective
	v   []float64 // the second derivatives of the rows
	f   *linalg.Dense
	sum []float64
}

func (p *product) Reset() { clear(p.sum) }

func (p *product) Add(b *design.Block) {
	k, f := p.o.k, p.f.RowRange(0, b.Len())
	if k == 1 {
		b.Along(f, p.o.at)
	} else {
		b.AlongAll(f, p.o.at)
	}
	p.o.bendRows(f, p.v[b.Lo*k:b.Hi*k], b.Weights())
	b.AddBack(p.sum, f)
}

// bendRows multiplies scores f of rows (rows × K) by their second derivatives v and weights w,
// for a loss of one score and for [loss.Softmax].
func (o *Objective) bendRows(f *linalg.Dense, v, w []float64) {
	if l, several := o.loss.(loss.Softmax); several {
		l.Times(f.Data[:len(v)], v, w)
		return
	}
	for i, c := range v {
		f.Data[i] *= c
	}
}

// Certificate returns max |gₖⱼ|/Σ wᵢ|xᵢⱼ−cⱼ| over the derivatives by the parameters of
// the K scores at theta (a column of zeros, whose derivative is 0, counts nothing). It does
// not depend on the units of the features; its own unit is that of ∂L/∂f, none for a
// likelihood and that of y for squared error.
func (o *Objective) Certificate(theta []float64) float64 {
	size, err := o.Sizes()
	if err != nil {
		return math.NaN()
	}
	o.evaluate(theta)
	g, dim := o.byFunction(o.memo.g), o.Dim()
	worst := 0.0
	for i, v := range g {
		if s := size[i%dim]; s > 0 {
			if r := math.Abs(v) / s; r > worst || r != r {
				worst = r
			}
		}
	}
	return worst
}

// byFunction returns the derivatives by the parameters of the K scores from those by
// theta: they sum to 0 over the scores where adding a function to all changes nothing.
func (o *Objective) byFunction(g []float64) []float64 {
	if o.q == nil {
		return g
	}
	dim, all := o.Dim(), o.expanded(g)
	if r := o.Reference(); r >= 0 {
		zero := all[r*dim : (r+1)*dim]
		for c := range o.k {
			if c != r {
				linalg.Axpy(zero, -1, all[c*dim:(c+1)*dim])
			}
		}
	}
	return all
}

// certifyByGradient returns the objective and the largest derivative at theta, as [optimize.Run] asks
// for them: a fit that is only a start for another is judged by it.
func (o *Objective) certifyByGradient(theta []float64, tol float64) (float64, optimize.Certificate, error) {
	value := o.Certificate(theta)
	return o.memo.value, optimize.Certificate{Kind: optimize.KindGradient, Value: value, Tol: tol}, o.failed
}

// Scale returns the sizes in which a solver measures derivatives by theta, so that the
// certificate is at most the solver's measure: the K derivatives are no larger than the
// length of those by orthonormal contrasts, or than their sum where one score is the
// reference. A column of zeros has any size. They are those of one function for all.
func (o *Objective) Scale() (optimize.Scale, error) {
	size, err := o.Sizes()
	if err != nil {
		return nil, err
	}
	m := o.Functions()
	share := 1.0
	if o.q != nil {
		if share = 1 / float64(m); o.Reference() < 0 {
			share = math.Sqrt(share)
		}
	}
	scale := make(optimize.Scale, len(size))
	for j, s := range size {
		scale[j] = cmp.Or(s, 1) * share
	}
	return scale, nil
}

// Public returns a trace that shows the caller's the K scores' parameters as plain
// intercepts and coefficients on the data's scale.
func (o *Objective) Public(trace func(optimize.Step) error) func(optimize.Step) error {
	return traced(trace, o.public)
}

// traced returns a trace that shows the caller's the points that are made of a solver's; nil for nil.
//
//go:noinline // programs would have a copy for each
func traced(trace func(optimize.Step) error, of func([]float64) []float64) func(optimize.Step) error {
	if trace == nil {
		return nil
	}
	return func(s optimize.Step) error {
		s.X = of(s.X)
		return trace(s)
	}
}

func (o *Objective) public(theta []float64) []float64 {
	functions := o.expanded(theta)
	public := make([]float64, len(functions))
	o.ToPublic(public, functions)
	return public
}

// partTooLarge returns the *[linalg.SizeError] of every step-th row where they are not in memory
// and too many to be copied. It is no failure of the rows: a fit does without.
func (o *Objective) partTooLarge(step int) error {
	if _, remote := o.Rows().(linalg.Remote); !remote {
		return nil
	}
	return linalg.CheckCopy(o.Rows(), (o.N+step-1)/step, o.P)
}

// rowsEvery returns the objective of every step-th row, with its share of the ridge. It borrows the
// memory of a pass: one of the two makes passes at a time.
//
// Errors: *[linalg.SizeError], see [linalg.CheckCopy]; those of a pass, which it keeps.
func (o *Objective) rowsEvery(step int) (*Objective, error) {
	if err := o.partTooLarge(step); err != nil {
		return nil, err
	}
	d, err := o.Thin(step)
	if err != nil {
		return nil, o.keep(err)
	}
	ridge := append([]float64(nil), o.Ridge...)
	linalg.Scale(ridge, 1/float64(step))
	return &Objective{Design: d, Y: design.Every(o.Y, 1, step), Ridge: ridge, loss: o.loss, k: o.k, q: o.q, at: o.at, full: o.full}, nil
}

// pivotFloor is the share of a diagonal element of the Hessian that its Cholesky pivot must
// keep for the columns to count as independent without a closer look.
const pivotFloor = 1e-10

// Independent reports whether a Cholesky factor of h shows its columns to be independent
// beyond doubt.
func Independent(h *linalg.Dense, c *linalg.Cholesky) bool {
	l := c.L()
	for j := range l.Rows {
		if d := l.At(j, j); !(d*d > pivotFloor*h.At(j, j)) {
			return false
		}
	}
	return true
}

// steadied factors a matrix of a preconditioner; where the part of the rows does
// not determine it, after raising its diagonal: again where that is not enough, as rounding
// makes eigenvalues negative where all probabilities are next to 0 and 1. It may be changed.
func steadied(a *linalg.Dense) (*linalg.Cholesky, error) {
	c, err := linalg.NewCholesky(a)
	if err == nil && Independent(a, c) {
		return c, nil
	}
	top := 0.0
	for j := range a.Rows {
		top = max(top, math.Abs(a.At(j, j)))
	}
	if top == 0 {
		top = 1
	}
	for share := 1e-3; share <= 1e3; share *= 1e3 {
		for j := range a.Rows {
			a.Set(j, j, a.At(j, j)+share*top)
		}
		if c, err = linalg.NewCholesky(a); err == nil {
			break
		}
	}
	return c, err
}

// makeAbsolute replaces numbers by their sizes.
func makeAbsolute(v []float64) {
	for i, x := range v {
		v[i] = math.Abs(x)
	}
}

// invertUpper returns PR⁻¹ for the order P of the columns, nil where R is singular.
func invertUpper(r *linalg.Dense, perm []int) *linalg.Dense {
	n := r.Rows
	t := linalg.Zeros(n, n)
	for c := range n {
		col := make([]float64, n)
		col[c] = 1
		for i := c; i >= 0; i-- {
			if r.At(i, i) == 0 {
				return nil
			}
			col[i] = (col[i] - linalg.Dot(r.Row(i)[i+1:c+1], col[i+1:c+1])) / r.At(i, i)
		}
		for i, v := range col {
			if v-v != 0 {
				return nil
			}
			t.Set(perm[i], c, v)
		}
	}
	return t
}

// Dependent reports whether the last Hessian leaves a doubt that its columns are
// independent.
func (o *Objective) Dependent() bool {
	if o.last.h == nil {
		return false
	}
	factor, err := linalg.NewCholesky(o.last.h)
	return err != nil || !Independent(o.last.h, factor)
}

// turning returns how curvatures of rows follow their scores, within exp(±rate·s) where
// differences of scores change by up to s; and the largest (eₖ−eₗ)ᵀV⁺(eₖ−eₗ) that a row of
// curvature 1 can have.
//
//go:noinline // a program would have a dozen copies
func (o *Objective) turning() (rate, pair float64) {
	switch {
	case o.ConstantHessian():
		return 0, 1
	case o.k == 1:
		return 1, 1
	}
	return 2, 2
}
