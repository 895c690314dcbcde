package method_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// refused tells whether err is of the kind of target and comes without a model.
func refused(t *testing.T, m *method.Method, what string, d *dataset.Data, o *method.Options, target any) {
	t.Helper()
	model, err := m.Fit(d, o)
	if model != nil || !errors.As(err, target) {
		t.Errorf("%s: %s: got a model: %v, and %v", m.Name, what, model != nil, err)
	}
}

// The rows of the table of bad input that every method can meet, each by its name.
// The packages test what only they can.
func TestBadInputOfEveryMethod(t *testing.T) {
	var (
		finite *linalg.NonFiniteError
		shape  *linalg.ShapeError
		weight *linalg.WeightError
		class  *linalg.ClassError
	)
	for _, m := range method.All() {
		o := methodtest.Options(m)
		with := func(change func(d *dataset.Data)) *dataset.Data {
			d := *methodtest.Clouds(m, 1, 30, 3)
			d.X = d.X.Clone()
			change(&d)
			return &d
		}
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			refused(t, m, "NaN or Inf in x", with(func(d *dataset.Data) { d.X.Set(17, 2, v) }), o, &finite)
			if finite != nil && (finite.Row != 17 || finite.Col != 2) {
				t.Errorf("%s: NaN or Inf in x: row %d, column %d", m.Name, finite.Row, finite.Col)
			}
			if m.Regression {
				refused(t, m, "NaN or Inf in y", with(func(d *dataset.Data) { d.Y[5] = v }), o, &finite)
			}
			if m.Name != "perceptron" {
				refused(t, m, "NaN or Inf in weights", with(func(d *dataset.Data) {
					d.Weights = slices.Repeat([]float64{1}, 30)
					d.Weights[3] = v
				}), o, &finite)
			}
		}
		if m.Name != "perceptron" {
			finite = nil
			refused(t, m, "NaN in a row of weight 0", with(func(d *dataset.Data) {
				d.X.Set(17, 2, math.NaN())
				d.Weights = slices.Repeat([]float64{1}, 30)
				d.Weights[17] = 0
			}), o, &finite)
			if finite != nil && (finite.Row != 17 || finite.Col != 2) {
				t.Errorf("%s: NaN in a row of weight 0: row %d, column %d", m.Name, finite.Row, finite.Col)
			}
			refused(t, m, "a negative weight", with(func(d *dataset.Data) {
				d.Weights = slices.Repeat([]float64{1}, 30)
				d.Weights[3] = -1
			}), o, &weight)
			refused(t, m, "no positive weight", with(func(d *dataset.Data) { d.Weights = make([]float64, 30) }), o, &shape)
		}
		own := *o
		if m.Takes("class-weight") {
			own.ClassWeight = "balanced"
		}
		refused(t, m, "too few answers", with(func(d *dataset.Data) { d.Labels, d.Y = cut(d.Labels, 29), cut(d.Y, 29) }), &own, &shape)
		if m.Takes("weights") {
			refused(t, m, "too few weights", with(func(d *dataset.Data) { d.Weights = slices.Repeat([]float64{1}, 29) }), &own, &shape)
		}
		refused(t, m, "no rows", with(func(d *dataset.Data) {
			d.X = &linalg.Dense{Cols: 3, Stride: 3}
			d.Labels, d.Y = cut(d.Labels, 0), cut(d.Y, 0)
		}), o, &shape)
		refused(t, m, "no columns", with(func(d *dataset.Data) { d.X = &linalg.Dense{Rows: 30} }), o, &shape)
		refused(t, m, "rows ≠ labels", with(func(d *dataset.Data) { d.Labels, d.Y = cut(d.Labels, 29), cut(d.Y, 29) }), o, &shape)
		refused(t, m, "values missing", with(func(d *dataset.Data) { d.X.Data = d.X.Data[:50] }), o, &shape)
		if m.Regression {
			continue
		}
		refused(t, m, "one class only", with(func(d *dataset.Data) {
			clear(d.Labels)
			d.Names = d.Names[:1]
		}), o, &class)
		refused(t, m, "a class without rows", with(func(d *dataset.Data) {
			for i, k := range d.Labels {
				d.Labels[i] = min(k, len(d.Names)-2)
			}
		}), o, &class)
		refused(t, m, "a label that is no class", with(func(d *dataset.Data) { d.Labels[4] = 9 }), o, &class)
	}
}

// cut keeps the first n values of a list that there is.
func cut[T any](v []T, n int) []T {
	if v == nil {
		return nil
	}
	return v[:n]
}

// Options outside their range are refused, each by its name.
func TestOptionsOutOfRange(t *testing.T) {
	set := map[string]func(o *method.Options, v float64){
		"lambda": func(o *method.Options, v float64) { o.Lambda = v }, "l1-ratio": func(o *method.Options, v float64) { o.L1Ratio = v; o.Lambda = 1 },
		`C`: func(o *method.Options, v float64) { o.C = v }, "epsilon": func(o *method.Options, v float64) { o.Epsilon = v },
		"rate": func(o *method.Options, v float64) { o.Rate = v }, "tol": func(o *method.Options, v float64) { o.Tol = v },
		"alpha": func(o *method.Options, v float64) { o.Alpha = v }, "gamma": func(o *method.Options, v float64) { o.Shrinkage = v },
		"max-iter": func(o *method.Options, v float64) { o.MaxIter = int(v) }, "workers": func(o *method.Options, v float64) { o.Workers = int(v) },
		"max-epochs": func(o *method.Options, v float64) { o.MaxEpochs = int(v) }, "rank": func(o *method.Options, v float64) { o.Rank = int(v) },
	}
	for _, m := range method.All() {
		for name, to := range set {
			if !m.Takes(name) {
				continue
			}
			bad := []float64{-1, math.NaN(), math.Inf(1)}
			if slices.Contains([]string{"max-iter", "workers", "max-epochs", "rank"}, name) {
				bad = bad[:1]
			}
			for _, v := range bad {
				o := methodtest.Options(m)
				to(o, v)
				if model, err := m.Fit(methodtest.Clouds(m, 1, 30, 3), o); model != nil || err == nil || !documented(err) {
					t.Errorf("%s: %s %v: %v", m.Name, name, v, err)
				}
			}
		}
	}
}

// A few rows of very many columns are fitted or refused by the size that they would
// need: no method asks the runtime for a square matrix that it cannot have.
func TestVeryManyColumns(t *testing.T) {
	const n, p = 4, 60_000 // p² values are 29 GB
	x, schema := linalg.Zeros(n, p), &dataset.Schema{Names: []string{"a", "b"}}
	for j := range p {
		schema.Columns = append(schema.Columns, dataset.Column{Name: fmt.Sprintf("x%d", j+1)})
		x.Set(j%n, j, 1)
	}
	for _, m := range method.All() {
		d := &dataset.Data{X: x, Schema: schema, Labels: []int{0, 1, 0, 1}, Names: schema.Names}
		if m.Regression {
			d.Labels, d.Names, d.Y = nil, nil, []float64{1, 2, 0, 3}
		}
		model, err := m.Fit(d, &method.Options{})
		var size *linalg.SizeError
		var rank *linalg.RankError
		if model == nil && !errors.As(err, &size) && !errors.As(err, &rank) {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}
