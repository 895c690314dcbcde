package regression

import (
	"fmt"
	"math"
	"testing"

	lt "halfspace/linalg/linalgtest"
)

// Tails of R's pt and pf, relative to the tail itself: those far out matter too,
// though rounding the exponent of 1e-289 costs some digits in either program.
func TestTails(t *testing.T) {
	var g struct{ T, F [][]float64 }
	lt.Golden(t, "testdata/student.json", &g)
	check := func(what string, got, want float64) {
		if want < 1e-300 {
			if got > 1e-299 {
				t.Errorf("%s: %g, want about 0", what, got)
			}
		} else if d := math.Abs(got/want - 1); !(d < 2e-13-0x1p-50*math.Log(want)) {
			t.Errorf("%s: %g, want %g: %.2g off", what, got, want, d)
		}
	}
	for _, r := range g.T {
		check(fmt.Sprintf("t %g, ν %g", r[0], r[1]), studentTail(-r[0], r[1]), r[2])
	}
	for _, r := range g.F {
		check(fmt.Sprintf("F %g, %g and %g", r[0], r[1], r[2]), fisherTail(r[0], r[1], r[2]), r[3])
	}
}

// Student's t with one degree of freedom is Cauchy, with two it is algebraic;
// F with (1, ν) is t².
func TestTailsInClosedForm(t *testing.T) {
	for _, v := range []float64{1e-9, 0.1, 1, 2, 30, 1e6} {
		lt.Close(t, "Cauchy", studentTail(v, 1), 2*math.Atan2(1, v)/math.Pi, 1e-14)
		lt.Close(t, "two", studentTail(v, 2), 1-v/math.Sqrt(2+v*v), 1e-14)
		lt.Close(t, "t²", fisherTail(v*v, 1, 7), studentTail(v, 7), 1e-14)
	}
	for _, v := range []float64{studentTail(math.NaN(), 3), studentTail(1, 0), fisherTail(-1, 2, 3), fisherTail(1, 0, 3)} {
		if v == v {
			t.Errorf("%v, want NaN", v)
		}
	}
	for _, nu := range []float64{1e14, 1e16, 1e300, math.Inf(1)} {
		lt.Close(t, "normal", studentTail(1.96, nu), math.Erfc(1.96/math.Sqrt2), 1e-13)
	}
	if p := fisherTail(1.2, 1e300, 1e300); p > 1 { // an answer, at least, and soon
		t.Errorf("F of huge degrees of freedom: %g", p)
	}
	if studentTail(0, 5) != 1 || studentTail(math.Inf(-1), 5) != 0 {
		t.Error("the ends of the tail")
	}
}
