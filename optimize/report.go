package optimize

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"halfspace/linalg/record"
)

// Status says how a fit ended.
type Status uint8

const (
	None          Status = iota // nothing was fitted: the zero Report
	Direct                      // a closed form: nothing was iterated
	Converged                   // the certificate is at most the tolerance
	MaxIterations               // the iteration cap came first
	Stopped                     // the caller's Trace returned an error
	LineSearch                  // no step lowers the objective further, though the certificate is above the tolerance
	NotFinite                   // the objective or its derivatives are not finite at the start or at every step tried
	Undecided                   // rounding hides whether the problem has a solution
	Imported                    // coefficients from elsewhere, which nothing has judged
	Audited                     // coefficients from elsewhere, judged by the certificate
)

var statusNames = []string{"none", "direct", "converged", "max_iterations", "stopped", "line_search", "not_finite",
	"undecided", "imported", "audited"}

// String returns the status as it stands in reports: "max_iterations".
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// MarshalText returns String.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Status) UnmarshalText(text []byte) error {
	k := slices.Index(statusNames, string(text))
	if k < 0 {
		return fmt.Errorf("optimize: unknown status %q", text)
	}
	*s = Status(k)
	return nil
}

// Kind names the quantity that a certificate is.
type Kind string

const (
	KindGradient      Kind = "gradient"      // the largest derivative, each in the size of its coordinate
	KindSubgradient   Kind = "subgradient"   // an ε-subgradient: see [SubgradientDescent]
	KindGap           Kind = "gap"           // a duality gap: the objective is within Value times itself of its minimum
	KindStationary    Kind = "stationary"    // the largest derivative of a function that is not convex: it promises no minimum
	KindKKT           Kind = "kkt"           // the largest violation of the conditions of Karush, Kuhn and Tucker
	KindResidual      Kind = "residual"      // the relative residual of the equations that define the result
	KindMisclassified Kind = "misclassified" // the share of rows on the wrong side
)

// Certificate is a dimensionless bound on how far a result is from optimal; a
// user can recompute Value from the data and the published coefficients.
type Certificate struct {
	Kind  Kind
	Value float64 // compare with Tol
	Tol   float64
}

// GapOf is the certificate of an objective that is at most excess above its minimum. No minimum is
// negative, so the whole of the objective is a bound, and what is no number proves no other.
func GapOf(excess, value, tol float64) Certificate {
	c := Certificate{Kind: KindGap, Value: 1, Tol: tol}
	switch {
	case !(0 <= value && value <= math.MaxFloat64): // no objective
	case excess <= 0:
		c.Value = 0
	case excess < value:
		c.Value = excess / value
	}
	return c
}

// Holds reports whether the value is at most the tolerance.
func (c Certificate) Holds() bool { return c.Value <= c.Tol }

// compared returns the value beside the tolerance.
func (c Certificate) compared() string {
	than := "≤"
	if !c.Holds() {
		than = "above"
	}
	return fmt.Sprintf("%s %.3g %s %.3g", c.Kind, c.Value, than, c.Tol)
}

// String returns the value beside the tolerance: "gap 1.2e-11 ≤ 1e-08: within 1.2e-11 of the
// minimum", where the last words, of a gap alone, are relative to the objective.
func (c Certificate) String() string {
	if c.Kind != KindGap {
		return c.compared()
	}
	return fmt.Sprintf("%s: within %.2g of the minimum", c.compared(), c.Value)
}

// MarshalJSON writes kind, value and tol; a number that JSON cannot hold is null.
func (c Certificate) MarshalJSON() ([]byte, error) {
	return json.Marshal(certificateJSON{c.Kind, record.Number(c.Value), record.Number(c.Tol)})
}

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (c *Certificate) UnmarshalJSON(b []byte) error {
	var j certificateJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*c = Certificate{j.Kind, float64(j.Value), float64(j.Tol)}
	return nil
}

type certificateJSON struct {
	Kind  Kind          `json:"kind"`
	Value record.Number `json:"value"`
	Tol   record.Number `json:"tol"`
}

// Report is the outcome of a fit. The solvers of this package, [Run], [Elsewhere] and
// [Report.Certify] write one; everybody else reads it. The zero value has status
// None, which is an error.
type Report struct {
	status      Status
	iterations  int
	objective   float64
	certificate Certificate
}

// Elsewhere returns the report of coefficients that come from elsewhere: status imported, an
// objective and a certificate of NaN until [Report.Certify] judges them.
func Elsewhere() Report {
	return Report{status: Imported, objective: math.NaN(), certificate: Certificate{Value: math.NaN(), Tol: math.NaN()}}
}

// Status says how the fit ended.
func (r Report) Status() Status { return r.status }

// Iterations counts the iterations of all solvers that took part, 0 for a closed form.
func (r Report) Iterations() int { return r.iterations }

// Objective is the value at the result of the function that was minimised.
func (r Report) Objective() float64 { return r.objective }

// Certificate bounds how far the result is from the minimum.
func (r Report) Certificate() Certificate { return r.certificate }

// String returns the status, the iterations, the objective and the certificate on one
// line: "converged after 6 iterations: objective 21.47, gap 1.2e-11 ≤ 1e-08".
func (r Report) String() string {
	after := ""
	if r.iterations > 0 {
		after = fmt.Sprintf(" after %d iterations", r.iterations)
	}
	if r.status == None || r.status == Imported {
		return r.status.String() + after
	}
	return fmt.Sprintf("%v%s: objective %.6g, %v", r.status, after, r.objective, r.certificate)
}

// Certify returns the report of the same run, judged by the certificate c of the
// published result, whose objective is given. Where c holds, the run has
// converged, or is direct if there was none (status None). Where c does not
// hold, a run that claimed the end, or a closed form, ends as line_search, and a run
// whose objective there is not finite as not_finite. A run
// that was stopped stays stopped, one that met numbers that are not finite stays
// not_finite, and coefficients from elsewhere become audited.
//
// The report of a closed form is Report{}.Certify(objective, c).
//
//go:noinline // a program would have a dozen copies
func (r Report) Certify(objective float64, c Certificate) Report {
	r.objective, r.certificate = objective, c
	switch holds := c.Holds(); r.status {
	case Stopped, NotFinite, Undecided, Audited:
	case Imported:
		r.status = Audited
	case None, Direct:
		r.status = LineSearch
		if holds {
			r.status = Direct
		}
	case Converged, MaxIterations, LineSearch:
		switch {
		case holds:
			r.status = Converged
		case !finite(objective):
			r.status = NotFinite
		case r.status == Converged:
			r.status = LineSearch
		}
	}
	return r
}

// Combine returns the report of a fit that solves several problems, one of them at
// least: the sums of their iterations and objectives, the largest certificate, which
// is NaN where one of them was not solved (status None), and the first status that is
// no success, else converged unless all are direct.
func Combine(reports ...Report) Report {
	r := Report{status: Direct}
	for i, one := range reports {
		r.iterations += one.iterations
		r.objective += one.objective
		if v := r.certificate.Value; i == 0 || v == v && !(one.certificate.Value <= v) {
			r.certificate = one.certificate
		}
		if one.status == None {
			r.certificate.Value = math.NaN()
		}
		if r.status == Direct || r.status == Converged && one.status != Direct {
			r.status = one.status
		}
	}
	return r
}

type reportJSON struct {
	Status      Status        `json:"status"`
	Iterations  int           `json:"iterations"`
	Objective   record.Number `json:"objective"`
	Certificate Certificate   `json:"certificate"`
}

// MarshalJSON writes status, iterations, objective and certificate; a number
// that JSON cannot hold is null.
func (r Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(reportJSON{r.status, r.iterations, record.Number(r.objective), r.certificate})
}

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (r *Report) UnmarshalJSON(b []byte) error {
	var j reportJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*r = Report{j.Status, j.Iterations, float64(j.Objective), j.Certificate}
	return nil
}

// ErrNotConverged is wrapped by the error that accompanies a result whose
// certificate is above the tolerance, or whose fit a trace has stopped.
var ErrNotConverged = errors.New("not converged")

// Err returns nil if r is direct or converged, imported (nothing was claimed), or
// audited with a certificate that holds. Otherwise it returns an error that wraps
// ErrNotConverged and cause (which may be nil) and states the certificate.
func (r Report) Err(cause error) error {
	c := r.certificate
	var err error
	switch {
	case r.status == Direct, r.status == Converged, r.status == Imported, r.status == Audited && c.Holds():
		return nil
	case r.status == None:
		err = fmt.Errorf("%w: nothing was fitted", ErrNotConverged)
	case r.status == Undecided:
		err = fmt.Errorf("%w: undecided after %d iterations", ErrNotConverged, r.iterations)
	default:
		err = fmt.Errorf("%w: %v after %d iterations, %s", ErrNotConverged, r.status, r.iterations, c.compared())
	}
	if cause != nil {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return err
}

// Audit is the judgment of coefficients, whoever found them.
type Audit struct {
	Report  Report  // status audited: the objective at the coefficients, and the certificate
	Minimum float64 // the objective has no smaller value anywhere: proven; NaN where nothing is

	// Own is the certificate that the coefficients have by themselves. That of the report is
	// smaller where a fit of the same objective bounds the minimum more closely.
	Own Certificate

	// Equations are the relative residuals of the equations that define the coefficients, of a
	// closed form or of a stationary point. Nil where a bound says it all.
	Equations []Equation

	// Rows are the rows with the largest parts of the excess. The gap of a primal and a dual
	// point is a sum over the rows and the coefficients of terms that are not negative, and 0
	// where the conditions of Karush, Kuhn and Tucker hold: so a part says by how much a row
	// violates its own. The rows are empty where the certificate needs no other point.
	Rows []Part

	// NoMinimum explains why the objective has no minimum or the problem no solution: the
	// classes are separated, columns are dependent, no plane separates the classes. Nil otherwise.
	NoMinimum error
}

// Part is the part of a row in the excess of an objective above its minimum.
type Part struct {
	Row  int
	Part float64
}

// Equation is the residual of an equation that defines coefficients, relative to its terms.
type Equation struct {
	Name     string
	Residual float64
}

// mostParts is the most rows that an audit names.
const mostParts = 10

// NewAudit judges coefficients at which the objective is value and that have a certificate by
// themselves. The minimum is bounded by a gap alone.
func NewAudit(value float64, own Certificate) *Audit {
	if own.Kind == KindGap { // an objective is not below 0
		own.Value = min(1, own.Value)
	}
	a := &Audit{Own: own}
	a.judge(value, own, own.beneath(value))
	return a
}

// judge sets the report, and the bound of the minimum.
func (a *Audit) judge(value float64, c Certificate, below float64) {
	if value == 0 && c.Kind == KindGap {
		c.Value = 0
	}
	a.Minimum = min(value, below)
	a.Report = Elsewhere().Certify(value, c)
}

// Beside makes the certificate one relative to least where the objective is less, and leaves the bound of the
// minimum as it is. It comes before [Audit.Against].
func (a *Audit) Beside(least float64) *Audit {
	if value := a.Report.objective; value < least && a.Own.Kind == KindGap {
		a.Own.Value *= value / least
		a.judge(value, a.Own, a.Minimum)
	}
	return a
}

// beneath returns the least that the minimum can be where an objective of that value has the certificate,
// rounded down; NaN of one that is no gap.
func (c Certificate) beneath(value float64) float64 {
	if c.Kind != KindGap {
		return math.NaN()
	}
	return value * (1 - min(1, c.Value)) * (1 - 0x1p-51)
}

// Refit is the share of a fit of the same objective in an audit.
type Refit struct {
	Report    Report    // its duality gap bounds the minimum from below; zero: nothing does
	Parts     []float64 // of the rows in the excess; those of 0 and below are rounding
	NoMinimum error     // see [Audit]
}

// Against returns the audit with the share of a fit, which is made where the coefficients are
// not certified by themselves: value − F*, relative to value, is at most
// value − F̂·(1 − gap) for an objective F̂ of that gap. The smaller of both bounds is taken.
//
// Errors: those of refit.
func (a *Audit) Against(refit func() (Refit, error)) (*Audit, error) {
	if a.Own.Holds() {
		return a, nil
	}
	r, err := refit()
	if err != nil {
		return nil, err
	}
	value, c := a.Report.objective, a.Own
	if below := r.Report.certificate.beneath(r.Report.objective); below == below && r.Report.status != None {
		if by := max(0, value-below) / value; by < c.Value || c.Value != c.Value {
			c.Value = by
		}
		if math.IsInf(value, 1) { // what was judged is no point of the problem
			c.Value = 1
		}
		if a.Minimum > below {
			below = a.Minimum
		}
		a.judge(value, c, below)
	}
	a.NoMinimum = r.NoMinimum
	a.AddRows(r.Parts)
	return a, nil
}

// CombineAudits returns the audit of several problems that are solved side by side, one at
// least: [Combine] of the reports, and sums of the rest.
func CombineAudits(audits ...*Audit) *Audit {
	whole, parts := &Audit{Own: audits[0].Own}, map[int]float64{}
	var reports []Report
	for _, a := range audits {
		reports = append(reports, a.Report)
		whole.Minimum += a.Minimum
		whole.NoMinimum = cmp.Or(whole.NoMinimum, a.NoMinimum)
		whole.Equations = append(whole.Equations, a.Equations...)
		if v := whole.Own.Value; v == v && !(a.Own.Value <= v) {
			whole.Own = a.Own
		}
		for _, p := range a.Rows {
			parts[p.Row] += p.Part
		}
	}
	whole.Report = Combine(reports...)
	for row, part := range parts {
		whole.Rows = append(whole.Rows, Part{row, part})
	}
	whole.keepLargest()
	return whole
}

// Excess returns by how much the objective is above its minimum, at most.
func (a *Audit) Excess() float64 { return a.Report.objective - a.Minimum }

// AddRows adds the parts of all rows, of which those of 0 and below are left out: none where
// the certificate holds, as they are rounding there.
func (a *Audit) AddRows(parts []float64) {
	if a.Report.certificate.Holds() {
		return
	}
	for i, v := range parts {
		if v > 0 {
			a.Rows = append(a.Rows, Part{i, v})
		}
	}
	a.keepLargest()
}

// keepLargest sorts the rows by their parts and keeps the largest.
func (a *Audit) keepLargest() {
	slices.SortFunc(a.Rows, func(p, q Part) int {
		return cmp.Or(cmp.Compare(q.Part, p.Part), cmp.Compare(p.Row, q.Row))
	})
	a.Rows = a.Rows[:min(mostParts, len(a.Rows))]
}

// String returns the report, the bounds of the minimum and the worst rows.
func (a *Audit) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n", a.Report)
	if a.NoMinimum != nil {
		fmt.Fprintf(&b, "there is no solution: %v\n", a.NoMinimum)
	} else if a.Minimum == a.Minimum {
		fmt.Fprintf(&b, "the minimum is at least %.10g: the objective exceeds it by at most %.3g\n", a.Minimum, a.Excess())
	}
	for _, e := range a.Equations {
		fmt.Fprintf(&b, "%s: off by %.3g\n", e.Name, e.Residual)
	}
	for _, p := range a.Rows {
		fmt.Fprintf(&b, "row %d: %.3g of the excess\n", p.Row, p.Part)
	}
	return strings.TrimRight(b.String(), "\n")
}

type auditJSON struct {
	Status      Status        `json:"status"`
	Objective   record.Number `json:"objective"`
	Certificate Certificate   `json:"certificate"`
	Own         Certificate   `json:"own"`
	Minimum     record.Number `json:"minimum"`
	Equations   []equation    `json:"equations,omitempty"`
	Rows        []partJSON    `json:"rows"`
	NoMinimum   string        `json:"no_minimum,omitempty"`
}

type equation struct {
	Name     string        `json:"name"`
	Residual record.Number `json:"residual"`
}

type partJSON struct {
	Row  int           `json:"row"`
	Part record.Number `json:"part"`
}

// MarshalJSON writes the report and the fields, NoMinimum as text; a number that JSON cannot hold is null.
func (a *Audit) MarshalJSON() ([]byte, error) {
	j := auditJSON{Status: a.Report.status, Objective: record.Number(a.Report.objective), Certificate: a.Report.certificate,
		Own: a.Own, Minimum: record.Number(a.Minimum), Rows: []partJSON{}}
	for _, e := range a.Equations {
		j.Equations = append(j.Equations, equation{e.Name, record.Number(e.Residual)})
	}
	for _, p := range a.Rows {
		j.Rows = append(j.Rows, partJSON{p.Row, record.Number(p.Part)})
	}
	if a.NoMinimum != nil {
		j.NoMinimum = a.NoMinimum.Error()
	}
	return json.Marshal(j)
}

func finite(v float64) bool { return v-v == 0 }
