package hyperplane

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
)

// HardMarginOptions are the choices of [FitHardMargin]; nil or zero values are
// the defaults.
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

// InfeasibleError says that no plane separates two classes, and shows why: a convex
// combination of rows of one class that coincides with one of the other. Two
// sets of points are separable or have such a pair, never both.
//
// For planes through 0 (ThroughZero) it is the weights of both classes together
// that sum to 1, and the combinations coincide as multiples of convex ones: there is such a
// plane or such a pair. One class may have no rows in it; then 0 is in the hull of
// the other.
type InfeasibleError struct {
	Machine                          Machine // the labels on either side
	Positive, Negative               []int   // rows
	PositiveWeights, NegativeWeights []float64
	Distance                         float64 // between the combinations, relative to the largest row met
	ThroughZero                      bool    // the plane was to pass through 0
}

func (e *InfeasibleError) Error() string {
	other := fmt.Sprint(e.Machine.Negative)
	if e.Machine.Rest {
		other = "the rest"
	}
	plane, sort := "plane", "convex"
	if e.ThroughZero {
		plane, sort = "plane through 0", "positive"
	}
	return fmt.Sprintf("no %s separates class %d from %s: %s combinations of %d and %d rows coincide to %.1e",
		plane, e.Machine.Positive, other, sort, len(e.Positive), len(e.Negative), e.Distance)
}

// FitHardMargin fits the optimal separating hyperplane to the n×p matrix x and n
// labels. It looks for the nearest points of the classes' convex hulls (see ESL
// exercise 12.1 and §4.5.2); the plane is half-way between. Without an intercept
// it looks for the point nearest to 0 of the convex hull of all yᵢxᵢ, to which the
// plane is normal. The certificate is the gap between ½‖β‖² and the dual, Σα − ½‖Σαᵢyᵢxᵢ‖² (ESL 4.52), relative
// to the former: stricter than a gap relative to max(1, primal), and free of
// scale. O(np) a round, a few rounds as a rule.
//
// Errors: *[InfeasibleError] if no plane separates the classes, by more than 1e-10
// of the size of the rows; *[linalg.ShapeError], *[linalg.NonFiniteError],
// *[linalg.ClassError], *[linalg.WeightError], *[linalg.RangeError], *[sample.OptionError]. With
// [optimize.ErrNotConverged] the model is not nil.
func FitHardMargin(x *linalg.Dense, y []int, o *HardMarginOptions) (*HardMargin, error) {
	if o == nil {
		o = &HardMarginOptions{}
	}
	m, err := fitHardMargin(x, y, o)
	return m, wrap(err)
}

func fitHardMargin(x *linalg.Dense, y []int, o *HardMarginOptions) (*HardMargin, error) {
	l, err := prepareClasses(x, y, o.Classes, o.Weights)
	if err != nil {
		return nil, err
	}
	tol, err := sample.Positive("Tol", o.Tol, 1e-8)
	if err != nil {
		return nil, err
	}
	limit, err := sample.Count("MaxIter", o.MaxIter, 10_000+100*x.Cols)
	if err != nil {
		return nil, err
	}
	if _, err := sample.Count("Workers", o.Workers, 0); err != nil {
		return nil, err
	}
	d, err := divide(l, o.Multi)
	if err != nil {
		return nil, err
	}
	m := &HardMargin{machines{classes: l.Classes, multi: o.Multi, list: make([]Machine, len(d.pairs))}}
	m.name()
	var cause error
	for k := range m.list {
		if k > 0 && m.list[k-1].Report.Status() == optimize.Stopped {
			m.list[k] = blank(x.Cols, tol)
			continue
		}
		t := d.task(k)
		rows, w := t.pick(x), t.values(o.Weights)
		q := &qp.Linear{X: rows, Sign: t.sign, Workers: o.Workers}
		if !o.NoIntercept {
			q.Origin = origin(rows, w)
		}
		h := &hulls{q: q, one: o.NoIntercept, weight: w, limit: limit, trace: o.Trace}
		var status hullStatus
		if status, cause = h.run(); status == hullMeet {
			return nil, h.infeasible(m.list[k], t)
		}
		h.publish(&m.list[k], t, tol, status)
		if err := m.list[k].Plane.inRange(); err != nil {
			return nil, err
		}
	}
	m.name()
	m.gather()
	return m, m.report.Err(cause)
}

// publish sets plane, support and report of c from the nearest points:
// β = 2w/m for the distance m of the supporting planes in units of w; w/m for that
// of the one plane from 0.
func (h *hulls) publish(c *Machine, t task, tol float64, s hullStatus) {
	h.q.Apply(h.f, h.w)
	least := h.least()
	m, mid, width := h.f[least[0]], 0.0, 1.0
	if !h.one {
		minus, plus := -h.f[least[0]], h.f[least[1]]
		m, mid, width = plus-minus, minus+(plus-minus)/2, 2
	}
	square := linalg.Dot(h.w, h.w)
	value := 1.0
	if m > 0 {
		value = max(0, (1-m/square)*(1+m/square)) + h.blur()/square
	} else {
		m = square // no separation: the scale of the nearest points
	}
	linalg.Scale(h.w, width/m)
	c.Plane = &Plane{h.w, h.q.Origin, 0 - width*mid/m}
	for _, k := range h.ascending() {
		if h.gamma[k] > 0 {
			c.Support = append(c.Support, t.row(h.corral[k]))
			c.Multipliers = append(c.Multipliers, width*h.gamma[k]/square)
		}
	}
	status := optimize.LineSearch
	switch s {
	case hullStopped:
		status = optimize.Stopped
	case hullLimit:
		status = optimize.MaxIterations
	}
	objective, certificate := width*width/2*(square/m)/m, optimize.Certificate{Kind: optimize.KindGap, Value: value, Tol: tol}
	c.Report = optimize.NewReport(status, h.steps, objective, certificate).Certify(objective, certificate)
}

// blur bounds | ‖Σ γᵢsᵢ(xᵢ−c)‖² − ‖w‖² |: w is orthogonal to the corral as the sum of γ
// that were rounded is not, and what that sum is cannot be known better than to the
// rounding of its terms.
func (h *hulls) blur() float64 {
	w := slices.Clone(h.w)
	h.combine()
	moved := 0.0
	for j, v := range w {
		terms := 0.0
		for k, p := range h.points {
			terms += h.gamma[k] * math.Abs(p[j])
		}
		d := math.Abs(h.w[j]-v) + 0x1p-53*terms
		moved += d * (2*math.Abs(v) + d)
	}
	copy(h.w, w)
	return moved
}

// ascending returns the positions in the corral in the order of their rows.
func (h *hulls) ascending() []int {
	order := make([]int, len(h.corral))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return h.corral[a] - h.corral[b] })
	return order
}

// infeasible states the coinciding combinations.
func (h *hulls) infeasible(c Machine, t task) error {
	h.combine() // the points themselves, not what a projection made of them
	e := &InfeasibleError{Machine: c, Distance: linalg.Norm(h.w) / max(h.radius, math.SmallestNonzeroFloat64), ThroughZero: h.one}
	for _, k := range h.ascending() {
		i := h.corral[k]
		switch {
		case h.gamma[k] == 0:
		case h.q.Sign[i] > 0:
			e.Positive, e.PositiveWeights = append(e.Positive, t.row(i)), append(e.PositiveWeights, h.gamma[k])
		default:
			e.Negative, e.NegativeWeights = append(e.Negative, t.row(i)), append(e.NegativeWeights, h.gamma[k])
		}
	}
	return e
}

// Margin returns 1/‖β‖ of the first machine's plane, the only one for two classes:
// the distance from the plane to the closest points. Slab is twice that.
func (m *HardMargin) Margin() float64 { return 1 / m.list[0].Plane.Norm() }

const (
	hardKind    = "halfspace/hardmargin"
	hardVersion = 1
)

// MarshalJSON writes a versioned record that UnmarshalJSON reads back bit for bit.
func (m *HardMargin) MarshalJSON() ([]byte, error) {
	return record.Marshal(hardKind, hardVersion, m.machines.record())
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
