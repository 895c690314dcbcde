package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// A file appears under its name only when it is complete.
func TestNoHalfWrittenOutput(t *testing.T) {
	dir := t.TempDir()
	ok(t, dir, "fit", "-method", "lda", "-o", "m.json", iris(t))
	before, err := os.ReadFile(filepath.Join(dir, "m.json"))
	if err != nil {
		t.Fatal(err)
	}
	if r := halfspace(t, dir, "", "fit", "-method", "lda", "-o", "m.json", "nofile.csv"); r.status != 1 {
		t.Errorf("%+v", r)
	}
	after, err := os.ReadFile(filepath.Join(dir, "m.json"))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the old model is gone: %v", err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
	if r := halfspace(t, dir, "", "fit", "-method", "lda", "-o", filepath.Join("nofolder", "m.json"), iris(t)); r.status != 1 {
		t.Errorf("%+v", r)
	}
}

// What is no file is written to, not replaced; a link keeps pointing at its file,
// and the file keeps its mode.
func TestOutputThatExists(t *testing.T) {
	dir := t.TempDir()
	ok(t, dir, "fit", "-method", "lda", "-o", os.DevNull, iris(t))
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("%s has been replaced: %v, %v", os.DevNull, info, err)
	}
	real, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(real, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	ok(t, dir, "fit", "-method", "lda", "-o", link, iris(t))
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has been replaced: %v, %v", info, err)
	}
	if info, err := os.Stat(real); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	ok(t, dir, "predict", "-o", "out.csv", link, iris(t))
	if j := decode(t, ok(t, dir, "fit", "-json", "-method", "lda", "-o", "-", iris(t))); j["kind"] != "halfspace" {
		t.Errorf("a model on standard output: %v", j)
	}
}
