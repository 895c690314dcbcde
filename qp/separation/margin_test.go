package separation_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/qp/separation"
)

// The nearest points of two hulls: rows 1 and 2 of the one and row 3 of the other, in any units.
func TestWidestMarginIsExact(t *testing.T) {
	for _, unit := range []float64{1, 0x1p40, 0x1p-300} {
		x := linalgtest.Rows(t, []float64{-9, 1 * unit}, []float64{-3, 4 * unit}, []float64{-3, -4 * unit}, []float64{1, -2 * unit}, []float64{7, 2 * unit})
		p := &separation.Problem{X: x, Code: []int{0, 0, 0, 1, 1}, Classes: 2}
		m, err := separation.WidestMargin(p, []int{0, 4}, []float64{1, 1})
		if err != nil || m == nil {
			t.Fatal(m, err)
		}
		weight := make(map[int]float64)
		for k, i := range m.Rows {
			weight[i] = m.Weights[k]
		}
		if !maps.Equal(weight, map[int]float64{1: 0.25, 2: 0.75, 3: 1}) || !slices.Equal(m.Difference, []float64{4, 0}) {
			t.Errorf("unit %g: %+v", unit, m)
		}
	}
	p := &separation.Problem{X: linalgtest.Rows(t, []float64{3, 4}, []float64{-6, -8}), Code: []int{1, 0}, Classes: 2, ThroughZero: true}
	m, err := separation.WidestMargin(p, []int{1}, []float64{1})
	if err != nil || m == nil || !slices.Equal(m.Rows, []int{0}) || !slices.Equal(m.Difference, []float64{3, 4}) {
		t.Error(m, err)
	}
	if _, err := separation.WidestMargin(&separation.Problem{X: p.X, Code: []int{1}, Classes: 2}, nil, nil); err == nil {
		t.Error("one code of two rows")
	}
}

// Rows of units from 1e-12 to 1e12, as nearest points in float64 leave them: the rows that are near the solution are not those of it.
func BenchmarkWidestMarginOfManyUnits(b *testing.B) {
	const n, p = 54, 18
	x, code := linalgtest.Normal(5, n, p), make([]int, n)
	for i := range n {
		if code[i] = i % 3 / 2; code[i] == 1 {
			x.Row(i)[0] += 9
		}
		for j := range p {
			x.Row(i)[j] *= math.Pow(10, float64(3*(j%9)-12))
		}
	}
	for b.Loop() {
		m, err := separation.WidestMargin(&separation.Problem{X: x, Code: code, Classes: 2}, []int{0, 2}, []float64{1, 1})
		if err != nil || m == nil {
			b.Fatal(m, err)
		}
	}
}
