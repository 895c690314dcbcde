package main

import (
	"errors"
	"flag"
	"go/token"
	"io"

	"halfspace/sim/method/codegen"
)

var genCommand = command{
	name: "gen", args: "-package NAME [-o FILE.go] MODEL.json",
	about:   "a Go file with the trained predictor, importing at most math",
	example: "halfspace gen -package iris -o iris.go model.json",
	setup:   setupGen, want: []string{"MODEL.json"},
}

func setupGen(a *app, fs *flag.FlagSet) func([]string) error {
	pkg := ""
	fs.Func("package", "`name` of the package", func(s string) error {
		if pkg = s; !token.IsIdentifier(s) {
			return errors.New("not a name in Go")
		}
		return nil
	})
	out := fs.String("o", "", "write to `FILE.go` instead of standard output")
	return func(args []string) error {
		if pkg == "" {
			return usagef("-package is missing")
		}
		m, err := a.loadModel(args[0])
		if err != nil {
			return err
		}
		code, err := codegen.Generate(m, pkg)
		if err != nil {
			return err
		}
		return a.output(*out, func(w io.Writer) error { _, err := w.Write(code); return err })
	}
}
