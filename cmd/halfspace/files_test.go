package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"halfspace/sim/method/report"
)

// Tables as other tools write them are fitted to with at most one flag, and a model reads
// one form after it was fitted to another.
func TestFilesOfOtherTools(t *testing.T) {
	exports, err := filepath.Abs("../../sim/dataset/testdata/exports")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(exports, name) }
	if r := halfspace(t, dir, "", "fit", "-method", "lda", in("r.csv")); r.status != 1 || !strings.Contains(r.stderr, "missing value") {
		t.Errorf("gaps without a rule: %+v", r)
	}
	for _, name := range []string{"r.csv", "r2.csv", "r.txt", "r.tsv", "pandas.csv", "pandas.tsv", "excel.csv"} {
		for _, na := range []string{"drop", "impute"} {
			if na == "impute" && name != "excel.csv" {
				continue
			}
			r := halfspace(t, dir, "", "fit", "-method", "lda", "-na", na, "-json", "-o", "m.json", in(name))
			var s report.Summary
			if err := json.Unmarshal([]byte(r.stdout), &s); err != nil || r.status != 0 {
				t.Fatalf("%s: %+v, %v", name, r, err)
			}
			if want := map[string]int{"drop": 14, "impute": 28}[na]; s.N != want || s.Features[4] != "site=north, upper" {
				t.Errorf("%s, %s: %d rows of %q", name, na, s.N, s.Features)
			}
			if rows := strings.Contains(r.stderr, "row names"); rows != strings.HasPrefix(name, "r") && name != "pandas.csv" {
				t.Errorf("%s: %s", name, r.stderr)
			}
			if r := halfspace(t, dir, "", "eval", "-na", "drop", "m.json", in("excel.csv")); r.status != 0 {
				t.Errorf("%s, %s, on excel.csv: %+v", name, na, r)
			}
		}
	}
	if r := halfspace(t, dir, "", "fit", "-method", "lda", "-zero-based", in("sklearn.svm")); r.status != 0 {
		t.Errorf("%+v", r)
	}
	r := halfspace(t, dir, "", "fit", "-method", "lda", "-na", "drop", "-drop", "site", "-categorical", "Temp", "-keep", "Temp,Wind", "-json", in("r.csv"))
	if !strings.Contains(r.stdout, `"Temp=59"`) || strings.Contains(r.stdout, "Ozone") {
		t.Errorf("%+v", r)
	}
}

func TestCrossValidatedPathSavesTheModel(t *testing.T) {
	dir := t.TempDir()
	iris := func(label string) []string { return []string{"-label", label, "iris.csv"} }
	ok(t, dir, "data", "-o", filepath.Join(dir, "iris.csv"), "iris")
	for _, c := range []struct{ method, label, loss, l1 string }{
		{"lasso", "sepal_length", "mse", ""}, {"ridge", "sepal_length", "mse", ""}, {"logistic", "species", "log_loss", "0.5"},
		{"svc", "species", "error", ""}, {"rda", "species", "log_loss", ""},
	} {
		args := []string{"cv", "-method", c.method, "-path", "-lambdas", "8", "-folds", "3", "-json", "-o", "m.json"}
		if c.l1 != "" {
			args = append(args, "-l1-ratio", c.l1)
		}
		r := halfspace(t, dir, "", append(args, iris(c.label)...)...)
		var cv report.CV
		if err := json.Unmarshal([]byte(r.stdout), &cv); err != nil || r.status != 0 {
			t.Fatalf("%s: %+v, %v", c.method, r, err)
		}
		one, best := cv.Points[cv.OneSE], cv.Points[cv.Best]
		if cv.Loss != c.loss || cv.OneSE > cv.Best || float64(one.Loss) > float64(best.Loss)+float64(best.SE) {
			t.Errorf("%s: %s, best %d, one se %d", c.method, cv.Loss, cv.Best, cv.OneSE)
		}
		if r := halfspace(t, dir, "", "eval", "m.json", "iris.csv"); r.status != 0 {
			t.Errorf("%s: %+v", c.method, r)
		}
	}
	if out := ok(t, dir, append([]string{"cv", "-method", "ridge", "-path", "-lambdas", "8", "-folds", "3"}, iris("sepal_length")...)...); strings.Contains(out, `"model"`) {
		t.Error("a model that nobody has asked for: ", out)
	}
	if r := halfspace(t, dir, "", append([]string{"cv", "-method", "svc", "-grid", "C=0.01,1", "-folds", "3", "-o", "m.json"}, iris("species")...)...); r.status != 0 ||
		strings.Contains(r.stdout, "NaN") || !strings.Contains(ok(t, dir, "gen", "-package", "p", filepath.Join(dir, "m.json")), "package p") {
		t.Errorf("%+v", r)
	}
	for _, args := range []string{"cv -method lda -path", "cv -method lasso -path -grid lambda=1", "cv -method lasso -path -repeats 2"} {
		if r := halfspace(t, dir, "", append(strings.Fields(args), "iris.csv")...); r.status != 2 {
			t.Errorf("%s: %+v", args, r)
		}
	}
}

// Errors of fits that have no solution name the flags that lead to one.
func TestErrorsNameFlagsThatThereAre(t *testing.T) {
	dir := write(t, "sep.csv", "a,class\n1,x\n2,x\n3,y\n4,y\n")
	for name, text := range map[string]string{"twice.csv": "a,b,class\n1,2,x\n2,4,y\n3,6,x\n5,10,y\n", "mixed.csv": "a,class\n1,x\n2,y\n3,x\n4,y\n",
		"flat.csv": "a,b,class\n1,2,x\n2,2,x\n3,2,x\n5,1,y\n4,3,y\n6,7,y\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for args, c := range map[string]struct{ says, then string }{
		"logistic sep.csv":     {"-firth", "-method logistic -firth sep.csv"},
		"lda twice.csv":        {"-gamma", "-method rda -gamma 0.5 twice.csv"},
		"logistic twice.csv":   {"-lambda", "-method logistic -lambda 1 twice.csv"},
		"qda flat.csv":         {"-alpha", "-method rda -alpha 0.5 flat.csv"},
		"hardmargin mixed.csv": {"-method svc", "-method svc -probability mixed.csv"},
	} {
		r := halfspace(t, dir, "", append([]string{"fit", "-method"}, strings.Fields(args)...)...)
		if r.status != 1 || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%s: %+v", args, r)
		}
		if r := halfspace(t, dir, "", append([]string{"fit"}, strings.Fields(c.then)...)...); r.status != 0 {
			t.Errorf("%s: %+v", c.then, r)
		}
	}
}

func TestVersionHelpAndPNG(t *testing.T) {
	for _, args := range []string{"--version", "-version", "version"} {
		if out := ok(t, "", args); !strings.HasPrefix(out, "halfspace ") || !strings.Contains(out, "go1") {
			t.Errorf("%s: %q", args, out)
		}
	}
	if a, b := ok(t, "", "help", "fit"), ok(t, "", "fit", "-h"); a != b || !strings.Contains(a, "-firth") {
		t.Errorf("help fit: %s", a)
	}
	if out := ok(t, "", "path", "-h"); strings.Contains(out, "-rank") || strings.Contains(out, "-pocket") || strings.Contains(out, "perceptron") {
		t.Errorf("path -h: %s", out)
	}
	dir := t.TempDir()
	iris, m, png := filepath.Join(dir, "iris.csv"), filepath.Join(dir, "m.json"), filepath.Join(dir, "x.png")
	ok(t, dir, "data", "-o", iris, "iris")
	ok(t, dir, "fit", "-method", "lda", "-o", m, iris)
	if r := halfspace(t, dir, "", "plot", "-kind", "boundary", "-o", png, m, iris); r.status != 0 || !strings.Contains(r.stderr, "slice") {
		t.Errorf("%+v", r)
	}
	if b, err := os.ReadFile(png); err != nil || !strings.HasPrefix(string(b), "\x89PNG") {
		t.Errorf("%.8q, %v", b, err)
	}
}
