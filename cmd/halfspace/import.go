package main

import (
	"flag"

	"halfspace/sim/dataset"
	"halfspace/sim/method/exchange"
)

var importCommand = command{
	name: "import", args: "[-o MODEL.json] FILE",
	about:   "a model of LIBLINEAR, LIBSVM (linear kernel) or scikit-learn",
	example: "halfspace import -o model.json news20.model",
	setup:   setupImport, want: []string{"FILE"},
}

func setupImport(a *app, fs *flag.FlagSet) func([]string) error {
	out := fs.String("o", "", "write to `FILE` instead of standard output")
	return func(args []string) error {
		m, err := dataset.ReadFile(args[0], a.stdin, exchange.Read)
		if err != nil {
			return err
		}
		return a.output(*out, m.Save)
	}
}
