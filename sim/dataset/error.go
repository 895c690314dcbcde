package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Error reports text that cannot be read.
type Error struct {
	File   string
	Line   int    // from 1; 0 where it does not apply
	Column int    // from 1; 0 where it does not apply
	Reason string // `"abc" is not a number`
	Name   string // of the column, as the header has it; "" where it does not apply
}

// wrong returns an error that is not about a column.
func wrong(file string, line int, reason string) *Error {
	return &Error{File: file, Line: line, Reason: reason}
}

func (e *Error) Error() string {
	s := e.File
	if s == "" {
		s = "dataset"
	}
	if e.Line > 0 {
		s += fmt.Sprintf(":%d", e.Line)
	}
	if e.Name != "" {
		s += fmt.Sprintf(": column %q", e.Name)
	} else if e.Column > 0 {
		s += fmt.Sprintf(": column %d", e.Column)
	}
	return s + ": " + e.Reason
}

// quote shows a cell in an error message, cut if it is long.
func quote(cell []byte) string {
	if len(cell) > 40 {
		return fmt.Sprintf("%q…", cell[:40])
	}
	return fmt.Sprintf("%q", cell)
}

func notNumber(cell []byte) string {
	if _, n := scan(cell, point); n < 0 {
		return quote(cell) + " is out of range"
	}
	return quote(cell) + " is not a number"
}

// notValue says why a cell of a column of numbers has none.
func notValue(cell []byte) string {
	if gap(cell) {
		return quote(cell) + " is a missing value"
	}
	return notNumber(cell)
}

// decimals adds to the error of a cell that would be a number with the other decimal
// mark how it is read.
func (l *layout) decimals(cell []byte) string {
	_, withComma := comma.number(cell)
	_, withPoint := point.number(cell)
	switch {
	case withComma && bytes.IndexByte(cell, ',') >= 0:
		return "; is its comma a decimal mark? (-dec ,)"
	case withPoint && l.marks == comma:
		return "; is its point a decimal mark? (-dec .)"
	}
	return ""
}

// notLevel says why a cell of a column of levels has none.
func notLevel(cell []byte, levels []string) string {
	if gap(cell) {
		return notValue(cell)
	}
	return quote(cell) + " is not a level; they are " + list(levels)
}

// gap reports whether a cell says that its value is missing: nothing, NA, NaN.
func gap(cell []byte) bool {
	return len(cell) == 0 || string(cell) == "NA" || len(cell) == 3 && bytes.EqualFold(cell, []byte("nan"))
}

// missing reports whether a cell says that there is no finite value: nothing,
// NA, NaN, an infinity.
func missing(cell []byte) bool {
	if gap(cell) {
		return true
	}
	if cell[0] == '+' || cell[0] == '-' {
		cell = cell[1:]
	}
	for _, w := range []string{"nan", "inf", "infinity"} {
		if len(cell) == len(w) && bytes.EqualFold(cell, []byte(w)) {
			return true
		}
	}
	return false
}

const commentHint = "comment lines are not read; remove them (grep -v '^#') or quote the cell"

// list shows names in an error message, at most ten of them.
func list(names []string) string {
	var b strings.Builder
	for i, n := range names {
		if i == 10 {
			fmt.Fprintf(&b, ", … (%d in all)", len(names))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", n)
	}
	return b.String()
}

// named puts the file before an error that does not name it.
func named(file string, err error) error {
	if e := (*Error)(nil); err == nil || errors.As(err, &e) {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}
