package optimize

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/optimize/penalty"
)

// The factor of one face serves those near it, by coordinates and by ridge, to the tolerance in
// its units; for a ridge far away a factor is made.
func TestFactorServesNeighbors(t *testing.T) {
	const n = 600
	rng := rand.New(rand.NewPCG(15, 1))
	x, factors, scale := linalg.Zeros(2*n, n), make([]float64, n), make([]float64, n)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	for j := range n {
		factors[j], scale[j] = rng.Float64(), 1+rng.Float64()
	}
	a, near := linalg.Gram(x, nil, nil, 1), new(NearFace)
	for _, c := range []struct {
		lambda float64
		from   int // the coordinates are all from here on
		kept   bool
	}{{100, 8, false}, {95, 8, true}, {90, 6, true}, {90, 10, true}, {1e6, 10, false}} {
		s := &faces{a: a, pen: penalty.ElasticNet{Lambda: c.lambda, L1Ratio: .5, Factors: factors}, NearFace: near, tol: 0.1, scale: scale}
		var set []int
		var right []float64
		for j := c.from; j < n; j++ {
			set, right = append(set, j), append(right, rng.NormFloat64())
		}
		before, left := near.base, append([]float64(nil), right...)
		if !s.solve(set, right, 0) {
			t.Fatalf("ridge %g from %d: no solution", c.lambda, c.from)
		}
		if kept := before != nil && near.base == before; kept != c.kept {
			t.Errorf("ridge %g from %d: the factor before served is %t, want %t", c.lambda, c.from, kept, c.kept)
		}
		for i, j := range set {
			_, l2 := s.pen.Weights(j)
			left[i] -= l2 * right[i]
			for m, l := range set {
				left[i] -= a.At(j, l) * right[m]
			}
			if !(math.Abs(left[i]) <= s.tol/2*scale[j]+1e-9) {
				t.Fatalf("ridge %g from %d: coordinate %d leaves %g, want at most %g", c.lambda, c.from, j, left[i], s.tol/2*scale[j])
			}
		}
	}
}
