package dataset

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
