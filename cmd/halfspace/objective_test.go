package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A flag of audit replaces the option of the model, whatever its value, and no other option.
func TestFlagsOfAuditReplaceOptionsOfTheModel(t *testing.T) {
	dir := write(t, "two.csv", "a,b,class\n1,2,x\n2,1,y\n3,3,x\n2,4,y\n5,1,x\n4,4,y\n1,1,x\n")
	if err := os.WriteFile(filepath.Join(dir, "y.csv"), []byte("a,y\n1,2\n2,3.5\n3,3.7\n4,6\n5,5.2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	objective := func(args string) float64 {
		return decode(t, ok(t, dir, strings.Fields(args)...))["objective"].(float64)
	}
	for _, c := range []struct{ fit, flags, same string }{
		{"-method logistic -lambda 1 two.csv", "-lambda 0", "-lambda 0"},
		{"-method logistic -lambda 1 -l1-ratio 0.5 two.csv", "-lambda 0", "-lambda 0"},
		{"-method logistic -lambda 1 two.csv", "-l1-ratio 0.5", "-lambda 1 -l1-ratio 0.5"},
		{"-method logistic -lambda 1 -standardize two.csv", "-standardize=false", "-lambda 1"},
		{"-method logistic -lambda 1 -standardize two.csv", "-lambda 2", "-lambda 2 -standardize"},
		{"-method logistic -lambda 1 -no-intercept two.csv", "-lambda 1", "-lambda 1 -no-intercept"},
		{"-method svr -epsilon 0.5 y.csv", "-epsilon 0.1", ""},
		{"-method svr -epsilon 0.5 y.csv", "-epsilon 0", "-epsilon 0"},
		{"-method ridge -lambda 1 y.csv", "-lambda 0", "-lambda 0"},
		{"-method lasso -lambda 1 -l1-ratio 0.5 y.csv", "-l1-ratio 0", "-lambda 1 -l1-ratio 1"},
		{"-method lasso -lambda 1 -l1-ratio 0.5 y.csv", "-lambda 0", "-lambda 0"},
		{"-method svc -class-weight balanced -" + "C 3 two.csv", "-" + "C 2", "-class-weight balanced -" + "C 2"},
	} {
		file := c.fit[strings.LastIndex(c.fit, " ")+1:]
		name := strings.Fields(c.fit)[1]
		ok(t, dir, strings.Fields("fit -o m.json "+c.fit)...)
		ok(t, dir, strings.Fields("audit "+c.flags+" -fix fixed.json m.json "+file)...)
		want := objective("fit -json -o want.json -method " + name + " " + c.same + " " + file)
		if got := objective("audit -json " + c.same + " fixed.json " + file); !(math.Abs(got-want) <= 1e-6*want) {
			t.Errorf("fit %s; audit %s -fix: the objective is %v, want %v", c.fit, c.flags, got, want)
		}
		if got, want := objective("audit -json "+c.flags+" want.json "+file), objective("audit -json want.json "+file); !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("fit %s; audit %s: the objective is %v, want %v", c.same, c.flags, got, want)
		}
	}
	ok(t, dir, "data", "-o", "iris.csv", "iris")
	for _, c := range []struct{ fit, flags, says string }{
		{"-method svc iris.csv", "-multi ovr", "multi"},
		{"-method svc -multi ovr iris.csv", "-multi ovo", "multi"},
		{"-method svc two.csv", "-standardize", "standardize"},
		{"-method svc -standardize two.csv", "-standardize=false", "standardize"},
	} {
		ok(t, dir, strings.Fields("fit -o m.json "+c.fit)...)
		if r := halfspace(t, dir, "", strings.Fields("audit "+c.flags+" m.json "+c.fit[strings.LastIndex(c.fit, " ")+1:])...); r.status != 1 || !strings.Contains(r.stderr, c.says) {
			t.Errorf("fit %s; audit %s: %+v", c.fit, c.flags, r)
		}
	}
}

// A model that was fitted with weights is audited, and fitted again, with them.
func TestAuditReadsTheWeightsOfTheFit(t *testing.T) {
	dir := write(t, "two.csv", "a,w,class\n1,3,x\n2,1,y\n3,0.5,x\n2,2,y\n5,1,y\n")
	if err := os.WriteFile(filepath.Join(dir, "plain.csv"), []byte("a,class\n1,x\n2,y\n3,x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	fit := decode(t, ok(t, dir, "fit", "-json", "-method", "logistic", "-lambda", "1", "-weights", "w", "-o", "m.json", "two.csv"))
	for _, c := range []struct {
		flags string
		same  bool
	}{{"-fix fixed.json", true}, {"-weights w", true}, {"-weights=", false}} {
		a := decode(t, ok(t, dir, append(append([]string{"audit", "-json"}, strings.Fields(c.flags)...), "m.json", "two.csv")...))
		if got, want := a["objective"].(float64), fit["objective"].(float64); (math.Abs(got-want) < 1e-9*want) != c.same {
			t.Errorf("audit %s: the objective is %v, of the fit %v", c.flags, got, want)
		}
	}
	if a := decode(t, ok(t, dir, "audit", "-json", "fixed.json", "two.csv")); !(math.Abs(a["objective"].(float64)-fit["objective"].(float64)) <= 1e-9) {
		t.Error(a)
	}
	if r := halfspace(t, dir, "", "audit", "m.json", "plain.csv"); r.status != 1 || !strings.Contains(r.stderr, `"w"`) {
		t.Errorf("without the column of weights: %+v", r)
	}
}
