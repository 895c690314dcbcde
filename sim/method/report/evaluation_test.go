package report_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/report"
)

// fresh returns data of the kind that m was fitted to, other rows, and for a
// classifier of three classes the same without the third.
func fresh(m *method.Method) []*dataset.Data {
	d := methodtest.Clouds(m, 7, 41, 3)
	if len(d.Names) == 3 {
		return []*dataset.Data{d, methodtest.TwoClasses(d)}
	}
	return []*dataset.Data{d}
}

// scored is what Evaluate should find, counted from the answers about single rows.
type scored struct {
	error, logLoss, brier, auc, mse, r2 float64
	confusion                           [][]int
}

func byHand(m *method.Model, d *dataset.Data) scored {
	n := float64(d.X.Rows)
	if r := m.Regressor(); r != nil {
		var sum, left, total float64
		for _, y := range d.Y {
			sum += y
		}
		for i, y := range d.Y {
			left += math.Pow(y-r.Predict(d.X.Row(i)), 2)
			total += math.Pow(y-sum/n, 2)
		}
		return scored{mse: left / n, r2: 1 - left/total}
	}
	c, k := m.Classifier(), len(d.Names)
	s := scored{logLoss: math.NaN(), brier: math.NaN(), auc: math.NaN(), confusion: make([][]int, k)}
	for t := range s.confusion {
		s.confusion[t] = make([]int, k)
	}
	var f []float64
	for i, truth := range d.Labels {
		got := c.Predict(d.X.Row(i))
		s.confusion[truth][got]++
		if got != truth {
			s.error += 1 / n
		}
		v := c.Scores(nil, d.X.Row(i))
		f = append(f, v[1]-v[0])
	}
	if m.HasProba() {
		share := 1.0 // of two classes only one counts
		if k == 2 {
			share = 0.5
		}
		s.logLoss, s.brier = 0, 0
		for i, truth := range d.Labels {
			for k, p := range c.(sim.Prober).Proba(nil, d.X.Row(i)) {
				if k == truth {
					s.logLoss -= math.Log(p) / n
					p--
				}
				s.brier += p * p / n * share
			}
		}
	}
	switch {
	case k == 2:
		s.auc = area(f, d.Labels, 1, 0)
	case m.HasProba(): // Hand and Till's mean over the pairs of classes
		s.auc = 0
		for of := range k {
			var score []float64
			for i := range d.Labels {
				score = append(score, c.(sim.Prober).Proba(nil, d.X.Row(i))[of])
			}
			for against := range k {
				if against != of {
					s.auc += area(score, d.Labels, of, against) / float64(k*(k-1))
				}
			}
		}
	}
	return s
}

// area is how often a row of one class has a higher score than a row of another.
func area(score []float64, y []int, of, against int) (auc float64) {
	pairs := 0.0
	for i := range score {
		for j := range score {
			if y[i] == of && y[j] == against {
				pairs++
				switch {
				case score[i] > score[j]:
					auc++
				case score[i] == score[j]:
					auc += 0.5
				}
			}
		}
	}
	return auc / pairs
}

// An evaluation is what a reader would count row by row, in JSON and in print.
func TestEvaluateIsCountedByHand(t *testing.T) {
	for _, m := range method.All() {
		for _, o := range methodtest.Ways(m) {
			for _, d := range fresh(m) {
				train := methodtest.Clouds(m, 1, 60, 3)
				if len(d.Names) == 2 && len(train.Names) == 3 {
					train = methodtest.TwoClasses(train)
				}
				model := methodtest.Must(t, m, train, o)
				r, err := report.Evaluate(model, d)
				if err != nil {
					t.Fatalf("%s: %v", m.Name, err)
				}
				want := byHand(model, d)
				switch r := r.(type) {
				case *report.Values:
					r = methodtest.Decoded(t, r)
					linalgtest.Close(t, m.Name+": mse", float64(r.MSE), want.mse, 1e-12)
					linalgtest.Close(t, m.Name+": r2", float64(r.R2), want.r2, 1e-12)
					text := methodtest.Lines(t, r)
					methodtest.Cell(t, m.Name, text, "mse", 0, want.mse)
					methodtest.Cell(t, m.Name, text, "r2", 0, want.r2)
					if r.N != d.X.Rows || r.Seconds < 0 {
						t.Errorf("%s: %d rows in %v s", m.Name, r.N, r.Seconds)
					}
				case *report.Classes:
					judgeClasses(t, m.Name, methodtest.Decoded(t, r), want, d)
				}
			}
		}
	}
}

func judgeClasses(t *testing.T, name string, r *report.Classes, want scored, d *dataset.Data) {
	t.Helper()
	if r.N != d.X.Rows || fmt.Sprint(r.Classes) != fmt.Sprint(d.Names) || fmt.Sprint(r.Confusion) != fmt.Sprint(want.confusion) || r.Seconds < 0 {
		t.Errorf("%s: %d rows of %v, confusion %v; want %d, %v, %v", name, r.N, r.Classes, r.Confusion, d.X.Rows, d.Names, want.confusion)
	}
	linalgtest.Close(t, name+": error", float64(r.Error), want.error, 1e-12)
	linalgtest.Close(t, name+": log-loss", float64(r.LogLoss), want.logLoss, 1e-12)
	linalgtest.Close(t, name+": Brier score", float64(r.Brier), want.brier, 1e-12)
	linalgtest.Close(t, name+": AUC", float64(r.AUC), want.auc, 1e-12)
	text := methodtest.Lines(t, r)
	methodtest.Cell(t, name, text, "error", 0, want.error)
	for what, v := range map[string]float64{"log-loss": want.logLoss, "Brier score": want.brier, "AUC": want.auc} {
		if v == v {
			methodtest.Cell(t, name, text, what, 0, v)
		} else if text[what] != nil {
			t.Errorf("%s: %s is %v, and there is none", name, what, text[what])
		}
	}
	for k, class := range d.Names {
		row, column := 0, 0
		for j := range d.Names {
			row += want.confusion[k][j]
			column += want.confusion[j][k]
			if got := text[class][j]; got != strconv.Itoa(want.confusion[k][j]) {
				t.Errorf("%s: %s taken for %s: %s times, want %d", name, class, d.Names[j], got, want.confusion[k][j])
			}
		}
		methodtest.Cell(t, name, text, class, len(d.Names), float64(want.confusion[k][k])/float64(row))
		methodtest.Cell(t, name, text, "precision", k, float64(want.confusion[k][k])/float64(column))
	}
}

// Labels that a model does not know, rows without them and columns that it does not
// have are errors with both numbers.
func TestEvaluateRefuses(t *testing.T) {
	for _, m := range method.All() {
		model := methodtest.Must(t, m, methodtest.Clouds(m, 1, 60, 3), methodtest.Options(m))
		var shape *linalg.ShapeError
		bare := *methodtest.Clouds(m, 1, 10, 3)
		bare.Labels, bare.Y = nil, nil
		if r, err := report.Evaluate(model, &bare); r != nil || !errors.As(err, &shape) {
			t.Errorf("%s: without labels: %v, %v", m.Name, r, err)
		}
		if r, err := report.Evaluate(model, methodtest.Clouds(m, 1, 10, 4)); r != nil || !errors.As(err, &shape) || shape.Want != 3 || shape.Got != 4 {
			t.Errorf("%s: four columns: %v, %v", m.Name, r, err)
		}
		if m.Regression {
			continue
		}
		d := methodtest.Clouds(m, 1, 10, 3)
		d.Labels[3] = 8
		var class *linalg.ClassError
		if r, err := report.Evaluate(model, d); r != nil || !errors.As(err, &class) || class.Class != 8 {
			t.Errorf("%s: class 8: %v, %v", m.Name, r, err)
		}
	}
}

// Lists that are not as long as the data, no data and no model are errors, and panic nowhere.
func TestListsOfOtherLengthsAreRefused(t *testing.T) {
	iris := dataset.Iris()
	d := &dataset.Data{X: iris.X.RowRange(50, 150), Labels: iris.Labels[50:]}
	m := methodtest.Must(t, must(method.Named("logistic")), d, &method.Options{Lambda: 1})
	for what, c := range map[string]struct {
		m *method.Model
		d *dataset.Data
	}{
		"labels":   {m, &dataset.Data{X: d.X, Labels: d.Labels[:3]}},
		"offsets":  {m, &dataset.Data{X: d.X, Labels: d.Labels, Offset: []float64{1}}},
		"weights":  {m, &dataset.Data{X: d.X, Labels: d.Labels, Weights: []float64{1}}},
		"nothing":  {m, new(dataset.Data)},
		"no data":  {m, nil},
		"no model": {new(method.Model), d},
	} {
		if _, err := report.Evaluate(c.m, c.d); err == nil {
			t.Errorf("%s: evaluated", what)
		}
		if err := report.WritePredictions(io.Discard, c.m, c.d, true); err == nil {
			t.Errorf("%s: predicted", what)
		}
	}
	c, _, x := m.For(&dataset.Data{X: d.X, Offset: []float64{1}})
	if _, err := c.PredictRows(nil, x); !errors.As(err, new(*linalg.ShapeError)) {
		t.Errorf("an offset for 100 rows: %v", err)
	}
}
