package main

import (
	"flag"

	"halfspace/sim/dataset"
	"halfspace/sim/dataset/flags"
	"halfspace/sim/method"
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
