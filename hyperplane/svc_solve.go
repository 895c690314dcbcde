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
	m := Machine{Plane: planeOf(q, r), Report: r.Report}
	if !s.noIntercept {
		balance(r.Alpha, sign)
	}
	for i, a := range r.Alpha {
		if a > 0 {
			m.Support, m.Multipliers = append(m.Support, i), append(m.Multipliers, a)
		}
	}
	if err := m.Plane.inRange(); err != nil {
		return Machine{}, nil, err
	}
	m.certify(q, price, r, s.noIntercept)
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

// certify sets objective and certificate from the plane and the multipliers. Where
// C is huge, slacks of 1e-16 are a large primal objective; then the plane is
// scaled up by as much as makes those slacks 0.
func (m *Machine) certify(q *qp.Linear, price []float64, r *qp.Result, noIntercept bool) {
	v := make([]float64, q.Rank())
	q.ApplyT(v, r.Alpha)
	dual := -linalg.Dot(v, v) / 2
	for _, a := range r.Alpha {
		dual += a
	}
	// What rounding of Σαy = 0 is worth.
	if !noIntercept {
		dual -= math.Abs(linalg.Dot(q.Sign, r.Alpha)) * math.Max(1, math.Abs(m.Plane.offset))
	}
	margin := make([]float64, q.Len())
	m.measure(q, margin, price, dual)
	if m.Report.Certificate().Holds() {
		return
	}
	short := 0.0
	for i, f := range margin {
		if slack := 1 - f; slack < rounding && r.Alpha[i] < price[i] {
			short = max(short, slack)
		}
	}
	if short == 0 {
		return
	}
	before := *m
	beta := slices.Clone(m.Plane.beta)
	linalg.Scale(beta, 1+2*short+1e-14)
	m.Plane = &Plane{beta, m.Plane.origin, m.Plane.offset * (1 + 2*short + 1e-14)}
	m.measure(q, margin, price, dual)
	if !(m.Report.Certificate().Value < before.Report.Certificate().Value) {
		*m = before
	}
}

// rounding is a slack that rounding explains.
const rounding = 1e-11

// measure sets margin to y·f and the report from it and the dual objective.
func (m *Machine) measure(q *qp.Linear, margin, price []float64, dual float64) {
	q.Apply(margin, m.Plane.beta)
	primal := linalg.Dot(m.Plane.beta, m.Plane.beta) / 2
	for i, s := range q.Sign {
		margin[i] += s * m.Plane.offset
		if margin[i] < 1 {
			primal += price[i] * (1 - margin[i])
		}
	}
	m.Report = judge(m.Report, primal, dual)
}

// judge certifies r by the duality gap. A dual above the primal is rounding, and
// measures it.
func judge(r optimize.Report, primal, dual float64) optimize.Report {
	c := r.Certificate()
	c.Value = math.Abs(primal-dual) / max(1, math.Abs(primal))
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
