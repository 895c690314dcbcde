package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// blocks returns the fenced blocks of the README in one language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, part := range strings.Split(string(text), "```"+language+"\n")[1:] {
		code, _, ok := strings.Cut(part, "```")
		if !ok {
			t.Fatal("a fence is not closed")
		}
		list = append(list, code)
	}
	if list == nil {
		t.Fatalf("no %s block in the README", language)
	}
	return list
}

// scratch makes a module beside this one that uses it by replace.
func scratch(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on the path")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "go.mod", "module scratch\n\ngo 1.24\n\nrequire halfspace v0.0.0\n\nreplace halfspace => "+root+"\n")
}

// run executes a command in dir, with the folder of the binary on the path.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command(args[0], args[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// The commands of the README run as they stand, in a folder of their own, and
// then its programs, in a module that has what the commands have made.
func TestReadme(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	dir := scratch(t)
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "halfspace"), ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, script := range blocks(t, "sh") {
		run(t, dir, "sh", "-e", "-c", script)
	}
	for _, code := range blocks(t, "go") {
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(code), 0o644); err != nil {
			t.Fatal(err)
		}
		got := run(t, dir, "go", "run", ".")
		_, want, ok := strings.Cut(code, "// Output:\n")
		if !ok {
			t.Fatal("a program without its output")
		}
		want = strings.NewReplacer("\t", "", "// ", "").Replace(strings.TrimSuffix(strings.TrimSpace(want), "}"))
		if got != strings.TrimSpace(want) {
			t.Errorf("got\n%s\nthe README says\n%s", got, want)
		}
	}
}

// The README's Makefile makes all parts of the first round, whatever state those that are there answer.
func TestMakefile(t *testing.T) {
	for _, tool := range []string{"sh", "make", "mv"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s", tool)
		}
	}
	command, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, "Makefile", blocks(t, "make")[0])
	if err := os.Symlink(command, filepath.Join(dir, "halfspace")); err != nil {
		t.Skip(err)
	}
	t.Setenv("HALFSPACE_BE_THE_COMMAND", "1")
	for name, text := range map[string]string{"a.csv": "x,class\n1,u\n2,v\n3,v\n", "b.csv": "x,class\n2,u\n4,v\n1,u\n", "b.json": "of the last state\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(dir, "b.csv"), time.Time{}, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "make")
	if text, err := os.ReadFile(filepath.Join(dir, "model.json")); err != nil || !strings.Contains(string(text), "logistic") {
		t.Errorf("%v: %s", err, text)
	}
}
