package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"halfspace/linalg/linalgtest"
)

// The test binary is the command when the environment asks for it, so that
// tests see real processes: standard streams, files and exit statuses.
func TestMain(m *testing.M) {
	if os.Getenv("HALFSPACE_BE_THE_COMMAND") != "" {
		main()
	}
	os.Exit(m.Run())
}

type result struct {
	stdout, stderr string
	status         int
}

// halfspace runs the command in dir.
func halfspace(t testing.TB, dir, stdin string, args ...string) result {
	t.Helper()
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), "HALFSPACE_BE_THE_COMMAND=1")
	c.Dir = dir
	c.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	return result{out.String(), errs.String(), c.ProcessState.ExitCode()}
}

// ok runs the command and wants status 0.
func ok(t testing.TB, dir string, args ...string) string {
	t.Helper()
	r := halfspace(t, dir, "", args...)
	if r.status != 0 {
		t.Fatalf("halfspace %s: status %d\n%s", strings.Join(args, " "), r.status, r.stderr)
	}
	return r.stdout
}

func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func iris(t testing.TB) string { return linalgtest.DataFile(t, "iris.csv") }

// write makes a file in a new folder and returns the folder.
func write(t testing.TB, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}
