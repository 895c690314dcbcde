package dataset

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"halfspace/linalg"
	terms "halfspace/sim/feature"
)

// Schema is the meaning of a table's columns. It is saved with a model as JSON and
// reads new tables into the same features: columns are found by name in any
// order, and the levels and class labels are those of the first table. A column of
// offsets is read again, for predictions add it; one of weights is not.
type Schema struct {
	Columns  []Column    // the features' columns, in order
	Numbered int         // so many columns of numbers, x1, x2, …, in the place of Columns
	Label    string      // name of the label column, "" if it had none
	Names    []string    // class labels by code; nil if the response is numeric
	Text     *TextColumn // the column of documents, whose terms are the last features; nil without
	Weights  string      // name of the column of weights, or ""
	Offset   string      // name of the column of offsets, or ""

	Dropped []string // columns of the first table that are no features: never an extra column
	Missing Rule     // of a missing cell: Refuse or Keep
	Unseen  Rule     // of a level that is not one of the column's: Refuse or Reference
	Strict  bool     // a column that the schema does not know is an error, else it is not read
}

// Column is one column of features: numeric, or categorical if it has levels,
// when it stands for len(Levels)−1 indicators. A cell is the level that is spelled like it, and 2.0 is
// the level 2 where no level is 2.0.
type Column struct {
	Name   string
	Levels []string // at least two, the reference and the others in byte order; nil for a numeric column
	Closed bool     // a level that is none of them is an error, whatever Unseen says
}

// TextColumn is a column of documents and their terms.
type TextColumn struct {
	Name  string      `json:"name"`
	Terms *terms.Text `json:"terms"`
}

// Rule says how a table goes on where a cell has no value of its own.
type Rule string

// The rules.
const (
	Refuse    Rule = ""          // an error
	LeaveOut  Rule = "drop"      // the row is left out
	Keep      Rule = "keep"      // the features of the cell are NaN, for a step of a model to fill
	Reference Rule = "reference" // the reference level stands in
)

// All returns the features' columns, in order: Columns, or for this call those that are numbered.
func (s *Schema) All() []Column {
	if s.Numbered == 0 {
		return s.Columns
	}
	columns := make([]Column, s.Numbered)
	for j := range columns {
		columns[j].Name = numberedName(j)
	}
	return columns
}

// numberedName returns the name of a numbered column.
func numberedName(j int) string { return "x" + strconv.Itoa(j+1) }

// Width returns the number of features. O(columns).
func (s *Schema) Width() int {
	width := s.plainWidth()
	if s.Text != nil {
		width += s.Text.Terms.Outputs()
	}
	return width
}

// plainWidth returns the number of features but for terms of documents.
func (s *Schema) plainWidth() int {
	width := s.Numbered
	for _, c := range s.Columns {
		width += max(1, len(c.Levels)-1)
	}
	return width
}

// Features returns the names of the features, "famhist=Present" for the
// indicator of a level: O(features) time and memory, where [Schema.Width] takes none.
func (s *Schema) Features() []string {
	names := make([]string, 0, s.Width())
	for j := range s.Numbered {
		names = append(names, numberedName(j))
	}
	for _, c := range s.Columns {
		if c.Levels == nil {
			names = append(names, c.Name)
			continue
		}
		for _, l := range c.Levels[1:] {
			names = append(names, c.Name+"="+l)
		}
	}
	if s.Text != nil {
		names = append(names, s.Text.Terms.Names()...)
	}
	return names
}

// String returns a line for each column: its name, and its levels, the reference first.
func (s *Schema) String() string {
	var b strings.Builder
	for _, c := range s.All() {
		if c.Levels == nil {
			fmt.Fprintf(&b, "%q: a number\n", c.Name)
		} else {
			fmt.Fprintf(&b, "%q: %s\n", c.Name, list(c.Levels))
		}
	}
	if s.Names != nil {
		fmt.Fprintf(&b, "classes of %q: %s\n", s.Label, list(s.Names))
	}
	return b.String()
}

// manyColumns is how many numbered columns are saved one by one.
const manyColumns = 10_000

type columnJSON struct {
	Name   string   `json:"name"`
	Levels []string `json:"levels,omitempty"`
	Closed bool     `json:"closed,omitempty"`
}

type schemaJSON struct {
	Columns  []columnJSON `json:"columns"`
	Numbered int          `json:"numbered,omitempty"` // so many columns of numbers, x1, x2, …, in the place of columns
	Label    string       `json:"label,omitempty"`
	Names    []string     `json:"names,omitempty"`
	Text     *TextColumn  `json:"text,omitempty"`
	Weights  string       `json:"weights,omitempty"`
	Offset   string       `json:"offset,omitempty"`
	Dropped  []string     `json:"dropped,omitempty"`
	Missing  Rule         `json:"missing,omitempty"`
	Unseen   Rule         `json:"unseen,omitempty"`
	Strict   bool         `json:"strict,omitempty"`
}

// MarshalJSON writes the schema.
func (s *Schema) MarshalJSON() ([]byte, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	j := schemaJSON{Label: s.Label, Names: s.Names, Text: s.Text, Weights: s.Weights, Offset: s.Offset,
		Dropped: s.Dropped, Missing: s.Missing, Unseen: s.Unseen, Strict: s.Strict}
	if s.Numbered > manyColumns {
		j.Numbered = s.Numbered
	} else {
		for _, c := range s.All() {
			j.Columns = append(j.Columns, columnJSON(c))
		}
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads the object that MarshalJSON wrote, and checks it.
func (s *Schema) UnmarshalJSON(b []byte) error {
	var j schemaJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	t := Schema{Label: j.Label, Names: j.Names, Text: j.Text, Weights: j.Weights, Offset: j.Offset,
		Dropped: j.Dropped, Missing: j.Missing, Unseen: j.Unseen, Strict: j.Strict}
	for _, c := range j.Columns {
		t.Columns = append(t.Columns, Column(c))
	}
	if j.Numbered != 0 {
		if j.Columns != nil || j.Numbered < 0 || j.Numbered > maxFeatures {
			return fmt.Errorf("dataset: schema: %d numbered columns beside %d others", j.Numbered, len(j.Columns))
		}
		t.Numbered = j.Numbered
	}
	if err := t.Check(); err != nil {
		return err
	}
	*s = t
	return nil
}

// Check returns an error if the schema does not hold together and could not be saved:
// without columns, with two columns, levels or labels of one name, with rules that there
// are not.
func (s *Schema) Check() error {
	bad := func(format string, args ...any) error { return fmt.Errorf("dataset: schema: "+format, args...) }
	if s.Text != nil && (s.Text.Name == "" || s.Text.Terms == nil) {
		return bad("the column of documents has no name or no terms")
	}
	if s.Numbered < 0 || s.Numbered > 0 && s.Columns != nil {
		return bad("%d numbered columns beside %d others", s.Numbered, len(s.Columns))
	}
	if s.Width() == 0 && s.Text == nil {
		return bad("%w", &linalg.ShapeError{Want: 1, WantOf: "columns or more", Got: 0, GotOf: "there"})
	}
	seen := make(map[string]bool)
	for _, c := range s.Columns {
		if c.Name == "" || seen[c.Name] {
			return bad("column %q is there twice or has no name", c.Name)
		}
		seen[c.Name] = true
		if c.Levels != nil && (len(c.Levels) < 2 || !increasing(c.Levels[1:]) || slices.Contains(c.Levels[1:], c.Levels[0])) {
			return bad("column %q: levels %q are not a reference and others in byte order", c.Name, c.Levels)
		}
	}
	labels := newKnown(s.Names, true)
	for k, name := range s.Names {
		if at, _ := labels.find([]byte(name)); at != k {
			return bad("two of the labels are %q", name)
		}
	}
	if s.Missing != Refuse && s.Missing != Keep || s.Unseen != Refuse && s.Unseen != Reference {
		return bad("no rules of missing cells %q and new levels %q", s.Missing, s.Unseen)
	}
	return nil
}

func increasing(v []string) bool {
	for i := 1; i < len(v); i++ {
		if v[i-1] >= v[i] {
			return false
		}
	}
	return true
}

// numeric reports whether every column is a number.
func (s *Schema) numeric() bool {
	return !slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Levels != nil })
}

// names reports whether one of the columns has a name that a header has.
func (s *Schema) names(header []string) bool {
	if s == nil {
		return false
	}
	own := setOf(header)
	return slices.ContainsFunc(s.Columns, func(c Column) bool { return own[c.Name] })
}

// setOf returns the names as a set: a list would make a look-up for each column quadratic.
func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}
