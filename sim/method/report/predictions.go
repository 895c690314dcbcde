package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"halfspace/linalg"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/validate"
)

// WritePredictions writes the predictions for the rows of d as CSV, a line a row:
// labels under the header class, values under value, or with proba the
// probabilities of the classes under p_<label>.
//
// Errors: no probabilities; *[linalg.ShapeError], *[linalg.NonFiniteError]; those of w.
func WritePredictions(w io.Writer, m *method.Model, d *dataset.Data, proba bool) error {
	if err := m.Check(d); err != nil {
		return err
	}
	if proba && !m.HasProba() {
		return fmt.Errorf("%s has no probabilities", m.Method.Name)
	}
	c, r, x := m.For(d)
	out := csv.NewWriter(w)
	if r != nil {
		v, err := r.PredictRows(nil, x)
		return writeColumn(out, "value", v, number, err)
	}
	v, err := c.PredictRows(nil, x)
	if proba && err == nil { // of a row with a NaN or an infinity that is an error, and its probabilities are NaN
		return writeProba(out, m.Schema.Names, c.(sim.Prober), x)
	}
	return writeColumn(out, "class", v, func(k int) string { return m.Schema.Names[k] }, err)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// writeColumn writes predictions unless there was an error.
func writeColumn[T any](out *csv.Writer, head string, v []T, text func(T) string, err error) error {
	if err != nil {
		return err
	}
	out.Write([]string{head})
	for _, p := range v {
		if err := out.Write([]string{text(p)}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// writeProba writes the probabilities of the classes for the rows of x.
func writeProba(out *csv.Writer, names []string, m sim.Prober, x linalg.Rows) error {
	var head, line []string
	for _, n := range names {
		head = append(head, "p_"+n)
	}
	out.Write(head)
	err := validate.EachProba(m, x, func(i int, p []float64) {
		line = line[:0]
		for _, v := range p {
			line = append(line, number(v))
		}
		out.Write(line) // its error is that of Flush
	})
	out.Flush()
	return errors.Join(err, out.Error())
}
