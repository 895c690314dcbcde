package report

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"halfspace/linalg/record"
	"halfspace/optimize"
	"halfspace/qp/separation"
	"halfspace/sim"
	"halfspace/sim/method"
)

// Summary is the report of a fitted model that `halfspace fit -json` prints: its
// size, how the fit ended, the coefficients on the scale of the data, and the figures
// that the method adds. Members that a method does not have are left out.
type Summary struct {
	Method      string          `json:"method"`
	N           int             `json:"n"`
	P           int             `json:"p"`
	Classes     []string        `json:"classes,omitempty"`
	Features    []string        `json:"features"`
	FitSeconds  float64         `json:"fit_seconds"`
	Status      optimize.Status `json:"status"`
	Iterations  int             `json:"iterations"`
	Objective   record.Number   `json:"objective"`
	Certificate Certificate     `json:"certificate"`
	Intercept   []record.Number `json:"intercept,omitempty"`
	Coef        Coef            `json:"coef,omitempty"`

	Means  [][]record.Number `json:"means,omitempty"`  // K×p, of models without coefficients
	Priors []record.Number   `json:"priors,omitempty"` // of models of the classes' densities

	// Unpenalized logistic regression, see [Summary.Add].
	Deviance     *record.Number `json:"deviance,omitempty"`
	NullDeviance *record.Number `json:"null_deviance,omitempty"`
	AIC          *record.Number `json:"aic,omitempty"`
	Table        []Term         `json:"table,omitempty"`

	// Evidence of a perceptron that has not converged: whether a plane separates the classes.
	Evidence *separation.Evidence `json:"evidence,omitempty"`

	Figures []method.Figure `json:"-"` // in JSON each is a member under its key

	functions []string // the names of the rows of Coef
	words     bool     // features are words of documents
	inference *method.Inference
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

// Summarize describes a model that was fitted to n rows in the given time.
func Summarize(m *method.Model, n int, seconds float64) *Summary {
	r, notes := m.Report(), m.Notes()
	s := &Summary{
		Method: m.Method.Name, N: n, P: len(m.FeatureNames()), Classes: m.Schema.Names, Features: m.FeatureNames(), FitSeconds: seconds,
		Status: r.Status(), Iterations: r.Iterations(), Objective: record.Number(r.Objective()), Certificate: certificate(r.Certificate()),
		Figures: notes.Figures, words: m.Schema.Text != nil,
	}
	if coef, intercept, ok := m.Coef(); ok {
		s.Coef, s.Intercept = matrix(coef), record.Numbers(intercept)
		s.functions = m.Functions()
	}
	for _, mean := range notes.Means {
		s.Means = append(s.Means, record.Numbers(mean))
	}
	if prover, ok := m.Fitted().(interface{ Evidence() *separation.Evidence }); ok && s.Status != optimize.Converged {
		s.Evidence = prover.Evidence()
	}
	if notes.Priors != nil {
		s.Priors = record.Numbers(notes.Priors)
	}
	return s
}

// Add adds the inference of the model; nil adds nothing.
func (s *Summary) Add(inf *method.Inference) {
	if inf == nil {
		return
	}
	s.inference = inf
	s.Deviance = (*record.Number)(&inf.Deviance)
	s.NullDeviance = (*record.Number)(&inf.NullDeviance)
	s.AIC = (*record.Number)(&inf.AIC)
	for _, t := range inf.Terms {
		name := "(Intercept)"
		if t.Column >= 0 {
			name = s.Features[t.Column]
		}
		s.Table = append(s.Table, Term{s.Classes[t.Class], name, record.Number(t.Estimate),
			record.Number(t.SE), record.Number(t.Z), record.Number(t.P)})
	}
}

// members is a Summary without its figures.
type members Summary

// MarshalJSON writes an object with a member for each figure.
func (s *Summary) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal((*members)(s))
	if err != nil {
		return nil, err
	}
	for _, f := range s.Figures {
		value := f.Value
		if v, ok := value.(float64); ok {
			value = record.Number(v)
		}
		member, err := json.Marshal(map[string]any{f.Key: value})
		if err != nil {
			return nil, err
		}
		b = append(append(b[:len(b)-1], ','), member[1:]...)
	}
	return b, nil
}

// UnmarshalJSON reads the object that MarshalJSON wrote. Figures come back in the order of
// their keys, and are called by them.
func (s *Summary) UnmarshalJSON(b []byte) error {
	var own members
	if err := json.Unmarshal(b, &own); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	t := reflect.TypeOf(own)
	for i := range t.NumField() {
		key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		delete(all, key)
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		var v record.Number
		if err := json.Unmarshal(all[key], &v); err != nil {
			return err
		}
		value := any(float64(v))
		if count, err := strconv.Atoi(string(all[key])); err == nil {
			value = count
		}
		own.Figures = append(own.Figures, method.Figure{Key: key, Name: key, Value: value})
	}
	*s = Summary(own)
	return nil
}

// Write prints the summary for a reader, as R's summary does: how the fit ended,
// the coefficients (with standard errors where there are any), and the figures
// that the method adds.
func (s *Summary) Write(w io.Writer, aligned bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d rows, %d features", s.Method, s.N, s.P)
	if s.Classes != nil {
		fmt.Fprintf(&b, ", classes %s", sim.OneLine(strings.Join(s.Classes, " ")))
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
		fmt.Fprintf(&b, "%s %s\n", f[0], f[1])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// figures lists the names and values of the lines below the coefficients.
func (s *Summary) figures() (list [][2]string) {
	add := func(name, value string) { list = append(list, [2]string{name, value}) }
	add("objective", sim.Number(float64(s.Objective)))
	if i := s.inference; i != nil {
		add("null deviance", fmt.Sprintf("%s on %g degrees of freedom", sim.Number(i.NullDeviance), i.NullDF))
		add("residual deviance", fmt.Sprintf("%s on %g degrees of freedom", sim.Number(i.Deviance), i.DF))
		add("AIC", sim.Number(i.AIC))
		add("BIC", sim.Number(i.BIC))
	}
	for _, f := range s.Figures {
		value := fmt.Sprint(f.Value)
		if v, ok := f.Value.(float64); ok {
			value = sim.Number(v)
		}
		add(f.Name, value)
	}
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
			t.Rows = append(t.Rows, line(name, []record.Number{r.Estimate, r.SE, r.Z, r.P}))
		}
		return t
	}
	if s.Coef != nil && (s.words || len(s.Features) > manyFeatures) {
		return s.mostTelling()
	}
	if s.Coef != nil {
		t := &sim.Table{Title: "Coefficients", Head: append([]string{""}, s.functions...)}
		t.Rows = append(t.Rows, line("(Intercept)", s.Intercept))
		t.Rows = append(t.Rows, columns(s.Features, s.Coef)...)
		return t
	}
	t := &sim.Table{Title: "Class means", Head: append([]string{""}, s.Classes...)}
	t.Rows = append(t.Rows, line("(Prior)", s.Priors))
	t.Rows = append(t.Rows, columns(s.Features, s.Means)...)
	return t
}

// columns returns a line for each column of m.
func columns(names []string, m [][]record.Number) [][]string {
	rows := make([][]string, len(names))
	for j, name := range names {
		column := make([]record.Number, len(m))
		for k := range m {
			column[k] = m[k][j]
		}
		rows[j] = line(name, column)
	}
	return rows
}
