package qp

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// The points that join the working set are those that a sort puts first, ties by their index.
func TestLeastPointsAreThoseThatASortPutsFirst(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := &wolfe{f: make([]float64, 1+r.IntN(100))}
		var least, all []int
		for i := range s.f {
			s.f[i], all = float64(r.IntN(30)), append(all, i)
			if s.below(least, s.f[i]) {
				least = s.insert(least, i)
			}
		}
		slices.SortFunc(all, func(a, b int) int { return cmp.Or(cmp.Compare(s.f[a], s.f[b]), a-b) })
		if want := all[:min(len(all), hullBatch)]; !slices.Equal(least, want) {
			t.Errorf("%d: %v, want %v", seed, least, want)
		}
	}
}
