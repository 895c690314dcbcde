package codegen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
)

// step holds a transform: the fields of its kind.
type step struct {
	In, Out        int
	Fill           []float64
	Marks          []int
	Mean, SD       []float64
	Knots          [][]float64
	Count          int // of knots
	Parent, Factor []int
}

// stepsOf returns the steps before the formula's features.
func stepsOf(m *method.Model) ([]step, error) {
	chain := m.Steps()
	if len(chain) > 0 {
		if _, folded := chain[len(chain)-1].(*feature.Standardizer); folded {
			chain = chain[:len(chain)-1]
		}
	}
	var steps []step
	for i, t := range chain {
		s := step{In: t.Features(), Out: t.Outputs()}
		switch t := t.(type) {
		case *feature.Imputer:
			s.Fill, s.Marks = t.Fill(), t.Marks()
		case *feature.Standardizer:
			s.Mean, s.SD = t.Mean(), t.SD()
			for j, v := range s.SD {
				if v == 0 {
					s.SD[j] = 1 // a constant feature is only centred
				}
			}
		case *feature.Quantiles:
			for j := range s.In {
				s.Knots = append(s.Knots, t.Knots(j))
			}
			s.Count = len(s.Knots[0])
		case *feature.Polynomial:
			s.Parent, s.Factor = t.Monomials()
		default:
			return nil, fmt.Errorf("step %d, a %T, has no code", i+1, t)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// maxFields is the most columns that get a struct.
const maxFields = 1000

// column holds a column of the data: its field, and its features from At to End.
type column struct {
	dataset.Column
	Field   string
	At, End int
}

// columnsOf returns the columns, nil if they are too many.
func columnsOf(s *dataset.Schema) []column {
	if s.Numbered+len(s.Columns) > maxFields {
		return nil
	}
	taken := map[string]bool{"Encode": true} // the method
	var columns []column
	at := 0
	for _, c := range s.All() {
		end := at + max(1, len(c.Levels)-1)
		columns = append(columns, column{c, fieldOf(c.Name, taken), at, end})
		at = end
	}
	return columns
}

// fieldOf returns a name for a field that is not taken: PetalLength for petal_length.
func fieldOf(name string, taken map[string]bool) string {
	var b strings.Builder
	up := true
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			up = true
			continue
		}
		if up {
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		up = false
	}
	field := b.String()
	if first := []rune(field + " ")[0]; !unicode.IsUpper(first) {
		field = fmt.Sprintf("C%s", field)
	}
	for base, n := field, 2; taken[field]; n++ {
		field = base + "_" + strconv.Itoa(n)
	}
	taken[field] = true
	return field
}

// Reference is the level without an indicator.
func (c column) Reference() string { return c.Levels[0] }

// Others are the levels with indicators.
func (c column) Others() []string { return c.Levels[1:] }

// Kept lists, each behind a comma, the levels that are spelled otherwise than cells of other levels are read: with
// spaces around them or zeros behind a point.
func (c column) Kept() string {
	var words strings.Builder
	for _, l := range c.Levels {
		if strings.Trim(l, " \t") != l || strings.Contains(l, ".") && strings.HasSuffix(l, "0") {
			words.WriteString(", " + strconv.Quote(l))
		}
	}
	return words.String()
}

// Spelled lists the levels, at most ten.
func (c column) Spelled() string {
	var words []string
	for i, l := range c.Levels {
		if i == 10 {
			words = append(words, "…")
			break
		}
		words = append(words, strconv.Quote(l))
	}
	return strings.Join(words, ", ")
}

// Gaps are the texts of a missing cell, as a case lists them.
func (c column) Gaps() string {
	var words []string
	for _, w := range []string{"", "NA", "NaN", "nan", "NAN", "Nan", "NAn", "nAN", "nAn", "naN"} {
		if !slices.Contains(c.Levels, w) {
			words = append(words, strconv.Quote(w))
		}
	}
	return strings.Join(words, ", ")
}

// Absent and Unknown are the errors of a missing cell and of a level never seen.
func (c column) Absent() string { return strconv.Quote(c.Name) + " is missing" }

func (c column) Unknown() string { return strconv.Quote(c.Name) + " has no level " }

// Sum is for the template.
func (predictor) Sum(a, b int) int { return a + b }
