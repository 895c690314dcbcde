package hyperplane

import (
	"fmt"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
)

// KozinecOptions are the settings of [FitKozinec]. The zero value and nil are the
// defaults.
type KozinecOptions struct {
	Tol     float64 // ε: stop when the margin is at least (1−ε) of the widest possible; 0 is 0.01
	MaxIter int     // cap on steps; 0 is 10,000
	Classes []int   // the two labels, ascending; nil is those of y
	Workers int     // goroutines; 0 is GOMAXPROCS

	// Trace is called with the start and after each step. X is (w₊, w₋) less the
	// mean of the rows, Objective ‖w₊−w₋‖/2, Certificate the relative gap.
	Trace func(optimize.Step) error
}

// Kozinec is a plane whose margin is within a known fraction of the widest.
type Kozinec struct {
	TwoClasses
	margin, bound float64
}

// Margin returns the distance of the closest row from the plane, negative if the
// plane does not separate the classes. The plane is scaled so that the closest
// rows have y·f = 1.
func (m *Kozinec) Margin() float64 { return m.margin }

// Bound returns ‖w₊−w₋‖/2, above which no plane's margin can be.
func (m *Kozinec) Bound() float64 { return m.bound }

// FitKozinec separates two classes by an ε-optimal plane, with the rule that
// Kozinec (1973) gave for one hull and Schlesinger extended to two (Franc and
// Hlaváč, Pattern Recognition 36, 2003). It keeps a point in the convex hull of
// either class, w₊ and w₋ (the means at first). The row that lies deepest in the
// slab between them pulls the point of its class along the straight line to the
// place closest to the other point. The plane is normal to w₊ − w₋, in the
// middle between the classes.
//
// ‖w₊−w₋‖/2 bounds the margin of every plane from above. The certificate is the
// gap, 1 − margin/bound; the fit ends when it is at most Tol. The number of steps
// grows like 1/Tol and with the square of diameter over margin: for the optimum
// itself there is the hard margin fit. O(np) a step, O(n + p) memory.
//
// Where the rule ends at the cap without a plane that separates the classes, or the two
// points meet to 1e-10 of the size of the rows, exact arithmetic decides: classes that
// cannot be separated get an *[InfeasibleError], others the widest margin itself.
// [FitHardMargin] has a form for planes through 0, which this has not: two hulls make the
// intercept.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.ClassError],
// *[linalg.RangeError], *[sample.OptionError].
func FitKozinec(x linalg.Rows, y []int, o *KozinecOptions) (*Kozinec, error) {
	return door(x, y, o, fitKozinec)
}

func fitKozinec(x linalg.Table, y []int, o *KozinecOptions) (*Kozinec, error) {
	pair, sign, err := sample.Signs(x, y, o.Classes, nil)
	if err != nil {
		return nil, err
	}
	workers, err := sample.Count("Workers", o.Workers, 0)
	if err != nil {
		return nil, err
	}
	tol, err := sample.Positive("Tol", o.Tol, 0.01)
	if err != nil {
		return nil, err
	}
	if err := sample.Range(x, nil, nil); err != nil {
		return nil, err
	}
	_, p := x.Dims()
	var center []float64
	if dense, ok := x.(*linalg.Dense); ok { // sparse rows stay about 0
		center = origin(dense, nil, farOff)
	}
	q := &qp.Linear{X: x, Origin: center, Sign: sign, Workers: workers}
	var cause error // the trace's
	near, err := qp.Kozinec(&qp.Hulls{Points: q, Sign: sign},
		&qp.HullOptions{Tol: tol, MaxIter: o.MaxIter, Trace: o.hullTrace(p, &cause)})
	if near == nil {
		return nil, err
	}
	if status := near.Report.Status(); status != optimize.Stopped && status != optimize.NotFinite {
		t := task{sign: sign}
		near, center, err = t.settle(Machine{Negative: pair[0], Positive: pair[1]}, x, t.apart(x, nil, false, workers), near, center, tol)
		if err != nil {
			return nil, err
		}
	}
	m := newKozinec(pair, near, center)
	if err := m.plane.InRange(); err != nil {
		return nil, err
	}
	if err := m.report.Err(cause); err != nil {
		return m, fmt.Errorf("kozinec: margin %.3g, at most %.3g: %w", m.margin, m.bound, err)
	}
	return m, nil
}

// hullTrace returns the trace for the solver, in whose steps the point of the
// negative hull has its sign changed. The caller's error is kept in cause.
func (o *KozinecOptions) hullTrace(p int, cause *error) func(optimize.Step) error {
	if o.Trace == nil {
		return nil
	}
	return func(s optimize.Step) error {
		s.X = slices.Clone(s.X)
		linalg.Scale(s.X[p:], -1)
		s.Objective /= 2
		*cause = o.Trace(s)
		return *cause
	}
}

// newKozinec scales the plane so that the closest rows have y·f = 1 where it
// separates.
func newKozinec(pair [2]int, near *qp.Nearest, center []float64) *Kozinec {
	norm, separation, width := linalg.Norm(near.Difference), near.Separation(), 2.0
	m := &Kozinec{bound: norm / 2}
	if norm > 0 {
		m.margin = separation / norm / 2
	}
	if !(separation > 0) {
		separation, width = 1, 1
	}
	m.TwoClasses = TwoClasses{pair, between(near, center, width, separation, false), near.Report.Certify(m.bound, near.Report.Certificate())}
	return m
}

// kozinecRecord is the body of a Kozinec's JSON.
type kozinecRecord struct {
	twoClassesRecord
	Margin float64 `json:"margin"`
	Bound  float64 `json:"bound"`
}

const kozinecKind = "halfspace/kozinec"

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it back bit for bit.
func (m *Kozinec) MarshalJSON() ([]byte, error) {
	b, err := record.MarshalFitted(kozinecKind, 1, m.plane != nil, func() any { return kozinecRecord{m.TwoClasses.record(), m.margin, m.bound} })
	return b, wrap(err)
}

// UnmarshalJSON reads what MarshalJSON wrote. Errors: those of package record.
func (m *Kozinec) UnmarshalJSON(data []byte) error {
	var r kozinecRecord
	if _, err := record.Unmarshal(data, kozinecKind, 1, &r); err != nil {
		return wrap(err)
	}
	two, err := r.twoClasses()
	if err != nil {
		return wrap(err)
	}
	if r.Bound < 0 {
		return wrap(&record.DamageError{Reason: "a bound below 0"})
	}
	*m = Kozinec{two, r.Margin, r.Bound}
	return nil
}
