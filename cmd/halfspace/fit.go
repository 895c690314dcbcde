package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"halfspace/optimize"
)

var fitCommand = command{
	name: "fit", args: "-method M [flags] [-o MODEL.json] [-json] DATA",
	about:   "fit a model, print it and save it",
	example: "halfspace fit -method logistic -lambda 1 -o model.json train.csv",
	setup:   setupFit,
}

func setupFit(a *app, fs *flag.FlagSet) func([]string) error {
	f := newFitFlags(fs)
	out := fs.String("o", "", "save the model as `MODEL.json`")
	asJSON := fs.Bool("json", false, "print JSON")
	return func(args []string) error {
		m, err := f.resolve(fs)
		if err != nil {
			return err
		}
		if err := need(args, "DATA"); err != nil {
			return err
		}
		d, err := a.load(args[0], f.data)
		if err != nil {
			return err
		}
		start := time.Now()
		model, err := m.Fit(d, &f.options)
		seconds := time.Since(start).Seconds()
		if err := a.warn(err); err != nil {
			return err
		}
		if *out != "" {
			if err := a.output(*out, model.Save); err != nil {
				return err
			}
		}
		s, err := model.Summarise(d, &f.options, seconds)
		if err != nil {
			return err
		}
		return a.print(*asJSON, s, s.Write)
	}
}

// warn prints the error of a fit that did not converge, whose model is used all
// the same, and returns any other.
func (a *app) warn(err error) error {
	if errors.Is(err, optimize.ErrNotConverged) {
		fmt.Fprintf(a.stderr, "halfspace: warning: %v\n", err)
		return nil
	}
	return err
}

// print writes a result as JSON or as text, aligned on a terminal.
func (a *app) print(asJSON bool, v any, text func(w io.Writer, aligned bool) error) error {
	if asJSON {
		return json.NewEncoder(a.stdout).Encode(v)
	}
	return text(a.stdout, terminal(a.stdout))
}
