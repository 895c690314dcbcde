package linalgtest

import (
	"math"
	"math/big"
)

// LogisticGap returns a bound on how far the penalised negative log-likelihood of f is above
// its minimum, relative to it, in [digits] bits; 1 where it finds none, as no minimum is below 0.
// The arguments are those of [LogisticLeast]. With p the probabilities, H the Hessian of the loss and Λ that of
// the ridge, the point of the dual problem is
//
//	qᵢ = s·pᵢ∘(1−uᵢ) + (1−s)·e_yᵢ,   uᵢₖ = xᵢᵀdₖ − Σₗ pᵢₗxᵢᵀdₗ,
//
// for the Newton step d by all parameters that are not at a corner, or by those without a
// penalty, which make its derivatives there 0; the gap is Σ wᵢKL(qᵢ‖pᵢ), bounded by
// κ(t)·[(1−s)²Σ wᵢ(1/pᵢ−1) + s(2−s)dᵀHd], t = 1−s+s·max u, and the terms of Fenchel and Young.
// s = 1, or holds what exceeds the lasso's weight.
func LogisticGap(d Fit, code []int, f Affine, reference int, factors []float64) float64 {
	m := newMinimizer(d, code, f, reference, factors)
	return relative(m.gap(), m.value(m.theta))
}

// LogisticExcess returns how far the penalised negative log-likelihood of f is above its minimum,
// relative to it: what Newton's method in [digits] bits takes off and the gap at its end, which
// bounds it from above to all digits that a float64 has; or the gap of f itself where this is at
// most within, which costs one step. It is 1 where there is no end. The arguments are those of
// [LogisticLeast].
func LogisticExcess(d Fit, code []int, f Affine, reference int, within float64) float64 {
	m := newMinimizer(d, code, f, reference, nil)
	value := m.value(m.theta)
	if gap := relative(m.gap(), value); gap <= within {
		return gap
	}
	if m.run() != nil {
		return 1
	}
	return relative(plus(minus(value, m.value(m.theta)), m.gap()), value)
}

// gap is that of [LogisticGap], before it is divided by the objective.
func (m *minimizer) gap() *big.Float {
	g, h := m.derive()
	for at, b := range m.theta {
		g[at] = minus(g[at], times(m.ridge[at], b)) // of the loss alone, as the Hessian is
		h[at][at] = minus(h[at][at], m.ridge[at])
	}
	best := m.value(m.theta)
	for _, functions := range []int{0, len(g) / m.dim, len(g)/m.dim - 1} {
		if step, moved := m.stepOf(g, h, functions); step != nil {
			if gap := m.gapAlong(g, h, step, moved); gap.Cmp(best) < 0 {
				best = gap
			}
		}
	}
	return best
}

// stepOf returns the Newton step by the parameters without a penalty and those of the first
// functions that are not at a corner, and which these are; nil where no step solves the
// equations, for their Hessian is singular, as that of all classes' functions is but for the ridge.
func (m *minimizer) stepOf(g []*big.Float, h [][]*big.Float, functions int) (step []*big.Float, moved []bool) {
	var free []int
	moved = make([]bool, len(g))
	whole, slope := make([][]*big.Float, len(g)), zeros(len(g))
	for at, b := range m.theta {
		whole[at] = append([]*big.Float(nil), h[at]...)
		whole[at][at] = plus(whole[at][at], m.ridge[at])
		slope[at] = plus(plus(g[at], times(m.ridge[at], b)), times(m.l1[at], number(float64(b.Sign()))))
		if m.free[at] && (at < functions*m.dim || m.l1[at].Sign() == 0 && m.ridge[at].Sign() == 0) {
			free, moved[at] = append(free, at), true
		}
	}
	step = zeros(len(g))
	if free == nil {
		return step, moved
	}
	by, _, solved := solve(whole, slope, free)
	if !solved {
		return nil, nil
	}
	for k, at := range free {
		step[at] = by[k]
	}
	return step, moved
}

// infinite is the gap of what is no point of the dual problem.
var infinite = new(big.Float).SetInf(false)

// gapAlong returns the gap of the point of the dual problem that a step makes: by the equations
// that it solves, derivatives there are those of the penalty alone, to all digits, and those
// by the functions of all classes sum to 0.
func (m *minimizer) gapAlong(g []*big.Float, h [][]*big.Float, step []*big.Float, moved []bool) *big.Float {
	c, share := zeros(len(g)), 1.0
	var decrement, cross sum
	for at := range g {
		var hd sum
		for to, s := range step {
			hd.addProduct(h[at][to], s)
		}
		decrement.addProduct(step[at], hd.value())
		cross.addProduct(step[at], g[at])
		c[at] = minus(g[at], hd.value())
		if b := m.theta[at]; moved[at] {
			c[at] = minus(times(m.ridge[at], minus(step[at], b)), times(m.l1[at], number(float64(b.Sign()))))
		}
	}
	for at := range c {
		if last := len(c) - m.dim; last > 0 && len(m.function)*m.dim == len(c) && at >= last && !moved[at] {
			c[at] = number(0)
			for to := at - m.dim; to >= 0; to -= m.dim {
				c[at] = minus(c[at], c[to])
			}
		}
		if l1, size := m.l1[at], abs(c[at]); l1.Sign() > 0 && size.Cmp(l1) > 0 {
			held, _ := over(l1, size).Float64()
			share = min(share, held*(1-0x1p-50))
		}
	}
	reach, misfit := m.reachOf(step)
	if !(reach <= 1) {
		return infinite
	}
	gap := func(s float64) *big.Float {
		rest := 1 - s
		var total sum
		total.addBig(decrement.value(), s, s)
		if rest > 0 {
			total.addBig(largest(cross.value(), number(0)), 2, s, rest)
			total.addBig(misfit, rest, rest)
		}
		bound := times(total.value(), number(kappa(rest+s*reach)))
		for at := range c {
			bound = plus(bound, m.charge(at, times(c[at], number(s))))
		}
		return bound
	}
	whole, shrunk := gap(1), gap(share)
	if shrunk.Cmp(whole) < 0 {
		return shrunk
	}
	return whole
}

// kappa returns [t + (1−t)·log(1−t)]/t², or a bound from above where its series is shorter.
func kappa(t float64) float64 {
	switch {
	case t >= 1:
		return 1
	case t > 1e-3:
		return (t + (1-t)*math.Log1p(-t)) / (t * t)
	}
	return 0.5 + t/5 // ½ + t/6 + t²/12 + …
}

// charge returns h(θ) + h*(−c) + cθ for the penalty h of a parameter.
func (m *minimizer) charge(at int, c *big.Float) *big.Float {
	b, l1, l2 := m.theta[at], m.l1[at], m.ridge[at]
	if l1.Sign() == 0 && l2.Sign() == 0 {
		return number(0) // the step has made it 0, or the constant that all scores may share
	}
	total := plus(plus(times(l1, abs(b)), times(times(number(0.5), l2), times(b, b))), times(c, b))
	if beyond := minus(abs(c), l1); beyond.Sign() > 0 {
		if l2.Sign() == 0 {
			return infinite
		}
		total = plus(total, over(times(beyond, beyond), times(number(2), l2)))
	}
	return largest(total, number(0))
}

// reachOf returns the largest uᵢₖ of a step, and Σ wᵢ(1/pᵢ − 1) over the rows' own classes.
func (m *minimizer) reachOf(step []*big.Float) (reach float64, misfit *big.Float) {
	misfit = number(0)
	for i := range m.x {
		w := weight(m.d.W, i)
		if w == 0 {
			continue
		}
		chances, _ := m.chances(m.theta, i)
		p, own := chances.p, m.code[i]
		along, mean := zeros(len(p)), number(0)
		for c, a := range m.function {
			if a >= 0 {
				along[c] = m.score(step, i, a)
			}
			mean = plus(mean, times(p[c], along[c]))
		}
		for c := range p {
			u, _ := minus(along[c], mean).Float64()
			reach = max(reach, u)
		}
		misfit = plus(misfit, times(number(w), over(chances.others[own], p[own])))
	}
	return reach, misfit
}

// ElasticNetExcess is how far ½Σw·r² + λ(α‖uβ‖₁ + (1−α)/2·‖uβ‖²) is at most above its minimum, relative to the
// objective (not less than 1e-12 of that without coefficients, or, where responses less offsets differ by rounding
// alone, than residuals of 2¹⁷ roundings): the duality gap or, where that is above
// within, the distance from the minimum itself ([SquaredLeast]). The dual point is the centred residual, for
// α = 1 shrunk until it is feasible, else charged (|x̃ⱼᵀr| − λαuⱼ)₊²/(2λ(1−α)uⱼ²) a column. Of columns without
// coefficients of which there are many, the minimum costs much.
func ElasticNetExcess(d Fit, y []float64, f Affine, within float64) float64 {
	c := zeros(d.X.Cols)
	if !d.NoIntercept {
		c = center(d.X, d.W)
	}
	r, z := d.residuals(y, f)
	if !d.NoIntercept {
		mean(r, d.W)
		mean(z, d.W)
	}
	var rr, rz, zz, rounding sum
	for i := range r {
		w := weight(d.W, i)
		size := 0x1p-53 * (math.Abs(y[i]) + math.Abs(d.offset(i)))
		rounding.add(w, size, size)
		rr.addBig(times(r[i], r[i]), w)
		rz.addBig(times(r[i], z[i]), w)
		zz.addBig(times(z[i], z[i]), w)
	}
	unit := units(d.X, d.W, d.Standardize)
	columns := make([]column, d.X.Cols)
	for j := range columns {
		var g sum
		for i := range r {
			g.addBig(times(r[i], minus(number(d.X.At(i, j)), c[j])), weight(d.W, i))
		}
		columns[j] = column{gradient: abs(g.value()), unit: unit[j]}
	}
	shrink, charge := d.feasible(columns)
	// θ = s·r: D = s·r·z − ½s²‖r‖².
	dual := minus(times(shrink, rz.value()), times(number(0.5), times(times(shrink, shrink), rr.value())))
	dual = largest(minus(dual, charge), number(0)) // 0 is the dual value of θ = 0
	primal := d.elasticNet(y, f, unit)
	size := largest(primal, times(zz.value(), number(0.5e-12)))
	if zz.value().Cmp(times(number(16), rounding.value())) <= 0 {
		size = largest(size, times(number(0x1p33), rounding.value()))
	}
	gap := relative(minus(primal, dual), size)
	if gap <= within {
		return gap
	}
	value, least, err := SquaredLeast(d, y, f)
	if err != nil {
		return gap
	}
	return relative(minus(value, least), size)
}

// elasticNet returns ½Σw·r² + λ(α‖uβ‖₁ + (1−α)/2·‖uβ‖²).
func (d Fit) elasticNet(y []float64, f Affine, unit []float64) *big.Float {
	var s sum
	r, _ := d.residuals(y, f)
	for i := range r {
		s.addBig(times(r[i], r[i]), weight(d.W, i), 0.5)
	}
	for j, b := range f.Coef.Row(0) {
		s.add(d.Lambda, d.L1Ratio, unit[j], math.Abs(b))
		s.addBig(d.ridge(), unit[j], unit[j], b, b, 0.5)
	}
	return s.value()
}

// column is a column in the dual of an elastic net.
type column struct {
	gradient *big.Float // |x̃ⱼᵀr|
	unit     float64
}

// feasible returns the factor that makes the residual a dual point, and the charge
// where there is a ridge.
func (d Fit) feasible(columns []column) (shrink, charge *big.Float) {
	var s sum
	shrink = number(1)
	ridge := d.ridge()
	for _, c := range columns {
		bound := times(times(number(d.Lambda), number(d.L1Ratio)), number(c.unit))
		if c.gradient.Cmp(bound) <= 0 {
			continue
		}
		if ridge.Sign() > 0 {
			excess := over(minus(c.gradient, bound), number(c.unit))
			s.addBig(over(times(excess, excess), ridge), 0.5)
		} else if r := over(bound, c.gradient); r.Cmp(shrink) < 0 {
			shrink = r
		}
	}
	return shrink, s.value()
}

// mean subtracts the weighted mean.
func mean(v []*big.Float, w []float64) {
	var s, total sum
	for i := range v {
		s.addBig(v[i], weight(w, i))
		total.add(weight(w, i))
	}
	m := over(s.value(), total.value())
	for i := range v {
		if weight(w, i) != 0 {
			v[i] = minus(v[i], m)
		}
	}
}
