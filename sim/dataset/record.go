package dataset

import (
	"bytes"
)

func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'})
}

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

// split is cutCells of a record that is no line of a comment.
func split(rec []byte, sep byte, cells [][]byte) (_ [][]byte, reason string) {
	if len(rec) > 0 && rec[0] == '#' {
		return nil, commentHint
	}
	return cutCells(rec, sep, cells)
}

// cutCells cuts a record into cells between separators, without the spaces around them, or
// says what is wrong with it. The cells are windows on rec, or copies where a quote
// stands for itself.
func cutCells(rec []byte, sep byte, cells [][]byte) (_ [][]byte, reason string) {
	space := " \t"
	switch sep {
	case '\t':
		space = " "
	case ' ':
		space = "\t"
	}
	cells = cells[:0]
	for {
		rec = bytes.TrimLeft(rec, space)
		var cell []byte
		if len(rec) > 0 && rec[0] == '"' {
			var n int
			if cell, n = unquote(rec, sep); n == 0 {
				return nil, "a quote that is not closed, or text after a closing quote"
			}
			rec = rec[n:]
		} else {
			n := bytes.IndexByte(rec, sep)
			if n < 0 {
				n = len(rec)
			}
			cell, rec = bytes.TrimRight(rec[:n], space), rec[n:]
			if bytes.IndexByte(cell, '"') >= 0 {
				return nil, "a quote inside a cell that is not quoted"
			}
		}
		cells = append(cells, cell)
		if len(rec) == 0 {
			return cells, ""
		}
		rec = rec[1:] // the separator
	}
}

// unquote reads a quoted cell and the spaces after it. It returns the text and
// the number of bytes up to the separator or the end, 0 if the cell is not one.
func unquote(rec []byte, sep byte) (cell []byte, n int) {
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
		for n < len(rec) && rec[n] != sep && (rec[n] == ' ' || rec[n] == '\t') {
			n++
		}
		if n < len(rec) && rec[n] != sep {
			return nil, 0
		}
		return cell, n
	}
}

// separator returns the separator of cells: the given one, or for 0 that of the first
// record, outside quotes.
func separator(given byte, first []byte) byte {
	if given != 0 {
		return given
	}
	var commas, semicolons, tabs, spaces int
	quoted := false
	for _, c := range bytes.TrimSpace(first) {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',':
			commas++
		case c == ';':
			semicolons++
		case c == '\t':
			tabs++
		case c == ' ':
			spaces++
		}
	}
	switch {
	case commas > 0:
		return ','
	case semicolons > 0:
		return ';'
	case tabs > 0:
		return '\t'
	case spaces > 0:
		return ' '
	}
	return ','
}
