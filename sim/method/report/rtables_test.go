package report_test

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/report"
)

// rTable is what R prints of a fit.
type rTable struct {
	Method, Table, Label               string
	Estimate, SE, Z, P, Lo, Hi, Odds   []float64
	Deviance, AIC, Sigma, R2, F        []float64
	NullDeviance                       []float64 `json:"null_deviance"`
	AdjR2                              []float64 `json:"adj_r2"`
	FP                                 []float64 `json:"f_p"`
	Priors, Means, Scaling, Proportion []float64
}

// The tables of the command are those of R's glm, lm and lda, number by number.
func TestTablesEqualR(t *testing.T) {
	var g struct{ Fits []rTable }
	linalgtest.Golden(t, "testdata/rtables.json", &g)
	if len(g.Fits) != 12 {
		t.Fatalf("%d fits", len(g.Fits))
	}
	for _, want := range g.Fits {
		m, err := method.Named(want.Method)
		if err != nil {
			t.Fatal(err)
		}
		o := &dataset.Options{Label: want.Label, Numeric: m.Regression}
		if want.Table == "crabs" && want.Method == "logistic" {
			o.Keep = []string{"RW", "sp"}
		}
		d, err := dataset.Load(linalgtest.DataFile(t, want.Table+".csv"), o)
		if err != nil {
			t.Fatal(err)
		}
		model, err := m.Fit(d, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := report.Summarize(model, d.X.Rows, 0)
		inf, err := model.Infer(d, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Add(inf)
		s = methodtest.Decoded(t, s)
		if what := want.Method + " of " + want.Table; want.Method == "lda" {
			judgeLDA(t, what, s, want)
		} else {
			judgeTests(t, what, s, want)
		}
	}
}

func judgeTests(t *testing.T, what string, s *report.Summary, want rTable) {
	t.Helper()
	if len(s.Table) != len(want.Estimate) {
		t.Fatalf("%s: %d terms, R has %d", what, len(s.Table), len(want.Estimate))
	}
	near := func(name string, got record.Number, want float64) {
		t.Helper()
		linalgtest.Close(t, what+": "+name, float64(got), want, 1e-9*max(1e-2, math.Abs(want)))
	}
	for k, r := range s.Table {
		near(r.Term, r.Estimate, want.Estimate[k])
		near("standard error of "+r.Term, r.SE, want.SE[k])
		near("statistic of "+r.Term, r.Z, want.Z[k])
		linalgtest.Close(t, what+": p-value of "+r.Term, float64(r.P), want.P[k], 1e-10)
		near("lower end of "+r.Term, r.Lo, want.Lo[k])
		near("upper end of "+r.Term, r.Hi, want.Hi[k])
		if want.Odds != nil {
			near("odds of "+r.Term, *r.Odds, want.Odds[k])
		} else if r.Odds != nil {
			t.Errorf("%s: odds of a regression", what)
		}
	}
	for _, c := range []struct {
		name string
		got  *record.Number
		want []float64
	}{{"deviance", s.Deviance, want.Deviance}, {"null deviance", s.NullDeviance, want.NullDeviance}, {"AIC", s.AIC, want.AIC},
		{"sigma", s.Sigma, want.Sigma}, {"R²", s.R2, want.R2}, {"adjusted R²", s.AdjR2, want.AdjR2}, {"F", s.F, want.F}, {"p of F", s.FP, want.FP}} {
		if (c.got == nil) != (c.want == nil) {
			t.Errorf("%s: %s is %v, R has %v", what, c.name, c.got, c.want)
		} else if c.got != nil {
			near(c.name, *c.got, c.want[0])
		}
	}
}

// judgeLDA compares discriminants up to their sign.
func judgeLDA(t *testing.T, what string, s *report.Summary, want rTable) {
	t.Helper()
	close := func(name string, got record.Number, want, size float64) {
		t.Helper()
		linalgtest.Close(t, what+": "+name, float64(got), want, 1e-9*max(size, math.Abs(want)))
	}
	p, r := len(s.Features), len(want.Proportion)
	if len(s.Priors) != len(want.Priors) || len(s.Scaling) != p || len(s.Proportion) != r {
		t.Fatalf("%s: %d priors, %d × %d discriminants", what, len(s.Priors), len(s.Scaling), len(s.Proportion))
	}
	for k := range s.Priors {
		close("prior", s.Priors[k], want.Priors[k], 1)
		for j := range p {
			close("mean", s.Means[k][j], want.Means[k*p+j], 1)
		}
	}
	for c := range r {
		close("share of trace", s.Proportion[c], want.Proportion[c], 1)
		column := make([]float64, p)
		sign := 0.0
		for j := range p {
			column[j] = want.Scaling[j*r+c]
			sign += float64(s.Scaling[j][c]) * column[j]
		}
		size := math.Abs(slices.MaxFunc(column, func(a, b float64) int { return int(math.Copysign(1, math.Abs(a)-math.Abs(b))) }))
		for j := range p {
			close("discriminant", s.Scaling[j][c], math.Copysign(1, sign)*column[j], 100*size)
		}
	}
}

func TestLeastSquaresHasATable(t *testing.T) {
	m, _ := method.Named("ols")
	d := methodtest.Clouds(m, 1, 60, 3)
	model := methodtest.Must(t, m, d, nil)
	s := report.Summarize(model, 60, 0)
	inf, err := model.Infer(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Add(inf)
	text := methodtest.Lines(t, s)
	for k, name := range []string{"(Intercept)", "a", "b", "c"} {
		methodtest.Cell(t, "table", text, name, 0, inf.Terms[k].Estimate)
		methodtest.Cell(t, "table", text, name, 4, inf.Terms[k].Lo)
	}
	if head := text[""]; len(head) != 6 || head[2] != "t value" {
		t.Errorf("columns %q", head)
	}
}
