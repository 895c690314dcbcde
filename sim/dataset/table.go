package dataset

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"halfspace/linalg"
)

// table gathers the parts of a file.
type table struct {
	*layout
	gathered
	parts  []*part
	lines  int // line ends so far, the header's too
	rows   int
	left   int    // rows left out
	slots  []slot // of the whole file
	coded  bool   // there are columns of levels: rows are not the cells
	labels coder
}

// parse reads a block. It runs on several goroutines.
func (t *table) parse(text []byte) *part {
	rows := min(bytes.Count(text, []byte{'\n'}), len(text)/max(1, len(t.header))) + 1 // blank lines are no rows
	p := t.newPart(rows, t.room(rows*len(t.column)))
	p.text = len(text)
	t.parseInto(p, text)
	return p
}

// merge adds the next part. Beyond the limit rows are only counted.
func (t *table) merge(p *part) error {
	if t.slots == nil {
		t.slots = make([]slot, len(t.column))
		t.coded = t.schema != nil && !t.schema.numeric()
	}
	for k, s := range p.slots {
		if err := t.mergeSlot(k, s, p.rows); err != nil {
			return err
		}
	}
	if p.err != nil {
		if p.err.Line > 0 {
			p.err.Line += t.lines
		}
		return p.err
	}
	p.to, p.fields = t.labels.merge(p.labels.names), nil
	if len(t.labels.names) > maxClasses {
		return wrong(t.file, 0, tooManyClasses)
	}
	t.lines += p.lines
	t.rows += p.rows
	t.left += p.leftOut
	if 8*float64(t.rows)*float64(len(t.column)) > t.limit {
		t.parts = nil
	} else if p.rows > 0 {
		if !t.coded {
			p.cells = t.add(p.cells, p.text)
		}
		p.recode()
		t.parts = append(t.parts, p)
	}
	return nil
}

// mergeSlot refuses a column that has both numbers and text, at its first cell of
// text.
func (t *table) mergeSlot(k int, s *slot, rows int) error {
	all := &t.slots[k]
	all.number = all.number || s.numbers(rows)
	if s != nil && s.text && !all.text {
		all.text, all.first, all.line = true, s.first, s.line+t.lines
	}
	t.coded = t.coded || all.text
	if all.number && all.text {
		return t.wrongCell(all.line, t.column[k], notNumber([]byte(all.first))+t.decimals([]byte(all.first)))
	}
	if s != nil {
		s.to = all.levels.merge(s.levels.names)
	}
	if len(all.levels.names) > maxLevels {
		return t.tooMany(k)
	}
	return nil
}

// recode makes the codes of levels those of the whole file. The slots, which take about a kilobyte for each
// column of levels, are then done with. Numbers are not looked at: goroutines may still copy them.
func (p *part) recode() {
	for k, s := range p.slots {
		for at := k; s != nil && s.text && at < len(p.cells); at += len(p.slots) {
			if v := p.cells[at]; v == v {
				p.cells[at] = float64(s.to[int(v)])
			}
		}
	}
	p.slots = nil
}

// data puts the parts together.
func (t *table) data(o *Options) (*Data, error) {
	d, err := t.responses(o)
	if err != nil {
		return nil, err
	}
	if width := d.Schema.plainWidth(); width > 0 {
		if d.X, err = t.dense(t.rows, width, d.Schema.numeric()); err != nil {
			return nil, named(t.file, err)
		}
	}
	start := make([]int, len(t.parts)+1)
	for i, p := range t.parts {
		start[i+1] = start[i] + p.rows
	}
	var rank [][]int
	if t.schema == nil {
		rank = t.ranks(d.Schema)
	}
	linalg.For(len(t.parts), 1, o.Workers, func(lo, hi int) {
		for i := lo; i < hi && d.X != nil; i++ {
			t.expand(d.X.RowRange(start[i], start[i+1]), t.parts[i], d.Schema, rank)
			t.parts[i].cells = nil
		}
	})
	if t.text != "" {
		for _, p := range t.parts {
			d.Documents = append(d.Documents, p.texts...)
			p.texts = nil
		}
		if err := d.addTerms(d.X, t.text, o.TextSettings); err != nil {
			return nil, named(t.file, err)
		}
	}
	return d, nil
}

// responses returns all but the rows.
func (t *table) responses(o *Options) (*Data, error) {
	if t.rows == 0 && t.left > 0 {
		return nil, wrong(t.file, 0, fmt.Sprintf("each of the %d rows has a missing cell", t.left))
	}
	if t.rows == 0 {
		return nil, wrong(t.file, 0, "no rows")
	}
	s, err := t.finish(o)
	if err != nil {
		return nil, err
	}
	d := &Data{Names: s.Names, Schema: s, Extra: t.extra, LeftOut: t.left, Notes: t.notes}
	_, place := order(t.labels.names)
	for _, p := range t.parts {
		d.Labels = t.relabel(d.Labels, p.codes, p.to, place, t.rows)
		d.Y = gather(d.Y, p.y, t.rows)
		d.Weights = gather(d.Weights, p.weights, t.rows)
		d.Offset = gather(d.Offset, p.offset, t.rows)
	}
	return d, nil
}

// finish returns the schema, for a first table the one that its cells and the
// options make.
func (t *table) finish(o *Options) (*Schema, error) {
	if t.schema != nil {
		return t.schema, nil
	}
	s := &Schema{Weights: o.Weights, Offset: o.Offset, Dropped: t.dropped, Unseen: o.Unseen, Strict: o.Strict}
	if o.Missing == Keep {
		s.Missing = Keep
	}
	for j, r := range t.roles {
		if r == label {
			s.Label = t.header[j]
		}
	}
	for k, j := range t.column {
		c := Column{Name: t.header[j]}
		switch all := t.slots[k]; {
		case all.text:
			var err error
			if c.Levels, err = t.levelsOf(j, all.levels.names, o); err != nil {
				return nil, err
			}
			if len(c.Levels) > manyLevels && !t.forced[k] {
				t.notes = append(t.notes, t.manyLevels(c))
			}
		case !all.number:
			return nil, t.wrongCell(0, j, "every cell is missing")
		}
		s.Columns = append(s.Columns, c)
	}
	var place []int
	s.Names, place = order(t.labels.names)
	t.notes = append(t.notes, spellings(t.labels.names, s.Names, place)...)
	return s, nil
}

// manyLevels is the remark on a column of more levels than most factors have.
func (t *table) manyLevels(c Column) string {
	s := fmt.Sprintf("column %q has %d levels, such as %s: as many features", c.Name, len(c.Levels), list(c.Levels[:2]))
	if _, ok := comma.number([]byte(c.Levels[0])); ok {
		return s + "; are they numbers with a decimal comma (-dec ,), or with commas between thousands, which are not read?"
	}
	if _, ok := number([]byte(strings.NewReplacer(".", "", ",", "", "'", "", "\u00a0", "", "\u202f", "").Replace(c.Levels[0]))); ok {
		return s + "; are they numbers with marks between thousands, which are not read?"
	}
	return s + "; leave it out (-drop), or say that it is a category (-categorical)"
}

// levelsOf returns the levels of column j: the reference, then the others in byte order.
func (t *table) levelsOf(j int, names []string, o *Options) ([]string, error) {
	levels := slices.Sorted(slices.Values(names))
	if len(levels) < 2 {
		return nil, t.wrongCell(0, j, fmt.Sprintf("%q in every row", levels[0]))
	}
	if first, ok := o.Reference[t.header[j]]; ok {
		at, found := slices.BinarySearch(levels, first)
		if !found {
			return nil, t.wrongCell(0, j, notLevel([]byte(first), levels))
		}
		levels = slices.Insert(slices.Delete(levels, at, at+1), 0, first)
	}
	return levels, nil
}

// ranks returns for each slot of a first table, by code, which of the column's levels that is.
func (t *table) ranks(s *Schema) [][]int {
	rank := make([][]int, len(s.Columns))
	for k, c := range s.Columns {
		known := newKnown(c.Levels, false)
		for _, name := range t.slots[k].levels.names {
			rank[k] = append(rank[k], known.code[name])
		}
	}
	return rank
}

// expand writes the rows of a part into x, levels as indicators. Codes are the schema's without ranks.
func (t *table) expand(x *linalg.Dense, p *part, s *Schema, rank [][]int) {
	if s.numeric() {
		place(x.Data, p.cells)
		return
	}
	for i := range p.rows {
		row, out := x.Row(i), 0
		for k, v := range p.cells[i*len(s.Columns) : (i+1)*len(s.Columns)] {
			levels := s.Columns[k].Levels
			if levels == nil {
				row[out] = v
				out++
				continue
			}
			own := row[out : out+len(levels)-1]
			out += len(own)
			if v == v && rank != nil {
				v = float64(rank[k][int(v)])
			}
			indicate(own, v)
		}
	}
}

// indicate sets the indicators of a level, which are 0, by its code: all are NaN for a missing one.
func indicate(row []float64, code float64) {
	switch {
	case code > 0:
		row[int(code)-1] = 1
	case code != code:
		for i := range row {
			row[i] = code
		}
	}
}
