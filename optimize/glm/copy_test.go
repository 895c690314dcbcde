package glm

import (
	"errors"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// A ridge on rows that may not be copied is certified by products with all of them.
func TestRidgeOfRowsThatMayNotBeCopied(t *testing.T) {
	x, labels := linalgtest.LabeledRows(300, 60, 2)
	y := make([]float64, len(labels))
	for i, l := range labels {
		y[i] = float64(2*l - 1)
	}
	d, err := design.New(linalgtest.Remote{Rows: linalgtest.OddBlocks{X: x}}, len(y), "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if _, report, err := New(d, y, loss.Logistic{}, ridgeOf(d, 1)).Minimize(Problem{}); err != nil {
		t.Errorf("%v: %v", report, err)
	}
}

// A likelihood of rows that may not be copied has no basis of their columns: where its bound is above a tolerance that
// rounding hides, the coefficients come all the same, beside the error of a fit that has not converged.
func TestLikelihoodOfRowsThatMayNotBeCopied(t *testing.T) {
	x, labels := linalgtest.LabeledRows(300, 4, 2)
	y := make([]float64, len(labels))
	for i, l := range labels {
		y[i] = float64(2*l - 1)
	}
	for _, rows := range []linalg.Rows{x, linalgtest.Remote{Rows: linalgtest.OddBlocks{X: x}}} {
		d, err := design.New(rows, len(y), "labels", design.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		theta, report, err := New(d, y, loss.Logistic{}, nil).Minimize(Problem{Tol: 1e-40})
		if theta == nil || !errors.Is(err, optimize.ErrNotConverged) || !(report.Certificate().Value < 1e-12) {
			t.Errorf("%T: %v, %v, %v", rows, theta, report, err)
		}
	}
}

// Many parameters of several classes on rows of which no part may be copied have no model but the diagonal.
func TestManyClassesOfRowsThatMayNotBeCopied(t *testing.T) {
	const k = 10
	x, labels := linalgtest.LabeledRows(230, 222, k)
	d, err := design.New(linalgtest.Remote{Rows: x, Most: 8000}, len(labels), "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	o := NewMulti(d, numbers(labels), loss.Softmax{K: k}, Contrasts(k), ridgeOf(d, 1))
	if o.Parameters() <= factorable {
		t.Fatalf("%d parameters have a Hessian", o.Parameters())
	}
	before := o.Value(make([]float64, o.Parameters()))
	theta, report, err := o.Minimize(Problem{MaxIter: 1})
	if theta == nil || !errors.Is(err, optimize.ErrNotConverged) || !(report.Objective() < before) {
		t.Errorf("%v, %g before: %v", report, before, err)
	}
}

// Where a dense copy of the rows is too large they prove nothing, and are no error.
func TestBoundByRowsThatAreTooLong(t *testing.T) {
	const n, p = 1200, 450_000
	start, index, value, y := []int{0}, make([]int32, n), make([]float64, n), make([]float64, n)
	for i := range n {
		index[i], value[i], y[i] = int32(i%7), float64(1+i%5), float64(2*(i%2)-1)
		start = append(start, i+1)
	}
	x, err := linalg.NewCSR(n, p, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	d, err := design.New(x, n, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	o, theta := New(d, y, loss.Logistic{}, ridgeOf(d, 1)), make([]float64, p+1)
	o.evaluate(theta)
	if b, err := o.boundByRows(theta, n, nil); err != nil || b.Exists {
		t.Errorf("%+v, %v", b, err)
	}
}

// Parameters that are too many for a Hessian are proven beside a feature without a ridge too.
func TestOneFreeFeatureAmongVeryManyIsNoError(t *testing.T) {
	const n, p = 20, 23_300
	d, err := design.New(linalgtest.Normal(3, n, p), n, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	ridge, y := ridgeOf(d, 1), make([]float64, n)
	ridge[1] = 0
	for i := range y {
		y[i] = float64(2*(i%2) - 1)
	}
	theta, report, err := New(d, y, loss.Logistic{}, ridge).Minimize(Problem{MaxIter: 3000})
	if theta == nil || err != nil {
		t.Errorf("%d parameters, %v: %v", len(theta), report, err)
	}
}
