package linalgtest

import (
	"math"
	"math/big"
)

// LogisticGap returns a bound on how far the penalised negative log-likelihood of f is above
// its minimum, relative to it, in [digits] bits; +Inf where it finds none. The arguments are
// those of [LogisticLeast]. With p the probabilities, H the Hessian of the loss and Λ that of
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
// most within, which costs one step. +Inf where there is no end. The arguments are those of
// [LogisticLeast].
func LogisticExcess(d Fit, code []int, f Affine, reference int, within float64) float64 {
	m := newMinimizer(d, code, f, reference, nil)
	value := m.value(m.theta)
	if gap := relative(m.gap(), value); gap <= within {
		return gap
	}
	if m.run() != nil {
		return math.Inf(1)
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
	best := math.Inf(1)
	for _, functions := range []int{0, len(g) / m.dim, len(g)/m.dim - 1} {
		if step, moved := m.stepOf(g, h, functions); step != nil {
			best = min(best, m.gapAlong(g, h, step, moved))
		}
	}
	return number(best)
}

// stepOf returns the Newton step by the parameters without a penalty and those of the first
// functions that are not at a corner, and which these are; nil where their Hessian is singular,
// as that of all classes' functions is but for the ridge.
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
	by, _ := solve(whole, slope, free)
	if by == nil {
		return nil, nil
	}
	for k, at := range free {
		step[at] = by[k]
	}
	return step, moved
}

// gapAlong returns the gap of the point of the dual problem that a step makes: by the equations
// that it solves, derivatives there are those of the penalty alone, to all digits, and those
// by the functions of all classes sum to 0.
func (m *minimizer) gapAlong(g []*big.Float, h [][]*big.Float, step []*big.Float, moved []bool) float64 {
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
		return math.Inf(1)
	}
	gap := func(s float64) float64 {
		dd, _ := decrement.value().Float64()
		gd, _ := cross.value().Float64()
		rest := 1 - s
		kl := s*s*dd + max(0, 2*s*rest*gd)
		if rest > 0 {
			kl += rest * rest * misfit
		}
		t := rest + s*reach
		total := kl
		if t < 1 && t > 1e-3 {
			total *= (t + (1-t)*math.Log1p(-t)) / (t * t)
		} else if t < 1 {
			total *= 0.5 + t/5 // κ(t) = ½ + t/6 + t²/12 + …
		}
		for at := range c {
			total += m.charge(at, times(c[at], number(s)))
		}
		return total
	}
	return min(gap(1), gap(share))
}

// charge returns h(θ) + h*(−c) + cθ for the penalty h of a parameter.
func (m *minimizer) charge(at int, c *big.Float) float64 {
	b, l1, l2 := m.theta[at], m.l1[at], m.ridge[at]
	if l1.Sign() == 0 && l2.Sign() == 0 {
		return 0 // the step has made it 0, or the constant that all scores may share
	}
	total := plus(plus(times(l1, abs(b)), times(times(number(0.5), l2), times(b, b))), times(c, b))
	if beyond := minus(abs(c), l1); beyond.Sign() > 0 {
		if l2.Sign() == 0 {
			return math.Inf(1)
		}
		total = plus(total, over(times(beyond, beyond), times(number(2), l2)))
	}
	v, _ := total.Float64()
	return max(0, v)
}

// reachOf returns the largest uᵢₖ of a step, and Σ wᵢ(1/pᵢ − 1) over the rows' own classes.
func (m *minimizer) reachOf(step []*big.Float) (reach, misfit float64) {
	for i := range m.x {
		w := weight(m.d.W, i)
		if w == 0 {
			continue
		}
		p, _ := m.chances(m.theta, i)
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
		miss, _ := minus(over(number(1), p[m.code[i]]), number(1)).Float64()
		misfit += w * miss
	}
	return reach, misfit
}
