package sim

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Table is a small table of results. Cells are text, as they are to be read.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string
}

// Add appends a row: strings as they are, float64 with four significant digits,
// anything else as fmt prints it.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		if v, ok := c.(float64); ok {
			row[i] = Number(v)
		} else {
			row[i] = fmt.Sprint(c)
		}
	}
	t.Rows = append(t.Rows, row)
}

// Prune removes the columns in which no row has more than an empty cell or NaN.
func (t *Table) Prune() {
	says := func(j int) bool {
		return slices.ContainsFunc(t.Rows, func(row []string) bool { return row[j] != "" && row[j] != "NaN" })
	}
	for j := len(t.Head) - 1; j >= 0 && len(t.Rows) > 0; j-- {
		if says(j) {
			continue
		}
		t.Head = slices.Delete(t.Head, j, j+1)
		for i := range t.Rows {
			t.Rows[i] = slices.Delete(t.Rows[i], j, j+1)
		}
	}
}

// Number formats v with four significant digits, and without an exponent where
// that stays short.
func Number(v float64) string {
	if a := math.Abs(v); a >= 1e-3 && a < 1e6 {
		digits := max(0, 3-int(math.Floor(math.Log10(a))))
		return strconv.FormatFloat(v, 'f', digits, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// Count returns a number of things by their name, "1 row" or "2 rows".
func Count(n int, one string) string {
	if n != 1 {
		one += "s"
	}
	return strconv.Itoa(n) + " " + one
}

// Write writes the table: aligned, with numbers to the right, for a reader; else
// tab-separated, for a pipe.
func (t *Table) Write(w io.Writer, aligned bool) error {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(t.Title + "\n")
	}
	var lines [][]string
	if t.Head != nil {
		lines = append(lines, oneLine(t.Head))
	}
	for _, row := range t.Rows {
		lines = append(lines, oneLine(row))
	}
	if !aligned {
		for _, line := range lines {
			b.WriteString(strings.Join(line, "\t") + "\n")
		}
		_, err := io.WriteString(w, b.String())
		return err
	}
	width, right := t.layout(lines)
	for _, line := range lines {
		var row strings.Builder
		for j, cell := range line {
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(cell))
			if right[j] {
				row.WriteString("  " + pad + cell)
			} else {
				row.WriteString("  " + cell + pad)
			}
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// oneLine returns the cells by [OneLine].
func oneLine(cells []string) []string {
	out := make([]string, len(cells))
	for j, cell := range cells {
		out[j] = OneLine(cell)
	}
	return out
}

// OneLine returns a text that came from a file, a name or a label in a message, as a
// terminal may show it: with spaces for line breaks and tabs, and the replacement
// character for all else that would steer the terminal or the direction of writing.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.White_Space, r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return utf8.RuneError
		}
		return r
	}, s)
}

// layout returns the width of each column and whether all its cells below the
// head are numbers, which are set to the right.
func (t *Table) layout(lines [][]string) (width []int, right []bool) {
	for _, line := range lines {
		for j, cell := range line {
			if j == len(width) {
				width, right = append(width, 0), append(right, len(t.Rows) > 0)
			}
			width[j] = max(width[j], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range t.Rows {
		for j, cell := range row {
			if _, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimPrefix(cell, "<"), "%"), 64); err != nil && cell != "" {
				right[j] = false
			}
		}
	}
	return width, right
}
