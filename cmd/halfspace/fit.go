package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"

	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/dataset/flags"
	"halfspace/sim/method"
	"halfspace/sim/method/report"
	"halfspace/sim/method/sums"
)

var fitCommand = command{
	name: "fit", args: "-method M [flags] [-o MODEL.json] [-json] DATA",
	about:   "fit a model, print it and save it",
	example: "halfspace fit -method logistic -lambda 1 -o model.json train.csv",
	setup:   setupFit,
}

func setupFit(a *app, fs *flag.FlagSet) func([]string) error {
	f := newFitFlags(fs, strings.Fields(method.Names()))
	out := fs.String("o", "", "save the model as `MODEL.json`")
	asJSON := fs.Bool("json", false, "print JSON")
	read := func(name, usage string, load func(path string) error) {
		fs.Func(name, usage, func(path string) error { f.unread = cmp.Or(f.unread, load(path)); return nil })
	}
	read("start", "logistic: begin at `MODEL.json`; the fit is exact all the same", func(path string) (err error) { f.options.Start, err = a.loadModel(path); return })
	read("prior", "logistic: a Gaussian stands for the rows of the fit that saved `PRIOR.json`; an approximation", func(path string) (err error) { f.prior, err = dataset.ReadFile(path, a.stdin, sums.LoadPrior); return })
	fs.StringVar(&f.keep, "save-prior", "", "logistic: save the fit as `PRIOR.json`, to stand for its rows beside later ones")
	moments := fs.Bool("moments", false, "DATA are files that `halfspace moments` wrote")
	rounds := fs.Bool("sums", false, "DATA are files that `halfspace sums` wrote; -o is the state of the next round or, at exit status 0, the model")
	return func(args []string) error {
		m, err := f.resolve(fs)
		if err = cmp.Or(err, f.prior.CheckOffset(f.data.Offset)); err != nil {
			return err
		}
		flags.WeightsOf(fs, f.data, f.prior.Columns())
		var fitted *fit
		switch name := flags.Given(fs, append(flags.OfRows(), "start", "prior", "save-prior")...); {
		case !*rounds && !*moments:
			fitted, err = a.fitData(m, f, args)
		case name != "":
			return usagef("-%s needs rows, not their sums", name)
		case len(args) == 0:
			return usagef("want the files of parts, got none")
		case *rounds:
			fitted, err = a.fitSums(f, args, *out)
		default:
			fitted, err = a.fitMoments(m, f, args)
		}
		if fitted != nil && fitted.model != nil {
			err = a.reached(err)
		}
		if err == nil && *out != "" {
			err = a.output(*out, fitted.model.Save)
		}
		switch {
		case err == nil:
			return a.print(*asJSON, fitted.summary)
		case fitted != nil && fitted.failure != nil && *asJSON:
			return cmp.Or(a.print(true, fitted.failure), err)
		}
		return err
	}
}

// fit is a fitted model with its summary, or the proof that there is none.
type fit struct {
	model   *method.Model
	summary *report.Summary
	failure report.Report // where there is no model
}

func (a *app) fitData(m *method.Method, f *fitFlags, args []string) (*fit, error) {
	if len(args) != 1 {
		return nil, usagef("want DATA, got %d arguments", len(args))
	}
	d, err := a.load(f.prior.Columns(), args[0], f.data)
	if err != nil {
		return nil, err
	}
	shown := report.Count(a.stderr, &f.options.Trace, "iteration")
	start := time.Now()
	model, fitErr := sums.Fit(m, d, &f.options, f.prior)
	seconds := time.Since(start).Seconds()
	shown()
	if model == nil {
		if failure := report.Fail(m.Name, d, fitErr); failure != nil {
			return &fit{failure: failure}, fitErr
		}
		return nil, fitErr
	}
	fmt.Fprint(a.stderr, f.prior.Note())
	if f.keep != "" {
		if err := a.output(f.keep, sums.Keep(model, d, &f.options, f.prior)); err != nil {
			return nil, err
		}
	}
	return &fit{model: model, summary: a.summary(model, d, &f.options, seconds)}, fitErr
}

// summary describes a model that was fitted to d. A model is kept where its
// inference fails: a warning says why the table of standard errors is missing.
func (a *app) summary(model *method.Model, d *dataset.Data, o *method.Options, seconds float64) *report.Summary {
	s := report.Summarize(model, d.Len(), seconds)
	inference, err := model.Infer(d, o)
	if err != nil {
		a.warn(fmt.Errorf("no standard errors: %w", err))
	}
	s.Add(inference)
	return s
}

// summarized returns a model with its summary, nil without one.
func summarized(m *method.Model, rows int, start time.Time) *fit {
	if m == nil {
		return nil
	}
	return &fit{model: m, summary: report.Summarize(m, rows, time.Since(start).Seconds())}
}

func (a *app) fitMoments(m *method.Method, f *fitFlags, paths []string) (*fit, error) {
	parts, err := dataset.ReadFiles(paths, a.stdin, method.LoadPart)
	if err = cmp.Or(flags.Distinct(paths), err); err != nil {
		return nil, err
	}
	whole, err := method.MergeParts(parts)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	model, err := m.FitMoments(whole.Moments, whole.Schema, &f.options)
	return summarized(model, whole.Rows(), start), err
}

// reached warns of a fit that did not converge, whose model is used all the same, and returns any other error.
func (a *app) reached(err error) error {
	if errors.Is(err, optimize.ErrNotConverged) {
		a.warn(err)
		return nil
	}
	return err
}

// warn prints an error that does not end the command.
func (a *app) warn(err error) { fmt.Fprintf(a.stderr, "halfspace: warning: %s\n", oneLine(err)) }

// print writes a result as JSON or as text, aligned on a terminal, unless standard output is taken.
func (a *app) print(asJSON bool, r report.Report) error {
	switch {
	case a.taken:
		return nil
	case asJSON:
		return report.WriteJSON(a.stdout, r)
	}
	return r.Write(a.stdout, report.Terminal(a.stdout))
}
