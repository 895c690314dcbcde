package method

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/validate"
)

// Report is a result that marshals to JSON and prints itself: aligned for a
// reader, with tabs for a pipe.
type Report interface {
	Write(w io.Writer, aligned bool) error
}

// Evaluate applies the model to d, which has labels or responses: a
// *[ClassReport] or, for a regression, a *[ValueReport]. Every row counts once,
// whatever weights the model was fitted with.
//
// Errors: *[linalg.ShapeError]; *[linalg.ClassError] for a label that the model does
// not know.
func (m *Model) Evaluate(d *dataset.Data) (Report, error) {
	c, r, x := m.For(d)
	start := time.Now()
	if r != nil {
		if len(d.Y) != x.Rows {
			return nil, &linalg.ShapeError{Want: x.Rows, WantOf: "rows", Got: len(d.Y), GotOf: "responses"}
		}
		v, err := r.PredictRows(nil, x)
		if err != nil {
			return nil, err
		}
		seconds := time.Since(start).Seconds()
		return &ValueReport{len(v), record.Number(validate.MSE(v, d.Y)), record.Number(validate.R2(v, d.Y)), seconds}, nil
	}
	if _, err := c.PredictRows(nil, x); err != nil {
		return nil, err
	}
	seconds := time.Since(start).Seconds()
	e, err := validate.Evaluate(c, x, d.Labels)
	if err != nil {
		return nil, err
	}
	return &ClassReport{e.N, m.Schema.Names, record.Number(e.Error), e.Confusion.Count,
		record.Number(e.LogLoss), record.Number(e.Brier), record.Number(e.AUC), seconds}, nil
}

// ClassReport is the evaluation of a classifier; Confusion has the truth in rows.
type ClassReport struct {
	N         int           `json:"n"`
	Classes   []string      `json:"classes"`
	Error     record.Number `json:"error"`
	Confusion [][]int       `json:"confusion"`
	LogLoss   record.Number `json:"log_loss"`
	Brier     record.Number `json:"brier"`
	AUC       record.Number `json:"auc"`
	Seconds   float64       `json:"predict_seconds"`
}

// Write prints the confusion matrix with recall and precision, and the scores.
func (r *ClassReport) Write(w io.Writer, aligned bool) error {
	t := sim.Table{Title: "Confusion (rows: truth)", Head: append([]string{""}, r.Classes...)}
	t.Head = append(t.Head, "recall")
	counts := validate.Confusion{Count: r.Confusion}
	precision := []any{"precision"}
	for k, name := range r.Classes {
		row := []any{name}
		for _, n := range r.Confusion[k] {
			row = append(row, n)
		}
		t.Add(append(row, counts.Recall(k))...)
		precision = append(precision, counts.Precision(k))
	}
	t.Add(append(precision, "")...)
	if err := t.Write(w, aligned); err != nil {
		return err
	}
	s := sim.Table{}
	s.Add("rows", r.N)
	s.Add("error", float64(r.Error))
	if r.LogLoss == r.LogLoss {
		s.Add("log-loss", float64(r.LogLoss))
		s.Add("Brier score", float64(r.Brier))
	}
	if r.AUC == r.AUC {
		s.Add("AUC", float64(r.AUC))
	}
	return s.Write(w, aligned)
}

// ValueReport is the evaluation of a regression.
type ValueReport struct {
	N       int           `json:"n"`
	MSE     record.Number `json:"mse"`
	R2      record.Number `json:"r2"`
	Seconds float64       `json:"predict_seconds"`
}

// Write prints the figures.
func (r *ValueReport) Write(w io.Writer, aligned bool) error {
	t := sim.Table{}
	t.Add("rows", r.N)
	t.Add("mse", float64(r.MSE))
	t.Add("r2", float64(r.R2))
	return t.Write(w, aligned)
}

// WritePredictions writes the predictions for the rows of d as CSV, a line a row:
// labels under the header class, values under value, or with proba the
// probabilities of the classes under p_<label>.
//
// Errors: no probabilities; *[linalg.ShapeError]; those of w.
func (m *Model) WritePredictions(w io.Writer, d *dataset.Data, proba bool) error {
	if err := m.reads(d); err != nil {
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
