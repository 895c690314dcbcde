package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlotAndGen(t *testing.T) {
	dir := t.TempDir()
	ok(t, dir, "fit", "-method", "qda", "-o", "m.json", iris(t))
	ok(t, dir, "plot", "-x", "petal_length", "-y", "petal_width", "-o", "m.svg", "m.json", iris(t))
	svg, err := os.ReadFile(filepath.Join(dir, "m.svg"))
	if err != nil || !bytes.Contains(svg, []byte("petal_length")) || !bytes.Contains(svg, []byte("versicolor")) {
		t.Errorf("%d bytes of SVG, %v", len(svg), err)
	}
	if r := halfspace(t, dir, "", "plot", "-x", "nosuch", "m.json", iris(t)); r.status != 1 || !strings.Contains(r.stderr, "petal_length") {
		t.Errorf("%+v", r)
	}
	if code := ok(t, dir, "gen", "-package", "flowers", "m.json"); !strings.Contains(code, "package flowers") || !strings.Contains(code, "func Predict") {
		t.Errorf("%s", code)
	}
	ok(t, dir, "fit", "-method", "ols", "-label", "petal_width", "-o", "ols.json", iris(t))
	ok(t, dir, "plot", "-x", "petal_length", "-o", "ols.svg", "ols.json", iris(t))
	if r := halfspace(t, dir, "", "plot", "-y", "sepal_width", "ols.json", iris(t)); r.status != 1 || r.stdout != "" {
		t.Errorf("an axis that a regression does not have: %+v", r)
	}
	for args, status := range map[string]int{"gen m.json": 2, "gen -package a-b m.json": 2, "gen -package x": 2} {
		if r := halfspace(t, dir, "", strings.Fields(args)...); r.status != status {
			t.Errorf("%s: %+v", args, r)
		}
	}
}

// The path of a model with weights is that of weighted rows; other pictures need no weights.
func TestPathsOfWeightedModels(t *testing.T) {
	dir := write(t, "w.csv", "a,b,w,y\n1,2,1,1\n2,1,5,3\n3,3,1,2\n4,1,9,5\n5,4,2,4\n6,2,1,9\n7,7,3,6\n8,5,1,7\n9,6,4,1\n10,9,1,8\n")
	ok(t, dir, "fit", "-method", "ridge", "-lambda", "1", "-weights", "w", "-o", "m.json", "w.csv")
	ok(t, dir, "fit", "-method", "ridge", "-lambda", "1", "-drop", "w", "-o", "plain.json", "w.csv")
	for _, kind := range []string{"path", "cv"} {
		if ok(t, dir, "plot", "-kind", kind, "m.json", "w.csv") == ok(t, dir, "plot", "-kind", kind, "plain.json", "w.csv") {
			t.Errorf("weights do not change the %s", kind)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "none.csv"), []byte("a,b,y\n1,2,1\n2,1,3\n3,3,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ok(t, dir, "plot", "-kind", "residuals", "m.json", "none.csv")
	if r := halfspace(t, dir, "", "plot", "-kind", "path", "m.json", "none.csv"); r.status != 1 || !strings.Contains(r.stderr, `no column "w"`) {
		t.Errorf("%+v", r)
	}
}
