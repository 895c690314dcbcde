package main

import (
	"flag"

	"halfspace/sim/dataset/flags"
	"halfspace/sim/method/report"
)

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
		m, d, err := a.modelAndData(args, o)
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
