package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// dataFlags declares how a data file is read.
func dataFlags(fs *flag.FlagSet) *dataset.Options {
	o := new(dataset.Options)
	fs.StringVar(&o.Format, "format", "", "csv or libsvm (default by the file's name)")
	fs.BoolVar(&o.NoHeader, "no-header", false, "CSV without a header: columns x1, x2, …, the label last")
	fs.StringVar(&o.Label, "label", "", "name of the label `column` (default the last)")
	return o
}

// fitFlags are the flags of the commands that fit.
type fitFlags struct {
	method  string
	options method.Options
	data    *dataset.Options
	own     []string
}

// newFitFlags declares them, but for the options of methods whose names the
// command itself uses.
func newFitFlags(fs *flag.FlagSet, own ...string) *fitFlags {
	f := &fitFlags{options: method.Defaults(), data: dataFlags(fs), own: own}
	fs.StringVar(&f.method, "method", "", "the `model`: "+method.Names())
	f.options.Declare(fs, slices.DeleteFunc(method.OptionNames(), func(n string) bool { return slices.Contains(own, n) })...)
	fs.StringVar(&f.data.Weights, "weights", "", "name of a `column` of frequency weights")
	fs.StringVar(&f.data.Offset, "offset", "", "name of a `column` that is added to the log-odds")
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
	fs.Visit(func(g *flag.Flag) {
		if slices.Contains(method.OptionNames(), g.Name) && !slices.Contains(f.own, g.Name) && !m.Takes(g.Name) {
			err = usagef("%s takes no -%s", m.Name, g.Name)
		}
	})
	f.data.Numeric = m.Regression
	return m, err
}

// load reads the data that a method is fitted to.
func (a *app) load(path string, o *dataset.Options) (*dataset.Data, error) {
	if path == "-" {
		return dataset.Read("-", a.stdin, o)
	}
	return dataset.Load(path, o)
}

// loadFor reads data for a model.
func (a *app) loadFor(m *method.Model, path string, o *dataset.Options) (*dataset.Data, error) {
	d, err := func() (*dataset.Data, error) {
		if path == "-" {
			return m.Schema.Read("-", a.stdin, o)
		}
		return m.Schema.Load(path, o)
	}()
	if err == nil && len(d.Extra) > 0 {
		fmt.Fprintf(a.stderr, "halfspace: %s: columns not used: %q\n", path, d.Extra)
	}
	return d, err
}

// open calls read with the file, or with standard input for "-", and puts the
// path before its error.
func (a *app) open(path string, read func(io.Reader) error) error {
	if path == "-" {
		return read(a.stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// loadModel reads a model file.
func (a *app) loadModel(path string) (m *method.Model, err error) {
	err = a.open(path, func(r io.Reader) (err error) {
		m, err = method.Load(r)
		return err
	})
	return m, err
}
