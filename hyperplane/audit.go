package hyperplane

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/exact"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
)

// Prices returns what slack cost in rows with the labels y, Cᵢ = C·wᵢ·(weight of yᵢ's class): the
// bounds of their multipliers, to the last digit.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.WeightError],
// *[linalg.ClassError], *[sample.OptionError].
func (m *SVC) Prices(y []int, weights []float64) ([]float64, error) {
	price, err := m.prices(y, weights)
	return price, wrap(err)
}

func (m *SVC) prices(y []int, weights []float64) ([]float64, error) {
	if _, err := sample.Weights(weights, len(y)); err != nil {
		return nil, err
	}
	l, err := sample.Code(y, m.classes, weights)
	if err != nil {
		return nil, err
	}
	return prices(l, m.c, weights, m.classWeights)
}

// Audit judges the planes of m, whoever found them, by the objective of [FitSVC] with the given
// options on the rows of x and their labels y. The certificate is the gap to the best dual
// point that a plane allows: its own multipliers, or where it has none of these rows, those
// that it implies. A row inside its margin has α = C then and one outside 0; for
// the rows nearest to the margin, some 2p of them, α is the best that leaves Σαy = 0. Where
// that gap does not hold, a fit bounds the minimum too, and the part of a row in the excess is
// Cᵢξᵢ − αᵢ(1 − yᵢf(xᵢ)) for the α of the fit. The squared hinge loss implies α = 2Cξ, and a
// row's part is Cᵢξᵢ² − αᵢ(1 − yᵢf(xᵢ)) + αᵢ²/4Cᵢ. Of the options Classes and Multi are the model's.
//
// Errors: those of [FitSVC], but for [optimize.ErrNotConverged]; *[linalg.ShapeError] for other
// features than the model's.
func (m *SVC) Audit(x linalg.Rows, y []int, o *SVCOptions) (*optimize.Audit, error) {
	return door(x, y, o, m.audit)
}

func (m *SVC) audit(x linalg.Table, y []int, o *SVCOptions) (*optimize.Audit, error) {
	if err := m.suits(x, o.NoIntercept); err != nil {
		return nil, err
	}
	own := *o
	own.Classes, own.Multi = m.classes, m.multi
	f, err := newSVCFit(x, y, &own)
	if err != nil {
		return nil, err
	}
	f.solver.workers = o.Workers // one task after the other
	c, err := sample.Positive(`C`, o.C, 1)
	if err != nil {
		return nil, err
	}
	price, err := prices(f.labels, c, o.Weights, o.ClassWeights)
	if err != nil {
		return nil, err
	}
	var audits []*optimize.Audit
	for k, machine := range m.list {
		t, q := f.task(k)
		a, err := f.solver.auditMargin(machine, t, q, t.selectValues(nil, price))
		if err != nil {
			return nil, err
		}
		audits = append(audits, a)
	}
	return optimize.CombineAudits(audits...), nil
}

// auditMargin judges the plane of a machine by the soft margin of its task.
func (s *solver) auditMargin(c Machine, t task, q *qp.Linear, price []float64) (*optimize.Audit, error) {
	plane := c.Plane.about(q.Origin)
	judge := func(alpha []float64) (softEvidence, optimize.Certificate) {
		g := s.newSoftGap(q, price, alpha, s.open(alpha, q.Sign))
		e := g.finer(g.evidence(plane), s.tol)
		return e, s.gap(e.primal, e.dual)
	}
	alpha := t.within(c.Support, c.Multipliers, s.loss.bounds(price))
	e, own := judge(alpha)
	if !own.Holds() {
		implied, err := s.impliedMultipliers(&sides{q: q, price: price, slack: e.slack, gain: slices.Repeat([]float64{1}, len(price))})
		if err != nil {
			return nil, err
		}
		if _, c := judge(implied); c.Value < own.Value {
			alpha, own = implied, c
		}
	}
	a, err := optimize.NewAudit(e.primal, own).Against(func() (r optimize.Refit, err error) {
		fit, alpha, err := s.softMargin(q, price, alpha)
		if fit.Plane == nil || fit.Report.Status() == optimize.Stopped {
			return r, err
		}
		r.Report, r.Parts = fit.Report, make([]float64, len(price))
		for i, slack := range e.slack {
			r.Parts[i] = price[i]*s.loss.of(slack) - alpha[i]*slack + s.loss.conjugate(alpha[i], price[i])
		}
		return r, nil
	})
	return t.named(a), err
}

// open returns a bound on |Σ signᵢalphaᵢ|, 0 without an intercept.
func (s *solver) open(alpha, sign []float64) float64 {
	if s.noIntercept {
		return 0
	}
	var sum exact.Sum
	total := 0.0
	for i, a := range alpha {
		sum.Add(sign[i]*a, 0)
		total += math.Abs(a)
	}
	return math.Abs(sum.Value()) + float64(len(alpha))*twofoldRoundoff*total
}

// sides are the rows of a soft margin, or of the side of a tube that they are on, as a plane has
// them. The dual is Σ gain·α − ½‖Σ αs(x−c)‖² with 0 ≤ α ≤ price.
type sides struct {
	q           *qp.Linear
	price, gain []float64
	slack       []float64 // above 0 inside the margin or beyond the tube
	both        bool      // α ≥ −price: the tube has no height
}

// nearEdge is the slack up to which a row counts as one on the margin, in units of the margin.
const nearEdge = 1e-3

// impliedMultipliers returns the best dual point with α = price for rows of positive slack and
// 0 for the others, but for those nearest to slack 0: at least nearEdge and twice as many as hold
// a plane, and more until Σαs = 0 can be. Wide tables have all rows among them.
func (s *solver) impliedMultipliers(e *sides) ([]float64, error) {
	alpha := make([]float64, len(e.price))
	if s.loss == SquaredHinge {
		for i, price := range e.price {
			alpha[i] = 2 * price * max(0, e.slack[i])
		}
		if !s.noIntercept {
			balance(alpha, e.q.Sign)
			mend(alpha, e.q.Sign, s.loss.bounds(e.price))
		}
		return alpha, nil
	}
	var order []int
	near := 2 * (e.q.Rank() + 1)
	for i, price := range e.price {
		if price == 0 {
			continue
		}
		order = append(order, i)
		if e.slack[i] > 0 {
			alpha[i] = price
		}
	}
	linalg.SortFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(e.slack[i]), math.Abs(e.slack[j])) })
	for near < len(order) && math.Abs(e.slack[order[near]]) < nearEdge {
		near++
	}
	for ; ; near *= 2 {
		err := s.release(e, alpha, order[:min(near, len(order))])
		if bounds := (*qp.FeasibleError)(nil); errors.As(err, &bounds) && near < len(order) {
			continue
		}
		if err != nil {
			return nil, err
		}
		signs := e.q.Sign
		if s.noIntercept {
			signs = nil
		}
		mend(alpha, signs, e.price)
		return alpha, nil
	}
}

// release sets the multipliers of some rows to the best beside those of the others.
func (s *solver) release(e *sides, alpha []float64, rows []int) error {
	rows = slices.Sorted(slices.Values(rows))
	free := task{rows: rows}
	sign := free.selectValues(nil, e.q.Sign)
	p := &qp.Problem{Linear: make([]float64, len(rows)), Sign: sign, Upper: free.selectValues(nil, e.price)}
	rest := slices.Clone(alpha)
	for _, i := range rows {
		rest[i] = 0
	}
	fixed := make([]float64, e.q.Rank())
	e.q.ExactT(fixed, rest)
	q := &qp.Linear{X: free.selectRows(e.q.X.(linalg.Table)), Sign: sign, Origin: e.q.Origin, Workers: s.workers}
	q.Apply(p.Linear, fixed)
	linalg.Axpy(p.Linear, -1, free.selectValues(nil, e.gain))
	if e.both {
		p.Lower = slices.Clone(p.Upper)
		linalg.Scale(p.Lower, -1)
	}
	if p.Q = q; s.noIntercept {
		p.Sign = nil
	} else {
		p.Sum = -linalg.Dot(e.q.Sign, rest)
	}
	r, err := qp.Solve(p, &qp.Options{Tol: impliedTol, MaxIter: s.maxIter})
	if r == nil {
		return err
	}
	for k, i := range rows {
		alpha[i] = r.Alpha[k]
	}
	return nil
}

// impliedTol is that of the multipliers that a plane implies, relative to a part of the dual objective
// that can be larger than the whole.
const impliedTol = 1e-12

// Audit judges the plane of m, whoever found it, by the objective of [FitSVR] with the given
// options on the rows of x and their responses y, as [SVC.Audit] does a classifier's. The part
// of a row is C·max(0, |y−f|−ε) − a(y−f) + ε|a|, a = α*−α.
//
// Errors: those of [FitSVR], but for [optimize.ErrNotConverged]; *[linalg.ShapeError] for other
// features than the model's.
func (m *SVR) Audit(x linalg.Rows, y []float64, o *SVROptions) (*optimize.Audit, error) {
	return door(x, y, o, m.audit)
}

func (m *SVR) audit(x linalg.Table, y []float64, o *SVROptions) (*optimize.Audit, error) {
	if err := m.plane.suits(x, o.NoIntercept); err != nil {
		return nil, err
	}
	fit, s, rows, price, err := newSVR(x, y, o)
	if err != nil {
		return nil, err
	}
	n := len(y)
	t := &tube{y: y, price: price, epsilon: fit.epsilon, tol: min(defaultTol, s.tol), q: s.kernel(rows, slices.Repeat([]float64{1}, n), price)}
	if !s.noIntercept {
		t.level = meanOf(y, price)
	}
	plane := m.plane.about(t.q.Origin)
	judge := func(a []float64) (float64, optimize.Certificate) {
		primal, dual, _ := t.objectives(plane, a, s.open(a, t.q.Sign))
		return primal, s.gap(primal, dual)
	}
	value, own := judge(t.within(m))
	residual := t.residuals(plane)
	if !own.Holds() {
		a, err := s.impliedMultipliers(t.sides(residual))
		if err != nil {
			return nil, err
		}
		for i, r := range residual {
			a[i] *= math.Copysign(1, r)
		}
		if _, c := judge(a); c.Value < own.Value {
			own = c
		}
	}
	return optimize.NewAudit(value, own).Against(func() (r optimize.Refit, err error) {
		if err := fit.fit(&s, rows, y, price); fit.plane == nil || fit.report.Status() == optimize.Stopped {
			return r, err
		}
		r.Report, r.Parts = fit.report, t.within(fit)
		for i, a := range r.Parts {
			r.Parts[i] = price[i]*max(0, math.Abs(residual[i])-t.epsilon) - a*residual[i] + t.epsilon*math.Abs(a)
		}
		return r, nil
	})
}

// within returns the multipliers of a regression for all rows, cut to the prices.
func (t *tube) within(m *SVR) []float64 {
	a := make([]float64, len(t.y))
	for k, i := range m.support {
		if i < len(a) {
			a[i] = min(max(m.multipliers[k], -t.price[i]), t.price[i])
		}
	}
	return a
}

// residuals returns y − f.
func (t *tube) residuals(p *Plane) []float64 {
	r := make([]float64, len(t.y))
	t.q.Apply(r, p.beta())
	for i, v := range t.y {
		r[i] = v - (r[i] + p.offset)
	}
	return r
}

// sides returns the rows on the sides of the tube that their residuals have: a = sα.
func (t *tube) sides(residual []float64) *sides {
	n := len(t.y)
	e := &sides{price: t.price, gain: make([]float64, n), slack: make([]float64, n), both: t.epsilon == 0}
	sign := make([]float64, n)
	for i, r := range residual {
		sign[i] = math.Copysign(1, r)
		e.slack[i] = math.Abs(r) - t.epsilon
		e.gain[i] = sign[i]*(t.y[i]-t.level) - t.epsilon
	}
	e.q = t.q.With(sign)
	return e
}

// Audit judges the plane of m, whoever found it, on the rows of x and their labels y. The
// certificate is the share of rows that it misclassifies, by exact signs, the objective D of
// [FitPerceptron], which is not below 0, and the part of a row its share in D. NoMinimum is an
// *[InfeasibleError] where no plane separates the classes. Of the options it reads
// ClassWeights, NoIntercept and Workers.
//
// Errors: those of [FitPerceptron] for bad input; *[linalg.ShapeError] for other features than
// the model's.
func (m *Perceptron) Audit(x linalg.Rows, y []int, o *PerceptronOptions) (*optimize.Audit, error) {
	return door(x, y, o, m.audit)
}

func (m *Perceptron) audit(x linalg.Table, y []int, o *PerceptronOptions) (*optimize.Audit, error) {
	if err := m.plane.suits(x, o.NoIntercept); err != nil {
		return nil, err
	}
	s, err := newPerceptron(x, y, &PerceptronOptions{Classes: m.classes[:], ClassWeights: o.ClassWeights, NoIntercept: o.NoIntercept, Workers: o.Workers})
	if err != nil {
		return nil, err
	}
	t := task{sign: s.sign}
	wrong, e, err := judge(t.apart(x, nil, o.NoIntercept, s.workers), m.plane, true, s.f)
	if err != nil {
		return nil, err
	}
	d := s.standing()
	a := optimize.NewAudit(d.criterion, optimize.Certificate{Kind: optimize.KindMisclassified, Value: s.share(wrong)})
	a.Minimum = 0
	if len(e.Multipliers) > 0 {
		a.NoMinimum = t.infeasible(Machine{Negative: m.classes[0], Positive: m.classes[1]}, x, e, o.NoIntercept)
	}
	for i, f := range s.f {
		s.f[i] = -f * sample.WeightAt(s.weights, i)
	}
	a.AddRows(s.f)
	return a, nil
}
