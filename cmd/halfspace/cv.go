package main

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"halfspace/linalg/record"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

var cvCommand = command{
	name: "cv", args: "-method M [flags] [-folds 10] [-seed 1] [-grid lambda=0.1,1,10] [-json] DATA",
	about:   "cross-validate a method over a grid of options",
	example: "halfspace cv -method svc -grid C=0.01,0.1,1,10 train.csv",
	setup:   setupCV,
}

func setupCV(a *app, fs *flag.FlagSet) func([]string) error {
	f := newFitFlags(fs, "seed")
	folds := fs.Int("folds", 10, "number of folds")
	repeats := fs.Int("repeats", 1, "number of times the folds are dealt anew")
	seed := fs.Uint64("seed", 1, "seed of the folds")
	var axes []string
	fs.Func("grid", "`option=v1,v2,…` to try, from the simplest model to the most complex; may be given several times", func(s string) error {
		axes = append(axes, s)
		return nil
	})
	asJSON := fs.Bool("json", false, "print JSON")
	return func(args []string) error {
		m, err := f.resolve(fs)
		if err != nil {
			return err
		}
		points, err := method.Grid(axes...)
		if err != nil {
			return usageError{err}
		}
		for _, set := range points[0] {
			if !m.Takes(set.Name) {
				return usagef("%s takes no -%s", m.Name, set.Name)
			}
		}
		if err := need(args, "DATA"); err != nil {
			return err
		}
		d, err := a.load(args[0], f.data)
		if err != nil {
			return err
		}
		assigned, err := assignFolds(d, *folds, *repeats, *seed)
		if err != nil {
			return err
		}
		cv, err := m.CrossValidate(d, &f.options, points, assigned, f.options.Workers, a.progress())
		if err != nil {
			return err
		}
		r := newCVReport(m, d, cv, *folds, *repeats)
		return a.print(*asJSON, r, r.write)
	}
}

// assignFolds deals the rows, by class where there are classes.
func assignFolds(d *dataset.Data, k, repeats int, seed uint64) ([][]int, error) {
	if repeats < 1 {
		return nil, usagef("-repeats is %d, want 1 or more", repeats)
	}
	y := d.Labels
	if y == nil {
		y = make([]int, d.X.Rows)
	}
	return sim.RepeatedFolds(y, k, repeats, seed)
}

// progress returns a function that shows how far the folds are, on a terminal
// only.
func (a *app) progress() func(done, of int) {
	if !terminal(a.stderr) {
		return nil
	}
	return func(done, of int) {
		fmt.Fprintf(a.stderr, "\rfold %d of %d", done, of)
		if done == of {
			fmt.Fprint(a.stderr, "\r\033[K")
		}
	}
}

// cvPoint is the cross-validated loss at one point of the grid.
type cvPoint struct {
	Options   map[string]string `json:"options"`
	Loss      record.Number     `json:"loss"`
	SE        record.Number     `json:"se"`
	LogLoss   record.Number     `json:"log_loss"`
	LogLossSE record.Number     `json:"log_loss_se"`
	Error     string            `json:"error,omitempty"`
	label     string
}

// cvReport is what cv prints. Best and OneSE are positions in Points.
type cvReport struct {
	Method  string    `json:"method"`
	N       int       `json:"n"`
	Folds   int       `json:"folds"`
	Repeats int       `json:"repeats"`
	Loss    string    `json:"loss"`
	Points  []cvPoint `json:"points"`
	Best    int       `json:"best"`
	OneSE   int       `json:"one_se"`
}

func newCVReport(m *method.Method, d *dataset.Data, cv *method.CV, folds, repeats int) *cvReport {
	r := &cvReport{Method: m.Name, N: d.X.Rows, Folds: folds, Repeats: repeats, Loss: "error", Best: cv.Loss.Best(), OneSE: cv.Loss.OneSE()}
	if m.Regression {
		r.Loss = "mse"
	}
	for g, settings := range cv.Points {
		p := cvPoint{Options: map[string]string{}, Loss: record.Number(cv.Loss.Mean[g]), SE: record.Number(cv.Loss.SE[g]),
			LogLoss: record.Number(cv.LogLoss.Mean[g]), LogLossSE: record.Number(cv.LogLoss.SE[g])}
		var label []string
		for _, s := range settings {
			p.Options[s.Name] = s.Value
			label = append(label, s.Name+"="+s.Value)
		}
		if p.label = strings.Join(label, " "); label == nil {
			p.label = m.Name
		}
		if err := cv.Failed[g]; err != nil {
			p.Error = err.Error()
		}
		r.Points = append(r.Points, p)
	}
	return r
}

func (r *cvReport) write(w io.Writer, aligned bool) error {
	t := sim.Table{Title: fmt.Sprintf("%s: %d rows, %d folds, repeats: %d", r.Method, r.N, r.Folds, r.Repeats),
		Head: []string{"", r.Loss, "se", "log-loss", "se", ""}}
	for i, p := range r.Points {
		mark := p.Error
		if i == r.Best {
			mark = "best"
		}
		if i == r.OneSE && r.OneSE != r.Best {
			mark = "first within one se"
		}
		t.Add(p.label, float64(p.Loss), float64(p.SE), float64(p.LogLoss), float64(p.LogLossSE), mark)
	}
	return t.Write(w, aligned)
}
