package main

import (
	"flag"
	"strings"
	"time"

	"halfspace/sim/dataset/flags"
	"halfspace/sim/method"
	"halfspace/sim/method/report"
)

var pathCommand = command{
	name: "path", args: "-method " + strings.Join(method.WithPath(), "|") + " [-l1-ratio 1] [-lambdas 100] [-standardize] [-json] DATA",
	about:   "a sequence of fits from strong to weak penalties",
	example: "halfspace path -method logistic -standardize -lambdas 20 train.csv",
	setup:   setupPath, want: []string{"DATA"},
}

func setupPath(a *app, fs *flag.FlagSet) func([]string) error {
	f := newFitFlags(fs, method.WithPath(), "lambda", `C`, "alpha", "l1-ratio", "seed", "firth", "probability")
	f.options.L1Ratio = 1
	fs.Float64Var(&f.options.L1Ratio, "l1-ratio", 1, "share of the lasso in the penalty of logistic and lasso, 0 to 1 (for lasso 0 is 1)")
	count := fs.Int("lambdas", 100, "number of fits, at most")
	asJSON := fs.Bool("json", false, "print JSON")
	return func(args []string) error {
		m, err := f.resolve(fs)
		switch {
		case err != nil:
			return err
		case !m.Takes("path"):
			return usagef("%s has no path", m.Name)
		case flags.Given(fs, "l1-ratio") != "" && !m.Takes("l1-ratio"):
			return usagef("the path of %s takes no -l1-ratio", m.Name)
		case *count < 1:
			return usagef("-lambdas is %d, want 1 or more", *count)
		case !m.Takes("l1-ratio"):
			f.options.L1Ratio = 0
		}
		d, err := a.load(nil, args[0], f.data)
		if err != nil {
			return err
		}
		shown, start := report.Count(a.stderr, &f.options.Trace, "iteration"), time.Now()
		path, err := m.Path(d, &f.options, *count)
		seconds := time.Since(start).Seconds()
		shown()
		if path == nil {
			return err
		}
		if err := a.reached(err); err != nil {
			return err
		}
		return a.print(*asJSON, report.OfPath(m, path, seconds))
	}
}
