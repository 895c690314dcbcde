package path

import (
	"iter"
	"math"

	"halfspace/linalg"
	"halfspace/optimize"
)

// gap returns the objective of the fit at λ and how far it is at most above the minimum;
// +Inf where nothing is proven. It first looks for a bound that is at most aim with one more
// pass over the rows, then makes up to four.
//
// Errors: those of the storage.
func (p *Problem) gap(lambda float64, theta []float64, aim float64) (value, gap float64, err error) {
	if value, gap, err = p.gapAtEnd(lambda, theta); err != nil || gap <= aim*value {
		return value, gap, err
	}
	g := make([]float64, len(theta))
	value = p.Grad(g, theta)
	whole := value + p.value(lambda, theta)
	d := p.newtonStep(g, theta)
	if d == nil {
		return whole, math.Inf(1), p.Err()
	}
	if p.levelsAlone() {
		if gap, err = p.gapAt(lambda, value, theta, g, p.centerLevels(g, d, theta)); err != nil || gap <= aim*whole {
			return whole, gap, err
		}
	}
	sums, err := p.measureSums(theta)
	if err != nil {
		return 0, 0, err
	}
	if p.center(g, d, theta); p.Err() != nil {
		return whole, math.Inf(1), p.Err()
	}
	lost, moved := p.lostInGap(lambda, value, theta, d, 0, sums)
	share, cost := p.dual(lambda, theta, g, moved)
	divergence, err := p.Divergence(theta, d, share)
	return whole, divergence + cost + lost, err
}

// measureSums returns Σ wᵢ|rᵢxᵢⱼ| by coordinate at theta, of several classes on sparse rows: over
// their columns that costs no more than a pass, and words that most rows have leave far less there
// than Σ wᵢ|xᵢⱼ|. For other problems it finds the lengths of the columns, once.
func (p *Problem) measureSums(theta []float64) ([]float64, error) {
	if p.Scores() == 1 || !p.overColumns() {
		if p.lengths == nil {
			return nil, p.measureLengths()
		}
		return nil, nil
	}
	if err := p.copyColumns(); err != nil {
		return nil, err
	}
	r, _ := p.RowsAt(theta)
	return p.columns.Sums(r), p.Err()
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

// centered is a step d by the coordinates without a penalty, with gᵀd = dᵀHd: what is known
// of it without a pass.
type centered struct {
	d         []float64 // by coordinate; nil is 0
	decrement float64   // dᵀHd
	reach     float64   // the largest uᵢₖ, at least
	slope     float64   // |(Hd)ⱼ| is at most so many times the size of column j
	misfit    func() (float64, error)
	sumLength int // additions by which a row comes into a derivative, where not those of passes over blocks
}

// gapAt is the gap by a bound on what the centering does to derivatives.
func (p *Problem) gapAt(lambda, value float64, theta, g []float64, c *centered) (float64, error) {
	lost, moved := p.lostInGap(lambda, value, theta, c.d, c.sumLength, nil)
	moved.slope = c.slope
	share, cost := p.dual(lambda, theta, g, moved)
	misfit := 0.0
	if share < 1 {
		var err error
		if misfit, err = c.misfit(); err != nil {
			return 0, err
		}
	}
	return p.DivergenceAtMost(value, c.decrement, misfit, c.reach, share) + cost + lost, nil
}

// center1 is the step by the intercept of one score, given the sum of the rows' curvatures:
// uᵢₖ = ±(1−pᵢₖ)d, and of the columns, about their means or not, |Σ wᵢvᵢxᵢⱼ| ≤ Σ wᵢ|xᵢⱼ|/4.
func (p *Problem) center1(g, curvature float64, misfit func() (float64, error)) *centered {
	c := &centered{misfit: misfit}
	if p.Intercept == 0 || g == 0 { // curvatures may be 0 then
		return c
	}
	step := g / curvature
	c.d, c.decrement, c.reach, c.slope = make([]float64, len(p.null)), g*step, math.Abs(step), math.Abs(step)/4
	if c.d[0] = step; p.ConstantHessian() {
		c.slope = math.Abs(step)
	}
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

// centerLevels describes the Newton step d by the intercepts, where no feature lacks a penalty.
func (p *Problem) centerLevels(g, d, theta []float64) *centered {
	misfit := func() (float64, error) { return p.Misfit(theta) }
	if p.free == nil {
		return &centered{misfit: misfit}
	}
	if p.Scores() == 1 {
		return p.center1(g[0], g[0]/d[0], misfit)
	}
	c := &centered{d: d, misfit: misfit}
	low, high := 0.0, 0.0
	for _, j := range p.free {
		c.decrement += d[j] * g[j]
		low, high = min(low, d[j]), max(high, d[j])
	}
	c.reach, c.slope = high-low, (high-low)/4
	return c
}

// levelsAlone reports whether no feature lacks a penalty.
func (p *Problem) levelsAlone() bool { return len(p.free) == max(1, p.Scores()-1)*p.Intercept }

// newtonStep returns the Newton step by the coordinates without a penalty, 0 by all others;
// nil where their Hessian is singular.
func (p *Problem) newtonStep(g, theta []float64) []float64 {
	d, n := make([]float64, len(theta)), len(p.free)
	if n == 0 {
		return d
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
	for i, j := range p.free {
		d[j] = step[i]
	}
	return d
}

// center subtracts Hd from the gradient g for the Newton step d by the coordinates without a
// penalty, which makes it 0 by these.
func (p *Problem) center(g, d, theta []float64) {
	if p.free == nil {
		return
	}
	hd := make([]float64, len(g))
	p.HessVec(hd, theta, d)
	linalg.Axpy(g, -1, hd)
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
// proportional to Σ wᵢ|rᵢxᵢⱼ|, and by a slope in the sizes of columns. As the residuals of
// classes are at most 1, and at most the loss of their row, the sum is at most
// min(Σ wᵢ|xᵢⱼ|, √(Σ wᵢLᵢ·Σ wᵢxᵢⱼ²)) where it is not known itself.
type blur struct {
	relative, slope float64
	residuals       float64        // their length √Σ wᵢrᵢ², at least
	sizes           optimize.Scale // by coordinate
	lengths, sums   []float64      // the same; nil where they are not known
	plain           bool           // residuals are at most 1
}

func (b *blur) at(j int) float64 {
	sum := math.Inf(1)
	if b.plain {
		sum = b.sizes.At(j)
	}
	if b.sums != nil {
		sum = b.sums[j]
	} else if b.lengths != nil {
		sum = min(sum, b.residuals*b.lengths[j])
	}
	return b.relative*sum + b.slope*b.sizes.At(j)
}

// lostInGap bounds the rounding errors of the objective and the gap, and of derivatives:
// those of sums over the rows, of so many additions at least, and in the objective of scores
// and responses too.
func (p *Problem) lostInGap(lambda, value float64, theta, d []float64, sumLength int, sums []float64) (lost float64, moved *blur) {
	const unit = 0x1p-53
	sumLength = max(sumLength, p.SumLength(p.Scores()))
	moved = &blur{relative: float64(sumLength+p.Scores()+8) * unit, residuals: math.Sqrt(value),
		sizes: p.sizes, lengths: p.lengths, sums: sums, plain: true}
	lost = 8 * unit * (value + p.value(lambda, theta))
	squared, rounded := p.ConstantHessian(), 0.0 // of squared error, the length by which residuals are wrong
	if squared {
		moved.residuals, moved.plain, rounded = math.Sqrt(2*value), false, 4*unit*p.responses
		lost += rounded * moved.residuals
	}
	terms := 0.0
	for j, t := range theta {
		if t != 0 {
			terms++
			lost += moved.at(j) * math.Abs(t)
			if squared {
				rounded += moved.relative * p.lengths[j] * math.Abs(t)
			}
		}
	}
	lost *= 1 + terms*unit/moved.relative
	lost += rounded * rounded / 2
	for _, j := range p.free {
		if d != nil {
			lost += moved.at(j) * math.Abs(d[j]) * float64(p.Scores())
		}
	}
	return lost, moved
}
