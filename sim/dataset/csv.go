package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"halfspace/linalg"
)

// role is what a column of the file is read as.
type role uint8

const (
	unread role = iota
	feature
	label
	weight
	offset
)

// layout is what the header of a CSV file says, together with the options and
// the schema. A slot is a column of features; slots are in the order of the
// schema, or of the file where there is none.
type layout struct {
	file    string
	header  []string
	roles   []role
	slot    []int    // for each column that is a feature, its slot
	column  []int    // for each slot, its column
	levels  []*known // for each slot, the levels of the schema; nil where it is numeric
	classes *known   // the labels of the schema
	schema  *Schema  // nil for a first table
	numeric bool     // the response is a number
	extra   []string
}

// readCSV reads a table whose byte order mark is already gone.
func readCSV(file string, r *bufio.Reader, o *Options, s *Schema) (*Data, error) {
	first, line, used, err := firstRecord(file, r)
	if err != nil {
		return nil, err
	}
	cells, reason := split(trimEnd(first), nil)
	if reason != "" {
		return nil, &Error{file, line, 0, reason}
	}
	header, reason := headerOf(cells, o.NoHeader)
	if reason != "" {
		return nil, &Error{file, line, 0, reason}
	}
	l, err := newLayout(file, header, o, s)
	if err != nil {
		return nil, err
	}
	var text io.Reader = r
	if o.NoHeader {
		text, used = io.MultiReader(bytes.NewReader(first), r), line-1
	}
	t := &table{layout: l, lines: used, limit: o.maxBytes()}
	if err := blocks(text, o.Workers, true, l.parse, t.merge); err != nil {
		var e *Error
		if !errors.As(err, &e) {
			err = fmt.Errorf("%s: %w", file, err)
		}
		return nil, err
	}
	return t.data(o)
}

// firstRecord reads the first record with its line end, skipping blank lines. It
// returns the line it begins on and the number of lines read so far.
func firstRecord(file string, r *bufio.Reader) (rec []byte, line, used int, err error) {
	line = 1
	for {
		more, err := r.ReadSlice('\n')
		rec = append(rec, more...)
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return nil, 0, 0, fmt.Errorf("%s: %w", file, err)
		}
		if len(rec) > maxRecord {
			return nil, 0, 0, &Error{file, line, 0, "a record of more than 256 MB; is a quote not closed?"}
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		used++
		blank := len(bytes.TrimSpace(rec)) == 0
		switch {
		case err == io.EOF && blank:
			return nil, 0, 0, &Error{file, 0, 0, "no rows"}
		case blank:
			rec, line = rec[:0], used+1
		case err == io.EOF || bytes.Count(rec, []byte{'"'})%2 == 0:
			return rec, line, used, nil
		}
	}
}

func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'})
}

// headerOf returns the names of the columns, or what is wrong with them.
func headerOf(cells [][]byte, noHeader bool) (header []string, reason string) {
	numbers, integers := 0, 0
	seen := make(map[string]bool)
	for j, c := range cells {
		name := string(c)
		switch {
		case noHeader:
			name = fmt.Sprintf("x%d", j+1)
		case name == "":
			return nil, fmt.Sprintf("column %d has no name; row names are not read", j+1)
		case seen[name]:
			return nil, fmt.Sprintf("two columns are named %q", name)
		}
		seen[name] = true
		header = append(header, name)
		if _, ok := number(c); ok {
			numbers++
		}
		if _, ok := integer(name); ok {
			integers++
		}
	}
	if !noHeader && numbers == len(cells) && integers < numbers {
		return nil, "a header of numbers; if the file has none, say so (-no-header)"
	}
	return header, ""
}

// newLayout decides what each column is.
func newLayout(file string, header []string, o *Options, s *Schema) (*layout, error) {
	l := &layout{file: file, header: header, schema: s, numeric: o.Numeric,
		roles: make([]role, len(header)), slot: make([]int, len(header))}
	place := make(map[string]int, len(header))
	for j, h := range header {
		place[h] = j
	}
	taken := make([]bool, len(header))
	take := func(name string, r role, must bool) error {
		j, ok := place[name]
		switch {
		case name == "" || !ok && !must:
			return nil
		case !ok:
			return &Error{file, 0, 0, fmt.Sprintf("no column %q; there are %s", name, list(header))}
		case taken[j]:
			return &Error{file, 0, 0, fmt.Sprintf("column %q cannot be two things", name)}
		}
		l.roles[j], taken[j] = r, true
		return nil
	}
	labelName, labelRole, offsetName := l.labelName(o), label, o.Offset
	if s != nil && offsetName == "" {
		offsetName = s.Offset
	}
	if o.NoLabels {
		labelRole = unread
	}
	if err := errors.Join(
		take(labelName, labelRole, !o.NoLabels),
		take(o.Weights, weight, true),
		take(offsetName, offset, true)); err != nil {
		return nil, err
	}
	if s == nil {
		for j := range header {
			if !taken[j] {
				l.roles[j], l.slot[j] = feature, len(l.column)
				l.column = append(l.column, j)
			}
		}
		if len(l.column) == 0 {
			return nil, &Error{file, 0, 0, "no columns beside the label; cells are separated by commas"}
		}
		l.levels = make([]*known, len(l.column))
		return l, nil
	}
	l.numeric = s.Names == nil
	l.classes = newKnown(s.Names, true)
	return l, l.match(place, taken)
}

// labelName returns the name of the label column: the option's, the schema's, or
// that of the last column if it is no feature; "" if there is none.
func (l *layout) labelName(o *Options) string {
	last := l.header[len(l.header)-1]
	switch {
	case o.Label != "":
		return o.Label
	case l.schema == nil:
		if o.NoLabels {
			return ""
		}
		return last
	case l.schema.Label != "":
		return l.schema.Label
	}
	isLast := func(c Column) bool { return c.Name == last }
	if slices.ContainsFunc(l.schema.Columns, isLast) {
		return ""
	}
	return last
}

// match finds the schema's columns.
func (l *layout) match(place map[string]int, taken []bool) error {
	var lacking []string
	for k, c := range l.schema.Columns {
		j, ok := place[c.Name]
		if !ok || taken[j] {
			lacking = append(lacking, c.Name)
			continue
		}
		taken[j] = true
		l.roles[j], l.slot[j] = feature, k
		l.column = append(l.column, j)
		var levels *known
		if c.Levels != nil {
			levels = newKnown(c.Levels, false)
		}
		l.levels = append(l.levels, levels)
	}
	for j, h := range l.header {
		if !taken[j] && h != l.schema.Weights {
			l.extra = append(l.extra, h)
		}
	}
	if lacking != nil {
		reason := "no column " + list(lacking)
		if l.extra != nil {
			reason += "; not asked for: " + list(l.extra)
		}
		return &Error{l.file, 0, 0, reason}
	}
	return nil
}

// part is what one block of text holds.
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

// slot is what the cells of one column and block are.
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
			p.err = &Error{l.file, line, 0, reason}
			return p
		}
		if len(fields) != len(l.header) {
			p.err = &Error{l.file, line, 0, fmt.Sprintf("%d columns, the first line has %d", len(fields), len(l.header))}
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
				return &Error{l.file, line, j + 1, reason}
			}
			p.codes = append(p.codes, int32(k))
		default:
			v, ok := number(cell)
			if !ok {
				return &Error{l.file, line, j + 1, notNumber(cell)}
			}
			switch r {
			case label:
				p.y = append(p.y, v)
			case weight:
				if v < 0 {
					return &Error{l.file, line, j + 1, quote(cell) + " is a negative weight"}
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
		c := l.schema.Columns[k]
		return 0, &Error{l.file, line, l.column[k] + 1, fmt.Sprintf("%s is not a level of %q; they are %s", quote(cell), c.Name, list(c.Levels))}
	}
	switch {
	case ok:
		s.number = true
	case l.schema != nil || s.number || !s.text && missing(cell):
		return 0, &Error{l.file, line, l.column[k] + 1, notNumber(cell)}
	case missing(cell):
		return 0, &Error{l.file, line, l.column[k] + 1, quote(cell) + " is a missing value"}
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

func (l *layout) tooMany(k int) *Error {
	return &Error{l.file, 0, l.column[k] + 1, fmt.Sprintf("%q has more than %d levels; is it a name?", l.header[l.column[k]], maxLevels)}
}

// code returns the code of a label: the schema's, or its place in c.
func (l *layout) code(c *coder, text []byte) (k int, reason string) {
	if missing(text) {
		return 0, quote(text) + " is a missing label"
	}
	if l.classes != nil {
		k, ok := l.classes.find(text)
		if !ok {
			return 0, fmt.Sprintf("%s is not a class of the model; they are %s", quote(text), list(l.schema.Names))
		}
		return k, ""
	}
	k = c.add(text)
	if len(c.names) > maxClasses {
		return 0, tooManyClasses
	}
	return k, ""
}

var tooManyClasses = fmt.Sprintf("more than %d different labels; a numeric response needs a regression", maxClasses)

// recordEnd returns the length of the first record of text with its line end.
func recordEnd(text []byte) int {
	end, odd := 0, false
	for {
		i := bytes.IndexByte(text[end:], '\n')
		if i < 0 {
			return len(text)
		}
		odd = odd != (bytes.Count(text[end:end+i], []byte{'"'})%2 == 1)
		end += i + 1
		if !odd {
			return end
		}
	}
}

// split cuts a record into cells without the spaces around them, or says what is
// wrong with it. The cells are windows on rec, or copies where a quote stands for
// itself.
func split(rec []byte, cells [][]byte) (_ [][]byte, reason string) {
	cells = cells[:0]
	if len(rec) > 0 && rec[0] == '#' {
		return nil, commentHint
	}
	for {
		rec = bytes.TrimLeft(rec, " \t")
		var cell []byte
		if len(rec) > 0 && rec[0] == '"' {
			var n int
			if cell, n = unquote(rec); n == 0 {
				return nil, "a quote that is not closed, or text after a closing quote"
			}
			rec = rec[n:]
		} else {
			n := bytes.IndexByte(rec, ',')
			if n < 0 {
				n = len(rec)
			}
			cell, rec = bytes.TrimRight(rec[:n], " \t"), rec[n:]
			if bytes.IndexByte(cell, '"') >= 0 {
				return nil, "a quote inside a cell that is not quoted"
			}
		}
		cells = append(cells, cell)
		if len(rec) == 0 {
			return cells, ""
		}
		rec = rec[1:] // the comma
	}
}

// unquote reads a quoted cell and the spaces after it. It returns the text and
// the number of bytes up to the comma or the end, 0 if the cell is not one.
func unquote(rec []byte) (cell []byte, n int) {
	copied := false
	for i := 1; ; {
		k := bytes.IndexByte(rec[i:], '"')
		if k < 0 {
			return nil, 0
		}
		if i+k+1 < len(rec) && rec[i+k+1] == '"' {
			cell, copied = append(cell, rec[i:i+k+1]...), true
			i += k + 2
			continue
		}
		if copied {
			cell = append(cell, rec[i:i+k]...)
		} else {
			cell = rec[i : i+k : i+k]
		}
		n = i + k + 1
		for n < len(rec) && (rec[n] == ' ' || rec[n] == '\t') {
			n++
		}
		if n < len(rec) && rec[n] != ',' {
			return nil, 0
		}
		return cell, n
	}
}

// table gathers the parts of a file.
type table struct {
	*layout
	parts  []*part
	lines  int // line ends so far, the header's too
	rows   int
	slots  []slot
	labels coder
	limit  float64
}

// merge adds the next part. Beyond the limit rows are only counted.
func (t *table) merge(p *part) error {
	if t.slots == nil {
		t.slots = make([]slot, len(t.column))
	}
	for k := range p.slots {
		if err := t.mergeSlot(k, &p.slots[k]); err != nil {
			return err
		}
	}
	if p.err != nil {
		if p.err.Line > 0 {
			p.err.Line += t.lines
		}
		return p.err
	}
	p.to = t.labels.merge(p.labels.names)
	if len(t.labels.names) > maxClasses {
		return &Error{t.file, 0, 0, tooManyClasses}
	}
	t.lines += p.lines
	t.rows += p.rows
	if 8*float64(t.rows)*float64(len(t.column)) > t.limit {
		t.parts = nil
	} else if p.rows > 0 {
		t.parts = append(t.parts, p)
	}
	return nil
}

// mergeSlot refuses a column that has both numbers and text, at its first cell of
// text.
func (t *table) mergeSlot(k int, s *slot) error {
	all := &t.slots[k]
	if s.text && !all.text {
		all.text, all.first, all.line = true, s.first, s.line+t.lines
	}
	all.number = all.number || s.number
	if all.number && all.text {
		return &Error{t.file, all.line, t.column[k] + 1, notNumber([]byte(all.first))}
	}
	all.levels.merge(s.levels.names)
	if len(all.levels.names) > maxLevels {
		return t.tooMany(k)
	}
	return nil
}

// data puts the parts together.
func (t *table) data(o *Options) (*Data, error) {
	if t.rows == 0 {
		return nil, &Error{t.file, 0, 0, "no rows"}
	}
	s, err := t.finish(o)
	if err != nil {
		return nil, err
	}
	features := s.Features()
	x, err := allocate(t.file, t.rows, len(features), t.limit)
	if err != nil {
		return nil, err
	}
	d := &Data{X: x, Features: features, Names: s.Names, Schema: s, Extra: t.extra}
	start := make([]int, len(t.parts)+1)
	for i, p := range t.parts {
		start[i+1] = start[i] + p.rows
	}
	linalg.For(len(t.parts), 1, o.Workers, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			t.expand(x.RowRange(start[i], start[i+1]), t.parts[i], s)
			t.parts[i].cells = nil
		}
	})
	_, place := order(t.labels.names)
	for _, p := range t.parts {
		for _, c := range p.codes {
			k := int(c)
			if t.schema == nil {
				k = place[p.to[k]]
			}
			d.Labels = append(d.Labels, k)
		}
		d.Y = append(d.Y, p.y...)
		d.Weights = append(d.Weights, p.weights...)
		d.Offset = append(d.Offset, p.offset...)
	}
	return d, nil
}

// finish returns the schema, for a first table the one that its cells and the
// options make.
func (t *table) finish(o *Options) (*Schema, error) {
	if t.schema != nil {
		return t.schema, nil
	}
	s := &Schema{Weights: o.Weights, Offset: o.Offset}
	for j, r := range t.roles {
		if r == label {
			s.Label = t.header[j]
		}
	}
	for k, j := range t.column {
		c := Column{Name: t.header[j]}
		if all := t.slots[k]; all.text {
			c.Levels = slices.Sorted(slices.Values(all.levels.names))
			if len(c.Levels) < 2 {
				return nil, &Error{t.file, 0, j + 1, fmt.Sprintf("%q is %q in every row", c.Name, c.Levels[0])}
			}
		}
		s.Columns = append(s.Columns, c)
	}
	s.Names, _ = order(t.labels.names)
	return s, nil
}

// expand writes the rows of a part into x, levels as indicators.
func (t *table) expand(x *linalg.Dense, p *part, s *Schema) {
	if s.numeric() {
		for i := range p.rows {
			copy(x.Row(i), p.cells[i*x.Cols:])
		}
		return
	}
	rank := make([][]int, len(s.Columns)) // by code here, of the level in byte order
	for k, c := range s.Columns {
		for _, name := range p.slots[k].levels.names {
			r, _ := slices.BinarySearch(c.Levels, name)
			rank[k] = append(rank[k], r)
		}
	}
	for i := range p.rows {
		row, out := x.Row(i), 0
		for k, v := range p.cells[i*len(rank) : (i+1)*len(rank)] {
			levels := s.Columns[k].Levels
			if levels == nil {
				row[out] = v
				out++
				continue
			}
			r := int(v)
			if t.schema == nil {
				r = rank[k][r]
			}
			if r > 0 {
				row[out+r-1] = 1
			}
			out += len(levels) - 1
		}
	}
}
