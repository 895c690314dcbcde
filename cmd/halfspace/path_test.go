package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"halfspace/linalg/linalgtest"
)

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
