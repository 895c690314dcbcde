package path

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"halfspace/linalg"
)

// gap returns the objective of the fit at λ and how far it is at most above the minimum;
// +Inf where nothing is proven. It first looks for a bound that is at most aim with no more
// pass over the rows, then makes up to five.
//
// Errors: those of the storage.
func (p *Problem) gap(lambda float64, theta []float64, aim float64) (value, gap float64, err error) {
	if value, gap, err = p.gapAtEnd(lambda, theta); err != nil || gap <= aim*value {
		return value, gap, err
	}
	g := make([]float64, len(theta))
	value = p.Grad(g, theta)
	whole := value + p.value(lambda, theta)
	c := p.newtonStep(g, theta)
	if c == nil {
		return whole, math.Inf(1), p.Err()
	}
	if p.levelsAlone() {
		if gap, err = p.gapAt(lambda, value, theta, g, c); err != nil || gap <= aim*whole {
			return whole, gap, err
		}
	}
	if err = p.center(g, theta, c); err == nil {
		gap, err = p.gapAt(lambda, value, theta, g, c)
	}
	return whole, gap, err
}

// gapAtEnd is gap without a pass where the solver by columns has ended at theta, and no feature
// lacks a penalty; elsewhere the gap is +Inf.
func (p *Problem) gapAtEnd(lambda float64, theta []float64) (value, gap float64, err error) {
	if p.screened == nil || !p.levelsAlone() {
		return 0, math.Inf(1), nil
	}
	e := p.screened.End(theta)
	if e == nil {
		return 0, math.Inf(1), nil
	}
	levels := p.center1(e.Gradient[0], e.Curvature, func() (float64, error) { return p.misfit(e.Residuals), nil })
	levels.sumLength = e.Additions
	gap, err = p.gapAt(lambda, e.Value, theta, e.Gradient, levels)
	return e.Value + p.value(lambda, theta), gap, err
}

// centered is a step d by the coordinates without a penalty, but for rounding the Newton step, and
// what is known of it.
type centered struct {
	d         []float64 // by coordinate; nil is 0
	decrement float64   // dᵀHd
	reach     float64   // the largest uᵢₖ, at least
	slope     float64   // of likelihoods |(Hd)ⱼ| is at most so many times the size of column j, where it is not subtracted
	misfit    func() (float64, error)
	sumLength int // additions by which a row comes into a derivative, where not those of passes over blocks

	inverse *linalg.Dense // H⁻¹ by those coordinates; nil without such
	roots   []float64     // √Hⱼⱼ
	weak    float64       // H is off by at most this share of itself
	left    []float64     // of the derivatives by those coordinates, by a pass; nil before it
	sums    []float64     // Σ wᵢ|rᵢxᵢⱼ| by coordinate; nil where they were not measured
	largest float64       // the largest sum of the sizes of a score's terms; 0 where it was not measured
}

// gapAt is the gap at a point with the derivatives g, with Hd subtracted, or moved within a slope by it.
func (p *Problem) gapAt(lambda, value float64, theta, g []float64, c *centered) (float64, error) {
	r, err := p.roundingAt(value, theta, c)
	if err != nil {
		return 0, err
	}
	decrement, reach := math.Sqrt(c.decrement)+r.length, c.reach+r.turn
	share, cost := p.dual(lambda, theta, g, r.moved)
	misfit := 0.0
	if share < 1 && !p.ConstantHessian() {
		if misfit, err = c.misfit(); err != nil {
			return 0, err
		}
	}
	divergence := r.divergence(p.DivergenceAtMost(value, decrement*decrement, misfit, reach, share), 1-share+reach)
	return divergence + cost + 8*unit*(value+p.value(lambda, theta)), nil
}

// center1 is the step by the intercept of one score, given the sum of the rows' curvatures:
// uᵢₖ = ±(1−pᵢₖ)d, and of the columns, about their means or not, |Σ wᵢvᵢxᵢⱼ| ≤ Σ wᵢ|xᵢⱼ|/4.
func (p *Problem) center1(g, curvature float64, misfit func() (float64, error)) *centered {
	c := &centered{misfit: misfit}
	if p.Intercept == 0 || g == 0 && curvature == 0 {
		return c
	}
	step := g / curvature
	c.d, c.decrement, c.reach, c.slope = make([]float64, len(p.null)), g*step, math.Abs(step), math.Abs(step)/4
	c.d[0], c.weak = step, p.roundingOfSums(p.N)
	c.inverse, c.roots = &linalg.Dense{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1 / curvature}}, []float64{math.Sqrt(curvature)}
	return c
}

// misfit returns Σ wᵢ(1/pᵢ − 1) for the probabilities p of the rows' own classes, of which
// the residuals are −wᵢ(1 − pᵢ)yᵢ; +Inf where one may be 0.
func (p *Problem) misfit(residuals []float64) float64 {
	total := 0.0
	for i, r := range residuals {
		w, r := p.Weight(i), math.Abs(r)
		if r == 0 {
			continue
		}
		own := w - r - 0x1p-52*w
		if !(own > 0) {
			return math.Inf(1)
		}
		total += w * r / own
	}
	return total
}

// levelsAlone reports whether no feature lacks a penalty.
func (p *Problem) levelsAlone() bool { return len(p.free) == max(1, p.Scores()-1)*p.Intercept }

// newtonStep returns the Newton step by the coordinates without a penalty; nil where rounding
// leaves a doubt that their Hessian is positive definite.
func (p *Problem) newtonStep(g, theta []float64) *centered {
	n := len(p.free)
	c := &centered{d: make([]float64, len(theta)), misfit: func() (float64, error) {
		if p.Scores() > 1 {
			return p.Misfit(theta)
		}
		r, _ := p.RowsAt(theta)
		return p.misfit(r), p.Err()
	}}
	if n == 0 {
		return c
	}
	h, step := linalg.Zeros(n, n), make([]float64, n)
	p.SubHess(h, theta, p.free, nil)
	for i, j := range p.free {
		step[i] = g[j]
	}
	factor, pivot := linalg.NewCholesky(h)
	if pivot != nil || p.Err() != nil {
		return nil
	}
	factor.Solve(step)
	c.inverse = factor.Inverse()
	trace, low, high := 0.0, 0.0, 0.0
	for i, j := range p.free {
		c.d[j], c.roots = step[i], append(c.roots, math.Sqrt(h.At(i, i)))
		c.decrement += step[i] * g[j]
		low, high = min(low, step[i]), max(high, step[i])
		trace += h.At(i, i) * c.inverse.At(i, i)
	}
	if c.weak = 4 * (p.roundingOfSums(0) + float64(n)*unit) * float64(n) * trace; !(c.weak < 0.25) {
		return nil
	}
	c.reach, c.slope = high-low, (high-low)/4
	return c
}

// center subtracts Hd from the gradient g for the step by the coordinates without a penalty,
// and measures what bounds rounding and the step in the rows.
//
// Errors: those of the storage.
func (p *Problem) center(g, theta []float64, c *centered) (err error) {
	if p.free != nil {
		hd := make([]float64, len(g))
		p.HessVec(hd, theta, c.d)
		linalg.Axpy(g, -1, hd)
		c.decrement = max(0, linalg.Dot(c.d, hd))
		for _, j := range p.free {
			c.left = append(c.left, g[j])
		}
	}
	c.slope = 0
	if c.sums, err = p.measureSums(theta); err != nil || p.ConstantHessian() {
		return err
	}
	if p.Weights != nil {
		if c.largest, err = p.largestTerms(theta); err != nil {
			return err
		}
	}
	if p.levelsAlone() {
		return nil
	}
	c.reach, err = p.widest(c.d)
	c.reach *= float64(min(2, p.Scores())) // a difference of two
	return err
}

// largestTerms returns the largest sum of the sizes of the terms of a score at theta, over the
// rows that count.
func (p *Problem) largestTerms(theta []float64) (float64, error) {
	sizes := make([]float64, p.N)
	err := p.TermSizes(sizes, p.FunctionsOf(theta))
	for i := range sizes {
		if !(p.Weight(i) > 0) {
			sizes[i] = 0
		}
	}
	return slices.Max(sizes), err
}

// measureSums returns Σ wᵢ|rᵢxᵢⱼ| by coordinate at theta, by one pass: of several classes on sparse
// rows over their columns, where that costs no more than one for a gradient.
//
// Errors: those of the storage.
func (p *Problem) measureSums(theta []float64) ([]float64, error) {
	if p.Scores() == 1 || !p.overColumns() {
		return p.TermSums(theta)
	}
	if err := p.copyColumns(); err != nil {
		return nil, err
	}
	r, _ := p.RowsAt(theta)
	return p.columns.Sums(r), p.Err()
}

// dual returns the share of the residuals, of which derivatives within moved of g are kept,
// and the most that Fenchel's and Young's inequality leaves of the penalty there: the lesser
// of those with all of them and with as many as the lasso's weight holds.
func (p *Problem) dual(lambda float64, theta, g []float64, moved *blur) (share, cost float64) {
	share = 1.0
	var terms []term
	for t := range p.terms(lambda, theta, g, moved) {
		share, terms = min(share, t.held()), append(terms, t)
	}
	all := 0.0
	for _, t := range terms {
		all += t.cost(1)
		cost += t.cost(share)
	}
	if all <= cost {
		return 1, all
	}
	return share, cost
}

// term is the size θ of a coefficient, or of those of a feature in a lasso of whole features,
// beside its penalty, its derivative along θ and the largest, which are known up to moved.
type term struct{ theta, g, most, moved, l1, l2 float64 }

// terms yields those of all penalised coordinates, or features, that are not 0 with a
// derivative that the lasso's weight holds.
func (p *Problem) terms(lambda float64, theta, g []float64, moved *blur) iter.Seq[term] {
	if p.grouped() {
		return p.groupTerms(lambda, theta, g, moved)
	}
	l1, pen := lambda*p.penalty.L1Ratio*(1-0x1p-50), p.elasticNet(lambda)
	return func(yield func(term) bool) {
		for j, f := range p.factors {
			t, most := theta[j], math.Abs(g[j])
			if t == 0 && most+moved.at(j) <= l1*f || f == 0 {
				continue // as most are
			}
			l1, l2 := pen.Weights(j)
			if !yield(term{math.Abs(t), math.Copysign(1, t) * g[j], most, moved.at(j), l1, l2}) {
				return
			}
		}
	}
}

func (p *Problem) groupTerms(lambda float64, theta, g []float64, moved *blur) iter.Seq[term] {
	pen := p.groupLasso(lambda)
	return func(yield func(term) bool) {
		for i, group := range pen.Groups {
			t, along := term{l1: lambda * pen.Weights[i]}, 0.0
			for _, j := range group {
				t.theta, t.most, t.moved = math.Hypot(t.theta, theta[j]), math.Hypot(t.most, g[j]), math.Hypot(t.moved, moved.at(j))
				along += theta[j] * g[j]
			}
			if t.theta > 0 {
				t.g = along / t.theta
			}
			if !yield(t) {
				return
			}
		}
	}
}

// held returns the share of the derivative that the lasso's weight holds.
func (t term) held() float64 {
	if most := t.most + t.moved; most > t.l1 {
		return t.l1 / most
	}
	return 1
}

// cost returns the largest h(θ) + h*(−sg) + s·gθ for h = l1·|θ| + l2·θ²/2, which is convex in
// g: that at one end of its range. +Inf where h* is.
func (t term) cost(share float64) float64 {
	if t.l2 == 0 {
		if share*(t.most+t.moved) > t.l1*(1+0x1p-50) {
			return math.Inf(1)
		}
		return max(0, t.l1+share*(t.g+t.moved)) * t.theta
	}
	return max(t.at(share*(t.g+t.moved)), t.at(share*(t.g-t.moved)))
}

// at is the cost at a derivative, a sum of two terms that are not negative.
func (t term) at(g float64) float64 {
	over := math.Abs(g) - t.l1
	if over <= 0 {
		return max(0, t.l1+g)*t.theta + t.l2*t.theta*t.theta/2
	}
	// The ridge has its minimum, with what the lasso's weight does not hold, at −over/l2.
	apart := t.theta + math.Copysign(over, g)/t.l2
	return max(0, t.l1+math.Copysign(t.l1, g))*t.theta + t.l2*apart*apart/2
}

// blur bounds how far derivatives are from those known: by rounding errors, which are
// proportional to Σ wᵢ|rᵢxᵢⱼ|, by a slope in the sizes of columns, and of squared error by a step of a
// length along the coordinates without a penalty. As the residuals of classes are at most 1, and at most the
// loss of their row, the sum is at most min(Σ wᵢ|xᵢⱼ|, √(Σ wᵢLᵢ·Σ wᵢxᵢⱼ²)) where it is not known itself.
type blur struct {
	p                      *Problem
	relative, slope, along float64
	residuals              float64   // their length √Σ wᵢrᵢ², at least
	sums                   []float64 // by coordinate; nil where they are not known
	plain                  bool      // residuals are at most 1
}

func (b *blur) at(j int) float64 {
	moved := b.relative*b.sum(j) + b.slope*b.p.size(j)
	if b.along > 0 {
		moved += b.along * b.p.leans[j]
	}
	return moved
}

// sum bounds Σ wᵢ|rᵢxᵢⱼ|.
func (b *blur) sum(j int) float64 {
	sum := math.Inf(1)
	if b.plain {
		sum = b.p.size(j)
	}
	if b.p.lengths != nil {
		sum = min(sum, b.residuals*b.p.lengths[j])
	}
	if b.sums != nil {
		sum = min(sum, b.sums[j])
	}
	return sum
}

// rounding is what rounding errors do to a gap.
type rounding struct {
	moved  *blur
	length float64 // √(δᵀHδ) of what the step lacks of the Newton step, δ
	turn   float64 // the largest difference of scores along δ

	first  float64 // Σ wᵢ|rᵢₖδᵢₖ| for the errors δ of scores
	second float64 // the divergence between the chances with and without them; of squared error ½Σ wᵢδᵢ²
	square bool
}

// roundingAt bounds the rounding errors at a point. Derivatives e that are left by the coordinates
// without a penalty are those of a step δ = H⁻¹e, which moves others within |Hδ|: of likelihoods
// by at most as many times Σ wᵢ|rᵢxᵢⱼ| as scores change along δ.
//
// Errors: those of the storage.
func (p *Problem) roundingAt(value float64, theta []float64, c *centered) (r *rounding, err error) {
	moved := &blur{p: p, relative: p.roundingOfSums(c.sumLength), residuals: math.Sqrt(value), slope: c.slope, sums: c.sums, plain: true}
	r = &rounding{moved: moved, square: p.ConstantHessian()}
	if r.square {
		moved.residuals, moved.plain, moved.slope = math.Sqrt(2*value), false, 0
	}
	if c.left != nil {
		moved.relative *= 1 + min(1, c.reach) // for the errors of Hd
	}
	if c.inverse != nil {
		if r.length, r.turn, err = p.turn(c, p.lacking(moved, c)); err != nil {
			return nil, err
		}
	}
	p.addScores(r, value, theta, c)
	switch {
	case !r.square:
		moved.relative += r.turn
	case c.left == nil:
		moved.along = r.length + math.Sqrt(c.decrement)
	default:
		moved.along = r.length
	}
	return r, nil
}

// lacking returns the sizes of the derivatives e that a step leaves, by the coordinates without a penalty.
func (p *Problem) lacking(moved *blur, c *centered) []float64 {
	e, unsolved := make([]float64, len(p.free)), 0.0
	if c.left == nil {
		for i, root := range c.roots {
			unsolved += 2 * c.weak * root * math.Abs(c.d[p.free[i]])
		}
	}
	for i, j := range p.free {
		if e[i] = moved.relative*moved.sum(j) + c.roots[i]*unsolved; c.left != nil {
			e[i] += math.Abs(c.left[i])
		}
	}
	return e
}

// turn returns the length √(δᵀHδ) and the largest difference of scores along δ = H⁻¹e, for all e of
// the sizes given: by features in a pass.
//
// Errors: those of the storage.
func (p *Problem) turn(c *centered, e []float64) (length, turn float64, err error) {
	most := 0.0
	along := func(row, less []float64) (s float64) {
		for i, v := range row {
			s += math.Abs(v-less[i]) * e[i]
		}
		return s
	}
	none, delta := make([]float64, len(e)), make([]float64, len(p.null))
	for i, j := range p.free {
		delta[j] = along(c.inverse.Row(i), none)
		length += delta[j] * e[i]
		most = max(most, c.inverse.At(i, i))
	}
	length = math.Sqrt(length * 4 / 3) // for H is at least ¾ of itself as it was summed
	off := 2 * c.weak * length * math.Sqrt(most)
	alone := p.levelsAlone()
	for i, j := range p.free {
		delta[j] += off
		turn = max(turn, delta[j])
		for l := range i {
			if alone {
				turn = max(turn, along(c.inverse.Row(i), c.inverse.Row(l))+2*off)
			}
		}
	}
	if !alone {
		turn, err = p.largestTerms(delta)
		turn *= float64(min(2, p.Scores())) // a difference of two
	}
	return length, turn, err
}

// addScores adds the rounding errors of scores: some units in the last place of the terms of each,
// offsets among them. Of likelihoods the divergence is at most twice the largest error δ of a row,
// and for errors of at most 1 at most 2Σₖ |rₖ|δₖ².
func (p *Problem) addScores(r *rounding, value float64, theta []float64, c *centered) {
	terms, all, sums, length := 0, 0.0, 0.0, 0.0
	for j, t := range theta {
		if t == 0 {
			continue
		}
		terms++
		all += math.Abs(t) * p.size(j)
		sums += math.Abs(t) * r.moved.sum(j)
		if r.square {
			length += math.Abs(t) * p.lengths[j]
		}
	}
	relative := float64(min(terms, p.Dim())+4) * unit
	if r.square {
		if p.Implied() {
			length *= 2 // the level at 0 is as large
		}
		length = relative*(length+p.offsets) + 4*unit*p.responses
		r.second = length * length / 2
		return
	}
	offset := relative * p.farthest
	r.first = relative*sums + 2*offset*value
	r.second = 2 * relative * all
	if largest := relative * cmp.Or(c.largest, all/p.least); largest <= 1 {
		r.second = min(r.second, 4*relative*sums*largest)
	}
	if r.second += 8 * offset * offset * value; offset > 1 {
		r.second = math.Inf(1)
	}
}

// divergence adds to that of the dual point, which changes chances by up to a share of themselves,
// what errors of the scores do.
func (r *rounding) divergence(known, share float64) float64 {
	if r.square {
		length := math.Sqrt(known) + math.Sqrt(r.second)
		return length * length
	}
	return known + share*r.first + r.second
}
