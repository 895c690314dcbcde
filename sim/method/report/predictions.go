package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// WritePredictions writes the predictions for the rows of d as CSV, a line a row:
// labels under the header class, values under value, or with proba the
// probabilities of the classes under p_<label>.
//
// Errors: no probabilities; *[linalg.ShapeError]; those of w.
func WritePredictions(w io.Writer, m *method.Model, d *dataset.Data, proba bool) error {
	if err := m.Check(d); err != nil {
		return err
	}
	if proba && !m.HasProba() {
		return fmt.Errorf("%s has no probabilities", m.Method.Name)
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	c, r, x := m.For(d)
	var cells func(dst []string, row []float64) []string
	var head []string
	switch {
	case r != nil:
		head = []string{"value"}
		cells = func(dst []string, row []float64) []string { return append(dst, number(r.Predict(row))) }
	case !proba:
		head = []string{"class"}
		cells = func(dst []string, row []float64) []string { return append(dst, m.Schema.Names[c.Predict(row)]) }
	default:
		for _, n := range m.Schema.Names {
			head = append(head, "p_"+n)
		}
		var buf []float64
		cells = func(dst []string, row []float64) []string {
			buf = c.(sim.Prober).Proba(buf[:0], row)
			for _, v := range buf {
				dst = append(dst, number(v))
			}
			return dst
		}
	}
	out := csv.NewWriter(w)
	out.Write(head)
	var line []string
	for i := range x.Rows {
		line = cells(line[:0], x.Row(i))
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
