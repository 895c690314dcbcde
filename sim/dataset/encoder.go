package dataset

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"halfspace/linalg"
)

// Encoder turns rows of cells into rows of features, as the schema's Read would: it is
// for programs that get rows one at a time. Any number of goroutines may use it, and
// with room in dst it allocates nothing.
//
// The columns of a label, of weights and of an offset are not read, and extra columns
// neither unless the schema is strict.
type Encoder struct {
	cells   int // in a row
	columns []columnCode
	keep    bool // missing cells are NaN
	unseen  Rule
}

// columnCode turns a cell into the features of one column.
type columnCode struct {
	*Column
	at   int            // the cell
	code map[string]int // of the levels
}

// Encoder returns an encoder of rows whose cells are those of the given columns.
//
// Errors: columns that are lacking, are there twice or, to a strict schema, not known.
func (s *Schema) Encoder(columns []string) (*Encoder, error) {
	if err := s.dense(); err != nil {
		return nil, err
	}
	e := &Encoder{cells: len(columns), keep: s.Missing == Keep, unseen: s.Unseen}
	place := make(map[string]int, len(columns))
	for j, name := range columns {
		if _, twice := place[name]; twice {
			return nil, wrong("", 0, fmt.Sprintf("two columns are named %q", name))
		}
		place[name] = j
	}
	if err := suits(s, place); err != nil {
		return nil, err
	}
	own := s.All()
	for k := range own {
		c := columnCode{Column: &own[k], at: place[own[k].Name]}
		if c.Levels != nil {
			c.code = newKnown(c.Levels, false).code
		}
		e.columns = append(e.columns, c)
	}
	return e, nil
}

// dense refuses a schema whose rows are sparse: Read makes those.
func (s *Schema) dense() error {
	if s.Text == nil {
		return nil
	}
	return wrong("", 0, fmt.Sprintf("column %q has documents, whose terms make sparse rows (SparseRow)", s.Text.Name))
}

// suits refuses a row whose cells, by the names of their columns, are not those of the
// schema's columns.
func suits[V any](s *Schema, cells map[string]V) error {
	var lacking []string
	for _, c := range s.All() {
		if _, ok := cells[c.Name]; !ok {
			lacking = append(lacking, c.Name)
		}
	}
	known := append([]string{s.Label, s.Weights, s.Offset}, s.Dropped...)
	if s.Text != nil {
		known = append(known, s.Text.Name)
		if _, ok := cells[s.Text.Name]; !ok {
			lacking = append(lacking, s.Text.Name)
		}
	}
	if lacking != nil {
		return wrong("", 0, "no column "+list(lacking))
	}
	if !s.Strict {
		return nil
	}
	for _, c := range s.All() {
		known = append(known, c.Name)
	}
	var extra []string
	own := setOf(known)
	for _, name := range slices.Sorted(maps.Keys(cells)) {
		if !own[name] {
			extra = append(extra, name)
		}
	}
	if extra != nil {
		return wrong("", 0, "columns that the model does not know: "+list(extra))
	}
	return nil
}

// Row appends the features of a row of text, as encoding/csv has it. Spaces around
// numbers do not count.
//
// Errors: *[linalg.ShapeError] for another number of cells, *[Error] with the column's
// name; then dst comes back as it was.
func (e *Encoder) Row(dst []float64, cells []string) ([]float64, error) {
	return row(e, dst, cells, (*Encoder).text)
}

// Values is Row for cells that are text, numbers of any type, truth values or nil, as
// encoding/json makes them. Nil and NaN are missing cells; in a column of levels a number is
// the level that is spelled like it, and a truth value true, True or TRUE, or their contraries.
func (e *Encoder) Values(dst []float64, cells []any) ([]float64, error) {
	return row(e, dst, cells, (*Encoder).value)
}

// row appends the features of a row of cells, each by add, or returns dst as it is.
func row[T any](e *Encoder, dst []float64, cells []T, add func(*Encoder, []float64, *columnCode, T) ([]float64, error)) (_ []float64, err error) {
	if len(cells) != e.cells {
		return dst, fmt.Errorf("dataset: %w", &linalg.ShapeError{Want: e.cells, WantOf: "columns", Got: len(cells), GotOf: "cells"})
	}
	out := dst
	for k := range e.columns {
		c := &e.columns[k]
		if out, err = add(e, out, c, cells[c.at]); err != nil {
			return dst, err
		}
	}
	return out, nil
}

// Row appends the features of one row, whose cells have the names of their columns;
// see [Encoder.Values]. An [Encoder] is faster for many rows.
func (s *Schema) Row(dst []float64, cells map[string]any) ([]float64, error) {
	if err := s.dense(); err != nil {
		return dst, err
	}
	return s.row(dst, cells)
}

// row is Row without the terms of documents.
func (s *Schema) row(dst []float64, cells map[string]any) ([]float64, error) {
	if err := suits(s, cells); err != nil {
		return dst, err
	}
	e := &Encoder{keep: s.Missing == Keep, unseen: s.Unseen}
	out := dst
	for _, c := range s.All() {
		var err error
		if out, err = e.value(out, &columnCode{Column: &c}, cells[c.Name]); err != nil {
			return dst, err
		}
	}
	return out, nil
}

// SparseRow appends the positions, ascending, and the values of the features of one row that
// are not 0, for models that score such rows ([halfspace/sim.SparseScorer]). Cells are those of
// Row; that of the documents is text, whose terms count as far as the schema has them.
func (s *Schema) SparseRow(index []int32, value []float64, cells map[string]any) ([]int32, []float64, error) {
	var room [64]float64
	plain, err := s.row(room[:0], cells)
	if err != nil {
		return index, value, err
	}
	columns, values := index, value
	for j, v := range plain {
		if v != 0 {
			columns, values = append(columns, int32(j)), append(values, v)
		}
	}
	if s.Text == nil {
		return columns, values, nil
	}
	text, ok := cells[s.Text.Name].(string)
	if !ok {
		return index, value, &Error{Reason: fmt.Sprintf("a %T is no document", cells[s.Text.Name]), Name: s.Text.Name}
	}
	terms := len(columns)
	columns, values = s.Text.Terms.Apply(columns, values, text)
	for k := range columns[terms:] {
		columns[terms+k] += int32(len(plain))
	}
	return columns, values, nil
}

// value appends the features of a cell.
func (e *Encoder) value(dst []float64, c *columnCode, cell any) ([]float64, error) {
	var v float64
	var buf [32]byte
	bits := 64
	switch cell := cell.(type) {
	case nil:
		return e.text(dst, c, "")
	case string:
		return e.text(dst, c, cell)
	case json.Number:
		return e.text(dst, c, string(cell))
	case bool:
		return e.text(dst, c, c.spelling(cell))
	case float64:
		v = cell
	default:
		switch r := reflect.ValueOf(cell); {
		case r.CanFloat():
			v, bits = r.Float(), r.Type().Bits()
		case r.CanInt() && c.Levels != nil:
			return e.text(dst, c, string(strconv.AppendInt(buf[:0], r.Int(), 10)))
		case r.CanUint() && c.Levels != nil:
			return e.text(dst, c, string(strconv.AppendUint(buf[:0], r.Uint(), 10)))
		case r.CanInt():
			v = float64(r.Int())
		case r.CanUint():
			v = float64(r.Uint())
		case r.Kind() == reflect.String:
			return e.text(dst, c, r.String())
		default:
			return dst, c.wrong(fmt.Sprintf("a %T is neither text nor a number", cell))
		}
	}
	switch {
	case v != v:
		return e.text(dst, c, "")
	case math.IsInf(v, 0):
		return dst, c.wrong(fmt.Sprintf("%v is not a number", v))
	case c.Levels != nil:
		return e.text(dst, c, string(strconv.AppendFloat(buf[:0], v, 'f', -1, bits)))
	}
	return append(dst, v), nil
}

// text appends the features of a cell of text.
func (e *Encoder) text(dst []float64, c *columnCode, cell string) ([]float64, error) {
	if c.Levels == nil {
		var room [40]byte
		text := append(room[:0], trim(cell)...)
		v, ok := number(text)
		switch {
		case ok:
			return append(dst, v), nil
		case gap(text) && e.keep:
			return append(dst, math.NaN()), nil
		}
		return dst, c.wrong(notValue([]byte(cell)))
	}
	code, ok := c.find(cell)
	if !ok {
		code, ok = otherSpelling(cell, c.find)
	}
	if !ok {
		trimmed := trim(cell)
		missing := gap([]byte(trimmed))
		switch {
		case missing && e.keep:
			code = -1
		case missing || e.unseen != Reference || c.Closed:
			return dst, c.wrong(notLevel([]byte(trimmed), c.Levels))
		}
	}
	for i := range c.Levels[1:] {
		v := 0.0
		switch code {
		case -1:
			v = math.NaN()
		case i + 1:
			v = 1
		}
		dst = append(dst, v)
	}
	return dst, nil
}

// spelling returns the level that stands for a truth value: true, True as Python writes it, or
// TRUE as R does.
func (c *columnCode) spelling(truth bool) string {
	word := strconv.FormatBool(truth)
	for _, s := range []string{word, strings.ToUpper(word[:1]) + word[1:], strings.ToUpper(word)} {
		if _, ok := c.find(s); ok {
			return s
		}
	}
	return word
}

// find returns the position of a level.
func (c *columnCode) find(level string) (code int, ok bool) {
	if c.code == nil {
		code = slices.Index(c.Levels, level)
		return max(0, code), code >= 0
	}
	code, ok = c.code[level]
	return code, ok
}

func (c *columnCode) wrong(reason string) error { return &Error{Reason: reason, Name: c.Name} }
