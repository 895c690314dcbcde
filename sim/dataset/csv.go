package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"halfspace/linalg"
)

// readCSV reads a table of so many bytes, 0 if that is not known, whose byte order mark is already gone.
func readCSV(file string, r *bufio.Reader, length int64, o *Options, s *Schema) (*Data, error) {
	t, row, err := readHeader(file, r, o, s)
	if err != nil {
		return nil, err
	}
	t.length = length
	err = blocks(io.MultiReader(bytes.NewReader(row), r), o.Workers, lastRecord, t.parse, t.merge)
	if err != nil {
		return nil, placed(file, t.lines, err)
	}
	return t.data(o)
}

// readHeader reads the header and the record below it, which comes back, and returns an
// empty table of the columns.
func readHeader(file string, r *bufio.Reader, o *Options, s *Schema) (t *table, row []byte, err error) {
	row, line, used, err := firstRecord(file, r, 0)
	if err != nil {
		return nil, nil, err
	}
	sep := separator(o.Sep, o.Dec, row)
	cells, reason := split(row, sep)
	if reason != "" {
		return nil, nil, wrong(file, line, reason)
	}
	if o.NoHeader {
		used = line - 1
	} else {
		skipped := 0
		if row, skipped, err = secondRecord(file, r, sep); err != nil {
			return nil, nil, err
		}
		if rows, _ := split(row, sep); len(rows) == len(cells)+1 {
			cells = slices.Insert(cells, 0, nil)
		}
		used += skipped
	}
	header, reason := headerOf(cells, o.NoHeader, s)
	if reason != "" {
		return nil, nil, wrong(file, line, reason)
	}
	l, err := newLayout(file, header, o, s)
	if err != nil {
		return nil, nil, err
	}
	l.between(sep, o)
	return &table{layout: l, lines: used, gathered: gathered{limit: o.maxBytes()}}, row, nil
}

// indexCSV makes the first pass over CSV.
func (x *Stream) indexCSV(r *bufio.Reader, text *counted, o *Options, s *Schema) (*Data, error) {
	t, again, err := readHeader(x.name, r, o, s)
	if err != nil {
		return nil, err
	}
	t.limit, x.recordEnd = math.Inf(1), recordEnd
	err = index(x, again, r, text, o.Workers, t.parse, func(p *part) (int, error) {
		err := t.merge(p)
		p.cells, p.slots, p.labels = nil, nil, coder{}
		return p.rows, err
	})
	if err != nil {
		return nil, placed(x.name, t.lines, err)
	}
	d, err := t.responses(o)
	if err != nil {
		return nil, err
	}
	later := &Options{NoHeader: o.NoHeader, Label: o.Label, NoLabels: o.NoLabels, Weights: o.Weights, Offset: o.Offset, Dec: o.Dec}
	if o.Missing == LeaveOut {
		later.Missing = LeaveOut
	}
	l, err := newLayout(x.name, t.header, later, d.Schema)
	if err != nil {
		return nil, err
	}
	l.between(t.sep, later)
	x.p = d.Schema.plainWidth()
	x.decoders.New = func() any { return &csvDecoder{table: table{layout: l}} }
	return d, nil
}

// csvDecoder decodes CSV.
type csvDecoder struct {
	table
	part  *part
	dense linalg.Dense
}

func (c *csvDecoder) decode(text []byte, n int) (linalg.Block, error) {
	if c.part == nil || cap(c.part.cells) < (n+1)*len(c.column) { // cut has a row begun that may be left out
		c.part = c.newPart(n+1+n/4, make([]float64, 0, (n+1+n/4)*len(c.column)))
	}
	c.part.reset()
	if c.parseInto(c.part, text); c.part.err != nil {
		return linalg.Block{}, c.part.err
	}
	p := c.table.schema.plainWidth()
	if c.schema.numeric() {
		c.dense = linalg.Dense{Rows: c.part.rows, Cols: p, Stride: p, Data: c.part.cells}
	} else {
		if cap(c.dense.Data) < n*p {
			c.dense.Data = make([]float64, (n+n/4)*p)
		}
		c.dense = linalg.Dense{Rows: c.part.rows, Cols: p, Stride: p, Data: c.dense.Data[:c.part.rows*p]}
		clear(c.dense.Data)
		c.expand(&c.dense, c.part, c.schema, nil)
	}
	return linalg.Block{Dense: &c.dense}, nil
}

// FromRecords reads the table of records that an encoding/csv.Reader returns; the first
// has the names of the columns unless o.NoHeader is set. Spaces around cells do not
// count. In errors a line is a record, counted from 1.
func FromRecords(records [][]string, o *Options) (*Data, error) { return fromRecords(records, o, nil) }

// FromRecords is Read for records, see [FromRecords].
func (s *Schema) FromRecords(records [][]string, o *Options) (*Data, error) {
	return fromRecords(records, o, s)
}

func fromRecords(records [][]string, o *Options, s *Schema) (*Data, error) {
	const file = "records"
	if o == nil {
		o = new(Options)
	}
	if err := o.check(file, "records", s); err != nil {
		return nil, err
	}
	if len(records) == 0 || len(records[0]) == 0 {
		return nil, wrong(file, 0, "no rows")
	}
	cells := cellsOf(records[0])
	cells[0] = bytes.TrimPrefix(cells[0], []byte(byteOrderMark))
	header, reason := headerOf(cells, o.NoHeader, s)
	if reason != "" {
		return nil, wrong(file, 1, reason)
	}
	l, err := newLayout(file, header, o, s)
	if err != nil {
		return nil, err
	}
	l.between(0, o)
	if !o.NoHeader {
		records = records[1:]
	}
	p := l.newPart(len(records), make([]float64, 0, len(records)*len(l.column)))
	for i, r := range records {
		p.fields = p.fields[:0]
		for j, cell := range cellsOf(r) {
			p.fields = append(p.fields, field{j, cell})
		}
		if p.err = l.record(p, len(r), i+1); p.err != nil {
			break
		}
	}
	t := &table{layout: l, gathered: gathered{limit: o.maxBytes()}}
	if !o.NoHeader {
		t.lines = 1
	}
	if err := t.merge(p); err != nil {
		return nil, err
	}
	return t.data(o)
}

// cellsOf returns the cells of a record without the spaces around them.
func cellsOf(record []string) (cells [][]byte) {
	for _, c := range record {
		cells = append(cells, []byte(trim(c)))
	}
	return cells
}

// firstRecord reads the first record with its line end, skipping blank lines, where cells are separated by sep, or 0. It
// returns the line it begins on and the number of lines read so far.
func firstRecord(file string, r *bufio.Reader, sep byte) (rec []byte, line, used int, err error) {
	line = 1
	quotes := 0
	for {
		more, err := r.ReadSlice('\n')
		rec = append(rec, more...)
		quotes += bytes.Count(more, []byte{'"'})
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return nil, 0, 0, fmt.Errorf("%s: %w", file, err)
		}
		if len(rec) > maxRecord {
			return nil, 0, 0, wrong(file, line, longRecord(0).Error())
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		used++
		empty := blank(rec, sep)
		switch {
		case err == io.EOF && empty:
			return nil, 0, 0, wrong(file, 0, "no rows")
		case empty:
			rec, line = rec[:0], used+1
		case err == io.EOF || quotes%2 == 0:
			return rec, line, used, nil
		}
	}
}

// secondRecord reads the record below the header, which tells by one cell more that the
// rows have names and that the header has none for them, as R writes tables. It also
// returns the number of blank lines before it; there may be no record.
func secondRecord(file string, r *bufio.Reader, sep byte) (rec []byte, skipped int, err error) {
	rec, line, _, err := firstRecord(file, r, sep)
	if bad := (*Error)(nil); errors.As(err, &bad) && bad.Line == 0 { // no rows
		return nil, 0, nil
	}
	return rec, line - 1, err
}

// headerOf returns the names of the columns, or the reason why they are refused: numbers, unless a schema has
// columns of such names, as those of wavelengths.
func headerOf(cells [][]byte, noHeader bool, s *Schema) (header []string, reason string) {
	seen := make(map[string]bool)
	for j, c := range cells {
		name := string(c)
		switch {
		case noHeader:
			name = fmt.Sprintf("x%d", j+1)
		case name == "" && j == 0 && len(cells) > 1: // row names, see newLayout
		case name == "":
			return nil, fmt.Sprintf("column %d has no name", j+1)
		case seen[name]:
			return nil, fmt.Sprintf("two columns are named %q", name)
		}
		seen[name] = true
		header = append(header, name)
	}
	if measured(header, 0) && !s.names(header) {
		return nil, "a header of numbers; if the file has none, say so (-no-header)"
	}
	return header, ""
}
