package sample_test

import (
	"fmt"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// A printed model has its classes, its report, and a line for each of the first twenty features.
func TestDescribe(t *testing.T) {
	two := &linalg.Dense{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 2, 3, 4}}
	want := "lda of 2 features, classes [0 1 2]\nconverged\n(Intercept)             5            6\nx1                      1            3\nx2                      2            4\n"
	if got := sample.Describe("lda", []int{0, 1, 2}, 2, text("converged"), two, []float64{5, 6}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := sample.Describe("svr", nil, 3, text("direct"), nil, nil); got != "svr of 3 features\ndirect\n" {
		t.Errorf("%q", got)
	}
	for p, more := range map[int]string{20: "", 21: "… and 1 more\n", 25: "… and 5 more\n"} {
		got := sample.Describe("ols", nil, p, text("direct"), linalg.Zeros(1, p), []float64{0})
		if !strings.HasSuffix(got, fmt.Sprintf("%-12s %12d\n", "x20", 0)+more) {
			t.Errorf("%d features: %q", p, got)
		}
	}
}

type text string

func (t text) String() string { return string(t) }
