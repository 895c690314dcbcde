package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestPredictAndEval(t *testing.T) {
	dir := t.TempDir()
	ok(t, dir, "fit", "-method", "lda", "-o", "m.json", iris(t))
	lines := strings.Split(strings.TrimSpace(ok(t, dir, "predict", "m.json", iris(t))), "\n")
	if len(lines) != 151 || lines[0] != "class" || lines[1] != "setosa" || lines[150] != "virginica" {
		t.Errorf("%d lines: %q … %q", len(lines), lines[0], lines[len(lines)-1])
	}
	proba := ok(t, dir, "predict", "-proba", "m.json", iris(t))
	if head, _, _ := strings.Cut(proba, "\n"); head != "p_setosa,p_versicolor,p_virginica" {
		t.Errorf("header %q", head)
	}
	// Columns are found by name, in any order and without labels; "-" is standard input.
	r := halfspace(t, dir, "petal_width,extra,petal_length,sepal_width,sepal_length\n0.2,9,1.4,3.5,5.1\n", "predict", "m.json", "-")
	if r.status != 0 || r.stdout != "class\nsetosa\n" || !strings.Contains(r.stderr, "extra") {
		t.Errorf("%+v", r)
	}
	r = halfspace(t, dir, "petal_width,petal_length,sepal_length\n0.2,1.4,5.1\n", "predict", "m.json", "-")
	if r.status != 1 || !strings.Contains(r.stderr, "sepal_width") {
		t.Errorf("a missing column: %+v", r)
	}
	j := decode(t, ok(t, dir, "eval", "-json", "m.json", iris(t)))
	if j["error"] != 0.02 || j["n"] != 150.0 || fmt.Sprint(j["confusion"]) != "[[50 0 0] [0 48 2] [0 1 49]]" {
		t.Errorf("%v", j)
	}
	for _, key := range []string{"log_loss", "predict_seconds"} {
		if _, there := j[key].(float64); !there {
			t.Errorf("no %q", key)
		}
	}
	if r := halfspace(t, dir, "", "predict", "-proba", "m.json", iris(t), "surplus"); r.status != 2 {
		t.Errorf("a surplus argument: %+v", r)
	}
}

// A cell that is missing is filled, and the offset of its row counts.
func TestPredictionsOfRowsWithGapsAndAnOffset(t *testing.T) {
	dir := write(t, "g.csv", "a,o,class\n1,0.5,u\n2,-1,v\n,0.1,u\n4,1,v\n5,0.3,u\n")
	ok(t, dir, "fit", "-method", "logistic", "-lambda", "1", "-na", "impute", "-offset", "o", "-o", "m.json", "g.csv")
	if out := ok(t, dir, "predict", "-proba", "m.json", "g.csv"); strings.Count(out, "\n") != 6 || strings.Contains(out, "NaN") {
		t.Error(out)
	}
	ok(t, dir, "predict", "m.json", "g.csv")
	ok(t, dir, "eval", "m.json", "g.csv")
}
