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

// Sparse rows of many features have no Hessian that could be factored, but products with it
// cost one pass over their values: Newton's method with conjugate gradients. Frequent and rare
// columns have diagonal elements of different orders; divided by them the system needs few
// steps (Hsia, Chiang & Lin, ACML 2018).

// fewSparse is the number of parameters of a function up to which sparse rows are fitted as dense ones
// are: a factored Hessian by it then costs no more than some products. (Measured for 5 to 10 classes and
// λ .01 to 100, processor seconds: 250 columns of counts or indicators .2 to .3, by conjugate gradients .25 to 1.05;
// 1,200 of indicators .34 to 3.7 and .25 to 2.9. Where columns have scales of their own, as 54 of a survey of
// land, .4 to 3.4 and 1.5 to 18.5.)
const fewSparse = 300

// mostFrequent is how many columns of sparse rows are taken as correlated in the model of a
// Hessian. On text, whose words' frequencies fall off as 1/rank, as many products are saved by
// 100 columns as by 1,000.
const mostFrequent = 128

// jacobi is an objective with a model of its Hessian: the diagonal H, and of sparse rows the
// correlations R of the columns that most rows have, M = √H·R·√H.
type jacobi struct {
	o        *Objective
	diagonal []float64 // H by parameter, as the objective keeps it
	bent     []float64 // the traces of the rows' second derivatives where it was made
	early    bool      // the ridge alone may prove that a run has come to its end
	settled  float64   // the share of that rule; 0 for derivatives as small as the tolerance
}

// correlations is R, which one pass per fit tells: with the curvatures of the rows that turn
// out it changes less than the diagonal does.
type correlations struct {
	columns []int            // parameters of one function
	r       *linalg.Cholesky // nil for 1
}

// steady is the share of the rows' second derivatives by which they may change before a pass
// makes the diagonal anew: conjugate gradients notice no less.
const steady = 0.1

// renew makes the model that at theta, or leaves it where it is near that.
func (j *jacobi) renew(theta []float64) {
	bent, moved := j.o.traces(j.o.curvatureAt(theta)), 0.0
	for i, v := range j.bent {
		moved += math.Abs(bent[i] - v)
	}
	if j.bent != nil && moved <= steady*linalg.Sum(j.bent) {
		return
	}
	j.diagonal, j.bent = j.o.diagonalAt(theta), linalg.Clone(bent)
	if j.o.common == nil && j.o.failed == nil {
		j.o.common = j.correlate(theta)
	}
}

// correlate returns the correlations of the most frequent columns by the traces of the rows'
// second derivatives at theta.
func (j *jacobi) correlate(theta []float64) *correlations {
	c := new(correlations)
	if !j.o.Sparse() || j.o.Ridge == nil {
		return c
	}
	c.columns = j.frequent()
	r := linalg.Zeros(len(c.columns), len(c.columns))
	if j.o.subGram(r, j.o.traces(j.o.curvatureAt(theta)), c.columns, nil); j.o.failed != nil {
		return c
	}
	root := make([]float64, r.Rows)
	for i, at := range c.columns {
		r.Data[i*r.Stride+i] += float64(j.o.Functions()) * j.o.Ridge[at]
		root[i] = math.Sqrt(r.At(i, i))
	}
	for i := range root {
		for k := range root {
			r.Data[i*r.Stride+k] /= root[i] * root[k]
		}
	}
	c.r, _ = linalg.NewCholesky(r) // without it the model is the diagonal
	return c
}

// frequent returns the parameters of a function to whose elements of the diagonal the rows add
// more than the ridge does, at most mostFrequent of them, those of the largest share.
func (j *jacobi) frequent() []int {
	dim, columns := j.o.Dim(), []int{}
	sum := make([]float64, dim)
	for from := 0; from < len(j.diagonal); from += dim {
		linalg.Axpy(sum, 1, j.diagonal[from:from+dim])
	}
	for c, h := range sum {
		if h > 2*float64(j.o.Functions())*j.o.Ridge[c] {
			columns = append(columns, c)
		}
	}
	linalg.SortFunc(columns, func(a, b int) int { return cmp.Or(cmp.Compare(sum[b]*j.o.Ridge[a], sum[a]*j.o.Ridge[b]), a-b) })
	return columns[:min(len(columns), mostFrequent)]
}

// Precondition overwrites d with M⁻¹d; where the diagonal is 0, M is 1.
func (j *jacobi) Precondition(d []float64) {
	for at, h := range j.diagonal {
		if h > 0 {
			d[at] /= h
		}
	}
	if j.o.common == nil || j.o.common.r == nil {
		return
	}
	columns := j.o.common.columns
	part := make([]float64, len(columns))
	for from := 0; from < len(d); from += j.o.Dim() {
		for i, c := range columns {
			part[i] = d[from+c] * math.Sqrt(j.diagonal[from+c])
		}
		j.o.common.r.Solve(part)
		for i, c := range columns {
			if h := j.diagonal[from+c]; h > 0 {
				d[from+c] = part[i] / math.Sqrt(h)
			}
		}
	}
}

// newton is Newton's method with conjugate gradients and the diagonal, as a stage.
func (j *jacobi) newton(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	own := *c
	if j.early { // long before derivatives are as small as they must be where the ridge is weak
		j.settled = spared * c.Tol
		own.Until = func(s optimize.Step) optimize.Verdict {
			if j.o.settles(j.o.Gradient(s.X), s.Objective, j.settled, j.levelCurvature()) {
				return optimize.Enough
			}
			return asked(c.Until, s)
		}
	}
	m := j.model()
	m.settles = func(g []float64, value float64) bool { return j.o.settles(g, value, j.settled/2, j.levelCurvature()) }
	return m.solve(x, &own)
}

//go:noinline // programs would have it twice
func (j *jacobi) model() *model {
	return &model{o: j.o, renew: j.renew, divide: j.Precondition}
}

// levelCurvature returns the least second derivative by a parameter without a ridge: +Inf without one, and 0
// before it is known.
//
//go:noinline // programs would have it twice
func (j *jacobi) levelCurvature() float64 {
	if j.diagonal == nil || j.o.Ridge == nil {
		return 0
	}
	least := math.Inf(1)
	for at, h := range j.diagonal {
		if j.o.Ridge[at%j.o.Dim()] == 0 {
			least = min(least, h)
		}
	}
	return least
}

// diagonalAt returns the diagonal of the Hessian at theta, for a loss of one score and for
// [loss.Softmax]: one pass over the rows, O(npK). The objective keeps it, and the next call overwrites it.
func (o *Objective) diagonalAt(theta []float64) []float64 {
	c := &o.curved
	if len(c.diagonal) == 0 || !slices.Equal(c.theta, theta) {
		o.Work.Spend(2*o.N, o.k, o.Functions())
		v := o.curvatureAt(theta)
		sum, room, m := slices.Grow(c.diagonal[:0], len(theta))[:len(theta)], o.room(), o.Functions()
		clear(sum)
		q := o.q
		if q == nil {
			q = linalg.Identity(o.k)
		}
		own := q.Clone()
		for i, v := range own.Data {
			own.Data[i] = v * v
		}
		if o.failed == nil {
			o.failed = design.Reduce(o.Design, m, func() *squares {
				return &squares{o, v, q, own, linalg.Zeros(linalg.BlockRows, m), linalg.Zeros(linalg.BlockRows, m), room()[:len(sum)]}
			}, func(s *squares) { linalg.Axpy(sum, 1, s.sum) })
		}
		o.FinishSquares(sum, o.room()())
		for to := sum; o.Ridge != nil && len(to) > 0; to = to[o.Dim():] {
			for j, r := range o.Ridge {
				to[j] += r
			}
		}
		c.diagonal = sum
	}
	return c.diagonal
}

// squares is a share of the diagonal of a Hessian.
type squares struct {
	o        *Objective
	v        []float64     // the second derivatives of the rows
	q, own   *linalg.Dense // Q and its squares
	by, mean *linalg.Dense // curvatures by the m functions and scratch, rows × m
	sum      []float64
}

func (s *squares) Reset() { clear(s.sum) }

// Add adds the squares of a block.
func (s *squares) Add(b *design.Block) {
	k, by := s.o.k, s.by.RowRange(0, b.Len())
	v := s.v[b.Lo*k : b.Hi*k]
	if _, several := s.o.loss.(loss.Softmax); !several {
		copy(by.Data, v)
		b.AddSquares(s.sum, by)
		return
	}
	p, mean := &linalg.Dense{Rows: b.Len(), Cols: k, Stride: k, Data: v}, s.mean.RowRange(0, b.Len())
	clear(by.Data)
	clear(mean.Data)
	linalg.MulAdd(by, 1, p, s.own) // qᵀ(diag p − ppᵀ)q
	linalg.MulAdd(mean, 1, p, s.q)
	for i := range by.Rows {
		w, square := s.o.Weight(b.Lo+i), by.Row(i)
		for a, m := range mean.Row(i) {
			square[a] = w * (square[a] - m*m)
		}
	}
	b.AddSquares(s.sum, by)
}

// diagonal is an estimate of the diagonal of an objective's Hessian: the mean
// curvature of the rows times the sizes of the columns, and the ridge, without which
// features of a small unit look like the others. Where directions lead, it is what they leave of
// it, D, and the model is D + BᵀB for each function, with the inverse D⁻¹ − D⁻¹Bᵀ(1 + BD⁻¹Bᵀ)⁻¹BD⁻¹.
type diagonal struct {
	o       *Objective
	inverse []float64 // by parameter

	aim       float64          // of the bound by the ridge alone, relative to the objective; 0 where it proves nothing
	curvature float64          // by the levels, see [diagonal.measureLevels]
	leading   *leading         // nil without
	asked     bool             // whether directions lead
	b         *linalg.Dense    // a row for each direction
	inner     *linalg.Cholesky // of 1 + BD⁻¹Bᵀ; nil without
}

// renew makes the diagonal that at theta.
func (d *diagonal) renew(theta []float64) {
	o, dim := d.o, d.o.Dim()
	size, err := o.Sizes()
	v := o.curvatureAt(theta)
	if d.inverse = make([]float64, len(theta)); err != nil || o.failed != nil {
		return
	}
	mean := linalg.Sum(o.traces(v)) / (float64(o.Functions()) * o.Total)
	for at := range d.inverse {
		h := mean * size[at%dim]
		if d.leading != nil {
			h *= d.leading.left(at%dim, o.Intercept)
		}
		if o.Ridge != nil {
			h += o.Ridge[at%dim]
		}
		if d.inverse[at] = 1; h > 0 {
			d.inverse[at] = 1 / h
		}
	}
	if d.leading != nil {
		d.renewLeading(mean, size)
	}
}

// renewLeading makes B and its products those by the mean curvature of the rows.
func (d *diagonal) renewLeading(mean float64, size []float64) {
	d.b = d.leading.u.Clone()
	roots := make([]float64, d.b.Cols)
	for j := range roots {
		roots[j] = math.Sqrt(d.inverse[j])
		for k, by := range d.leading.by {
			d.b.Data[k*d.b.Stride+j] *= math.Sqrt(mean * size[j] * by)
		}
	}
	inner := linalg.GramOfRows(d.b, nil, roots, d.o.Workers)
	for k := range inner.Rows {
		inner.Data[k*inner.Stride+k]++
	}
	d.inner, _ = linalg.NewCholesky(inner)
}

// Precondition overwrites g with M⁻¹g.
func (d *diagonal) Precondition(g []float64) {
	for j, v := range d.inverse {
		g[j] *= v
	}
	if d.inner == nil {
		return
	}
	along, back := make([]float64, d.b.Rows), make([]float64, d.b.Cols)
	for ; len(g) > 0; g = g[len(back):] {
		linalg.MulVec(along, d.b, g[:len(back)], 1)
		d.inner.Solve(along)
		clear(back)
		linalg.MulTVecAdd(back, d.b, along) // MulTVec, which has goroutines, is 12 kB of a program
		for j, v := range back {
			g[j] -= d.inverse[j] * v
		}
	}
}

//go:noinline // programs would have it twice
func (d *diagonal) model() *model {
	return &model{o: d.o, renew: d.renew, divide: d.Precondition, upToScale: true}
}

// lookback is the number of iterations of L-BFGS that tell its pace, and mostAwaited how many more are made for a proof:
// about what a bound by products costs in passes and the beginning of L-BFGS anew after one that fails.
const lookback, mostAwaited = 8, 24

// lbfgs is L-BFGS with the diagonal, as a stage, which may be made again, to smaller derivatives.
func (d *diagonal) lbfgs(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	if !d.asked {
		d.asked, d.leading = true, d.o.findLeading()
		if d.o.Ridge != nil {
			d.aim = spared * spared * c.Tol * c.Tol
		}
	}
	if d.renew(x); d.aim > 0 {
		d.measureLevels(x)
	}
	return d.minimize(x, c)
}

// levelColumns returns the parameters without a ridge and, where features are among them, their columns of the Hessian: a
// product for each.
func (o *Objective) levelColumns(theta []float64) (free []int, by *linalg.Dense) {
	for j := range theta {
		if o.Ridge[j%o.Dim()] == 0 {
			free = append(free, j)
		}
	}
	if o.Free() == nil {
		return free, nil
	}
	d := make([]float64, len(theta))
	by = linalg.Zeros(len(free), len(theta))
	for a, j := range free {
		d[j] = 1
		o.HessVec(by.Row(a), theta, d)
		d[j] = 0
	}
	return free, by
}

// measureLevels finds the curvature by the parameters without a ridge that the bound by the ridge alone is to have: the least,
// and of a feature h²/(h + Σ hⱼ²/λⱼ) for its column of the Hessian, as the step that takes away a derivative by it of 1 adds hⱼ/h to the others.
func (d *diagonal) measureLevels(x []float64) {
	d.curvature = math.Inf(1)
	free, by := d.o.levelColumns(x)
	for a, at := range free {
		h, added := 1/d.inverse[at], 0.0
		if by != nil {
			h = by.At(a, at)
			_, added = d.o.leftLengths(by.Row(a))
		}
		d.curvature = min(d.curvature, h*h/(h+added*added))
	}
}

// minimize is L-BFGS with the diagonal as it is. It ends where the ridge alone is a proof, else where derivatives are as
// small as the tolerance and the objective has all but come to rest, or where they are a little smaller. A certificate that
// does not hold costs passes, and L-BFGS would begin anew after it: where at its pace a proof is near, it goes on.
func (d *diagonal) minimize(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	own, rest := *c, spared*spared*c.Tol*c.Tol
	own.Tol = c.Tol * littleTighter * littleTighter
	var before [lookback]struct{ objective, excess float64 }
	own.Until = func(s optimize.Step) optimize.Verdict {
		at, excess := &before[s.Iteration%lookback], math.Inf(1)
		if d.aim > 0 {
			excess = d.o.excess(d.o.Gradient(s.X), d.curvature) / (d.aim * s.Objective)
		}
		settled := s.Iteration >= lookback && at.objective-s.Objective <= rest*s.Objective
		near := s.Iteration >= lookback && math.Log(excess) <= mostAwaited/lookback*math.Log(at.excess/excess)
		at.objective, at.excess = s.Objective, excess
		switch {
		case excess <= 1,
			!near && (s.Certificate <= c.Tol*littleTighter || s.Certificate <= c.Tol && settled):
			return optimize.Enough
		}
		return asked(c.Until, s)
	}
	return optimize.LBFGS(d.model(), x, pairsKept, &own)
}

// asked returns the verdict of a rule, and without one Continue.
//
//go:noinline // programs would have it five times
func asked(until func(optimize.Step) optimize.Verdict, s optimize.Step) optimize.Verdict {
	if until == nil {
		return optimize.Continue
	}
	return until(s)
}

// settles reports whether the ridge is a proof of that share by derivatives g.
func (o *Objective) settles(g []float64, value, share, levelCurvature float64) bool {
	return o.Ridge != nil && o.excess(g, levelCurvature) <= share*share*value
}

// excess returns twice the bound by the ridge alone: Σ gⱼ²/λⱼ for the slopes, and for the levels about as much by their
// curvature.
func (o *Objective) excess(g []float64, levelCurvature float64) float64 {
	levels, slopes := o.leftLengths(g)
	return slopes*slopes + levels*levels*(o.pull()+1/levelCurvature)
}

// model is an objective with a model M of its Hessian. It implements [optimize.HessianVec] and
// [optimize.Preconditioned].
type model struct {
	o         *Objective
	renew     func(theta []float64)                 // makes the model that at theta
	divide    func(d []float64)                     // overwrites d with M⁻¹d
	upToScale bool                                  // M is known but for a factor
	settles   func(g []float64, value float64) bool // see Settles; nil for never

	// A dear model (nil: there is none) takes the place of M once products and gradients, made of them, have cost what it does,
	// most of them, and is made anew after as many more. (Measured on 430 ridges of tables of 1,000 numbers, 3 to 800 classes: no
	// fit takes longer than by Newton's method with a Hessian at each step, some a quarter, as steps by an old one need ten products.)
	dear       *model
	made, most float64
	led        bool // by the dear one
}

func (m *model) Err() error                                { return m.o.Err() }
func (m *model) Value(theta []float64) float64             { return m.o.Value(theta) }
func (m *model) HessVec(dst, theta []float64, u []float64) { m.o.HessVec(dst, theta, u) }

// Grad sets g to the gradient and returns the objective.
func (m *model) Grad(g, theta []float64) float64 {
	m.made++
	return m.o.Grad(g, theta)
}

// Precondition overwrites d with M⁻¹d.
func (m *model) Precondition(d []float64) {
	m.made++
	m.divide(d)
}

// UpToScale reports whether the model is an estimate.
func (m *model) UpToScale() bool { return m.upToScale }

// Settles reports whether derivatives end a run even when the curvature of the last step has
// doubled them, or a better model is to make the next one.
func (m *model) Settles(g []float64, value float64) bool {
	return m.spent() || m.settles != nil && m.settles(g, value)
}

// spent reports whether it is time for the dear model.
func (m *model) spent() bool { return m.dear != nil && m.made > m.most }

// follow makes the model that at theta, unless the dear one is to serve on.
func (m *model) follow(theta []float64) {
	switch {
	case m.spent():
		m.dear.renew(theta)
		m.divide, m.led, m.made = m.dear.divide, true, 0
	case !m.led:
		m.renew(theta)
	}
}

// solve is Newton's method with conjugate gradients and the model, which is made anew at each
// iteration, or as often as it pays.
func (m *model) solve(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	m.o.KeepCurvature()
	own := *c
	own.Until = func(s optimize.Step) optimize.Verdict {
		v := asked(c.Until, s)
		if v == optimize.Continue {
			m.follow(s.X)
		}
		return v
	}
	return optimize.NewtonCG(m, x, &own)
}
