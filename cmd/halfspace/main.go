// Command halfspace fits linear classifiers and regressions to a file, predicts
// with them, and shows the textbook experiments of the field.
//
//	halfspace demo                          experiments: tables, pictures, a page
//	halfspace fit -method lda iris.csv      fit, print, save
//	halfspace predict model.json new.csv    predict new rows
//
// halfspace -h lists the rest. Exit status: 0 done, 1 no model or no result (one
// line on standard error says why), 2 wrong usage.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// command is one subcommand. setup declares its flags and returns what to do
// with the arguments, which are as many as want names; nil leaves that to it.
type command struct {
	name, args, about, example string
	want                       []string
	setup                      func(a *app, fs *flag.FlagSet) func(args []string) error
}

func commands() []command {
	return []command{demoCommand, fitCommand, predictCommand, evalCommand, cvCommand, pathCommand, momentsCommand, plotCommand, genCommand}
}

// app is the world a command acts on.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// usageError is a mistake in how the command was called: exit status 2.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func main() {
	os.Exit((&app{os.Stdin, os.Stdout, os.Stderr}).run(os.Args[1:]))
}

// run carries out one command line and returns the exit status.
func (a *app) run(args []string) int {
	if len(args) == 0 {
		a.usage(a.stderr)
		return 2
	}
	if slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]) {
		a.usage(a.stdout)
		return 0
	}
	all := commands()
	k := slices.IndexFunc(all, func(c command) bool { return c.name == args[0] })
	if k < 0 {
		fmt.Fprintf(a.stderr, "halfspace: no command %q; halfspace -h lists them\n", args[0])
		return 2
	}
	c := all[k]
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	do := c.setup(a, fs)
	rest, err := parse(fs, args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.help(a.stdout, fs)
		return 0
	case err == nil && c.want != nil && len(rest) != len(c.want):
		err = usagef("want %s, got %d arguments", strings.Join(c.want, " "), len(rest))
	case err == nil:
		err = do(rest)
	default:
		err = usageError{err}
	}
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(a.stderr, "halfspace %s: %v; halfspace %s -h shows the usage\n", c.name, err, c.name)
		return 2
	}
	fmt.Fprintf(a.stderr, "halfspace: %s\n", oneLine(err))
	return 1
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", " ") }

func (a *app) usage(w io.Writer) {
	fmt.Fprint(w, "halfspace fits linear classifiers and regressions.\n\nusage:\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  halfspace %s %s\n        %s\n", c.name, c.args, c.about)
	}
	fmt.Fprint(w, "\nhalfspace COMMAND -h shows a command's flags and an example.\n")
}

func (c command) help(w io.Writer, fs *flag.FlagSet) {
	fmt.Fprintf(w, "usage: halfspace %s %s\n%s\n\nexample: %s\n\n", c.name, c.args, c.about, c.example)
	fs.SetOutput(w)
	fs.PrintDefaults()
}

// parse reads flags wherever they stand among the arguments, up to "--".
func parse(fs *flag.FlagSet, args []string) (rest []string, err error) {
	for len(args) > 0 {
		if args[0] == "--" {
			return append(rest, args[1:]...), nil
		}
		if !strings.HasPrefix(args[0], "-") || args[0] == "-" {
			rest, args = append(rest, args[0]), args[1:]
			continue
		}
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		// Parse stops at the first argument that is no flag, or behind a "--".
		if used := len(args) - fs.NArg(); args[used-1] == "--" {
			return append(rest, fs.Args()...), nil
		}
		args = fs.Args()
	}
	return rest, nil
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

// output writes to path, or to standard output for "" and "-". A file appears
// under its name only when it is complete; a path that is no regular file
// (/dev/null, a pipe) is written to as it is.
func (a *app) output(path string, write func(io.Writer) error) (err error) {
	if path == "" || path == "-" {
		return write(a.stdout)
	}
	mode := os.FileMode(0o666) // less the bits of the umask
	old, err := os.Stat(path)
	if err == nil {
		if !old.Mode().IsRegular() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			return errors.Join(write(f), f.Close())
		}
		mode = old.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".halfspace-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	f, err := os.OpenFile(filepath.Join(dir, "file"), os.O_WRONLY|os.O_CREATE, mode)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
