package main

import (
	"encoding/csv"
	"flag"
	"io"
	"strconv"

	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

var predictCommand = command{
	name: "predict", args: "[-proba] [-o FILE] MODEL.json DATA",
	about:   "predict classes, probabilities or values",
	example: "halfspace predict -proba model.json new.csv",
	setup:   setupPredict,
}

func setupPredict(a *app, fs *flag.FlagSet) func([]string) error {
	o := dataFlags(fs)
	o.NoLabels = true
	proba := fs.Bool("proba", false, "print a probability for each class")
	out := fs.String("o", "", "write to `FILE` instead of standard output")
	return func(args []string) error {
		if err := need(args, "MODEL.json", "DATA"); err != nil {
			return err
		}
		m, err := a.loadModel(args[0])
		if err != nil {
			return err
		}
		head, row, err := predictor(m, *proba)
		if err != nil {
			return err
		}
		d, err := a.loadFor(m, args[1], o)
		if err != nil {
			return err
		}
		return a.output(*out, func(w io.Writer) error { return predictCSV(w, d, head, row) })
	}
}

// predictor returns the header of the output and a function that appends the
// cells of a row to dst.
func predictor(m *method.Model, proba bool) (head []string, cells func(dst []string, row []float64) []string, err error) {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	if r := m.Regressor(); r != nil {
		if proba {
			return nil, nil, usagef("%s has no probabilities", m.Method.Name)
		}
		return []string{"value"}, func(dst []string, row []float64) []string { return append(dst, number(r.Predict(row))) }, nil
	}
	c := m.Classifier()
	if !proba {
		return []string{"class"}, func(dst []string, row []float64) []string { return append(dst, m.Schema.Names[c.Predict(row)]) }, nil
	}
	if !m.HasProba() {
		return nil, nil, usagef("%s has no probabilities", m.Method.Name)
	}
	p := c.(sim.Prober)
	for _, n := range m.Schema.Names {
		head = append(head, "p_"+n)
	}
	var buf []float64
	return head, func(dst []string, row []float64) []string {
		buf = p.Proba(buf[:0], row)
		for _, v := range buf {
			dst = append(dst, number(v))
		}
		return dst
	}, nil
}

func predictCSV(w io.Writer, d *dataset.Data, head []string, cells func(dst []string, row []float64) []string) error {
	c := csv.NewWriter(w)
	c.Write(head)
	var line []string
	for i := range d.X.Rows {
		line = cells(line[:0], d.X.Row(i))
		if err := c.Write(line); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
