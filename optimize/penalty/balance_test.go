package penalty_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/optimize/penalty"
)

// Coefficients of one feature in balance have a penalty that no common step lowers; those in balance stay.
func TestBalance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 36))
	for _, ratio := range []float64{0, 0.2, 0.5, 0.9, 1} {
		for k := 2; k < 27; k++ {
			e := penalty.ElasticNet{Lambda: []float64{2, 0.1, 0.3}[k%3], L1Ratio: ratio, Factors: []float64{0, 1, 0.5}}
			b := make([]float64, 3*k)
			for i := range b {
				if r.IntN(3) > 0 {
					b[i] = r.NormFloat64()
				}
			}
			before := slices.Clone(b)
			e.Balance(b, k)
			if slices.ContainsFunc(b, func(v float64) bool { return v != v }) {
				t.Fatalf("ratio %v, %d functions: %v of %v", ratio, k, b, before)
			}
			least := e.Value(b)
			for _, step := range []float64{-1, -0.1, -1e-3, 1e-3, 0.1, 1} {
				for j := range 3 {
					moved := slices.Clone(b)
					for c := range k {
						moved[3*c+j] += step
					}
					if v := e.Value(moved); v < least-1e-12 {
						t.Errorf("ratio %v, %d functions: %v, and %v %v further", ratio, k, least, v, step)
					}
				}
			}
			for c := range k {
				if b[3*c] != before[3*c] {
					t.Error("a coefficient without a penalty has moved")
				}
			}
			again := slices.Clone(b)
			if e.Balance(again, k); ratio == 1 && !slices.Equal(again, b) {
				t.Errorf("%v in balance, and then %v", b, again)
			}
		}
	}
	for k := 2; k < 200; k += 2 { // half of the values on either side of 0
		v := make([]float64, k)
		for i := range v {
			v[i] = (1 + r.Float64()) * math.Copysign(1, float64(k/2-i)-0.5)
		}
		before := slices.Clone(v)
		if (penalty.ElasticNet{Lambda: 0.1, L1Ratio: 1}).Balance(v, k); !slices.Equal(v, before) {
			t.Errorf("%v in balance, and then %v", before, v)
		}
	}
	b := []float64{1, 2}
	if (penalty.ElasticNet{Lambda: 1, L1Ratio: 1}).Balance(b, 1); b[0] != 1 {
		t.Error("the coefficients of one function have moved")
	}
}
