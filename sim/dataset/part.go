package dataset

import (
	"bytes"
	"fmt"
	"slices"
)

// part holds the rows of one block of text.
type part struct {
	lines   int // line ends
	rows    int
	cells   []float64 // rows × slots: numbers, or codes of levels
	slots   []slot    // for a first table
	codes   []int32   // labels
	labels  coder     // for a first table
	y       []float64
	weights []float64
	offset  []float64
	to      []int // code in the whole file of each label here
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

// parse reads a block. It runs on several goroutines.
func (l *layout) parse(text []byte) *part {
	rows := bytes.Count(text, []byte{'\n'}) + 1
	p := &part{slots: make([]slot, len(l.column)), cells: make([]float64, 0, rows*len(l.column))}
	if slices.Contains(l.roles, label) {
		if l.numeric {
			p.y = make([]float64, 0, rows)
		} else {
			p.codes = make([]int32, 0, rows)
		}
	}
	var fields [][]byte
	for len(text) > 0 {
		rec := text[:recordEnd(text)]
		text = text[len(rec):]
		line := p.lines + 1
		p.lines += bytes.Count(rec, []byte{'\n'})
		rec = trimEnd(rec)
		if len(bytes.TrimSpace(rec)) == 0 {
			continue
		}
		var reason string
		if fields, reason = split(rec, fields); reason != "" {
			p.err = wrong(l.file, line, reason)
			return p
		}
		if len(fields) != len(l.header) {
			p.err = wrong(l.file, line, fmt.Sprintf("%d columns, the first line has %d", len(fields), len(l.header)))
			return p
		}
		if p.err = l.row(p, fields, line); p.err != nil {
			return p
		}
		p.rows++
	}
	return p
}

// row appends one record to p.
func (l *layout) row(p *part, fields [][]byte, line int) *Error {
	base := len(p.cells)
	p.cells = p.cells[:base+len(l.column)]
	for j, cell := range fields {
		switch r := l.roles[j]; {
		case r == unread:
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
			v, ok := number(cell)
			if !ok {
				return l.wrongCell(line, j, notNumber(cell))
			}
			switch r {
			case label:
				p.y = append(p.y, v)
			case weight:
				if v < 0 {
					return l.wrongCell(line, j, quote(cell) + " is a negative weight")
				}
				p.weights = append(p.weights, v)
			case offset:
				p.offset = append(p.offset, v)
			}
		}
	}
	return nil
}

// cell returns the number in a cell of slot k, or the code of its level.
func (l *layout) cell(p *part, k int, cell []byte, line int) (float64, *Error) {
	s := &p.slots[k]
	v, ok := number(cell)
	if known := l.levels[k]; known != nil {
		if c, ok := known.find(cell); ok {
			return float64(c), nil
		}
		return 0, l.wrongCell(line, l.column[k], fmt.Sprintf("%s is not a level; they are %s", quote(cell), list(l.schema.Columns[k].Levels)))
	}
	switch {
	case ok:
		s.number = true
	case l.schema != nil || s.number || !s.text && missing(cell):
		return 0, l.wrongCell(line, l.column[k], notNumber(cell))
	case missing(cell):
		return 0, l.wrongCell(line, l.column[k], quote(cell) + " is a missing value")
	case !s.text:
		s.text, s.line, s.first = true, line, string(cell)
	}
	if ok {
		return v, nil
	}
	c := s.levels.add(cell)
	if len(s.levels.names) > maxLevels {
		return 0, l.tooMany(k)
	}
	return float64(c), nil
}
