package glm

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
)

// The slopes of the minimum of an objective with a ridge R on every feature are R⁻¹Xᵀa for some
// multiples a of its n rows. Where there are more features than rows, methods go by the rows.

// kernelMatrix returns 𝐊 = XR⁻¹Xᵀ without the intercept, with zeros for rows of weight 0, the
// same at each call. O(n²p).
func (o *Objective) kernelMatrix() *linalg.Dense {
	if c := o.kin.multiple(o.Ridge[o.Intercept:]); c > 0 && o.kernel == nil {
		o.kernel = scaled(1/c, o.kin.kernel)
	}
	if o.kernel == nil {
		scale := make([]float64, o.P)
		for j, r := range o.Ridge[o.Intercept:] {
			scale[j] = 1 / math.Sqrt(r)
		}
		kernel, err := o.Kernel(scale)
		if o.keepIf(err) != nil {
			return linalg.Zeros(o.N, o.N)
		}
		if o.kernel = kernel; o.kin != nil {
			*o.kin = kinKernel{ridge: o.Ridge[o.Intercept:], kernel: kernel}
		}
	}
	return o.kernel
}

// kinKernel is what objectives share of which the ridges differ by a factor, as along a path.
type kinKernel struct {
	ridge     []float64
	kernel, l *linalg.Dense // the kernel matrix and its factor; nil before they are needed
}

// multiple returns how many times the ridge here another one is; 0 if it is no multiple, or none is here.
func (k *kinKernel) multiple(ridge []float64) float64 {
	if k == nil || k.kernel == nil {
		return 0
	}
	c := ridge[0] / k.ridge[0]
	for j, r := range ridge {
		if math.Abs(r-c*k.ridge[j]) > 0x1p-50*r {
			return 0
		}
	}
	return c
}

// scaled returns c·a, a copy.
func scaled(c float64, a *linalg.Dense) *linalg.Dense {
	b := a.Clone()
	linalg.Scale(b.Data, c)
	return b
}

// alongRows returns functions of all rows (rows × K), of as many as there are parameters for, with
// a share of their levels, 0 or 1.
func (o *Objective) alongRows(functions []float64, levels float64) *linalg.Dense {
	dim := o.Dim()
	k := len(functions) / dim
	f, at := linalg.Zeros(o.N, k), o.NewFunctions(k)
	for c := range k {
		at.Set(o.Design, c, functions[c*dim:(c+1)*dim])
		at.Levels[c] *= levels
	}
	o.keepIf(o.EachRow(func() func(*design.Block) {
		return func(b *design.Block) { b.AlongAll(f.RowRange(b.Lo, b.Hi), at) }
	}))
	return f
}

// backOf returns the derivatives Xᵀr by the functions of residuals r (rows × K).
func (o *Objective) backOf(r *linalg.Dense) []float64 {
	sum, err := o.Back(r)
	o.keepIf(err)
	return sum
}

// byRows is the Hessian by systems of n equations, one for each row, in the place of one for
// each parameter. By Woodbury's formula
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
type byRows struct {
	o      *Objective
	class  []*rowFactor     // by score
	sum    *linalg.Cholesky // of Σ Eₖ; nil for one score
	ones   *linalg.Dense    // Eₖ1, a row for each score
	shared *linalg.Dense    // (Σ Eₗ)⁻¹Eₖ1; nil for one score
	levels *linalg.Cholesky // of 1ᵀE1
}

//go:noinline // programs would have it twice
func (m *byRows) model() *model {
	return &model{o: m.o, renew: m.renew, divide: m.Precondition}
}

// rowFactor is E for one score.
type rowFactor struct {
	root   []float64 // V½
	factor *linalg.Cholesky
}

// renew makes the factors those at theta, and leaves no classes where numbers overflow. O(Kn³).
func (m *byRows) renew(theta []float64) {
	o := m.o
	kernel, v := o.kernelMatrix(), o.curvatureAt(theta)
	if o.failed != nil {
		return
	}
	o.Work.Spend(o.k*o.N, o.N, o.N)
	class, explicit := make([]*rowFactor, o.k), make([]*linalg.Dense, o.k)
	linalg.For(o.k, 1, o.Workers, func(k, _ int) {
		root := make([]float64, o.N)
		for i := range root {
			if root[i] = math.Sqrt(v[i*o.k+k]); o.k > 1 {
				root[i] *= math.Sqrt(o.Weight(i))
			}
		}
		if class[k] = newRowFactor(kernel, root, o.Workers); o.k > 1 && class[k] != nil {
			explicit[k] = class[k].matrix()
		}
	})
	m.class, m.sum = nil, nil
	if slices.Contains(class, nil) {
		return
	}
	if o.k > 1 {
		if m.sum = factorOfSum(explicit); m.sum == nil {
			return
		}
	}
	m.class = class
	if m.setLevels(); m.o.Intercept == 1 && m.levels == nil {
		m.class = nil
	}
}

// newRowFactor returns the factor, nil where numbers overflow.
func newRowFactor(kernel *linalg.Dense, root []float64, workers int) *rowFactor {
	b := linalg.Zeros(len(root), len(root))
	for i, s := range root {
		to, from := b.Row(i), kernel.Row(i)
		for j, t := range root[:i+1] {
			to[j] = s * from[j] * t
		}
		to[i]++
	}
	factor, err := linalg.NewCholeskyIn(b.Clone(), workers) // its eigenvalues are at least 1
	if err != nil {                                         // which rounding hides beside those of 1e16 and more
		factor, err = steadied(b)
	}
	if err != nil {
		return nil
	}
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
	if m.o.Intercept == 0 {
		return
	}
	n, k := m.o.N, m.o.k
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
	sum := make([]float64, m.o.N)
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
		t := linalg.Clone(shared)
		f.times(t)
		linalg.Axpy(y.Row(k), -1, t)
	}
}

// Precondition overwrites g with the solution of the Newton equations. Two passes. After a
// pass that failed, or where numbers overflow, there are no equations, and g stays as it is.
func (m *byRows) Precondition(g []float64) {
	o, dim, k := m.o, m.o.Dim(), m.o.k
	if o.failed != nil || m.class == nil {
		return
	}
	o.Work.Spend(2*optimize.Alone*k, o.N, o.N+perCall)
	all := o.expanded(g)
	for at := range all {
		if at%dim >= o.Intercept {
			all[at] /= o.Ridge[at%dim]
		}
	}
	u := o.alongRows(all, 0).Transposed()
	if o.Intercept == 1 {
		m.moveLevels(all, u)
	} else {
		m.timesOwn(u)
	}
	m.less(u)
	for at, v := range o.backOf(u.Transposed()) {
		if at%dim >= o.Intercept {
			all[at] -= v / o.Ridge[at%dim]
		}
	}
	o.reduce(g, all)
}

// moveLevels solves for the levels, the first parameter of each function, and overwrites the scores
// u without them with Eₖ times those with them.
func (m *byRows) moveLevels(functions []float64, u *linalg.Dense) {
	dim, left := m.o.Dim(), make([]float64, m.o.k)
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

// kernelNoise is the rounding of an element of a kernel matrix for each row.
const kernelNoise = 0x1p-52

// inRows is an objective in the coordinates γ of the space that its n rows span,
// β = R^−½Zᵀγ, where Z = L⁻¹XR^−½ has orthonormal rows for the factor LLᵀ of the kernel
// matrix: scores are those of n rows of n values, Lγ, and the ridge is ½‖γ‖². A pass takes
// n/p of the time.
type inRows struct {
	own, whole *Objective // of γ and of β
	l          *linalg.Dense
	lengths    []float64 // ‖R^−½xᵢ‖

	theta, gamma []float64 // the last point that a solver has come to
	judged       []float64 // the last point that has a bound
	terms        float64   // there: at least Σ wᵢ|rᵢₖθₖⱼxᵢⱼ|
}

// newInRows returns the objective in the coordinates of the rows; nil where rounding leaves
// the kernel matrix without a factor. O(n²p).
func (o *Objective) newInRows() (*inRows, error) {
	l, err := o.kernelFactor()
	if l == nil {
		return nil, err
	}
	m := &inRows{whole: o, l: l, lengths: make([]float64, o.N)}
	d := o.Of(m.l)
	ridge := append(linalg.Clone(o.Ridge[:o.Intercept]), make([]float64, d.P)...)
	for j := o.Intercept; j < len(ridge); j++ {
		ridge[j] = 1
	}
	for i := range m.lengths {
		m.lengths[i] = linalg.Norm(m.l.Row(i))
	}
	o.recorded, o.memo = make([]float64, o.N*o.k), memo{} // the scores of a pass before are not recorded
	m.own = newObjective(d, o.Y, o.loss, o.q, ridge)
	return m, nil
}

// kernelFactor returns L; nil where rounding leaves the kernel matrix without one. O(n³) beside the matrix, O(n²)
// for the next ridge of a path.
func (o *Objective) kernelFactor() (*linalg.Dense, error) {
	if c := o.kin.multiple(o.Ridge[o.Intercept:]); c > 0 && o.kin.l != nil {
		return scaled(1/math.Sqrt(c), o.kin.l), nil
	}
	kernel := o.kernelMatrix().Clone()
	if o.failed != nil {
		return nil, o.failed
	}
	noise := kernelNoise * float64(o.N) * linalg.NormInf(kernel.Data)
	for i := range kernel.Rows { // rows about their mean are dependent
		kernel.Row(i)[i] += noise
	}
	factor, err := linalg.NewCholeskyIn(kernel, o.Workers)
	if err != nil {
		return nil, nil
	}
	l := factor.L()
	if o.kin != nil {
		*o.kin = kinKernel{o.Ridge[o.Intercept:], o.kernel, l}
	}
	return l, nil
}

// from returns the coordinates of the parameters θ, less their part that is orthogonal to all
// rows and changes no score.
func (m *inRows) from(theta []float64) []float64 {
	if slices.Equal(theta, m.theta) {
		return m.gamma
	}
	gamma, at := make([]float64, m.own.Parameters()), m.own.Intercept
	u := m.whole.alongRows(theta, 0)
	for i := range u.Rows {
		if m.whole.Weight(i) == 0 { // as in the kernel matrix
			clear(u.Row(i))
		}
	}
	u = u.Transposed()
	for c := range u.Rows {
		to := gamma[c*m.own.Dim() : (c+1)*m.own.Dim()]
		copy(to[:at], theta[c*m.whole.Dim():])
		copy(to[at:], u.Row(c))
		linalg.SolveLower(m.l, to[at:])
	}
	return gamma
}

// to returns the parameters of coordinates.
func (m *inRows) to(gamma []float64) []float64 {
	at, dim := m.own.Intercept, m.whole.Dim()
	a := linalg.Zeros(m.own.Functions(), m.own.N)
	for c := range a.Rows {
		copy(a.Row(c), gamma[c*m.own.Dim()+at:])
		linalg.SolveLowerT(m.l, a.Row(c))
	}
	theta := m.whole.backOf(a.Transposed())
	for i := range theta {
		if c, j := i/dim, i%dim; j < at {
			theta[i] = gamma[c*m.own.Dim()+j]
		} else {
			theta[i] /= m.whole.Ridge[j]
		}
	}
	return theta
}

// evenly returns an estimate of the diagonal of the Hessian that is the same
// for all coordinates of a function, their mean: the rows of L are a triangle's, those of the
// data are alike.
func (m *inRows) evenly(gamma []float64) *diagonal {
	d := &diagonal{o: m.own}
	d.renew(gamma)
	for f := m.own.Intercept; f < len(gamma); f += m.own.Dim() {
		total := 0.0
		for _, v := range d.inverse[f : f+m.own.P] {
			total += 1/v - 1
		}
		for j := range m.own.P {
			d.inverse[f+j] = 1 / (1 + total/float64(m.own.P))
		}
	}
	return d
}

// lbfgs is L-BFGS in the coordinates, as a stage for the whole. A derivative by γ, all of
// which together are as long as those by R^½β, has the root mean square of the sizes of these.
func (m *inRows) lbfgs(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	own, dim := *c, m.whole.Dim()
	own.Scale = make(optimize.Scale, m.own.Parameters())
	for f := range m.whole.Functions() {
		squares := 0.0
		for j := m.own.Intercept; j < dim; j++ {
			s := c.Scale.At(f*dim + j)
			squares += s * s / m.whole.Ridge[j]
		}
		to := own.Scale[f*m.own.Dim() : (f+1)*m.own.Dim()]
		for j := range to {
			to[j] = math.Sqrt(squares / float64(m.own.P))
		}
		for j := range m.own.Intercept {
			to[j] = c.Scale.At(f*dim + j)
		}
	}
	own.Trace = traced(c.Trace, m.to)
	gamma := m.from(x)
	gamma, report, err := m.evenly(gamma).minimize(gamma, &own)
	if gamma == nil {
		return nil, report, err
	}
	if m.own.failed != nil {
		return nil, report, m.whole.keep(m.own.failed)
	}
	m.theta, m.gamma = m.to(gamma), gamma
	return linalg.Clone(m.theta), report, err
}
