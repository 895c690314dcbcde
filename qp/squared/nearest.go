package squared

import (
	"errors"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/qp"
)

// creeps is the number of steps of Newton's method, from 0 or from where lower prices led, after which other methods
// have their turn. Where classes are nearly apart, active rows are fewer than columns. Their equations have a solution
// with hardly a slack, which lies far from the minimum, and a step towards it ends at the next row. On 3000 images of
// 196 pixels, one class against the rest, hundreds of steps were needed.
const creeps = 30

// mostPoints is the number of points that may join, and mostCoordinates that of the coordinates, of p columns and n edges,
// which the active rows may have: 500 MB.
const mostPoints, mostCoordinates = 10_000, 1 << 26

// turnToPoints reports whether the nearest points have their only turn: the bound is not within its tolerance, rows that
// carry the plane are few, there is room for them as points, and the run has steps left.
func (m *minimizer) turnToPoints(run *optimize.Progress) bool {
	turn := !m.pointed && !run.Spent() && m.relative() > m.tol && len(m.active) <= max(m.p, mostFactored) &&
		float64(m.n+m.p)*float64(len(m.active)) <= mostCoordinates
	m.pointed = m.pointed || turn
	return turn
}

// edged are the rows with a coordinate of its own for each, 1/√2c: the nearest points of their hulls are those of the
// squared slack, for ‖Σγp‖² = ‖Σγs(x−o)‖² + Σγ²/2c (Cortes & Vapnik, Machine Learning 20, 1995, of a margin that is hard there).
type edged struct {
	rows *qp.Linear
	edge []float64
}

// edged returns the rows so; those without a price, of infinite edges, are to be left out.
func (m *minimizer) edged() *edged {
	e := &edged{m.Rows, make([]float64, m.n)}
	for i, c := range m.Price {
		e.edge[i] = 1 / math.Sqrt(2*c)
	}
	return e
}

func (e *edged) Len() int  { return len(e.edge) }
func (e *edged) Rank() int { return e.rows.Rank() + len(e.edge) }

func (e *edged) Apply(dst, v []float64) {
	p := e.rows.Rank()
	e.rows.Apply(dst, v[:p])
	for i, u := range e.edge {
		dst[i] += u * v[p+i]
	}
}

func (e *edged) ApplyT(dst, r []float64) {
	p := e.rows.Rank()
	e.rows.ApplyT(dst[:p], r)
	for i, u := range e.edge {
		dst[p+i] = u * r[i]
	}
}

func (e *edged) AddRow(dst []float64, i int, f float64) {
	p := e.rows.Rank()
	e.rows.AddRow(dst[:p], i, f)
	dst[p+i] += f * e.edge[i]
}

// errEnded ends the search for nearest points with the run.
var errEnded = errors.New("the run has ended")

// nearest goes to the nearest points of the hulls of edged rows, if F is less there, or as small with a better bound,
// and reports whether the run goes on. O(m(p + n)) a point that joins, for the m points that carry the plane.
func (m *minimizer) nearest(run *optimize.Progress) (goesOn bool) {
	h, groups := &qp.Hulls{Points: m.edged(), Weight: m.Price}, 1.0
	if !m.NoLevel {
		h.Sign, groups = m.Rows.Sign, 2
	}
	goesOn = true
	allow := func(steps int) {
		if m.maxIter == 0 && goesOn {
			run.Allow(steps)
		}
	}
	allow(mostPoints)
	near, _ := qp.NearestPoints(h, &qp.HullOptions{Trace: func(optimize.Step) error {
		run.Count()
		if goesOn = !run.Show(m.beta, m.value, m.relative(), 0) && !run.Spent(); !goesOn {
			return errEnded
		}
		return nil
	}})
	allow(defaultSteps)
	if near == nil || !goesOn {
		return goesOn
	}
	w := near.Difference
	scale := groups / linalg.Dot(w, w)
	to, alpha := &point{beta: w[:m.p:m.p], slack: make([]float64, m.n)}, near.Weights
	linalg.Scale(to.beta, scale)
	linalg.Scale(alpha, scale)
	if !m.NoLevel {
		m.Rows.Apply(to.slack, to.beta)
		for k, i := range near.Points {
			to.level += m.Rows.Sign[i] * (1 - alpha[k]/(2*m.Price[i]) - to.slack[i]) / float64(len(alpha))
		}
	}
	was, active := m.ended(optimize.None), slices.Clone(m.active)
	m.evaluate(to)
	m.active = near.Points
	m.accept(to, alpha)
	m.bound()
	if !(m.value < was.value || m.excess < was.excess && m.value <= was.value*(1+m.tol)) {
		m.point, m.alpha, m.excess, m.active = was.point, was.alpha, was.excess, active
		return true
	}
	m.byColumn = nil // steps that follow have to come closer than the points, not than what was before
	m.turnToRows(optimize.LineSearch)
	return true
}
