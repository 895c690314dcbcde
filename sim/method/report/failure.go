package report

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"halfspace/hyperplane"
	"halfspace/logistic"
	"halfspace/qp/separation"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// Failure is the report of a fit without a model, for a reason that has a proof: what
// `halfspace fit -json` prints beside the line of the error. Rows of the evidence are
// those of the data from 0, its classes and columns are positions in Classes and Features.
// For a pair of several classes Pair holds the two, the positive one last; for one class
// against the rest that one alone.
type Failure struct {
	Method   string               `json:"method"`
	Classes  []string             `json:"classes"`
	Features []string             `json:"features"`
	Error    string               `json:"error"`
	Pair     []string             `json:"pair,omitempty"`
	Evidence *separation.Evidence `json:"evidence"`
}

// Fail returns the report of an error of a fit to d; nil for one without a proof.
func Fail(name string, d *dataset.Data, err error) *Failure {
	f := &Failure{Method: name, Classes: method.ClassNames(d), Features: d.Features(), Error: fmt.Sprint(err)}
	var (
		separated  *logistic.SeparationError
		infeasible *hyperplane.InfeasibleError
	)
	switch {
	case errors.As(err, &separated):
		f.Evidence = &separated.Evidence
	case errors.As(err, &infeasible):
		f.Evidence = infeasible.Evidence
		if m := infeasible.Machine; !m.Rest {
			f.Pair = append(f.Pair, f.class(m.Negative))
		}
		f.Pair = append(f.Pair, f.class(infeasible.Machine.Positive))
	default:
		return nil
	}
	return f
}

// class returns the name of a class, its label where that is no code.
func (f *Failure) class(label int) string {
	if label < 0 || label >= len(f.Classes) {
		return strconv.Itoa(label)
	}
	return f.Classes[label]
}

// Write writes the error.
func (f *Failure) Write(w io.Writer, _ bool) error {
	_, err := fmt.Fprintln(w, f.Error)
	return err
}
