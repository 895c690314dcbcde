package glm

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
)

// exponential is how many multiplications take the time of a probability of a row.
const exponential = 100

// perCall is how many rows more take the time that a product spends on calls, of few rows.
const perCall = 100

// Value returns the objective. O(npK).
func (o *Objective) Value(theta []float64) float64 {
	if slices.Equal(o.memo.theta, theta) {
		return o.memo.value
	}
	v, _ := o.pass(theta, false, nil, 1)
	return v
}

// Grad sets g to the gradient and returns the objective. O(npK).
//
//go:noinline // a program would have a dozen copies
func (o *Objective) Grad(g, theta []float64) float64 {
	copy(g, o.Gradient(theta))
	return o.memo.value
}

// Gradient returns the gradient at theta, which stays until the next pass.
//
//go:noinline // a program would have twenty copies
func (o *Objective) Gradient(theta []float64) []float64 {
	o.evaluate(theta)
	return o.memo.g
}

// evaluate makes sure that the gradient at theta is in the memo.
func (o *Objective) evaluate(theta []float64) {
	if o.memo.g == nil || !slices.Equal(o.memo.theta, theta) {
		o.pass(theta, true, nil, 1)
	}
}

// Hess sets h and g to the derivatives and returns the objective. O(np²m²), one pass
// over the rows.
func (o *Objective) Hess(h *linalg.Dense, g, theta []float64) float64 {
	l := o.hessAt(theta)
	for i := range h.Rows {
		copy(h.Row(i), l.h.Row(i))
	}
	copy(g, o.memo.g)
	return o.memo.value
}

// hessAt makes the last Hessian, and the gradient of the memo, those at theta.
func (o *Objective) hessAt(theta []float64) *linearization {
	l := &o.last
	if l.h == nil || o.memo.g == nil || !slices.Equal(l.theta, theta) || !slices.Equal(o.memo.theta, theta) {
		if l.h == nil {
			l.h = linalg.Zeros(len(theta), len(theta))
		}
		_, l.floor = o.pass(theta, true, l.h, 1)
		l.theta, l.every = append(l.theta[:0], theta...), 1
	}
	return l
}

// gradSampled is Grad of one score, and sets h to a Hessian of one row in step, each standing for
// step rows. O(npK + np²m²/step).
func (o *Objective) gradSampled(h *linalg.Dense, g, theta []float64, step int) float64 {
	o.part = nil
	part := &linearization{theta: linalg.Clone(theta), every: step, scores: make([]float64, o.N)}
	before := o.recorded
	o.recorded = part.scores
	v, floor := o.pass(theta, true, h, step)
	copy(before, part.scores)
	for i, w := range o.Weights {
		if w == 0 {
			part.scores[i] = math.NaN() // which are at no distance
		}
	}
	o.recorded = before
	part.h, part.floor = h.Clone(), floor
	o.part = part
	copy(g, o.memo.g)
	return v
}

// pass evaluates the objective and remembers it. h is set to the Hessian of one row in
// every, unless it is nil; floor is then the least curvature of a row.
func (o *Objective) pass(theta []float64, gradient bool, h *linalg.Dense, every int) (value, floor float64) {
	if o.failed != nil {
		return o.fail(len(theta)), 0
	}
	o.moveTo(theta)
	last := o.memo
	o.memo = memo{}
	keeps := o.curving && gradient && h == nil
	if keeps {
		o.renewCurvature()
	}
	if o.curved.r != nil { // scores are written over it
		o.curved.theta, o.curved.v = nil, nil
	}
	g := o.startBack(&last, len(theta), gradient)
	if h != nil {
		clear(h.Data)
		o.Work.Spend(o.N/every+o.k, len(theta), len(theta)) // by a part of the rate of large products
	}
	total, values, room := newSums(o, g, h, every), o.k, o.room()
	if h != nil {
		values = o.P * o.k
	}
	o.failed = design.Reduce(o.Design, values, func() *sums {
		var g []float64
		if gradient {
			g = room()
		}
		var own *linalg.Dense
		if h != nil {
			own = linalg.Zeros(h.Rows, h.Cols)
		}
		return newSums(o, g, own, every)
	}, total.merge)
	if o.failed == nil && total.size != nil {
		o.sizes = append(make([]float64, o.Intercept), total.size...)
		o.failed = o.FinishSizes(o.sizes)
	}
	if o.failed != nil {
		return o.fail(len(theta)), 0
	}
	if !keeps && o.curved.r == nil { // the curvatures may be those at the last point
		last.theta = nil
	}
	o.memo = memo{theta: append(last.theta[:0], theta...), value: total.value, drift: total.drift}
	if gradient {
		o.memo.g = last.g
		total.finishBack()
		o.reduce(o.memo.g, total.g)
	}
	if h != nil {
		total.finish()
		o.addRidgeHess(h)
	}
	if keeps {
		o.curved.theta = o.memo.theta
	}
	o.addRidge(theta)
	return o.memo.value, total.floor
}

// renewCurvature makes room for the second derivatives of the next pass.
//
//go:noinline // a program would have a dozen copies
func (o *Objective) renewCurvature() {
	c := &o.curved
	if c.theta, c.diagonal = nil, c.diagonal[:0]; c.v == nil {
		c.v = make([]float64, o.N*o.k)
	}
}

// startBack returns the sums for a gradient, which takes the place of the last one.
func (o *Objective) startBack(last *memo, parameters int, gradient bool) []float64 {
	if !gradient {
		return nil
	}
	if last.g == nil {
		last.g = make([]float64, parameters)
	}
	return o.back(last.g)
}

// fail makes the memo that of a pass that could not be made.
func (o *Objective) fail(parameters int) float64 {
	o.memo = memo{value: math.NaN(), g: make([]float64, parameters)}
	return math.NaN()
}

// addRidge adds the ridge's part to the memo.
func (o *Objective) addRidge(theta []float64) {
	for at := 0; o.Ridge != nil && at < len(theta); at += o.Dim() {
		for j, r := range o.Ridge {
			v := theta[at+j]
			o.memo.value += 0.5 * r * v * v
			if o.memo.g != nil {
				o.memo.g[at+j] += r * v
			}
		}
	}
}

// addRidgeHess adds the ridge's part to h.
func (o *Objective) addRidgeHess(h *linalg.Dense) {
	if o.Ridge == nil {
		return
	}
	for at := range h.Rows {
		h.Data[at*h.Stride+at] += o.Ridge[at%o.Dim()]
	}
}

// moveTo sets the functions of the next pass.
func (o *Objective) moveTo(theta []float64) {
	dim := o.Dim()
	o.Work.Spend(o.N, o.k, 2*dim+exponential)
	functions := o.functions(theta)
	for c := range o.k {
		f := functions[c*dim : (c+1)*dim]
		if o.coef != nil {
			o.at.Levels[c] = o.Coef(o.coef.Row(c), f)
		} else {
			o.at.Set(o.Design, c, f)
		}
	}
	if o.coef != nil {
		o.exact = o.Exactly(o.coef, o.at.Levels)
	}
}

// score sets f to the scores of a block at the point of the current pass.
func (o *Objective) score(f *linalg.Dense, b *design.Block) {
	if o.coef != nil {
		b.ExactScores(f, o.exact)
		return
	}
	b.Scores(f, o.at)
}

// Sizes returns Σ wᵢ|xᵢⱼ| by parameter of one function, which the first pass finds.
// Errors: *[linalg.NonFiniteError], *[linalg.RangeError], and those of the storage.
//
//go:noinline // a program would have a dozen copies
func (o *Objective) Sizes() ([]float64, error) {
	if o.sizes == nil && o.failed == nil {
		o.sizes, o.failed = o.Design.Sizes()
	}
	return o.sizes, o.failed
}

// sums are one goroutine's sums over a piece of the rows.
type sums struct {
	o            *Objective
	value, floor float64
	drift        float64       // the largest change of a score since the Hessian of part of the rows
	level        float64       // the sum of the residuals about an implied origin: 0 but for rounding, which far means multiply
	size         []float64     // nil where it is known
	g            []float64     // by the K functions; nil if not wanted
	h            *linalg.Dense // nil if not wanted
	every        int
	f, r         *linalg.Dense // scores and their derivatives
	v            []float64     // second derivatives, as the loss has them
	pairs        *pairs
	outer        *outerSums // of many classes, in place of pairs
}

// newSums makes sums that add to g and h, which are 0; nil leaves the gradient or the Hessian out.
func newSums(o *Objective, g []float64, h *linalg.Dense, every int) *sums {
	const rows = linalg.BlockRows
	s := &sums{o: o, g: g, floor: math.Inf(1), every: every, f: linalg.Zeros(rows, o.k), r: linalg.Zeros(rows, o.k)}
	if g != nil && o.sizes == nil {
		s.size = make([]float64, o.P)
	}
	if s.h = h; h != nil {
		s.v = make([]float64, rows*o.k)
		if every == 1 && o.byOuterProducts() {
			s.outer = newOuterSums(o, h, nil)
		}
	}
	return s
}

// Reset forgets all rows.
func (s *sums) Reset() {
	s.value, s.floor, s.drift, s.level = 0, math.Inf(1), 0, 0
	clear(s.g)
	clear(s.size)
	switch {
	case s.outer != nil:
		s.outer.Reset()
	case s.h != nil:
		clear(s.h.Data)
	}
}

// Add sums over a block of rows, which stays in the cache from its scores to its part
// of the Hessian.
func (s *sums) Add(b *design.Block) {
	o, m := s.o, b.Len()
	f, r := s.f.RowRange(0, m), s.r.RowRange(0, m)
	if s.size != nil {
		b.Measure(s.size)
	}
	o.score(f, b)
	s.compare(f.Data, b)
	var v []float64
	y, w := o.Y[b.Lo:b.Hi], b.Weights()
	switch {
	case s.h != nil:
		v = s.v[:m*o.k]
	case o.curving && s.g != nil:
		v = o.curved.v[b.Lo*o.k : b.Hi*o.k]
	}
	s.value += o.loss.Rows(r.Data[:m*o.k], v, y, f.Data[:m*o.k], w)
	if s.g != nil {
		b.AddBack(s.g, r)
		if o.Implied() {
			s.level += linalg.Sum(r.Data[:m])
		}
	}
	if s.h == nil {
		return
	}
	s.floor = min(s.floor, o.loss.Floor(v, w))
	switch {
	case o.k == 1:
		s.addGram(b, s.h.Data, v)
		return
	case s.outer != nil:
		s.outer.add(b, &linalg.Dense{Rows: m, Cols: o.k, Stride: o.k, Data: v})
		return
	case s.pairs == nil:
		s.pairs = newPairs(o)
	}
	s.pairs.set(v, w, m)
	dim := o.Dim()
	for a := range o.Functions() {
		for c := range a + 1 {
			s.addGram(b, s.h.Data[a*dim*s.h.Stride+c*dim:], s.pairs.of(a, c)[:m])
		}
	}
}

// compare records the scores of a block, or measures how far they are from those recorded.
func (s *sums) compare(f []float64, b *design.Block) {
	switch {
	case s.o.recorded != nil:
		copy(s.o.recorded[b.Lo*s.o.k:], f)
	case s.o.part != nil:
		for i, v := range s.o.part.scores[b.Lo:b.Hi] {
			if d := math.Abs(f[i] - v); d > s.drift {
				s.drift = d
			}
		}
	}
}

func (s *sums) addGram(b *design.Block, h, v []float64) {
	if s.every > 1 {
		b.AddGramEvery(h, s.h.Stride, v, s.every)
		return
	}
	b.AddGram(h, s.h.Stride, v)
}

// merge adds the sums over other rows.
func (s *sums) merge(o *sums) {
	s.value += o.value
	s.level += o.level
	s.floor, s.drift = min(s.floor, o.floor), max(s.drift, o.drift)
	linalg.Axpy(s.size, 1, o.size)
	linalg.Axpy(s.g, 1, o.g)
	switch {
	case s.outer != nil:
		s.outer.merge(o.outer)
	case s.h != nil:
		linalg.Axpy(s.h.Data, 1, o.h.Data)
	}
}

// finishBack makes g the derivatives by the parameters of the K functions.
func (s *sums) finishBack() {
	o := s.o
	o.FinishBack(s.g, o.k, o.spare[0])
	if o.Implied() {
		for j, c := range o.Origin {
			s.g[j] -= s.level * c / o.Unit[j]
		}
	}
}

// finish makes h the symmetric Hessian by the parameters.
func (s *sums) finish() {
	if s.outer != nil {
		s.outer.finish()
		return
	}
	// The sums are those of the blocks on and below the diagonal.
	o, h := s.o, s.h
	dim, m := o.Dim(), o.Functions()
	for a := range m {
		for b := range a + 1 {
			o.FinishGram(&linalg.Dense{Rows: dim, Cols: dim, Stride: h.Stride, Data: h.Data[a*dim*h.Stride+b*dim:]})
		}
	}
	if m > 1 {
		linalg.Symmetrize(h)
	}
}

// pull returns Σ mⱼ²/λⱼ for the means m of the columns. A step of an intercept that takes away a derivative
// by it of 1 adds some m to those by the features. Dense rows lie about their means; sparse ones whose columns
// are not rare, as the indicators of which each row has many, add derivatives of which the ridge makes far more.
func (o *Objective) pull() float64 {
	sum := 0.0
	for j := 0; o.Sparse() && j < o.Dim(); j++ {
		if r := o.Ridge[j]; r > 0 {
			m := o.sizes[j] / o.Total
			sum += m * m / r
		}
	}
	return sum
}

// leftLengths returns the length of the derivatives by the levels, and √Σ gⱼ²/λⱼ of those by the
// slopes.
//
//go:noinline // programs would have it twice
func (o *Objective) leftLengths(g []float64) (levels, slopes float64) {
	for ; len(g) > 0; g = g[o.Dim():] {
		for j, r := range o.Ridge {
			if v := g[j]; r == 0 {
				levels += v * v
			} else {
				slopes += v * v / r
			}
		}
	}
	return math.Sqrt(levels), math.Sqrt(slopes)
}
