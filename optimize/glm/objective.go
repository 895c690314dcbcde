package glm

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// Objective is the smooth function
//
//	F(θ) = Σ wᵢL(yᵢ, fᵢ) + ½ Σ ridgeⱼθⱼ²,   fᵢ = Q(θ·(1, xᵢ)) + offsetᵢ
//
// of a loss L of K scores a row on a design, for K functions that are combinations Q
// (K×m) of the m functions whose parameters θ are: the identity where Q is nil. Its
// gradient is Xᵀr, r = w∂L/∂f, its Hessian XᵀVX with V = w∂²L/∂f² (for the logistic
// loss ESL 4.21 and 4.25). It implements [optimize.Hessian], [optimize.HessianVec] and
// [optimize.SubHessian], and remembers the last point: derivatives there cost no pass.
//
// One goroutine at a time may use an objective; [Objective.Own] makes another on the
// same rows.
type Objective struct {
	*design.Design
	Y     []float64 // responses; for several functions the index of the class
	Ridge []float64 // by parameter of one function, 0 for the intercept; nil without

	Work *optimize.Work // of the fit, to which passes add what they cost; nil counts nothing

	loss   loss.Batch
	k      int           // functions of the loss
	q      *linalg.Dense // Q; nil for the identity
	sizes  []float64     // Σ wᵢ|xᵢⱼ| by parameter of one function, from the first pass
	failed error         // of the first pass that could not be made

	memo    memo
	curved  curvature
	common  *correlations     // of sparse columns; nil before they are needed
	curving bool              // passes for a gradient keep the curvatures of the rows
	at      *design.Functions // scratch: the functions at the point, or along the direction, of the current pass
	coef    *linalg.Dense     // scratch: their coefficients, for scores in twice the precision; nil without
	exact   *design.Exact     // the functions with these coefficients
	full    []float64         // scratch: K functions, K·dim; nil where they are θ itself
	last    linearization     // of all rows

	spare    [][]float64    // scratch: sums by K functions, one for each state of a pass
	part     *linearization // of part of the rows; nil before the first
	known    *Sums          // of rows that are elsewhere, at the last point
	recorded []float64      // where passes leave the scores; nil: they do not
	under    factors

	cancelled float64       // of a Hessian by outer products the largest sum that was subtracted, relative to the difference
	terms     terms         // at the last point of which they were measured
	kernel    *linalg.Dense // of the rows, with a ridge on every feature; nil before it is needed
	kin       *kinKernel    // of the objectives that [Objective.Ridged] makes of one; nil of others
	rows      *inRows       // their coordinates, where the plan has them
	leveled   *leveled      // nil before it is asked for
}

// sparedBound is a bound by no Hessian, and the aim it was made for.
type sparedBound struct {
	bound Bound
	aim   float64
}

// factors remembers a beneath.
type factors struct {
	of    *linearization
	theta []float64
	b     *beneath
}

// memo holds the value and, where it is known, the gradient at the last point.
type memo struct {
	theta     []float64
	value     float64
	g         []float64    // nil if only the value is known
	drift     float64      // the largest change of a score since the Hessian of part of the rows
	byFewRows *sparedBound // nil before it is made
	above     bool         // its aim: the objective falls by more along a step, so that no bound is below it
}

// New returns the objective of a smooth loss of one score; y is by row, and the ridge by
// parameter, the intercept's first, in the units of the design (nil is none). It keeps
// both, and writes to neither.
func New(d *design.Design, y []float64, l loss.Smooth, ridge []float64) *Objective {
	return newObjective(d, y, loss.BatchOf(l), nil, ridge)
}

// NewMulti returns the objective of a loss of K scores, as a function of the
// combinations contrast (K×m) of functions: [Against] one, of [loss.Softmax] also [Contrasts]
// of all; nil is the K functions themselves.
func NewMulti(d *design.Design, y []float64, l loss.Batch, contrast *linalg.Dense, ridge []float64) *Objective {
	return newObjective(d, y, l, contrast, ridge)
}

func newObjective(d *design.Design, y []float64, l loss.Batch, contrast *linalg.Dense, ridge []float64) *Objective {
	o := &Objective{Design: d, Y: y, Ridge: ridge, loss: l, k: l.Functions(), q: contrast}
	if contrast != nil {
		o.full = make([]float64, o.k*d.Dim())
	}
	return o
}

// Ridged returns the objective of the same loss with a ridge, by parameter of one function, as a
// function of the contrasts of the K. Those of multiples of a ridge share the kernel matrix of few rows and its factor.
func (o *Objective) Ridged(ridge []float64) *Objective {
	var contrasts *linalg.Dense
	if o.k > 1 {
		contrasts = Contrasts(o.k)
	}
	f := newObjective(o.Design, o.Y, o.loss, contrasts, ridge)
	if o.kin == nil {
		o.kin = new(kinKernel)
	}
	f.sizes, f.kin = o.sizes, o.kin
	return f
}

// Own returns the objective with memory of its own.
func (o *Objective) Own() *Objective {
	f := newObjective(o.Design, o.Y, o.loss, o.q, o.Ridge)
	f.sizes = o.sizes
	if o.coef != nil {
		f.coef = linalg.Zeros(o.k, o.P)
	}
	return f
}

// On returns the objective, without a ridge, on another design of as many rows.
func (o *Objective) On(d *design.Design) *Objective { return newObjective(d, o.Y, o.loss, o.q, nil) }

// InTwicePrecision returns the objective with scores that are summed in twice the
// working precision, for coefficients whose terms cancel. A pass costs some ten times
// as much.
func (o *Objective) InTwicePrecision() *Objective {
	f := o.Own()
	f.coef, f.Work = linalg.Zeros(o.k, o.P), o.Work
	return f
}

// Functions returns the number m of functions that the parameters are those of.
func (o *Objective) Functions() int {
	if o.q == nil {
		return o.k
	}
	return o.q.Cols
}

// Scores returns the number K of scores of a row.
func (o *Objective) Scores() int { return o.k }

// ConstantHessian reports whether the Hessian is the same everywhere, as that of squared
// error is.
//
//go:noinline // a program would have thirty copies
func (o *Objective) ConstantHessian() bool { return loss.ConstantCurvature(o.loss) }

// Free returns the features without a ridge; nil if there are none.
//
//go:noinline // programs would have thirty copies
func (o *Objective) Free() []int {
	var free []int
	for j := range o.P {
		if o.Ridge == nil || o.Ridge[j+o.Intercept] == 0 {
			free = append(free, j)
		}
	}
	return free
}

// Loss returns the loss.
func (o *Objective) Loss() loss.Batch { return o.loss }

// Parameters returns the number of parameters.
//
//go:noinline // a program would have a dozen copies
func (o *Objective) Parameters() int { return o.Functions() * o.Dim() }

// keep makes err the error of the objective if it is the first, and returns it.
//
//go:noinline // a program would have a dozen copies
func (o *Objective) keep(err error) error {
	if o.failed == nil {
		o.failed = err
	}
	return err
}

// keepIf is keep of an error, and returns nil without one.
//
//go:noinline // a program would have dozens of copies
func (o *Objective) keepIf(err error) error {
	if err == nil {
		return nil
	}
	return o.keep(err)
}

// Err returns the first error of a pass: values since then are NaN.
func (o *Objective) Err() error { return o.failed }

// sumLength is [design.Design.SumLength], of rows that are elsewhere that of their sums.
func (o *Objective) sumLength(values int) int {
	if o.known != nil {
		return o.known.Length
	}
	return o.SumLength(values)
}

// offsetSquares returns Σ wᵢoᵢₖ² of the offsets.
func (o *Objective) offsetSquares() float64 {
	if o.known != nil {
		return o.known.Offsets
	}
	sum := 0.0
	for i, v := range o.Offset {
		sum += o.Weight(i/o.k) * v * v
	}
	return sum
}

// leastWeight is [design.Design.LeastWeight], of rows that are elsewhere that of their sums.
//
//go:noinline // programs would have three copies
func (o *Objective) leastWeight() float64 {
	if o.known != nil {
		return o.known.LeastWeight
	}
	return o.LeastWeight()
}

// curvature is the second derivatives of the rows at a point, as the loss has them.
type curvature struct {
	theta, v []float64
	r        []float64 // the first derivatives; nil where they are not kept
	diagonal []float64 // of the Hessian there; empty if not known
}

// Contrasts returns Helmert's orthonormal contrasts of k functions, k×(k−1): column a
// compares function a+1 with the mean of those before it. Adding one function to all
// changes no probability, and a ridge of the contrasts is that of the functions, whose
// least one sums to 0.
func Contrasts(k int) *linalg.Dense {
	q := linalg.Zeros(k, k-1)
	for a := range k - 1 {
		m := float64(a + 1)
		for c := range a + 1 {
			q.Set(c, a, -1/math.Sqrt(m*(m+1)))
		}
		q.Set(a+1, a, math.Sqrt(m/(m+1)))
	}
	return q
}

// Against returns the contrasts with one function, which is 0: column a is the a-th of
// the others. The published coefficients are then the parameters themselves, without
// a subtraction that could cancel.
func Against(k, reference int) *linalg.Dense {
	q := linalg.Zeros(k, k-1)
	a := 0
	for c := range k {
		if c != reference {
			q.Set(c, a, 1)
			a++
		}
	}
	return q
}

// Reference returns the function that contrasts leave 0, −1 if none is.
func (o *Objective) Reference() int {
	if o.q != nil {
		for c := range o.k {
			if linalg.NormInf(o.q.Row(c)) == 0 {
				return c
			}
		}
	}
	return -1
}

// expand sets functions (K·dim) to Qθ.
func (o *Objective) expand(functions, theta []float64) {
	if o.q == nil {
		copy(functions, theta)
		return
	}
	dim := o.Dim()
	clear(functions)
	linalg.MulAdd(tableOf(functions, dim), 1, o.q, tableOf(theta, dim))
}

// expanded returns Qθ in memory of its own.
//
//go:noinline // programs would have it five times
func (o *Objective) expanded(theta []float64) []float64 {
	functions := make([]float64, o.k*o.Dim())
	o.expand(functions, theta)
	return functions
}

// reduce sets theta to Qᵀ·functions.
func (o *Objective) reduce(theta, functions []float64) {
	if o.q == nil {
		copy(theta, functions)
		return
	}
	dim := o.Dim()
	clear(theta)
	linalg.MulTAdd(tableOf(theta, dim), 1, o.q, tableOf(functions, dim))
}

// functions returns Qθ until the next call, and makes room for functions of a pass.
func (o *Objective) functions(theta []float64) []float64 {
	if o.at == nil {
		o.at = o.NewFunctions(o.k)
	}
	if o.q != nil {
		o.expand(o.full, theta)
		return o.full
	}
	return theta
}

// back returns sums by K functions that are 0, in the place of dst, where [Objective.reduce] is to
// leave them, or of the functions that moveTo has copied.
func (o *Objective) back(dst []float64) []float64 {
	if o.q != nil {
		dst = o.full
	}
	clear(dst)
	return dst
}

// room returns a function that makes such sums for one state of a pass after the other, of any
// content. They are the same in each pass: fits of many parameters then make no garbage.
//
//go:noinline // programs would have it twice
func (o *Objective) room() func() []float64 {
	used := 0
	return func() []float64 {
		if used++; used > len(o.spare) {
			o.spare = append(o.spare, make([]float64, o.k*o.Dim()))
		}
		return o.spare[used-1]
	}
}

// roundingOfSums bounds the relative error of sums over the rows, of which a pass makes
// so many for each column, and of the terms in them.
func (o *Objective) roundingOfSums(values int) float64 {
	return float64(o.sumLength(values)+o.k+8) * unit
}

// span returns the largest difference of scores: of one score that to 0.
func span(f []float64) float64 {
	if len(f) == 1 {
		return math.Abs(f[0])
	}
	return linalg.Max(f) - linalg.Min(f)
}

// unit is the relative error of one rounding.
const unit = 0x1p-53

// tableOf returns parameters as a matrix, one function a row.
func tableOf(theta []float64, dim int) *linalg.Dense {
	return &linalg.Dense{Rows: len(theta) / dim, Cols: dim, Stride: dim, Data: theta}
}

// FunctionsOf returns the parameters of the K functions at theta.
func (o *Objective) FunctionsOf(theta []float64) [][]float64 {
	dim, all, rows := o.Dim(), o.expanded(theta), make([][]float64, o.k)
	for c := range rows {
		rows[c] = all[c*dim : (c+1)*dim]
	}
	return rows
}

// ThetaOf returns the parameters of the K functions given, one after the other; where
// one of them has to be 0 it is subtracted from all.
func (o *Objective) ThetaOf(functions []float64) []float64 {
	dim := o.Dim()
	if r := o.Reference(); r >= 0 {
		zero := functions[r*dim : (r+1)*dim]
		moved := make([]float64, len(functions))
		for c := range o.k {
			for j, v := range functions[c*dim : (c+1)*dim] {
				moved[c*dim+j] = v - zero[j]
			}
		}
		functions = moved
	}
	theta := make([]float64, o.Parameters())
	o.reduce(theta, functions)
	return theta
}

// pairs are the second derivatives of the rows of a block by pairs of the functions
// that the parameters are those of.
type pairs struct {
	o     *Objective
	order []int           // of the K functions those that the parameters are of; nil for contrasts of all
	by    []*linalg.Dense // row b of element a is the pair a, b ≤ a, of the K functions or of the contrasts
	apart *linalg.Dense   // two rows for each contrast, see setContrasts
}

func newPairs(o *Objective) *pairs {
	p, reference := &pairs{o: o}, o.Reference()
	contrasts := o.q != nil && reference < 0
	for c := range o.k {
		if c != reference && !contrasts {
			p.order = append(p.order, c)
		}
	}
	n := o.k
	if contrasts {
		n = o.Functions()
		p.apart = linalg.Zeros(2*n, linalg.BlockRows)
	}
	for range n {
		p.by = append(p.by, linalg.Zeros(n, linalg.BlockRows))
	}
	return p
}

// set makes the pairs those of m rows.
func (p *pairs) set(v, w []float64, m int) {
	if p.order == nil {
		p.setContrasts(v, w, m)
		return
	}
	for i, a := range p.order {
		for _, b := range p.order[:i+1] {
			p.o.loss.Curvature(p.by[a].Row(b)[:m], a, b, v, w)
		}
	}
}

// setContrasts is set for [Contrasts] and probabilities v: column a of Q is −s for the classes up to
// a, of the probability P, t for the next one, of p, and 0 for the rest, of ρ. Its variance is
// Pp(s+t)² + Pρs² + pρt². An earlier contrast is 0 wherever column a is not −s, so that their
// covariance is that of its mean, negative, times p(s+t) + ρs. No sum of many terms cancels: beside classes that
// are likely the curvatures of a rare one keep their digits.
func (p *pairs) setContrasts(v, w []float64, m int) {
	k := p.o.k
	for a, to := range p.by {
		s, t := -p.o.q.At(0, a), p.o.q.At(a+1, a)
		less, more := p.apart.Row(2*a), p.apart.Row(2*a+1)
		for i := range m {
			wi, prob := 1.0, v[i*k:(i+1)*k]
			if w != nil {
				wi = w[i]
			}
			before, own, rest := linalg.Sum(prob[:a+1]), prob[a+1], linalg.Sum(prob[a+2:])
			to.Row(a)[i] = wi * (before*own*(s+t)*(s+t) + before*rest*s*s + own*rest*t*t)
			less[i], more[i] = s*before-t*own, wi*(own*(s+t)+rest*s)
		}
		for b := range a {
			pair, mean := to.Row(b), p.apart.Row(2*b)
			for i, v := range more[:m] {
				pair[i] = mean[i] * v
			}
		}
	}
}

// of returns the second derivatives by functions a and b ≤ a, by row.
func (p *pairs) of(a, b int) []float64 {
	if p.order == nil {
		return p.by[a].Row(b)
	}
	return p.by[p.order[a]].Row(p.order[b])
}

// FunctionsAt returns the K functions at theta, for scores of blocks.
func (o *Objective) FunctionsAt(theta []float64) *design.Functions {
	f := o.NewFunctions(o.k)
	for c, function := range o.FunctionsOf(theta) {
		f.Set(o.Design, c, function)
	}
	return f
}
