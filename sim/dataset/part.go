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
	plain   bool      // there was a record of nothing but numbers
	cells   []float64 // rows × slots: numbers, or codes of levels
	slots   []slot    // for a first table
	codes   []int32   // labels
	labels  coder     // for a first table
	y       []float64
	weights []float64
	offset  []float64
	texts   []string // documents
	to      []int    // code in the whole file of each label here
	err     *Error
}

// slot says of the cells of one column and block whether they are numbers or text.
type slot struct {
	number bool   // there is a number
	text   bool   // there is text
	line   int    // of the first cell that is text, from 1 within the block
	first  string // that cell
	levels coder
}

// parseInto appends the records of a block to p, which has room for them.
func (l *layout) parseInto(p *part, text []byte) {
	var fields [][]byte
	numeric := l.onlyNumbers()
	split := split
	if l.roles[0] == document { // which may begin with any character
		split = cutCells
	}
	for len(text) > 0 {
		if numeric {
			if n := l.numbers(p, text); n > 0 {
				text = text[n:]
				continue
			}
		}
		rec := text[:recordEnd(text)]
		text = text[len(rec):]
		line := p.lines + 1
		p.lines += bytes.Count(rec, []byte{'\n'})
		rec = trimEnd(rec)
		if len(bytes.TrimSpace(rec)) == 0 {
			continue
		}
		var reason string
		if fields, reason = split(rec, l.sep, fields); reason != "" {
			p.err = wrong(l.file, line, reason)
			return
		}
		if p.err = l.record(p, fields, line); p.err != nil {
			return
		}
	}
}

// onlyNumbers reports whether records may be read by numbers: no column is known to hold
// levels, weights or offsets, and numbers have a point.
func (l *layout) onlyNumbers() bool {
	for j, r := range l.roles {
		if r == weight || r == offset || r == document || r == feature && (l.levels[l.slot[j]] != nil || l.forced[l.slot[j]]) {
			return false
		}
	}
	return l.marks == point
}

// numbers appends a record that is nothing but numbers between separators, as most are, beside
// the text of a class and of columns that are not read, and returns its length with the line end; 0 for any
// other, which is left to split and record.
func (l *layout) numbers(p *part, text []byte) (n int) {
	base, at := len(p.cells), 0
	cells := p.cells[base : base+len(l.column)]
	var class []byte
	response := 0.0
	for j, r := range l.roles {
		k := 0
		if r == unread || r == label && !l.numeric {
			k = plainText(text[at:], l.sep)
		} else {
			var v float64
			if v, k = scan(text[at:]); r == feature {
				cells[l.slot[j]] = v
			} else {
				response = v
			}
		}
		if k <= 0 {
			return 0
		}
		if r == label {
			class = text[at : at+k]
		}
		at += k
		if j+1 == len(l.roles) {
			break
		}
		if at == len(text) || text[at] != l.sep {
			return 0
		}
		at++
	}
	end := lineEnd(text[at:])
	if end < 0 || !l.respond(p, class, response) {
		return 0
	}
	if !p.plain {
		p.plain = true
		for k := range p.slots {
			p.slots[k].number = true
		}
	}
	p.cells = p.cells[:base+len(l.column)]
	p.rows++
	if end > 0 {
		p.lines++
	}
	return at + end
}

// plainText returns the length of the cell that s begins with, up to a separator or the end of the line: 0 for
// one that is empty, or that split may read as something else.
func plainText(s []byte, sep byte) (n int) {
	for n < len(s) && s[n] != sep && s[n] != '\n' && s[n] != '\r' {
		if s[n] == '"' {
			return 0
		}
		n++
	}
	if n > 0 && (s[0] == '#' || s[0] == ' ' || s[0] == '\t' || s[n-1] == ' ' || s[n-1] == '\t') {
		return 0
	}
	return n
}

// lineEnd returns the length of the line end that s begins with, 0 at the end of the text
// and −1 where there is none.
func lineEnd(s []byte) int {
	switch {
	case len(s) == 0:
		return 0
	case s[0] == '\n':
		return 1
	case len(s) > 1 && s[0] == '\r' && s[1] == '\n':
		return 2
	}
	return -1
}

// respond appends a label or a response, and reports whether it could be read.
func (l *layout) respond(p *part, class []byte, response float64) bool {
	switch {
	case class == nil:
	case l.numeric:
		p.y = append(p.y, response)
	default:
		k, reason := l.code(&p.labels, class)
		if reason != "" {
			return false
		}
		p.codes = append(p.codes, int32(k))
	}
	return true
}

// newPart returns a part with room for the given number of rows, and for their cells.
func (l *layout) newPart(rows int, cells []float64) *part {
	p := &part{slots: make([]slot, len(l.column)), cells: cells}
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
	*p = part{slots: p.slots, cells: p.cells[:0], codes: p.codes[:0], y: p.y[:0], weights: p.weights[:0], offset: p.offset[:0]}
}

// record appends one record to p, unless it is to be left out.
func (l *layout) record(p *part, fields [][]byte, line int) *Error {
	if len(fields) != len(l.header) {
		return wrong(l.file, line, fmt.Sprintf("%d columns, the first line has %d", len(fields), len(l.header)))
	}
	if l.missing == LeaveOut && l.incomplete(fields) {
		p.leftOut++
		return nil
	}
	if err := l.row(p, fields, line); err != nil {
		return err
	}
	p.rows++
	return nil
}

// row appends the cells of one record to p.
func (l *layout) row(p *part, fields [][]byte, line int) *Error {
	base := len(p.cells)
	p.cells = p.cells[:base+len(l.column)]
	for j, cell := range fields {
		switch r := l.roles[j]; {
		case r == unread:
		case r == document:
			p.texts = append(p.texts, string(cell))
		case r == feature:
			v, err := l.cell(p, l.slot[j], cell, line)
			if err != nil {
				return err
			}
			p.cells[base+l.slot[j]] = v
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
	}
	return nil
}

// cell returns the number in a cell of slot k, or the code of its level; NaN for a
// missing one that is kept.
func (l *layout) cell(p *part, k int, cell []byte, line int) (float64, *Error) {
	s := &p.slots[k]
	if known := l.levels[k]; known != nil {
		c, ok := known.level(cell)
		switch {
		case ok:
			return float64(c), nil
		case gap(cell) && l.missing == Keep:
			return math.NaN(), nil
		case !gap(cell) && l.schema.Unseen == Reference:
			return 0, nil
		}
		return 0, l.wrongCell(line, l.column[k], notLevel(cell, l.schema.Columns[k].Levels))
	}
	v, ok := l.marks.number(cell)
	switch {
	case ok && !l.forced[k]:
		s.number = true
		return v, nil
	case gap(cell) && l.missing == Keep:
		return math.NaN(), nil
	case gap(cell), l.schema != nil, s.number, !l.forced[k] && missing(cell):
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
func (l *layout) incomplete(fields [][]byte) bool {
	for j, cell := range fields {
		if l.roles[j] != unread && l.roles[j] != document && gap(cell) {
			return true
		}
	}
	return false
}
