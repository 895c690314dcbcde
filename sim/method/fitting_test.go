package method_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// Standardised fits come back on the scale of the data.
func TestCoefficientsAreOfTheDataAsItCame(t *testing.T) {
	for _, m := range method.All() {
		if !m.Takes("standardize") || m.Name == "svc" {
			continue
		}
		o := methodtest.Options(m)
		o.Standardize = true
		model, d := methodtest.FitIris(t, m, o)
		coef, intercept, ok := model.Coef()
		if !ok {
			t.Errorf("%s is not linear", m.Name)
			continue
		}
		for i := range d.X.Rows {
			row := d.X.Row(i)
			var want []float64
			if r := model.Regressor(); r != nil {
				want = []float64{r.Predict(row)}
			} else if s := model.Classifier().Scores(nil, row); coef.Rows == 1 {
				want = []float64{s[1] - s[0]}
			} else {
				want = s
			}
			for k := range coef.Rows {
				if got := intercept[k] + linalg.Dot(coef.Row(k), row); !(math.Abs(got-want[k]) <= 1e-12*(1+math.Abs(want[k]))) {
					t.Fatalf("%s: row %d: %v, coefficients give %v", m.Name, i, want[k], got)
				}
			}
		}
	}
}

// Columns that are divided by their deviation have the origin that they had: a plane through it is one
// of the data.
func TestStandardizedPlanesGoThroughTheOrigin(t *testing.T) {
	for _, m := range method.All() {
		if !m.Takes("standardize") || !m.Takes("no-intercept") {
			continue
		}
		o := methodtest.Options(m)
		o.Standardize, o.NoIntercept, o.C, o.Multi = true, true, 0, ""
		d := methodtest.Iris(t, m)
		model, err := m.Fit(d, methodtest.Taken(m, o))
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
			continue
		}
		_, intercepts, _ := model.Coef()
		for _, b := range intercepts {
			if b != 0 {
				t.Errorf("%s: the intercepts are %v", m.Name, intercepts)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	ols := &dataset.Data{X: linalg.Zeros(3, 1), Y: []float64{1, 2, 3}}
	lda, _ := method.Named("lda")
	if _, err := lda.Fit(ols, new(method.Options)); err == nil {
		t.Error("a classifier takes numeric responses")
	}
	perceptron, _ := method.Named("perceptron")
	d := methodtest.Iris(t, perceptron)
	d.Weights = slices.Repeat([]float64{1}, d.X.Rows)
	if _, err := perceptron.Fit(d, new(method.Options)); err == nil || !strings.Contains(err.Error(), "weights") {
		t.Errorf("a perceptron with weights: %v", err)
	}
	if _, err := method.Named("nosuch"); err == nil || !strings.Contains(err.Error(), "lda") {
		t.Errorf("unknown method: %v", err)
	}
	svc, _ := method.Named("svc")
	mo, _ := moments.New(2, false)
	if _, err := svc.FitMoments(mo, nil, new(method.Options)); err == nil {
		t.Error("svc is fitted from moments")
	}
}

func TestNotConvergedKeepsTheModel(t *testing.T) {
	m, _ := method.Named("perceptron")
	d := dataset.Iris()
	s := *d.Schema
	s.Names = s.Names[1:]
	d.X, d.Names, d.Schema = d.X.RowRange(50, 150), s.Names, &s
	d.Labels = d.Labels[50:]
	for i := range d.Labels {
		d.Labels[i]--
	}
	model, err := m.Fit(d, &method.Options{MaxEpochs: 3})
	if model == nil || !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("got %v, %v", model, err)
	}
}
