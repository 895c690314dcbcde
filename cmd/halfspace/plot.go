package main

import (
	"flag"

	"halfspace/sim/method/draw"
)

var plotCommand = command{
	name: "plot", args: "[-x COL -y COL] [-o FILE.svg] MODEL.json DATA",
	about:   "draw a model over two features, the others at their means",
	example: "halfspace plot -x petal_length -y petal_width -o iris.svg model.json iris.csv",
	setup:   setupPlot, want: []string{"MODEL.json", "DATA"},
}

func setupPlot(a *app, fs *flag.FlagSet) func([]string) error {
	o := dataFlags(fs)
	x := fs.String("x", "", "`feature` on the horizontal axis (default the first)")
	y := fs.String("y", "", "`feature` on the vertical axis (default the second)")
	out := fs.String("o", "", "write to `FILE.svg` instead of standard output")
	return func(args []string) error {
		m, d, err := a.modelAndData(args, o)
		if err != nil {
			return err
		}
		p, err := draw.Model(m, d, *x, *y)
		if err != nil {
			return err
		}
		return a.output(*out, p.SVG)
	}
}
