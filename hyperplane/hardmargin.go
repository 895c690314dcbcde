package hyperplane

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/exact"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
	"halfspace/qp/separation"
)

// HardMarginOptions are the settings of [FitHardMargin]. The zero value and nil are the
// defaults. There are no weights of classes: every row keeps its distance, whatever it
// costs. The threshold of a plane is moved by validate.AtThreshold.
type HardMarginOptions struct {
	Weights []float64 // rows of weight 0 are left out; other weights change nothing. nil is 1 for all
	Classes []int     // the list of classes, ascending; nil is the distinct labels of y
	Multi   Multi     // how K ≥ 3 classes are told apart

	// NoIntercept puts the plane through 0.
	NoIntercept bool

	Tol     float64 // of the certificate; 0 is 1e-8
	MaxIter int     // cap on the points that join or leave the solution; 0 is 10,000 + 100·p
	Workers int     // goroutines; 0 is GOMAXPROCS

	// Trace is called for each point that joins. X is the difference of the
	// nearest points so far (the point nearest to 0 without an intercept),
	// Objective its length, Certificate by how much the point lies beyond its
	// supporting plane, relative to that length squared.
	Trace func(optimize.Step) error
}

// HardMargin is the optimal separating hyperplane: of all planes with
// yᵢf(xᵢ) ≥ 1 for every row the one of least ½‖β‖², hence of largest margin
// 1/‖β‖ (ESL 4.48). Deleting rows that are not in its support leaves it as it is.
type HardMargin struct{ machines }

// FitHardMargin fits the optimal separating hyperplane to the n×p matrix x and n
// labels (ESL 4.48, §4.5.2). It looks for the nearest points of the classes' convex hulls
// (Bennett and Bredensteiner 2000); the plane is half-way between. Without an intercept
// it looks for the point nearest to 0 of the convex hull of all yᵢxᵢ, to which the
// plane is normal. The certificate is the gap between ½‖β‖² and the dual, Σα − ½‖Σαᵢyᵢxᵢ‖² (ESL 4.52), relative
// to the former: stricter than a gap relative to max(1, primal), and free of
// scale. O(np) a round, a few rounds as a rule. Sparse rows of more than 200 features are
// fitted as a soft margin is, with prices of slack that no multiplier reaches.
//
// Whether a plane separates the classes is decided in exact arithmetic, whatever the units
// of the columns; where the nearest points that float64 finds do not, exact ones are looked
// for. A fit for which that takes too long has the status undecided.
//
// Errors: *[InfeasibleError] if no plane separates the classes; *[linalg.ShapeError], *[linalg.NonFiniteError],
// *[linalg.ClassError], *[linalg.WeightError], *[linalg.RangeError], *[sample.OptionError]. With
// [optimize.ErrNotConverged] the model is not nil.
func FitHardMargin(x linalg.Rows, y []int, o *HardMarginOptions) (*HardMargin, error) {
	return door(x, y, o, fitHardMargin)
}

func fitHardMargin(x linalg.Table, y []int, o *HardMarginOptions) (*HardMargin, error) {
	x, l, err := prepareClasses(x, y, o.Classes, o.Weights)
	if err != nil {
		return nil, err
	}
	s, err := newSolver(o.NoIntercept, o.Tol, o.MaxIter, o.Workers, o.Trace)
	if err != nil {
		return nil, err
	}
	d, err := divide(l, o.Multi)
	if err != nil {
		return nil, err
	}
	m := &HardMargin{machines{classes: l.Classes, multi: o.Multi, list: make([]Machine, len(d.pairs))}}
	m.labelSides()
	_, p := x.Dims()
	for k := range m.list {
		if k > 0 && m.list[k-1].halted() {
			m.list[k] = unfitted(p)
			continue
		}
		t := d.task(k)
		if err := s.hardMargin(&m.list[k], t, t.selectRows(x), t.selectValues(nil, o.Weights)); err != nil {
			return nil, err
		}
	}
	m.combineReports()
	return m, s.end(m.report)
}

// hardMargin sets plane, support and report of c from the nearest points of the
// hulls of the task's rows x. Errors: *[InfeasibleError], *[linalg.RangeError].
func (s *solver) hardMargin(c *Machine, t task, x linalg.Table, w []float64) error {
	p := t.apart(x, w, s.noIntercept, s.workers)
	// Texts repeat, with other labels too, and points of hulls that touch take long to find.
	if e := separation.Coincident(p, x); e != nil {
		return t.infeasible(*c, x, e, s.noIntercept)
	}
	h, q := s.hulls(t, x, w)
	var mixed *separation.Evidence
	near, err := qp.NearestPoints(h, &qp.HullOptions{Tol: s.tol, MaxIter: s.maxIter, Trace: s.asking(p, &mixed)})
	switch {
	case mixed != nil:
		return t.infeasible(*c, x, mixed, s.noIntercept)
	case near == nil:
		return err
	}
	center, found := q.Origin, near
	if status := near.Report.Status(); status != optimize.Stopped && status != optimize.NotFinite {
		if near, center, err = t.settle(*c, x, p, near, center, s.tol); err != nil {
			return err
		}
	}
	square, width := linalg.Dot(near.Difference, near.Difference), 2.0
	if near == found && square == 0 { // whether a plane separates the rows is not known
		c.Plane, c.Report = unfitted(q.Rank()).Plane, near.Report
		return nil
	}
	if s.noIntercept {
		width = 1
	}
	m := near.Separation()
	if !(m > 0) {
		m = square // no separation: the scale of the nearest points
	}
	c.Plane = between(near, center, width, m, s.noIntercept)
	order := linalg.Sequence(len(near.Points))
	linalg.SortFunc(order, func(a, b int) int { return cmp.Compare(near.Points[a], near.Points[b]) })
	for _, k := range order {
		c.Support = append(c.Support, t.row(near.Points[k]))
		c.Multipliers = append(c.Multipliers, width*near.Weights[k]/square)
	}
	certificate, value := near.Report.Certificate(), width*width/2*(square/m)/m
	noise := roundoff * (radius(make([]float64, q.Len()), q, h.Weight)/math.Sqrt(square) + math.Abs(c.Plane.offset))
	if near != found || noise > noticeable*certificate.Tol { // rounding can cost more than the solver's tolerance
		difference := near.Difference
		if near == found {
			difference = t.difference(q, near, s.noIntercept)
		}
		var exactly float64
		if exactly, certificate.Value = t.exactGap(p, c.Plane, difference); certificate.Value < 1 {
			value = exactly
		}
		noise = roundoff
	}
	certificate.Value += 4 * noise // the gap is of two squares
	c.Report = near.Report.Certify(value, certificate)
	return c.Plane.InRange()
}

// manySteps is the number of steps towards the nearest points, and stepsShare the share of the
// columns, after which it is asked whether the hulls overlap: then they take some p steps to meet.
const manySteps, stepsShare = 32, 0.5

// asking is [solver.keepCause] that ends the search for nearest points, with evidence, where
// that takes many steps and the classes overlap.
func (s *solver) asking(p *separation.Problem, mixed **separation.Evidence) func(optimize.Step) error {
	trace, asked := s.keepCause(), false
	_, cols := p.X.Dims()
	return func(step optimize.Step) error {
		if trace != nil {
			if err := trace(step); err != nil {
				return err
			}
		}
		if asked || step.Iteration < max(manySteps, int(stepsShare*float64(cols))) {
			return nil
		}
		asked = true
		if *mixed, _ = separation.Mixed(p); *mixed != nil { // rows in memory have no errors
			return errOverlap
		}
		return nil
	}
}

// errOverlap ends a search whose answer is known.
var errOverlap = errors.New("the classes overlap")

// hulls returns the hulls of the task's rows x, and the kernel that has them.
func (s *solver) hulls(t task, x linalg.Table, w []float64) (*qp.Hulls, *qp.Linear) {
	q := s.kernel(x, t.sign, w)
	h := &qp.Hulls{Points: q, Weight: w}
	if !s.noIntercept {
		h.Sign = t.sign
	}
	return h, q
}

// exactGap returns ½‖β‖² of a plane scaled so that its closest row has y·f = 1, and its gap relative to that, 1 and more
// where it does not separate the rows, with sums in twice the precision. The bound from below is by the difference of the
// nearest points.
func (t task) exactGap(p *separation.Problem, plane *Plane, difference []float64) (value, gap float64) {
	slab, square := t.least(p, plane), linalg.Dot(plane.beta(), plane.beta())
	value = square / 2 / slab / slab
	if !p.ThroughZero {
		slab *= 2
	}
	return value, max(0, 1-slab*math.Abs(slab)/linalg.Dot(difference, difference)/square)
}

// difference returns the difference of a solver's nearest points, summed in twice the
// precision, of weights whose sums are exactly 1.
func (t task) difference(q *qp.Linear, near *qp.Nearest, throughZero bool) []float64 {
	n, sums := len(t.sign), [2]exact.Sum{} // a plane through the origin has one end
	all, ends := make([]float64, n), [2][]float64{make([]float64, n), make([]float64, n)}
	for k, i := range near.Points {
		end := 0
		if !throughZero && t.sign[i] > 0 {
			end = 1
		}
		all[i], ends[end][i] = near.Weights[k], near.Weights[k]
		sums[end].Add(near.Weights[k], 0)
	}
	d, point := make([]float64, len(near.Difference)), make([]float64, len(near.Difference))
	q.ExactT(d, all)
	for end, sum := range sums {
		if whole := sum.Value(); whole > 0 {
			sum.Add(-1, 0)
			q.ApplyT(point, ends[end])
			linalg.Axpy(d, -sum.Value()/whole, point)
		}
	}
	return d
}

// Margin returns 1/‖β‖ of the first machine's plane, the only one for two classes:
// the distance from the plane to the closest points. Slab is twice that.
func (m *HardMargin) Margin() float64 { return 1 / m.list[0].Plane.Norm() }

const (
	hardKind    = "halfspace/hardmargin"
	hardVersion = 1
)

// Record is that of an [SVC].
func (m *HardMargin) Record() *record.Text {
	return record.NewText(hardKind, hardVersion, m.list != nil, func() any { return m.machines.record() })
}

// MarshalJSON returns the text of Record; UnmarshalJSON reads it back bit for bit.
func (m *HardMargin) MarshalJSON() ([]byte, error) {
	b, err := m.Record().MarshalJSON()
	return b, wrap(err)
}

// UnmarshalJSON replaces m by the model in data; see [record.Unmarshal] for its
// errors.
func (m *HardMargin) UnmarshalJSON(data []byte) error {
	var r machinesRecord
	if _, err := record.Unmarshal(data, hardKind, hardVersion, &r); err != nil {
		return wrap(err)
	}
	c, err := r.machines()
	if err != nil {
		return wrap(err)
	}
	*m = HardMargin{c}
	return nil
}

// String returns how the fit ended and the coefficients.
func (m *HardMargin) String() string { return m.describe("optimal separating hyperplane") }

// Audit judges the planes of m, whoever found them: is each the widest, and by how much not. The
// objective is ½‖β‖² of the plane scaled so that its closest row has y·f = 1, which is infinite
// where the plane does not separate the classes. The certificate is its gap to the hulls of the
// rows closest to the plane, some 2p of each class: their distance bounds every margin. Where that does not hold, the nearest points of all rows
// bound it too, and the part of a row is αᵢ(yᵢf(xᵢ) − 1) for their multipliers, for a plane
// that does not separate, −yᵢf(xᵢ). NoMinimum is an *[InfeasibleError] where none does. Of the
// options Classes and Multi are the model's.
//
// Errors: those of [FitHardMargin] for bad input; *[linalg.ShapeError] for other features than
// the model's.
func (m *HardMargin) Audit(x linalg.Rows, y []int, o *HardMarginOptions) (*optimize.Audit, error) {
	return door(x, y, o, m.audit)
}

func (m *HardMargin) audit(x linalg.Table, y []int, o *HardMarginOptions) (*optimize.Audit, error) {
	if err := m.suits(x, o.NoIntercept); err != nil {
		return nil, err
	}
	rows, l, err := prepareClasses(x, y, m.classes, o.Weights)
	if err != nil {
		return nil, err
	}
	s, err := newSolver(o.NoIntercept, o.Tol, o.MaxIter, o.Workers, o.Trace)
	if err != nil {
		return nil, err
	}
	d, err := divide(l, m.multi)
	if err != nil {
		return nil, err
	}
	var audits []*optimize.Audit
	for k, machine := range m.list {
		t := d.task(k)
		a, err := s.auditWidth(machine, t, t.selectRows(rows), t.selectValues(nil, o.Weights))
		if err != nil {
			return nil, err
		}
		audits = append(audits, a)
	}
	return optimize.CombineAudits(audits...), nil
}

// auditWidth judges the plane of a machine by the margin of the task's rows x.
func (s *solver) auditWidth(c Machine, t task, x linalg.Table, w []float64) (*optimize.Audit, error) {
	h, q := s.hulls(t, x, w)
	plane := c.Plane.about(q.Origin)
	margin := make([]float64, len(t.sign)) // y·f
	q.Apply(margin, plane.beta())
	linalg.Axpy(margin, plane.offset, t.sign)
	least := t.least(t.apart(x, w, s.noIntercept, s.workers), plane)
	value, own := math.Inf(1), s.gap(1, 0)
	if least > 0 {
		length := plane.Norm() / least
		value = length * length / 2
		dual, err := s.widest(t, h, q, margin)
		if err != nil {
			return nil, err
		}
		own = s.gap(value, min(dual, value))
	}
	a, err := optimize.NewAudit(value, own).Against(func() (r optimize.Refit, err error) {
		fit := c
		fit.Support, fit.Multipliers, fit.Report = nil, nil, optimize.Report{}
		err = s.hardMargin(&fit, t, x, w)
		if none := (*InfeasibleError)(nil); err != nil && !errors.As(err, &none) {
			return r, err
		}
		r.Report, r.NoMinimum, r.Parts = fit.Report, err, t.within(fit.Support, fit.Multipliers, slices.Repeat([]float64{math.Inf(1)}, len(t.sign)))
		for i, alpha := range r.Parts {
			if r.Parts[i] = alpha * (margin[i]/least - 1); !(least > 0) {
				r.Parts[i] = -margin[i] * sample.WeightAt(w, i)
			}
		}
		return r, nil
	})
	return t.named(a), err
}

// widest returns the objective that no plane is below: ½(2/d)² for two points of the hulls that
// are d apart, ½/d² for a point that is d from 0. They are the nearest of the hulls of the rows
// with the least margins.
func (s *solver) widest(t task, h *qp.Hulls, q *qp.Linear, margin []float64) (float64, error) {
	rows := closest(margin, q.Sign, h.Weight, 2*(q.Rank()+1))
	near, err := qp.NearestPoints(&qp.Hulls{Points: q, Sign: h.Sign, Weight: rows}, &qp.HullOptions{Tol: s.tol, MaxIter: s.maxIter})
	if near == nil {
		return 0, err
	}
	width := 2.0
	if h.Sign == nil {
		width = 1
	}
	v := t.difference(q, near, h.Sign == nil)
	return width * width / 2 / linalg.Dot(v, v), nil
}

// closest returns weights of 1 for the count rows of least margin on each side, of those whose
// weight is not 0.
func closest(margin, sign, weight []float64, count int) []float64 {
	order, only := linalg.Sequence(len(margin)), make([]float64, len(margin))
	linalg.SortFunc(order, func(i, j int) int { return cmp.Compare(margin[i], margin[j]) })
	left := map[float64]int{1: count, -1: count}
	for _, i := range order {
		if sample.WeightAt(weight, i) > 0 && left[sign[i]] > 0 {
			only[i] = 1
			left[sign[i]]--
		}
	}
	return only
}
