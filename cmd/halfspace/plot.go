package main

import (
	"flag"
	"fmt"
	"go/token"
	"io"
	"strings"

	"halfspace/sim/dataset/flags"
	"halfspace/sim/method/codegen"
	"halfspace/sim/method/draw"
)

var plotCommand = command{
	name: "plot", args: "[-kind K] [-x COL -y COL] [-o FILE.svg|.png] MODEL.json DATA",
	about:   "draw a model over two features, or its rows, margins, errors …",
	example: "halfspace plot -x petal_length -y petal_width -o iris.svg model.json iris.csv",
	setup:   setupPlot, want: []string{"MODEL.json", "DATA"},
}

func setupPlot(a *app, fs *flag.FlagSet) func([]string) error {
	o := dataFlags(fs)
	kind := flags.Choice(fs, "kind", "", draw.Kinds, "`KIND` of picture (default boundary; above two features ld, or margins of two classes)")
	x := fs.String("x", "", "`feature` on the horizontal axis (default the first)")
	y := fs.String("y", "", "`feature` on the vertical axis (default the second)")
	out := fs.String("o", "", "write to `FILE`, a PNG if it ends in .png, instead of an SVG to standard output")
	return func(args []string) error {
		m, d, err := a.modelAndData(args, o, *kind == "path" || *kind == "cv")
		if err != nil {
			return err
		}
		p, err := draw.Kind(*kind, m, d, *x, *y)
		if err != nil {
			return err
		}
		if m.Classifier() != nil && len(d.Features()) > 2 && (*kind == "boundary" || *x+*y != "") {
			a.warn(fmt.Errorf("a slice of %d features at their means: rows off it may lie in another class's region", len(d.Features())))
		}
		if strings.HasSuffix(*out, ".png") {
			return a.output(*out, p.PNG)
		}
		return a.output(*out, p.SVG)
	}
}

var genCommand = command{
	name: "gen", args: "-package NAME [-o FILE.go] MODEL.json",
	about:   "a Go file with the trained predictor, importing at most math",
	example: "halfspace gen -package iris -o iris.go model.json",
	setup:   setupGen, want: []string{"MODEL.json"},
}

func setupGen(a *app, fs *flag.FlagSet) func([]string) error {
	pkg := fs.String("package", "", "`name` of the package")
	out := fs.String("o", "", "write to `FILE.go` instead of standard output")
	return func(args []string) error {
		if !token.IsIdentifier(*pkg) || *pkg == "_" {
			return usagef("-package is %q, not a name in Go", *pkg)
		}
		m, err := a.loadModel(args[0])
		if err != nil {
			return err
		}
		code, err := codegen.Generate(m, *pkg)
		if err != nil {
			return err
		}
		return a.output(*out, func(w io.Writer) error { _, err := w.Write(code); return err })
	}
}
