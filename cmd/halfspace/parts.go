package main

import (
	"cmp"
	"errors"
	"flag"
	"time"

	"halfspace/sim/dataset"
	"halfspace/sim/dataset/flags"
	"halfspace/sim/method"
	"halfspace/sim/method/sums"
)

var momentsCommand = command{
	name: "moments", args: "[-o FILE] DATA",
	about:   "moments of a part of the data, for fit -moments",
	example: "halfspace moments -o a.json a.csv; halfspace moments -o b.json b.csv; halfspace fit -moments -method lda a.json b.json",
	setup:   setupMoments, want: []string{"DATA"},
}

func setupMoments(a *app, fs *flag.FlagSet) func([]string) error {
	o, out := partFlags(fs)
	return func(args []string) error {
		d, err := a.load(nil, args[0], o)
		if err != nil {
			return err
		}
		p, err := method.Gather(d, 0)
		if err != nil {
			return err
		}
		return a.output(*out, p.Save)
	}
}

// partFlags declares the flags of a command that reads a part of a table.
func partFlags(fs *flag.FlagSet) (o *dataset.Options, out *string) {
	o = dataFlags(fs)
	flags.Columns(fs, o)
	flags.Missing(fs, o, false)
	flags.Weights(fs, o)
	return o, fs.String("o", "", "write to `FILE` instead of standard output")
}

var sumsCommand = command{
	name: "sums", args: "[-at STATE.json] [-o FILE] DATA",
	about:   "statistics of a part of the data, or its sums at a state, for fit -sums",
	example: "halfspace sums -o a.json a.csv; halfspace fit -sums -method logistic -o state.json a.json b.json; halfspace sums -at state.json -o a.json a.csv",
	setup:   setupSums, want: []string{"DATA"},
}

func setupSums(a *app, fs *flag.FlagSet) func([]string) error {
	o, out := partFlags(fs)
	flags.Offset(fs, o)
	at := fs.String("at", "", "evaluate at `STATE.json`, which fit -sums wrote (default: statistics, the first round)")
	return func(args []string) error {
		var s sums.State
		if *at != "" {
			switch name := flags.Given(fs, "weights", "offset"); {
			case name != "":
				return usagef("-at has the %s of the first round, and takes no -%[1]s", name)
			case flags.Replaces(fs, []string{*at}, "o") != "":
				return usagef("%s would be replaced", *at)
			}
			read, err := dataset.ReadFile(*at, a.stdin, sums.LoadState)
			if err != nil {
				return err
			}
			s, o.Weights = *read, read.Schema.Weights
		}
		d, err := a.load(s.Schema, args[0], o)
		if err != nil {
			return err
		}
		p, err := s.Answer(d, args[0], o.Workers)
		if err != nil {
			return err
		}
		return a.output(*out, p.Save)
	}
}

// fitSums merges the parts of a round.
func (a *app) fitSums(f *fitFlags, paths []string, out string) (*fit, error) {
	if out == "" || out == "-" {
		return nil, usagef("-sums needs -o STATE.json")
	}
	parts, err := dataset.ReadFiles(paths, a.stdin, sums.LoadPart)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	m, err := sums.Reduce(parts, &f.options, func() (*sums.State, error) { return dataset.ReadFile(out, a.stdin, sums.LoadState) })
	if again := (*sums.AgainError)(nil); errors.As(err, &again) {
		return &fit{failure: again.Progress()}, cmp.Or(a.output(out, again.State.Save), err)
	}
	return summarized(m, sums.Rows(parts), start), err
}
