package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// TestFitOutlivesItsInference asks for the standard errors of a fit to other
// data, which have a column less: the summary comes without its table, and a
// warning says why.
func TestFitOutlivesItsInference(t *testing.T) {
	read := func(text string) *dataset.Data {
		d, err := dataset.Read("t.csv", strings.NewReader(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := read("a,b,y\n1,3,u\n2,1,v\n3,2,u\n4,4,v\n5,1,u\n6,5,v\n7,3,u\n8,1,v\n")
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	var o method.Options
	model, err := m.Fit(d, &o)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	a := &app{stderr: &stderr}
	if s := a.summary(model, d, &o, 0); s.Table == nil || stderr.Len() > 0 {
		t.Fatalf("table %v, warned %q", s.Table, stderr.String())
	}
	s := a.summary(model, read("a,y\n1,u\n2,u\n3,v\n4,u\n5,v\n6,u\n"), &o, 0)
	if s.Table != nil || s.Deviance != nil || len(s.Coef) != 1 {
		t.Errorf("summary %+v", s)
	}
	if w := stderr.String(); !strings.HasPrefix(w, "halfspace: warning: no standard errors: logistic: ") || strings.Count(w, "\n") != 1 {
		t.Errorf("warned %q", w)
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
	if d := j["deviance"].(float64); !(math.Abs(d-472.14) <= 0.005) {
		t.Errorf("deviance %v, want 472.14", d)
	}
	if d := j["null_deviance"].(float64); !(math.Abs(d-596.1084) <= 5e-5) {
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
