package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"halfspace/linalg/record"
	"halfspace/sim"
	"halfspace/sim/method"
)

var pathCommand = command{
	name: "path", args: "-method " + strings.Join(method.PathMethods, "|") + " [-l1-ratio 1] [-lambdas 100] [-standardize] [-json] DATA",
	about:   "a sequence of fits from strong to weak penalties",
	example: "halfspace path -method logistic -standardize -lambdas 20 train.csv",
	setup:   setupPath,
}

func setupPath(a *app, fs *flag.FlagSet) func([]string) error {
	f := newFitFlags(fs, "lambda", "C", "alpha", "l1-ratio", "seed")
	f.options.L1Ratio = 1
	fs.Float64Var(&f.options.L1Ratio, "l1-ratio", 1, "share of the lasso in the penalty of logistic and lasso, 0 to 1")
	count := fs.Int("lambdas", 100, "number of fits")
	asJSON := fs.Bool("json", false, "print JSON")
	return func(args []string) error {
		m, err := f.resolve(fs)
		if err != nil {
			return err
		}
		if !slices.Contains(method.PathMethods, m.Name) {
			return usagef("%s has no path", m.Name)
		}
		if err := need(args, "DATA"); err != nil {
			return err
		}
		d, err := a.load(args[0], f.data)
		if err != nil {
			return err
		}
		start := time.Now()
		points, err := m.Path(d, &f.options, *count)
		r := &pathReport{time.Since(start).Seconds(), points, d.Features}
		if points == nil && err != nil {
			return err
		}
		if err := a.warn(err); err != nil {
			return err
		}
		return a.print(*asJSON, r, r.write)
	}
}

// pathReport is what path prints.
type pathReport struct {
	FitSeconds float64            `json:"fit_seconds"`
	Path       []method.PathPoint `json:"path"`
	features   []string
}

// write shows the coefficients of one function, else only how many there are.
func (r *pathReport) write(w io.Writer, aligned bool) error {
	first := r.Path[0]
	t := sim.Table{Head: []string{"lambda", "df", "dev. ratio", "objective"}}
	if first.Alpha != nil {
		t.Head[0] = "alpha"
	}
	single := len(first.Coef) == 1 && len(r.features) <= 12
	if single {
		t.Head = append(append(t.Head, "(Intercept)"), r.features...)
	}
	for _, p := range r.Path {
		at := p.Lambda
		if at == nil {
			at = p.Alpha
		}
		row := []any{float64(*at), fmt.Sprintf("%.4g", float64(p.DF)), float64(p.DevRatio), float64(p.Objective)}
		if single {
			for _, v := range append([]record.Number{p.Intercept[0]}, p.Coef[0]...) {
				row = append(row, float64(v))
			}
		}
		t.Add(row...)
	}
	return t.Write(w, aligned)
}
