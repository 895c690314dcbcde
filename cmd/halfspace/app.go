package main

import (
	"flag"
	"fmt"
	"io"

	"halfspace/sim"
	"halfspace/sim/dataset"
)

// command is one subcommand. setup declares its flags and returns what to do
// with the arguments, which are as many as want names; nil leaves that to it.
type command struct {
	name, args, about, example string
	want                       []string
	setup                      func(a *app, fs *flag.FlagSet) func(args []string) error
}

// app is the world a command acts on.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	taken          bool // standard output is for the file that a flag says to write to "-", and no report
}

// usageError is a mistake in how the command was called: exit status 2.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func oneLine(said any) string { return sim.OneLine(fmt.Sprint(said)) }

// output writes to path, see [dataset.WriteFile], or to standard output for "" and "-".
func (a *app) output(path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return write(a.stdout)
	}
	return dataset.WriteFile(path, write)
}
