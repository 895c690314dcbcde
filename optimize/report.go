package optimize

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

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
	r.judge(objective, &c)
	return r
}

// judge makes r what Certify returns.
//
//go:noinline // for its callers are many
func (r *Report) judge(objective float64, c *Certificate) {
	r.objective, r.certificate = objective, *c
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

func finite(v float64) bool { return v-v == 0 }
