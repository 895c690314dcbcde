package glm

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// mostProducts is the number of products with the Hessian, each a pass over the rows, after
// which the bound by them is as small as it gets.
const mostProducts = 12

// dualStep is a direction d of a ridge on all features but few whose dual point, p∘(1−u) of the
// probabilities p with u the scores along d, is near the best: an approximate Newton step
// that leaves no derivative by the parameters without a ridge, the levels.
type dualStep struct {
	*linalg.Conjugate // of (H + Λ)d = g
	o                 *Objective
	metric            *jacobi       // the preconditioner
	free              []int         // the levels: intercepts, and features without a ridge
	by                *linalg.Dense // the columns of the Hessian by them; nil for intercepts alone
	levels            *linalg.Cholesky
	theta             []float64
}

// boundByProducts is the bound for a ridge on all features but few by a direction that conjugate
// gradients make, and whether that leads down by more than aim: then no bound is below it. O(npK) for each of most passes.
func (o *Objective) boundByProducts(theta []float64, aim float64, most int) (b Bound, above bool, err error) {
	s, err := o.dualStep(theta, aim, most)
	if s == nil {
		return unproven(), false, err
	}
	if above = s.fall() > aim; !o.ConstantHessian() { // derivatives of the loss by scores are at most 1
		widest, err := o.widest(s.X)
		if b := s.bound(nil, widest); err != nil || b.Gap <= aim || above {
			return b, above, err
		}
	}
	r, err := o.reaches(theta, s.X, nil, 0)
	if err != nil {
		return Bound{}, above, err
	}
	return s.bound(r, r.widest), above, nil
}

// fall returns by how much the direction lowers the quadratic model of the objective, gᵀd − dᵀ(H + Λ)d/2.
func (s *dualStep) fall() float64 {
	return (linalg.Dot(s.X, s.o.memo.g) + linalg.Dot(s.X, s.Left)) / 2
}

// boundByFewRows is the bound for a ridge on all features, or on all but few, for which products alone make it. O(m²p + m³K³) for m rows; in
// doubt residuals are changed by products with the Hessian and, of few rows, all for
// themselves, with a pass that tells what rounding can do.
//
// It is remembered at the last point: a stage that has nothing to do ends where the one before did.
func (o *Objective) boundByFewRows(theta []float64, aim float64) (Bound, error) {
	at := func() bool { return slices.Equal(o.memo.theta, theta) }
	if s := o.memo.byFewRows; s != nil && s.aim == aim && at() {
		return s.bound, nil
	}
	b, err := o.newBoundByFewRows(theta, aim)
	if err == nil && at() {
		o.memo.byFewRows = &sparedBound{b, aim}
	}
	return b, err
}

// newBoundByFewRows is boundByFewRows at a point that is not remembered.
func (o *Objective) newBoundByFewRows(theta []float64, aim float64) (Bound, error) {
	if o.Free() != nil { // of these few rows know nothing
		b, above, err := o.boundByProducts(theta, aim, mostProducts*mostProducts)
		o.memo.above = above
		return b, err
	}
	few, all := min(fewCorrections, o.k*int(2*math.Sqrt(float64(o.N))+1)), o.N*o.k
	var r *reach
	var err error
	if o.ConstantHessian() { // derivatives of the loss by scores are of any size
		if r, err = o.reaches(theta, nil, nil, 0); err != nil {
			return Bound{}, err
		}
	}
	for _, most := range slices.Compact([]int{min(few, fewestCorrections*o.k), few}) {
		if most < o.k { // one row alone costs K³, more than all products
			break
		}
		if b, err := o.boundByRows(theta, most, r); err != nil || b.Gap <= aim {
			return b, err
		}
	}
	b, above, err := o.boundByProducts(theta, aim, mostProducts)
	if o.memo.above = above; err != nil || b.Gap <= aim || all > allCorrections || above {
		return b, err
	}
	if r == nil {
		if r, err = o.reaches(theta, nil, nil, 0); err != nil {
			return Bound{}, err
		}
	}
	whole, err := o.boundByRows(theta, all, r)
	if err == nil && !(whole.Gap < b.Gap) {
		whole = b
	}
	return whole, err
}

// widest returns the largest difference of scores of a row that counts along a direction. One pass, O(npK).
func (o *Objective) widest(d []float64) (float64, error) {
	o.moveTo(d)
	spans := make([]float64, o.N)
	err := o.EachRow(func() func(*design.Block) {
		f := linalg.Zeros(linalg.BlockRows, o.k)
		return func(b *design.Block) {
			b.AlongAll(f.RowRange(0, b.Len()), o.at)
			for i := range b.Len() {
				spans[b.Lo+i] = span(f.Row(i))
			}
		}
	})
	for i, w := range o.Weights {
		if w == 0 {
			spans[i] = 0
		}
	}
	return linalg.NormInf(spans), o.keepIf(err)
}

// TermSums returns Σ wᵢ|rᵢₖxᵢⱼ| at theta, by the parameters of the K scores: the sizes of the terms
// of derivatives. One pass, O(npK). They lie where [Objective.Gradient] was.
//
// Errors: those of the storage.
func (o *Objective) TermSums(theta []float64) ([]float64, error) {
	r, err := o.reaches(theta, nil, nil, -1)
	return r.sizes, err
}

// dualStep returns a direction at theta, where the gradient is known, of no more products than
// most: fewer where its dual point is as near as aim, or where no other is much nearer, for the bound is half
// the squares, and the objective falls along the direction by almost as much. It is nil where no row is uncertain, or the columns of the levels depend on each other.
func (o *Objective) dualStep(theta []float64, aim float64, most int) (*dualStep, error) {
	s := &dualStep{o: o, metric: &jacobi{o: o}, theta: theta}
	s.metric.renew(theta)
	if o.failed != nil || !s.factorLevels() {
		return nil, o.failed
	}
	s.Conjugate = linalg.NewConjugate(make([]float64, len(theta)), linalg.Clone(o.memo.g), s.metric.Precondition)
	s.Start()
	for range most {
		s.advance()
		if _, all := s.squares(); !(all > max(aim, 2.25*s.fall())) {
			break
		}
	}
	if s.levelOut(); o.failed != nil {
		return nil, o.failed
	}
	return s, nil
}

// factorLevels factors the part of the Hessian by the levels, of intercepts alone Qᵀ(Σ wᵢVᵢ)Q, and
// reports whether there is one to divide by. With features among them it is made by a product for each.
func (s *dualStep) factorLevels() bool {
	o := s.o
	if s.free, s.by = o.levelColumns(s.theta); s.free == nil {
		return true
	}
	h := linalg.Zeros(len(s.free), len(s.free))
	if _, softmax := o.loss.(loss.Softmax); s.by != nil {
		for i := range h.Data {
			h.Data[i] = s.by.At(i/h.Rows, s.free[i%h.Rows])
		}
	} else if softmax {
		h = o.meanCurvature(o.probabilities(s.theta))
	} else {
		h.Data[0] = linalg.Sum(o.curvatureAt(s.theta))
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

// levelOut moves the levels so that no derivative by them is left, and takes the
// derivatives that are from a product.
func (s *dualStep) levelOut() {
	levels, _ := s.level()
	for c, v := range levels {
		s.X[s.free[c]] += v
	}
	s.o.HessVec(s.Image, s.theta, s.X)
	for j, g := range s.o.memo.g {
		s.Left[j] = g - s.Image[j]
	}
}

// level returns the step of the levels by the derivatives left, and their product.
func (s *dualStep) level() (step []float64, product float64) {
	if s.levels == nil {
		return nil, 0
	}
	left := make([]float64, len(s.free))
	for c, j := range s.free {
		left[c] = s.Left[j]
	}
	step = linalg.Clone(left)
	s.levels.Solve(step)
	return step, linalg.Dot(step, left)
}

// squares returns dᵀXᵀVXd, and that with Σ vⱼ²/λⱼ for the derivatives v by the features at the
// dual point: both with what the levels' step to come adds.
func (s *dualStep) squares() (bend, all float64) {
	step, bend := s.level()
	rest, levels, dim := 0.0, 0.0, s.o.Dim()
	for j, d := range s.X {
		ridge := s.o.Ridge[j%dim]
		v := s.Left[j] + ridge*d
		if bend += d * (s.o.memo.g[j] - v); ridge == 0 {
			levels += v * v
			continue
		}
		if s.by != nil {
			for a := range step {
				v -= step[a] * s.by.At(a, j)
			}
		}
		rest += v * v / ridge
	}
	if s.by == nil {
		rest += levels * s.o.pull()
	}
	return max(0, bend), max(0, bend+rest)
}

// flattest returns a bound on the norm of the inverse of the curvature by the levels, so far as rounding
// does not hide it.
func (o *Objective) flattest(levels *linalg.Cholesky) float64 {
	inverse, l := levels.InverseL(o.Workers), levels.L()
	norm := linalg.Dot(inverse.Data, inverse.Data)
	return norm / max(0, 1-4*o.roundingOfSums(o.k)*norm*linalg.Dot(l.Data, l.Data))
}

// bound returns the bound by the direction, along which scores change by up to widest, with the
// rounding of the sums and of the scores that r has the sizes of: without r those of the columns.
// The sums of its products have terms of no more than √(dᵀXᵀVXd·Hⱼⱼ) in all. Of the derivatives by the levels that
// rounding leaves, off, a step of ‖δ‖ ≤ off·‖H⁻¹‖ takes the last, which moves scores by up to far·‖δ‖ for rows of levels no longer
// than far, and derivatives by Hδ, (Hδ)ⱼ² ≤ Hⱼⱼ·δᵀHδ.
func (s *dualStep) bound(r *reach, widest float64) Bound {
	o, dim := s.o, s.o.Dim()
	bend, squares := s.squares()
	relative, lost, most, off, far := o.roundingOfSums(o.k), 0.0, 1.0, 0.0, 1.0
	for j, h := range s.metric.diagonal {
		size := o.sizes[j%dim] * float64(min(o.k, 2))
		if r != nil {
			size = r.size(j)
		}
		e := relative * (size + math.Sqrt(bend*h))
		if o.Ridge[j%dim] == 0 {
			if off = math.Hypot(off, math.Abs(s.Left[j])+e); j%dim >= o.Intercept {
				far += o.sizes[j%dim] / o.leastWeight()
			}
			continue
		}
		e += 4 * unit * o.Ridge[j%dim] * math.Abs(s.theta[j])
		lost += e * e / o.Ridge[j%dim]
		most += h / o.Ridge[j%dim]
	}
	if s.levels != nil {
		flattest := o.flattest(s.levels)
		lost += off * off * flattest * most
		widest += 2 * off * flattest * far
	}
	return o.proven(math.Sqrt(squares)+math.Sqrt(lost)+o.lostInScores(nil, s.theta, r), widest)
}

// bound is the bound for a ridge on all features by a direction of products in the coordinates
// of the rows: as many as cost what [mostProducts] passes do. The dual point is taken to the
// features again in a pass, so that rounding in the coordinates is no part of the bound. Of a
// point that was not found in the coordinates it may leave more than there is: rounding of the
// kernel matrix moves the minimum in them.
func (m *inRows) bound(theta []float64, aim float64) (Bound, error) {
	o, gamma := m.whole, m.from(theta)
	if o.failed != nil {
		return Bound{}, o.failed
	}
	if m.own.evaluate(gamma); m.own.failed != nil {
		return Bound{}, o.keep(m.own.failed)
	}
	s, err := m.own.dualStep(gamma, aim, mostProducts*o.P/o.N)
	if s == nil {
		return unproven(), o.keepIf(err)
	}
	u := m.own.alongRows(m.own.expanded(s.X), 1)
	b := m.boundAlong(theta, u, s.levels)
	if o.failed == nil && !(b.Gap <= aim) && !slices.Equal(theta, m.theta) {
		return o.boundByFewRows(theta, aim)
	}
	return b, o.failed
}

// boundAlong is the bound by the dual point whose scores u, of which each row's mean is taken off,
// are given (rows × K, overwritten), and by the curvatures by the levels. The scores at θ are those
// of the last pass. Lengths bound the rounding of sums: R^−½ times Σ xᵢcᵢᵀ is no longer than
// Σ ‖R^−½xᵢ‖‖cᵢ‖, whatever the signs of its terms.
func (m *inRows) boundAlong(theta []float64, u *linalg.Dense, levels *linalg.Cholesky) Bound {
	o, offsets := m.whole, m.whole.Offsets()
	r, v := linalg.Zeros(o.N, o.k), linalg.Zeros(o.N, o.k)
	o.loss.Rows(r.Data, v.Data, o.Y, o.recorded, o.Weights)
	pull, level := make([]float64, len(theta)), 0.0 // Λθ of the ridge, and the sizes of the levels
	for at, v := range theta {
		if pull[at] = o.Ridge[at%o.Dim()] * v; at%o.Dim() < o.Intercept {
			level += math.Abs(v)
		}
	}
	_, slope := o.leftLengths(pull)
	t, trace, terms := 0.0, 0.0, 0.0
	for i, length := range m.lengths {
		bend, size := o.bend(i, v.Row(i)), level+length*slope+linalg.Norm(o.Offset[i*offsets:(i+1)*offsets])
		terms += bend * size * size
		trace += bend * length * length
		if bend*length*length < negligible { // the dual point leaves the residual of such a row as it is
			clear(u.Row(i))
		}
		t = max(t, span(u.Row(i)))
	}
	bent := u.Clone()
	o.bendRows(bent, v.Data, o.Weights)
	sum, size := 0.0, 0.0
	for i, length := range m.lengths {
		s := linalg.Norm(r.Row(i)) + linalg.Norm(bent.Row(i))
		sum += s
		size += s * length
	}
	m.judged, m.terms = linalg.Clone(theta), slope*size+level*sum
	linalg.Axpy(r.Data, -1, bent.Data)
	left := make([]float64, len(theta))
	o.reduce(left, o.backOf(r))
	linalg.Axpy(left, 1, pull)
	off, rest := o.leftLengths(left)
	relative := 2 * float64(o.N+o.k+8) * unit
	lost := relative*size + 4*unit*slope + float64(o.P+o.k)*unit*math.Sqrt(terms)
	if levels != nil {
		flattest := o.flattest(levels)
		lost += (off + relative*sum) * math.Sqrt((1+trace)*flattest)
		t += 2 * (off + relative*sum) * flattest
	}
	return o.proven(math.Hypot(math.Sqrt(max(0, linalg.Dot(u.Data, bent.Data))), rest)+lost, t)
}

// basis is a basis Z = XT of the columns in which the Hessian is near the identity, for
// columns that nearly agree, on all rows or on those whose class is not all but certain:
// there gradients and Hessians cancel in their own coordinates, not in Z's. T comes
// from a QR factorization and is exact as it stands; Z is formed in twice the precision and
// rounded once.
type basis struct {
	t *linalg.Dense // dim×dim
	z *design.Design
}

// newBasis returns the basis; nil where a column is dependent, or the rows may not be copied. O(np²), and two
// copies of the rows.
func (o *Objective) newBasis(theta []float64) (*basis, error) {
	if o.N < o.Dim() || linalg.CheckCopy(o.Rows(), o.N, o.Dim()) != nil {
		return nil, nil
	}
	x, err := o.Weighted()
	if err != nil {
		return nil, err
	}
	v := o.curvatureAt(theta)
	if o.failed != nil {
		return nil, o.failed
	}
	for i := range x.Rows {
		most := 0.0
		for c := range o.k {
			u := v[i*o.k+c]
			if o.k > 1 {
				u *= 1 - u
			} else if w := o.Weight(i); w > 0 {
				u /= w
			}
			most = max(most, u)
		}
		linalg.Scale(x.Row(i), math.Sqrt(max(most, negligible)))
	}
	q, err := linalg.NewQR(x)
	if err != nil {
		return nil, err
	}
	t := invertUpper(q.R(), q.Perm())
	if t == nil {
		return nil, nil
	}
	z, err := o.Turned(t)
	if err != nil {
		return nil, err
	}
	d, err := design.New(z, o.N, "rows", design.Settings{Weights: o.Weights, NoIntercept: true, Workers: o.Workers})
	if err != nil {
		return nil, err
	}
	return &basis{t, d.At(nil, nil)}, nil
}

// at returns the objective of increments in the basis: its offsets are the scores of the
// published coefficients at theta.
func (b *basis) at(o *Objective, theta []float64) (*Objective, error) {
	exact := o.InTwicePrecision()
	exact.moveTo(theta)
	d := *b.z
	d.Offset = make([]float64, o.N*o.k)
	err := o.EachRow(func() func(*design.Block) {
		return func(block *design.Block) {
			exact.score(&linalg.Dense{Rows: block.Len(), Cols: o.k, Stride: o.k, Data: d.Offset[block.Lo*o.k : block.Hi*o.k]}, block)
		}
	})
	f := newObjective(&d, o.Y, o.loss, o.q, nil)
	f.Work = o.Work
	return f, err
}

// to returns θ + Tφ.
func (b *basis) to(theta, increments []float64) []float64 {
	moved, dim := linalg.Clone(theta), b.t.Rows
	for at := 0; at < len(moved); at += dim {
		for j := range dim {
			moved[at+j] += linalg.Dot(b.t.Row(j), increments[at:at+dim])
		}
	}
	return moved
}

// minimize is Newton's method in the basis, from theta on; at a second start the scores are
// those of coefficients as they are published.
func (b *basis) minimize(o *Objective, theta []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	f, err := b.at(o, theta)
	if err != nil {
		return nil, optimize.Report{}, err
	}
	own := *c
	if own.Scale, err = f.Scale(); err != nil {
		return nil, optimize.Report{}, err
	}
	own.Trace = traced(c.Trace, func(x []float64) []float64 { return b.to(theta, x) })
	phi, report, err := optimize.Newton(f, make([]float64, len(theta)), &own)
	if phi == nil {
		return nil, report, err
	}
	return b.to(theta, phi), report, err
}
