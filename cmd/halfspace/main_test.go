package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
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

func TestErrorsAreOneLineWithAStatus(t *testing.T) {
	dir := write(t, "bad.csv", "a,b,class\n1,2,x\n3,abc,y\n")
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("one.csv", "a,class\n1,x\n2,x\n")
	put("nan.csv", "a,class\n1,x\nNaN,y\n")
	put("empty.csv", "a,class\n1,x\n,y\n")
	put("ragged.csv", "a,class\n1,x\n2,3,y\n")
	put("text.csv", "a,y\n1,x\n2,z\n")
	put("model.json", "{}")
	put("sep.csv", "a,class\n1,x\n2,x\n3,y\n4,y\n")
	put("negative.csv", "a,w,class\n1,1,x\n2,-1,y\n")
	put("twice.csv", "a,b,class\n1,2,x\n2,4,y\n3,6,x\n5,10,y\n")
	put("flat.csv", "a,b,class\n1,2,x\n2,2,x\n3,2,x\n5,1,y\n4,3,y\n6,7,y\n")
	put("mixed.csv", "a,class\n1,x\n2,y\n3,x\n4,y\n")
	if r := halfspace(t, dir, "", "moments", "-o", "moments.json", "sep.csv"); r.status != 0 {
		t.Fatal(r.stderr)
	}
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"", 2, "usage"},
		{"frobnicate", 2, `no command "frobnicate"`},
		{"fit bad.csv", 2, "-method is missing"},
		{"fit -method nosuch bad.csv", 2, `no method "nosuch"`},
		{"fit -method lda -lambda 1 bad.csv", 2, "lda takes no -lambda"},
		{"fit -method lda", 2, "want DATA"},
		{"fit -method svc -C abc bad.csv", 2, "invalid value"},
		{"fit -nosuchflag", 2, "-nosuchflag"},
		{"fit -method lda bad.csv", 1, `halfspace: bad.csv:3: column 2: "abc" is not a number`},
		{"fit -method lda nan.csv", 1, "halfspace: nan.csv:3: column 1"},
		{"fit -method lda empty.csv", 1, "halfspace: empty.csv:3: column 1"},
		{"fit -method lda ragged.csv", 1, "halfspace: ragged.csv:3:"},
		{"fit -method lda nofile.csv", 1, "nofile.csv"},
		{"fit -method lda one.csv", 1, "only class"},
		{"fit -method logistic sep.csv", 1, "separated"},
		{"fit -method lda -label nosuch sep.csv", 1, "nosuch"},
		{"predict", 2, "want MODEL.json DATA"},
		{"predict model.json sep.csv", 1, "halfspace: model.json:"},
		{"predict nofile.json sep.csv", 1, "nofile.json"},
		{"eval bad.csv sep.csv", 1, "halfspace: bad.csv:"},
		{"cv -method lda -grid lambda sep.csv", 2, "grid"},
		{"cv -method lda -grid lambda=1 sep.csv", 2, "lda takes no -lambda"},
		{"cv -method svc -grid C=x -folds 2 sep.csv", 2, "option C"},
		{"cv -method svc -grid C=1 -grid C= sep.csv", 2, "grid"},
		{"cv -method svc -folds 1 sep.csv", 2, "-folds is 1"},
		{"cv -method svc -folds 9 sep.csv", 1, "9 folds but 4 rows"},
		{"fit -method svc -format xml sep.csv", 2, "csv or libsvm"},
		{"fit -method rda -gamma 2 sep.csv", 2, "0 to 1"},
		{"fit -method lda -moments -weights a model.json", 2, "moments files take no -weights"},
		{"fit -method logistic -moments moments.json", 2, "logistic takes no -moments"},
		{"fit -method perceptron -weights a sep.csv", 2, "perceptron takes no -weights"},
		{"cv -method lda -offset a sep.csv", 2, "lda takes no -offset"},
		{"fit -method lda -weights w negative.csv", 1, `halfspace: negative.csv:3: column 2: "-1" is a negative weight`},
		{"fit -method lda twice.csv", 1, `column 1 is "b"`},
		{"fit -method qda flat.csv", 1, `class 0 is "x"`},
		{"fit -method hardmargin mixed.csv", 1, `class 1 is "y", class 0 is "x"`},
		{"path -method svc -l1-ratio 1 sep.csv", 2, "-l1-ratio"},
		{"path -method logistic -lambdas 0 sep.csv", 2, "-lambdas is 0"},
		{"gen -package a-b model.json", 2, "not a name"},
		{"demo nosuch", 2, `no experiment "nosuch"`},
	} {
		r := halfspace(t, dir, "", strings.Fields(c.args)...)
		if r.status != c.status || !strings.Contains(r.stderr, c.says) {
			t.Errorf("halfspace %s: status %d, want %d; said %q, want %q", c.args, r.status, c.status, r.stderr, c.says)
		}
		if c.args != "" && (strings.Count(r.stderr, "\n") != 1 || r.stdout != "") {
			t.Errorf("halfspace %s: want one line on standard error and nothing on standard output, got %q and %q", c.args, r.stderr, r.stdout)
		}
	}
}

func TestHelp(t *testing.T) {
	if out := ok(t, "", "-h"); !strings.Contains(out, "halfspace fit") {
		t.Errorf("-h: %s", out)
	}
	for _, c := range commands() {
		out := ok(t, "", c.name, "-h")
		if !strings.Contains(out, "example: halfspace "+c.name) || !strings.HasPrefix(out, "usage: halfspace "+c.name) {
			t.Errorf("%s -h: %s", c.name, out)
		}
	}
}

func TestFitPrintsTheContract(t *testing.T) {
	for _, c := range []struct {
		args string
		coef int // rows; 0: means and priors instead
		has  []string
	}{
		{"lda", 3, nil},
		{"qda", 0, []string{"means", "priors"}},
		{"svc", 3, []string{"support"}},
		{"svc -multi ovr", 3, []string{"support"}},
		{"logistic -lambda 1", 3, nil},
	} {
		j := decode(t, ok(t, "", append([]string{"fit", "-json", "-method"}, append(strings.Fields(c.args), iris(t))...)...))
		for _, key := range append([]string{"method", "n", "p", "classes", "features", "fit_seconds", "status", "iterations", "objective", "certificate"}, c.has...) {
			if _, there := j[key]; !there {
				t.Errorf("%s: no %q", c.args, key)
			}
		}
		if fmt.Sprint(j["classes"]) != "[setosa versicolor virginica]" || j["n"] != 150.0 || j["p"] != 4.0 {
			t.Errorf("%s: %v %v %v", c.args, j["classes"], j["n"], j["p"])
		}
		cert := j["certificate"].(map[string]any)
		if cert["value"].(float64) > cert["tol"].(float64) || cert["kind"] == "" {
			t.Errorf("%s: certificate %v", c.args, cert)
		}
		coef, _ := j["coef"].([]any)
		if len(coef) != c.coef {
			t.Errorf("%s: %d rows of coef, want %d", c.args, len(coef), c.coef)
		}
	}
}

// ESL Table 4.2's data with all nine features, the figures of R's glm.
func TestFitHeartDisease(t *testing.T) {
	data := linalgtest.DataFile(t, "SAheart.csv")
	j := decode(t, ok(t, "", "fit", "-json", "-method", "logistic", data))
	if d := j["deviance"].(float64); math.Abs(d-472.14) > 0.005 {
		t.Errorf("deviance %v, want 472.14", d)
	}
	if d := j["null_deviance"].(float64); math.Abs(d-596.1084) > 5e-5 {
		t.Errorf("null deviance %v, want 596.1084", d)
	}
	if fmt.Sprint(j["classes"]) != "[0 1]" {
		t.Errorf("classes %v", j["classes"])
	}
	var terms []string
	for _, row := range j["table"].([]any) {
		terms = append(terms, row.(map[string]any)["term"].(string))
	}
	if got := strings.Join(terms, " "); got != "(Intercept) sbp tobacco ldl adiposity famhist=Present typea obesity alcohol age" {
		t.Errorf("terms %s", got)
	}
	if text := ok(t, "", "fit", "-method", "logistic", data); !strings.Contains(text, "famhist=Present") || !strings.Contains(text, "472.1") {
		t.Errorf("summary: %s", text)
	}
}

// The report of three classes has their labels, not their codes.
func TestFitReportHasLabels(t *testing.T) {
	dir := write(t, "d.csv", "x,class\n1,20\n2,10\n3,30\n4,10\n5,20\n6,30\n7,10\n2,30\n")
	if text := ok(t, dir, "fit", "-method", "logistic", "d.csv"); !strings.Contains(text, "10:x\t") || !strings.Contains(text, "20:(Intercept)\t") {
		t.Errorf("%s", text)
	}
}

// The margin is that of the plane that is printed.
func TestMarginOfStandardizedFit(t *testing.T) {
	dir := write(t, "d.csv", "x,y,class\n1,200,a\n2,100,b\n1,300,a\n3,100,b\n2.5,100,a\n1.5,200,b\n")
	for _, m := range []string{"svc", "svc -standardize"} {
		j := decode(t, ok(t, dir, append([]string{"fit", "-json", "-method"}, append(strings.Fields(m), "d.csv")...)...))
		b := j["coef"].([]any)[0].([]any)
		linalgtest.Close(t, m, j["margin"].(float64), 1/math.Hypot(b[0].(float64), b[1].(float64)), 1e-12)
	}
}

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

// Two classes of four methods have one row of coefficients, positive for the
// larger label.
func TestTwoClassesHaveOneRow(t *testing.T) {
	dir := write(t, "two.csv", "x,y,class\n0,0,a\n1,0,a\n0,1,a\n3,3,b\n4,3,b\n3,4,b\n")
	for _, m := range []string{"logistic -lambda 1", "perceptron", "svc", "svc -standardize", "perceptron -standardize"} {
		j := decode(t, ok(t, dir, append([]string{"fit", "-json", "-method"}, append(strings.Fields(m), "two.csv")...)...))
		coef, intercept := j["coef"].([]any), j["intercept"].([]any)
		if len(coef) != 1 || len(intercept) != 1 {
			t.Errorf("%s: coef %v, intercept %v", m, coef, intercept)
			continue
		}
		f := func(x, y float64) float64 {
			b := coef[0].([]any)
			return intercept[0].(float64) + b[0].(float64)*x + b[1].(float64)*y
		}
		if f(0, 0) >= 0 || f(4, 4) <= 0 {
			t.Errorf("%s: f(0, 0) = %v, f(4, 4) = %v", m, f(0, 0), f(4, 4))
		}
	}
}

func TestNotConvergedIsAWarning(t *testing.T) {
	dir := write(t, "xor.csv", "x,y,class\n0,0,a\n1,1,a\n0,1,b\n1,0,b\n")
	r := halfspace(t, dir, "", "fit", "-json", "-method", "perceptron", "-max-epochs", "5", "xor.csv")
	j := decode(t, r.stdout)
	if r.status != 0 || !strings.Contains(r.stderr, "warning") || j["status"] != "max_iterations" || j["misclassified"].(float64) < 1 {
		t.Errorf("%+v", r)
	}
}

func TestMomentsOfPartsFitTheWhole(t *testing.T) {
	text, err := os.ReadFile(iris(t))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSpace(string(text))+"\n", "\n")
	dir := write(t, "a.csv", strings.Join(lines[:71], ""))
	if err := os.WriteFile(filepath.Join(dir, "b.csv"), []byte(lines[0]+strings.Join(lines[71:], "")), 0o644); err != nil {
		t.Fatal(err)
	}
	ok(t, dir, "moments", "-o", "a.json", "a.csv") // no virginica in this part
	b := ok(t, dir, "moments", "b.csv")            // no setosa in this
	r := halfspace(t, dir, b, "fit", "-json", "-moments", "-method", "qda", "a.json", "-")
	if r.status != 0 {
		t.Fatal(r.stderr)
	}
	merged := decode(t, r.stdout)
	whole := decode(t, ok(t, dir, "fit", "-json", "-method", "qda", iris(t)))
	linalgtest.Close(t, "objective", merged["objective"].(float64), whole["objective"].(float64), 1e-12)
	if fmt.Sprint(merged["classes"]) != fmt.Sprint(whole["classes"]) || merged["n"] != whole["n"] {
		t.Errorf("%v rows of %v", merged["n"], merged["classes"])
	}
}

func TestCrossValidation(t *testing.T) {
	args := []string{"cv", "-json", "-method", "svc", "-grid", "C=0.01,1", "-folds", "5", iris(t)}
	j := decode(t, ok(t, "", args...))
	points := j["points"].([]any)
	if len(points) != 2 || j["best"] != 1.0 {
		t.Errorf("%v", j)
	}
	loss := points[1].(map[string]any)["loss"].(float64)
	if loss <= 0 || loss > 0.1 {
		t.Errorf("error %v at C = 1", loss)
	}
	if again := ok(t, "", append(args[:len(args)-1:len(args)-1], "-workers", "1", iris(t))...); again != ok(t, "", args...) {
		t.Error("the result depends on the number of workers")
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
	ok(t, dir, "predict", "-o", "out.csv", link, iris(t))
	if j := decode(t, ok(t, dir, "fit", "-json", "-method", "lda", "-o", "-", iris(t))); j["kind"] != "halfspace" {
		t.Errorf("a model on standard output: %v", j)
	}
}

// Predictions add the offset of the new rows, as R's do, and so does the score of
// a fold.
func TestOffset(t *testing.T) {
	dir := write(t, "d.csv", "x,o,class\n1,1,0\n2,2,1\n3,1,0\n4,2,1\n5,1,1\n6,2,0\n")
	ok(t, dir, "fit", "-method", "logistic", "-offset", "o", "-o", "m.json", "d.csv")
	r := halfspace(t, dir, "o,x\n0,1\n1,1\n", "predict", "-proba", "m.json", "-")
	// R 4.2.2: predict(glm(class ~ x, binomial, offset = o), newdata, type = "response")
	for i, want := range []float64{0.170639097, 0.358678459} {
		var p float64
		if _, err := fmt.Sscanf(strings.Split(r.stdout, "\n")[i+1], "%f,", &p); err != nil || math.Abs(1-p-want) > 1e-8 {
			t.Errorf("row %d: %v, %v; want %v of class 1 in %+v", i, 1-p, err, want, r)
		}
	}
	if r := halfspace(t, dir, "x\n1\n", "predict", "m.json", "-"); r.status != 1 || !strings.Contains(r.stderr, `no column "o"`) {
		t.Errorf("without the offset: %+v", r)
	}
	if code := ok(t, dir, "gen", "-package", "p", "m.json"); !strings.Contains(code, `offset "o"`) {
		t.Error("the code does not say that it leaves the offset out")
	}
	// The response is nearly the offset, so without it the error is large.
	dir = write(t, "r.csv", "x,o,y\n1,10,10\n2,20,21\n3,-30,-30\n4,40,41\n5,-50,-50\n6,60,61\n")
	ok(t, dir, "fit", "-method", "ols", "-offset", "o", "-o", "m.json", "r.csv")
	if j := decode(t, ok(t, dir, "eval", "-json", "m.json", "r.csv")); j["mse"].(float64) > 1 {
		t.Errorf("eval: %v", j)
	}
	j := decode(t, ok(t, dir, "cv", "-json", "-method", "ols", "-offset", "o", "-folds", "3", "r.csv"))
	if loss := j["points"].([]any)[0].(map[string]any)["loss"].(float64); loss > 2 {
		t.Errorf("cv: mse %v", loss)
	}
	r = halfspace(t, dir, "", "fit", "-method", "logistic", "-lambda", "1", "-offset", "sepal_width", iris(t))
	if r.status != 1 || !strings.Contains(r.stderr, "two classes") {
		t.Errorf("three classes: %+v", r)
	}
}

// A path on standardised columns does not depend on their units, but for the
// coefficients, which are the data's.
func TestPathStandardizes(t *testing.T) {
	dir := write(t, "a.csv", "x,y,class\n0,0,a\n1,0,a\n0,1,a\n2,3,b\n4,3,b\n1,1,b\n")
	if err := os.WriteFile(filepath.Join(dir, "b.csv"), []byte("x,y,class\n0,0,a\n1000,0,a\n0,1,a\n2000,3,b\n4000,3,b\n1000,1,b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, m := range []string{"svc", "logistic"} {
		last := func(file string) (objective, slope float64) {
			j := decode(t, ok(t, dir, "path", "-json", "-lambdas", "5", "-standardize", "-method", m, file))
			path := j["path"].([]any)
			p := path[len(path)-1].(map[string]any)
			return p["objective"].(float64), p["coef"].([]any)[0].([]any)[0].(float64)
		}
		fa, ba := last("a.csv")
		fb, bb := last("b.csv")
		linalgtest.Close(t, m+": objective", fb, fa, 1e-6)
		linalgtest.Close(t, m+": slope", 1000*bb, ba, 1e-6)
	}
}

func TestPathPrintsTheContract(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(iris(t))
	if err != nil {
		t.Fatal(err)
	}
	var two []string
	for _, line := range strings.Split(string(text), "\n") {
		if !strings.Contains(line, "setosa") {
			two = append(two, line)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "two.csv"), []byte(strings.Join(two, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		keys []string
	}{
		{"logistic -standardize", []string{"lambda", "df", "dev_ratio", "objective", "intercept", "coef"}},
		{"svc", []string{"lambda", "df", "objective", "intercept", "coef"}},
		{"rda", []string{"alpha", "objective"}},
		{"lasso -label petal_width", []string{"lambda", "df", "dev_ratio", "objective", "intercept", "coef"}},
		{"ridge -label petal_width", []string{"lambda", "df", "dev_ratio", "objective", "intercept", "coef"}},
	} {
		j := decode(t, ok(t, dir, append(append([]string{"path", "-json", "-lambdas", "7", "-method"}, strings.Fields(c.args)...), "two.csv")...))
		path := j["path"].([]any)
		if len(path) == 0 || len(path) > 7 || j["fit_seconds"] == nil {
			t.Errorf("%s: %d points", c.args, len(path))
			continue
		}
		first, last := path[0].(map[string]any), path[len(path)-1].(map[string]any)
		for _, key := range c.keys {
			if last[key] == nil {
				t.Errorf("%s: no %q", c.args, key)
			}
		}
		if l, there := first["lambda"].(float64); there && l <= last["lambda"].(float64) {
			t.Errorf("%s: λ goes from %v to %v", c.args, l, last["lambda"])
		}
		if strings.HasPrefix(c.args, "l") && first["df"] != 0.0 {
			t.Errorf("%s: the path starts with %v coefficients", c.args, first["df"])
		}
	}
	if r := halfspace(t, dir, "", "path", "-method", "lda", "two.csv"); r.status != 2 {
		t.Errorf("lda has a path: %+v", r)
	}
	if r := halfspace(t, dir, "", "path", "-method", "logistic", "-lambda", "1", "two.csv"); r.status != 2 {
		t.Errorf("path takes -lambda: %+v", r)
	}
}

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

// Data in every form that the contract names give one model.
func TestDataFormats(t *testing.T) {
	text, err := os.ReadFile(iris(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, "iris.csv", string(text))
	var z bytes.Buffer
	g := gzip.NewWriter(&z)
	g.Write(text)
	g.Close()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("iris.csv.gz", z.String())
	_, rows, _ := strings.Cut(string(text), "\n")
	put("nohead.txt", rows)
	var svm, weighted strings.Builder
	weighted.WriteString("sepal_length,sepal_width,w,petal_length,petal_width,species\n")
	for _, line := range strings.Split(strings.TrimSpace(rows), "\n") {
		c := strings.Split(strings.TrimSpace(line), ",")
		fmt.Fprintf(&svm, "%s 1:%s 2:%s 3:%s 4:%s\n", c[4], c[0], c[1], c[2], c[3])
		fmt.Fprintf(&weighted, "%s,%s,1,%s,%s,%s\n", c[0], c[1], c[2], c[3], c[4])
	}
	put("iris.svm", svm.String())
	put("renamed", svm.String())
	put("w.csv", weighted.String())
	coef := func(out string) string { return fmt.Sprint(decode(t, out)["coef"]) }
	want := coef(ok(t, dir, "fit", "-json", "-method", "lda", "iris.csv"))
	for _, args := range []string{"iris.csv.gz", "-no-header nohead.txt", "iris.svm", "-format libsvm renamed", "-weights w w.csv", "-label species iris.csv"} {
		if got := coef(ok(t, dir, append([]string{"fit", "-json", "-method", "lda"}, strings.Fields(args)...)...)); got != want {
			t.Errorf("%s: coefficients %s, want %s", args, got, want)
		}
	}
	if r := halfspace(t, dir, string(text), "fit", "-json", "-method", "lda", "-"); r.status != 0 || coef(r.stdout) != want {
		t.Errorf("standard input: %+v", r)
	}
	put("wide.svm", strings.Repeat("0 1:1 16000000:1\n1 2:1\n", 100))
	if r := halfspace(t, dir, "", "fit", "-method", "lda", "wide.svm"); r.status != 1 || !strings.Contains(r.stderr, "GB") {
		t.Errorf("a matrix that does not fit: %+v", r)
	}
	if r := halfspace(t, dir, "", "fit", "-method", "ols", "iris.csv"); r.status != 1 || !strings.Contains(r.stderr, "number") {
		t.Errorf("text as a response: %+v", r)
	}
}

func TestDemo(t *testing.T) {
	dir := t.TempDir()
	if out := ok(t, dir, "demo", "-list"); strings.Count(out, "\n") != 20 {
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
