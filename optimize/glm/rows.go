package glm

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// byRows is an objective with a ridge R on every feature, and its Hessian by systems of n
// equations, one for each row, in the place of one for each parameter. With the kernel
// matrix 𝐊 = XR⁻¹Xᵀ, by Woodbury's formula
//
//	(XᵀVX + R)⁻¹ = R⁻¹ − R⁻¹XᵀEXR⁻¹,   E = (V⁻¹ + 𝐊)⁻¹ = V½(1 + V½𝐊V½)⁻¹V½,
//
// where the matrix that is factored has no eigenvalue below 1. With an intercept, whose
// derivative is g₀, the solution for the right-hand side (g₀, g) is
//
//	d₀ = (g₀ − 1ᵀEu)/1ᵀE1,   d = R⁻¹(g − XᵀE(u + d₀)),   u = XR⁻¹g,
//
// because (1 − E𝐊)V1 = E1. For K classes, of which V is diag p − ppᵀ by row, E consists of
// the Eₖ of the curvatures pₖ less Eₖ(Σ Eₗ)⁻¹Eₘ (Rasmussen & Williams, Gaussian Processes for
// Machine Learning, 2006, §3.4 and §3.5: there for the parameters of the rows).
//
// It implements [optimize.HessianVec] and [optimize.Preconditioned].
type byRows struct {
	*Objective
	kernel *linalg.Dense
	class  []*rowFactor      // by score
	sum    *linalg.Cholesky  // of Σ Eₖ; nil for one score
	ones   *linalg.Dense     // Eₖ1, a row for each score
	shared *linalg.Dense     // (Σ Eₗ)⁻¹Eₖ1; nil for one score
	levels *linalg.Cholesky  // of 1ᵀE1
	along  *design.Functions // scratch
}

// rowFactor is E for one score.
type rowFactor struct {
	root   []float64 // V½
	factor *linalg.Cholesky
}

// makeKernel makes the kernel matrix. O(n²p).
func (m *byRows) makeKernel() {
	o, x := m.Objective, linalg.Zeros(m.N, m.P)
	err := o.EachRow(func() func(*design.Block) {
		row := make([]float64, o.Dim())
		return func(b *design.Block) {
			for i := range b.Len() {
				if o.Weight(b.Lo+i) == 0 {
					continue
				}
				b.Row(row, i)
				to := x.Row(b.Lo + i)
				for j := range to {
					to[j] = row[j+o.Intercept] / math.Sqrt(o.Ridge[j+o.Intercept])
				}
			}
		}
	})
	o.keep(err)
	m.kernel, m.along = linalg.Zeros(o.N, o.N), o.NewFunctions(o.k)
	linalg.MulBT(m.kernel, x, x, o.Workers)
}

// renew makes the factors those at theta. O(Kn³).
func (m *byRows) renew(theta []float64) {
	o := m.Objective
	if m.kernel == nil {
		m.makeKernel()
	}
	v := o.curvatureAt(theta)
	if o.failed != nil {
		return
	}
	m.class = make([]*rowFactor, o.k)
	explicit := make([]*linalg.Dense, o.k)
	linalg.For(o.k, 1, o.Workers, func(k, _ int) {
		root := make([]float64, o.N)
		for i := range root {
			if root[i] = math.Sqrt(v[i*o.k+k]); o.k > 1 {
				root[i] *= math.Sqrt(o.Weight(i))
			}
		}
		m.class[k] = newRowFactor(m.kernel, root)
		if o.k > 1 {
			explicit[k] = m.class[k].matrix()
		}
	})
	m.sum = nil
	if o.k > 1 {
		m.sum = factorOfSum(explicit)
	}
	m.setLevels()
}

func newRowFactor(kernel *linalg.Dense, root []float64) *rowFactor {
	b := linalg.Zeros(len(root), len(root))
	for i, s := range root {
		to, from := b.Row(i), kernel.Row(i)
		for j, t := range root[:i+1] {
			to[j] = s * from[j] * t
		}
		to[i]++
	}
	factor, _ := linalg.NewCholesky(b) // its eigenvalues are at least 1
	return &rowFactor{root, factor}
}

// times overwrites y with Ey.
func (f *rowFactor) times(y []float64) {
	f.scale(y)
	f.factor.Solve(y)
	f.scale(y)
}

func (f *rowFactor) scale(y []float64) {
	for i, s := range f.root {
		y[i] *= s
	}
}

// matrix returns E.
func (f *rowFactor) matrix() *linalg.Dense {
	e := f.factor.Inverse()
	for i, s := range f.root {
		row := e.Row(i)
		for j, t := range f.root {
			row[j] *= s * t
		}
	}
	return e
}

// factorOfSum factors the sum of the matrices, which it overwrites; a row without weight
// has a diagonal of 1.
func factorOfSum(e []*linalg.Dense) *linalg.Cholesky {
	sum := e[0]
	for _, one := range e[1:] {
		linalg.Axpy(sum.Data, 1, one.Data)
	}
	for i := range sum.Rows {
		if sum.At(i, i) == 0 {
			sum.Set(i, i, 1)
		}
	}
	factor, err := steadied(sum)
	if err != nil {
		return nil
	}
	return factor
}

// setLevels makes the E1 of each score and the factor of 1ᵀE1, which for several classes has 11ᵀ added:
// it is 0 where the levels are the same for all. O(Kn² + K²n).
func (m *byRows) setLevels() {
	if m.Intercept == 0 {
		return
	}
	n, k := m.N, m.k
	m.ones, m.shared = linalg.Zeros(k, n), nil
	for i := range m.ones.Data {
		m.ones.Data[i] = 1
	}
	m.timesOwn(m.ones)
	inner := linalg.Zeros(k, k)
	for c := range k {
		inner.Set(c, c, linalg.Sum(m.ones.Row(c)))
	}
	if m.sum != nil {
		m.shared = m.ones.Clone()
		for c := range k {
			m.sum.Solve(m.shared.Row(c))
			for l := range k {
				inner.Row(c)[l] -= linalg.Dot(m.ones.Row(l), m.shared.Row(c))
			}
		}
	}
	if k > 1 {
		shift := inner.At(0, 0)
		for i := range inner.Data {
			inner.Data[i] += shift
		}
	}
	m.levels, _ = steadied(inner)
}

// timesOwn overwrites each row of y with Eₖ times it.
func (m *byRows) timesOwn(y *linalg.Dense) {
	for k, f := range m.class {
		f.times(y.Row(k))
	}
}

// total returns the sum of the rows of y.
func (m *byRows) total(y *linalg.Dense) []float64 {
	sum := make([]float64, m.N)
	for k := range m.class {
		linalg.Axpy(sum, 1, y.Row(k))
	}
	return sum
}

// less subtracts Eₖ(Σ Eₗ)⁻¹Σ yₗ from each row of y, which makes Ey of the Eₖyₖ.
func (m *byRows) less(y *linalg.Dense) {
	if m.sum == nil {
		return
	}
	shared := m.total(y)
	m.sum.Solve(shared)
	for k, f := range m.class {
		t := slices.Clone(shared)
		f.times(t)
		linalg.Axpy(y.Row(k), -1, t)
	}
}

// Precondition overwrites g with the solution of the Newton equations. Two passes. After a
// pass that failed there are no equations, and g stays as it is.
func (m *byRows) Precondition(g []float64) {
	o, dim, k := m.Objective, m.Dim(), m.k
	if o.failed != nil {
		return
	}
	all := make([]float64, k*dim)
	o.expand(all, g)
	for at := range all {
		if r := o.Ridge[at%dim]; r > 0 {
			all[at] /= r
		}
	}
	u := m.scoresOf(all)
	if o.Intercept == 1 {
		m.moveLevels(all, u)
	} else {
		m.timesOwn(u)
	}
	m.less(u)
	m.subtractBack(all, u)
	o.reduce(g, all)
}

// moveLevels solves for the levels, the first parameter of each function, and overwrites the scores
// u without them with Eₖ times those with them.
func (m *byRows) moveLevels(functions []float64, u *linalg.Dense) {
	dim, left := m.Dim(), make([]float64, m.k)
	for c := range left {
		left[c] = functions[c*dim] - linalg.Dot(m.ones.Row(c), u.Row(c)) // a derivative, for intercepts have no ridge
	}
	m.timesOwn(u)
	if m.shared != nil {
		total := m.total(u)
		for c := range left {
			left[c] += linalg.Dot(m.shared.Row(c), total)
		}
	}
	m.levels.Solve(left)
	for c, v := range left {
		functions[c*dim] = v
		linalg.Axpy(u.Row(c), v, m.ones.Row(c))
	}
}

// scoresOf returns the scores of functions without their levels, a row for each.
func (m *byRows) scoresOf(functions []float64) *linalg.Dense {
	o, dim := m.Objective, m.Dim()
	u := linalg.Zeros(o.k, o.N)
	for c := range o.k {
		m.along.Set(o.Design, c, functions[c*dim:(c+1)*dim])
		m.along.Levels[c] = 0
	}
	err := o.EachRow(func() func(*design.Block) {
		f := linalg.Zeros(linalg.BlockRows, o.k)
		return func(b *design.Block) {
			to := f.RowRange(0, b.Len())
			b.AlongAll(to, m.along)
			for i := range to.Rows {
				for c, v := range to.Row(i) {
					u.Row(c)[b.Lo+i] = v
				}
			}
		}
	})
	o.keep(err)
	return u
}

// subtractBack subtracts R⁻¹Xᵀc from the slopes of the functions.
func (m *byRows) subtractBack(functions []float64, c *linalg.Dense) {
	o, dim := m.Objective, m.Dim()
	back := make([]float64, len(functions))
	err := design.Reduce(o.Design, o.k,
		func() *backSums {
			return &backSums{c, linalg.Zeros(linalg.BlockRows, o.k), make([]float64, len(back))}
		},
		func(s *backSums) { linalg.Axpy(back, 1, s.sum) })
	o.keep(err)
	o.FinishBack(back, o.k)
	for at, v := range back {
		if r := o.Ridge[at%dim]; r > 0 {
			functions[at] -= v / r
		}
	}
}

// backSums is a share of Xᵀc.
type backSums struct {
	c   *linalg.Dense // a row for each score
	r   *linalg.Dense
	sum []float64
}

func (s *backSums) Reset() { clear(s.sum) }

func (s *backSums) Add(b *design.Block) {
	r := s.r.RowRange(0, b.Len())
	for i := range r.Rows {
		for c := range r.Row(i) {
			r.Row(i)[c] = s.c.At(c, b.Lo+i)
		}
	}
	b.AddBack(s.sum, r)
}

// diagonal is an objective with an estimate of the diagonal of its Hessian: the mean
// curvature of the rows times the sizes of the columns, and the ridge, without which
// features of a small unit look like the others. It implements [optimize.Preconditioned].
type diagonal struct {
	*Objective
	inverse []float64 // by parameter
}

// renew makes the diagonal that at theta.
func (d *diagonal) renew(theta []float64) {
	o := d.Objective
	dim := o.Dim()
	size, err := o.Sizes()
	v := o.curvatureAt(theta)
	if d.inverse = make([]float64, len(theta)); err != nil || o.failed != nil {
		return
	}
	mean := o.totalCurvature(v) / (float64(o.Functions()) * o.Total)
	for at := range d.inverse {
		h := mean * size[at%dim]
		if o.Ridge != nil {
			h += o.Ridge[at%dim]
		}
		if d.inverse[at] = 1; h > 0 {
			d.inverse[at] = 1 / h
		}
	}
}

// totalCurvature returns the traces of the rows' second derivatives.
func (o *Objective) totalCurvature(v []float64) float64 {
	if _, softmax := o.loss.(loss.Softmax); !softmax {
		return linalg.Sum(v)
	}
	total := 0.0
	for i := range o.N {
		p := v[i*o.k : (i+1)*o.k]
		total += o.Weight(i) * (1 - linalg.Dot(p, p))
	}
	return total
}

// Precondition overwrites g with the quotients by the diagonal.
func (d *diagonal) Precondition(g []float64) {
	for j, v := range d.inverse {
		g[j] *= v
	}
}

// UpToScale reports that the diagonal is an estimate.
func (d *diagonal) UpToScale() bool { return true }

// lbfgs is L-BFGS with the diagonal, as a stage.
func (d *diagonal) lbfgs(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	d.renew(x)
	return optimize.LBFGS(d, x, pairsKept, c)
}

// model is an objective with a model of its Hessian.
type model interface {
	optimize.HessianVec
	Precondition(d []float64)
	renew(theta []float64) // makes the model that at theta
}

// sureStage is Newton's method with conjugate gradients and the model, which is made anew
// at each iteration.
func sureStage(name string, m model) optimize.Stage {
	return optimize.Stage{Name: name, Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		own := *c
		own.Until = func(s optimize.Step) optimize.Verdict {
			m.renew(s.X)
			if c.Until == nil {
				return optimize.Continue
			}
			return c.Until(s)
		}
		return optimize.NewtonCG(m, x, &own)
	}}
}

const (
	// newtonSteps is how many steps Newton's method usually takes.
	newtonSteps = 6
	// mostRows is the number of rows up to which systems of as many equations are factored.
	mostRows = 3000
	// conjugates is how many conjugate gradients a step takes, as a rule of thumb.
	conjugates = 100
	// mostKernels is the number of elements of the matrices of the rows by class.
	mostKernels = 1 << 27
	// factorable is the number of parameters up to which a Hessian is factored.
	factorable = 2000
)

// sure returns the stage with which every plan ends, and about how many passes over the
// rows it costs: Newton's method by systems of n equations, by the Hessian, or, where both
// are too large or cost more, by conjugate gradients and the model m. A multiplication of
// a Gram matrix takes an eighth of the time of one of a pass, and one of a factorisation,
// on one goroutine, four times as long.
func (o *Objective) sure(m model) (stage optimize.Stage, passes float64) {
	n, p, k := float64(o.N), float64(o.Dim()), float64(o.Functions())
	stage, passes = sureStage("Newton with conjugate gradients", m), newtonSteps*conjugates
	if byColumns := newtonSteps * (p*(k+1)/64 + k*k*p*p/(32*n)); o.Parameters() <= factorable {
		stage, passes = optimize.Stage{Name: "Newton", Solve: o.newton}, byColumns
	}
	byRow := n/(16*k) + newtonSteps*n*n/(16*p)
	if o.Free() == nil && o.N <= mostRows && k*n*n <= mostKernels && linalg.CheckCopy(o.Rows(), o.N, o.P) == nil && byRow < passes {
		stage, passes = sureStage("Newton by systems of the rows", &byRows{Objective: o}), byRow
	}
	return stage, passes
}
