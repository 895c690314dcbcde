package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

// Help that could not be written is no success.
func TestHelpOnAFullDisk(t *testing.T) {
	for _, line := range []string{"-version", "help", "-h", "help fit", "fit -h"} {
		var errs bytes.Buffer
		if status := (&app{stdout: full{}, stderr: &errs}).run(strings.Fields(line)); status != 1 || errs.String() != "halfspace: no room\n" {
			t.Errorf("%s: status %d, %q", line, status, &errs)
		}
	}
}

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
	dangling, later := filepath.Join(dir, "dangling.json"), filepath.Join(dir, "later.json")
	if err := os.Symlink("later.json", dangling); err != nil {
		t.Fatal(err)
	}
	ok(t, dir, "fit", "-method", "lda", "-o", dangling, iris(t))
	if info, err := os.Lstat(later); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		t.Errorf("the target of a link that led nowhere: %v, %v", info, err)
	}
	loop := filepath.Join(dir, "loop.json")
	if err := os.Symlink("loop.json", loop); err != nil {
		t.Fatal(err)
	}
	if r := halfspace(t, dir, "", "fit", "-method", "lda", "-o", loop, iris(t)); r.status != 1 {
		t.Errorf("a link to itself: %+v", r)
	}
	ok(t, dir, "predict", "-o", "out.csv", link, iris(t))
	if j := decode(t, ok(t, dir, "fit", "-json", "-method", "lda", "-o", "-", iris(t))); j["kind"] != "halfspace" {
		t.Errorf("a model on standard output: %v", j)
	}
}

// Names and labels of a file cannot steer a terminal: no report and no message has a
// control character or a mark of the direction of writing.
func TestNamesCannotSteerATerminal(t *testing.T) {
	dir := t.TempDir()
	const evil = "\x1b[31m\u202e\u0085\u2066\x7f"
	text := "a" + evil + ",b\r" + evil + ",y\n"
	for i := range 12 {
		text += fmt.Sprintf("%d,%d,u%s%d\n", i, i*i%5, evil, i%2)
	}
	if err := os.WriteFile(filepath.Join(dir, "evil.csv"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "other.csv"), []byte(strings.Replace(text, "4,1,", "4,x"+evil+",", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "l"+evil+".csv"), []byte("c,"+strings.TrimSuffix(strings.ReplaceAll(text, "\n", "\n7,"), "7,")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"fit", "-method", "lda", "-o", "m.json", "evil.csv"}, {"predict", "m.json", "l" + evil + ".csv"}, {"fit", "-method", "logistic", "evil.csv"}, {"eval", "m.json", "evil.csv"},
		{"cv", "-method", "lda", "-folds", "2", "evil.csv"}, {"path", "-method", "logistic", "evil.csv"}, {"fit", "-method", "ols", "evil.csv"},
		{"predict", "m.json", "other.csv"}, {"fit", "-method", "lda", "-label", evil, "evil.csv"}, {"fit", "-method", "lda", evil}, {"fit", "-" + evil},
		{"fit", "-method", evil, "evil.csv"}, {"fit", "-method", "lda", "-weights", "b" + evil, "evil.csv"}, {evil},
	} {
		r := halfspace(t, dir, "", args...)
		shown := r.stderr
		if args[0] != "predict" { // its standard output is data
			shown += r.stdout
		}
		if i := strings.IndexAny(shown, strings.ReplaceAll(evil, "[31m", "")+"\r"); i >= 0 || shown == "" {
			t.Errorf("%q shows %q", args, shown)
		}
	}
}

// No command replaces a file that it reads, or has written.
func TestInputsAreNotReplaced(t *testing.T) {
	const table = "a,class\n1,x\n2,y\n3,x\n4,y\n"
	dir := write(t, "mine.csv", table)
	ok(t, dir, "fit", "-method", "lda", "-o", "lda.json", "mine.csv")
	if err := os.Link(filepath.Join(dir, "mine.csv"), filepath.Join(dir, "same.csv")); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"predict -o mine.csv lda.json mine.csv", "predict -o same.csv lda.json mine.csv", "fit -method lda -o mine.csv mine.csv",
		"fit -method logistic -lambda 1 -save-prior mine.csv mine.csv", "audit -fix lda.json lda.json mine.csv", "import -o lda.json lda.json", "moments -o mine.csv mine.csv",
		"fit -method logistic -lambda 1 -o new.json -save-prior ./new.json mine.csv", "fit -method logistic -lambda 1 -o - -save-prior - mine.csv",
	} {
		if r := halfspace(t, dir, "", strings.Fields(args)...); r.status != 2 || !strings.Contains(r.stderr, "replace") {
			t.Errorf("halfspace %s: %+v", args, r)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "mine.csv")); err != nil || string(text) != table {
			t.Fatalf("halfspace %s: %q, %v", args, text, err)
		}
	}
	for range 2 {
		ok(t, dir, "fit", "-method", "logistic", "-lambda", "1", "-o", "m.json", "mine.csv")
		ok(t, dir, "data", "-o", "iris", "iris")
	}
	ok(t, dir, "fit", "-method", "logistic", "-lambda", "1", "-start", "m.json", "-o", "m.json", "mine.csv")
	ok(t, dir, "fit", "-method", "logistic", "-lambda", "1", "-save-prior", "p.json", "-o", "m.json", "mine.csv")
	ok(t, dir, "fit", "-method", "logistic", "-lambda", "1", "-save-prior", "/dev/null", "-o", "/dev/null", "mine.csv")
	ok(t, dir, "predict", "-o", "/dev/null", "m.json", "mine.csv")
}

// What a flag writes to standard output has it for itself: one document, and no report.
func TestStandardOutputIsForOne(t *testing.T) {
	dir := write(t, "d.csv", "a,class\n1,x\n2,y\n3,x\n4,y\n5,x\n2,x\n3,y\n1,y\n")
	ok(t, dir, "fit", "-method", "logistic", "-lambda", "1", "-o", "m.json", "d.csv")
	for _, args := range []string{
		"fit -method logistic -lambda 1 -o - d.csv", "fit -method logistic -lambda 1 -save-prior - d.csv", "audit -fix - m.json d.csv",
		"cv -method logistic -grid lambda=1,2 -folds 2 -o - d.csv", "cv -method logistic -path -lambdas 5 -folds 2 -o - d.csv",
	} {
		for _, more := range []string{"", " -json"} {
			decode(t, ok(t, dir, strings.Fields(args+more)...))
		}
	}
}

// A link to what has no name, as /dev/stdout where that is a pipe, is written to as it is.
func TestPipesAreWrittenTo(t *testing.T) {
	if _, err := os.Stat("/dev/stdout"); err != nil {
		t.Skip(err)
	}
	dir := write(t, "d.csv", "a,class\n1,x\n2,y\n3,x\n4,y\n")
	ok(t, dir, "fit", "-method", "lda", "-o", "m.json", "d.csv")
	if got := ok(t, dir, "predict", "-o", "/dev/stdout", "m.json", "d.csv"); got != ok(t, dir, "predict", "m.json", "d.csv") {
		t.Error(got)
	}
}
