package hyperplane

import (
	"cmp"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
)

// HardMarginOptions are the settings of [FitHardMargin]. The zero value and nil are the
// defaults. There are no weights of classes: every row keeps its distance, whatever it
// costs. The threshold of a plane is moved by validate.AtThreshold.
type HardMarginOptions struct {
	Weights []float64 // rows of weight 0 are left out; other weights change nothing. nil is 1 for all
	Classes []int     // the list of classes; nil is the distinct labels of y
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
// scale. O(np) a round, a few rounds as a rule.
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
		if err := s.hardMargin(&m.list[k], t, t.selectRows(x), t.selectValues(o.Weights)); err != nil {
			return nil, err
		}
	}
	m.combineReports()
	return m, m.report.Err(s.cause)
}

// hardMargin sets plane, support and report of c from the nearest points of the
// hulls of the task's rows x. Errors: *[InfeasibleError], *[linalg.RangeError].
func (s *solver) hardMargin(c *Machine, t task, x linalg.Table, w []float64) error {
	q := s.kernel(x, t.sign, w)
	h := &qp.Hulls{Points: q, Weight: w}
	if !s.noIntercept {
		h.Sign = t.sign
	}
	near, err := qp.NearestPoints(h, &qp.HullOptions{Tol: s.tol, MaxIter: s.maxIter, Trace: s.keepCause()})
	if near == nil {
		return err
	}
	center, found, p := q.Origin, near, t.apart(x, w, s.noIntercept, s.workers)
	if status := near.Report.Status(); status != optimize.Stopped && status != optimize.NotFinite {
		if near, center, err = t.settle(*c, x, p, near, center, s.tol); err != nil {
			return err
		}
	}
	square, width := linalg.Dot(near.Difference, near.Difference), 2.0
	if s.noIntercept {
		width = 1
	}
	m := near.Separation()
	if !(m > 0) {
		m = square // no separation: the scale of the nearest points
	}
	c.Plane = between(near, center, width, m, s.noIntercept)
	order := make([]int, len(near.Points))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(near.Points[a], near.Points[b]) })
	for _, k := range order {
		c.Support = append(c.Support, t.row(near.Points[k]))
		c.Multipliers = append(c.Multipliers, width*near.Weights[k]/square)
	}
	certificate := near.Report.Certificate()
	if near != found { // rounding the plane can cost more than the solver's tolerance
		least := t.reach(p, c.Plane.beta, center)
		reach := least[0] + least[1]
		certificate.Value = 1 - reach*math.Abs(reach)/square/linalg.Dot(c.Plane.beta, c.Plane.beta)
		certificate.Value = max(certificate.Value, 0)
	}
	c.Report = near.Report.Certify(width*width/2*(square/m)/m, certificate)
	return c.Plane.inRange()
}

// Margin returns 1/‖β‖ of the first machine's plane, the only one for two classes:
// the distance from the plane to the closest points. Slab is twice that.
func (m *HardMargin) Margin() float64 { return 1 / m.list[0].Plane.Norm() }

const (
	hardKind    = "halfspace/hardmargin"
	hardVersion = 1
)

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it back bit for bit.
func (m *HardMargin) MarshalJSON() ([]byte, error) {
	b, err := record.MarshalFitted(hardKind, hardVersion, m.list != nil, func() any { return m.machines.record() })
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
func (m *HardMargin) String() string {
	if m.list == nil {
		return "optimal separating hyperplane, not fitted"
	}
	coef, intercept := m.Coef()
	return sample.Describe("optimal separating hyperplane", m.Classes(), m.Features(), m.Report(), coef, intercept)
}
