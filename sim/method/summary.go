package method

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/dataset"
)

// Summary is what `halfspace fit -json` prints of a fitted model: its size, how
// the fit ended, the coefficients on the scale of the data, and what the method
// adds. What a method does not have is left out.
type Summary struct {
	Method      string            `json:"method"`
	N           int               `json:"n"`
	P           int               `json:"p"`
	Classes     []string          `json:"classes,omitempty"`
	Features    []string          `json:"features"`
	FitSeconds  float64           `json:"fit_seconds"`
	Status      optimize.Status   `json:"status"`
	Iterations  int               `json:"iterations"`
	Objective   record.Number     `json:"objective"`
	Certificate Certificate       `json:"certificate"`
	Intercept   []record.Number   `json:"intercept,omitempty"`
	Coef        [][]record.Number `json:"coef,omitempty"`

	Means         [][]record.Number `json:"means,omitempty"`  // qda, rda: one row a class
	Priors        []record.Number   `json:"priors,omitempty"` // discriminants
	Support       *int              `json:"support,omitempty"`
	Margin        *record.Number    `json:"margin,omitempty"`
	Misclassified *int              `json:"misclassified,omitempty"`

	// Unpenalised logistic regression.
	Deviance     *record.Number `json:"deviance,omitempty"`
	NullDeviance *record.Number `json:"null_deviance,omitempty"`
	AIC          *record.Number `json:"aic,omitempty"`
	Table        []Term         `json:"table,omitempty"`

	rowNames  []string // what the rows of Coef are
	inference *logistic.Inference
}

// Certificate is an [optimize.Certificate] as it stands in JSON.
type Certificate struct {
	Kind  optimize.Kind `json:"kind"`
	Value record.Number `json:"value"`
	Tol   record.Number `json:"tol"`
}

// Term is one row of the table of a logistic regression.
type Term struct {
	Class    string        `json:"class"`
	Term     string        `json:"term"`
	Estimate record.Number `json:"estimate"`
	SE       record.Number `json:"se"`
	Z        record.Number `json:"z"`
	P        record.Number `json:"p"`
}

// Summarise describes the model, which was fitted to n rows in the given time.
func (m *Model) Summarise(n int, seconds float64) *Summary {
	r := m.fit.Report()
	s := &Summary{
		Method: m.Method.Name, N: n, P: m.fit.Features(), Classes: m.Schema.Names, Features: m.Schema.Features(), FitSeconds: seconds,
		Status: r.Status(), Iterations: r.Iterations(), Objective: record.Number(r.Objective()),
		Certificate: Certificate{r.Certificate().Kind, record.Number(r.Certificate().Value), record.Number(r.Certificate().Tol)},
	}
	if coef, intercept, ok := m.Coef(); ok {
		s.Coef, s.Intercept = matrix(coef), record.Numbers(intercept)
		s.rowNames = m.rowNames(coef.Rows)
	} else if g, ok := m.fit.(interface{ Means() *linalg.Dense }); ok {
		s.Means = matrix(g.Means())
	}
	if g, ok := m.fit.(interface{ Priors() []float64 }); ok {
		s.Priors = record.Numbers(g.Priors())
	}
	if g, ok := m.fit.(interface{ Support() []int }); ok {
		n := len(g.Support())
		s.Support = &n
	}
	if g, ok := m.fit.(interface{ Margin() float64 }); ok && len(s.Coef) == 1 {
		s.Margin = number(g.Margin())
		if m.scale != nil { // the margin of the plane that Coef describes
			coef, _, _ := m.Coef()
			s.Margin = number(1 / linalg.Norm(coef.Row(0)))
		}
	}
	if g, ok := m.fit.(interface{ Misclassified() int }); ok {
		s.Misclassified = ptr(g.Misclassified())
	}
	return s
}

// rowNames says what each of n rows of coefficients is: a regression's function,
// the log-odds or score of the larger of two classes, one class, or one class
// against another.
func (m *Model) rowNames(n int) []string {
	names := m.Schema.Names
	if g, ok := m.fit.(interface{ Machines() []hyperplane.Machine }); ok && n > 1 {
		pairs := make([]string, n)
		for i, c := range g.Machines() {
			pairs[i] = names[c.Positive]
			if !c.Rest {
				pairs[i] += ":" + names[c.Negative]
			}
		}
		return pairs
	}
	switch {
	case m.Method.Regression:
		return []string{"estimate"}
	case n == 1:
		return names[1:]
	}
	return names
}

// Infer adds to s the inference of an unpenalised logistic regression that was
// fitted to d with options o. For other models there is nothing to add.
func (m *Model) Infer(s *Summary, d *dataset.Data, o *Options) error {
	l, ok := m.fit.(*logistic.Model)
	if !ok {
		return nil
	}
	lo, err := o.logistic(d)
	if err != nil {
		return err
	}
	inf, err := l.Infer(d.X, d.Labels, lo)
	if errors.Is(err, logistic.ErrNoInference) {
		return nil
	}
	if err != nil {
		return err
	}
	s.inference = inf
	s.Deviance = (*record.Number)(&inf.Deviance)
	s.NullDeviance = (*record.Number)(&inf.NullDeviance)
	s.AIC = (*record.Number)(&inf.AIC)
	for i, t := range inf.Terms {
		name := "(Intercept)"
		if t.Column >= 0 {
			name = s.Features[t.Column]
		}
		s.Table = append(s.Table, Term{s.Classes[t.Class], name, record.Number(inf.Estimate[i]),
			record.Number(inf.SE[i]), record.Number(inf.Z[i]), record.Number(inf.P[i])})
	}
	return nil
}

func ptr[T any](v T) *T { return &v }

func matrix(d *linalg.Dense) [][]record.Number {
	out := make([][]record.Number, d.Rows)
	for i := range out {
		out[i] = record.Numbers(d.Row(i))
	}
	return out
}

// Write prints the summary for a reader, as R's summary does: how the fit ended,
// the coefficients (with standard errors where there are any), and the figures
// that the method adds.
func (s *Summary) Write(w io.Writer, aligned bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d rows, %d features", s.Method, s.N, s.P)
	if s.Classes != nil {
		fmt.Fprintf(&b, ", classes %s", strings.Join(s.Classes, " "))
	}
	fmt.Fprintf(&b, "\n%v", s.Status)
	if s.Status != optimize.Direct {
		fmt.Fprintf(&b, " after %d iterations", s.Iterations)
	}
	fmt.Fprintf(&b, " in %.3g s; %s %.2g (tolerance %.2g)\n\n",
		s.FitSeconds, s.Certificate.Kind, float64(s.Certificate.Value), float64(s.Certificate.Tol))
	if err := s.terms().Write(&b, aligned); err != nil {
		return err
	}
	b.WriteByte('\n')
	for _, f := range s.figures() {
		fmt.Fprintf(&b, "%s %s\n", f.name, f.value)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

type figure struct{ name, value string }

// figures lists what the method adds to the coefficients, one number each.
func (s *Summary) figures() []figure {
	list := []figure{{"objective", sim.Number(float64(s.Objective))}}
	if i := s.inference; i != nil {
		list = append(list, figure{"null deviance", fmt.Sprintf("%s on %g degrees of freedom", sim.Number(i.NullDeviance), i.NullDF)},
			figure{"residual deviance", fmt.Sprintf("%s on %g degrees of freedom", sim.Number(i.Deviance), i.DF)},
			figure{"AIC", sim.Number(i.AIC)}, figure{"BIC", sim.Number(i.BIC)})
	}
	number := func(name string, v *record.Number) {
		if v != nil {
			list = append(list, figure{name, sim.Number(float64(*v))})
		}
	}
	count := func(name string, v *int) {
		if v != nil {
			list = append(list, figure{name, strconv.Itoa(*v)})
		}
	}
	number("margin", s.Margin)
	count("support vectors", s.Support)
	count("misclassified", s.Misclassified)
	return list
}

// terms is the table of coefficients, with standard errors where there are any, or
// of class means.
func (s *Summary) terms() *sim.Table {
	if s.Table != nil {
		t := &sim.Table{Title: "Coefficients", Head: []string{"", "Estimate", "Std. Error", "z value", "Pr(>|z|)"}}
		for _, r := range s.Table {
			name := r.Term
			if len(s.Classes) > 2 {
				name = r.Class + ":" + name
			}
			t.Rows = append(t.Rows, column(name, []record.Number{r.Estimate, r.SE, r.Z, r.P}))
		}
		return t
	}
	if s.Coef != nil {
		t := &sim.Table{Title: "Coefficients", Head: append([]string{""}, s.rowNames...)}
		t.Rows = append(t.Rows, column("(Intercept)", s.Intercept))
		for j, name := range s.Features {
			t.Rows = append(t.Rows, column(name, across(s.Coef, j)))
		}
		return t
	}
	t := &sim.Table{Title: "Class means", Head: append([]string{""}, s.Classes...)}
	t.Rows = append(t.Rows, column("(Prior)", s.Priors))
	for j, name := range s.Features {
		t.Rows = append(t.Rows, column(name, across(s.Means, j)))
	}
	return t
}

func across(m [][]record.Number, j int) []record.Number {
	out := make([]record.Number, len(m))
	for k := range m {
		out[k] = m[k][j]
	}
	return out
}

func column(name string, v []record.Number) []string {
	row := []string{name}
	for _, x := range v {
		row = append(row, sim.Number(float64(x)))
	}
	return row
}
