package dataset

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// part holds the rows of one block of text.
type part struct {
	text    int // bytes
	lines   int // line ends
	rows    int
	leftOut int       // rows with a missing cell
	cells   []float64 // rows × slots: numbers, or codes of levels
	slots   []*slot   // for a first table; nil where all cells are numbers
	codes   []int32   // labels
	labels  coder     // for a first table
	y       []float64
	weights []float64
	offset  []float64
	texts   []string // documents
	fields  []field  // of the record that is read
	to      []int    // code in the whole file of each label here
	err     *Error
}

// slot says of the cells of one column and block whether they are numbers or text.
type slot struct {
	number bool   // there is a number among the looked at
	looked int    // cells that were looked at as text: the others are numbers
	text   bool   // there is text
	line   int    // of the first cell that is text, from 1 within the block
	first  string // that cell
	levels coder
	to     []int // code in the whole file of each level here
}

// numbers reports whether there is a number in so many rows.
func (s *slot) numbers(rows int) bool { return rows > 0 && (s == nil || s.number || s.looked < rows) }

// look returns the slot of a cell that is not read as a number at once.
func (p *part) look(k int) *slot {
	s := p.slots[k]
	if s == nil {
		s = new(slot)
		p.slots[k] = s
	}
	s.looked++
	return s
}

// field is a cell of a record that is text until all of the record is there.
type field struct {
	column int
	text   []byte
}

// parseInto appends the records of a block to p, which has room for them.
func (l *layout) parseInto(p *part, text []byte) {
	for len(text) > 0 && p.err == nil {
		line := p.lines + 1
		n, cells, reason := l.cut(p, text)
		switch text = text[n:]; {
		case reason != "":
			p.err = wrong(l.file, line, reason)
		case cells > 0:
			p.err = l.record(p, cells, line)
		}
	}
}

// cut cuts the first record of text into cells: numbers of features go behind the rows of p as they are
// scanned, other cells to p.fields. It returns the length of the record with its line end and how many cells
// it has, 0 for a blank line, or says what is wrong with it.
func (l *layout) cut(p *part, text []byte) (n, cells int, reason string) {
	if text[0] == '#' && l.roles[0] != document { // which may begin with any character
		return 0, 0, commentHint
	}
	row := p.cells[len(p.cells) : len(p.cells)+len(l.column)]
	direct, sep, marks := l.direct, l.sep, l.marks
	p.fields = p.fields[:0]
	for ; ; cells++ {
		end := n
		if cells < len(direct) && direct[cells] >= 0 {
			at := n
			for at < len(text) && isSpace(text[at], sep) {
				at++
			}
			quoted := at < len(text) && text[at] == '"'
			if quoted {
				at++
			}
			v, k := scan(text[at:], marks)
			at += k
			if quoted && at < len(text) && text[at] == '"' {
				at++
			} else if quoted {
				k = 0
			}
			if k > 0 && at < len(text) && text[at] == sep {
				row[direct[cells]], n = v, at+1
				continue
			}
			if k > 0 && lineEnd(text[at:]) >= 0 {
				row[direct[cells]], end = v, at
			}
		}
		if end == n {
			k, reason := l.cutText(p, text[n:], cells)
			if reason != "" {
				return 0, 0, reason
			}
			if cells == 0 && len(bytes.TrimSpace(text[:k])) == 0 {
				if k := blankLine(text, sep); k > 0 {
					p.lines++
					return k, 0, ""
				}
			}
			end = n + k
		}
		if n = end; n == len(text) || text[n] != sep {
			break
		}
		n++
	}
	if end := lineEnd(text[n:]); end > 0 {
		p.lines++
		n += end
	}
	return n, cells + 1, ""
}

// cutText adds the cell that text begins with to the fields of the record, and returns its length, or says
// what is wrong with it.
func (l *layout) cutText(p *part, text []byte, column int) (n int, reason string) {
	cell, n, reason := cutCell(text, l.sep)
	if n > len(cell) { // quotes, which may hold line ends, or spaces
		p.lines += bytes.Count(text[:n], []byte{'\n'})
	}
	if column < len(l.roles) && l.roles[column] != unread {
		p.fields = append(p.fields, field{column, cell})
	}
	return n, reason
}

// newPart returns a part with room for the given number of rows, and for their cells.
func (l *layout) newPart(rows int, cells []float64) *part {
	p := &part{slots: make([]*slot, len(l.column)), cells: cells}
	if slices.Contains(l.roles, label) {
		if l.numeric {
			p.y = make([]float64, 0, rows)
		} else {
			p.codes = make([]int32, 0, rows)
		}
	}
	return p
}

// reset forgets all rows of a part and keeps its memory.
func (p *part) reset() {
	*p = part{slots: p.slots, cells: p.cells[:0], codes: p.codes[:0], y: p.y[:0], weights: p.weights[:0], offset: p.offset[:0], fields: p.fields[:0]}
}

// record appends the record that has been cut to p, unless it is to be left out.
func (l *layout) record(p *part, cells, line int) *Error {
	switch {
	case cells != len(l.header):
		return wrong(l.file, line, fmt.Sprintf("%d columns, the first line has %d", cells, len(l.header)))
	case l.missing == LeaveOut && l.incomplete(p.fields):
		p.leftOut++
		return nil
	}
	p.rows++
	row := p.cells[:len(p.cells)+len(l.column)]
	for _, f := range p.fields {
		if err := l.field(p, row[len(p.cells):], f, line); err != nil {
			for j := f.column + 1; j < len(l.roles); j++ { // numbers behind it do not count
				if l.roles[j] == feature {
					p.look(l.slot[j])
				}
			}
			return err
		}
	}
	p.cells = row
	return nil
}

// field adds one cell of a record to a row, or to what p has beside the rows.
func (l *layout) field(p *part, row []float64, f field, line int) (err *Error) {
	j, cell := f.column, f.text
	switch r := l.roles[j]; {
	case r == unread:
	case r == document:
		p.texts = append(p.texts, string(cell))
	case r == feature:
		row[l.slot[j]], err = l.cell(p, l.slot[j], cell, line)
	case r == label && !l.numeric:
		k, reason := l.code(&p.labels, cell)
		if reason != "" {
			return l.wrongCell(line, j, reason)
		}
		p.codes = append(p.codes, int32(k))
	default:
		v, ok := l.marks.number(cell)
		if !ok {
			return l.wrongCell(line, j, notValue(cell)+l.decimals(cell))
		}
		switch r {
		case label:
			p.y = append(p.y, v)
		case weight:
			if v < 0 {
				return l.wrongCell(line, j, quote(cell)+" is a negative weight")
			}
			p.weights = append(p.weights, v)
		case offset:
			p.offset = append(p.offset, v)
		}
	}
	return err
}

// cell returns the number in a cell of slot k, or the code of its level; NaN for a
// missing one that is kept.
func (l *layout) cell(p *part, k int, cell []byte, line int) (float64, *Error) {
	s := p.look(k)
	if known := l.levels[k]; known != nil {
		c, ok := known.level(cell)
		switch {
		case ok:
			return float64(c), nil
		case gap(cell) && l.missing == Keep:
			return math.NaN(), nil
		case !gap(cell) && l.schema.Unseen == Reference && !l.schema.Columns[k].Closed:
			return 0, nil
		}
		return 0, l.wrongCell(line, l.column[k], notLevel(cell, l.schema.Columns[k].Levels))
	}
	if c, _, ok := s.levels.recently(cell); ok && !s.numbers(p.rows) {
		return float64(c), nil
	}
	v, ok := l.marks.number(cell)
	switch {
	case ok && !l.forced[k]:
		s.number = true
		return v, nil
	case gap(cell) && l.missing == Keep:
		return math.NaN(), nil
	case gap(cell), l.schema != nil, s.numbers(p.rows), !l.forced[k] && missing(cell):
		return 0, l.wrongCell(line, l.column[k], notValue(cell)+l.decimals(cell))
	case !s.text:
		s.text, s.line, s.first = true, line, string(cell)
	}
	c := s.levels.add(cell)
	switch {
	case len(s.levels.names) > maxLevels:
		return 0, l.tooMany(k)
	case c == len(s.levels.names)-1 && !utf8.Valid(cell):
		return 0, l.wrongCell(line, l.column[k], notUTF8)
	}
	return float64(c), nil
}

// incomplete reports whether a cell that is read is missing.
func (l *layout) incomplete(fields []field) bool {
	for _, f := range fields {
		if r := l.roles[f.column]; r != unread && r != document && gap(f.text) {
			return true
		}
	}
	return false
}
