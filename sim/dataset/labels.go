package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"halfspace/linalg"
)

// maxClasses and maxLevels bound the distinct labels of a file and the levels of
// one column: more of them are numbers or identifiers, not classes.
const (
	maxClasses = 10_000
	maxLevels  = 1_000
	manyLevels = 20 // levels beyond which a column is remarked on
)

// recentCodes is how many codes a coder has at hand.
const recentCodes = 64

// coder numbers distinct texts in the order of their appearance.
type coder struct {
	code   map[string]int
	names  []string
	recent []int32 // codes handed out last, by place: few texts need a look-up
}

// recently returns the code of a text that was coded not long ago, and the place of the text among
// recent codes.
func (c *coder) recently(text []byte) (k, place int, ok bool) {
	if len(c.names) == 0 {
		return 0, 0, false
	}
	if n := len(text); n > 0 {
		place = (int(text[0]) + 3*int(text[n/2]) + 9*int(text[n-1]) + 27*n) % recentCodes
	}
	k = int(c.recent[place])
	return k, place, c.names[k] == string(text)
}

func (c *coder) add(text []byte) int {
	k, place, ok := c.recently(text)
	if ok {
		return k
	}
	k, ok = c.code[string(text)]
	if !ok {
		if c.code == nil {
			c.code, c.recent = make(map[string]int), make([]int32, recentCodes)
		}
		k = len(c.names)
		c.names = append(c.names, string(text))
		c.code[c.names[k]] = k
	}
	c.recent[place] = int32(k)
	return k
}

// merge adds the texts of another coder and returns the code here of each.
func (c *coder) merge(names []string) []int {
	to := make([]int, len(names))
	for k, s := range names {
		to[k] = c.add([]byte(s))
	}
	return to
}

// integer returns the value of a label that is an integer in any spelling.
func integer(label string) (v float64, ok bool) {
	v, ok = number([]byte(label))
	if v == 0 {
		v = 0 // −0 is written otherwise
	}
	return v, ok && v == float64(int64(v)) && v < 1<<53 && v > -1<<53
}

// Integers returns the values of labels that all are integers, in any spelling. Files have them as numbers: 1.0
// is the label 1.
func Integers(labels []string) (values []int, ok bool) {
	values = make([]int, len(labels))
	for k, s := range labels {
		v, err := strconv.Atoi(s)
		if err != nil {
			of, ok := integer(s)
			if !ok {
				return nil, false
			}
			v = int(of)
		}
		values[k] = v
	}
	return values, true
}

// order sorts labels: as numbers if all are integers, where equal numbers become
// one label with the spelling that came first, and otherwise by byte. It returns
// the sorted labels and, for each of the given ones, its place among them.
func order(labels []string) (sorted []string, place []int) {
	values := make([]float64, len(labels))
	numeric := true
	for k, s := range labels {
		var ok bool
		values[k], ok = integer(s)
		numeric = numeric && ok
	}
	by := linalg.Sequence(len(labels))
	slices.SortStableFunc(by, func(a, b int) int {
		if numeric {
			return cmp.Compare(values[a], values[b])
		}
		return cmp.Compare(labels[a], labels[b])
	})
	place = make([]int, len(labels))
	for i, k := range by {
		if i == 0 || !numeric || values[k] != values[by[i-1]] {
			sorted = append(sorted, labels[k])
		}
		place[k] = len(sorted) - 1
	}
	return sorted, place
}

// mostSpellings is how many spellings a remark shows.
const mostSpellings = 10

// spellings remarks on labels that are one class, though they are spelled in several ways; they and the
// others are as order has them.
func spellings(labels, sorted []string, place []int) []string {
	var others []string
	for k, s := range labels {
		if own := sorted[place[k]]; own != s {
			others = append(others, fmt.Sprintf("%q is %q", s, own))
		}
	}
	if others == nil {
		return nil
	}
	said := "labels that are the same number are one class: " + strings.Join(others[:min(len(others), mostSpellings)], ", ")
	if left := len(others) - mostSpellings; left > 0 {
		said += fmt.Sprintf(" … and %d more", left)
	}
	return []string{said}
}

// known looks up the labels or levels of a schema.
type known struct {
	code map[string]int
	ints bool // labels, all of them integers, of which other spellings are the same
}

func newKnown(names []string, labels bool) *known {
	k := &known{code: make(map[string]int, len(names)), ints: labels}
	for i, s := range names {
		k.code[s] = i
		_, ok := integer(s)
		k.ints = k.ints && ok
	}
	if k.ints {
		for i, s := range names {
			v, _ := integer(s)
			k.code[strconv.FormatFloat(v, 'f', -1, 64)] = i
		}
	}
	return k
}

func (k *known) find(text []byte) (int, bool) {
	c, ok := k.code[string(text)]
	if !ok && k.ints {
		if v, isInt := integer(string(text)); isInt {
			c, ok = k.code[strconv.FormatFloat(v, 'f', -1, 64)]
		}
	}
	return c, ok
}

// level finds the level of a cell.
func (k *known) level(cell []byte) (int, bool) {
	if c, ok := k.find(cell); ok {
		return c, true
	}
	return otherSpelling(string(cell), func(level string) (int, bool) { c, ok := k.code[level]; return c, ok })
}

// otherSpelling finds the level of a cell that is spelled like none: without spaces, of quotes, or as a whole number.
func otherSpelling(cell string, find func(level string) (code int, ok bool)) (code int, ok bool) {
	cell = trim(cell)
	if code, ok = find(cell); !ok {
		if whole, is := wholeLevel(cell); is {
			code, ok = find(whole)
		}
	}
	return code, ok
}

// wholeLevel returns a whole number without the zeros after its point. Programs write 2.0 for the
// level 2 when a gap has made its column one of real numbers.
func wholeLevel(cell string) (digits string, ok bool) {
	digits, zeros, ok := strings.Cut(cell, ".")
	return digits, ok && strings.ContainsAny(digits, "0123456789") && zeros != "" && strings.Trim(zeros, "0") == "" && strings.Trim(strings.TrimPrefix(digits, "-"), "0123456789") == ""
}

// Union returns the class labels that occur in any of the lists, in the order of
// a file that has them all, and for each list the code there of each of its
// labels: parts of one table that were read apart can so be put together.
func Union(lists ...[]string) (names []string, code [][]int) {
	var c coder
	code = make([][]int, len(lists))
	for i, l := range lists {
		code[i] = c.merge(l)
	}
	names, place := order(c.names)
	for _, to := range code {
		for k := range to {
			to[k] = place[to[k]]
		}
	}
	return names, code
}

// trim cuts spaces and tabs off, as strings.Trim, but in no time where there are none.
func trim(s string) string {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}
