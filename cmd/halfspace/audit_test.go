package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A model of LIBLINEAR is imported, predicted with, audited and fixed, as it is or from its
// imported file.
func TestModelsFromElsewhereAreAuditedAndFixed(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("d.svm", "5 1:1 2:1\n5 1:2\n-3 2:2\n-3 1:1.5 2:3\n5 1:1\n-3 1:2 2:1\n")
	write("tool.model", "solver_type L2R_LR\nnr_class 2\nlabel 5 -3\nnr_feature 2\nbias 1\nw\n0.6\n-0.7\n0.1\n")
	ok(t, dir, "import", "-o", "m.json", "tool.model")
	if got := ok(t, dir, "predict", "m.json", "d.svm"); got != "class\n5\n5\n-3\n-3\n5\n5\n" {
		t.Errorf("predictions %q", got)
	}
	for _, model := range []string{"tool.model", "m.json"} {
		a := decode(t, ok(t, dir, "audit", "-json", "-lambda", "1", "-fix", "fixed.json", model, "d.svm"))
		excess, objective, least := a["excess"].(float64), a["objective"].(float64), a["minimum"].(float64)
		rows := a["rows"].([]any)
		if a["status"] != "audited" || !(excess > 1e-4) || objective-excess-least > 1e-12 || len(rows) == 0 || rows[0].(map[string]any)["label"] == nil {
			t.Errorf("%s: %v", model, a)
		}
		fixed := decode(t, ok(t, dir, "audit", "-json", "-lambda", "1", "fixed.json", "d.svm"))
		c := fixed["certificate"].(map[string]any)
		if v := fixed["objective"].(float64); v < least || v > objective || c["value"].(float64) > c["tol"].(float64) {
			t.Errorf("%s: fixed %v, before %v", model, fixed, a)
		}
	}
	if text := ok(t, dir, "audit", "-lambda", "1", "m.json", "d.svm"); !strings.Contains(text, "the minimum is at least") || !strings.Contains(text, "part of the excess") {
		t.Error(text)
	}
	write("apart.svm", "5 1:1\n-3 2:1\n5 1:3 2:1\n-3 1:1 2:3\n")
	if a := decode(t, ok(t, dir, "audit", "-json", "m.json", "apart.svm")); !strings.Contains(a["no_minimum"].(string), "separated") || a["failure"].(map[string]any)["evidence"] == nil {
		t.Error(a)
	}
	if csv := ok(t, dir, "import", "-as", "csv", "m.json"); csv != "feature,5\n(Intercept),0.1\nx1,0.6\nx2,-0.7\n" {
		t.Error(csv)
	}
	if back := ok(t, dir, "import", "-as", "liblinear", "m.json"); !strings.HasPrefix(back, "solver_type L2R_LR\nnr_class 2\nlabel 5 -3\n") {
		t.Error(back)
	}
	write("broken.model", "solver_type L2R_LR\nnr_class 2\nlabel 5 -3\nnr_feature 2\nbias 1\nw\n0.6\nx\n0.1\n")
	if r := halfspace(t, dir, "", "import", "broken.model"); r.status != 1 || !strings.Contains(r.stderr, `broken.model: exchange: LIBLINEAR model, line 8: "x" is not a finite number`) {
		t.Error(r)
	}
}

// What did not converge is not saved as the converged fit.
func TestAuditFixesByConvergedFits(t *testing.T) {
	dir := write(t, "two.csv", "a,b,class\n1,2,x\n2,1,y\n3,3,x\n2,4,y\n5,1,x\n4,4,y\n1,1,x\n")
	ok(t, dir, "fit", "-method", "logistic", "-lambda", "1", "-o", "m.json", "two.csv")
	r := halfspace(t, dir, "", "audit", "-lambda", "0.01", "-max-iter", "1", "-fix", "fixed.json", "m.json", "two.csv")
	if _, err := os.Stat(filepath.Join(dir, "fixed.json")); r.status != 1 || !os.IsNotExist(err) || !strings.Contains(r.stderr, "converge") {
		t.Errorf("%+v, the file: %v", r, err)
	}
}

// LIBLINEAR's files have numbers for labels of text, which are said.
func TestNumbersOfLabelsOfTextAreSaid(t *testing.T) {
	dir := write(t, "two.csv", "a,class\n1,x\n2,y y\n3,x\n4,y y\n")
	ok(t, dir, "fit", "-method", "logistic", "-lambda", "1", "-o", "m.json", "two.csv")
	if r := halfspace(t, dir, "", "import", "-as", "liblinear", "m.json"); r.status != 0 || !strings.Contains(r.stdout, "label 1 0") || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, `0 is "x", 1 is "y y"`) {
		t.Errorf("%+v", r)
	}
}
