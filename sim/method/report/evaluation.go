package report

import (
	"io"
	"time"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/validate"
)

// Evaluate applies the model to d, which has labels, see [method.Model.Coded], or responses: a
// *[Classes] or, for a regression, *[Values]. Every row counts once,
// whatever weights the model was fitted with.
//
// Errors: *[linalg.ShapeError]; *[linalg.ClassError] for a label that the model does
// not know.
func Evaluate(m *method.Model, d *dataset.Data) (Report, error) {
	if err := m.Check(d); err != nil {
		return nil, err
	}
	d, err := m.Coded(d)
	if err != nil {
		return nil, err
	}
	c, r, x := m.For(d)
	start := time.Now()
	if r != nil {
		if n, _ := x.Dims(); len(d.Y) != n {
			return nil, &linalg.ShapeError{Want: n, WantOf: "rows", Got: len(d.Y), GotOf: "responses"}
		}
		v, err := r.PredictRows(nil, x)
		if err != nil {
			return nil, err
		}
		seconds := time.Since(start).Seconds()
		return &Values{len(v), record.Number(validate.MSE(v, d.Y)), record.Number(validate.R2(v, d.Y)), seconds}, nil
	}
	if _, err := c.PredictRows(nil, x); err != nil {
		return nil, err
	}
	seconds := time.Since(start).Seconds()
	e, err := validate.Evaluate(c, x, d.Labels)
	if err != nil {
		return nil, err
	}
	return &Classes{e.N, m.Schema.Names, record.Number(e.Error), e.Confusion.Count,
		record.Number(e.LogLoss), record.Number(e.Brier), record.Number(e.AUC), seconds}, nil
}

// Classes is the evaluation of a classifier; Confusion has the truth in rows.
type Classes struct {
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
func (r *Classes) Write(w io.Writer, aligned bool) error {
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

// Values is the evaluation of a regression.
type Values struct {
	N       int           `json:"n"`
	MSE     record.Number `json:"mse"`
	R2      record.Number `json:"r2"`
	Seconds float64       `json:"predict_seconds"`
}

// Write prints the figures.
func (r *Values) Write(w io.Writer, aligned bool) error {
	t := sim.Table{}
	t.Add("rows", r.N)
	t.Add("mse", float64(r.MSE))
	t.Add("r2", float64(r.R2))
	return t.Write(w, aligned)
}
