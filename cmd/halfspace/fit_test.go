package main

import (
	"bytes"
	"strings"
	"testing"

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
