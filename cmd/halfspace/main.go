// Command halfspace fits linear classifiers and regressions to a file, predicts
// with them, and shows the textbook experiments of the field.
//
//	halfspace demo                          experiments: tables, pictures, a page
//	halfspace fit -method lda iris.csv      fit, print, save
//	halfspace predict model.json new.csv    predict new rows
//
// halfspace -h lists the rest. Exit status: 0 done, 1 no model or no result (one
// line on standard error says why), 2 wrong usage, 3 a fit in rounds needs another.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"halfspace/sim/dataset/flags"
	"halfspace/sim/method/report"
	"halfspace/sim/method/sums"
)

func commands() []command {
	return []command{demoCommand, dataCommand, fitCommand, predictCommand, evalCommand, cvCommand, pathCommand, momentsCommand, sumsCommand, plotCommand, genCommand, importCommand, auditCommand}
}

func main() {
	os.Exit((&app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}).run(os.Args[1:]))
}

// run carries out one command line and returns the exit status.
func (a *app) run(args []string) int {
	if len(args) == 0 {
		fmt.Fprint(a.stderr, usage())
		return 2
	}
	all, err := commands(), error(nil)
	switch k := slices.IndexFunc(all, func(c command) bool { return c.name == args[0] }); {
	case k >= 0:
		err = a.call(all[k], args[1:])
	case args[0] == "help" && len(args) > 1:
		return a.run([]string{args[1], "-h"})
	case slices.Contains([]string{"-version", "--version", "version"}, args[0]):
		_, err = fmt.Fprintln(a.stdout, flags.Version("halfspace"))
	case slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]):
		_, err = fmt.Fprint(a.stdout, usage())
	default:
		fmt.Fprintf(a.stderr, "halfspace: no command %q; halfspace -h lists them\n", args[0])
		return 2
	}
	switch {
	case err == nil:
		return 0
	case errors.As(err, new(usageError)):
		fmt.Fprintf(a.stderr, "halfspace %s: %s; halfspace %[1]s -h shows the usage\n", args[0], oneLine(err))
		return 2
	}
	fmt.Fprintf(a.stderr, "halfspace: %s%s\n", oneLine(err), report.WayOut(err))
	if errors.As(err, new(*sums.AgainError)) {
		return 3
	}
	return 1
}

// call carries out a command.
func (a *app) call(c command, args []string) error {
	var described strings.Builder // the flags, by -h
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(&described)
	fs.Usage = fs.PrintDefaults
	do := c.setup(a, fs)
	rest, err := flags.Parse(fs, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err = fmt.Fprintf(a.stdout, "usage: halfspace %s %s\n%s\n\nexample: %s\n\n%s", c.name, c.args, c.about, c.example, &described)
		return err
	case err != nil:
		return usageError{err}
	case c.want != nil && len(rest) != len(c.want):
		return usagef("want %s, got %d arguments", strings.Join(c.want, " "), len(rest))
	case c.name != dataCommand.name && flags.Replaces(fs, rest, "o", "fix", "save-prior") != "":
		return usagef("%s would be replaced", flags.Replaces(fs, rest, "o", "fix", "save-prior"))
	}
	a.taken = flags.ToStandard(fs, "o", "fix", "save-prior")
	return do(rest)
}

func usage() string {
	text := "halfspace fits linear classifiers and regressions.\n\nusage:\n"
	for _, c := range commands() {
		text += fmt.Sprintf("  halfspace %s %s\n        %s\n", c.name, c.args, c.about)
	}
	return text + "\nhalfspace help COMMAND shows a command's flags and an example.\n"
}
