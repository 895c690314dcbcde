package optimize_test

import (
	"errors"
	"math"
	"testing"

	"halfspace/optimize"
)

func TestRoot(t *testing.T) {
	for name, c := range map[string]struct {
		f    func(float64) float64
		a, b float64
		root float64
	}{
		"√2":                    {func(x float64) float64 { return x*x - 2 }, 0, 2, math.Sqrt2},
		"from the right":        {func(x float64) float64 { return x*x - 2 }, 2, 0, math.Sqrt2},
		"falling":               {func(x float64) float64 { return math.Exp(-x) - 0.5 }, 0, 5, math.Ln2},
		"a line":                {func(x float64) float64 { return 3*x - 6 }, -100, 10, 2},
		"steep on one side":     {func(x float64) float64 { return math.Exp(10*x) - 10 }, -1, 2, math.Ln10 / 10},
		"steep on the other":    {func(x float64) float64 { return 10 - math.Exp(-10*x) }, -2, 1, -math.Ln10 / 10},
		"zero at the far end":   {func(x float64) float64 { return x - 1 }, 0, 1, 1},
		"large":                 {func(x float64) float64 { return x - 3e8 }, 0, 1e9, 3e8},
		"Dowell and Jarratt, 2": {func(x float64) float64 { return x*x*x - 2*x - 5 }, 2, 3, 2.0945514815423265},
	} {
		calls := 0
		f := func(x float64) (float64, error) { calls++; return c.f(x), nil }
		x, err := optimize.Root(f, optimize.Sample{X: c.a, F: c.f(c.a)}, optimize.Sample{X: c.b, F: c.f(c.b)}, 1e-12, 1e-12)
		if err != nil || math.Abs(x-c.root) > 2e-11*(1+math.Abs(c.root)) {
			t.Errorf("%s: %v, want %v; %v", name, x, c.root, err)
		}
		if calls > 40 {
			t.Errorf("%s: %d calls", name, calls)
		}
	}
}

// What is returned once the bracket is narrow enough is its end on b's side.
func TestRootKeepsTheSideOfB(t *testing.T) {
	step := func(x float64) (float64, error) {
		if x < 1./3 {
			return -1, nil
		}
		return 2, nil
	}
	for _, c := range []struct {
		a, b optimize.Sample
	}{{optimize.Sample{X: 0, F: -1}, optimize.Sample{X: 1, F: 2}}, {optimize.Sample{X: 1, F: 2}, optimize.Sample{X: 0, F: -1}}} {
		x, err := optimize.Root(step, c.a, c.b, 1e-6, 0)
		if v, _ := step(x); err != nil || math.Abs(x-1./3) > 1e-6 || v != c.b.F {
			t.Errorf("%v, %v; the value there is %v, that of b %v", x, err, v, c.b.F)
		}
	}
}

func TestRootErrors(t *testing.T) {
	line := func(x float64) (float64, error) { return x, nil }
	at := func(x, f float64) optimize.Sample { return optimize.Sample{X: x, F: f} }
	for _, c := range [][2]optimize.Sample{{at(1, 1), at(2, 2)}, {at(-2, -2), at(-1, -1)}, {at(0, 0), at(1, 1)}, {at(-1, math.NaN()), at(1, 1)}, {at(-1, -1), at(1, math.NaN())}} {
		if _, err := optimize.Root(line, c[0], c[1], 0, 0); err == nil || errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("%v: %v", c, err)
		}
	}
	broken := errors.New("broken")
	if _, err := optimize.Root(func(float64) (float64, error) { return 0, broken }, at(-1, -1), at(1, 1), 0, 0); !errors.Is(err, broken) {
		t.Error(err)
	}
	calls := 0
	nan := func(float64) (float64, error) { calls++; return math.NaN(), nil }
	if _, err := optimize.Root(nan, at(-1, -1), at(1, 1), 0, 0); !errors.Is(err, optimize.ErrNotConverged) || calls != 1 {
		t.Errorf("not a number: %v after %d calls", err, calls)
	}
	flat := func(x float64) (float64, error) { return math.Copysign(math.Pow(math.Abs(x), 99), x), nil }
	if x, err := optimize.Root(flat, at(-1, -1), at(3, math.Pow(3, 99)), 1e-300, 0); !errors.Is(err, optimize.ErrNotConverged) || !(x > 0) {
		t.Errorf("flat: %v, %v", x, err)
	}
}
