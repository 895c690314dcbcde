package numpy

import (
	"cmp"
	"slices"
)

// sortRows puts the columns of each row in order, as SciPy does not always. Rows that do not
// fit are left for the checks of the matrix.
func sortRows(start []int, index []int32, value []float64) {
	type pair struct {
		column int32
		value  float64
	}
	var row []pair
	for i := 1; i < len(start); i++ {
		lo, hi := start[i-1], start[i]
		if lo < 0 || hi < lo || hi > len(index) || hi > len(value) || slices.IsSorted(index[lo:hi]) {
			continue
		}
		row = row[:0]
		for k := lo; k < hi; k++ {
			row = append(row, pair{index[k], value[k]})
		}
		slices.SortStableFunc(row, func(a, b pair) int { return cmp.Compare(a.column, b.column) })
		for k, e := range row {
			index[lo+k], value[lo+k] = e.column, e.value
		}
	}
}
