package hyperplane

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
)

// solver fits one plane at a time.
type solver struct {
	noIntercept bool
	tol         float64
	maxIter     int
	workers     int
	trace       func(optimize.Step) error
	cause       error // with which trace ended a fit
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

// solve minimises p from start, which may be nil.
func (s *solver) solve(p *qp.Problem, start []float64) (*qp.Result, error) {
	return qp.Solve(p, &qp.Options{Start: start, Tol: s.tol, MaxIter: s.maxIter, Trace: s.follow()})
}

// follow returns the caller's trace, whose error is kept as the cause.
func (s *solver) follow() func(optimize.Step) error {
	if s.trace == nil {
		return nil
	}
	return func(step optimize.Step) error {
		s.cause = s.trace(step)
		return s.cause
	}
}

// softMargin fits the plane between the rows of sign −1 and +1, the slack of row i
// costing price[i], and returns all multipliers beside it. The plane is nil
// where the problem could not be posed.
func (s *solver) softMargin(x *linalg.Dense, sign, price, start []float64) (Machine, []float64, error) {
	q := s.kernel(x, sign, price)
	p := &qp.Problem{Q: q, Linear: make([]float64, len(sign)), Sign: sign, Upper: price}
	for i := range p.Linear {
		p.Linear[i] = -1
	}
	if s.noIntercept {
		p.Sign = nil
	}
	r, err := s.solve(p, start)
	if r == nil {
		return Machine{}, nil, err
	}
	if !s.noIntercept {
		balance(r.Alpha, sign)
	}
	e := publish(newSoftGap(q, price, r.Alpha, s.noIntercept), planeOf(q, r), s.tol)
	m := Machine{Plane: e.plane, Report: certifyGap(r.Report, e.primal, e.dual)}
	for i, a := range r.Alpha {
		if a > 0 {
			m.Support, m.Multipliers = append(m.Support, i), append(m.Multipliers, a)
		}
	}
	if err := m.Plane.inRange(); err != nil {
		return Machine{}, nil, err
	}
	return m, r.Alpha, m.Report.Err(s.cause)
}

// balance scales the multipliers of the heavier side down until Σαy = 0, which a
// solver leaves open by its tolerance: only then is the dual objective a bound on
// the primal one. A nil sign stands for multipliers that carry their own.
func balance(alpha, sign []float64) {
	var plus, minus float64
	signed := func(i int) float64 {
		if sign == nil {
			return alpha[i]
		}
		return sign[i] * alpha[i]
	}
	for i := range alpha {
		plus += max(0, signed(i))
		minus += max(0, -signed(i))
	}
	least := min(plus, minus)
	if max(plus, minus)-least <= 1e-12*least {
		return // rounding; the multipliers at their bounds stay there
	}
	for i := range alpha {
		switch a := signed(i); {
		case a > 0 && plus > least:
			alpha[i] *= least / plus
		case a < 0 && minus > least:
			alpha[i] *= least / minus
		}
	}
}

// softGap is the dual side of a soft margin: the multipliers, in terms of which the
// gap of any plane can be computed.
type softGap struct {
	q     *qp.Linear
	price []float64
	alpha []float64
	dual  float64 // Σα − ½‖Σαᵢyᵢ(xᵢ−c)‖²
	open  float64 // |Σαy|, which rounding leaves of 0; 0 without an intercept
}

func newSoftGap(q *qp.Linear, price, alpha []float64, noIntercept bool) *softGap {
	v := make([]float64, q.Rank())
	q.ApplyT(v, alpha)
	g := &softGap{q: q, price: price, alpha: alpha, dual: -linalg.Dot(v, v) / 2}
	for _, a := range alpha {
		g.dual += a
	}
	if !noIntercept {
		g.open = math.Abs(linalg.Dot(q.Sign, alpha))
	}
	return g
}

// softEvidence is a plane and the objectives between which the minimum lies.
type softEvidence struct {
	plane        *Plane
	margin       []float64 // y·f
	primal, dual float64
}

// of returns the evidence that the multipliers are for a plane: the primal objective
// ½‖β‖² + ΣCξ, and the dual one less the worth of Σαy. It changes neither. O(np).
func (g *softGap) of(p *Plane) softEvidence {
	e := softEvidence{plane: p, margin: make([]float64, g.q.Len()),
		primal: linalg.Dot(p.beta, p.beta) / 2, dual: g.dual - g.open*math.Max(1, math.Abs(p.offset))}
	g.q.Apply(e.margin, p.beta)
	for i, s := range g.q.Sign {
		e.margin[i] += s * p.offset
		if e.margin[i] < 1 {
			e.primal += g.price[i] * (1 - e.margin[i])
		}
	}
	return e
}

const (
	roundingSlack = 1e-11 // a slack that rounding explains
	scaleMargin   = 1e-14 // by which a plane is scaled up beyond twice such a slack, in which it is rounded itself
)

// publish chooses the plane to publish for the multipliers of g, and returns it with
// its evidence. It is the given plane, unless its gap is above tol for want of
// digits: where C is huge, slacks of 1e-16 of rows that the multipliers hold on the
// margin are a large primal objective. Then it is the plane scaled up by as much as
// makes those slacks 0, if that has the smaller gap.
func publish(g *softGap, p *Plane, tol float64) softEvidence {
	e := g.of(p)
	if relativeGap(e.primal, e.dual) <= tol {
		return e
	}
	short := 0.0
	for i, f := range e.margin {
		if slack := 1 - f; slack < roundingSlack && g.alpha[i] < g.price[i] {
			short = max(short, slack)
		}
	}
	if short == 0 {
		return e
	}
	scale := 1 + 2*short + scaleMargin
	up := &Plane{slices.Clone(p.beta), p.origin, p.offset * scale}
	linalg.Scale(up.beta, scale)
	if scaled := g.of(up); relativeGap(scaled.primal, scaled.dual) < relativeGap(e.primal, e.dual) {
		return scaled
	}
	return e
}

// relativeGap returns the duality gap relative to max(1, primal objective). A dual
// above the primal is rounding, and measures it.
func relativeGap(primal, dual float64) float64 {
	return math.Abs(primal-dual) / max(1, math.Abs(primal))
}

// certifyGap certifies r by the duality gap.
func certifyGap(r optimize.Report, primal, dual float64) optimize.Report {
	c := r.Certificate()
	c.Value = relativeGap(primal, dual)
	return r.Certify(primal, c)
}

// blank is the machine of a fit that was stopped before its turn.
func blank(p int, tol float64) Machine {
	return Machine{Plane: &Plane{beta: make([]float64, p)}, Report: optimize.NewReport(optimize.Stopped, 0, 0,
		optimize.Certificate{Kind: optimize.KindGap, Value: 1, Tol: tol})}
}

// kernel returns the linear kernel of x with the given signs, about the column
// means where those are large beside the spread.
func (s *solver) kernel(x *linalg.Dense, sign, price []float64) *qp.Linear {
	q := &qp.Linear{X: x, Sign: sign, Workers: s.workers}
	if !s.noIntercept {
		q.Origin = origin(x, price)
	}
	return q
}

// planeOf returns the plane β = Aᵀα, b₀ = −b of a solution.
func planeOf(q *qp.Linear, r *qp.Result) *Plane {
	return &Plane{r.V, q.Origin, -r.Multiplier}
}

// inRange returns a *[linalg.RangeError] for a plane whose numbers are not finite,
// as happens where the rows or the price of slack are of extreme size.
func (p *Plane) inRange() error {
	for j, b := range p.beta {
		if b-b != 0 {
			return &linalg.RangeError{Column: j}
		}
	}
	if b := p.Intercept(); b-b == 0 && p.offset-p.offset == 0 {
		return nil
	}
	column := 0
	for j, b := range p.beta {
		if math.Abs(b) > math.Abs(p.beta[column]) {
			column = j
		}
	}
	return &linalg.RangeError{Column: column}
}

// farOff is the ratio of mean to standard deviation above which products are taken
// about the mean; below it they lose at most three digits.
const farOff = 30

// origin returns, for the columns that lie far off, the means of the rows of x whose
// weight w is not 0 (nil: of all), and 0 for the others; nil where 0 does for all.
// O(np).
func origin(x *linalg.Dense, w []float64) []float64 {
	n, p := x.Dims()
	mean, square := make([]float64, p), make([]float64, p)
	var first []float64
	count := 0.0
	for i := range n {
		if w != nil && w[i] == 0 {
			continue
		}
		if first == nil {
			first = x.Row(i)
		}
		count++
		for j, v := range x.Row(i) {
			d := v - first[j]
			mean[j] += d
			square[j] += d * d
		}
	}
	if first == nil { // weights of next to nothing times a small C
		return nil
	}
	far := false
	for j := range mean {
		d := mean[j] / count
		mean[j] = first[j] + d
		sd := math.Sqrt(max(0, square[j]/count-d*d))
		if math.Abs(mean[j]) > farOff*sd {
			far = true
		} else {
			mean[j] = 0
		}
	}
	if !far {
		return nil
	}
	return mean
}
