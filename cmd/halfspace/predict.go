package main

import (
	"flag"
	"io"

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
		m, d, err := a.modelAndData(args, o)
		if err != nil {
			return err
		}
		if *proba && !m.HasProba() {
			return usagef("%s has no probabilities", m.Method.Name)
		}
		return a.output(*out, func(w io.Writer) error { return report.WritePredictions(w, m, d, *proba) })
	}
}
