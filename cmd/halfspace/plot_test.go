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
