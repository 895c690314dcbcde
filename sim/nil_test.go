package sim_test

import (
	"reflect"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/logistic"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/validate"
)

// A model, a table or a part that is nil or its zero value is an error wherever an error can
// be returned.
func TestNilIsAnErrorAndNoPanic(t *testing.T) {
	d, folds := dataset.Iris(), make([]int, 150)
	fitted, err := logistic.Fit(d.X, d.Labels, &logistic.Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	var missing *logistic.Model
	var nothing sim.Prober
	lda, _ := method.Named("lda")
	refused := func(what string, v any, err error) {
		t.Helper()
		if r := reflect.ValueOf(v); err == nil || r.IsValid() && r.Kind() == reflect.Pointer && !r.IsNil() {
			t.Errorf("%s: %v, %v", what, v, err)
		}
	}
	for name, data := range map[string]*dataset.Data{"nil": nil, "empty": {}, "no labels": {X: d.X}} {
		for _, m := range append(method.All(), new(method.Method)) {
			v, err := m.Fit(data, nil)
			refused(m.Name+" fitted to data: "+name, v, err)
			cv, err := m.CrossValidate(data, nil, [][]method.Setting{nil}, [][]int{folds}, nil)
			refused(m.Name+" cross-validated on data: "+name, cv, err)
			p, err := m.Path(data, nil, 3)
			refused(m.Name+" along a path on data: "+name, p, err)
		}
		part, err := method.Gather(data, 1)
		refused("moments of data: "+name, part, err)
		model := new(method.Model)
		a, err := model.Audit(data, nil)
		refused("audit of no model", a, err)
		again, err := model.Refit(data, nil)
		refused("no model fitted again", again, err)
		inf, err := model.Infer(data, nil)
		refused("inference of no model", inf, err)
	}
	v, err := lda.Fit(d, &method.Options{Steps: []feature.Step{nil}})
	refused("a nil step", v, err)
	m, _ := method.Named("logistic")
	for _, start := range []*method.Model{nil, {}} {
		v, err = m.Fit(d, &method.Options{Lambda: 1, Start: start})
		refused("a start that is no model", v, err)
	}
	v, err = lda.FitMoments(nil, d.Schema, nil)
	refused("nil moments", v, err)
	v, err = lda.FitMoments(new(moments.ByClass), nil, nil)
	refused("a nil schema", v, err)
	v, err = method.New(nil, nil, missing)
	refused("a nil model", v, err)
	v, err = method.New(nil, feature.Chain{nil}, fitted)
	refused("a nil transform", v, err)
	for _, parts := range [][]*method.Part{nil, {nil}, {{}}} {
		p, err := method.MergeParts(parts)
		refused("nil parts", p, err)
	}
	row, err := new(method.Model).Row(nil, map[string]any{"a": 1})
	refused("a row of no model", row, err)
	enc, err := new(method.Model).Encoder([]string{"a"})
	refused("cells of no model", enc, err)
	dealt, err := method.Folds(nil, 2, 1, 1)
	refused("folds of nothing", dealt, err)
	e, err := validate.Evaluate(nothing, d.X, d.Labels)
	refused("scores of no model", e, err)
	e, err = validate.Evaluate(missing, d.X, d.Labels)
	refused("scores of a nil model", e, err)
	e, err = validate.Evaluate(fitted, nil, d.Labels)
	refused("scores of no rows", e, err)
	refused("probabilities of no model", nil, validate.EachProba(nothing, d.X, nil))
	refused("probabilities of no rows", nil, validate.EachProba(fitted, nil, nil))
	c, err := validate.Calibrate(missing, d.X, d.Labels)
	refused("calibration of no model", c, err)
	at, err := validate.AtThreshold(missing, 0)
	refused("a threshold of no model", at, err)
	cv, err := validate.CrossValidate(nil, nil, folds)
	refused("no trial", cv, err)
	_, x, err := feature.FitSteps(nil, feature.Expand{})
	refused("steps of no sample", x, err)
	tr, err := feature.Expand{}.Fit(new(feature.Sample))
	refused("a step of no rows", tr, err)
	x, err = feature.ApplyRows(nil, d.X)
	refused("rows of a nil transform", x, err)
	s, err := feature.NewStandardizer(nil, nil)
	refused("no means", s, err)
}

// A model that was not fitted has no features and takes no rows.
func TestZeroModelsTakeNoRows(t *testing.T) {
	x := linalg.Zeros(2, 3)
	for name, m := range fitted(t) {
		zero := reflect.New(reflect.TypeOf(m).Elem()).Interface()
		if p, ok := zero.(interface {
			Coef() (*linalg.Dense, []float64)
		}); ok {
			if coef, intercept := p.Coef(); coef != nil && coef.Rows > 0 || intercept != nil {
				t.Errorf("the zero %s has coefficients %v, %v", name, coef, intercept)
			}
		}
		if p, ok := zero.(sim.Regressor); ok {
			if _, err := p.PredictRows(nil, x); err == nil || p.Features() != 0 {
				t.Errorf("the zero %s predicts, of %d features", name, p.Features())
			}
		}
		if p, ok := zero.(sim.Classifier); ok && !strings.HasPrefix(name, "validate.") { // which wrap a model of any kind
			if _, err := p.PredictRows(nil, x); err == nil || p.Features() != 0 {
				t.Errorf("the zero %s predicts, of %d features", name, p.Features())
			}
		}
	}
}
