package method

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"go/token"
	"math"
	"strconv"
	"strings"
	"text/template"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/logistic"
)

// generated is what the template of a predictor needs.
type generated struct {
	Package, Method   string
	Classes, Features []string
	Offset            string // its column, "" if there was none

	Origin []float64   // c; nil is 0
	Coef   [][]float64 // of the functions at + coef·(x−c)
	At     []float64

	Decide string // how functions become a class: "argmax", "sign", "votes"; "" for a regression
	Proba  string // how they become probabilities: "softmax", "sigmoid", "clip", ""
	Pairs  [][2]int

	// qda, rda: functions at − ½‖L⁻¹(x−c−Mean)‖².
	Mean [][]float64
	L    [][][]float64
}

// Generate returns a Go file of the given package with the model as a predictor
// that imports at most math: Predict, Scores and, if the method has
// probabilities, Proba.
func (m *Model) Generate(pkg string) ([]byte, error) {
	if !token.IsIdentifier(pkg) || pkg == "_" {
		return nil, fmt.Errorf("%q is not a package name", pkg)
	}
	g := &generated{Package: pkg, Method: m.Method.Name, Classes: m.Schema.Names, Features: m.Schema.Features(), Offset: m.Schema.Offset}
	if q, ok := m.fit.(*discriminant.QDA); ok {
		g.quadratic(q)
	} else if err := g.linear(m); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := predictorFile.Execute(&b, g); err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

func (g *generated) quadratic(q *discriminant.QDA) {
	g.Decide, g.Proba = "argmax", "softmax"
	for k := range q.Classes() {
		d := q.Density(k)
		origin, deviation := d.MeanAbout()
		g.Origin, g.Mean = origin, append(g.Mean, deviation)
		l := d.Factor()
		g.L = append(g.L, denseRows(l))
		at := math.Log(q.Priors()[k]) // − ½ log |Σₖ|
		for i := range l.Rows {
			at -= math.Log(l.At(i, i))
		}
		g.At = append(g.At, at)
	}
}

// linear writes the functions about the model's origin, so that features with
// large means lose no digits in the generated code either.
func (g *generated) linear(m *Model) error {
	coef, _, ok := m.Coef()
	if !ok {
		return fmt.Errorf("%s cannot be written as code", m.Method.Name)
	}
	g.Coef = denseRows(coef)
	if m.scale != nil {
		g.Origin = m.scale.Mean()
	} else if o, ok := m.fit.(interface{ Origin() []float64 }); ok {
		g.Origin = o.Origin()
	} else if o, ok := m.fit.(interface{ Plane() *hyperplane.Plane }); ok {
		g.Origin = o.Plane().Origin()
	} else if o, ok := m.fit.(interface{ Machines() []hyperplane.Machine }); ok {
		g.Origin = o.Machines()[0].Plane.Origin()
	} else {
		g.Origin = make([]float64, m.fit.Features())
	}
	return g.decide(m)
}

// decide sets the values at the origin and how the functions are used.
func (g *generated) decide(m *Model) error {
	if r := m.Regressor(); r != nil {
		g.At = []float64{r.Predict(g.Origin)}
		return nil
	}
	c := m.Classifier()
	switch fit := m.fit.(type) {
	case *logistic.Model:
		g.Decide, g.Proba = "argmax", "softmax"
	case *discriminant.Indicator:
		g.Decide, g.Proba = "argmax", "clip"
	case interface{ Machines() []hyperplane.Machine }:
		for _, machine := range fit.Machines() {
			if m.scale != nil {
				// The scaled origin is 0.
				g.At = append(g.At, machine.Plane.Value(make([]float64, len(g.Origin))))
			} else {
				g.At = append(g.At, machine.Plane.Value(g.Origin))
			}
			if !machine.Rest {
				g.Pairs = append(g.Pairs, [2]int{machine.Negative, machine.Positive})
			}
		}
		g.Decide = "argmax"
		if g.Pairs != nil {
			g.Decide = "votes"
		}
	default:
		g.Decide = "argmax"
		if m.HasProba() {
			g.Proba = "softmax"
		}
	}
	if len(g.Coef) == 1 {
		g.Decide = "sign"
		if g.Proba != "" {
			g.Proba = "sigmoid"
		}
		s := c.Scores(nil, g.Origin)
		g.At = []float64{s[1] - s[0]}
	} else if g.At == nil {
		g.At = c.Scores(nil, g.Origin)
	}
	return nil
}

func denseRows(d *linalg.Dense) [][]float64 {
	out := make([][]float64, d.Rows)
	for i := range out {
		out[i] = d.Row(i)
	}
	return out
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
	panic(fmt.Sprintf("method: no literal for %T", v))
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
