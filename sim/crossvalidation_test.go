package sim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// Cross-validations along a path of the rows of options, with a trace and a cap of iterations.
func crossValidations(t *testing.T) map[string]func(trace func(optimize.Step) error, maxIter int) (fmt.Stringer, error) {
	d := rowsOfOptions()
	svc, err := method.Named("svc")
	if err != nil {
		t.Fatal(err)
	}
	grid := []float64{.1, 1, 10}
	return map[string]func(trace func(optimize.Step) error, maxIter int) (fmt.Stringer, error){
		"SVC": func(trace func(optimize.Step) error, maxIter int) (fmt.Stringer, error) {
			cv, err := hyperplane.CrossValidateSVC(d.x, d.y, grid, d.folds, &hyperplane.SVCOptions{Trace: trace, MaxIter: maxIter})
			return cv, read(t, cv, err, new(hyperplane.CV))
		},
		"regression": func(trace func(optimize.Step) error, maxIter int) (fmt.Stringer, error) {
			cv, err := regression.CrossValidate(d.wide, d.r, nil, d.folds, &regression.Options{L1Ratio: 1, Count: 20, Trace: trace, MaxIter: maxIter})
			return cv, read(t, cv, err, new(regression.CV))
		},
		"logistic": func(trace func(optimize.Step) error, maxIter int) (fmt.Stringer, error) {
			cv, err := logistic.CrossValidate(d.x, d.three, d.folds, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Trace: trace, MaxIter: maxIter}, Count: 10})
			return cv, read(t, cv, err, new(logistic.CV))
		},
		"svc by name": func(trace func(optimize.Step) error, maxIter int) (fmt.Stringer, error) {
			return svc.CrossValidatePath(&dataset.Data{X: d.x, Labels: d.y}, &method.Options{Trace: trace, MaxIter: maxIter}, 5, d.folds)
		},
	}
}

// read returns an error as it is, after it has looked at the choices of a result and read its JSON.
func read(t *testing.T, cv interface {
	fmt.Stringer
	json.Marshaler
}, err error, back json.Unmarshaler) error {
	t.Helper()
	_ = cv.String()
	text, failed := cv.MarshalJSON()
	if failed == nil {
		failed = back.UnmarshalJSON(text)
	}
	if failed != nil {
		t.Error(failed)
	}
	return err
}

// A trace that returns an error is not called again, and stands beside what was validated before.
func TestTraceEndsCrossValidations(t *testing.T) {
	enough := errors.New("enough")
	for name, validate := range crossValidations(t) {
		for _, last := range []int{1, 3, 20} {
			calls := 0
			cv, err := validate(func(optimize.Step) error {
				if calls++; calls >= last {
					return enough
				}
				return nil
			}, 0)
			if calls != last || !errors.Is(err, enough) || !errors.Is(err, optimize.ErrNotConverged) {
				t.Errorf("%s: ended at the call %d of %d: %v", name, calls, last, err)
			}
			if s := cv.String(); s != "no fit was validated\n" { // a fold has no fit
				t.Errorf("%s: ended at the call %d: %s", name, last, s)
			}
		}
	}
}

// A path of all rows that ends early has no losses beyond its end.
func TestCrossValidationsOfPathsThatEndEarly(t *testing.T) {
	for name, validate := range crossValidations(t) {
		for maxIter := 1; maxIter < 40; maxIter++ {
			if cv, err := validate(nil, maxIter); err != nil && !errors.Is(err, optimize.ErrNotConverged) {
				t.Errorf("%s: %d iterations: %v, %v", name, maxIter, cv, err)
			}
		}
	}
}
