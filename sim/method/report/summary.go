package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"halfspace/linalg/record"
	"halfspace/linalg/tail"
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

	// Of functions that lose digits of the intercept at means far from 0: a point, and their
	// values there, with which the certificate can be recomputed.
	Origin   []record.Number `json:"origin,omitempty"`
	AtOrigin []record.Number `json:"at_origin,omitempty"`

	Means      [][]record.Number `json:"means,omitempty"`      // K×p, of the models that keep them
	Priors     []record.Number   `json:"priors,omitempty"`     // of models of the classes' densities
	Scaling    [][]record.Number `json:"scaling,omitempty"`    // p×R, see [method.Notes]
	Proportion []record.Number   `json:"proportion,omitempty"` // R, of the trace

	// Of a fit without a penalty, see [Summary.Add].
	Deviance     *record.Number `json:"deviance,omitempty"`
	NullDeviance *record.Number `json:"null_deviance,omitempty"`
	AIC          *record.Number `json:"aic,omitempty"`
	Sigma        *record.Number `json:"sigma,omitempty"`
	R2           *record.Number `json:"r2,omitempty"`
	AdjR2        *record.Number `json:"adj_r2,omitempty"`
	F            *record.Number `json:"f,omitempty"`
	FP           *record.Number `json:"f_p,omitempty"`
	Table        []Term         `json:"table,omitempty"`

	// Evidence of a perceptron that has not converged: whether a plane separates the classes.
	Evidence *separation.Evidence `json:"evidence,omitempty"`

	Figures []method.Figure `json:"-"` // in JSON each is a member under its key

	functions []string // the names of the rows of Coef
	words     bool     // features are words of documents
	inference *method.Inference
}

// Term is one row of the table of a logistic or a least squares regression, whose Z is
// Student's t.
type Term struct {
	Class    string         `json:"class,omitempty"`
	Term     string         `json:"term"`
	Estimate record.Number  `json:"estimate"`
	SE       record.Number  `json:"se"`
	Z        record.Number  `json:"z"`
	P        record.Number  `json:"p"`
	Lo       record.Number  `json:"lo"` // the interval of confidence 95 %
	Hi       record.Number  `json:"hi"`
	Odds     *record.Number `json:"odds,omitempty"` // exp(estimate), of a logistic regression
}

// Summarize describes a model that was fitted to n rows in the given time.
func Summarize(m *method.Model, n int, seconds float64) *Summary {
	r, notes := m.Report(), m.Notes()
	s := &Summary{
		Method: m.Method.Name, N: n, P: len(m.FeatureNames()), Classes: m.Schema.Names, Features: m.FeatureNames(), FitSeconds: seconds,
		Status: r.Status(), Iterations: r.Iterations(), Objective: record.Number(r.Objective()), Certificate: certificate(r.Certificate()),
		Figures: notes.Figures, words: m.Schema.Text != nil,
	}
	if coef, intercept, ok := m.CoefRows(); ok {
		s.Coef, s.Intercept = coef, record.Numbers(intercept)
		s.functions = m.Functions()
		s.addOrigin(m)
	}
	for _, mean := range notes.Means {
		s.Means = append(s.Means, record.Numbers(mean))
	}
	if prover, ok := m.Fitted().(interface{ Evidence() *separation.Evidence }); ok && s.Status != optimize.Converged {
		s.Evidence = prover.Evidence()
	}
	for _, v := range notes.Scaling {
		s.Scaling = append(s.Scaling, record.Numbers(v))
	}
	if notes.Priors != nil {
		s.Priors = record.Numbers(notes.Priors)
	}
	if notes.Proportion != nil {
		s.Proportion = record.Numbers(notes.Proportion)
	}
	return s
}

// farAway is how many times larger than a function at the origin the terms of its intercept
// are, where they hide digits of it.
const farAway = 1 << 16

// addOrigin adds the origin of linear functions whose intercepts lose digits.
func (s *Summary) addOrigin(m *method.Model) {
	if s.P > manyFeatures {
		return
	}
	f := m.Formula()
	if len(f.Origin) != s.P || len(f.At) != len(s.Coef) {
		return
	}
	for k, at := range f.At {
		terms := 0.0
		for j, c := range f.Origin {
			terms += math.Abs(s.Coef[k][j] * c)
		}
		if terms > farAway*(1+math.Abs(at)) {
			s.Origin, s.AtOrigin = record.Numbers(f.Origin), record.Numbers(f.At)
			return
		}
	}
}

// Add adds the inference of the model; nil adds nothing.
func (s *Summary) Add(inf *method.Inference) {
	if inf == nil {
		return
	}
	s.inference = inf
	if ls := inf.LeastSquares; ls != nil {
		s.Sigma, s.R2, s.AdjR2 = (*record.Number)(&ls.Sigma), (*record.Number)(&ls.R2), (*record.Number)(&ls.AdjR2)
		s.F, s.FP = (*record.Number)(&ls.F), (*record.Number)(&ls.FP)
	} else {
		s.Deviance, s.NullDeviance, s.AIC = (*record.Number)(&inf.Deviance), (*record.Number)(&inf.NullDeviance), (*record.Number)(&inf.AIC)
	}
	for _, t := range inf.Terms {
		row := Term{Term: "(Intercept)", Estimate: record.Number(t.Estimate), SE: record.Number(t.SE), Z: record.Number(t.Z),
			P: record.Number(t.P), Lo: record.Number(t.Lo), Hi: record.Number(t.Hi)}
		if t.Column >= 0 {
			row.Term = s.Features[t.Column]
		}
		if inf.LeastSquares == nil {
			odds := record.Number(math.Exp(t.Estimate))
			row.Class, row.Odds = s.Classes[t.Class], &odds
		}
		s.Table = append(s.Table, row)
	}
}

// members is a Summary without its figures.
type members Summary

// MarshalJSON writes an object with a member for each figure.
func (s *Summary) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := s.WriteJSON(&b)
	return b.Bytes(), err
}

// WriteJSON writes the text of MarshalJSON. The coefficients, of which there can be millions, come
// last, in pieces.
func (s *Summary) WriteJSON(w io.Writer) error {
	others := members(*s)
	others.Coef = nil
	b, err := json.Marshal(others)
	if err != nil {
		return err
	}
	for _, f := range s.Figures {
		value := f.Value
		if v, ok := value.(float64); ok {
			value = record.Number(v)
		}
		member, err := json.Marshal(map[string]any{f.Key: value})
		if err != nil {
			return err
		}
		b = append(append(b[:len(b)-1], ','), member[1:]...)
	}
	if len(s.Coef) == 0 {
		_, err = w.Write(b)
		return err
	}
	if _, err := w.Write(append(b[:len(b)-1], `,"coef":`...)); err != nil {
		return err
	}
	if err := s.Coef.WriteJSON(w); err != nil {
		return err
	}
	_, err = io.WriteString(w, "}")
	return err
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
	fmt.Fprintf(&b, "%s: %s, %s", s.Method, sim.Count(s.N, "row"), sim.Count(s.P, "feature"))
	if s.Classes != nil {
		fmt.Fprintf(&b, ", classes %s", sim.OneLine(strings.Join(s.Classes, " ")))
	}
	fmt.Fprintf(&b, "\n%v", s.Status)
	if s.Status != optimize.Direct {
		fmt.Fprintf(&b, " after %s", sim.Count(s.Iterations, "iteration"))
	}
	fmt.Fprintf(&b, " in %.3g s; %s %.2g (tolerance %.2g)\n\n",
		s.FitSeconds, s.Certificate.Kind, float64(s.Certificate.Value), float64(s.Certificate.Tol))
	for _, t := range s.tables() {
		if err := t.Write(&b, aligned); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
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
	if i := s.inference; i != nil && i.LeastSquares != nil {
		ls := i.LeastSquares
		add("residual standard error", fmt.Sprintf("%s on %.12g degrees of freedom", sim.Number(ls.Sigma), ls.DF))
		add("R²", fmt.Sprintf("%s, adjusted %s", sim.Number(ls.R2), sim.Number(ls.AdjR2)))
		add("F", fmt.Sprintf("%s on %.12g and %.12g degrees of freedom, p-value %s", sim.Number(ls.F), ls.FDF1, ls.FDF2, tail.PValue(ls.FP)))
	} else if i != nil {
		add("null deviance", fmt.Sprintf("%s on %.12g degrees of freedom", sim.Number(i.NullDeviance), i.NullDF))
		add("residual deviance", fmt.Sprintf("%s on %.12g degrees of freedom", sim.Number(i.Deviance), i.DF))
		if df := i.NullDF - i.DF; df >= 1 {
			null := "f = 0"
			if slices.ContainsFunc(i.Terms, func(t method.Term) bool { return t.Column < 0 }) {
				null = "the intercept alone"
			}
			test := func(name string, v float64) {
				add(name, fmt.Sprintf("%s on %g degrees of freedom against %s, p-value %s", sim.Number(v), df, null, tail.PValue(tail.ChiSquare(v, int(df)))))
			}
			test("likelihood ratio", math.Max(0, i.NullDeviance-i.Deviance))
			if !math.IsNaN(i.Score) {
				test("Rao's score", i.Score)
			}
		}
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

// tables are the coefficients, with tests and intervals where there are any, or the
// class means, and of linear discriminant analysis what R's print of an lda shows.
func (s *Summary) tables() []*sim.Table {
	switch {
	case s.Table != nil:
		return []*sim.Table{s.tests()}
	case s.Scaling != nil && len(s.Features) <= manyFeatures:
		return s.discriminants()
	case s.Coef != nil && (s.words || len(s.Features) > manyFeatures):
		return []*sim.Table{s.mostTelling()}
	case s.Coef != nil:
		t := &sim.Table{Title: "Coefficients", Head: append([]string{""}, s.functions...)}
		t.Rows = append(t.Rows, line("(Intercept)", s.Intercept))
		t.Rows = append(t.Rows, columns(s.Features, s.Coef)...)
		return []*sim.Table{t}
	}
	t := &sim.Table{Title: "Class means", Head: append([]string{""}, s.Classes...)}
	t.Rows = append(t.Rows, line("(Prior)", s.Priors))
	t.Rows = append(t.Rows, columns(s.Features, s.Means)...)
	return []*sim.Table{t}
}

// tests is the table of an inference.
func (s *Summary) tests() *sim.Table {
	t := &sim.Table{Title: "Coefficients", Head: []string{"", "Estimate", "Std. Error", "z value", "Pr(>|z|)", "2.5 %", "97.5 %"}}
	if s.inference != nil && s.inference.LeastSquares != nil {
		t.Head[3], t.Head[4] = "t value", "Pr(>|t|)"
	} else {
		t.Head = append(t.Head, "odds")
	}
	for _, r := range s.Table {
		name := r.Term
		if len(s.Classes) > 2 {
			name = r.Class + ":" + name
		}
		values := []record.Number{r.Estimate, r.SE, r.Z, r.P, r.Lo, r.Hi}
		if r.Odds != nil {
			values = append(values, *r.Odds)
		}
		t.Rows = append(t.Rows, line(name, values))
	}
	return t
}

// discriminants are the tables of linear discriminant analysis.
func (s *Summary) discriminants() []*sim.Table {
	var list []*sim.Table
	priors := &sim.Table{Title: "Prior probabilities of the classes", Head: append([]string{""}, s.Classes...)}
	priors.Rows = append(priors.Rows, line("", s.Priors))
	list = append(list, priors)
	if s.Means != nil {
		means := &sim.Table{Title: "Class means", Head: append([]string{""}, s.Features...)}
		for k, name := range s.Classes {
			means.Rows = append(means.Rows, line(name, s.Means[k]))
		}
		list = append(list, means)
	}
	ld := &sim.Table{Title: "Coefficients of linear discriminants", Head: []string{""}}
	for r := range s.Proportion {
		ld.Head = append(ld.Head, fmt.Sprintf("LD%d", r+1))
	}
	for j, name := range s.Features {
		ld.Rows = append(ld.Rows, line(name, s.Scaling[j]))
	}
	trace := &sim.Table{Title: "Proportion of trace", Head: ld.Head}
	trace.Rows = append(trace.Rows, line("", s.Proportion))
	return append(list, ld, trace)
}

// columns returns a line for each column of m.
func columns[T ~float64](names []string, m [][]T) [][]string {
	rows := make([][]string, len(names))
	for j, name := range names {
		column := make([]record.Number, len(m))
		for k := range m {
			column[k] = record.Number(m[k][j])
		}
		rows[j] = line(name, column)
	}
	return rows
}
