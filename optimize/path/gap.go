package path

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/exact"
	"halfspace/optimize"
)

// gap returns the objective of the fit at λ and how far it is at most above the minimum;
// +Inf where nothing is proven. Where rounding errors of derivatives, beside the penalty, put the dual point
// that scales the residuals too far off, or this is the last look as no smaller derivatives are to come (rounding of the
// objective ends a fit earlier than that of derivatives), it is the lesser of two bounds.
//
// Errors: those of the storage.
func (p *Problem) gap(lambda float64, theta []float64, aim float64, last bool) (value, gap float64, err error) {
	var moved float64
	value, gap, moved, err = p.gapByScale(lambda, theta, aim)
	l1 := p.elasticNet(lambda).LeastL1()
	if err != nil || gap <= aim*value || l1 == 0 {
		return value, gap, err
	}
	// To multiply residuals by 1 − s costs s times the penalty, and about s² times the loss.
	share := aim / 40
	least := l1 * share * value / (p.value(lambda, theta) + math.Sqrt(share)*value)
	if moved < least && !last {
		return value, gap, nil
	}
	near, err := p.gapByStep(lambda, theta, 0)
	if err == nil && math.IsInf(near, 1) {
		near, err = p.gapByStep(lambda, theta, least)
	}
	return value, min(gap, near), err
}

// gapByScale is the gap of the residuals, as far as the penalty holds them. It first looks for a bound that
// is at most aim with no more pass over the rows, then with one, then makes up to five, of which the solver
// by columns needs one. It also returns by how much rounding may have moved a derivative in the last.
//
// Errors: those of the storage.
func (p *Problem) gapByScale(lambda float64, theta []float64, aim float64) (value, gap, moved float64, err error) {
	if e := p.end(theta); e != nil {
		if value, gap, err = e.gap(lambda); err == nil && gap > aim*value {
			if err = p.measureAlong(theta, e.levels); err == nil {
				value, gap, err = e.gap(lambda)
			}
		}
		return value, gap, e.levels.moved, err
	}
	g := p.Gradient(theta)
	value = p.Objective.Value(theta)
	whole := value + p.value(lambda, theta)
	c := p.newtonStep(g, theta)
	if c == nil {
		return whole, math.Inf(1), math.Inf(1), p.Err()
	}
	if p.levelsAlone() && c.above == nil {
		if gap, err = p.gapAt(lambda, value, theta, g, c); err != nil || gap <= aim*whole {
			return whole, gap, c.moved, err
		}
	}
	if g, err = p.center(g, theta, c); err != nil {
		return whole, gap, c.moved, err
	}
	if p.levelsAlone() && p.free != nil {
		if gap, err = p.gapAt(lambda, value, theta, g, c); err != nil || gap <= aim*whole {
			return whole, gap, c.moved, err
		}
	}
	if err = p.measureAlong(theta, c); err == nil {
		gap, err = p.gapAt(lambda, value, theta, g, c)
	}
	return whole, gap, c.moved, err
}

// errorsAlong is how many times its own rounding error a derivative is taken to move, at most, by the step that takes
// away the errors of all: a coefficient of 0 whose derivative is that near its weight may not be held.
const errorsAlong = 1000

// gapByStep is the gap of a dual point that is a step away, as if the coefficients that are not 0, and those
// whose derivatives the penalty may not hold, had none, where rounding moves derivatives by more than the least: the step
// moves each of them to the one that costs nothing. O(np²) for p of these; +Inf for very many, or more than their
// Hessian has independent ones, as the indicators of all levels beside an intercept.
//
// Errors: those of the storage.
func (p *Problem) gapByStep(lambda float64, theta []float64, least float64) (float64, error) {
	q := *p // other coordinates of it are free
	if !q.ConstantHessian() && q.lengths == nil {
		if err := q.measureLengths(); err != nil {
			return 0, err
		}
	}
	g, value := linalg.Clone(p.Gradient(theta)), p.Objective.Value(theta)
	var wanted []float64
	wanted, q.free = p.costless(lambda, value, theta, g, least)
	if q.leanAll(); len(q.free) > min(mostDense, p.rank()) {
		return math.Inf(1), p.Err()
	}
	for at, v := range wanted {
		if v == v {
			g[at] -= v
		}
	}
	c := q.newtonStep(g, theta)
	if c == nil {
		return math.Inf(1), p.Err()
	}
	g, err := q.center(g, theta, c)
	if err == nil {
		err = q.measureAlong(theta, c)
	}
	if err != nil {
		return 0, err
	}
	c.exact = wanted
	for at, v := range wanted {
		if v == v {
			g[at] = v
		}
	}
	return q.gapAt(lambda, value, theta, g, c)
}

// costless returns the derivatives to which a step is to move those by coefficients that are not 0 and those that
// the penalty may not hold, if rounding moves them by the least or more, else NaN, and the coordinates by which it
// goes. The derivatives by the coefficients that classes have of a feature sum to 0: where all are moved, one follows
// from the others.
func (p *Problem) costless(lambda, value float64, theta, g []float64, least float64) (wanted []float64, free []int) {
	if p.grouped() {
		return p.costlessGroups(lambda, value, theta, g, least)
	}
	pen, blur, dim := p.elasticNet(lambda), p.blur(value, 0), p.Dim()
	wanted, free = make([]float64, len(theta)), slices.Clone(p.free)
	for j := range dim {
		first, zeros, sum := len(free), 0.0, 0.0
		for at := j; at < len(theta); at += dim {
			l1, l2 := pen.Weights(at)
			t := theta[at]
			moved := blur.at(at)
			if l1 == 0 || moved < least || t == 0 && math.Abs(g[at])+errorsAlong*moved <= l1 {
				wanted[at] = math.NaN()
				continue
			}
			if free = append(free, at); t == 0 {
				wanted[at] = max(-l1, min(l1, g[at]))
				zeros++
			} else {
				wanted[at] = -math.Copysign(l1, t) - l2*t
				sum += wanted[at]
			}
		}
		if moved := free[first:]; len(moved) > 1 && len(moved) == p.Scores() {
			last := 0
			if zeros == 0 { // as many are positive as negative, or the first is no derivative of a minimum
				wanted[moved[0]] -= sum
			}
			for i, at := range moved {
				if theta[at] == 0 {
					wanted[at], last = -sum/zeros, i
				}
			}
			free = append(free[:first+last], moved[last+1:]...)
		}
	}
	slices.Sort(free)
	return wanted, free
}

// costlessGroups is costless where the penalty is one of whole features: of their derivatives by all classes one follows
// from the others.
func (p *Problem) costlessGroups(lambda, value float64, theta, g []float64, least float64) (wanted []float64, free []int) {
	pen, blur := p.groupLasso(lambda), p.blur(value, 0)
	wanted, free = slices.Repeat([]float64{math.NaN()}, len(theta)), slices.Clone(p.free)
	for i, group := range pen.Groups {
		t := groupTerm(lambda*pen.Weights[i], group, theta, g, blur)
		if t.l1 == 0 || t.moved < least || t.theta == 0 && t.most+errorsAlong*t.moved <= t.l1 {
			continue
		}
		sum := 0.0
		for _, at := range group {
			if wanted[at] = -t.l1 * theta[at] / t.theta; t.theta == 0 {
				wanted[at] = g[at] * min(1, t.l1/t.most)
			}
			sum += wanted[at]
		}
		for _, at := range group {
			wanted[at] -= sum / float64(len(group))
		}
		free = append(free, group[:len(group)-1]...)
	}
	slices.Sort(free)
	return wanted, free
}

// gapAt is the gap at a point with the derivatives g, with Hd subtracted, or moved within a slope by it.
func (p *Problem) gapAt(lambda, value float64, theta, g []float64, c *centered) (float64, error) {
	r, err := p.roundingAt(value, theta, c)
	if err != nil {
		return 0, err
	}
	c.moved = r.moved.furthest()
	length, reach := math.Sqrt(c.decrement)+r.length, c.reach+r.turn
	share, cost := p.dual(lambda, theta, g, r.moved)
	misfit, fall := 2*value, length*length
	if share < 1 && !p.ConstantHessian() {
		if misfit, err = c.misfit(); err != nil {
			return 0, err
		}
	}
	if c.exact != nil { // d solves for other derivatives than g, which it falls by at most
		fall = length * math.Sqrt(misfit)
	}
	divergence := r.divergence(p.DivergenceAtMost(value, length*length, fall, misfit, reach, share), 1-share+reach)
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
	c.d, c.decrement, c.reach, c.slope = []float64{step}, g*step, math.Abs(step), math.Abs(step)/4
	c.weak = p.roundingOfSums(p.N)
	c.inverse, c.roots = &linalg.Dense{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1 / curvature}}, []float64{math.Sqrt(curvature)}
	return c
}

// misfit returns Σ wᵢΣₖ(tᵢₖ − pᵢₖ)²/pᵢₖ for the probabilities p and the shares t that two classes have
// in the rows, of which the residuals are wᵢ(pᵢ − tᵢ) for the larger one; +Inf where one may be 0.
func (p *Problem) misfit(residuals []float64) float64 {
	total := 0.0
	for i, r := range residuals {
		if r == 0 {
			continue
		}
		w := p.Weight(i)
		larger := w * (1 + p.Y[i]) / 2
		smaller := w - larger
		larger, smaller = larger+r-0x1p-51*larger, smaller-r-0x1p-51*smaller // at most wp
		if !(larger > 0 && smaller > 0) {
			return math.Inf(1)
		}
		total += w * (r / larger) * (r / smaller)
	}
	return total
}

// newtonStep returns the Newton step by the coordinates without a penalty; nil where rounding
// leaves a doubt that their Hessian is positive definite.
func (p *Problem) newtonStep(g, theta []float64) *centered {
	n := len(p.free)
	c := &centered{misfit: func() (float64, error) {
		if p.Scores() > 1 {
			return p.Misfit(theta)
		}
		r, _ := p.RowsAt(theta)
		return p.misfit(r), p.Err()
	}}
	if n == 0 || n >= manyLevels && p.levelsAlone() && p.levelStep(c, g, theta) {
		return c
	}
	h, step := linalg.Zeros(n, n), make([]float64, n)
	c.d = step
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
		c.roots = append(c.roots, math.Sqrt(h.At(i, i)))
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

// center returns the gradient g less Hd for the step by the coordinates without a penalty.
//
// Errors: those of the storage.
func (p *Problem) center(g, theta []float64, c *centered) ([]float64, error) {
	c.slope = 0
	if p.free == nil {
		return linalg.Clone(g), nil
	}
	moved, d := make([]float64, len(g)), p.scattered(p.free, c.d)
	p.HessVec(moved, theta, d)
	c.decrement = max(0, linalg.Dot(d, moved))
	c.left = p.sumLevels(g, theta, c)
	for i, j := range p.free {
		c.left[i] -= moved[j]
	}
	linalg.Scale(moved, -1)
	linalg.Axpy(moved, 1, g)
	for i, j := range p.free {
		moved[j] = c.left[i]
	}
	return moved, p.Err()
}

// measureAlong measures in the rows what bounds rounding and the step.
//
// Errors: those of the storage.
func (p *Problem) measureAlong(theta []float64, c *centered) (err error) {
	if c.sums, err = p.TermSums(theta); err != nil || p.ConstantHessian() {
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
	c.reach, err = p.widest(p.scattered(p.free, c.d))
	c.reach *= float64(min(2, p.Scores())) // a difference of two
	return err
}

// sumLevels returns the derivatives by the coordinates without a penalty: by the intercepts, where rows have
// a copy by columns and residuals are at hand, sums in twice the precision. Those of a pass, which
// every row comes into, are off by more than by features, and scores are off with them.
func (p *Problem) sumLevels(g, theta []float64, c *centered) []float64 {
	levels := make([]float64, len(p.free))
	for i, j := range p.free {
		levels[i] = g[j]
	}
	if !p.overColumns() || !p.levelsAlone() {
		return levels
	}
	r, _ := p.RowsAt(theta)
	for i, j := range p.free {
		var sum exact.Sum
		for at := j / p.Dim(); at < len(r); at += p.Scores() {
			sum.Add(r[at], 0)
		}
		levels[i] = sum.Value()
	}
	c.summed = true
	return levels
}

// dual returns the share of the residuals, of which derivatives within moved of g are kept,
// and the most that Fenchel's and Young's inequality leaves of the penalty there: the lesser
// of those with all of them and with as many as the lasso's weight holds.
func (p *Problem) dual(lambda float64, theta, g []float64, moved *blur) (share, cost float64) {
	share = 1
	all := 0.0
	terms := p.terms(lambda, theta, g, moved)
	for _, t := range terms {
		share, all = min(share, t.held()), all+t.cost(1)
	}
	for _, t := range terms {
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

// terms returns those of all penalised coordinates, or features, that are not 0 with a
// derivative that the lasso's weight holds.
func (p *Problem) terms(lambda float64, theta, g []float64, moved *blur) (terms []term) {
	if p.grouped() {
		pen := p.groupLasso(lambda)
		for i, group := range pen.Groups {
			if pen.Weights[i] != 0 {
				terms = append(terms, groupTerm(lambda*pen.Weights[i], group, theta, g, moved))
			}
		}
		return terms
	}
	pen := p.elasticNet(lambda)
	l1 := pen.LeastL1()
	furthest := moved.furthest()
	var factors []float64 // of the coefficients to come of a function
	for j, t := range theta {
		if len(factors) == 0 {
			factors = p.factors
		}
		f, most := factors[0], math.Abs(g[j])
		factors = factors[1:]
		if f == 0 || t == 0 && most+furthest <= l1*f {
			continue // as most are
		}
		by := moved.at(j)
		if t == 0 && most+by <= l1*f {
			continue
		}
		l1, l2 := pen.Weights(j)
		terms = append(terms, term{math.Abs(t), math.Copysign(1, t) * g[j], most, by, l1, l2})
	}
	return terms
}

// groupTerm is that of the coefficients of a group.
func groupTerm(l1 float64, group []int, theta, g []float64, moved *blur) term {
	t, along := term{l1: l1}, 0.0
	for _, j := range group {
		t.theta, t.most, t.moved = math.Hypot(t.theta, theta[j]), math.Hypot(t.most, g[j]), math.Hypot(t.moved, moved.at(j))
		along += theta[j] * g[j]
	}
	if t.theta > 0 {
		t.g = along / t.theta
	}
	return t
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

// Judge returns the objective at theta, parameters at a λ whoever found them, and its
// certificate: the duality gap relative to the objective, at most 1.
//
// Errors: those of passes over the rows.
func (p *Problem) Judge(lambda float64, theta []float64, tol float64) (float64, optimize.Certificate, error) {
	theta = linalg.Clone(theta)
	p.shift(theta)
	value, gap, err := p.gap(lambda, theta, tol, true)
	return value, p.relativeGap(value, gap, tol), err
}

// relativeGap is the certificate of an objective that is at most so far above the minimum.
// Residuals below 1e-6 of the responses are rounding errors to some digits: their squares
// count as 1e-12 of those of the responses.
func (p *Problem) relativeGap(value, gap, tol float64) optimize.Certificate {
	return optimize.GapOf(gap, max(value, p.Least()), tol)
}

// Least is the least objective that is not one of rounding errors: 1e-12 of that of the responses; 0 of classes.
func (p *Problem) Least() float64 { return p.floor }

// Raise sets the least objective where the responses have errors that they do not show: it is at least that.
func (p *Problem) Raise(least float64) { p.floor = max(p.floor, least) }
