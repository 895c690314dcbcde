package main

import (
	"flag"
	"io"
	"time"

	"halfspace/linalg/record"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

var evalCommand = command{
	name: "eval", args: "[-json] MODEL.json DATA",
	about:   "error rate, confusion matrix and log-loss; mse and r2",
	example: "halfspace eval model.json test.csv",
	setup:   setupEval,
}

func setupEval(a *app, fs *flag.FlagSet) func([]string) error {
	o := dataFlags(fs)
	asJSON := fs.Bool("json", false, "print JSON")
	return func(args []string) error {
		if err := need(args, "MODEL.json", "DATA"); err != nil {
			return err
		}
		m, err := a.loadModel(args[0])
		if err != nil {
			return err
		}
		d, err := a.loadFor(m, args[1], o)
		if err != nil {
			return err
		}
		if c := m.Classifier(); c != nil {
			r, err := evalClasses(m, c, d)
			if err != nil {
				return err
			}
			return a.print(*asJSON, r, r.write)
		}
		r, err := evalValues(m.Regressor(), d)
		if err != nil {
			return err
		}
		return a.print(*asJSON, r, r.write)
	}
}

// classReport is what eval prints of a classifier; confusion has the truth in
// rows.
type classReport struct {
	N         int           `json:"n"`
	Classes   []string      `json:"classes"`
	Error     record.Number `json:"error"`
	Confusion [][]int       `json:"confusion"`
	LogLoss   record.Number `json:"log_loss"`
	Brier     record.Number `json:"brier"`
	AUC       record.Number `json:"auc"`
	Seconds   float64       `json:"predict_seconds"`
	counts    *sim.Confusion
}

func evalClasses(m *method.Model, c sim.Classifier, d *dataset.Data) (*classReport, error) {
	start := time.Now()
	if _, err := c.PredictRows(nil, d.X); err != nil {
		return nil, err
	}
	seconds := time.Since(start).Seconds()
	e, err := sim.Evaluate(c, d.X, d.Labels)
	if err != nil {
		return nil, err
	}
	return &classReport{e.N, m.Schema.Names, record.Number(e.Error), e.Confusion.Count,
		record.Number(e.LogLoss), record.Number(e.Brier), record.Number(e.AUC), seconds, e.Confusion}, nil
}

func (r *classReport) write(w io.Writer, aligned bool) error {
	t := sim.Table{Title: "Confusion (rows: truth)", Head: append([]string{""}, r.Classes...)}
	t.Head = append(t.Head, "recall")
	precision := []any{"precision"}
	for k, name := range r.Classes {
		row := []any{name}
		for _, n := range r.Confusion[k] {
			row = append(row, n)
		}
		t.Add(append(row, r.counts.Recall(k))...)
		precision = append(precision, r.counts.Precision(k))
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

// valueReport is what eval prints of a regression.
type valueReport struct {
	N       int           `json:"n"`
	MSE     record.Number `json:"mse"`
	R2      record.Number `json:"r2"`
	Seconds float64       `json:"predict_seconds"`
}

func evalValues(m sim.Regressor, d *dataset.Data) (*valueReport, error) {
	start := time.Now()
	v, err := m.PredictRows(nil, d.X)
	if err != nil {
		return nil, err
	}
	seconds := time.Since(start).Seconds()
	return &valueReport{len(v), record.Number(sim.MSE(v, d.Y)), record.Number(sim.R2(v, d.Y)), seconds}, nil
}

func (r *valueReport) write(w io.Writer, aligned bool) error {
	t := sim.Table{}
	t.Add("rows", r.N)
	t.Add("mse", float64(r.MSE))
	t.Add("r2", float64(r.R2))
	return t.Write(w, aligned)
}
