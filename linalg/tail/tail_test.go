package tail_test

import (
	"fmt"
	"math"
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/linalg/tail"
)

type golden struct {
	Normal, ChiSquare, Student, Fisher [][]float64

	NormalQuantile    [][]float64 `json:"normal_quantile"`
	ChiSquareQuantile [][]float64 `json:"chisquare_quantile"`
	StudentQuantile   [][]float64 `json:"student_quantile"`
	FisherQuantile    [][]float64 `json:"fisher_quantile"`
}

func readGolden(t *testing.T) golden {
	var g golden
	linalgtest.Golden(t, "testdata/tails.json", &g)
	return g
}

// each calls f with the arguments of every row of a table, and with its result.
func each(name string, rows [][]float64, f func(what string, args []float64, want float64)) {
	for _, r := range rows {
		last := len(r) - 1
		f(fmt.Sprintf("%s %v", name, r[:last]), r[:last], r[last])
	}
}

// Tails are compared relative to themselves: those far out matter too, though
// rounding the exponent of 1e-289 costs some digits in either program.
func TestTailsEqualThoseOfR(t *testing.T) {
	g := readGolden(t)
	check := func(what string, got, want float64) {
		if want < 1e-300 {
			if got > 1e-299 {
				t.Errorf("%s: %g, want about 0", what, got)
			}
		} else if d := math.Abs(got/want - 1); !(d < 2e-13-0x1p-50*math.Log(want)) {
			t.Errorf("%s: %g, want %g: %.2g off", what, got, want, d)
		}
	}
	each("normal", g.Normal, func(what string, a []float64, want float64) { check(what, tail.Normal(a[0]), want) })
	each("χ²", g.ChiSquare, func(what string, a []float64, want float64) { check(what, tail.ChiSquare(a[0], int(a[1])), want) })
	each("t", g.Student, func(what string, a []float64, want float64) { check(what, tail.Student(a[0], a[1]), want) })
	each("F", g.Fisher, func(what string, a []float64, want float64) { check(what, tail.Fisher(a[0], a[1], a[2]), want) })
}

func TestQuantilesEqualThoseOfR(t *testing.T) {
	g := readGolden(t)
	check := func(what string, got, want float64) {
		if d := math.Abs(got/want - 1); !(d < 1e-12) {
			t.Errorf("%s: %.17g, want %.17g: %.2g off", what, got, want, d)
		}
	}
	each("normal", g.NormalQuantile, func(what string, a []float64, want float64) { check(what, tail.NormalQuantile(a[0]), want) })
	each("χ²", g.ChiSquareQuantile, func(what string, a []float64, want float64) {
		check(what, tail.ChiSquareQuantile(a[0], int(a[1])), want)
	})
	each("t", g.StudentQuantile, func(what string, a []float64, want float64) { check(what, tail.StudentQuantile(a[0], a[1]), want) })
	each("F", g.FisherQuantile, func(what string, a []float64, want float64) {
		check(what, tail.FisherQuantile(a[0], a[1], a[2]), want)
	})
}

// Student's t with one degree of freedom is Cauchy, with two it is algebraic, with
// infinitely many it is normal; F with (1, ν) is t².
func TestTailsInClosedForm(t *testing.T) {
	for _, v := range []float64{1e-9, 0.1, 1, 2, 30, 1e6} {
		linalgtest.Close(t, "Cauchy", 2*tail.Student(v, 1), 2*math.Atan2(1, v)/math.Pi, 1e-14)
		linalgtest.Close(t, "two", 2*tail.Student(v, 2), 1-v/math.Sqrt(2+v*v), 1e-14)
		linalgtest.Close(t, "t²", tail.Fisher(v*v, 1, 7), 2*tail.Student(v, 7), 1e-14)
	}
	for _, nu := range []float64{1e14, 1e16, 1e300, math.Inf(1)} {
		linalgtest.Close(t, "normal", tail.Student(1.96, nu), tail.Normal(1.96), 1e-13)
	}
	if p := tail.Fisher(1.2, 1e300, 1e300); p > 1 { // an answer, at least, and soon
		t.Errorf("F of huge degrees of freedom: %g", p)
	}
	linalgtest.Close(t, "the 0.95 quantile of χ² with two degrees", tail.ChiSquareQuantile(0.05, 2), -2*math.Log(0.05), 1e-15)
}

// The terms of χ² are what large logarithms leave of one another: at 10⁵ degrees of freedom five
// digits are easily lost. (Expected values: mpmath's gammainc, with 60 digits.)
func TestManyDegreesOfFreedom(t *testing.T) {
	for _, c := range []struct {
		x    float64
		df   int
		want float64
	}{{23, 23, 0.46077089055229183}, {9999, 9999, 0.49811927192721922}, {10998.900000000001, 9999, 3.6269982741915688e-12},
		{100000, 100000, 0.49940529189520672}, {110000, 100000, 2.5841772471796376e-104}} {
		linalgtest.Close(t, fmt.Sprintf("χ² of %d", c.df), tail.ChiSquare(c.x, c.df)/c.want, 1, 1e-12)
	}
	linalgtest.Close(t, "χ² at 0", tail.ChiSquare(0, 100), 1, 1e-15)
}

// Of few degrees of freedom Student's t has tails that reach beyond the t whose square is a float64.
func TestTailsBeyondTheSquare(t *testing.T) {
	for _, v := range []float64{1e149, 1e151, 1e200, 1e300} {
		linalgtest.Close(t, "Cauchy", tail.Student(v, 1)*math.Pi*v, 1, 1e-13)
	}
	linalgtest.Close(t, "quantile", tail.StudentQuantile(1e-200, 1)*math.Pi*1e-200, 1, 1e-13)
	if p := tail.Student(1e200, 2); p != 0 {
		t.Errorf("ν = 2: %g", p)
	}
}

// A tail at its quantile is the probability asked for, to what one unit in the last
// place of the quantile changes.
func TestTailsAtQuantiles(t *testing.T) {
	for _, p := range []float64{1e-100, 1e-10, 0.01, 0.3, 0.5, 0.8, 0.999} {
		linalgtest.Close(t, "normal", tail.Normal(tail.NormalQuantile(p))/p, 1, 1e-13)
		for _, df := range []int{1, 2, 30} {
			linalgtest.Close(t, "χ²", tail.ChiSquare(tail.ChiSquareQuantile(p, df), df)/p, 1, 1e-12)
			linalgtest.Close(t, "t", tail.Student(tail.StudentQuantile(p, float64(df)), float64(df))/p, 1, 1e-12)
			linalgtest.Close(t, "F", tail.Fisher(tail.FisherQuantile(p, 1, float64(df)), 1, float64(df))/p, 1, 1e-12)
		}
	}
}

func TestEnds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for name, c := range map[string][2]float64{
		"normal -∞": {tail.Normal(-inf), 1}, "normal ∞": {tail.Normal(inf), 0},
		"t 0": {tail.Student(0, 5), 0.5}, "t -∞": {tail.Student(-inf, 5), 1}, "t ∞": {tail.Student(inf, 5), 0},
		"χ² -1": {tail.ChiSquare(-1, 3), 1}, "χ² ∞": {tail.ChiSquare(inf, 3), 0}, "χ² of 0 degrees": {tail.ChiSquare(3, 0), 0},
		"F -1": {tail.Fisher(-1, 2, 3), 1}, "F ∞": {tail.Fisher(inf, 2, 3), 0},
		"quantile at 0": {tail.NormalQuantile(0), inf}, "quantile at ½": {tail.NormalQuantile(0.5), 0}, "quantile at 1": {tail.NormalQuantile(1), -inf},
		"χ² quantile at 0": {tail.ChiSquareQuantile(0, 3), inf}, "χ² quantile at 1": {tail.ChiSquareQuantile(1, 3), 0},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %v, want %v", name, c[0], c[1])
		}
	}
	for i, v := range []float64{
		tail.Normal(nan), tail.Student(nan, 3), tail.Student(1, 0), tail.ChiSquare(nan, 1), tail.ChiSquare(1, -1), tail.Fisher(1, 0, 3), tail.Fisher(1, 3, 0), tail.Fisher(nan, 2, 3),
		tail.NormalQuantile(-0.1), tail.NormalQuantile(1.1), tail.NormalQuantile(nan), tail.StudentQuantile(0.1, 0), tail.ChiSquareQuantile(0.1, -1), tail.FisherQuantile(2, 3, 4),
	} {
		if v == v {
			t.Errorf("case %d: %v, want NaN", i, v)
		}
	}
}

func TestPValuesAsText(t *testing.T) {
	for _, c := range []struct {
		p           float64
		text, stars string
	}{{1e-20, "<2e-16", "***"}, {2.2e-16, "2.20e-16", "***"}, {0.0000999, "9.99e-05", "***"}, {0.0001, "0.00010", "***"}, {0.00099, "0.00099", "***"}, {0.001, "0.00100", "**"},
		{0.0123, "0.01230", "*"}, {0.01, "0.01000", "*"}, {0.05, "0.05000", "."}, {0.1, "0.10000", ""}, {1, "1.00000", ""}} {
		if got, stars := tail.PValue(c.p), tail.Stars(c.p); got != c.text || stars != c.stars {
			t.Errorf("%g: %q %q, want %q %q", c.p, got, stars, c.text, c.stars)
		}
	}
}
