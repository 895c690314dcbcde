package hyperplane

import (
	"fmt"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// overlapping returns two normal clouds of n rows in all whose means are 1 apart
// in each of p coordinates, scaled so that the classes overlap alike for every p.
func overlapping(n, p int) (*linalg.Dense, []int) {
	x, y := linalgtest.Normal(6, n, p), make([]int, n)
	for i := range y {
		y[i] = i % 2
		x.Row(i)[0] += 2 * float64(y[i])
	}
	return x, y
}

func BenchmarkSVC(b *testing.B) {
	for _, n := range []int{5_000, 10_000, 20_000, 40_000, 80_000} {
		x, y := overlapping(n, 50)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := FitSVC(x, y, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	x, y := overlapping(10_000, 50)
	for _, c := range []float64{1e-3, 1e-1, 10, 1e3, 1e5} {
		b.Run(fmt.Sprintf("C=%g", c), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := FitSVC(x, y, &SVCOptions{C: c}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkHardMargin(b *testing.B) {
	x, y := linalgtest.Normal(7, 10_000, 50), make([]int, 10_000)
	for i := range y {
		y[i] = i % 2
		x.Row(i)[0] += 12 * float64(y[i])
	}
	b.Run("separable", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := FitHardMargin(x, y, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	x, y = overlapping(10_000, 50)
	b.Run("infeasible", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := FitHardMargin(x, y, nil); err == nil {
				b.Fatal("separable")
			}
		}
	})
}
