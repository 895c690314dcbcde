package sums

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"halfspace/linalg/record"
	"halfspace/logistic/rounds"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// Source says which rows a part has: the name and checksum of their file and their number.
type Source struct {
	Name     string `json:"name"`
	Rows     int    `json:"rows"`
	Checksum string `json:"checksum"`
}

func (s Source) String() string {
	return fmt.Sprintf("%s (%d rows, checksum %s)", s.Name, s.Rows, s.Checksum)
}

// same reports whether two sources are of the same rows, whatever the names of their files.
func (s Source) same(t Source) bool { return s.Rows == t.Rows && s.Checksum == t.Checksum }

// Part is what one part of a table has to say: in the first round counts and the meaning of
// its columns, later an answer to a state.
type Part struct {
	Source
	Schema *dataset.Schema // of the first round
	Counts *rounds.Counts
	State  string // the id of the state that is answered; "" in the first round
	Answer *rounds.Answer
}

// Rows returns the number of rows of all parts.
func Rows(parts []*Part) int {
	n := 0
	for _, p := range parts {
		n += p.Rows
	}
	return n
}

func (p *Part) wrong(err error) error { return fmt.Errorf("part %s: %w", p.Name, err) }

// check refuses data that no part can be made of.
func check(d *dataset.Data) error {
	switch {
	case d == nil || d.Schema == nil:
		return errors.New("sums: there are no data, or no schema says what their columns are")
	case d.Labels == nil:
		return errors.New("sums: the data have no class labels")
	case d.Offset != nil && len(d.Names) > 2:
		return fmt.Errorf("sums: an offset needs two classes, the data have %d", len(d.Names))
	case d.Schema.Missing == dataset.Keep:
		return errors.New("sums: missing values cannot be filled in parts; leave the rows out (-na drop)")
	case d.Schema.Text != nil:
		return errors.New("sums: the words of documents are not agreed on between parts; hash them first")
	}
	return nil
}

// table returns the rows of data.
func table(d *dataset.Data, workers int) *rounds.Table {
	return &rounds.Table{X: d.Rows(), Labels: d.Labels, Weights: d.Weights, Offset: d.Offset, Workers: workers}
}

// Survey makes the part of the first round. Three passes over the rows.
//
// Errors: those of [rounds.Survey] and [rounds.CheckSize]; data that no part can be made of.
func Survey(d *dataset.Data, name string, workers int) (*Part, error) {
	if err := check(d); err != nil {
		return nil, err
	}
	_, p := d.Dims()
	if err := rounds.CheckSize(max(2, len(d.Names)), p); err != nil {
		return nil, err
	}
	c, err := rounds.Survey(table(d, workers), len(d.Names))
	if err != nil {
		return nil, err
	}
	return &Part{Source: Source{name, d.Len(), d.Checksum}, Schema: d.Schema, Counts: c}, nil
}

const partKind, version = "halfspace/sums", 1

type partJSON struct {
	Source
	Schema *dataset.Schema `json:"schema,omitempty"`
	Counts *rounds.Counts  `json:"counts,omitempty"`
	State  string          `json:"state,omitempty"`
	Answer *rounds.Answer  `json:"answer,omitempty"`
}

// Save writes the part and a line end.
func (p *Part) Save(w io.Writer) error {
	return save(w, partKind, partJSON{p.Source, p.Schema, p.Counts, p.State, p.Answer})
}

func save(w io.Writer, kind string, body any) error {
	b, err := record.Marshal(kind, version, body)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

// LoadPart reads a part that Save wrote, of at most 1 GB.
//
// Errors: *[record.KindError], *[record.VersionError], *[record.DamageError].
func LoadPart(r io.Reader) (*Part, error) {
	var j partJSON
	if err := load(r, partKind, &j); err != nil {
		return nil, err
	}
	p := &Part{j.Source, j.Schema, j.Counts, j.State, j.Answer}
	if !p.complete() {
		return nil, fmt.Errorf("sums: %w", &record.DamageError{Reason: "a part whose numbers do not fit together"})
	}
	return p, nil
}

// complete reports whether a part has all that one of its round has.
func (p *Part) complete() bool {
	if p.Name == "" || p.Rows <= 0 || strings.ContainsAny(p.Checksum, "\n") {
		return false
	}
	if p.State != "" {
		return p.Schema == nil && p.Counts == nil && p.Answer.Check() == nil && p.Answer.Sums.Rows == p.Rows
	}
	return p.Answer == nil && p.Schema != nil && p.Counts.Check() == nil && p.Counts.Rows == p.Rows &&
		len(p.Counts.Mean) == p.Schema.Width() && len(p.Counts.Classes) == len(p.Schema.Names)
}

func load(r io.Reader, kind string, body any) error {
	b, err := method.ReadJSON(r)
	if err == nil {
		_, err = record.Unmarshal(b, kind, version, body)
	}
	if err != nil {
		return fmt.Errorf("sums: %w", err)
	}
	return nil
}
