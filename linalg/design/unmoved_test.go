package design

import (
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// Rows of which one column is far from 0 are taken where they lie by functions and by sums, and lose no digit of that
// column: a copy of all about the origin took three quarters of a fit by products.
func TestFewColumnsFarFromZeroMoveNoRows(t *testing.T) {
	const n, p, far = 300, 40, 17
	x := linalgtest.Normal(3, n, p)
	for i := range n {
		x.Set(i, far, x.At(i, far)+1e9)
	}
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = float64(i % 3)
	}
	x.Set(0, 1, math.Inf(1)) // of a deleted row
	for _, units := range []bool{true, false} {
		d, err := New(x, n, "labels", Settings{Weights: weights})
		if err != nil {
			t.Fatal(err)
		}
		if !units {
			d.SetUnits(linalgtest.Normal(4, 1, p).Data)
		}
		about := *d
		about.off = nil
		theta, v := linalgtest.Normal(5, 1, p+1).Data, linalgtest.Normal(6, n, 1)
		v.Data[0] = 0
		visit := func(d *Design) (eta *linalg.Dense, sum []float64, moved int) {
			f := d.NewFunctions(1)
			f.Set(d, 0, theta)
			eta, sum = linalg.Zeros(n, 1), make([]float64, p+1)
			if err := d.EachBlock(func(b *Block) {
				b.Along(eta.RowRange(b.Lo, b.Hi), f)
				b.AddBack(sum, v.RowRange(b.Lo, b.Hi))
				if b.centered {
					moved++
				}
			}); err != nil {
				t.Fatal(err)
			}
			d.FinishBack(sum, 1, nil)
			return eta, sum, moved
		}
		eta, sum, moved := visit(d)
		want, total, all := visit(&about)
		row := make([]float64, 0, p)
		if err := about.EachBlock(func(b *Block) {
			if _, values := b.Stored(b.Len() - 1); b.Hi == n {
				row = append(row, values...)
			}
		}); err != nil {
			t.Fatal(err)
		}
		for j, v := range row {
			if want := x.At(n-1, j) - d.Origin[j]; v != want {
				t.Errorf("column %d of a block holds %v, want %v, which has no units", j, v, want)
			}
		}
		if moved != 1 || all < 2 {
			t.Errorf("%d blocks were moved, and %d where all are", moved, all)
		}
		for i, f := range eta.Data {
			if !(math.Abs(f-want.Data[i]) < 1e-12) {
				t.Errorf("row %d has the value %v, want %v", i, f, want.Data[i])
			}
		}
		for j, s := range sum {
			if !(math.Abs(s-total[j]) < 1e-11*(1+math.Abs(total[j]))) {
				t.Errorf("sum %d is %v, want %v", j, s, total[j])
			}
		}
	}
}
