package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// Bounds of what is read: bytes of a line and values of a model.
const (
	longestLine = 1 << 28
	mostValues  = 1 << 27
)

// lines reads a model file of LIBLINEAR or LIBSVM line by line.
type lines struct {
	s    *bufio.Scanner
	tool string
	at   int // lines read
}

func newLines(r io.Reader, tool string) *lines {
	s := bufio.NewScanner(r)
	s.Buffer(nil, longestLine)
	return &lines{s: s, tool: tool}
}

// next returns the words of the next line that has any, nil at the end.
func (l *lines) next() ([]string, error) {
	for l.s.Scan() {
		l.at++
		if words := strings.Fields(l.s.Text()); len(words) > 0 {
			return words, nil
		}
	}
	if err := l.s.Err(); err != nil {
		return nil, l.wrong("%w", err)
	}
	return nil, nil
}

// wrong is an error at the last line read.
func (l *lines) wrong(format string, args ...any) error {
	return fmt.Errorf("exchange: %s model, line %d: %w", l.tool, l.at, fmt.Errorf(format, args...))
}

// header reads lines of a key and values up to the line that is the last key alone.
func (l *lines) header(last string, known ...string) (map[string][]string, error) {
	h := make(map[string][]string)
	for {
		words, err := l.next()
		if err != nil {
			return nil, err
		}
		if words == nil {
			return nil, l.wrong("the file ends before its %s", last)
		}
		key := words[0]
		if key == last && len(words) == 1 {
			return h, nil
		}
		if !slices.Contains(known, key) {
			return nil, l.wrong("unknown entry %s", quoted(key))
		}
		if _, twice := h[key]; twice {
			return nil, l.wrong("a second entry %q", key)
		}
		h[key] = words[1:]
	}
}

// quoted shows a word of a file, cut where it is long.
func quoted(word string) string {
	if r := []rune(word); len(r) > 40 {
		word = string(r[:40]) + "…"
	}
	return strconv.Quote(word)
}

// count returns the one whole number of an entry, from least on.
func (l *lines) count(h map[string][]string, key string, least int) (int, error) {
	v := h[key]
	if len(v) != 1 {
		return 0, l.wrong("%d values of %q, want 1", len(v), key)
	}
	n, err := strconv.Atoi(v[0])
	if err != nil || n < least || n > mostValues {
		return 0, l.wrong("%q is %s, want a whole number from %d to %d", key, quoted(v[0]), least, mostValues)
	}
	return n, nil
}

// numbers returns the values of an entry, n of them.
func (l *lines) numbers(h map[string][]string, key string, n int) ([]float64, error) {
	if len(h[key]) != n {
		return nil, l.wrong("%d values of %q, want %d", len(h[key]), key, n)
	}
	out := make([]float64, n)
	for i, word := range h[key] {
		var err error
		if out[i], err = l.number(word); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// number returns a finite number.
func (l *lines) number(word string) (float64, error) {
	v, err := strconv.ParseFloat(word, 64)
	if err != nil && v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, l.wrong("%s is not a finite number", quoted(word))
	}
	return v, nil
}

// labels returns the class labels of a model, k distinct whole numbers.
func (l *lines) labels(h map[string][]string, k int) ([]string, error) {
	words := h["label"]
	if len(words) != k {
		return nil, l.wrong("%d labels of %d classes", len(words), k)
	}
	seen := make(map[string]bool)
	for i, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, l.wrong("label %s is not a whole number", quoted(word))
		}
		if words[i] = strconv.Itoa(n); seen[words[i]] {
			return nil, l.wrong("label %s is there twice", words[i])
		}
		seen[words[i]] = true
	}
	return words, nil
}

// trimmed returns names without the spaces around them, which Python and R keep of a cell of a table
// and readers here do not.
func trimmed(names []string) []string {
	out := slices.Clone(names)
	for k, name := range out {
		out[k] = strings.Trim(name, " \t")
	}
	return out
}

// made returns the model of a file that has been read.
func (l *lines) made(features int, names []string, fit any) (*method.Model, error) {
	m, err := method.New(&dataset.Schema{Numbered: features, Names: names}, nil, fit)
	if err != nil {
		return nil, l.wrong("%w", err)
	}
	return m, nil
}

// longestFile bounds the bytes of a JSON file.
const longestFile = 1 << 30

// decode reads JSON and returns its length. Errors have the line and the column.
func decode(r io.Reader, into any) (size int, err error) {
	text, err := io.ReadAll(io.LimitReader(r, longestFile))
	if err != nil {
		return 0, err
	}
	err = json.Unmarshal(text, into)
	at := int64(-1)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		at = syntax.Offset
	}
	if other := (*json.UnmarshalTypeError)(nil); errors.As(err, &other) {
		at = other.Offset
	}
	if at >= 0 {
		before := text[:min(at, int64(len(text)))]
		start := bytes.LastIndexByte(before, '\n') + 1
		err = fmt.Errorf("line %d, column %d: %w", 1+bytes.Count(before, []byte("\n")), max(1, len(before)-start), err)
	}
	return len(text), err
}
