package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"halfspace/sim/dataset"
	"halfspace/sim/dataset/flags"
	"halfspace/sim/method"
	"halfspace/sim/method/report"
	"halfspace/sim/validate"
)

var cvCommand = command{
	name: "cv", args: "-method M [flags] [-folds 10] [-seed 1] [-grid lambda=10,1,0.1 | -path] [-o MODEL.json] [-json] DATA",
	about:   "cross-validate a method over a grid of options, or along its path",
	example: "halfspace cv -method lasso -path -o model.json train.csv",
	setup:   setupCV, want: []string{"DATA"},
}

// cvFlags are the flags of a cross-validation.
type cvFlags struct {
	*fitFlags
	folds, repeats, lambdas int
	seed                    uint64
	axes                    []string
	path, asJSON            bool
	out                     string
}

func setupCV(a *app, fs *flag.FlagSet) func([]string) error {
	f := &cvFlags{fitFlags: newFitFlags(fs, strings.Fields(method.Names()), "seed")}
	fs.IntVar(&f.folds, "folds", 10, "number of folds")
	fs.IntVar(&f.repeats, "repeats", 1, "number of times the folds are dealt anew")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of the folds")
	fs.Func("grid", "`option=v1,v2,…` to try; may be given several times", func(s string) error { f.axes = append(f.axes, s); return nil })
	fs.BoolVar(&f.path, "path", false, "go along the path of "+strings.Join(method.WithPath(), " ")+", with -l1-ratio 1 unless given")
	fs.IntVar(&f.lambdas, "lambdas", 100, "number of fits of a -path, at most")
	fs.StringVar(&f.out, "o", "", "save the simplest model within one standard error, fitted to all rows, as `MODEL.json`")
	fs.BoolVar(&f.asJSON, "json", false, "print JSON")
	return func(args []string) error {
		m, err := f.resolve(fs)
		switch {
		case err != nil:
			return err
		case f.folds < 2 || f.repeats < 1:
			return usagef("-folds is %d and -repeats %d, want at least 2 and 1", f.folds, f.repeats)
		case f.path:
			return a.crossValidatePath(fs, m, f, args[0])
		case flags.Given(fs, "lambdas") != "":
			return usagef("-lambdas needs -path")
		case slices.ContainsFunc(f.axes, func(axis string) bool { return flags.Given(fs, strings.Split(axis, "=")[0]) != "" }):
			return usagef("-grid %q and a flag of the same option", f.axes)
		}
		points, err := m.Grid(f.options, f.axes...)
		if err != nil {
			return usageError{err}
		}
		d, folds, err := a.dealt(f, args[0])
		if err != nil {
			return err
		}
		co := &validate.Options{Workers: f.options.Workers}
		shown := report.Count(a.stderr, &co.Trace, fmt.Sprintf("of %d folds:", f.folds*f.repeats))
		cv, err := m.CrossValidate(d, &f.options, points, folds, co)
		shown()
		if err != nil {
			return err
		}
		a.reached(cv.Converged())
		if err := a.print(f.asJSON, report.CrossValidation(cv, m, d.Len(), f.folds, f.repeats)); err != nil || f.out == "" {
			return err
		}
		model, err := m.Fit(d, cv.At(cv.OneSE()))
		if err := a.reached(err); err != nil {
			return err
		}
		return a.output(f.out, model.Save)
	}
}

// dealt reads the data and deals its rows to folds.
func (a *app) dealt(f *cvFlags, file string) (*dataset.Data, [][]int, error) {
	d, err := a.load(nil, file, f.data)
	if err != nil {
		return nil, nil, err
	}
	folds, err := method.Folds(d, f.folds, f.repeats, f.seed)
	return d, folds, err
}

// crossValidatePath goes along a path, and saves the model of its most penalised point within one standard error.
func (a *app) crossValidatePath(fs *flag.FlagSet, m *method.Method, f *cvFlags, file string) error {
	switch name := flags.Given(fs, "grid", "repeats", "lambda", `C`, "alpha"); {
	case !m.Takes("path"):
		return usagef("%s has no path", m.Name)
	case name != "":
		return usagef("-path takes no -%s", name)
	case f.lambdas < 1:
		return usagef("-lambdas is %d, want 1 or more", f.lambdas)
	}
	if m.Takes("l1-ratio") && flags.Given(fs, "l1-ratio") == "" {
		f.options.L1Ratio = 1
	}
	d, folds, err := a.dealt(f, file)
	if err != nil {
		return err
	}
	shown := report.Count(a.stderr, &f.options.Trace, "iteration")
	c, err := m.CrossValidatePath(d, &f.options, f.lambdas, folds[0])
	shown()
	if c == nil || c.OneSE() == nil {
		return err
	}
	if err := a.reached(err); err != nil {
		return err
	}
	if err := a.print(f.asJSON, report.CrossValidatedPath(c, m, d.Len(), f.folds)); err != nil || f.out == "" {
		return err
	}
	return a.output(f.out, c.OneSE().Model.Save)
}
