package loss

import (
	"fmt"
	"math"
	"testing"

	"halfspace/linalg/linalgtest"
)

// all are the losses that TestSubgradients, TestDerivatives and TestRows check.
var all = map[string]Loss{
	"zero-one": ZeroOne{}, "perceptron": Perceptron{}, "hinge": Hinge{}, "logistic": Logistic{}, "cloglog": ComplementaryLogLog{},
	"squared": Squared{}, "epsilon": EpsilonInsensitive{0.25}, "absolute": EpsilonInsensitive{},
}

// TestValues holds each loss against numbers worked out by hand.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		loss         Loss
		y, f         float64
		value, deriv float64
	}{
		{ZeroOne{}, 1, 2, 0, 0}, {ZeroOne{}, 1, -2, 1, 0}, {ZeroOne{}, -1, -2, 0, 0},
		{ZeroOne{}, 1, 0, 1, 0}, {ZeroOne{}, -1, 0, 0, 0},
		{Perceptron{}, 1, 2, 0, 0}, {Perceptron{}, 1, -2, 2, -1}, {Perceptron{}, -1, 3, 3, 1}, {Perceptron{}, 1, 0, 0, 0},
		{Hinge{}, 1, 2, 0, 0}, {Hinge{}, 1, 0.25, 0.75, -1}, {Hinge{}, -1, 0.5, 1.5, 1}, {Hinge{}, 1, 1, 0, 0},
		{Squared{}, 3, 1, 2, -2}, {Squared{}, -1, 0.5, 1.125, 1.5},
		{EpsilonInsensitive{0.5}, 2, 3, 0.5, 1}, {EpsilonInsensitive{0.5}, 2, 1, 0.5, -1}, {EpsilonInsensitive{0.5}, 2, 2.5, 0, 0},
		{EpsilonInsensitive{}, 2, 2, 0, 0},
		{Logistic{}, 1, 0, math.Ln2, -0.5}, {Logistic{}, -1, 0, math.Ln2, 0.5},
		{Logistic{}, 1, math.Log(3), math.Log(4. / 3), -0.25}, {Logistic{}, -1, math.Log(3), math.Log(4), 0.75},
	} {
		if v := c.loss.Value(c.y, c.f); !(math.Abs(v-c.value) <= 1e-15) {
			t.Errorf("%T at y=%v, f=%v: value %v, want %v", c.loss, c.y, c.f, v, c.value)
		}
		if d := c.loss.Deriv(c.y, c.f); !(math.Abs(d-c.deriv) <= 1e-15) {
			t.Errorf("%T at y=%v, f=%v: derivative %v, want %v", c.loss, c.y, c.f, d, c.deriv)
		}
	}
}

// TestSubgradients checks each loss that is minimised: its derivative is a
// subgradient, L(y, f₂) ≥ L(y, f₁) + L'(y, f₁)(f₂ − f₁) for any two scores.
func TestSubgradients(t *testing.T) {
	for name, l := range all {
		if name == "zero-one" {
			continue
		}
		for _, y := range []float64{-1, 1} {
			for f1 := -3.0; f1 <= 3; f1 += 0.125 {
				for f2 := -3.0; f2 <= 3; f2 += 0.125 {
					if slack := l.Value(y, f2) - l.Value(y, f1) - l.Deriv(y, f1)*(f2-f1); slack < -1e-14 {
						t.Errorf("%s, y=%v: from %v to %v the value lies %v below the line", name, y, f1, f2, -slack)
					}
				}
			}
		}
	}
}

// TestDerivatives checks the smooth losses by central differences, the second
// derivative against the first.
func TestDerivatives(t *testing.T) {
	const h = 1e-5
	for name, l := range all {
		l, ok := l.(Smooth)
		if !ok {
			continue
		}
		for _, y := range []float64{-1, -0.3, 0, 0.5, 1} {
			for f := -20.0; f <= 20; f += 0.37 {
				linalgtest.Close(t, name+" first", l.Deriv(y, f), (l.Value(y, f+h)-l.Value(y, f-h))/(2*h), 1e-9)
				linalgtest.Close(t, name+" second", l.Second(y, f), (l.Deriv(y, f+h)-l.Deriv(y, f-h))/(2*h), 1e-9)
			}
		}
	}
}

// TestLogisticTails demands accuracy relative to the value itself where it is
// tiny, and no overflow where it is huge.
func TestLogisticTails(t *testing.T) {
	l := Logistic{}
	for _, f := range []float64{30, 100, 700} {
		e := math.Exp(-f)
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"value", l.Value(1, f), e}, {"derivative", l.Deriv(1, f), -e}, {"second", l.Second(1, f), e},
			{"value", l.Value(-1, -f), e}, {"derivative", l.Deriv(-1, -f), e},
			{"value", l.Value(-1, f), f + e}, {"derivative", l.Deriv(-1, f), 1 - e},
		} {
			if !(math.Abs(c.got-c.want) <= 1e-12*math.Abs(c.want)) {
				t.Errorf("%s at %v: %v, want %v", c.what, f, c.got, c.want)
			}
		}
	}
	for _, f := range []float64{1e4, 1e100, math.MaxFloat64} {
		if v := l.Value(-1, f); v != f {
			t.Errorf("value at %v: %v", f, v)
		}
		if v := l.Value(1, f); v != 0 {
			t.Errorf("value at %v: %v, want 0", f, v)
		}
	}
}

// TestGrouped checks that a row of s successes in m trials costs what its trials
// cost one by one.
func TestGrouped(t *testing.T) {
	l := Logistic{}
	const s, m = 3.0, 10.0
	y := 2*s/m - 1
	for f := -5.0; f <= 5; f += 0.5 {
		linalgtest.Close(t, "value", m*l.Value(y, f), s*l.Value(1, f)+(m-s)*l.Value(-1, f), 1e-13)
		linalgtest.Close(t, "derivative", m*l.Deriv(y, f), s*l.Deriv(1, f)+(m-s)*l.Deriv(-1, f), 1e-13)
	}
}

// TestRows checks the forms over a block of rows against the single ones: with
// and without weights, with small and large scores, one part at a time.
func TestRows(t *testing.T) {
	const n = 1000
	x := linalgtest.Normal(1, 3, n)
	y, w := make([]float64, n), make([]float64, n)
	for i := range y {
		y[i] = math.Copysign(1, x.At(0, i))
		w[i] = math.Abs(x.At(1, i))
	}
	for _, size := range []float64{1e-3, 1, 10, 40, 1000} {
		f := make([]float64, n)
		for i := range f {
			f[i] = size * x.At(2, i)
		}
		for name, l := range all {
			checkRows(t, name, l, func(d, _, w []float64) float64 { return Rows(l, d, y, f, w) }, nil, y, f, w)
			if q, ok := l.(rowser); ok {
				checkRows(t, name+" rows", l, func(d, h, w []float64) float64 { return q.Rows(d, h, y, f, w) }, l.(Smooth).Second, y, f, w)
			}
		}
	}
}

// A row of weight 0 costs nothing, also where its square overflows.
func TestSquaredRowOfWeightZero(t *testing.T) {
	d, h := make([]float64, 2), make([]float64, 2)
	if v := (Squared{}).Rows(d, h, []float64{1, 3}, []float64{math.Inf(1), 1}, []float64{0, 2}); v != 4 || d[0] != 0 || h[0] != 0 || d[1] != -4 {
		t.Errorf("value %v, derivatives %v, %v", v, d, h)
	}
}

// quartic is a loss of a user's own whose curvature changes.
type quartic struct{ Squared }

func (quartic) ConstantCurvature() bool { return false }

func TestConstantCurvature(t *testing.T) {
	for name, c := range map[string]struct {
		l    Batch
		want bool
	}{"squared": {BatchOf(Squared{}), true}, "logistic": {BatchOf(Logistic{}), false}, "softmax": {Softmax{K: 3}, false}, "own": {BatchOf(quartic{}), false}} {
		if got := ConstantCurvature(c.l); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func checkRows(t *testing.T, name string, l Loss, rows func(d, h, w []float64) float64, second func(y, f float64) float64, y, f, w []float64) {
	t.Helper()
	n := len(f)
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	for _, weights := range [][]float64{nil, w} {
		d, h, each := make([]float64, n), make([]float64, n), ones
		if weights != nil {
			each = weights
		}
		sum := rows(d, h, weights)
		want := 0.0
		for i := range f {
			want += each[i] * l.Value(y[i], f[i])
			linalgtest.Close(t, name+" derivative", d[i], each[i]*l.Deriv(y[i], f[i]), 1e-15)
			if second != nil {
				linalgtest.Close(t, name+" second", h[i], each[i]*second(y[i], f[i]), 1e-15)
			}
		}
		if sum != want && !(math.Abs(sum-want) <= 1e-12*want) {
			t.Errorf("%s: sum %v, want %v", name, sum, want)
		}
		if alone := rows(nil, nil, weights); alone != sum {
			t.Errorf("%s: sum alone %v, with derivatives %v", name, alone, sum)
		}
	}
}

// TestRowsSeparated demands the sum relative to itself where every row is far on
// its right side: the logarithm of the product alone would be 0.
func TestRowsSeparated(t *testing.T) {
	n := 1000
	y, f := make([]float64, n), make([]float64, n)
	want := 0.0
	for i := range f {
		y[i], f[i] = 1, 20+40*float64(i)/float64(n)
		want += math.Log1p(math.Exp(-f[i]))
	}
	got := Logistic{}.Rows(nil, nil, y, f, nil)
	if !(math.Abs(got-want) <= 1e-14*want) {
		t.Errorf("%v, want %v", got, want)
	}
	for s := 6.9; s < 8; s += 0.01 { // where the series takes over
		got, want := Logistic{}.Rows(nil, nil, y[:1], []float64{s}, nil), math.Log1p(math.Exp(-s))
		if !(math.Abs(got-want) <= 2e-13*want) {
			t.Errorf("at %v: %v, want %v", s, got, want)
		}
		if got := (Logistic{}).Rows(nil, nil, y[:1], []float64{s}, []float64{1}); !(math.Abs(got-want) <= 2e-13*want) {
			t.Errorf("weighted at %v: %v, want %v", s, got, want)
		}
	}
}

// TestRowsMany: the product of many factors must not overflow.
func TestRowsMany(t *testing.T) {
	n := 5000
	y, f := make([]float64, n), make([]float64, n)
	for i := range y {
		y[i] = 1
	}
	linalgtest.Close(t, "sum at 0", Logistic{}.Rows(nil, nil, y, f, nil), float64(n)*math.Ln2, 1e-14)
}

func TestNaN(t *testing.T) {
	d := make([]float64, 1)
	if s := (Logistic{}).Rows(d, nil, []float64{1}, []float64{math.NaN()}, nil); s == s || d[0] == d[0] {
		t.Errorf("a NaN score gives %v, %v", s, d)
	}
}

func BenchmarkLogisticRows(b *testing.B) {
	const n = 10_000
	x := linalgtest.Normal(1, 2, n)
	y, d, h := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range y {
		y[i] = math.Copysign(1, x.At(0, i))
	}
	b.ReportAllocs()
	b.SetBytes(8 * n)
	for b.Loop() {
		Logistic{}.Rows(d, h, y, x.Row(1), nil)
	}
}

// The loss of a row that is all but certain keeps its digits, whatever its weight: it is
// the sum of the others' exponentials, not the logarithm of a number near 1.
func TestSoftmaxOfCertainRows(t *testing.T) {
	for _, gap := range []float64{5, 12, 25, 40, 300} {
		for _, w := range [][]float64{nil, {1e12}} {
			f, r := []float64{0, gap, 0}, make([]float64, 3)
			got := Softmax{K: 3}.Rows(r, nil, []float64{1}, f, w)
			want := math.Log1p(2 * math.Exp(-gap))
			if w != nil {
				want *= w[0]
			}
			linalgtest.Close(t, fmt.Sprintf("gap %g, weights %v", gap, w), got, want, 4e-15)
		}
	}
}
