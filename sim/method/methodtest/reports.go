package methodtest

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/sim"
	"halfspace/sim/method/report"
)

// Decoded writes v as JSON and reads it into a value of the same type.
func Decoded[T any](t *testing.T, v *T) *T {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	back := new(T)
	if err := json.Unmarshal(b, back); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return back
}

// Lines returns the cells of a report with tabs, a line by its first cell.
func Lines(t *testing.T, r report.Report) map[string][]string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b, false); err != nil {
		t.Fatal(err)
	}
	m := make(map[string][]string)
	for _, line := range strings.Split(b.String(), "\n") {
		if cells := strings.Split(line, "\t"); line != "" {
			m[cells[0]] = cells[1:]
		}
	}
	return m
}

// Cell wants a number in a line of Lines, under a name and counted from the first
// cell behind it.
func Cell(t *testing.T, what string, m map[string][]string, name string, at int, want float64) {
	t.Helper()
	if row := m[name]; len(row) <= at || row[at] != sim.Number(want) {
		t.Errorf("%s: %s is printed as %v, want %s", what, name, row, sim.Number(want))
	}
}

// Full is a writer with room for n bytes.
type Full int

func (f *Full) Write(b []byte) (int, error) {
	if len(b) > int(*f) {
		return 0, io.ErrShortWrite
	}
	*f -= Full(len(b))
	return len(b), nil
}

// SameNumbers compares two lists within a relative tolerance.
func SameNumbers(t *testing.T, what string, got, want []record.Number, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i := range got {
		linalgtest.Close(t, what, float64(got[i]), float64(want[i]), tol)
	}
}
