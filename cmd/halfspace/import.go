package main

import (
	"flag"
	"io"

	"halfspace/sim/method"
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
		var m *method.Model
		if err := a.open(args[0], func(r io.Reader) (err error) {
			m, err = exchange.Read(r)
			return err
		}); err != nil {
			return err
		}
		return a.output(*out, m.Save)
	}
}
