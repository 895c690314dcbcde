package glm

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize/loss"
)

// mostProducts is the number of products with the Hessian, each a pass over the rows, after
// which the bound by them is as small as it gets.
const mostProducts = 12

// dualStep is a direction d of a ridge on all features whose dual point, p∘(1−u) of the
// probabilities p with u the scores along d, is near the best: an approximate Newton step
// that leaves no derivative by the intercepts.
type dualStep struct {
	*linalg.Conjugate // of (H + Λ)d = g, with the diagonal as the metric
	o                 *jacobi
	levels            *linalg.Cholesky
	theta             []float64
}

// boundByProducts is the bound for a ridge on all features by a direction that conjugate
// gradients make. O(npK) for each of a few passes.
func (o *Objective) boundByProducts(theta []float64, aim float64) (Bound, error) {
	s, err := o.dualStep(theta, aim, mostProducts)
	if s == nil {
		return unproven(), err
	}
	r, err := o.reaches(theta, s.X, nil, 0)
	if err != nil {
		return Bound{}, err
	}
	return s.bound(r), nil
}

// dualStep returns a direction at theta, where the gradient is known, of no more products than
// most: fewer where its dual point is as near as aim. It is nil where no row is uncertain.
func (o *Objective) dualStep(theta []float64, aim float64, most int) (*dualStep, error) {
	s := &dualStep{o: &jacobi{Objective: o}, theta: theta}
	s.o.renew(theta)
	if o.failed != nil || !s.factorLevels() {
		return nil, o.failed
	}
	s.Conjugate = linalg.NewConjugate(make([]float64, len(theta)), slices.Clone(o.memo.g), s.o.Precondition)
	s.Start()
	for range most {
		s.advance()
		if !(s.squares() > aim) {
			break
		}
	}
	s.levelOut()
	return s, o.failed
}

// factorLevels factors the part of the Hessian by the intercepts, Qᵀ(Σ wᵢVᵢ)Q, and reports
// whether there is one to divide by.
func (s *dualStep) factorLevels() bool {
	o := s.o
	if o.Intercept == 0 {
		return true
	}
	h := &linalg.Dense{Rows: 1, Cols: 1, Stride: 1}
	if _, softmax := o.loss.(loss.Softmax); softmax {
		h = o.meanCurvature(o.probabilities(s.theta))
	} else {
		h.Data = []float64{linalg.Sum(o.curvatureAt(s.theta))}
	}
	var err error
	s.levels, err = linalg.NewCholesky(h)
	return err == nil
}

// advance is one step of conjugate gradients.
func (s *dualStep) advance() {
	s.o.HessVec(s.Image, s.theta, s.Direction)
	if curvature := s.Curvature(); curvature > 0 {
		s.Step(curvature)
	}
}

// levelOut moves the intercepts so that no derivative by them is left, and takes the
// derivatives that are from a product.
func (s *dualStep) levelOut() {
	levels, _ := s.level()
	for c, v := range levels {
		s.X[c*s.o.Dim()] += v
	}
	s.o.HessVec(s.Image, s.theta, s.X)
	for j, g := range s.o.memo.g {
		s.Left[j] = g - s.Image[j]
	}
}

// level returns the step of the intercepts by the derivatives left, and their product.
func (s *dualStep) level() (step []float64, product float64) {
	if s.levels == nil {
		return nil, 0
	}
	left := make([]float64, s.o.Functions())
	for c := range left {
		left[c] = s.Left[c*s.o.Dim()]
	}
	step = slices.Clone(left)
	s.levels.Solve(step)
	return step, linalg.Dot(step, left)
}

// squares returns dᵀXᵀVXd + Σ vⱼ²/λⱼ for the derivatives v by the features at the dual
// point, with what the intercepts' step to come adds.
func (s *dualStep) squares() float64 {
	_, squares := s.level()
	dim := s.o.Dim()
	for j, d := range s.X {
		if s.o.Intercept == 1 && j%dim == 0 {
			squares += d * (s.o.memo.g[j] - s.Left[j])
			continue
		}
		ridge := s.o.Ridge[j%dim]
		v := s.Left[j] + ridge*d
		squares += d*(s.o.memo.g[j]-s.Left[j]-ridge*d) + v*v/ridge
	}
	return squares
}

// bound returns the bound by the direction, with the rounding of the sums and of the scores
// that r has the sizes of.
func (s *dualStep) bound(r *reach) Bound {
	o, dim := s.o, s.o.Dim()
	relative, lost, most := 2*o.roundingOfSums(o.k), 0.0, 1.0
	for j, h := range o.diagonal {
		if j%dim < o.Intercept {
			continue
		}
		e := relative*r.size(j) + 4*unit*o.Ridge[j%dim]*math.Abs(s.theta[j])
		lost += e * e / o.Ridge[j%dim]
		most += h / o.Ridge[j%dim]
	}
	if s.levels != nil {
		off := make([]float64, o.Functions())
		for c := range off {
			off[c] = math.Abs(s.Left[c*dim]) + relative*r.size(c*dim)
		}
		solved := s.levels.InverseL(o.Workers)
		shortest := linalg.Dot(solved.Data, solved.Data)
		lost += linalg.Dot(off, off) * shortest * most
	}
	nu := math.Sqrt(max(0, s.squares())) + math.Sqrt(lost) + o.lostInScores(nil, s.theta, r)
	return proven(nu, r.widest)
}

// bound is the bound for a ridge on all features by a direction of products in the coordinates
// of the rows: as many as cost what [mostProducts] passes do. The dual point is taken to the
// features again in one pass, so that rounding in the coordinates is no part of the bound.
func (m *inRows) bound(theta []float64, aim float64) (Bound, error) {
	gamma := m.from(theta)
	if m.evaluate(gamma); m.failed != nil {
		return Bound{}, m.whole.keep(m.failed)
	}
	s, err := m.dualStep(gamma, aim, mostProducts*m.whole.P/m.N)
	if s == nil {
		return unproven(), m.whole.keepIf(err)
	}
	r, err := m.dualPass(theta, s.X)
	if err != nil {
		return Bound{}, err
	}
	m.judged, m.terms = slices.Clone(theta), linalg.Dot(r.reach, r.sizes)+linalg.Dot(r.level, r.sums)
	b := r.bound(theta, s)
	if !(b.Gap <= aim) && !slices.Equal(theta, m.theta) {
		return m.whole.boundByFewRows(theta, aim)
	}
	return b, nil
}

// dualRows is a share of what a pass finds of the dual point p∘(1−u) where the scores u of the
// rows are given, before their means are taken off: the derivatives that it leaves, and the
// sizes of the terms of sums. A row of length ‖R^−½x‖ adds at most so many times its multiplier
// to the length of R^−½ times a sum.
type dualRows struct {
	m       *inRows
	u       *linalg.Dense // of all rows, rows × K
	reach   []float64     // ‖R^½β‖ of each of the K functions at the point
	level   []float64     // |θ₀| of each
	f, r, v *linalg.Dense
	along   *linalg.Dense // the u of a block, later Vu

	left    []float64 // Xᵀ(r − Vu), by the K functions
	squares float64   // Σ uᵀVu
	trace   float64   // Σ ‖V‖‖R^−½x‖²
	widest  float64   // the largest difference of scores in u
	terms   float64   // Σ ‖V‖·Σₖ(the sizes of the terms of score k)²
	sizes   []float64 // Σ (|r| + |Vu|)‖R^−½x‖, by the K scores
	sums    []float64 // Σ |r| + |Vu|
}

func (m *inRows) newDualRows(u *linalg.Dense, functions [][]float64) *dualRows {
	k, rows := m.k, min(linalg.BlockRows, m.N)
	d := &dualRows{m: m, u: u, reach: make([]float64, k), level: make([]float64, k),
		f: linalg.Zeros(rows, k), r: linalg.Zeros(rows, k), v: linalg.Zeros(rows, k), along: linalg.Zeros(rows, k),
		left: make([]float64, k*m.whole.Dim()), sizes: make([]float64, k), sums: make([]float64, k)}
	for c, f := range functions {
		for j := m.Intercept; j < len(f); j++ {
			d.reach[c] += m.whole.Ridge[j] * f[j] * f[j]
		}
		d.reach[c] = math.Sqrt(d.reach[c])
		if m.Intercept == 1 {
			d.level[c] = math.Abs(f[0])
		}
	}
	return d
}

// Reset forgets all rows.
func (d *dualRows) Reset() {
	d.squares, d.trace, d.widest, d.terms = 0, 0, 0, 0
	clear(d.left)
	clear(d.sizes)
	clear(d.sums)
}

// Add takes in the rows of a block.
func (d *dualRows) Add(b *design.Block) {
	o, n := d.m.whole.Objective, b.Len()
	f, r, v, along := d.f.RowRange(0, n), d.r.RowRange(0, n), d.v.RowRange(0, n), d.along.RowRange(0, n)
	o.score(f, b)
	o.loss.Rows(r.Data, v.Data, o.Y[b.Lo:b.Hi], f.Data, b.Weights())
	for i := range n {
		at, length := b.Lo+i, d.m.lengths[b.Lo+i]
		u, bend := along.Row(i), o.bend(at, v.Row(i))
		clear(u)
		if !(o.Weight(at) > 0) {
			continue
		}
		for c := range u {
			size := d.level[c] + length*d.reach[c] + math.Abs(o.OffsetOf(at, c))
			d.terms += bend * size * size
		}
		d.trace += bend * length * length
		if bend*length*length >= negligible { // else the dual point leaves its residual as it is
			copy(u, d.u.Row(at))
			d.widest = max(d.widest, span(u))
		}
	}
	copy(f.Data, along.Data)
	o.bendRows(along, v.Data, b.Weights())
	d.squares += linalg.Dot(f.Data, along.Data)
	for i := range n {
		for c, w := range along.Row(i) {
			size := math.Abs(r.At(i, c)) + math.Abs(w)
			d.sums[c] += size
			d.sizes[c] += size * d.m.lengths[b.Lo+i]
		}
	}
	linalg.Axpy(r.Data, -1, along.Data)
	b.AddBack(d.left, r)
}

// dualPass makes the pass at theta, for a direction in the coordinates of the rows.
func (m *inRows) dualPass(theta, direction []float64) (*dualRows, error) {
	o := m.whole.Objective
	along := make([]float64, m.k*m.Dim())
	m.expand(along, direction)
	u := (&rowSpace{Objective: m.Objective}).along(along)
	for c := range m.k * m.Intercept {
		for i := range u.Row(c) {
			u.Row(c)[i] += along[c*m.Dim()]
		}
	}
	u = transposed(u)
	o.moveTo(theta)
	functions := o.FunctionsOf(theta)
	total := m.newDualRows(u, functions)
	err := design.Reduce(o.Design, o.k, func() *dualRows { return m.newDualRows(u, functions) }, func(d *dualRows) {
		total.squares, total.trace, total.terms = total.squares+d.squares, total.trace+d.trace, total.terms+d.terms
		total.widest = max(total.widest, d.widest)
		linalg.Axpy(total.left, 1, d.left)
		linalg.Axpy(total.sizes, 1, d.sizes)
		linalg.Axpy(total.sums, 1, d.sums)
	})
	o.FinishBack(total.left, o.k)
	return total, o.keepIf(err)
}

// bound returns the bound by the dual point, with the rounding of sums and scores. s has the
// curvatures by the levels.
func (d *dualRows) bound(theta []float64, s *dualStep) Bound {
	o, dim := d.m.whole.Objective, d.m.whole.Dim()
	left := make([]float64, len(theta))
	o.reduce(left, d.left)
	squares, levels := d.squares, 0.0
	for at, v := range left {
		if j := at % dim; j >= o.Intercept {
			v += o.Ridge[j] * theta[at]
			squares += v * v / o.Ridge[j]
		} else {
			levels += v * v
		}
	}
	relative := 2 * o.roundingOfSums(o.k)
	lost := relative*linalg.Norm(d.sizes) + 4*unit*linalg.Norm(d.reach)
	if s.levels != nil {
		solved := s.levels.InverseL(o.Workers)
		off := math.Sqrt(levels) + relative*linalg.Norm(d.sums)
		lost += off * math.Sqrt((1+d.trace)*linalg.Dot(solved.Data, solved.Data))
	}
	nu := math.Sqrt(max(0, squares)) + lost + float64(o.P+o.k)*unit*math.Sqrt(d.terms)
	if o.ConstantHessian() {
		return proven(nu, 0)
	}
	return proven(nu, d.widest)
}
