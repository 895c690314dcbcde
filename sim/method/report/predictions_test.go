package report_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/report"
)

// The CSV of predictions has, bit for bit, what the model says of each row.
func TestWrittenPredictions(t *testing.T) {
	for _, m := range method.All() {
		for _, o := range methodtest.Ways(m) {
			train := methodtest.Clouds(m, 1, 60, 3)
			if train.Names != nil {
				s := *train.Schema
				s.Names = []string{`a "b"`, "c,d", "e"}[:len(train.Names)]
				train.Names, train.Schema = s.Names, &s
			}
			model, d := methodtest.Must(t, m, train, o), methodtest.Clouds(m, 7, 20, 3)
			for _, proba := range []bool{false, true} {
				var b bytes.Buffer
				err := report.WritePredictions(&b, model, d, proba)
				if proba && !model.HasProba() {
					if err == nil || !strings.Contains(err.Error(), m.Name+" has no probabilities") || b.Len() > 0 {
						t.Errorf("%s: probabilities that it lacks: %v, %q", m.Name, err, b.String())
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", m.Name, err)
				}
				got, err := csv.NewReader(&b).ReadAll()
				if err != nil || len(got) != 1+d.X.Rows {
					t.Fatalf("%s: %d lines, %v", m.Name, len(got), err)
				}
				for i, line := range got {
					if want := predictedLine(model, d, i-1, proba); fmt.Sprint(line) != fmt.Sprint(want) {
						t.Fatalf("%s: line %d is %q, want %q", m.Name, i+1, line, want)
					}
				}
			}
			var shape *linalg.ShapeError
			if err := report.WritePredictions(io.Discard, model, methodtest.Clouds(m, 7, 20, 4), false); !errors.As(err, &shape) || shape.Got != 4 {
				t.Errorf("%s: rows of four values: %v", m.Name, err)
			}
			if err := report.WritePredictions(new(methodtest.Full), model, d, false); !errors.Is(err, io.ErrShortWrite) {
				t.Errorf("%s: a disk that is full: %v", m.Name, err)
			}
			if err := report.WritePredictions(new(methodtest.Full), model, methodtest.Clouds(m, 7, 4000, 3), false); !errors.Is(err, io.ErrShortWrite) {
				t.Errorf("%s: a disk that fills up: %v", m.Name, err)
			}
		}
	}
}

// predictedLine is the line for a row, the header for row −1.
func predictedLine(m *method.Model, d *dataset.Data, row int, proba bool) (cells []string) {
	format := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	switch r := m.Regressor(); {
	case r != nil && row < 0:
		return []string{"value"}
	case r != nil:
		return []string{format(r.Predict(d.X.Row(row)))}
	case !proba && row < 0:
		return []string{"class"}
	case !proba:
		return []string{m.Schema.Names[m.Classifier().Predict(d.X.Row(row))]}
	case row < 0:
		for _, name := range m.Schema.Names {
			cells = append(cells, "p_"+name)
		}
		return cells
	}
	for _, p := range m.Classifier().(sim.Prober).Proba(nil, d.X.Row(row)) {
		cells = append(cells, format(p))
	}
	return cells
}

// Rows that are not finite have no probabilities, as they have no class, unless the model fills gaps.
func TestRowsThatAreNotFiniteHaveNoProbabilities(t *testing.T) {
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	train, gap := methodtest.Clouds(m, 1, 60, 3), methodtest.Clouds(m, 7, 20, 3)
	gap.X.Set(4, 1, math.NaN())
	plain := methodtest.Must(t, m, train, &method.Options{Lambda: 1})
	filling := methodtest.Must(t, m, train, &method.Options{Lambda: 1, Steps: []feature.Step{feature.Impute{}}})
	var b bytes.Buffer
	var cell *linalg.NonFiniteError
	if err := report.WritePredictions(&b, plain, gap, true); !errors.As(err, &cell) || cell.Row != 4 || cell.Col != 1 || b.Len() > 0 {
		t.Errorf("%v, %q", err, b.String())
	}
	if err := report.WritePredictions(&b, filling, gap, true); err != nil || strings.Count(b.String(), "\n") != 21 || strings.Contains(b.String(), "NaN") {
		t.Errorf("with a step that fills gaps: %v, %q", err, b.String())
	}
}
