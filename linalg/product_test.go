package linalg_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
)

// The three products, against the triple loop.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, s := range [][3]int{{1, 1, 1}, {3, 5, 2}, {8, 16, 8}, {9, 17, 7}, {30, 4, 64}, {100, 33, 10}, {65, 100, 26}, {300, 20, 3}, {17, 700, 19}, {3, 5, 8200}} {
		n, p, q := s[0], s[1], s[2]
		a, b, at, bt := normals(r, n, p), normals(r, p, q), linalg.Zeros(p, n), linalg.Zeros(q, p)
		for i := range n {
			for j := range p {
				at.Set(j, i, a.At(i, j))
			}
		}
		for i := range p {
			for j := range q {
				bt.Set(j, i, b.At(i, j))
			}
		}
		start := normals(r, n, q)
		for _, alpha := range []float64{1, -1, 0.5} {
			c1, c2, c3 := start.Clone(), start.Clone(), start.Clone()
			linalg.MulAdd(c1, alpha, a, b)
			linalg.MulTAdd(c2, alpha, at, b)
			linalg.MulBTAdd(c3, alpha, a, bt)
			for i := range n {
				for j := range q {
					want, abs := start.At(i, j), math.Abs(start.At(i, j))
					for k := range p {
						v := alpha * a.At(i, k) * b.At(k, j)
						want += v
						abs += math.Abs(v)
					}
					for name, c := range map[string]*linalg.Dense{"MulAdd": c1, "MulTAdd": c2, "MulBTAdd": c3} {
						if !(math.Abs(c.At(i, j)-want) <= float64(p+3)*0x1p-53*abs) {
							t.Fatalf("%s %d×%d×%d: (%d, %d) is %v, want %v", name, n, p, q, i, j, c.At(i, j), want)
						}
					}
				}
			}
		}
		c := linalg.Zeros(n, q)
		linalg.MulBT(c, a, bt, 0)
		for i := range n {
			for j := range q {
				want := linalg.Dot(a.Row(i), bt.Row(j))
				if !(math.Abs(c.At(i, j)-want) <= float64(2*p)*0x1p-53*linalg.Norm(a.Row(i))*linalg.Norm(bt.Row(j))) {
					t.Fatalf("MulBT %d×%d×%d: (%d, %d) is %v, want %v", n, p, q, i, j, c.At(i, j), want)
				}
			}
		}
	}
}
