package separation

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRankedIsTheValueThatASortPutsThere(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		v := make([]float64, 1+r.IntN(60))
		for i := range v {
			v[i] = float64(r.IntN(1+r.IntN(80)) - 20)
		}
		k, sorted := r.IntN(len(v)), slices.Sorted(slices.Values(v))
		if got := ranked(v, k); got != sorted[k] {
			t.Errorf("%d: %g is at %d, not %g", seed, sorted[k], k, got)
		}
	}
}
