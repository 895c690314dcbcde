package method

import (
	"fmt"
	"io"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/linalg/record"
	"halfspace/sim/dataset"
)

// Part is the moments of some rows of a table with the meaning of its columns
// and class codes. `halfspace moments` writes it, and models are fitted to several
// where no machine holds the whole table.
type Part struct {
	Schema  *dataset.Schema
	Moments *moments.ByClass
}

// Rows returns the number of rows of positive weight.
func (p *Part) Rows() int {
	n := 0
	for _, r := range p.Moments.Rows() {
		n += r
	}
	return n
}

// Gather returns the moments of d. One pass, O(np²).
func Gather(d *dataset.Data, workers int) (*Part, error) {
	m, err := moments.New(d.X.Cols, false)
	if err != nil {
		return nil, err
	}
	if err := m.AddRows(d.X, d.Labels, d.Weights, workers); err != nil {
		return nil, err
	}
	return &Part{d.Schema, m}, nil
}

// MergeParts adds up parts of one table. A part may lack classes that another
// has; the columns must be the same in all.
func MergeParts(parts []*Part) (*Part, error) {
	if len(parts) == 0 {
		return nil, &linalg.ShapeError{Want: 1, WantOf: "part needed", Got: 0, GotOf: "parts"}
	}
	first := parts[0].Schema
	lists := make([][]string, len(parts))
	for i, p := range parts {
		if err := sameSchema(first, p.Schema); err != nil {
			return nil, fmt.Errorf("part %d: %w", i+1, err)
		}
		lists[i] = p.Schema.Names
	}
	names, code := dataset.Union(lists...)
	whole, err := moments.New(parts[0].Moments.Features(), false)
	if err != nil {
		return nil, err
	}
	for i, p := range parts {
		m, err := p.Moments.Relabel(func(k int) int { return code[i][k] })
		if err == nil {
			err = whole.Merge(m)
		}
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i+1, err)
		}
	}
	s := *first
	s.Names = names
	return &Part{&s, whole}, nil
}

func sameSchema(a, b *dataset.Schema) error {
	if len(a.Columns) != len(b.Columns) {
		return &linalg.ShapeError{Want: len(a.Columns), WantOf: "columns in the first part", Got: len(b.Columns), GotOf: "here"}
	}
	for j, c := range a.Columns {
		d := b.Columns[j]
		if c.Name != d.Name || !slices.Equal(c.Levels, d.Levels) {
			return fmt.Errorf("column %d is %q with levels %q, in the first part %q with %q", j+1, d.Name, d.Levels, c.Name, c.Levels)
		}
	}
	return nil
}

const momentsKind = "halfspace/moments-of-table"

type partJSON struct {
	Schema  *dataset.Schema  `json:"schema"`
	Moments *moments.ByClass `json:"moments"`
}

// Save writes the part as versioned JSON.
func (p *Part) Save(w io.Writer) error {
	b, err := record.Marshal(momentsKind, version, partJSON{p.Schema, p.Moments})
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// LoadPart reads a part that Save wrote; see [Load] for limits and errors.
func LoadPart(r io.Reader) (*Part, error) {
	b, err := readJSON(r)
	if err != nil {
		return nil, err
	}
	var j partJSON
	if _, err := record.Unmarshal(b, momentsKind, version, &j); err != nil {
		return nil, err
	}
	if j.Schema == nil || j.Moments == nil || len(j.Schema.Features()) != j.Moments.Features() {
		return nil, &record.DamageError{Reason: "schema and moments do not fit together"}
	}
	if c := j.Moments.Classes(); len(c) > 0 && (c[0] < 0 || c[len(c)-1] >= len(j.Schema.Names)) {
		return nil, &record.DamageError{Reason: "classes without names"}
	}
	return &Part{j.Schema, j.Moments}, nil
}
