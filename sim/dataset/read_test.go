package dataset

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// Streams without text between two others, as many parts of a table have them, are no end, and take no stack.
func TestStreamsWithoutText(t *testing.T) {
	stream := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.WriteString(z, text)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	r, packed, err := plain("t.csv.gz", bytes.NewReader(slices.Concat(stream("text\n"), bytes.Repeat(stream(""), 20_000), stream("text\n"))))
	if err != nil || !packed {
		t.Fatal(packed, err)
	}
	if text, err := r.ReadString('.'); text != "text\ntext\n" || err != io.EOF {
		t.Errorf("%q, %v", text, err)
	}
}

// A hyphen in the place of a path is the standard input, and an error of a file has its path.
func TestFilesAndStandardInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("file"), 0o600); err != nil {
		t.Fatal(err)
	}
	load := func(r io.Reader) (string, error) {
		b, err := io.ReadAll(r)
		if string(b) == "bad" {
			return "", io.ErrUnexpectedEOF
		}
		return string(b), err
	}
	all, err := ReadFiles([]string{path, "-"}, strings.NewReader("input"), load)
	if err != nil || len(all) != 2 || all[0] != "file" || all[1] != "input" {
		t.Error(all, err)
	}
	if err := os.WriteFile(path, []byte("bad"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path, nil, load); err == nil || err.Error() != path+": unexpected EOF" {
		t.Error(err)
	}
	if _, err := ReadFile("-", strings.NewReader("bad"), load); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}
