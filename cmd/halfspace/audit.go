package main

import (
	"flag"
	"fmt"
	"io"

	"halfspace/sim/dataset/flags"
	"halfspace/sim/method"
	"halfspace/sim/method/exchange"
	"halfspace/sim/method/report"
)

var auditCommand = command{
	name: "audit", args: "[options of the method] [-weights COL] [-fix FIXED.json] [-json] MODEL.json DATA",
	about:   "certify a model, whoever fitted it: its objective and how far that is from the minimum, at most",
	example: "halfspace audit -lambda 1 model.json train.csv",
	setup:   setupAudit, want: []string{"MODEL.json", "DATA"},
}

func setupAudit(a *app, fs *flag.FlagSet) func([]string) error {
	o, options := dataFlags(fs), method.Options{}
	flags.Missing(fs, o, false)
	options.Declare(fs, method.OptionNames()...)
	flags.Weights(fs, o)
	fix := fs.String("fix", "", "save the fit of the same problem as `FIXED.json`; an error where it does not converge")
	bias := fs.Float64("bias", 0, "judge by LIBLINEAR's objective, which penalises the intercept as its option -B")
	asJSON := fs.Bool("json", false, "print JSON")
	return func(args []string) error {
		if *fix != "" && *bias != 0 {
			return usagef("-fix saves a fit of our own objective, and takes no -bias")
		}
		m, err := a.loadModel(args[0])
		if err != nil {
			return err
		}
		if err := refuse(fs, m.Method); err != nil {
			return err
		}
		flags.WeightsOf(fs, o, m.Schema)
		d, err := a.load(m.Schema, args[1], o)
		if err != nil {
			return err
		}
		audit, err := exchange.Audit(m, d, &options, *bias, flags.All(fs)...)
		if err == nil && *fix != "" {
			fixed, bad := m.Refit(d, &options, flags.All(fs)...)
			if err = bad; err == nil {
				err = a.output(*fix, fixed.Save)
			}
		}
		if err != nil {
			return err
		}
		return a.print(*asJSON, report.NewAudit(m, d, audit, *bias))
	}
}

var importCommand = command{
	name: "import", args: "[-as halfspace|liblinear|csv] [-o MODEL.json] FILE",
	about:   "a model of LIBLINEAR, LIBSVM (linear kernel), scikit-learn or R, as the other commands read it too",
	example: "halfspace import -o model.json news20.model",
	setup:   setupImport, want: []string{"FILE"},
}

func setupImport(a *app, fs *flag.FlagSet) func([]string) error {
	out := fs.String("o", "", "write to `FILE` instead of standard output")
	as := flags.Choice(fs, "as", "halfspace", exchange.Formats, "write for `TOOL`; csv is the coefficients")
	return func(args []string) error {
		m, err := a.loadModel(args[0])
		if err != nil {
			return err
		}
		err = a.output(*out, func(w io.Writer) error { return exchange.Write(w, m, *as) })
		if note := exchange.Numbering(m); err == nil && *as == "liblinear" && note != "" {
			fmt.Fprintf(a.stderr, "halfspace: %s\n", note)
		}
		return err
	}
}
