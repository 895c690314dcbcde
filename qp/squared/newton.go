package squared

import (
	"math"

	"halfspace/linalg"
	"halfspace/optimize"
)

// relative returns the excess relative to F, 0 for a minimum of 0.
func (m *minimizer) relative() float64 {
	if m.excess == 0 {
		return 0
	}
	return m.excess / math.Max(m.value, math.SmallestNonzeroFloat64)
}

// turnToRows solves the equations of the rows from here on, although those of the columns are fewer, and reports
// whether it did not before: where prices are large, columns leave slacks without digits. The end by the columns
// is the result where that by the rows has many times its excess.
func (m *minimizer) turnToRows(status optimize.Status) bool {
	if m.byColumn != nil || len(m.active) > mostFactored {
		return false
	}
	m.byColumn = m.ended(status)
	return true
}

// ended is where a minimizer has come to.
type ended struct {
	point
	alpha  []float64
	excess float64
	status optimize.Status
}

// ended returns a copy of the place.
func (m *minimizer) ended(status optimize.Status) *ended {
	at := point{linalg.Clone(m.beta), m.level, linalg.Clone(m.slack), m.value}
	return &ended{at, linalg.Clone(m.alpha), m.excess, status}
}

// settled reports whether a further step has nothing to give but rounding.
func (m *minimizer) settled() bool { return m.excess <= 0x1p-44*m.value }

// bound sets back, left and the bound E on the excess. It is the difference from the dual objective D of α,
//
//	F − D = ½‖β − Σαs(x−o)‖² − bΣαs + Σ(c·max(0, ξ)² − αξ + α²/4c),
//
// whose last sum is 0 where α is 2cξ, and what Σαs ≠ 0 can add by the level of the minimum, |b*| ≤ 1 + R‖β*‖. There
// ‖β*‖ is at most √2F, and at most ‖β‖ + √2E, for ½‖β − β*‖² ≤ E. Where slacks make most of F the second is far
// less, and E is the larger solution of a quadratic equation.
func (m *minimizer) bound() {
	m.Rows.ApplyT(m.back, m.alpha)
	m.left = 0
	if !m.NoLevel {
		m.left = linalg.Dot(m.Rows.Sign, m.alpha)
	}
	apart := 0.0
	for j, v := range m.back {
		apart += (m.beta[j] - v) * (m.beta[j] - v)
	}
	for i, a := range m.alpha {
		switch c, v := m.Price[i], m.slack[i]; {
		case c > 0 && v > 0:
			d := v - a/(2*c)
			apart += 2 * c * d * d
		case a > 0:
			apart += 2 * a * (a/(4*c) - v)
		}
	}
	left := math.Abs(m.left)
	apart += 2 * left * (math.Abs(m.level) + 1)
	left *= m.radius
	far := left + math.Sqrt(left*left+apart+2*left*linalg.Norm(m.beta))
	m.excess = min(apart/2+left*math.Sqrt(2*m.value), far*far/2)
}

// measure sets slack, value, active rows and their α = 2cξ from the place.
func (m *minimizer) measure() {
	m.evaluate(&m.point)
	m.place(nil)
}

// place sets the active rows and their multipliers: those given for the rows active so far, which are active
// still where they are above 0, and else 2cξ. Beside given ones a slack that rounding explains is none.
func (m *minimizer) place(alpha []float64) {
	var was []int
	noise := 0.0
	if alpha != nil {
		was, noise = m.active, m.noise(&m.point)
	}
	m.active, m.former = m.former[:0], m.active
	k := 0
	for i, c := range m.Price {
		a := 0.0
		switch {
		case k < len(was) && was[k] == i:
			a = max(0, alpha[k])
			k++
		case c > 0 && m.slack[i] > noise:
			a = 2 * c * m.slack[i]
		}
		if m.alpha[i] = a; a > 0 {
			m.active = append(m.active, i)
		}
	}
}

// step makes one step of Newton's method and reports whether it has come to the minimum: the
// solution of the equations has the active rows that they are of.
func (m *minimizer) step() (done bool) {
	if m.factored() {
		if to, alpha := m.solve(); to != nil {
			// Where equations leave errors, what keeps its rows can be higher, and is no minimum.
			if done = m.keeps(to, alpha) && to.value <= m.value*(1+m.tol); done || to.value <= m.value {
				m.accept(to, alpha)
				return done
			}
			m.searched++
			m.towards(to)
			m.search()
			return false
		}
	}
	if len(m.active) == 0 { // F is ½‖β‖² here
		copy(m.dir.beta, m.beta)
		linalg.Scale(m.dir.beta, -1)
		m.dir.level = 0
	} else {
		m.approximate()
	}
	m.Rows.Apply(m.dir.rows, m.dir.beta)
	linalg.Axpy(m.dir.rows, m.dir.level, m.Rows.Sign)
	m.search()
	return false
}

// roundoff is a slack, in units of what it is the difference of, that rounding explains.
const roundoff = 0x1p-48

// noise returns a slack that rounding explains.
func (m *minimizer) noise(at *point) float64 {
	return roundoff * (1 + math.Abs(at.level) + m.radius*linalg.Norm(at.beta))
}

// keeps reports whether the solution of the equations of the active rows has multipliers
// above 0 for all of them, and no slack for any other.
func (m *minimizer) keeps(to *point, alpha []float64) bool {
	k := 0
	noise := m.noise(to)
	for i, c := range m.Price {
		if k < len(m.active) && m.active[k] == i {
			if k++; alpha[k-1] < 0 {
				return false
			}
			continue
		}
		if c > 0 && to.slack[i] > noise {
			return false
		}
	}
	return true
}

// accept moves to the solution of the equations.
func (m *minimizer) accept(to *point, alpha []float64) {
	m.point, *to = *to, m.point
	m.place(alpha)
}

// towards sets the direction to the way to a place.
func (m *minimizer) towards(to *point) {
	for j, b := range to.beta {
		m.dir.beta[j] = b - m.beta[j]
	}
	m.dir.level = to.level - m.level
	for i, s := range to.slack {
		m.dir.rows[i] = m.slack[i] - s
	}
}

const (
	searches  = 40   // looks at the slope along a direction
	slopeLeft = 0.01 // share of the slope at the start that a search leaves
)

// search goes along the direction to where the slope of F is nearly 0: by Newton's method on
// the slope, which is piecewise linear and grows, between bounds.
func (m *minimizer) search() {
	t, lo, hi := 1.0, 0.0, math.Inf(1)
	first, _ := m.slope(0)
	for range searches {
		slope, bend := m.slope(t)
		if math.Abs(slope) <= -slopeLeft*first {
			break
		}
		if slope < 0 {
			lo = t
		} else {
			hi = t
		}
		next := t - slope/bend
		if !(next > lo && next < hi) {
			if next = (lo + hi) / 2; math.IsInf(hi, 1) {
				next = 2 * t
			}
		}
		t = next
	}
	linalg.Axpy(m.beta, t, m.dir.beta)
	m.level += t * m.dir.level
	m.measure()
}

// slope returns the first and the second derivative of F along the direction at t.
func (m *minimizer) slope(t float64) (slope, bend float64) {
	bend = linalg.Dot(m.dir.beta, m.dir.beta)
	slope = linalg.Dot(m.beta, m.dir.beta) + t*bend
	for i, d := range m.dir.rows {
		if s := m.slack[i] - t*d; s > 0 {
			cd := 2 * m.Price[i] * d
			slope -= cd * s
			bend += cd * d
		}
	}
	return slope, bend
}
