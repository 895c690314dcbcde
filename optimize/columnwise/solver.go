package columnwise

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
	"halfspace/optimize/loss"
	"halfspace/optimize/penalty"
)

// Solver minimises over the columns of sparse rows for one penalty after the other. It
// keeps the copy by columns, and the derivatives of the last point, by which the next
// penalty chooses the columns that it looks at.
type Solver struct {
	data
	exact bool  // models are: curvatures are constant
	all   []int // features
	g     []float64
	known penalty.ElasticNet // of the last end, whose derivatives g are; Lambda 0 before
	end   *End
	model model
}

// End is the point at which a minimisation has ended, with all that a duality gap there asks
// for. The solver writes over it.
type End struct {
	Theta     []float64 // the parameters
	Value     float64   // of the loss
	Gradient  []float64 // of the loss, by parameter
	Residuals []float64 // by row
	Curvature float64   // of all rows, Σv
}

// End returns the last end, nil where the derivatives by all features are not known there, or
// would be those about an origin that the rows are not moved to.
func (s *Solver) End() *End { return s.end }

// New makes the copy by columns of the rows of a design, for the responses y of a loss of
// one score. O(stored values) time and memory.
//
// Errors: those of the storage.
func New(d *design.Design, y []float64, l loss.Batch) (*Solver, error) {
	columns, err := d.ByColumn()
	if err != nil {
		return nil, err
	}
	s := &Solver{data: data{d, y, l, columns}, exact: loss.ConstantCurvature(l), g: make([]float64, d.Dim())}
	for j := range d.P {
		s.all = append(s.all, j)
	}
	return s, nil
}

// run is the state of one minimisation.
type run struct {
	*Solver
	*optimize.Progress
	pen    penalty.ElasticNet
	tol    float64
	scale  []float64
	x      []float64 // the point
	at, to rowwise   // there, and at a point that is tried
	near   []int     // features that are looked at
	length float64

	complete bool // the derivatives by all features are those at the point
	err      error

	unsolved int // models on which the descent crept
}

// Minimize minimises F from x0 on, for parameters of which the intercept, if the design has
// one, is the first and has no weight. The certificate, of kind "kkt", is max |rⱼ|/Scaleⱼ
// over the shortest subgradient r. Defaults: Tol 1e-8, MaxIter 200. An iteration is one
// model. A fit on whose models the descent creeps ends: columns that are nearly dependent are
// a matter for methods with a Hessian.
//
// Errors: one that wraps [optimize.ErrNotConverged], beside the last point; those of the
// penalty and of the storage.
func (s *Solver) Minimize(x0 []float64, pen penalty.ElasticNet, c *optimize.Control) ([]float64, optimize.Report, error) {
	if c == nil {
		c = &optimize.Control{}
	}
	if err := pen.Check(len(x0)); err != nil {
		return nil, optimize.Report{}, fmt.Errorf("optimize: %w", err)
	}
	p, err := optimize.Begin(nil, x0, c, optimize.Defaults{Kind: optimize.KindKKT, Tol: 1e-8, MaxIter: 200})
	if err != nil {
		return nil, optimize.Report{}, err
	}
	q := &run{Solver: s, Progress: p, pen: pen, tol: p.Report().Certificate().Tol, scale: c.Scale, x: slices.Clone(x0)}
	for _, w := range []*rowwise{&q.at, &q.to} {
		w.f, w.r, w.v = make([]float64, s.N), make([]float64, s.N), make([]float64, s.N)
	}
	q.near, s.end = q.candidates(), nil
	if err := s.along(q.at.f, q.x); err != nil {
		return nil, optimize.Report{}, err
	}
	s.look(&q.at)
	for q.differentiate(); !q.Done(q.x, q.at.value+pen.Value(q.x), q.certificate(), q.length); {
		if !q.step() {
			q.Stuck()
			break
		}
	}
	if q.err != nil {
		return nil, optimize.Report{}, q.err
	}
	s.known = pen
	if q.complete && !q.Implied() {
		s.end = &End{Theta: q.x, Value: q.at.value, Gradient: s.g, Residuals: q.at.r, Curvature: linalg.Sum(q.at.v)}
	}
	return q.Result(q.x)
}

// candidates returns the features whose derivatives the strong rule wants to be known:
// which would exceed their weight, if derivatives changed by no more than the weight does. All,
// if these store half of the values: features that come late cost one more model.
func (q *run) candidates() []int {
	if !(q.known.Lambda > 0) || q.known.L1Ratio != q.pen.L1Ratio {
		return q.all
	}
	var near []int
	for j := range q.P {
		at := j + q.Intercept
		l1, _ := q.pen.Weights(at)
		before, _ := q.known.Weights(at)
		if q.x[at] != 0 || math.Abs(q.g[at]) >= 2*l1-before {
			near = append(near, j)
		}
	}
	if 2*q.stored(near) > q.columns.Stored() {
		return q.all
	}
	return near
}

// differentiate makes the derivatives by the intercept and the features near.
func (q *run) differentiate() {
	if q.Intercept == 1 {
		q.g[0] = linalg.Sum(q.at.r)
	}
	q.derivatives(q.g, q.at.r, q.near)
	q.complete = len(q.near) == q.P
}

// certificate returns the largest subgradient: of the features near, and once these hold of
// all. Features that are then found to move are near from here on.
func (q *run) certificate() float64 {
	worst := q.largest(q.near)
	if worst > q.tol || len(q.near) == q.P {
		return worst
	}
	others := make([]int, 0, q.P-len(q.near))
	next := 0
	for j := range q.P {
		if next < len(q.near) && q.near[next] == j {
			next++
			continue
		}
		others = append(others, j)
	}
	q.derivatives(q.g, q.at.r, others)
	q.complete = true
	if w := q.largest(others); w > q.tol {
		q.near = q.all
		return w
	}
	return worst
}

// largest returns the largest subgradient of the intercept and the given features.
func (q *run) largest(features []int) float64 {
	worst := 0.0
	if q.Intercept == 1 {
		worst = q.subgradient(0)
	}
	for _, j := range features {
		if r := q.subgradient(j + q.Intercept); r > worst || r != r {
			worst = r
		}
	}
	return worst
}

// subgradient returns that by one coordinate, in its scale.
func (q *run) subgradient(at int) float64 {
	r := math.Abs(q.pen.ResidualAt(at, q.g[at], q.x[at]))
	if q.scale != nil {
		r /= q.scale[at]
	}
	return r
}

// nearly is the share of its weight from which on a derivative makes a coordinate that is 0
// one of the working set.
const nearly = 0.95

// set returns the working set.
func (q *run) set() []int {
	var set []int
	for _, j := range q.near {
		at := j + q.Intercept
		if l1, _ := q.pen.Weights(at); q.x[at] != 0 || math.Abs(q.g[at]) > nearly*l1 {
			set = append(set, j)
		}
	}
	return set
}

// gain is the factor by which the descent on a model lowers the certificate.
const gain = 0.2

// mostUnsolved is on how many models the descent may creep.
const mostUnsolved = 5

// step minimises the model and moves there, or part of the way until the objective falls.
func (q *run) step() bool {
	if q.unsolved > mostUnsolved {
		return false
	}
	m, set := q.prepare(), q.set()
	m.curve(set)
	limit := q.tol / 2
	if !q.exact {
		limit = max(limit, gain*q.Report().Certificate().Value)
	}
	if !m.descend(set, limit) {
		q.unsolved++
	}
	if q.Intercept == 1 {
		m.z[0] += m.level()
	}
	foretold := q.pen.Value(m.z) - q.pen.Value(q.x)
	for at, z := range m.z {
		foretold += q.g[at] * (z - q.x[at])
	}
	return q.move(m.z, foretold)
}

// prepare makes the model that at the point.
func (q *run) prepare() *model {
	m := &q.model
	if m.data == nil {
		*m = model{data: &q.data, z: make([]float64, q.Dim()), t: make([]float64, q.N), a: make([]float64, q.P), h: make([]float64, q.P)}
	}
	m.pen, m.scale, m.v = q.pen, q.scale, q.at.v
	copy(m.z, q.x)
	copy(m.t, q.at.r)
	m.excess = 0
	if q.leveled() {
		m.excess = linalg.Sum(q.at.r) // of implied means 0, but for rounding
	}
	return m
}

const (
	armijo   = 1e-4
	halvings = 40
	// noise is the size, relative to the objective, below which a difference of two says
	// nothing.
	noise = 0x1p-40
)

// move goes to z, or a half, a quarter, … of the way, and reports whether it moved.
func (q *run) move(z []float64, foretold float64) bool {
	value, next := q.at.value+q.pen.Value(q.x), slices.Clone(z)
	if q.err = q.along(q.to.f, next); q.err != nil {
		return false
	}
	for t := 1.0; t > math.Ldexp(1, -halvings); t /= 2 {
		if t < 1 {
			for at, x := range q.x {
				next[at] = x + t*(z[at]-x)
			}
			for i, f := range q.at.f { // halfway from there to the scores tried last
				q.to.f[i] = f + (q.to.f[i]-f)/2
			}
		}
		q.look(&q.to)
		v := q.to.value + q.pen.Value(next)
		if q.Finite(next, v, nil) && v <= value+armijo*t*foretold+noise*math.Abs(value) {
			q.x, q.length = next, t
			q.at, q.to = q.to, q.at
			q.differentiate()
			return true
		}
	}
	return false
}
