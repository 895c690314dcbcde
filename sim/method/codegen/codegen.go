// Package codegen writes a fitted model as a Go file that imports at most math.
package codegen

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"go/token"
	"strconv"
	"strings"
	"text/template"

	"halfspace/sim/method"
)

// predictor holds the data of the template.
type predictor struct {
	Package, Method   string
	Classes, Features []string
	Offset            string // its column, "" if there was none
	*method.Formula
}

// Generate returns a Go file of the given package with the model as a predictor
// that imports at most math: Predict, Scores and, if the method has
// probabilities, Proba.
func Generate(m *method.Model, pkg string) ([]byte, error) {
	if !token.IsIdentifier(pkg) || pkg == "_" {
		return nil, fmt.Errorf("%q is not a package name", pkg)
	}
	var b bytes.Buffer
	p := predictor{pkg, m.Method.Name, m.Schema.Names, m.Schema.Features(), m.Schema.Offset, m.Formula()}
	if err := predictorFile.Execute(&b, p); err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

// literal writes numbers and names as Go source; float64 in the shortest form
// that reads back as the same value.
func literal(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return strconv.Quote(v)
	case []float64:
		return braces(v)
	case []string:
		return braces(v)
	case [][]float64:
		return braces(v)
	case [][][]float64:
		return braces(v)
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
	case float64, string:
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "{\n" + strings.Join(parts, ",\n") + ",\n}"
}

//go:embed predictor.tmpl
var predictorText string

var predictorFile = template.Must(template.New("predictor").Funcs(template.FuncMap{"lit": literal}).Parse(predictorText))
