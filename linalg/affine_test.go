package linalg_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/internal/kernel"
)

// Sizes about those of tiles and of blocks of columns; the matrices are windows on
// larger ones.
func TestAffine(t *testing.T) {
	defer kernel.Use(kernel.Use(kernel.Generic))
	for _, level := range kernel.Levels() {
		kernel.Use(level)
		t.Run(level.String(), testAffine)
	}
}

func testAffine(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 1))
	window := func(n, p int) *linalg.Dense {
		a := linalg.Zeros(n, p+3)
		for i := range a.Data {
			a.Data[i] = 1e3 + r.NormFloat64()
		}
		return &linalg.Dense{Rows: n, Cols: p, Stride: p + 3, Data: a.Data}
	}
	for _, s := range [][3]int{{1, 1, 1}, {7, 3, 2}, {8, 16, 8}, {9, 100, 10}, {40, 127, 17}, {21, 300, 33}} {
		n, p, k := s[0], s[1], s[2]
		x, b, dst := window(n, p), window(k, p), window(n, k)
		origin, at := window(1, p).Row(0), window(1, k).Row(0)
		linalg.Affine(dst, x, origin, b, at)
		for i := range n {
			for c := range k {
				want, size := at[c], math.Abs(at[c])
				for j, v := range x.Row(i) {
					want += b.At(c, j) * (v - origin[j])
					size += math.Abs(b.At(c, j) * (v - origin[j]))
				}
				if got := dst.At(i, c); !(math.Abs(got-want) <= float64(2*p)*0x1p-53*size) {
					t.Fatalf("%d×%d, %d functions: (%d, %d) is %v, want %v", n, p, k, i, c, got, want)
				}
			}
			for j, v := range dst.Data[i*dst.Stride:][k:min(k+3, len(dst.Data)-i*dst.Stride)] {
				if !(math.Abs(v-1e3) < 10) {
					t.Fatalf("%d×%d: wrote %v beside row %d, %d", n, p, v, i, j)
				}
			}
		}
	}
}

func BenchmarkAffine(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	n, p := 256, 100
	x := normals(r, n, p)
	for _, k := range []int{2, 10, 30} {
		coef, dst := x.RowRange(0, k), linalg.Zeros(n, k)
		for _, l := range kernel.Levels() {
			b.Run(fmt.Sprintf("%d/%v", k, l), func(b *testing.B) {
				defer kernel.Use(kernel.Use(l))
				for b.Loop() {
					linalg.Affine(dst, x, x.Row(0), coef, x.Row(1)[:k])
				}
			})
		}
	}
}
