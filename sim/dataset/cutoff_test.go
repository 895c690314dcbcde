package dataset_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"halfspace/sim/dataset"
)

// gzipped returns text as a gzip stream whose blocks end with its lines, so that
// what is left of it after a cut can be whole rows.
func gzipped(t *testing.T, level int, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text) {
		if _, err := io.WriteString(z, line); err != nil {
			t.Fatal(err)
		}
		z.Flush()
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestCutOffStreams cuts gzip streams of both formats after every byte, in files
// and on standard input: an error says so, however many rows are left. A stream of
// two members may end between them.
func TestCutOffStreams(t *testing.T) {
	rows := func(line func(i int) string) (text string) {
		for i := range 3 {
			text += line(i)
		}
		return text
	}
	csv := rows(func(i int) string { return fmt.Sprintf("%d,%g,%s\n", i, 1/float64(i+3), []string{"no", "yes"}[i%2]) })
	svm := rows(func(i int) string { return fmt.Sprintf("%d 1:%d 3:%g\n", i%2, i, 1/float64(i+3)) })
	for _, c := range []struct {
		name          string
		format        string
		level         int
		first, second string
	}{
		{"t.csv.gz", "csv", gzip.NoCompression, "a,b,y\n" + csv, ""},
		{"t.csv.gz", "csv", gzip.BestCompression, "a,b,y\n" + csv, csv},
		{"t.svm.gz", "libsvm", gzip.NoCompression, svm, ""},
		{"t.svm.gz", "libsvm", gzip.BestCompression, svm, svm},
	} {
		stream, between := gzipped(t, c.level, c.first), 0
		if c.second != "" {
			between = len(stream)
			stream = append(stream, gzipped(t, c.level, c.second)...)
		}
		path := filepath.Join(t.TempDir(), c.name)
		for n := range len(stream) + 1 {
			if err := os.WriteFile(path, stream[:n], 0o666); err != nil {
				t.Fatal(err)
			}
			_, fromFile := dataset.Load(path, &dataset.Options{Workers: 1})
			_, fromInput := dataset.Read("-", bytes.NewReader(stream[:n]), &dataset.Options{Format: c.format, Workers: 1})
			what := fmt.Sprintf("%s, %d of %d bytes", c.name, n, len(stream))
			switch {
			case n == len(stream) || n == between && n > 0:
				if err := errors.Join(fromFile, fromInput); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			case n == 0: // nothing says that the input was to be gzipped
				cutOff(t, what, path, fromFile)
			default:
				cutOff(t, what, path, fromFile)
				cutOff(t, what, "standard input", fromInput)
			}
		}
	}
}

// Bytes behind a stream that begin no other are not taken for one that is cut off, however few they are.
func TestBytesBehindAStream(t *testing.T) {
	stream := gzipped(t, gzip.DefaultCompression, "a,y\n1,no\n2,yes\n")
	for n := 1; n <= 20; n++ {
		for _, b := range []byte{0, '\n', '\x8b'} {
			_, err := dataset.Read("t.csv.gz", bytes.NewReader(append(slices.Clip(stream), bytes.Repeat([]byte{b}, n)...)), nil)
			if err == nil || err.Error() != "t.csv.gz: other bytes follow the gzip stream" {
				t.Errorf("%d bytes %q: %v", n, b, err)
			}
		}
	}
}

func cutOff(t *testing.T, what, name string, err error) {
	t.Helper()
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(err.Error(), name+": ") || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("%s: %v", what, err)
	}
}

// TestCutOffConnection: a connection that breaks ends with io.ErrUnexpectedEOF.
func TestCutOffConnection(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("a,y\n1,no\n2,yes\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	_, err := dataset.Read("t.csv", broken, nil)
	cutOff(t, "CSV", "t.csv", err)
}

// TestCutOffText cuts plain text after every byte. Text does not say where it ends: a cut
// within a row is an error, unless what is left of its last cell is one, and the rows
// before it are always those of the whole.
func TestCutOffText(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"t.csv", "a,b,y\n1.5,20,no\n-3,4e1,yes\n\"5\",66,\"no\"\n"},
		{"t.svm", "0 1:1.5 3:20\n1 1:-3 2:4e1\n0 2:5 3:66\n"},
	} {
		whole, err := dataset.Read(c.name, strings.NewReader(c.text), nil)
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for n := range len(c.text) {
			d, err := dataset.Read(c.name, strings.NewReader(c.text[:n]), nil)
			if err != nil {
				continue
			}
			read++
			begun := strings.Count(strings.TrimRight(c.text[:n], "\n"), "\n") + 1
			if c.name == "t.csv" {
				begun--
			}
			x, full := d.X, whole.X
			if x.Rows != begun {
				t.Errorf("%s, %d bytes: %d rows, %d are begun", c.name, n, x.Rows, begun)
			}
			for i := range min(x.Rows-1, begun-1) {
				if !slices.Equal(x.Row(i), full.Row(i)[:x.Cols]) || d.Names[d.Labels[i]] != whole.Names[whole.Labels[i]] {
					t.Errorf("%s, %d bytes: row %d is %v", c.name, n, i, x.Row(i))
				}
			}
		}
		if read == 0 || 3*read > 2*len(c.text) {
			t.Errorf("%s: %d of %d cuts are read", c.name, read, len(c.text))
		}
	}
}
