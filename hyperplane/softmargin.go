package hyperplane

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/exact"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
	"halfspace/qp/onecolumn"
	"halfspace/qp/squared"
)

// defaultTol is the tolerance of the gap of soft margins and tubes, relative to the objective.
const defaultTol = 1e-7

// Loss is what the slack ξ = max(0, 1 − y·f) of a row costs, in units of its price.
type Loss uint8

const (
	Hinge        Loss = iota // ξ
	SquaredHinge             // ξ²
)

// String returns "hinge" or "squared-hinge".
func (l Loss) String() string {
	if names := []string{"hinge", "squared-hinge"}; int(l) < len(names) {
		return names[l]
	}
	return fmt.Sprintf("Loss(%d)", uint8(l))
}

// of returns the loss of a slack, which may be negative.
func (l Loss) of(slack float64) float64 {
	slack = max(0, slack)
	if l == SquaredHinge {
		return slack * slack
	}
	return slack
}

// conjugate returns what a multiplier costs in the dual objective.
func (l Loss) conjugate(alpha, price float64) float64 {
	if l == SquaredHinge && alpha > 0 {
		return alpha * (alpha / (4 * price))
	}
	return 0
}

// bounds returns the largest multiplier of each row.
func (l Loss) bounds(price []float64) []float64 {
	if l == Hinge {
		return price
	}
	up := make([]float64, len(price))
	for i, c := range price {
		if c > 0 {
			up[i] = math.Inf(1)
		}
	}
	return up
}

// solver fits one plane at a time.
type solver struct {
	noIntercept      bool
	loss             Loss
	tol              float64
	maxIter, workers int
	trace            func(optimize.Step) error
	near             *Machine              // of a fit to the same rows for another price
	inside           bool                  // that fit's multipliers reach neither price, and its plane is the one for both
	shown            int                   // steps of the runs before this one
	cause            error                 // with which trace ended a fit
	held             [plattFolds][]float64 // multipliers of the folds of the task before, nil where it is not alike
	scratch
}

// scratch spares the fits of pairs of many classes what is needed between two of their models.
type scratch struct {
	rows                               []int
	values, price, square, slack, back []float64
	gap                                softGap
}

func newSolver(noIntercept bool, tol float64, maxIter, workers int, trace func(optimize.Step) error) (solver, error) {
	tol, err := sample.Positive("Tol", tol, 1e-8)
	if err != nil {
		return solver{}, err
	}
	if _, err := sample.Count("MaxIter", maxIter, 0); err != nil {
		return solver{}, err
	}
	if _, err := sample.Count("Workers", workers, 0); err != nil {
		return solver{}, err
	}
	return solver{noIntercept: noIntercept, tol: tol, maxIter: maxIter, workers: workers, trace: trace}, nil
}

// stricter is how much smaller the gap of the multipliers is to be than that of the plane
// which is made of them.
const stricter = 0.5

// solve minimises p from start, which may be nil.
func (s *solver) solve(p *qp.Problem, start []float64) (*qp.Result, error) {
	o := &qp.Options{Start: start, Tol: stricter * s.tol, MaxIter: s.maxIter, Trace: s.keepCause()}
	if s.near != nil {
		o.Near = &qp.Result{V: s.near.Plane.beta(), Multiplier: -s.near.Plane.offset}
	}
	return qp.Solve(p, o)
}

// keepCause returns the caller's trace, whose error is kept as the cause.
func (s *solver) keepCause() func(optimize.Step) error {
	if s.trace == nil {
		return nil
	}
	return func(step optimize.Step) error {
		step.Iteration += s.shown
		s.cause = s.trace(step)
		return s.cause
	}
}

// end returns the error of a fit: that of its report, or the trace's where the fit is made all the same.
func (s *solver) end(r optimize.Report) error {
	return cmp.Or(r.Err(s.cause), s.cause)
}

// halted reports whether the trace ended the fit at this machine or before it.
func (m *Machine) halted() bool {
	return m.Report.Status() == optimize.Stopped || m.Report.Status() == optimize.None
}

// maxPrice keeps products of prices and rows within floating point.
const maxPrice = 1e100

// checkPrices refuses prices of slack beyond maxPrice.
func checkPrices(price []float64) error {
	for _, v := range price {
		if !(v <= maxPrice) {
			return &sample.OptionError{Name: "C times the weight of a row", Value: v, Want: "at most 1e100"}
		}
	}
	return nil
}

// prices returns what slack costs in each row: C times the weights of the row and its class. Fits,
// and all who judge them, have it from here, to the last digit.
//
// Errors: those of [sample.Labels.Weigh] and checkPrices.
func prices(l sample.Labels, c float64, w, classWeights []float64) ([]float64, error) {
	price, err := l.Weigh(w, classWeights)
	if err != nil {
		return nil, err
	}
	linalg.Scale(price, c)
	return price, checkPrices(price)
}

// softMargin fits the plane between the rows of q with sign −1 and +1, the slack of row i
// costing price[i], and returns all multipliers beside it, of which the machine lists none: its second words are those
// of all rows. The plane is nil where the problem could not be posed.
func (s *solver) softMargin(q *qp.Linear, price, start []float64) (m Machine, alpha []float64, err error) {
	if s.inside {
		m, alpha = s.machine(q, price, s.near.Plane, start, optimize.Report{}), start
	}
	if m.Plane == nil || !m.Report.Certificate().Holds() {
		if plane, a := s.closedForm(q, price); plane != nil {
			m, alpha = s.machine(q, price, plane, a, optimize.Report{}), a
		}
	}
	if m.Plane == nil || !m.Report.Certificate().Holds() {
		plane, found, report, err := s.optimum(q, price, start)
		if plane == nil {
			return Machine{}, nil, err
		}
		m, alpha = s.machine(q, price, plane, found, report), found
		if s.loss == SquaredHinge && m.Report.Status() == optimize.LineSearch && m.Report.Certificate().Value > fewDigits {
			alpha = s.withoutSlack(q, price, &m, alpha)
		}
	}
	if err := m.Plane.InRange(); err != nil {
		return Machine{}, nil, err
	}
	if m.Report.Status() == optimize.Direct { // no step was shown
		s.cause = m.Report.Show(s.trace, 0, alpha)
	}
	return m, alpha, s.end(m.Report)
}

// fewDigits is a gap of the squared hinge loss that more than the rounding of the last digits leaves.
const fewDigits = 1e-6

// withoutSlack makes m, a machine of the squared hinge loss, that of the hinge if this bounds the minimum better, and returns its multipliers,
// until then alpha: rows separated by columns so large have slacks α/2C below rounding, and Σα²/4C is less than that of ½‖β‖².
func (s *solver) withoutSlack(q *qp.Linear, price []float64, m *Machine, alpha []float64) []float64 {
	hinge := *s
	hinge.loss, hinge.near, hinge.shown = Hinge, nil, s.shown+m.Report.Iterations()
	most := linalg.Clone(price)
	linalg.Scale(most, 2) // α = 2Cξ for a slack of 1, to which none of these comes near
	plane, other, report, _ := hinge.optimum(q, most, nil)
	s.cause = hinge.cause
	if plane == nil {
		return alpha
	}
	both := together(m.Report, report)
	if n := s.machine(q, price, plane, other, both); n.Report.Certificate().Value < m.Report.Certificate().Value {
		*m = n
		return other
	}
	m.Report = both.Certify(m.Report.Objective(), m.Report.Certificate())
	return alpha
}

// machine returns the machine of a plane and of multipliers, whose last digits it mends.
func (s *solver) machine(q *qp.Linear, price []float64, plane *Plane, alpha []float64, report optimize.Report) Machine {
	signs := q.Sign
	if s.noIntercept {
		signs = nil
	} else {
		balance(alpha, signs)
	}
	left := mend(alpha, signs, s.loss.bounds(price))
	g := s.newSoftGap(q, price, alpha, left)
	s.slack = sized(s.slack, q.Len())
	g.slack = s.slack
	e := publish(g, plane, s.tol)
	return Machine{Plane: e.plane, Remainders: e.low, Report: report.Certify(e.primal, s.gap(e.primal, e.dual))}
}

// list gives m the rows of the task that have a multiplier. Of classes by the hundred there are many lists, so that they
// have no room to grow, and are those of the fit before where these are the same.
func (s *solver) list(m *Machine, t task, alpha []float64) {
	low := m.Remainders
	m.Remainders, s.rows, s.values = nil, s.rows[:0], s.values[:0]
	for i, a := range alpha {
		if a > 0 {
			s.rows, s.values = append(s.rows, t.row(i)), append(s.values, a)
			if low != nil {
				m.Remainders = append(m.Remainders, low[i])
			}
		}
	}
	var before Machine
	if s.near != nil {
		before = *s.near
	}
	m.Support, m.Multipliers = again(before.Support, s.rows), again(before.Multipliers, s.values)
}

// again returns a list that is kept if the other is the same, else a copy of this.
//
//go:noinline // a program would have two copies
func again[T comparable](kept, list []T) []T {
	if kept != nil && slices.Equal(kept, list) {
		return kept
	}
	return append(make([]T, 0, len(list)), list...)
}

// closedForm returns the plane and multipliers of few rows or of one feature, nil for other problems.
func (s *solver) closedForm(q *qp.Linear, price []float64) (plane *Plane, alpha []float64) {
	switch {
	case !s.noIntercept:
		s.slack = sized(s.slack, q.Len())
		plane, alpha = betweenRows(q, price, s.loss, s.slack)
	case s.loss == Hinge:
		plane, alpha = throughZero(q, price)
	}
	if plane == nil && s.loss == Hinge && q.Rank() == 1 {
		multipliers, beta, level := onecolumn.SoftMargin(q, price, !s.noIntercept)
		plane, alpha = planeAt([]float64{beta}, q.Origin, level), multipliers
	}
	return plane, alpha
}

// optimum returns a plane whose gap to the multipliers is at most about half the tolerance, nil where the problem could not be posed.
func (s *solver) optimum(q *qp.Linear, price, start []float64) (*Plane, []float64, optimize.Report, error) {
	if s.loss == SquaredHinge {
		r, err := squared.Minimize(&squared.Problem{Rows: q, Price: price, NoLevel: s.noIntercept},
			&squared.Options{Start: start, Tol: stricter * s.tol, MaxIter: s.maxIter, Trace: s.keepCause()})
		if err != nil {
			return nil, nil, optimize.Report{}, err
		}
		return planeAt(r.Beta, q.Origin, r.Level), r.Alpha, r.Report, nil
	}
	p := &qp.Problem{Q: q, Linear: make([]float64, len(price)), Sign: q.Sign, Upper: price}
	for i := range p.Linear {
		p.Linear[i] = -1
	}
	if s.noIntercept {
		p.Sign = nil
	}
	r, err := s.solve(p, start)
	if r == nil {
		return nil, nil, optimize.Report{}, err
	}
	return planeOf(q, r), r.Alpha, r.Report, nil
}

// roundoff bounds the relative error of a product of two vectors, as far as it is worth
// anything: rounding errors add up like √p or less. twofoldRoundoff is that in twice the working precision.
const roundoff, twofoldRoundoff = 0x1p-50, 0x1p-100

// noticeable is the rounding error, relative to an objective and in units of the
// tolerance, from which on it is computed in twice the working precision.
const noticeable = 1e-3

// softGap is the dual side of a soft margin: the multipliers, in terms of which the
// gap of any plane can be computed.
type softGap struct {
	q           *qp.Linear
	loss        Loss
	noIntercept bool
	price       []float64
	alpha, low  []float64 // low holds second words, nil of none
	dual        float64   // Σα − ½‖Σαᵢyᵢ(xᵢ−c)‖², for squared hinge loss − Σα²/4C, less what rounding may have added
	open        float64   // a bound on |Σαy|, which rounding leaves of 0; 0 without an intercept
	radius      float64   // the largest ‖xᵢ−c‖ of a row that counts
	tol         float64   // of the gap, at most defaultTol
	slack       []float64 // room for the evidence of one plane after the other; nil where each has its own
}

func (s *solver) newSoftGap(q *qp.Linear, price, alpha []float64, open float64) *softGap {
	s.square, s.back = sized(s.square, q.Len()), sized(s.back, q.Rank())
	g := &s.scratch.gap
	*g = softGap{q: q, loss: s.loss, noIntercept: s.noIntercept, price: price, alpha: alpha, open: open, radius: radius(s.square, q, price), tol: min(defaultTol, s.tol)}
	var sum, costs exact.Sum // of a million terms the rounding of plain sums is 1e-11 of them
	for i, a := range alpha {
		sum.Add(a, 0)
		costs.Add(s.loss.conjugate(a, price[i]), 0)
	}
	total, cost := sum.Value(), costs.Value()
	half, unsure := halfSquare(s.back, q, alpha, total, g.radius, g.tol)
	g.dual = total - cost - half - unsure - roundoff*(total+cost)
	return g
}

// softEvidence is a plane and the objectives between which the minimum lies.
type softEvidence struct {
	plane        *Plane
	slack        []float64 // 1 − y·f
	low          []float64 // second words of the multipliers, nil of none
	primal, dual float64
}

// inTwoWords returns g with multipliers of two words each, nearer to those of the plane, or g
// itself where there are none.
func (g *softGap) inTwoWords(p *Plane) *softGap {
	low, v := secondWords(g.q, g.alpha, g.loss.bounds(g.price), p.beta(), g.noIntercept)
	if low == nil {
		return g
	}
	var total, open, costs exact.Sum
	for i, a := range g.alpha {
		for _, word := range []float64{a, low[i]} {
			total.Add(word, 0)
			open.Add(g.q.Sign[i]*word, 0)
		}
		costs.Add(g.loss.conjugate(a+low[i], g.price[i]), 0)
	}
	cost := costs.Value()
	half, unsure := halfOf(v, twofoldRoundoff*g.radius*total.Value())
	sum := *g
	sum.low = low
	sum.dual = total.Value() - cost - half - unsure - roundoff*(total.Value()+cost)
	if !g.noIntercept {
		sum.open = math.Abs(open.Value()) + float64(len(low))*twofoldRoundoff*total.Value()
	}
	return &sum
}

// evidence returns the evidence that the multipliers are for a plane: the primal objective
// ½‖β‖² + ΣC·loss(ξ), and a bound from below on the least one, P* ≥ D − |Σαy|·|b*|. The best plane
// has a row with y·f ≤ 1 on either side, so |b*| ≤ 1 + R‖β*‖ for ‖xᵢ−c‖ ≤ R, and
// ½‖β*‖² ≤ P, less the rounding of either. It changes neither. O(np).
func (g *softGap) evidence(p *Plane) softEvidence {
	e := softEvidence{plane: p, low: g.low, slack: sized(g.slack, g.q.Len())}
	g.q.Apply(e.slack, p.beta())
	for i, s := range g.q.Sign {
		e.slack[i] = 1 - (e.slack[i] + s*p.offset)
	}
	noise, norm := 0.0, linalg.Norm(p.beta())
	if norm > 0 { // else slacks are rounded once
		noise = roundoff * (1 + math.Abs(p.offset) + g.radius*norm)
	}
	var unsure float64
	if e.primal, unsure = g.primal(p, e.slack, noise); unsure > noticeable*g.tol*e.primal {
		g.q.ExactResiduals(e.slack, p.beta(), p.offset, g.q.Sign)
		for i, s := range g.q.Sign {
			e.slack[i] *= -s
		}
		e.primal, unsure = g.primal(p, e.slack, 0)
	}
	e.dual = g.dual - unsure - roundoff*e.primal
	if g.open > 0 {
		e.dual -= g.open * (1 + g.radius*math.Sqrt(2*e.primal))
	}
	e.dual = max(0, e.dual) // no objective is less
	return e
}

// primal returns ½‖β‖² + ΣC·loss(ξ), and by how much it is wrong where slacks are by noise.
func (g *softGap) primal(p *Plane, slack []float64, noise float64) (f, unsure float64) {
	var sum exact.Sum
	sum.Add(linalg.Dot(p.beta(), p.beta())/2, 0)
	for i, v := range slack {
		if v > 0 {
			sum.Add(g.price[i]*g.loss.of(v), 0)
		}
		if v > -noise {
			unsure += g.price[i] * (g.loss.of(v+noise) - g.loss.of(v))
		}
	}
	return sum.Value(), unsure
}

const (
	roundingSlack = 1e-11 // a slack that rounding explains
	roundingShare = 1e-2  // of the tolerance is a gap that is too wide to be left to such slacks
	mostScales    = 30    // that are tried
	scaleMargin   = 1e-14 // by which a plane is scaled up beyond twice such a slack, in which it is rounded itself
)

// publish chooses the plane to publish for the multipliers of g, and returns it with its evidence. It is the
// given plane, unless its gap is a share of tol for want of digits: then it may be that plane scaled up, and
// above tol multipliers of two words may bound the minimum, or no plane at all cost less.
func publish(g *softGap, p *Plane, tol float64) softEvidence {
	e := g.evidence(p)
	if e.gap() > tol*roundingShare {
		e = g.scaledUp(e, tol)
	}
	if e = g.finer(e, tol); e.gap() > tol && e.low == nil {
		if none := g.evidence(planeAt(make([]float64, len(p.beta())), p.origin, 0)); none.primal < e.primal {
			return none
		}
	}
	return e
}

// finer returns e, or where its gap is above tol that of multipliers of two words if they halve it.
func (g *softGap) finer(e softEvidence, tol float64) softEvidence {
	if e.gap() > tol {
		if fine := g.inTwoWords(e.plane).evidence(e.plane); fine.gap() < e.gap()/2 {
			return fine
		}
	}
	return e
}

// scaledUp returns the evidence for the plane of e or for that scaled up, whichever has the
// smaller gap: where C is huge, slacks of 1e-16 of rows that the multipliers hold on the
// margin are a large primal objective, and the scale makes them 0. Rows that lie far off have slacks of the
// rounding of β, and another scale rounds it anew.
func (g *softGap) scaledUp(e softEvidence, tol float64) softEvidence {
	best := e
	for try := 0; g.loss == Hinge && (try == 0 || try < mostScales && best.gap() > tol); try++ {
		short, rounding := 0.0, max(roundingSlack, 0x1p-52*g.radius*linalg.Norm(e.plane.beta()))
		for i, slack := range e.slack {
			if slack < rounding && g.alpha[i] < g.price[i] {
				short = max(short, slack)
			}
		}
		if short == 0 {
			break
		}
		scale := 1 + 2*short + scaleMargin
		up := planeAt(slices.Clone(e.plane.beta()), e.plane.origin, e.plane.offset*scale)
		linalg.Scale(up.beta(), scale)
		if e = g.evidence(up); e.gap() < best.gap() {
			best = e
		}
	}
	return best
}

// gap returns the duality gap relative to the primal objective.
func (e *softEvidence) gap() float64 { return relativeGap(e.primal, e.dual) }

// relativeGap returns the duality gap relative to the primal objective, 0 for two that are
// equal.
func relativeGap(primal, dual float64) float64 {
	if primal == dual {
		return 0
	}
	return math.Abs(primal-dual) / max(primal, leastObjective)
}

// leastObjective is so small that prices which leave no more have underflowed.
const leastObjective = 1e-290

// gap is the certificate of a primal and a dual objective.
func (s *solver) gap(primal, dual float64) optimize.Certificate {
	return optimize.Certificate{Kind: optimize.KindGap, Value: relativeGap(primal, dual), Tol: s.tol}
}
