package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"halfspace/linalg/linalgtest"
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
	if testing.Short() {
		t.Skip("builds programs")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on the path")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "go.mod", "module scratch\n\ngo 1.24\n\nrequire halfspace v0.0.0\n\nreplace halfspace => "+root+"\n")
}

func TestReadmePrograms(t *testing.T) {
	for _, code := range blocks(t, "go") {
		dir := scratch(t)
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(code), 0o644); err != nil {
			t.Fatal(err)
		}
		c := exec.Command("go", "run", ".")
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		_, want, ok := strings.Cut(code, "// Output:\n")
		if !ok {
			t.Fatal("a program without its output")
		}
		want = strings.NewReplacer("\t", "", "// ", "").Replace(strings.TrimSuffix(strings.TrimSpace(want), "}"))
		if got := strings.TrimSpace(string(out)); got != strings.TrimSpace(want) {
			t.Errorf("got\n%s\nthe README says\n%s", got, want)
		}
	}
}

// The commands of the README run as they stand, in a folder with iris.csv.
func TestReadmeCommands(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	dir := scratch(t)
	bin := filepath.Join(dir, "halfspace")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(linalgtest.DataFile(t, "iris.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "iris.csv"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, script := range blocks(t, "sh") {
		c := exec.Command("sh", "-e", "-c", script)
		c.Dir = dir
		c.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s\n%s", err, script, out)
		}
	}
}
