package squared

import (
	"cmp"
	"math"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/qp/descent"
)

// passes are the limits of the turns of coordinate descent: before Newton's method, which took from a
// third to five times the time of 300 passes or more (8000 and 20,000 texts), and once conjugate
// gradients take too long for that, C = 1e4, where 900 passes took a fifth of its time.
var passes = [2]int{300, 3000}

// pose states the dual problem of sparse rows, and multipliers to start from.
func (m *minimizer) pose(x *linalg.CSR, start []float64) {
	vec := linalg.Zeros(6, m.n)
	d := &descent.Problem{Rows: x, Sign: m.Rows.Sign, Squares: vec.Row(0), Linear: vec.Row(1), Ridge: vec.Row(2),
		Lower: vec.Row(3), Upper: vec.Row(4)}
	if !m.NoLevel {
		d.Balance = d.Sign
	}
	m.Rows.Diag(d.Squares)
	m.dual, m.at = d, descent.Point{Alpha: vec.Row(5), V: make([]float64, m.p)}
	for i, c := range m.Price {
		if d.Linear[i] = -1; c > 0 {
			d.Ridge[i], d.Upper[i] = 1/(2*c), math.Inf(1)
			if start != nil {
				m.at.Alpha[i] = max(0, start[i])
			}
		}
	}
	m.Rows.ApplyT(m.at.V, m.at.Alpha)
}

// descends reports whether coordinate descent has a turn.
func (m *minimizer) descends() bool {
	return m.dual != nil && (m.turns == 0 || m.turns == 1 && !m.conjugate)
}

// descend goes to where coordinate descent leads, or stays where it has not come as far, and reports
// whether the caller has not ended the work.
func (m *minimizer) descend(run *optimize.Progress) bool {
	m.dual.Passes = passes[m.turns]
	m.turns++
	run.Allow(cmp.Or(m.maxIter, math.MaxInt))
	was, level := linalg.Clone(m.beta), m.level
	lowest := m.value
	place := func() bool {
		copy(m.beta, m.at.V)
		m.level = -m.at.Multiplier
		m.measure()
		m.bound()
		return m.relative() <= m.tol
	}
	ended := false
	if !m.dual.Minimize(&m.at, m.tol, func(f, gap float64) bool {
		run.Count()
		ended = run.Show(m.at.V, gap-f, gap/(gap-f), 0) || run.Spent()
		return ended
	}, place) && !place() && !(m.value <= lowest) {
		m.beta, m.level = was, level
		m.measure()
		m.bound()
	}
	if !ended {
		run.Allow(cmp.Or(m.maxIter, defaultSteps))
	}
	return !ended
}
