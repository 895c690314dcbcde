package qp

import (
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// Residuals of few rows, of which pairs of many classes have very many, are those of the same rows among others, to the last
// digit and beyond the range of a float64, and ask for no memory.
func TestExactResidualsOfFewRows(t *testing.T) {
	const few, p = 3, 4
	all := linalgtest.Normal(3, fewEntries, p)
	for j := range p {
		for i := range all.Rows {
			all.Row(i)[j] += 1e9 * float64(j)
		}
	}
	for _, origin := range [][]float64{nil, {0, 1e9, 2e9, 3e9}, {1e300, 0, 0, 0}} {
		for _, v := range [][]float64{{1, 1e-3, -1e8, 7}, {1e300, -1e300, 1e300, 1}} {
			y := linalgtest.Normal(4, all.Rows, 1).Data
			sign := make([]float64, all.Rows)
			large := &Linear{X: all, Origin: origin, Sign: sign}
			small := &Linear{X: all.RowRange(0, few), Origin: origin, Sign: sign[:few]}
			want, got := make([]float64, all.Rows), make([]float64, few)
			large.ExactResiduals(want, v, 5, y)
			small.ExactResiduals(got, v, 5, y[:few])
			for i := range got {
				if got[i] != want[i] && (got[i] == got[i] || want[i] == want[i]) {
					t.Errorf("origin %v, row %d: %v, among others %v", origin, i, got[i], want[i])
				}
			}
			if n := testing.AllocsPerRun(10, func() { small.ExactResiduals(got, v, 5, y[:few]) }); n > 0 {
				t.Errorf("%g allocations", n)
			}
		}
	}
	x := linalg.Zeros(1, 1)
	x.Data[0] = 1
	q := &Linear{X: x, Sign: []float64{1}}
	got := make([]float64, 1)
	if q.ExactResiduals(got, []float64{0x1p-70}, 1, []float64{1}); got[0] != 0x1p-70 {
		t.Errorf("1 + 2⁻⁷⁰ − 1 is %g", got[0])
	}
}
