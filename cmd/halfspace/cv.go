package main

import (
	"flag"
	"fmt"

	"halfspace/optimize"
	"halfspace/sim/method"
	"halfspace/sim/method/report"
	"halfspace/sim/validate"
)

var cvCommand = command{
	name: "cv", args: "-method M [flags] [-folds 10] [-seed 1] [-grid lambda=0.1,1,10] [-json] DATA",
	about:   "cross-validate a method over a grid of options",
	example: "halfspace cv -method svc -grid C=0.01,0.1,1,10 train.csv",
	setup:   setupCV, want: []string{"DATA"},
}

func setupCV(a *app, fs *flag.FlagSet) func([]string) error {
	f := newFitFlags(fs, "seed")
	folds := fs.Int("folds", 10, "number of folds")
	repeats := fs.Int("repeats", 1, "number of times the folds are dealt anew")
	seed := fs.Uint64("seed", 1, "seed of the folds")
	var axes []string
	fs.Func("grid", "`option=v1,v2,…` to try; may be given several times", func(s string) error {
		axes = append(axes, s)
		return nil
	})
	asJSON := fs.Bool("json", false, "print JSON")
	return func(args []string) error {
		m, err := f.resolve(fs)
		if err != nil {
			return err
		}
		if *folds < 2 || *repeats < 1 {
			return usagef("-folds is %d and -repeats %d, want at least 2 and 1", *folds, *repeats)
		}
		points, err := grid(m, f.options, axes)
		if err != nil {
			return usageError{err}
		}
		d, err := a.load(args[0], f.data)
		if err != nil {
			return err
		}
		assigned, err := method.Folds(d, *folds, *repeats, *seed)
		if err != nil {
			return err
		}
		cv, err := m.CrossValidate(d, &f.options, points, assigned, &validate.Options{Workers: f.options.Workers, Trace: a.progress(*folds * *repeats)})
		if err != nil {
			return err
		}
		if err := cv.Converged(); err != nil {
			a.warn(err)
		}
		return a.print(*asJSON, report.CrossValidation(cv, m, d.Len(), *folds, *repeats))
	}
}

// grid returns the points of the axes, whose options the method takes and can read.
func grid(m *method.Method, o method.Options, axes []string) ([][]method.Setting, error) {
	points, err := method.Grid(axes...)
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		for _, set := range p {
			if !m.Takes(set.Name) {
				return nil, fmt.Errorf("%s takes no -%s", m.Name, set.Name)
			}
			if err := o.Set(set.Name, set.Value); err != nil {
				return nil, err
			}
		}
	}
	return points, nil
}

// progress returns a function that shows how far the folds are, on a terminal
// only.
func (a *app) progress(of int) func(optimize.Step) error {
	if !terminal(a.stderr) {
		return nil
	}
	return func(s optimize.Step) error {
		fmt.Fprintf(a.stderr, "\rfold %d of %d", s.Iteration, of)
		if s.Iteration == of {
			fmt.Fprint(a.stderr, "\r\033[K")
		}
		return nil
	}
}
