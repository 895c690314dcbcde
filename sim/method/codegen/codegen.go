// Package codegen writes a fitted model as a Go file that imports at most math.
package codegen

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// predictor holds the data of the template.
type predictor struct {
	Package, Method   string
	Classes, Features []string // Features are those of a row, before the steps
	Columns           []column // nil: too many for a struct
	Missing, Fallback bool     // a missing cell is NaN; a level never seen is the reference
	Steps             []step
	Inputs            int    // of the functions, behind the steps
	Offset            string // its column, "" if there was none
	*method.Formula
}

// Generate returns a Go file of the given package with the model as a predictor that
// imports at most math. Row is a struct with a field for each column of the data, whose
// Encode gives the features; Predict, Scores and, if the method has probabilities, Proba
// take them through the model's steps. Scores are those of the model.
//
// Errors: a name that no package can have, a step of a user's own, a model of documents, one that decides by costs.
func Generate(m *method.Model, pkg string) ([]byte, error) {
	if !token.IsIdentifier(pkg) || pkg == "_" {
		return nil, fmt.Errorf("codegen: %q is not a package name", pkg)
	}
	if m.Fitted() == nil {
		return nil, errors.New("codegen: a model that was not fitted")
	}
	if m.Schema.Text != nil {
		return nil, fmt.Errorf("codegen: a model of documents (column %q) cannot be generated", m.Schema.Text.Name)
	}
	f := m.Formula()
	if f.Costs != nil {
		return nil, errors.New("codegen: a model that decides by costs cannot be generated")
	}
	steps, err := stepsOf(m)
	if err != nil {
		return nil, fmt.Errorf("codegen: %w", err)
	}
	s := m.Schema
	p := predictor{Package: pkg, Method: m.Method.Name, Classes: s.Names, Features: s.Features(), Columns: columnsOf(s),
		Missing: s.Missing == dataset.Keep, Fallback: s.Unseen == dataset.Reference,
		Steps: steps, Inputs: len(m.FeatureNames()), Offset: s.Offset, Formula: f}
	var b bytes.Buffer
	if err := files.ExecuteTemplate(&b, "predictor.tmpl", p); err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

// Math reports whether the file imports math.
func (p predictor) Math() bool {
	return p.Link == method.Sigmoid || p.Link == method.Softmax || p.Link == method.Sigmoids || p.Link == method.Coupled || p.Left() || p.Missing && p.Leveled()
}

// Leveled reports whether a column has levels.
func (p predictor) Leveled() bool {
	return slices.ContainsFunc(p.Columns, func(c column) bool { return c.Levels != nil })
}

// Closed reports whether a level never seen is an error in some column.
func (p predictor) Closed() bool {
	return slices.ContainsFunc(p.Columns, func(c column) bool { return c.Closed })
}

// Left reports whether the first step fills the gaps of some features and leaves those of others.
func (p predictor) Left() bool {
	return len(p.Steps) > 0 && slices.ContainsFunc(p.Steps[0].Fill, func(v float64) bool { return v != v })
}

// Quantiles reports whether a step looks for the place of a value.
func (p predictor) Quantiles() bool {
	return slices.ContainsFunc(p.Steps, func(s step) bool { return s.Knots != nil })
}

// literal writes numbers and names as Go source; float64 in the shortest form
// that reads back as the same value.
func literal(v any) string {
	switch v := v.(type) {
	case float64:
		if v != v {
			return "math.NaN()"
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return strconv.Quote(v)
	case int:
		return strconv.Itoa(v)
	case []float64:
		return braces(v)
	case []int:
		return braces(v)
	case []string:
		return braces(v)
	case [][]float64:
		return braces(v)
	case [][][]float64:
		return braces(v)
	case [][2]float64:
		rows := make([][]float64, len(v))
		for i := range v {
			rows[i] = v[i][:]
		}
		return braces(rows)
	case [][2]int:
		parts := make([]string, len(v))
		for i, p := range v {
			parts[i] = fmt.Sprintf("{%d, %d}", p[0], p[1])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	panic(fmt.Sprintf("codegen: no literal for %T", v))
}

// braces writes a list, a line each for the rows of a matrix.
func braces[T any](v []T) string {
	parts := make([]string, len(v))
	for i, x := range v {
		parts[i] = literal(any(x))
	}
	var zero T
	switch any(zero).(type) {
	case float64, string, int:
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "{\n" + strings.Join(parts, ",\n") + ",\n}"
}

//go:embed *.tmpl
var templates embed.FS

var files = template.Must(template.New("").Funcs(template.FuncMap{"lit": literal}).ParseFS(templates, "*.tmpl"))
