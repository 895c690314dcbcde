package loss

import (
	"math"
	"testing"
)

// TestComplementaryLogLogTails demands the value and both derivatives relative to
// themselves, against numbers of 60 digits, and no NaN where exp f overflows or is 0.
func TestComplementaryLogLogTails(t *testing.T) {
	l := ComplementaryLogLog{}
	for _, c := range []struct{ y, f, value, deriv, second float64 }{
		{1, -1e4, 1e4, -1, 0},
		{1, -750, 750, -1, 0},
		{1, -100, 100, -1, 1.8600379880104179822e-44},
		{1, -30, 30.000000000000046788, -0.99999999999995321189, 4.6788114844199413606e-14},
		{1, -5, 5.0033670818365183078, -0.99663480982507476325, 0.0033614068560331542977},
		{1, -3.6, 3.6136307536751667022, -0.98640035348624558107, 0.013537433352114096569},
		{1, -3.4, 3.4166402281130559293, -0.98340617789262654675, 0.01650101268022078383},
		{1, 0, 0.45867514538708189102, -0.58197670686932642439, 0.33869688733846589456},
		{1, 3, 1.8921786966284627424e-9, -3.8005425112356632793e-8, 7.2535394570773866896e-7},
		{1, 6, math.Exp(-math.Exp(6)), -2.5053478702005617224e-173, 1.0082241206844056118e-170},
		{1, 1e4, 0, 0, 0},
		{-1, -1e4, 0, 0, 0},
		{-1, 0, 1, 1, 1},
		{-1, 2, math.Exp(2), math.Exp(2), math.Exp(2)},
		{-1, 1e4, math.Inf(1), math.Inf(1), math.Inf(1)},
	} {
		for _, v := range []struct {
			what      string
			got, want float64
		}{{"value", l.Value(c.y, c.f), c.value}, {"derivative", l.Deriv(c.y, c.f), c.deriv}, {"second", l.Second(c.y, c.f), c.second}} {
			// exp(−exp f) multiplies the rounding of its argument, at most 404 here.
			if !(v.got == v.want || math.Abs(v.got-v.want) <= 2e-13*math.Abs(v.want)) {
				t.Errorf("%s at y=%v, f=%v: %v, want %v", v.what, c.y, c.f, v.got, v.want)
			}
		}
	}
}
