package glm

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
)

// partSteps are the distances between the rows of parts that foretell the whole, the
// smallest part first: primes, because rows often come in turns.
var partSteps = [...]int{251, 67, 17, 7}

const (
	// A part needs leastPartRows rows for each parameter to say something of the whole,
	// and leastPartValues values to be worth the set-up.
	leastPartRows   = 15
	leastPartValues = 1 << 16
	// partTol is as near as a sample of that size comes to the fit of all rows.
	partTol = 3e-3
)

// approach moves theta to near the minimum by fits to part of the rows, where there are
// so many that a few steps on all of them cost more than the fits, and makes the first
// pass there. It returns the Hessian that the last part foretells, nil if there was none.
//
// It is for one score: parts of the rows are fitted by Newton's method.
func (o *Objective) approach(theta []float64) (*linalg.Dense, error) {
	cold := linalg.Clone(theta)
	h, atCold, err := o.fitParts(theta)
	if err != nil || h == nil {
		return nil, err
	}
	o.evaluate(theta)
	if !(o.memo.value <= 2*atCold) && o.failed == nil {
		copy(theta, cold) // part of the rows misled about the whole
		return nil, nil
	}
	return h, o.failed
}

// fitParts moves theta to the fit of one part after the other. atStart is what the first
// says of the objective where theta was.
func (o *Objective) fitParts(theta []float64) (h *linalg.Dense, atStart float64, err error) {
	for k, step := range partSteps {
		rows := o.N / step
		// A seventh of the rows is worth its passes only where no smaller part was large
		// enough.
		if rows < leastPartRows*o.Dim() || rows*o.Dim() < leastPartValues || k == len(partSteps)-1 && h != nil {
			continue
		}
		if o.partTooLarge(step) != nil {
			break // the smaller parts have to do
		}
		part, err := o.rowsEvery(step)
		if err != nil {
			return nil, 0, err
		}
		if !part.varies() {
			continue
		}
		part.hessAt(theta)
		at := part.memo.value
		scale, err := part.Scale()
		if err != nil {
			break
		}
		if h == nil {
			atStart = at * (o.Total / part.Total)
		}
		near, report, _ := optimize.Newton(part, theta, &optimize.Control{Tol: partTol, MaxIter: 10, Scale: scale})
		if !(report.Certificate().Value < 1e-2) {
			break
		}
		// A part can miss a rare level altogether; its Hessian is then singular, and the
		// next larger part is tried.
		hp := part.last.h
		if factor, err := linalg.NewCholesky(hp); err != nil || !Independent(hp, factor) {
			continue
		}
		copy(theta, near)
		h = hp
		linalg.Scale(h.Data, float64(step))
	}
	return h, atStart, nil
}

// varies reports whether rows of positive weight have different responses.
func (o *Objective) varies() bool {
	first := -1
	for i, y := range o.Y {
		switch {
		case !(o.Weight(i) > 0):
		case first < 0:
			first = i
		case y != o.Y[first]:
			return true
		}
	}
	return false
}

// sampledHessian is an objective with a Hessian of part of the rows as the model that
// L-BFGS needs: at first the one that foretold the start, and from the first pass on,
// unless the objective rises there, one of one row in every. It implements
// [optimize.Preconditioned].
type sampledHessian struct {
	o      *Objective
	factor *linalg.Cholesky
	every  int  // rows between those of the better Hessian
	better bool // it is there
	start  float64
}

// newSampledHessian begins at theta, whose gradient the objective knows.
func newSampledHessian(o *Objective, factor *linalg.Cholesky) *sampledHessian {
	return &sampledHessian{o: o, factor: factor, every: o.sparsity(), start: o.memo.value}
}

// sparsity returns how many rows apart those should be that the Hessian of a ridge
// is made from. With all of them it costs what p/50 gradients do (measured at p =
// 100, where reading the rows is what a gradient costs). With m rows each step of
// L-BFGS shrinks the gradient by about √(m/p) (Marchenko and Pastur's spread of
// the eigenvalues), which makes n/m = p/50 near the best, and m no less than 50p.
func (o *Objective) sparsity() int { return min(o.P, o.N/o.P) / 50 }

// Value returns the objective.
func (m *sampledHessian) Value(theta []float64) float64 { return m.o.Value(theta) }

// Err returns the first error of a pass.
func (m *sampledHessian) Err() error { return m.o.Err() }

// Precondition overwrites d with M⁻¹d.
func (m *sampledHessian) Precondition(d []float64) { m.factor.Solve(d) }

// Grad sets g to the gradient and returns the objective. The first pass that it has to
// make brings the better Hessian along.
func (m *sampledHessian) Grad(g, theta []float64) float64 {
	if m.better || slices.Equal(m.o.memo.theta, theta) {
		return m.o.Grad(g, theta)
	}
	h := linalg.Zeros(len(g), len(g))
	v := m.o.gradSampled(h, g, theta, m.every)
	if v <= m.start {
		if f, err := linalg.NewCholesky(h); err == nil {
			m.factor, m.better = f, true
		}
	}
	return v
}

// modelScores is the size up to which the Hessian by the scores is factored.
const modelScores = 500

// scoreModel approximates the Hessian Σ Wᵢ⊗xᵢxᵢᵀ + ridge, Wᵢ = wᵢQᵀ(diag pᵢ − pᵢpᵢᵀ)Q. The Wᵢ
// depend on the scores alone. The part of the features that the scores do not determine is
// taken as independent of them: with S = Σ tr(Wᵢ)xᵢxᵢᵀ + ridge = RRᵀ,
// A = ΣWᵢ / Σ tr Wᵢ and the orthonormal rows U that span the scores' coefficients
// times R,
//
//	M = (I⊗R)·(A⊗(I − UᵀU) + (I⊗Uᵀ)·N·(I⊗U))·(I⊗Rᵀ),   N = Σ Wᵢ⊗uᵢuᵢᵀ + ridge,   uᵢ = UR⁻¹xᵢ.
//
// That is exact where all probabilities are equal, and, but for the sums' being
// over part of the rows, where the distribution of x in each class is normal with
// the same covariances. It is wrong for clusters and for features that few rows have.
type scoreModel struct {
	r, a  *linalg.Cholesky
	u     *linalg.Dense    // no rows where N is left out
	n     *linalg.Cholesky // of N
	along []float64        // scratch: v·Uᵀ
	col   []float64        // scratch: by class
}

// newScoreModel makes a model of share times the Hessian of o at theta, from one row of
// o in every step.
func newScoreModel(o *Objective, theta []float64, step int, share float64) (*scoreModel, error) {
	cols := o.Functions()
	part, err := o.rowsEvery(step)
	if err != nil {
		return nil, err
	}
	prob := part.probabilities(theta)
	v := part.traces(prob.Data) // uncertain rows count more
	mean := part.meanCurvature(prob)
	if total := linalg.Sum(v); total > 0 {
		linalg.Scale(mean.Data, 1/total)
	}
	a, err := steadied(mean)
	if err != nil {
		return nil, err
	}
	ridge := linalg.Clone(o.Ridge)
	linalg.Scale(ridge, share)
	gram, err := part.Gram(v)
	if err != nil {
		return nil, err
	}
	linalg.Scale(gram.Data, share*float64(step))
	for j, r := range ridge {
		gram.Data[j*gram.Stride+j] += r * float64(cols) // A's eigenvalues are 1/cols on average
	}
	r, err := steadied(gram)
	if err != nil {
		return nil, err
	}
	h := &scoreModel{r: r, a: a, u: linalg.Zeros(0, o.Dim()), col: make([]float64, cols)}
	return h, h.addScores(part, prob, theta, ridge, share*float64(step))
}

// meanCurvature returns Σ wᵢQᵀ(diag p − ppᵀ)Q.
func (o *Objective) meanCurvature(prob *linalg.Dense) *linalg.Dense {
	c := linalg.Gram(prob, nil, o.Weights, o.Workers)
	linalg.Scale(c.Data, -1)
	share := make([]float64, o.k)
	for i := range o.N {
		linalg.Axpy(share, o.Weight(i), prob.Row(i))
	}
	for k, s := range share {
		c.Data[k*c.Stride+k] += s
	}
	return inContrasts(o.q, c)
}

// inContrasts returns QᵀCQ, C itself where Q is nil.
func inContrasts(q, c *linalg.Dense) *linalg.Dense {
	if q == nil {
		return c
	}
	cq, out := linalg.Zeros(c.Rows, q.Cols), linalg.Zeros(q.Cols, q.Cols)
	linalg.MulAdd(cq, 1, c, q)
	linalg.MulTAdd(out, 1, q, cq)
	return out
}

// addScores adds to h the dependence of the features on the scores at theta, from the
// rows of part, each of which stands for share rows.
func (h *scoreModel) addScores(part *Objective, prob *linalg.Dense, theta, ridge []float64, share float64) error {
	u := h.directions(theta, part.Intercept)
	cols, q := len(h.col), u.Rows
	if q*cols > modelScores {
		return nil
	}
	by := u.Clone() // UR⁻¹
	for b := range q {
		linalg.SolveLowerT(h.r.L(), by.Row(b))
	}
	n, err := part.outerHessian(by, prob)
	if err != nil {
		return err
	}
	linalg.Scale(n.Data, share)
	for b := range q {
		for c := range q {
			of := 0.0
			for j, r := range ridge {
				of += r * by.At(b, j) * by.At(c, j)
			}
			for a := range cols {
				n.Data[(a*q+b)*n.Stride+a*q+c] += of
			}
		}
	}
	if f, err := linalg.NewCholesky(n); err == nil && Independent(n, f) {
		h.u, h.n, h.along = u, f, make([]float64, q*cols)
	}
	return nil
}

// directions returns U: orthonormal rows that span RᵀG, where the rows of G are the
// intercept and the functions of gamma.
func (h *scoreModel) directions(gamma []float64, intercept int) *linalg.Dense {
	dim := h.r.L().Rows
	u := linalg.Zeros(intercept, dim)
	for j := range intercept {
		u.Set(j, j, 1)
	}
	u.Data, u.Rows = append(u.Data, gamma...), intercept+len(gamma)/dim
	for i := range u.Rows {
		mulLowerT(h.r.L(), u.Row(i))
	}
	return orthonormal(u)
}

// Solve overwrites v with M⁻¹v.
func (h *scoreModel) Solve(v []float64) {
	h.rows(v, linalg.SolveLower)
	h.mix(v, linalg.SolveLower)
	h.mix(v, linalg.SolveLowerT)
	h.rows(v, linalg.SolveLowerT)
}

// rows applies a triangular operation with R to the rows of v.
func (h *scoreModel) rows(v []float64, f func(*linalg.Dense, []float64)) {
	for dim := h.r.L().Rows; len(v) > 0; v = v[dim:] {
		f(h.r.L(), v[:dim])
	}
}

// mix applies a triangular operation to the middle factor of the model: with N to the
// components of the rows of v along U, with A to the columns of the rest.
func (h *scoreModel) mix(v []float64, f func(*linalg.Dense, []float64)) {
	dim, q := h.u.Cols, h.u.Rows
	for a := range h.col {
		row := v[a*dim : (a+1)*dim]
		for b := range q {
			t := linalg.Dot(row, h.u.Row(b))
			h.along[a*q+b] = t
			linalg.Axpy(row, -t, h.u.Row(b))
		}
	}
	for j := range dim {
		for a := range h.col {
			h.col[a] = v[a*dim+j]
		}
		f(h.a.L(), h.col)
		for a, c := range h.col {
			v[a*dim+j] = c
		}
	}
	if q == 0 {
		return
	}
	f(h.n.L(), h.along)
	for a := range h.col {
		for b := range q {
			linalg.Axpy(v[a*dim:(a+1)*dim], h.along[a*q+b], h.u.Row(b))
		}
	}
}

// mulLowerT overwrites b with Lᵀb.
func mulLowerT(l *linalg.Dense, b []float64) {
	for i := range b {
		v := b[i]
		b[i] = 0
		linalg.Axpy(b[:i+1], v, l.Row(i)[:i+1])
	}
}

const (
	// sampledRows are those that directions are looked for in, and as many tell the curvature along them.
	sampledRows = 128
	// A direction leads whose curvature is standsOut times the mean of those besides; mostLeading do at most.
	standsOut, mostLeading = 4, 32
)

// leading are the few directions of dense rows in which a sample of them varies by far the most: those of
// columns that common causes move, as the points of a spectrum. A diagonal takes the curvature along these for
// that of all directions. Columns are in the sizes s of [Objective.Sizes], z = x/√s for Σw = 1. Directions are the
// eigenvectors of Σ zzᵀ over some rows; other rows tell how large it is along them, for where they
// were looked for it is overrated. (Cf. Frangella, Tropp & Udell, SIAM J. Matrix Anal. Appl. 44, 2023. Measured
// on 3,000 × 1,000 columns of five causes and a tenth of noise: ridges of 100, 1 and .01 took .34, .44 and
// .62 processor seconds by the diagonal and Newton's method after it, and take .04, .15 and .49.)
type leading struct {
	u    *linalg.Dense // of unit length, a row each
	by   []float64     // zzᵀ along them, a mean over the rows
	rest float64       // the mean along the others
}

// findLeading returns the leading directions, nil where products of rows show that all are alike, or the rows are few.
// O(m²p + m³) for m rows of the sample, which are copied where some direction may lead.
func (o *Objective) findLeading() *leading {
	dim, step := o.Dim(), design.CoprimeTo30(o.N/(2*sampledRows))
	if o.Sparse() || o.N < 8*sampledRows || o.partTooLarge(step) != nil {
		return nil
	}
	sizes, err := o.Sizes()
	if err != nil {
		return nil
	}
	scale := make([]float64, dim)
	for j, s := range sizes {
		scale[j] = 1 / math.Sqrt(max(s/o.Total, 0x1p-900)) // an empty column stays so
	}
	k, err := o.kernelOfSome(2*step, scale)
	if o.keepIf(err) != nil {
		return nil
	}
	trace, products := 0.0, linalg.Dot(k.Data, k.Data)
	for i := range k.Rows {
		trace += k.At(i, i)
		products -= k.At(i, i) * k.At(i, i)
	}
	if !(products*float64(dim) > 2*trace*trace) { // twice those of directions that are all alike
		return nil
	}
	part, err := o.Thin(step)
	var z *linalg.Dense
	if err == nil {
		z, err = part.Weighted()
	}
	if o.keepIf(err) != nil {
		return nil
	}
	for i := range z.Rows {
		row := z.Row(i)
		for j, s := range scale {
			row[j] *= s * math.Sqrt(2/part.Total)
		}
	}
	one := &linalg.Dense{Rows: k.Rows, Cols: dim, Stride: 2 * z.Stride, Data: z.Data}
	other := &linalg.Dense{Rows: z.Rows - k.Rows, Cols: dim, Stride: 2 * z.Stride, Data: z.Data[z.Stride:]}
	return leadingOf(dominant(k, min(mostLeading, k.Rows)), one, other)
}

// kernelOfSome returns the products of every step-th row, √w(1, x) times the scales.
func (o *Objective) kernelOfSome(step int, scale []float64) (*linalg.Dense, error) {
	part, err := o.Thin(step)
	if err != nil {
		return nil, err
	}
	k, err := part.Kernel(scale[o.Intercept:])
	if err != nil {
		return nil, err
	}
	for i := range k.Rows {
		row := k.Row(i)
		for l, v := range row {
			if o.Intercept == 1 {
				v += scale[0] * scale[0]
			}
			row[l] = v * math.Sqrt(part.Weight(i)*part.Weight(l))
		}
	}
	return k, nil
}

// leadingOf returns those of the directions that y makes of rows of z along which other rows vary by far the most.
func leadingOf(y, z, other *linalg.Dense) *leading {
	u := linalg.Zeros(y.Rows, z.Cols)
	linalg.MulAdd(u, 1, y, z)
	u = orthonormal(u)
	along := linalg.Zeros(u.Rows, other.Rows)
	linalg.MulBTAdd(along, 1, u, other)
	l, dim := &leading{u: u.RowRange(0, 0)}, float64(z.Cols)
	for i := range other.Rows {
		l.rest += linalg.Dot(other.Row(i), other.Row(i)) / dim
	}
	for i := range u.Rows {
		by := linalg.Dot(along.Row(i), along.Row(i))
		rest := l.rest - by/dim
		if !(by > standsOut*rest) {
			break
		}
		l.u, l.by, l.rest = u.RowRange(0, i+1), append(l.by, by), max(rest, 0)
	}
	return l
}

// dominant returns about the first eigenvectors of a positive semidefinite k, a row each, by orthogonal
// iteration (Golub & Van Loan, §8.2.4). Vectors whose values are close turn into each other slowly, and need not.
func dominant(k *linalg.Dense, most int) *linalg.Dense {
	y := k.RowRange(0, most)
	for range 8 {
		next := linalg.Zeros(y.Rows, k.Cols)
		linalg.MulAdd(next, 1, y, k)
		y = orthonormal(next)
	}
	return y
}

// orthonormal makes the rows of y orthogonal and of unit length, one after the other (Golub & Van Loan, §5.2.8).
// Rows of which those before leave at most a millionth are left out.
func orthonormal(y *linalg.Dense) *linalg.Dense {
	const share = 1e-6
	rank := 0
	for i := range y.Rows {
		row := y.Row(i)
		before := linalg.Norm(row)
		for range 2 { // twice is enough (Parlett, The Symmetric Eigenvalue Problem, §6.9)
			for k := range rank {
				linalg.Axpy(row, -linalg.Dot(row, y.Row(k)), y.Row(k))
			}
		}
		if left := linalg.Norm(row); left > share*before {
			linalg.Scale(row, 1/left)
			copy(y.Row(rank), row)
			rank++
		}
	}
	return y.RowRange(0, rank)
}

// left returns the share of the size of a column that is not along the directions. That of the intercept's is known.
func (l *leading) left(j, intercept int) float64 {
	if j >= intercept {
		return l.rest
	}
	left := 1.0
	for k, by := range l.by {
		left -= by * l.u.At(k, j) * l.u.At(k, j)
	}
	return max(left, l.rest)
}
