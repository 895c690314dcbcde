package linalg_test

import (
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
)

func benchMatrix() (x *linalg.Dense, c, w []float64) {
	r := rand.New(rand.NewPCG(1, 2))
	n, p := 100_000, 100
	w = make([]float64, n)
	for i := range w {
		w[i] = r.Float64()
	}
	return normals(r, n, p), normals(r, 1, p).Data, w
}

func BenchmarkGram(b *testing.B) {
	x, c, w := benchMatrix()
	for _, m := range []struct {
		name string
		c, w []float64
	}{{"plain", nil, nil}, {"centred", c, nil}, {"weighted", nil, w}, {"weighted-centred", c, w}} {
		b.Run(m.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				linalg.Gram(x, m.c, m.w, 0)
			}
		})
	}
}

func BenchmarkMulVec(b *testing.B) {
	x, c, _ := benchMatrix()
	dst := make([]float64, x.Rows)
	b.ReportAllocs()
	for b.Loop() {
		linalg.MulVec(dst, x, c, 0)
	}
}

func BenchmarkMulTVec(b *testing.B) {
	x, c, w := benchMatrix()
	b.ReportAllocs()
	for b.Loop() {
		linalg.MulTVec(c, x, w, 0)
	}
}

func BenchmarkMulBT(b *testing.B) {
	x, _, _ := benchMatrix()
	for _, k := range []int{3, 10} {
		b.Run(map[int]string{3: "3", 10: "10"}[k], func(b *testing.B) {
			coef, dst := x.RowRange(0, k), linalg.Zeros(x.Rows, k)
			b.ReportAllocs()
			for b.Loop() {
				linalg.MulBT(dst, x, coef, 0)
			}
		})
	}
}

func BenchmarkSyrkPanel(b *testing.B) {
	x, c, w := benchMatrix()
	x, g := x.RowRange(0, 64), linalg.Zeros(100, 100)
	b.ReportAllocs()
	for b.Loop() {
		linalg.Syrk(g, x, c, w[:64])
	}
}
