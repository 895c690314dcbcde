package columnwise

import (
	"math"
	"testing"

	"halfspace/linalg"
)

// The sum of a long column is off by no more than it is said to be, also where each of its values is too
// small to count beside the first.
func TestSumOfALongColumn(t *testing.T) {
	for _, n := range []int{5, piece, piece + 1, 100_000, 100_001} {
		index, value, r := make([]int32, n), make([]float64, n), make([]float64, n+n%2) // longer: the column is not dense
		for i := range index {
			index[i], value[i], r[i] = int32(i), 1, 0x1.6p-55
		}
		r[0] = 1
		x, err := linalg.NewCSR(1, len(r), []int{0, n}, index, value)
		if err != nil {
			t.Fatal(err)
		}
		want := 1 + float64(n-1)*0x1.6p-55
		got := (&data{columns: x}).sum(r, 0)
		if off := math.Abs(got - want); !(off <= float64(additions(n)+1)*0x1p-53*want) {
			t.Errorf("%d values: off by %g, %d additions", n, off, additions(n))
		}
	}
}
