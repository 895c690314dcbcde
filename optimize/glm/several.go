package glm

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

const (
	// modelRows are the rows for each column that the last score model is made from, at
	// least leastModelRows in all.
	modelRows, leastModelRows = 125, 4000
	// patience is the number of iterations after which a model has to show that it comes
	// to the end.
	patience = 12
	// pairsKept is the memory of L-BFGS.
	pairsKept = 20
)

// modeled is an objective with a model of its Hessian from part of the rows.
type modeled struct {
	o     *Objective
	h     interface{ Solve(b []float64) } // models the Hessian of share times as many rows
	share float64
}

// Precondition overwrites d with M⁻¹d.
func (m *modeled) Precondition(d []float64) {
	m.h.Solve(d)
	linalg.Scale(d, m.share)
}

//go:noinline // programs would have it twice
func (m *modeled) model() *model {
	return &model{o: m.o, renew: m.renew, divide: m.Precondition}
}

// decrement returns gᵀM⁻¹g at theta: twice the decrease of the objective that the model
// foretells.
func (m *modeled) decrement(theta []float64) float64 {
	m.o.evaluate(theta)
	d := linalg.Clone(m.o.memo.g)
	m.Precondition(d)
	return linalg.Dot(m.o.memo.g, d)
}

// begin makes a score model at theta, exact where all probabilities are equal, from so many rows
// for each column.
func (m *modeled) begin(theta []float64, rows int) error {
	h, err := newScoreModel(m.o, theta, m.every(rows), m.share)
	if err == nil {
		m.h = h
	}
	return err
}

// every returns in how many rows there is one of so many for each column.
//
//go:noinline // programs would have three copies
func (m *modeled) every(rows int) int {
	return design.CoprimeTo30(m.o.N / max(leastModelRows, rows*m.o.Dim()))
}

// remodel makes a model at theta from so many rows for each column; where none can be made, the
// last one serves: an error of the rows is kept, and Run asks for it.
func (m *modeled) remodel(theta []float64, rows int) {
	step := m.every(rows)
	if !m.o.byClass(step) {
		_ = m.begin(theta, rows)
	} else if h, err := newClassModel(m.o, theta, step, m.share); err == nil {
		m.h = h
	}
}

// renew makes a model at theta.
func (m *modeled) renew(theta []float64) { m.remodel(theta, modelRows) }

// solve is L-BFGS with the model, as a stage.
func (m *modeled) solve(theta []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	return optimize.LBFGS(m.model(), theta, pairsKept, c)
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
	part, err := o.rowsEvery(step)
	if err != nil {
		return nil, err
	}
	h := part.hessAt(theta).h
	linalg.Scale(h.Data, float64(step))
	return linalg.NewCholesky(h)
}

// fitParts moves theta to the fit of one part of the rows after the other, and makes
// the model of the last one m's. slow reports whether the last part took many
// iterations; misled that the objective of all rows rose, theta is then where it was.
func (m *modeled) fitParts(theta []float64) (slow, misled bool, err error) {
	cold, atCold, fitted := linalg.Clone(theta), 0.0, false
	for _, step := range partSteps {
		if m.o.N/step < 5*len(theta) {
			continue
		}
		if m.o.partTooLarge(step) != nil {
			break // the smaller parts have to do
		}
		o, err := m.o.rowsEvery(step)
		if err != nil {
			return false, false, err
		}
		part := &modeled{o: o, h: m.h, share: float64(step)}
		if !fitted && o.Total > 0 {
			o.evaluate(theta)
			atCold, fitted = o.memo.value*(m.o.Total/o.Total), true
		}
		slow = part.approach(theta)
		m.h = part.h
	}
	if fitted {
		m.o.evaluate(theta)
		if misled = !(m.o.memo.value <= 2*atCold); misled {
			copy(theta, cold)
			m.h = nil
		}
	}
	return slow, misled, m.o.failed
}

// approach moves theta to as near the minimum for a part of the rows as that is to the
// one for all, and reports whether that was slow. Where it fails, there is no model
// afterwards. One is made after the first step, which is led by the last part's: it is
// worth most near the minimum.
func (m *modeled) approach(theta []float64) (slow bool) {
	near := linalg.Clone(theta)
	if m.o.Total == 0 || m.h == nil && m.begin(near, modelRows/2) != nil {
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
	certify := func(x []float64) (float64, optimize.Certificate, error) { return m.o.certifyByGradient(x, 0) }
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

// remodeled is solve with a new model.
func (m *modeled) remodeled(rows int) func([]float64, *optimize.Control) ([]float64, optimize.Report, error) {
	return func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		m.remodel(x, rows)
		return m.solve(x, c)
	}
}

// classPasses is the number of passes over the rows that a model by class may cost.
const classPasses = 32

// byClass reports whether the classes are too many for the scores to tell of them, and the blocks of
// a model by class, from one row in step, cost few passes. (Measured on 5 to 20 thousand rows with
// 25 to 100 classes and 20 to 300 features: L-BFGS takes a third of the iterations.)
func (o *Objective) byClass(step int) bool {
	return o.k*o.k > modelScores && o.q != nil && o.Reference() < 0 && o.Dim() <= 4*classPasses*step
}

// classModel approximates the Hessian of contrasts whose functions sum to 0 by the blocks of the
// classes alone, for the others are small where the classes are many:
//
//	M = Qᵀ·diag(M₁, …, M_K)·Q,   Mₖ = fₖ·Σ wᵢpᵢₖ(1−pᵢₖ)xᵢxᵢᵀ + ridge,
//
// with fₖ of [bySecant]. The functions u = QM⁻¹Qᵀv are uₖ = Mₖ⁻¹(vₖ − S⁻¹ΣMⱼ⁻¹vⱼ), S = ΣMⱼ⁻¹: those that minimise
// Σ ½uₖᵀMₖuₖ − uₖᵀvₖ subject to Σ uₖ = 0. O(Kmp²) for m rows, and O(Kp²) to solve.
type classModel struct {
	o         *Objective
	blocks    []*linalg.Cholesky
	sum       *linalg.Cholesky // of S
	functions []float64        // scratch
	excess    *linalg.Dense    // scratch: S⁻¹ΣMⱼ⁻¹vⱼ, and M⁻¹ times it
}

// newClassModel makes a model of share times the Hessian of o at theta, from one row of
// o in every step.
func newClassModel(o *Objective, theta []float64, step int, share float64) (*classModel, error) {
	part, err := o.rowsEvery(step)
	if err != nil {
		return nil, err
	}
	dim := o.Dim()
	h := &classModel{o: o, functions: make([]float64, o.k*dim), excess: linalg.Zeros(2, dim)}
	prob, v, sum := part.probabilities(theta), make([]float64, part.N), linalg.Zeros(dim, dim)
	for k := range o.k {
		own, expected := 0.0, 0.0
		for i := range v {
			p, w := prob.At(i, k), part.Weight(i)
			v[i] = w * p * (1 - p)
			if expected += w * p; int(part.Y[i]) == k {
				own += w
			}
		}
		linalg.Scale(v, bySecant(own, expected))
		gram, err := part.Gram(v)
		if err != nil {
			return nil, err
		}
		linalg.Scale(gram.Data, share*float64(step))
		for j, r := range o.Ridge {
			gram.Data[j*gram.Stride+j] += share * r
		}
		block, err := steadied(gram)
		if err != nil {
			return nil, err
		}
		h.blocks = append(h.blocks, block)
		linalg.Axpy(sum.Data, 1, block.Inverse().Data)
	}
	h.sum, err = steadied(sum)
	return h, err
}

// bySecant returns the factor that makes the curvature along a class' intercept, about the weight that is expected of it,
// the one with which a Newton step goes to its own weight: log(own/expected) far, as the expected weight grows about
// exponentially. A class of next to no weight can be expected nowhere, and Newton steps are e¹⁰⁰ long then.
func bySecant(own, expected float64) float64 {
	far := own/expected - 1
	if !(own > 0 && math.Abs(far) > 1e-3) || math.IsInf(far, 1) { // a class that the part lacks, or near
		return 1
	}
	return far / math.Log1p(far)
}

// Solve overwrites v with M⁻¹v.
func (h *classModel) Solve(v []float64) {
	h.o.expand(h.functions, v)
	u, excess, solved := tableOf(h.functions, h.o.Dim()), h.excess.Row(0), h.excess.Row(1)
	clear(excess)
	for k, block := range h.blocks {
		block.Solve(u.Row(k))
		linalg.Axpy(excess, 1, u.Row(k))
	}
	h.sum.Solve(excess)
	for k, block := range h.blocks {
		copy(solved, excess)
		block.Solve(solved)
		linalg.Axpy(u.Row(k), -1, solved)
	}
	h.o.reduce(v, h.functions)
}

// hessian is the Hessian as a model of itself, at the point where it was made last.
type hessian struct {
	o      *Objective
	factor *linalg.Cholesky // nil before it is made, or where no pass makes it
}

// renew makes the Hessian that at theta, its diagonal raised as far as rounding asks for it.
func (h *hessian) renew(theta []float64) {
	n := len(theta)
	a := linalg.Zeros(n, n)
	h.o.Hess(a, make([]float64, n), theta)
	for share := 0x1p-50; h.o.failed == nil && share < 1; share *= 4 {
		h.o.Work.Spend(n, n, n/3)
		if f, err := linalg.NewCholesky(a); err == nil {
			h.factor = f
			return
		}
		for j := range n {
			a.Data[j*a.Stride+j] *= 1 + share
		}
	}
}

// divide overwrites d with H⁻¹d.
func (h *hessian) divide(d []float64) {
	if h.factor != nil {
		h.factor.Solve(d)
	}
}

func (h *hessian) model() *model { return &model{o: h.o, renew: h.renew, divide: h.divide} }

// Products returns products with the Hessian at theta by a set of parameters, for [loss.Softmax] as a function of the K, its
// diagonal, and how many products cost what that Hessian and its factor do; nil where those are few. Of dense rows they read a
// copy of the features of the set, unless these are more than half of all. O(n·set) each.
func (o *Objective) Products(theta []float64, set []int) (times func(dst, d []float64), diagonal []float64, most int) {
	const few = 40 // (Measured on 5,000 × 40, columns within 0.1, 5 classes: a path of Hessians by 200 took .6 s, of 25 products and these 1.2.)
	features, among := o.featuresOf(set, nil)
	n, s, share, width, part := float64(o.N), float64(len(set)), o.Share(), float64(o.Parameters()), o
	copies := 2*len(features) <= o.Dim() && !o.Sparse()
	if copies {
		width = s
	}
	most = int((1.5*n*share*s*share*s + s*s*s) / (optimize.Alone * n * share * width)) // cf. [optimize.Work]
	if _, softmax := o.loss.(loss.Softmax); !softmax || most < few {
		return nil, nil, 0
	}
	d, err := (*design.Design)(nil), error(nil)
	if copies {
		d, err = o.Subset(features)
	}
	if d != nil && err == nil {
		part = o.On(d)
		part.Work = o.Work
	} else {
		among = linalg.Sequence(len(among))
	}
	at, x := make([]int, len(set)), make([]float64, part.Parameters())
	if part == o {
		copy(x, theta)
	}
	diagonal = make([]float64, len(set))
	for i, j := range set {
		at[i] = j/o.Dim()*part.Dim() + among[j%o.Dim()]
		x[at[i]] = theta[j]
	}
	h := part.diagonalAt(x)
	for i, j := range at {
		diagonal[i] = h[j]
	}
	u, v := make([]float64, len(x)), make([]float64, len(x))
	return func(dst, d []float64) {
		for i, j := range at {
			u[j] = d[i]
		}
		part.HessVec(v, x, u)
		o.keepIf(part.failed)
		for i, j := range at {
			dst[i] = v[j]
		}
	}, diagonal, most
}

// Levels returns products with the Hessian of [loss.Softmax] at theta, K functions, by the intercepts of all scores but the last,
// and the sums Σ wp that its diagonal is less than. O(nK) each.
func (o *Objective) Levels(theta []float64) (times func(dst, d []float64), sums []float64) {
	p := o.probabilities(theta)
	p.Cols--
	sums = make([]float64, p.Cols)
	for i := range p.Rows {
		linalg.Axpy(sums, o.Weight(i), p.Row(i))
	}
	return func(dst, d []float64) {
		o.Work.Spend(o.N, o.k, 1)
		for c, s := range sums {
			dst[c] = s * d[c]
		}
		for i := range p.Rows {
			linalg.Axpy(dst, -o.Weight(i)*p.Dot(i, d), p.Row(i))
		}
	}, sums
}
