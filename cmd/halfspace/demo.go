package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"halfspace/sim/byhand"
	"halfspace/sim/dataset"
	"halfspace/sim/experiment"
	"halfspace/sim/method/report"
)

var demoCommand = command{
	name: "demo", args: "[-seed 1] [-out DIR] [-list] [-steps] [NAME ...]",
	about:   "run the textbook experiments",
	example: "halfspace demo -out pictures exercise masking",
	setup:   setupDemo,
}

func setupDemo(a *app, fs *flag.FlagSet) func([]string) error {
	seed := fs.Uint64("seed", 1, "seed of all that is random")
	out := fs.String("out", "", "write pictures, data and index.html into `DIR`")
	list := fs.Bool("list", false, "list the experiments by topic, with the sections of the textbook")
	steps := fs.Bool("steps", false, "print textbook methods step by step on small data")
	return func(names []string) error {
		chosen, err := experiment.Named(names...)
		switch {
		case err != nil:
			return usageError{err}
		case *out != "" && (*list || *steps) || *steps && (*list || len(names) > 0):
			return usagef("-list and -steps take no -out, and -steps no NAME")
		case *steps:
			return byhand.WriteAll(a.stdout)
		case *list:
			return experiment.WriteList(a.stdout, chosen)
		}
		var entries []experiment.Entry
		for _, e := range chosen {
			r, err := e.Run(*seed)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%s: %s\n\n", e.Name, e.Title)
			if err := r.Write(a.stdout, report.Terminal(a.stdout)); err != nil {
				return err
			}
			entries = append(entries, experiment.Entry{Experiment: e, Result: r})
		}
		if *out == "" {
			return nil
		}
		if err := os.MkdirAll(*out, 0o755); err != nil {
			return err
		}
		for _, f := range experiment.Outputs(*seed, entries) {
			if err := a.output(filepath.Join(*out, f.Name), f.Write); err != nil {
				return err
			}
		}
		fmt.Fprintf(a.stdout, "%s\n", filepath.Join(*out, "index.html"))
		return nil
	}
}

var dataCommand = command{
	name: "data", args: "[-o FILE] NAME",
	about:   "write a built-in table as CSV: iris, 150 flowers of three species",
	example: "halfspace data -o iris.csv iris",
	setup:   setupData,
}

func setupData(a *app, fs *flag.FlagSet) func([]string) error {
	out := fs.String("o", "", "write to `FILE` instead of standard output")
	return func(args []string) error {
		text := dataset.BuiltIn(strings.Join(args, " "))
		if text == nil {
			return usagef("want the name of a table: iris")
		}
		return a.output(*out, func(w io.Writer) error { _, err := w.Write(text); return err })
	}
}
