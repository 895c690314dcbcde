package dataset

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// role is the use of a column of the file.
type role uint8

const (
	unread role = iota
	feature
	label
	weight
	offset
	document
)

// layout is the meaning of a CSV file's columns, from its header, the options and
// the schema. A slot is a column of features; slots are in the order of the
// schema, or of the file where there is none.
type layout struct {
	file    string
	header  []string
	roles   []role
	slot    []int    // for each column that is a feature, its slot
	column  []int    // for each slot, its column
	levels  []*known // for each slot, the levels of the schema; nil where it is numeric
	forced  []bool   // for each slot of a first table, whether its numbers are levels
	missing Rule
	sep     byte    // between cells
	marks   marks   // of decimals
	direct  []int   // for each column of features that may be numbers, its slot; else −1
	classes *known  // the labels of the schema
	schema  *Schema // nil for a first table
	numeric bool    // the response is a number
	extra   []string
	dropped []string // of a first table
	text    string   // the column of documents, or ""
	notes   []string
}

// newLayout gives each column its role.
func newLayout(file string, header []string, o *Options, s *Schema) (*layout, error) {
	l := &layout{file: file, header: header, schema: s, numeric: o.Numeric, missing: o.Missing, sep: ',',
		roles: make([]role, len(header)), slot: make([]int, len(header))}
	place := make(map[string]int, len(header))
	for j, h := range header {
		place[h] = j
	}
	taken := make([]bool, len(header))
	if header[0] == "" {
		taken[0] = true
		l.notes = append(l.notes, "the first column, which has no name, is taken for row names and left out")
	}
	if measured(header, 1) && !s.names(header) {
		l.notes = append(l.notes, "all names of columns but one are numbers; if the first row is no header, say so (-no-header)")
	}
	take := func(name string, r role, must bool) error {
		j, ok := place[name]
		switch {
		case name == "" || !ok && !must:
			return nil
		case !ok:
			return wrong(file, 0, fmt.Sprintf("no column %q; there are %s", name, list(header)))
		case taken[j]:
			return wrong(file, 0, fmt.Sprintf("column %q cannot be two things", name))
		}
		l.roles[j], taken[j] = r, true
		return nil
	}
	labelRole, offsetName := label, o.Offset
	if s != nil && offsetName == "" {
		offsetName = s.Offset
	}
	if l.text = o.Text; s != nil && s.Text != nil {
		l.text = s.Text.Name
	}
	labelName := l.labelName(o, offsetName)
	if o.NoLabels {
		labelRole = unread
	}
	if err := errors.Join(
		take(labelName, labelRole, !o.NoLabels),
		take(l.text, document, true),
		take(o.Weights, weight, true),
		take(offsetName, offset, true)); err != nil {
		return nil, err
	}
	if s == nil {
		return l, l.choose(o, place, taken)
	}
	if o.Missing != LeaveOut {
		l.missing = s.Missing
	}
	l.numeric = s.Names == nil
	l.classes = newKnown(s.Names, true)
	return l, l.match(place, taken)
}

// choose makes the columns of a first table features, but for those that are taken or
// that the options leave out.
func (l *layout) choose(o *Options, place map[string]int, taken []bool) error {
	wanted := slices.Concat(o.Keep, o.Categorical, slices.Sorted(maps.Keys(o.Reference)))
	keep, drop, levels := setOf(o.Keep), setOf(o.Drop), setOf(o.Categorical)
	for _, name := range slices.Concat(wanted, o.Drop) {
		j, ok := place[name]
		switch {
		case !ok:
			return wrong(l.file, 0, fmt.Sprintf("no column %q; there are %s", name, list(l.header)))
		case taken[j] && (l.roles[j] == label || !drop[name]):
			return wrong(l.file, 0, fmt.Sprintf("column %q cannot be two things", name))
		}
	}
	for j, name := range l.header {
		switch {
		case !utf8.ValidString(name):
			return l.wrongCell(0, j, notUTF8)
		case taken[j]:
		case o.Keep != nil && !keep[name] || drop[name]:
			l.dropped = append(l.dropped, name)
		default:
			l.roles[j], l.slot[j] = feature, len(l.column)
			l.column = append(l.column, j)
			_, hasReference := o.Reference[name]
			l.forced = append(l.forced, hasReference || levels[name])
		}
	}
	for _, name := range wanted {
		if l.roles[place[name]] != feature {
			return wrong(l.file, 0, fmt.Sprintf("column %q is left out, and named as a feature", name))
		}
	}
	if len(l.column) == 0 && l.text == "" {
		return wrong(l.file, 0, fmt.Sprintf("no columns beside the label; cells are separated by %s", sepName(o.Sep)))
	}
	l.levels = make([]*known, len(l.column))
	return nil
}

// between sets what separates cells, and decimals.
func (l *layout) between(sep byte, o *Options) {
	l.sep, l.marks = sep, point
	switch {
	case o.Dec == ',':
		l.marks = comma
	case o.Dec == 0 && sep == ';':
		l.marks = pointOrComma
	}
	if l.marks.in(sep) || strings.IndexByte("0123456789eE+-", sep) >= 0 {
		return // a number could hold it
	}
	for j, r := range l.roles {
		slot := -1
		if k := l.slot[j]; r == feature && l.levels[k] == nil && !l.forced[k] {
			slot = k
		}
		l.direct = append(l.direct, slot)
	}
}

// labelName returns the name of the label column: the option's, the schema's, or
// that of the last column if it is nothing else; "" if there is none.
func (l *layout) labelName(o *Options, offsetName string) string {
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
	if slices.ContainsFunc(l.schema.All(), isLast) || slices.Contains([]string{o.Weights, l.schema.Weights, offsetName, l.text}, last) ||
		slices.Contains(l.schema.Dropped, last) {
		return ""
	}
	return last
}

// match finds the schema's columns.
func (l *layout) match(place map[string]int, taken []bool) error {
	var lacking []string
	for k, c := range l.schema.All() {
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
		l.levels, l.forced = append(l.levels, levels), append(l.forced, false)
	}
	dropped := setOf(l.schema.Dropped)
	for j, h := range l.header {
		if !taken[j] && h != l.schema.Weights && !dropped[h] {
			l.extra = append(l.extra, h)
		}
	}
	if l.schema.Strict && l.extra != nil {
		return wrong(l.file, 0, "columns that the model does not know: "+list(l.extra))
	}
	if lacking != nil {
		reason := "no column " + list(lacking)
		if l.extra != nil {
			reason += "; not asked for: " + list(l.extra)
		}
		return wrong(l.file, 0, reason)
	}
	return nil
}

// wrongCell returns an error about a cell of column j, or about the column for line 0.
func (l *layout) wrongCell(line, j int, reason string) *Error {
	return &Error{l.file, line, j + 1, reason, l.header[j]}
}

func (l *layout) tooMany(k int) *Error {
	return l.wrongCell(0, l.column[k], fmt.Sprintf("more than %d levels; is it a name?", maxLevels))
}

// code returns the code of a label: the schema's, or its place in c.
func (l *layout) code(c *coder, text []byte) (k int, reason string) {
	if k, _, ok := c.recently(text); ok {
		return k, ""
	}
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
	switch {
	case len(c.names) > maxClasses:
		return 0, tooManyClasses
	case k == len(c.names)-1 && !utf8.Valid(text):
		return 0, notUTF8
	}
	return k, ""
}

// notUTF8 is why a name, a level or a label is refused: JSON holds none in another code, so a model
// would come back with other ones than its data have.
const notUTF8 = "text that is not UTF-8; save the file as UTF-8"

// gather appends what a block has to what blocks before it had, in room for all rows of the file.
func gather[T any](all, more []T, rows int) []T {
	if all == nil && more != nil {
		all = make([]T, 0, rows)
	}
	return append(all, more...)
}

// relabel appends the codes of a block: the schema's, or the places among all labels in order of
// those of the block, which are to in the file.
func (l *layout) relabel(dst []int, codes []int32, to, place []int, rows int) []int {
	if dst == nil && codes != nil {
		dst = make([]int, 0, rows)
	}
	for _, c := range codes {
		k := int(c)
		if l.schema == nil {
			k = place[to[k]]
		}
		dst = append(dst, k)
	}
	return dst
}

var tooManyClasses = fmt.Sprintf("more than %d different labels; a numeric response needs a regression", maxClasses)

// sepName names a separator in an error, 0 those that are found by themselves.
func sepName(sep byte) string {
	if sep == 0 {
		return "commas, semicolons, tabs or spaces"
	}
	return fmt.Sprintf("%q", sep)
}

// measured reports whether all names but so many are numbers, and some are no integers, which name
// columns less often than they stand in them.
func measured(header []string, others int) bool {
	numbers, integers := 0, 0
	for _, name := range header {
		if _, ok := number([]byte(name)); ok {
			numbers++
		}
		if _, ok := integer(name); ok {
			integers++
		}
	}
	return numbers == len(header)-others && integers < numbers
}
