package columnwise

import (
	"math"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/optimize/penalty"
)

// rows are the curvatures of the rows, and r + v∘Xδ without the intercept's step.
type rows struct{ v, t []float64 }

// model is the quadratic model of the loss of one score at a point, by a step δ of some
// features with the intercept that is best beside it.
type model struct {
	rows
	columns   *linalg.CSR // P×N, in the coordinates of the design
	workers   int
	intercept int  // 1 with an intercept, the first parameter
	even      bool // curvatures are 1: those of squared error without weights
	leveled   bool // an intercept follows from the rest: the design's, or that of means which its rows are not moved to

	pen    penalty.ElasticNet
	sizes  optimize.Scale // of derivatives, by parameter
	first  int            // parameter of the function
	z      []float64      // the point and the step
	a, h   []float64      // by feature of the set: Xᵀv, and the second derivative
	total  float64        // Σv
	excess float64        // Σr + aᵀδ
	past   past
}

// someColumns is the columns of a piece of work.
const someColumns = 64

// leastCurvature is the least second derivative of a column relative to that about 0: of
// one that is next to constant the rest is rounding.
const leastCurvature = 1e-10

// curve makes the second derivatives by the features of the set.
func (m *model) curve(set []int) {
	m.total = linalg.Sum(m.v)
	linalg.For(len(set), someColumns, m.workers, func(lo, hi int) {
		for _, j := range set[lo:hi] {
			index, value := m.columns.Row(j)
			value = value[:len(index)]
			a, h := 0.0, 0.0
			for k, i := range index {
				vx := m.v[uint32(i)] * value[k]
				a += vx
				h += vx * value[k]
			}
			if m.leveled && m.total > 0 {
				h = max(h-a*a/m.total, leastCurvature*h)
			}
			m.a[j], m.h[j] = a, h
		}
	})
}

// level returns the step of the intercept.
func (m *model) level() float64 {
	if !m.leveled || m.total == 0 {
		return 0
	}
	return -m.excess / m.total
}

// sweep moves each feature of the set to its minimum, one after the other. It returns the
// largest subgradient that it met on the way, and energy = Σ hⱼⱼΔⱼ², at most twice the
// decrease of the model.
func (m *model) sweep(set []int) (worst, energy float64) {
	for _, j := range set {
		at := j + m.intercept
		l1, l2 := m.pen.Weights(m.first + at)
		h := m.h[j] + l2
		g := m.columns.Dot(j, m.t) + m.a[j]*m.level()
		before := m.z[at]
		if before == 0 && math.Abs(g) <= l1 || h == 0 && math.Abs(g) >= l1 {
			continue
		}
		next := 0.0 // also of a column without values, or whose rows have no curvature
		if h > 0 {
			next = penalty.Soft(m.h[j]*before-g, l1) / h
		}
		step := next - before
		if step == 0 {
			continue
		}
		m.move(j, next)
		slope := math.Abs(step) * h
		energy += slope * math.Abs(step)
		worst = max(worst, slope/m.sizes.At(m.first+at))
	}
	return worst, energy
}

// move moves a feature to z, and the residuals t with it.
func (m *model) move(j int, z float64) {
	at := j + m.intercept
	step := z - m.z[at]
	m.z[at] = z
	m.excess += step * m.a[j]
	if m.even {
		m.columns.AddRow(m.t, j, step)
		return
	}
	index, value := m.columns.Row(j)
	if len(value) == len(m.t) {
		t, v := m.t[:len(value)], m.v[:len(value)]
		for i, x := range value {
			t[i] += step * x * v[i]
		}
		return
	}
	value = value[:len(index)]
	for k, i := range index {
		m.t[uint32(i)] += step * value[k] * m.v[uint32(i)]
	}
}

const (
	mostSweeps  = 40 // of the whole set
	mostRepeats = 12 // of its part that is not 0, to one of all
)

// descend minimises the model over the set until the subgradients are at most the limit; it
// reports whether they are.
func (m *model) descend(set []int, limit float64) bool {
	var active []int
	for range mostSweeps {
		if worst, _ := m.sweep(set); !(worst > limit) {
			return true
		}
		active = active[:0]
		for _, j := range set {
			if m.z[j+m.intercept] != 0 {
				active = append(active, j)
			}
		}
		m.repeat(active, limit)
	}
	return false
}

// repeat sweeps over features that are not 0, and goes to where the sweeps lead.
func (m *model) repeat(active []int, limit float64) {
	m.past.count, m.past.tried = 0, false
	m.remember(active)
	before := math.Inf(1)
	for range mostRepeats {
		worst, energy := m.sweep(active)
		if !(worst > limit) {
			return
		}
		if m.past.tried && energy > before {
			m.goTo(m.past.points[len(m.past.points)-1], active)
		} else {
			before = energy
		}
		m.past.tried = false
		if m.remember(active); m.past.count == len(m.past.points) {
			m.extrapolate(active)
		}
	}
}

// remember keeps the present point.
func (m *model) remember(active []int) {
	z := m.past.next(len(active))
	for i, j := range active {
		z[i] = m.z[j+m.intercept]
	}
}

// goTo makes another point the present one.
func (m *model) goTo(z []float64, active []int) {
	for i, j := range active {
		if m.z[j+m.intercept] != z[i] {
			m.move(j, z[i])
		}
	}
}

// extrapolate goes to where the last sweeps lead.
func (m *model) extrapolate(active []int) {
	h := make([]float64, len(active))
	for i, j := range active {
		h[i] = m.h[j]
	}
	if m.past.tried = m.past.extrapolated(h); m.past.tried {
		m.goTo(m.past.points[0], active)
	}
	m.past.count = 0
}
