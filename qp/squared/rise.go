package squared

import (
	"halfspace/linalg"
	"halfspace/optimize"
)

const (
	// mostSearched are solutions of the equations that may lie higher than the place from which they were looked for:
	// from then on Newton's method goes by way of lower prices. Steps to the minima of classes that overlap seldom
	// meet one.
	mostSearched = 3

	// Prices that rise by 4 to 100 at relative bounds of .1 to 1 took times that differ by less than twice; with
	// at most 10 steps at each of those by 100, three of ten planes of images crept on afterwards.
	leastPart  = 1e-30 // of the prices, at first
	partStep   = 10    // by which it rises
	nearEnough = 1     // the relative bound from which on it does
	mostAlong  = 30    // steps at one part
)

// turnToPrices reports whether lower prices have their only turn: the bound is not within its tolerance, and the
// run has steps left.
func (m *minimizer) turnToPrices(run *optimize.Progress) bool {
	turn := !m.risen && !run.Spent() && m.relative() > m.tol
	m.risen = m.risen || turn
	return turn
}

// rise goes from 0 to near the minimum by way of those for lower prices (a path of solutions, or homotopy: Nocedal &
// Wright, Numerical Optimization, section 11.3), if F is less there, and reports whether the run goes on. At the
// least prices, for which β hardly lies apart from 0, all rows are active; of those that a higher price leaves, most
// are known from the one before. The trace sees F of the prices that were asked for, and the bound by the place before.
func (m *minimizer) rise(run *optimize.Progress) (goesOn bool) {
	full, was := m.Problem, m.ended(optimize.None)
	low, top, least := *full, 0.0, was.value-was.excess
	low.Price = make([]float64, m.n)
	for _, c := range full.Price {
		top = max(top, c)
	}
	m.Problem, m.level, goesOn = &low, 0, true
	clear(m.beta)
	for part := max(leastPart, 1/(2*m.radius*m.radius*top)); part < 1 && goesOn; part *= partStep {
		copy(low.Price, full.Price)
		linalg.Scale(low.Price, part)
		m.measure()
		step := 0
		for m.bound(); m.relative() > nearEnough && step < mostAlong; m.bound() {
			f := full.valueOf(&m.point)
			if goesOn = !run.Show(m.beta, f, optimize.GapOf(f-least, f, 0).Value, 0) && !run.Spent(); !goesOn {
				break
			}
			run.Count()
			if step++; m.step() {
				break
			}
		}
		if step == mostAlong { // steps creep here too
			break
		}
	}
	m.Problem = full
	m.measure()
	if !(m.value <= was.value) {
		m.point = was.point
		m.place(nil)
	}
	m.bound()
	return goesOn
}
