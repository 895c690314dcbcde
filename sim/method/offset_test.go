package method_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/report"
)

// withOffset is a small table with an offset; the classes overlap.
func withOffset() *dataset.Data {
	s := &dataset.Schema{Columns: []dataset.Column{{Name: "x"}}, Label: "y", Names: []string{"0", "1"}, Offset: "o"}
	x := linalg.Zeros(8, 1)
	for i := range x.Rows {
		x.Set(i, 0, float64(i))
	}
	return &dataset.Data{X: x, Schema: s, Names: s.Names,
		Labels: []int{0, 1, 0, 0, 1, 1, 0, 1}, Offset: []float64{-1, 0, 2, 1, 0, -2, 0.5, 3}}
}

// Every answer about a row is that of f(x) + offset.
func TestOffsetIsAddedToEveryAnswer(t *testing.T) {
	logit, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	d := withOffset()
	m, err := logit.Fit(d, &method.Options{Lambda: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	coef, intercept, _ := m.Coef()
	c, r, x := denseFor(m, d)
	if r != nil || c.Features() != 2 || x.Cols != 2 {
		t.Fatalf("%d features, %d columns, regressor %v", c.Features(), x.Cols, r)
	}
	labels, err := c.PredictRows(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, 0, 8)
	for i, o := range d.Offset {
		f := intercept[0] + coef.At(0, 0)*d.X.At(i, 0) + o
		s := c.Scores([]float64{7}, x.Row(i))
		linalgtest.Close(t, "f", s[2]-s[1], f, 1e-12)
		p := c.(sim.Prober).Proba([]float64{7}, x.Row(i))
		linalgtest.Close(t, "p", p[2], linalg.Sigmoid(f), 1e-12)
		linalgtest.Close(t, "1 − p", p[1], 1-linalg.Sigmoid(f), 1e-12)
		l := c.(sim.LogProber).LogProba([]float64{7}, x.Row(i))
		linalgtest.Close(t, "log p", l[2], math.Log(linalg.Sigmoid(f)), 1e-12)
		if want := map[bool]int{true: 1}[f > 0]; labels[i] != want || c.Predict(x.Row(i)) != want || s[0] != 7 || p[0] != 7 || l[0] != 7 {
			t.Errorf("row %d: class %d, want %d; scores %v, probabilities %v", i, labels[i], want, s, p)
		}
		if n := testing.AllocsPerRun(10, func() { row = c.(sim.Prober).Proba(row[:0], x.Row(i)) }); n > 0 {
			t.Errorf("%v allocations for the probabilities of a row", n)
		}
	}
	if _, err := c.PredictRows(nil, d.X); err == nil {
		t.Error("rows without their offset are predicted")
	}
}

// A regression's prediction is f(x) + offset, in every way of asking; a fit to y
// with an offset is the fit to y less the offset, for an unpenalised one.
func TestOffsetShiftsRegressions(t *testing.T) {
	for _, m := range method.All() {
		if !m.Regression || !m.Takes("offset") {
			continue
		}
		for _, o := range methodtest.Ways(m) {
			d := methodtest.Clouds(m, 1, 40, 3)
			o.Tol = 1e-12
			methodtest.Taken(m, o)
			less := *d
			less.Y, d.Offset = nil, nil
			for i, y := range d.Y {
				d.Offset = append(d.Offset, 3*math.Sin(float64(i)))
				less.Y = append(less.Y, y-d.Offset[i])
			}
			model, bare := methodtest.Must(t, m, d, o), methodtest.Must(t, m, &less, o)
			_, r, x := denseFor(model, d)
			if r.Features() != 4 || x.Cols != 4 {
				t.Fatalf("%s: %d features, %d columns", m.Name, r.Features(), x.Cols)
			}
			all, err := r.PredictRows([]float64{7}, x)
			if err != nil || len(all) != 41 || all[0] != 7 {
				t.Fatalf("%s: %d predictions, %v", m.Name, len(all), err)
			}
			mse := 0.0
			for i, offset := range d.Offset {
				row := d.X.Row(i)
				want := model.Regressor().Predict(row) + offset
				if got := r.Predict(x.Row(i)); got != want || all[i+1] != want {
					t.Errorf("%s: row %d: %v alone, %v among others, want %v", m.Name, i, got, all[i+1], want)
				}
				linalgtest.Close(t, m.Name+": f", model.Regressor().Predict(row), bare.Regressor().Predict(row), 1e-9)
				mse += (d.Y[i] - want) * (d.Y[i] - want) / 40
			}
			scores, err := report.Evaluate(model, d)
			if err != nil {
				t.Fatal(err)
			}
			linalgtest.Close(t, m.Name+": mse", float64(scores.(*report.Values).MSE), mse, 1e-12)
			if _, err := r.PredictRows(nil, d.X); err == nil {
				t.Errorf("%s: rows without their offset are predicted", m.Name)
			}
		}
	}
}

// An offset is refused by what takes none, and by more than two classes; to
// predictions of such a model it adds nothing.
func TestOffsetWhereThereIsNone(t *testing.T) {
	for _, m := range method.All() {
		d := methodtest.Clouds(m, 1, 60, 3)
		if m.Takes("offset") && len(d.Names) != 3 {
			continue
		}
		model := methodtest.Must(t, m, d, methodtest.Options(m))
		want := methodtest.Predictions(model, d.X)
		d.Offset = make([]float64, d.X.Rows)
		for i := range d.Offset {
			d.Offset[i] = 100
		}
		says := m.Name + ": this method takes no offset"
		if m.Takes("offset") {
			says = m.Name + ": an offset needs two classes, the data have 3"
		}
		if model, err := m.Fit(d, methodtest.Options(m)); model != nil || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, %v", m.Name, model, err)
		}
		c, r, x := denseFor(model, d)
		if x != d.X || (r == nil) == m.Regression {
			t.Fatalf("%s: %d columns, %v, %v", m.Name, x.Cols, c, r)
		}
		at := 0
		for i := range x.Rows {
			if r != nil {
				linalgtest.Close(t, m.Name, r.Predict(x.Row(i)), want[at], 0)
				at++
				continue
			}
			linalgtest.Close(t, m.Name, float64(c.Predict(x.Row(i))), want[at], 0)
			linalgtest.CloseSlice(t, m.Name, c.Scores(nil, x.Row(i)), want[at+1:at+1+len(d.Names)], 0)
			at += 1 + len(d.Names)
			if _, ok := c.(sim.Prober); ok {
				at += len(d.Names)
			}
		}
	}
}

// denseFor is For with the rows as a matrix, whichever storage they come in.
func denseFor(m *method.Model, d *dataset.Data) (sim.Classifier, sim.Regressor, *linalg.Dense) {
	c, r, x := m.For(d)
	dense, err := linalg.ToDense(x)
	if err != nil {
		panic(err)
	}
	return c, r, dense
}

// Rows with gaps that the steps fill have an offset as whole ones have.
func TestOffsetsOfRowsWithGaps(t *testing.T) {
	for _, name := range []string{"logistic", "ridge"} {
		m, err := method.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		d := withOffset()
		if m.Regression {
			d.Labels, d.Names, d.Y = nil, nil, []float64{1, 4, 2, 3, 5, 4, 7, 9}
			s := *d.Schema
			s.Names, d.Schema = nil, &s
		}
		d.X.Set(2, 0, math.NaN())
		o := &method.Options{Lambda: 0.1, Steps: []feature.Step{feature.Impute{}, feature.Expand{}, feature.Standardize{}}}
		model := methodtest.Must(t, m, d, o)
		coef, intercept, _ := model.Coef()
		c, r, x := model.For(d)
		dense, err := linalg.ToDense(x)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range d.Offset {
			v := d.X.At(i, 0)
			if i == 2 {
				v = (0.0 + 1 + 3 + 4 + 5 + 6 + 7) / 7 // the mean
			}
			want, got := intercept[0]+coef.At(0, 0)*v+coef.At(0, 1)*v*v+o, 0.0
			if r != nil {
				got = r.Predict(dense.Row(i))
			} else {
				s := c.Scores(nil, dense.Row(i))
				got = s[1] - s[0]
			}
			linalgtest.Close(t, name+": f", got, want, 1e-12)
		}
		if r != nil {
			_, err = r.PredictRows(nil, x)
		} else {
			_, err = c.PredictRows(nil, x)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := report.Evaluate(model, d); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		folds, err := method.Folds(d, 2, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.CrossValidate(d, o, [][]method.Setting{nil}, folds, nil); err != nil {
			t.Errorf("%s: cross-validation: %v", name, err)
		}
		wide := *d
		wide.X = linalg.Zeros(8, 2) // as many columns as the steps make of one
		if _, err := report.Evaluate(model, &wide); !errors.As(err, new(*linalg.ShapeError)) {
			t.Errorf("%s: rows of the steps' length: %v", name, err)
		}
	}
}
