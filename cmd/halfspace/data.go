package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"halfspace/sim/dataset"
	"halfspace/sim/dataset/flags"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/exchange"
	"halfspace/sim/method/sums"
)

// dataFlags declares how a data file is read.
func dataFlags(fs *flag.FlagSet) *dataset.Options {
	o := new(dataset.Options)
	flags.File(fs, o)
	return o
}

// fitFlags are the flags of the commands that fit.
type fitFlags struct {
	method  string
	options method.Options
	data    *dataset.Options
	own     []string
	prior   *sums.Prior // that stands for earlier rows, or nil
	keep    string      // where the fit is saved as one, or ""
	unread  error       // of a file that a flag names
}

// newFitFlags declares them for some of the methods, but for the options whose names the
// command itself uses.
func newFitFlags(fs *flag.FlagSet, methods []string, own ...string) *fitFlags {
	f := &fitFlags{options: method.Defaults(), data: dataFlags(fs), own: own}
	fs.StringVar(&f.method, "method", "", "the `model`: "+strings.Join(methods, " "))
	f.options.Declare(fs, slices.DeleteFunc(method.OptionNames(), func(n string) bool {
		return slices.Contains(own, n) || !slices.ContainsFunc(methods, func(name string) bool {
			m, err := method.Named(name)
			return err == nil && m.Takes(n)
		})
	})...)
	flags.Columns(fs, f.data)
	flags.Missing(fs, f.data, true)
	flags.Weights(fs, f.data)
	flags.Text(fs, f.data)
	flags.Offset(fs, f.data)
	return f
}

// resolve returns the method and refuses flags that it does not take.
func (f *fitFlags) resolve(fs *flag.FlagSet) (*method.Method, error) {
	if f.method == "" {
		return nil, usagef("-method is missing: one of %s", method.Names())
	}
	m, err := method.Named(f.method)
	if err != nil {
		return nil, usageError{err}
	}
	if err := refuse(fs, m, f.own...); err != nil {
		return nil, err
	}
	f.data.Numeric = m.Regression
	if f.data.Missing == dataset.Keep {
		f.options.Steps = []feature.Step{feature.Impute{}}
	}
	return m, f.unread
}

// refuse returns an error for a flag that the method does not take and the command has no other use for.
func refuse(fs *flag.FlagSet, m *method.Method, own ...string) error {
	others := slices.DeleteFunc(append(method.OptionNames(), "weights", "offset", "moments", "start"), func(n string) bool { return slices.Contains(own, n) || m.Takes(n) })
	if m.Name != "logistic" {
		others = append(others, "sums", "prior", "save-prior")
	}
	if name := flags.Given(fs, others...); name != "" {
		return usagef("%s takes no -%s", m.Name, name)
	}
	return nil
}

// remark says what a reader of the file may not expect.
func (a *app) remark(path string, d *dataset.Data) {
	for _, note := range d.Notes {
		fmt.Fprintf(a.stderr, "halfspace: %s: %s\n", oneLine(path), oneLine(note))
	}
	if d.LeftOut > 0 {
		fmt.Fprintf(a.stderr, "halfspace: %s: %d rows with a missing cell left out\n", oneLine(path), d.LeftOut)
	}
	if len(d.Extra) > 0 {
		fmt.Fprintf(a.stderr, "halfspace: %s: columns not used: %q\n", oneLine(path), d.Extra)
	}
}

// modelAndData reads a model and data for it, with the weight column of the model if weighed.
func (a *app) modelAndData(paths []string, o *dataset.Options, weighed bool) (*method.Model, *dataset.Data, error) {
	m, err := a.loadModel(paths[0])
	if err != nil {
		return nil, nil, err
	}
	if weighed {
		o.Weights = m.Schema.Weights
	}
	d, err := a.load(m.Schema, paths[1], o)
	return m, d, err
}

// load reads data as a schema says, or where that is nil as a first table.
func (a *app) load(s *dataset.Schema, path string, o *dataset.Options) (d *dataset.Data, err error) {
	if path == "-" {
		d, err = s.Read(path, a.stdin, o)
	} else {
		flags.LargePages(path)
		d, err = s.Load(path, o)
	}
	if err == nil {
		flags.SpareMemory(d)
		a.remark(path, d)
	}
	return d, err
}

// loadModel reads a model file, of another tool too.
func (a *app) loadModel(path string) (*method.Model, error) {
	return dataset.ReadFile(path, a.stdin, exchange.Read)
}
