package method_test

import (
	"bytes"
	"math"
	"testing"

	"halfspace/hyperplane"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// A support vector classifier has probabilities where they are asked for, behind a
// standardizer and out of a file too, and else claims none.
func TestProbabilitiesOfSVC(t *testing.T) {
	m, err := method.Named("svc")
	if err != nil {
		t.Fatal(err)
	}
	d := methodtest.Clouds(m, 1, 90, 3)
	for _, o := range []*method.Options{{}, {Probability: true}, {Probability: true, Standardize: true}} {
		model := methodtest.Must(t, m, d, o)
		if model.HasProba() != o.Probability {
			t.Errorf("%+v: probabilities %v", o, model.HasProba())
		}
		var file bytes.Buffer
		if err := model.Save(&file); err != nil {
			t.Fatal(err)
		}
		back, err := method.Load(&file)
		if err != nil {
			t.Fatal(err)
		}
		if !o.Probability {
			continue
		}
		a, b := model.Classifier().(sim.Prober), back.Classifier().(sim.Prober)
		for i := range d.X.Rows {
			p, q := a.Proba(nil, d.X.Row(i)), b.Proba(nil, d.X.Row(i))
			if len(p) != 3 || math.Abs(p[0]+p[1]+p[2]-1) > 1e-9 || p[0] != q[0] || p[2] != q[2] {
				t.Fatalf("row %d: %v, out of a file %v", i, p, q)
			}
		}
	}
	own, err := hyperplane.FitSVCProba(d.X, d.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	named, err := method.New(d.Schema, nil, own)
	if err != nil || named.Method.Name != "svc" || !named.HasProba() {
		t.Errorf("%+v, %v", named, err)
	}
	if _, err := m.Path(d, &method.Options{Probability: true}, 3); err == nil {
		t.Error("a path with probabilities")
	}
}

// Firth's correction is an option: the estimates of separated classes are finite.
func TestFirthOfSeparatedClasses(t *testing.T) {
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	d := methodtest.TwoClasses(methodtest.Clouds(m, 1, 60, 3))
	for i := range d.Labels {
		d.Labels[i] = 0
		if d.X.At(i, 0) > 0 {
			d.Labels[i] = 1
		}
	}
	if _, err := m.Fit(d, nil); err == nil {
		t.Fatal("separated classes were fitted")
	}
	model := methodtest.Must(t, m, d, &method.Options{Firth: true})
	if coef, _, _ := model.Coef(); model.Report().Status() != optimize.Converged || !(coef.At(0, 0) > 0) {
		t.Errorf("%v, %v", model.Report(), coef.Data)
	}
	inf, err := model.Infer(d, &method.Options{Firth: true})
	if err != nil || inf == nil || !(inf.Terms[1].Lo < inf.Terms[1].Estimate && inf.Terms[1].Estimate < inf.Terms[1].Hi) {
		t.Errorf("%+v, %v", inf, err)
	}
}
