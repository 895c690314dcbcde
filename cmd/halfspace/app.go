package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"halfspace/optimize"
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
}

// usageError is a mistake in how the command was called: exit status 2.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func oneLine(err error) string { return sim.OneLine(err.Error()) }

func (c command) help(w io.Writer, fs *flag.FlagSet) {
	fmt.Fprintf(w, "usage: halfspace %s %s\n%s\n\nexample: %s\n\n", c.name, c.args, c.about, c.example)
	fs.SetOutput(w)
	fs.PrintDefaults()
}

// terminal reports whether w is a terminal: tables are aligned and progress is
// shown there, and plain in a pipe.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// shows sets a trace that counts once a second, on a terminal only, and returns what
// clears the line.
func (a *app) shows(trace *func(optimize.Step) error, what string) (done func()) {
	if !terminal(a.stderr) {
		return func() {}
	}
	last, calls := time.Now(), 0
	*trace = func(optimize.Step) error {
		if calls++; time.Since(last) > time.Second {
			last = time.Now()
			fmt.Fprintf(a.stderr, "\r\033[K%s %d", what, calls)
		}
		return nil
	}
	return func() { fmt.Fprint(a.stderr, "\r\033[K") }
}

// output writes to path, see [dataset.WriteFile], or to standard output for "" and "-".
func (a *app) output(path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return write(a.stdout)
	}
	return dataset.WriteFile(path, write)
}
