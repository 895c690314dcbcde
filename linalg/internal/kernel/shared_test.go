package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// each runs f with every level that works here.
func each(t *testing.T, f func(t *testing.T)) {
	for _, l := range Levels() {
		t.Run(l.String(), func(t *testing.T) {
			defer Use(Use(l))
			f(t)
		})
	}
}

// guardNaN lies before and behind every operand: arithmetic on it shows
// as a NaN in the result, a write to it as other bits.
var guardNaN = math.Float64frombits(0x7ff8_dead_beef_0001)

const guard = 24

// A buffer is a slice that starts off values behind an allocation's start, with
// guards on both sides.
type buffer struct {
	all, v []float64
}

func guarded(n, off int, fill func(i int) float64) buffer {
	all := make([]float64, n+2*guard+off)
	for i := range all {
		all[i] = guardNaN
	}
	v := all[guard+off:][:n:n]
	if fill != nil {
		for i := range v {
			v[i] = fill(i)
		}
	}
	return buffer{all, v}
}

// check fails if a guard was written to.
func (b buffer) check(t *testing.T) {
	t.Helper()
	start := len(b.all) - guard - len(b.v)
	for i, x := range b.all {
		if (i < start || i >= start+len(b.v)) && math.Float64bits(x) != math.Float64bits(guardNaN) {
			t.Fatalf("write outside: element %d of %d is %v", i-start, len(b.v), x)
		}
	}
}

// same fails unless got is within rounding of want, where sum is the sum of the
// absolute values of n terms; NaN and infinities must agree.
func same(t *testing.T, got, want, sum float64, n int, format string, args ...any) {
	t.Helper()
	tol := float64(n+2)*0x1p-53*sum + float64(n+2)*math.SmallestNonzeroFloat64
	if want != want || math.IsInf(want, 0) {
		if got == want || got != got && want != want {
			return
		}
	} else if math.Abs(got-want) <= tol {
		return
	}
	t.Fatalf("%s: got %v, want %v, off by %g, allowed %g", fmt.Sprintf(format, args...), got, want, math.Abs(got-want), tol)
}

// The values that vectors are filled with. None lets the order of a sum decide
// whether it overflows. Processors take a hundred times longer over products
// that are denormal, so these are few.
var fills = map[string]func(r *rand.Rand) func(int) float64{
	"normal":   func(r *rand.Rand) func(int) float64 { return mixed(r, 1) },
	"denormal": func(r *rand.Rand) func(int) float64 { return mixed(r, 0x1p-1060) },
	"tiny":     func(r *rand.Rand) func(int) float64 { return mixed(r, 1e-158) },
	"huge":     func(r *rand.Rand) func(int) float64 { return func(int) float64 { return r.NormFloat64() * 1e150 } },
}

// mixed gives normal values, every eighth times scale.
func mixed(r *rand.Rand, scale float64) func(int) float64 {
	return func(i int) float64 {
		if i%8 == 5 {
			return r.NormFloat64() * scale
		}
		return r.NormFloat64()
	}
}

// special places one of NaN, +Inf, −Inf in some of the vectors.
func special(r *rand.Rand, v []float64) {
	if len(v) == 0 {
		return
	}
	v[r.IntN(len(v))] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1)}[r.IntN(5)]
}

func lengths(t *testing.T) []int {
	var ns []int
	for n := range 301 {
		if !testing.Short() || n < 70 || n%37 == 0 {
			ns = append(ns, n)
		}
	}
	return ns
}

// eachOperand calls f with every length, many alignments and every filling; odd
// turns have special values in them.
func eachOperand(t *testing.T, f func(r *rand.Rand, n, off int, spoil bool, fill func(int) float64)) {
	for name, fill := range fills {
		r := rand.New(rand.NewPCG(1, 2))
		t.Run(name, func(t *testing.T) {
			for _, n := range lengths(t) {
				for turn := range 4 {
					f(r, n, r.IntN(8), turn == 3, fill(r))
				}
			}
		})
	}
}

// A matrix with guards between its rows: stride is p + gap.
func guardedRows(n, p, gap, off int, fill func(int) float64) buffer {
	b := guarded(max(0, (n-1)*(p+gap)+p), off, fill)
	for i := range n - 1 {
		for j := range gap {
			b.v[i*(p+gap)+p+j] = guardNaN
		}
	}
	return b
}
