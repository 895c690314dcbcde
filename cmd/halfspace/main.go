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
	"io"
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
		a.usage(a.stderr)
		return 2
	}
	switch {
	case args[0] == "-version" || args[0] == "--version" || args[0] == "version":
		fmt.Fprintln(a.stdout, flags.Version("halfspace"))
		return 0
	case args[0] == "help" && len(args) > 1:
		args = []string{args[1], "-h"}
	case slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]):
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
	rest, err := flags.Parse(fs, args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.help(a.stdout, fs)
		return 0
	case err == nil && c.want != nil && len(rest) != len(c.want):
		err = usagef("want %s, got %d arguments", strings.Join(c.want, " "), len(rest))
	case err == nil && c.name != dataCommand.name && flags.Replaces(fs, rest, "o", "fix", "save-prior") != "":
		err = usagef("%s would be replaced", flags.Replaces(fs, rest, "o", "fix", "save-prior"))
	case err == nil:
		a.taken = flags.ToStandard(fs, "o", "fix", "save-prior")
		err = do(rest)
	default:
		err = usageError{err}
	}
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(a.stderr, "halfspace %s: %s; halfspace %s -h shows the usage\n", c.name, oneLine(err), c.name)
		return 2
	}
	fmt.Fprintf(a.stderr, "halfspace: %s%s\n", oneLine(err), report.WayOut(err))
	if errors.As(err, new(*sums.AgainError)) {
		return 3
	}
	return 1
}

func (a *app) usage(w io.Writer) {
	fmt.Fprint(w, "halfspace fits linear classifiers and regressions.\n\nusage:\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  halfspace %s %s\n        %s\n", c.name, c.args, c.about)
	}
	fmt.Fprint(w, "\nhalfspace help COMMAND shows a command's flags and an example.\n")
}
