package glm

import (
	"errors"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
)

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
	part, err := o.Part(step)
	if err != nil {
		return nil, err
	}
	prob := part.probabilities(theta)
	v := make([]float64, part.N) // the traces, so that uncertain rows count more
	for i := range v {
		p := prob.Row(i)
		v[i] = part.Weight(i) * (1 - linalg.Dot(p, p))
	}
	mean := part.meanCurvature(prob)
	if total := linalg.Sum(v); total > 0 {
		linalg.Scale(mean.Data, 1/total)
	}
	a, err := steadied(mean)
	if err != nil {
		return nil, err
	}
	ridge := slices.Clone(o.Ridge)
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
	return between(o.q, c)
}

// between returns QᵀCQ, C itself where Q is nil.
func between(q, c *linalg.Dense) *linalg.Dense {
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

// directions returns U: orthonormal rows that span RᵀG, where the rows of G are the
// intercept and the functions of gamma.
func (h *scoreModel) directions(gamma []float64, intercept int) *linalg.Dense {
	dim := h.r.L().Rows
	var g [][]float64
	if intercept == 1 {
		one := make([]float64, dim)
		one[0] = 1
		g = append(g, one)
	}
	for len(gamma) > 0 {
		g = append(g, slices.Clone(gamma[:dim]))
		gamma = gamma[dim:]
	}
	u := linalg.Zeros(len(g), dim)
	q := 0
	for _, v := range g {
		mulLowerT(h.r.L(), v)
		before := linalg.Norm(v)
		for range 2 { // twice is enough (Parlett, The Symmetric Eigenvalue Problem, §6.9)
			for b := range q {
				linalg.Axpy(v, -linalg.Dot(v, u.Row(b)), u.Row(b))
			}
		}
		if left := linalg.Norm(v); left > 1e-6*before {
			linalg.Axpy(u.Row(q), 1/left, v)
			q++
		}
	}
	return u.RowRange(0, q)
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

// steadied factors a matrix of a preconditioner; where the part of the rows does
// not determine it, after raising its diagonal. It may be changed.
func steadied(a *linalg.Dense) (*linalg.Cholesky, error) {
	if c, err := linalg.NewCholesky(a); err == nil && Independent(a, c) {
		return c, nil
	}
	top := 0.0
	for j := range a.Rows {
		top = max(top, a.At(j, j))
	}
	if top == 0 {
		top = 1
	}
	for j := range a.Rows {
		a.Set(j, j, a.At(j, j)+1e-3*top)
	}
	return linalg.NewCholesky(a)
}

const (
	// sampleRows are the rows in that part for each parameter.
	sampleRows = 10
	// modelRows are the rows for each column that the last score model is made from, at
	// least leastModelRows in all.
	modelRows, leastModelRows = 125, 4000
	// patience is the number of iterations after which a model has to show that it comes
	// to the end.
	patience = 12
	// pairsKept is the memory of L-BFGS.
	pairsKept = 20
)

// modelled is an objective with a model of its Hessian. It implements
// [optimize.Preconditioned].
type modeled struct {
	*Objective
	h     interface{ Solve(b []float64) } // models the Hessian of share times as many rows
	share float64
}

// Precondition overwrites d with M⁻¹d.
func (m *modeled) Precondition(d []float64) {
	m.h.Solve(d)
	linalg.Scale(d, m.share)
}

// decrement returns gᵀM⁻¹g at theta: twice the decrease of the objective that the model
// foretells.
func (m *modeled) decrement(theta []float64) float64 {
	m.evaluate(theta)
	d := slices.Clone(m.memo.g)
	m.Precondition(d)
	return linalg.Dot(m.memo.g, d)
}

// remodel makes a score model at theta from so many rows for each column.
func (m *modeled) remodel(theta []float64, rows int) error {
	h, err := newScoreModel(m.Objective, theta, design.CoprimeTo30(m.N/max(leastModelRows, rows*m.Dim())), m.share)
	if err == nil {
		m.h = h
	}
	return err
}

// renew makes a score model at theta; where none can be made, the last one serves.
func (m *modeled) renew(theta []float64) {
	_ = m.remodel(theta, modelRows) // an error of the rows is kept, and Run asks for it
}

// solve is L-BFGS with the model, as a stage.
func (m *modeled) solve(theta []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	return optimize.LBFGS(m, theta, pairsKept, c)
}

// severalPlan is the plan for a loss of K scores with many parameters: L-BFGS with a
// model of the Hessian, after fits to part of the rows. A first step is led by the model
// of the last part, the others by one of all rows; where parts have been slow or this
// is, by the Hessian of part of the rows; at last Newton's method takes over. theta is
// moved to the start.
func (o *Objective) severalPlan(theta []float64, given bool, tol float64) ([]optimize.Stage, error) {
	if linalg.CheckSquare(o.Dim()) != nil { // a model has a matrix of the features
		return o.widePlan(theta, given, tol)
	}
	m := &modeled{Objective: o, share: 1}
	slow, misled := false, false
	if !given {
		var err error
		if slow, misled, err = m.fitParts(theta); err != nil {
			return nil, err
		}
	}
	sure, passes := o.sure(m)
	if misled {
		return []optimize.Stage{sure}, nil
	}
	if m.h == nil {
		if err := m.remodel(theta, modelRows); errors.Is(err, linalg.ErrRemote) {
			return []optimize.Stage{sure}, nil
		} else if err != nil {
			return nil, err
		}
	}
	rows := sampleRows * len(theta)
	once := optimize.Stage{Name: "one step with the model of a part", Solve: m.solve, Until: o.oneStep(tol)}
	modeled := optimize.Stage{Name: "L-BFGS with a score model", Solve: m.remodeled(modelRows), Until: optimize.Pace(tol, 0, patience, passes)}
	sampled := optimize.Stage{Name: "L-BFGS with a Hessian of part of the rows", Until: optimize.Pace(tol, 0, patience, passes),
		Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
			if h, err := o.partHessian(x, design.CoprimeTo30(o.N/rows)); err == nil {
				m.h = h
			}
			return m.solve(x, c)
		}}
	sampling := len(theta) <= factorable && o.N > 2*rows
	stages := []optimize.Stage{once}
	if !(slow && sampling) {
		stages = append(stages, modeled)
	}
	if sampling {
		stages = append(stages, sampled)
	}
	return append(stages, sure), nil
}

// oneStep returns the rule of a stage of one iteration.
func (o *Objective) oneStep(tol float64) func(optimize.Step) optimize.Verdict {
	return func(s optimize.Step) optimize.Verdict {
		if s.Iteration > 0 || o.Certificate(s.X) <= tol {
			return optimize.Enough
		}
		return optimize.Continue
	}
}

// partHessian returns the factor of the Hessian at theta as the rows one in every step
// foretell it.
func (o *Objective) partHessian(theta []float64, step int) (*linalg.Cholesky, error) {
	part, err := o.Part(step)
	if err != nil {
		return nil, err
	}
	h := linalg.Zeros(len(theta), len(theta))
	part.Hess(h, make([]float64, len(theta)), theta)
	linalg.Scale(h.Data, float64(step))
	return linalg.NewCholesky(h)
}

// fitParts moves theta to the fit of one part of the rows after the other, and makes
// the model of the last one m's. slow reports whether the last part took many
// iterations; misled that the objective of all rows rose, theta is then where it was.
func (m *modeled) fitParts(theta []float64) (slow, misled bool, err error) {
	cold, atCold, fitted := slices.Clone(theta), 0.0, false
	for _, step := range partSteps {
		if m.N/step < 5*len(theta) {
			continue
		}
		if m.partTooLarge(step) != nil {
			break // the smaller parts have to do
		}
		o, err := m.Part(step)
		if err != nil {
			return false, false, err
		}
		part := &modeled{Objective: o, h: m.h, share: float64(step)}
		if !fitted && o.Total > 0 {
			o.evaluate(theta)
			atCold, fitted = o.memo.value*(m.Total/o.Total), true
		}
		slow = part.approach(theta)
		m.h = part.h
	}
	if fitted {
		m.evaluate(theta)
		if misled = !(m.memo.value <= 2*atCold); misled {
			copy(theta, cold)
			m.h = nil
		}
	}
	return slow, misled, m.failed
}

// approach moves theta to as near the minimum for a part of the rows as that is to the
// one for all, and reports whether that was slow. Where it fails, there is no model
// afterwards. One is made after the first step, which is led by the last part's: it is
// worth most near the minimum.
func (m *modeled) approach(theta []float64) (slow bool) {
	near := slices.Clone(theta)
	if m.Total == 0 || m.h == nil && m.remodel(near, modelRows/2) != nil {
		m.h = nil
		return false
	}
	arrived := false
	lead := func(s optimize.Step) optimize.Verdict {
		if s.Iteration > 0 {
			return optimize.Enough
		}
		return optimize.Continue
	}
	arrive := func(s optimize.Step) optimize.Verdict {
		slow = s.Iteration > patience
		if arrived = m.decrement(s.X) <= 0.2*float64(len(theta)); arrived {
			return optimize.Enough
		}
		return optimize.Continue
	}
	certify := func(x []float64) (float64, optimize.Certificate, error) { return m.Certify(x, 0) }
	near, _, _ = optimize.Run(near, &optimize.Control{MaxIter: 2*patience + 1}, certify,
		optimize.Stage{Name: "lead", Solve: m.solve, Until: lead},
		optimize.Stage{Name: "part", Solve: m.remodeled(modelRows / 2), Until: arrive})
	if !arrived { // a part that cannot be fitted foretells nothing
		m.h = nil
		return slow
	}
	copy(theta, near)
	return slow
}

// remodeled is solve with a new score model.
func (m *modeled) remodeled(rows int) func([]float64, *optimize.Control) ([]float64, optimize.Report, error) {
	return func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		return m.resolve(rows, x, c)
	}
}

func (m *modeled) resolve(rows int, x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	_ = m.remodel(x, rows) // as in renew
	return m.solve(x, c)
}
