package kernel_test

import (
	"fmt"
	"math"
	"testing"

	"halfspace/linalg/internal/kernel"
)

// The scores of a sparse row and its way back are sums of multiples, at each level, for any
// number of functions and of values, and nothing else is written.
func TestSparseRows(t *testing.T) {
	defer kernel.Use(kernel.Levels()[len(kernel.Levels())-1])
	const rows = 50
	for _, level := range kernel.Levels() {
		kernel.Use(level)
		for k := 1; k <= 70; k++ {
			stride := k + k%3
			for _, n := range []int{0, 1, 2, 7, 8, 9, 30} {
				coef, dst, r := make([]float64, rows*stride), make([]float64, k+1), make([]float64, k)
				for i := range coef {
					coef[i] = math.Sin(float64(i))
				}
				for i := range r {
					r[i], dst[i] = math.Cos(float64(i)), float64(i)
				}
				dst[k] = 7
				var index []int32
				var value []float64
				for i := range n {
					index, value = append(index, int32(i*rows/30+1)), append(value, 1/float64(i+1))
				}
				kernel.ScoresAt(dst[:k], coef, stride, index, value)
				back := append([]float64(nil), coef...)
				kernel.BackAt(back, stride, r, index, value)
				for c := range k {
					want := float64(c)
					for i, j := range index {
						want += value[i] * coef[int(j)*stride+c]
						coef[int(j)*stride+c] += value[i] * r[c]
					}
					if !(math.Abs(dst[c]-want) <= 1e-12) {
						t.Fatalf("%v, %d functions, %d values: score %d is %v, want %v", level, k, n, c, dst[c], want)
					}
				}
				for i, v := range back {
					if !(math.Abs(v-coef[i]) <= 1e-12) {
						t.Fatalf("%v, %d functions, %d values: back %d is %v, want %v", level, k, n, i, v, coef[i])
					}
				}
				if dst[k] != 7 {
					t.Fatalf("%v: a score too many", level)
				}
			}
		}
	}
}

// Rows of 400 values: all next to each other, and 50 columns apart.
func BenchmarkBackAt(b *testing.B) {
	const n = 400
	for _, functions := range []int{3, 7, 15, 16, 20} {
		for _, every := range []int{1, 50} {
			dst, r := make([]float64, n*every*functions), make([]float64, functions)
			index, value := make([]int32, n), make([]float64, n)
			for i := range index {
				index[i], value[i] = int32(i*every), 1
			}
			b.Run(fmt.Sprintf("functions=%d/every=%d", functions, every), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					kernel.BackAt(dst, functions, r, index, value)
				}
			})
		}
	}
}
