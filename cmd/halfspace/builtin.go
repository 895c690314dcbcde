package main

import (
	"flag"
	"io"
	"strings"

	"halfspace/sim/dataset"
)

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
