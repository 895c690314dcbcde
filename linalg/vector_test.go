package linalg_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

func TestSum(t *testing.T) {
	if s := linalg.Sum([]float64{0x1p53, 1, 1, -0x1p53}); s != 0 || linalg.Sum(nil) != 0 {
		t.Errorf("added in order, without the digits that are lost: %v", s)
	}
	if s := linalg.Sum([]float64{1, 2, 4}); s != 7 {
		t.Errorf("%v, want 7", s)
	}
}

// Equal numbers and infinities are sorted as by the standard library.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 50 {
		v := make([]float64, n)
		for i := range v {
			v[i] = 1 / float64(r.IntN(9)-4)
		}
		want := slices.Sorted(slices.Values(v))
		if linalg.Sort(v); !slices.Equal(v, want) {
			t.Errorf("sorted to %v, want %v", v, want)
		}
	}
}

// The norm is right wherever the result is representable.
func TestNorm(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		v    []float64
		want float64
	}{
		{nil, 0}, {[]float64{0, 0}, 0}, {[]float64{-3, 4}, 5},
		{[]float64{3e200, 4e200}, 5e200}, {[]float64{3e-200, -4e-200}, 5e-200},
		{[]float64{3 * 0x1p-1074, 4 * 0x1p-1074}, 5 * 0x1p-1074},
		{[]float64{3e-160, 4e-160}, 5e-160}, {[]float64{3e-140, 4e-140}, 5e-140},
		{[]float64{3e153, 4e153, 0}, 5e153}, {[]float64{1e308, 1e308}, math.Sqrt2 * 1e308},
		{[]float64{1.5e308, 1.5e308}, inf},
		{[]float64{1, inf}, inf}, {[]float64{1, -inf}, inf}, {[]float64{inf, nan}, nan}, {[]float64{nan, 1}, nan},
	} {
		if got := linalg.Norm(c.v); !near(got, c.want, 4e-16) {
			t.Errorf("Norm(%v) = %v, want %v", c.v, got, c.want)
		}
	}
}

func TestKernelsPanicWithBothLengths(t *testing.T) {
	a := linalg.Zeros(3, 2)
	two, three := make([]float64, 2), make([]float64, 3)
	for name, f := range map[string]func(){
		"linalg: Dot: length 2 but 3":       func() { linalg.Dot(two, three) },
		"linalg: Axpy: length 3 but 2":      func() { linalg.Axpy(three, 1, two) },
		"linalg: MulVec: length 3 but 2":    func() { linalg.MulVec(two, a, two, 0) },
		"linalg: MulTVec: length 2 but 3":   func() { linalg.MulTVec(three, a, three, 0) },
		"linalg: Syrk: length 2 but 3":      func() { linalg.Syrk(linalg.Zeros(3, 3), a, nil, nil) },
		"linalg: Gram: length 3 but 2":      func() { linalg.Gram(a, nil, two, 0) },
		"linalg: MulTAdd: length 3 but 2":   func() { linalg.MulTAdd(linalg.Zeros(2, 2), 1, a, linalg.Zeros(2, 2)) },
		"linalg: MulBT: length 2 but 3":     func() { linalg.MulBT(a, a, linalg.Zeros(2, 3), 0) },
		"linalg: MulAdd: length 2 but 3":    func() { linalg.MulAdd(a, 1, a, a) },
		"linalg: Exp: length 2 but 3":       func() { linalg.Exp(three, two) },
		"linalg: Dense.Col: length 3 but 2": func() { linalg.Zeros(3, 3).Col(two, 0) },
		"linalg: Logistic: length 2 but 3":  func() { linalg.Logistic(three, two, two) },
	} {
		func() {
			defer func() {
				if got := recover(); got != name {
					t.Errorf("got %v, want %q", got, name)
				}
			}()
			f()
		}()
	}
}

// The forms of Xᵀr and Xb agree, and add where they say so.
func TestProductsWithVectors(t *testing.T) {
	x := linalgtest.Normal(82, 300, 7)
	r, b := linalgtest.Normal(83, 1, 300).Row(0), linalgtest.Normal(84, 1, 7).Row(0)
	into, added, each := make([]float64, 7), slices.Clone(b), make([]float64, 7)
	x.MulTVec(into, r)
	linalg.MulTVecAdd(added, x, r)
	f := make([]float64, 300)
	x.MulVec(f, b)
	for j := range each {
		each[j] = linalg.Dot(x.Col(nil, j), r)
		linalgtest.Close(t, "MulTVec", into[j], each[j], 1e-13)
		linalgtest.Close(t, "MulTVecAdd", added[j], b[j]+each[j], 1e-13)
	}
	linalgtest.Close(t, "rᵀ(Xb) = (Xᵀr)ᵀb", linalg.Dot(r, f), linalg.Dot(into, b), 1e-13)
}
