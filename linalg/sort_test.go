package linalg_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
)

// Sorting keeps the order of equal ones.
func TestSortFuncIsStable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 21))
	for n := range 40 {
		v := make([]int, n)
		for i := range v {
			v[i] = i
		}
		key := r.Perm(n)
		for i := range key {
			key[i] /= 3
		}
		compare := func(a, b int) int { return cmp.Compare(key[a], key[b]) }
		want := slices.Clone(v)
		slices.SortStableFunc(want, compare)
		if linalg.SortFunc(v, compare); !slices.Equal(v, want) {
			t.Fatalf("%d: %v, want %v", n, v, want)
		}
	}
}
