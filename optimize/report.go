package optimize

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"halfspace/linalg/record"
)

// Status says how a fit ended.
type Status uint8

const (
	Direct        Status = iota // a closed form: nothing was iterated
	Converged                   // the certificate is at most the tolerance
	MaxIterations               // the iteration cap came first
	Stopped                     // the caller's Trace returned an error
	LineSearch                  // no step lowers the objective further, though the certificate is above the tolerance
	NotFinite                   // the objective or its derivatives are not finite at the start or at every step tried
)

var statusNames = []string{"direct", "converged", "max_iterations", "stopped", "line_search", "not_finite"}

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

// Certificate is a dimensionless bound on how far a result is from optimal; a
// user can recompute Value from the data and the published coefficients.
type Certificate struct {
	Kind  string  // "gradient", "subgradient", "gap", "kkt", "residual"; the perceptron's is "misclassified"
	Value float64 // compare with Tol
	Tol   float64
}

// Holds reports whether the value is at most the tolerance.
func (c Certificate) Holds() bool { return c.Value <= c.Tol }

// Report is the outcome of a fit.
type Report struct {
	Status      Status
	Iterations  int
	Objective   float64
	Certificate Certificate
}

type certificateJSON struct {
	Kind  string        `json:"kind"`
	Value record.Number `json:"value"`
	Tol   record.Number `json:"tol"`
}

type reportJSON struct {
	Status      Status          `json:"status"`
	Iterations  int             `json:"iterations"`
	Objective   record.Number   `json:"objective"`
	Certificate certificateJSON `json:"certificate"`
}

// MarshalJSON writes status, iterations, objective and certificate; a number
// that JSON cannot hold is null.
func (r Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(reportJSON{r.Status, r.Iterations, record.Number(r.Objective),
		certificateJSON{r.Certificate.Kind, record.Number(r.Certificate.Value), record.Number(r.Certificate.Tol)}})
}

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (r *Report) UnmarshalJSON(b []byte) error {
	var j reportJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*r = Report{j.Status, j.Iterations, float64(j.Objective),
		Certificate{j.Certificate.Kind, float64(j.Certificate.Value), float64(j.Certificate.Tol)}}
	return nil
}

// ErrNotConverged is wrapped by the error that accompanies a result whose
// certificate is above the tolerance.
var ErrNotConverged = errors.New("not converged")

// Err returns nil if r is converged or direct, and otherwise an error that wraps
// ErrNotConverged and cause (which may be nil) and states the certificate.
func (r Report) Err(cause error) error {
	if r.Status == Converged || r.Status == Direct {
		return nil
	}
	err := fmt.Errorf("%w: %v after %d iterations, %s %.3g above %.3g",
		ErrNotConverged, r.Status, r.Iterations, r.Certificate.Kind, r.Certificate.Value, r.Certificate.Tol)
	if cause != nil {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return err
}

// Step is what a solver tells the caller's trace once an iteration.
type Step struct {
	Iteration   int       // 0 is the start
	X           []float64 // the current point, for reading during the call only
	Objective   float64
	Certificate float64
	Length      float64 // step length the line search or trust region took; 0 at the start
}

// Control holds what every solver lets its caller set. The zero value, and a nil
// pointer, are the defaults. Solvers do not write to it.
type Control struct {
	Tol     float64   // tolerance of the certificate; 0 is the solver's documented default
	MaxIter int       // iteration cap; 0 is the solver's documented default
	Scale   []float64 // for each coordinate, the size that its derivative is measured in; nil is 1
	Trace   func(Step) error
}
