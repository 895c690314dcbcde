package inference_test

import (
	"fmt"
	"strings"
	"testing"

	"halfspace/linalg"
	lt "halfspace/logistic/internal/logistictest"
)

func TestWriteSummaryOfThree(t *testing.T) {
	x, y := lt.Several(t, "birthwt")
	inf := fitAndInfer(t, x, y, nil)
	for classes, want := range map[string][]string{
		"":      {"0:(Intercept)", "1:x5"},
		"a b c": {"a:(Intercept)", "b:x5", "age"},
	} {
		var b strings.Builder
		if err := inf.WriteSummary(&b, []string{"age"}[:len(classes)/5], strings.Fields(classes)); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(b.String(), w) {
				t.Errorf("no %q in\n%s", w, b.String())
			}
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if strings.HasSuffix(line, "*") && !strings.Contains(strings.TrimRight(line, "*")[len(strings.TrimRight(line, "*"))-1:], " ") {
				t.Errorf("no space before the stars: %q", line)
			}
		}
	}
}

// Numbers have five digits, and an exponent where they would be long without.
func TestDigitsOfASummary(t *testing.T) {
	x, y := lt.IrisPair(t)
	inf := fitAndInfer(t, x, y, nil)
	inf.NullDeviance, inf.Deviance, inf.AIC, inf.BIC = 1234567.8, 0, 0.000012345678, 999998.5
	var b strings.Builder
	if err := inf.WriteSummary(&b, nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Null deviance: 1.2346e+06 on", "Residual deviance: 0.0000 on", "AIC: 1.2346e-05  BIC: 999998\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestWriteDrop(t *testing.T) {
	x, y := lt.IrisPair(t)
	inf := fitAndInfer(t, x, y, nil)
	var b strings.Builder
	if err := inf.WriteDrop(&b, [][]int{{0}, {2, 3}}, []string{"sepal_length", "sepal_width", "petal_length", "petal_width"}); err != nil {
		t.Fatal(err)
	}
	tests, err := inf.Drop([][]int{{0}, {2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	turned := linalg.Zeros(x.Rows, x.Cols) // the first column last
	for i := range x.Rows {
		copy(turned.Row(i), x.Row(i)[1:])
	}
	wants := []string{"petal_length+petal_width", "<none>", "11.899"}
	for _, left := range []*linalg.Dense{lt.First(turned, 3), lt.First(x, 2)} { // a line has the deviance without the columns
		wants = append(wants, fmt.Sprintf("%.5g", fitAndInfer(t, left, y, nil).Deviance))
	}
	for _, test := range tests {
		wants = append(wants, fmt.Sprintf("%.5g", test.Statistic))
	}
	for _, want := range wants {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
