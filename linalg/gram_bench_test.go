package linalg_test

import (
	"fmt"
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

// The weights of a logistic Hessian come from the scores of the same rows, while
// these are in the cache.
func BenchmarkGramFusedWithItsWeights(b *testing.B) {
	x, c, _ := benchMatrix()
	p := x.Cols
	type state struct {
		g             *linalg.Dense
		t, prob, loss []float64
	}
	const block = 256
	b.ReportAllocs()
	for b.Loop() {
		total := linalg.Zeros(p, p)
		linalg.Reduce(x.Rows, 16*block, 0,
			func() *state {
				return &state{linalg.Zeros(p, p), make([]float64, block), make([]float64, block), make([]float64, block)}
			},
			func(s *state, lo, hi int) {
				clear(s.g.Data)
				for ; lo < hi; lo += block {
					rows := x.RowRange(lo, min(lo+block, hi))
					t, prob, loss := s.t[:rows.Rows], s.prob[:rows.Rows], s.loss[:rows.Rows]
					linalg.MulVec(t, rows, c, 1)
					linalg.Logistic(prob, loss, t)
					for i, q := range prob {
						t[i] = q * (1 - q)
					}
					linalg.Syrk(s.g, rows, nil, t)
				}
			},
			func(s *state) { linalg.Axpy(total.Data, 1, s.g.Data) })
	}
}

// Small blocks, as moments by class and small data sets have them.
func BenchmarkSyrkSmall(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][2]int{{64, 2}, {64, 4}, {64, 10}, {64, 30}, {64, 100}, {256, 10}} {
		b.Run(fmt.Sprintf("%d×%d", s[0], s[1]), func(b *testing.B) {
			x, g := normals(r, s[0], s[1]), linalg.Zeros(s[1], s[1])
			b.ReportAllocs()
			for b.Loop() {
				linalg.Syrk(g, x, nil, nil)
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
		b.Run(fmt.Sprint(k), func(b *testing.B) {
			coef, dst := x.RowRange(0, k), linalg.Zeros(x.Rows, k)
			b.ReportAllocs()
			for b.Loop() {
				linalg.MulBT(dst, x, coef, 0)
			}
		})
	}
}
