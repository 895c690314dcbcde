package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDemo(t *testing.T) {
	dir := t.TempDir()
	if out := ok(t, dir, "demo", "-list"); strings.Count(out, "[ESL §") < 20 || !strings.Contains(out, "\nSeparating planes\n") {
		t.Errorf("%s", out)
	}
	if out := ok(t, dir, "demo", "-steps"); !strings.Contains(out, "M* = M·W^(−1/2)") || !strings.Contains(out, "α = (") {
		t.Errorf("%s", out)
	}
	out := ok(t, dir, "demo", "-seed", "2", "-out", "pictures", "losses")
	if !strings.Contains(out, "hinge") {
		t.Errorf("%s", out)
	}
	for _, name := range []string{"losses.svg", "index.html"} {
		if _, err := os.Stat(filepath.Join(dir, "pictures", name)); err != nil {
			t.Error(err)
		}
	}
}
