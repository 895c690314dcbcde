package validate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// AUC returns the area under the ROC curve: the probability that a positive row
// has a higher score than a negative one, a tie counting half (the Mann–Whitney
// statistic). NaN if one of the two is missing or a score is NaN. O(n log n).
func AUC(score []float64, positive []bool) float64 {
	if len(score) != len(positive) {
		panic(fmt.Sprintf("validate: AUC: %d scores but %d labels", len(score), len(positive)))
	}
	by := make([]int, len(score))
	for i, s := range score {
		if s != s {
			return math.NaN()
		}
		by[i] = i
	}
	slices.SortFunc(by, func(a, b int) int { return cmp.Compare(score[a], score[b]) })
	var area, below, pos float64
	for lo := 0; lo < len(by); {
		hi, p := lo, 0.0
		for ; hi < len(by) && score[by[hi]] == score[by[lo]]; hi++ {
			if positive[by[hi]] {
				p++
			}
		}
		n := float64(hi-lo) - p
		area += p * (below + n/2)
		below, pos, lo = below+n, pos+p, hi
	}
	return area / (below * pos)
}
