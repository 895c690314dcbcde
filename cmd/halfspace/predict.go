package main

import (
	"flag"
	"io"

	"halfspace/sim/dataset/flags"
	"halfspace/sim/method/report"
)

var predictCommand = command{
	name: "predict", args: "[-proba] [-o FILE] MODEL.json DATA",
	about:   "predict classes, probabilities or values",
	example: "halfspace predict -proba model.json new.csv",
	setup:   setupPredict, want: []string{"MODEL.json", "DATA"},
}

func setupPredict(a *app, fs *flag.FlagSet) func([]string) error {
	o := dataFlags(fs)
	o.NoLabels = true
	proba := fs.Bool("proba", false, "print a probability for each class")
	out := fs.String("o", "", "write to `FILE` instead of standard output")
	return func(args []string) error {
		m, d, err := a.modelAndData(args, o, false)
		if err != nil {
			return err
		}
		if *proba && !m.HasProba() {
			return usagef("%s has no probabilities", m.Method.Name)
		}
		return a.output(*out, func(w io.Writer) error { return report.WritePredictions(w, m, d, *proba) })
	}
}

var evalCommand = command{
	name: "eval", args: "[-json] MODEL.json DATA",
	about:   "error rate, confusion matrix and log-loss; mse and r2",
	example: "halfspace eval model.json test.csv",
	setup:   setupEval, want: []string{"MODEL.json", "DATA"},
}

func setupEval(a *app, fs *flag.FlagSet) func([]string) error {
	o := dataFlags(fs)
	flags.Missing(fs, o, false)
	asJSON := fs.Bool("json", false, "print JSON")
	return func(args []string) error {
		m, d, err := a.modelAndData(args, o, false)
		if err != nil {
			return err
		}
		r, err := report.Evaluate(m, d)
		if err != nil {
			return err
		}
		return a.print(*asJSON, r)
	}
}
