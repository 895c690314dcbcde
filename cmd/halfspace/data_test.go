package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
	put("wide.svm", strings.Repeat("0 1:1 400000:1\n1 2:1\n", 1000))
	if r := halfspace(t, dir, "", "fit", "-method", "lda", "wide.svm"); r.status != 1 || !strings.Contains(r.stderr, "GB") {
		t.Errorf("a matrix that does not fit: %+v", r)
	}
	if r := halfspace(t, dir, "", "fit", "-method", "ols", "iris.csv"); r.status != 1 || !strings.Contains(r.stderr, "number") {
		t.Errorf("text as a response: %+v", r)
	}
}
