package optimize

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
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

// On a path whose columns are almost dependent, sweeps from the minimum before change signs that are
// right; the face of that minimum leads to the next one.
func TestFacesFromTheStart(t *testing.T) {
	const n = 120
	x, b, near := linalgtest.Normal(1, n, n), make([]float64, n), new(NearFace)
	noise := linalgtest.Normal(2, n, 1)
	for i := range n {
		linalg.Axpy(b, x.At(i, 0)+noise.At(i, 0), x.Row(i))
	}
	a, at, sweeps := linalg.Gram(x, nil, nil, 1), make([]float64, n), 0
	for lambda := 10.0; lambda > 1e-3; lambda *= .9 {
		var r Report
		var err error
		pen := penalty.ElasticNet{Lambda: lambda, L1Ratio: 1}
		if at, r, err = CoordinateDescent(&Quadratic{A: a, B: b, Near: near}, at, pen, &Control{Tol: 1e-8 * lambda}); err != nil {
			t.Fatal(err)
		}
		sweeps += r.Iterations()
	}
	if !near.strays || sweeps > 250 {
		t.Errorf("%d sweeps, strayed: %t", sweeps, near.strays)
	}
}

// The inverse of a face follows from the factor of another one, whichever coordinates it lacks or has
// beyond that.
func TestInverseBesideAFace(t *testing.T) {
	const n = 40
	x := linalgtest.Normal(3, n+2, n)
	s := &faces{a: linalg.Gram(x, nil, nil, 1), pen: penalty.ElasticNet{Lambda: 1, L1Ratio: .5}, NearFace: new(NearFace), tol: 1e-9}
	count := func(from, to int) (set []int) {
		for j := from; j < to; j++ {
			set = append(set, j)
		}
		return set
	}
	if !s.solve(count(8, 30), make([]float64, 22), 0) {
		t.Fatal("no factor")
	}
	for _, set := range [][]int{count(8, 30), count(11, 30), count(8, 34), count(3, 27)} {
		p := s.beside(set)
		if !p.meet(s, set) {
			t.Fatal("no factors of the difference")
		}
		want := linalgtest.Normal(4, len(set), 1).Data
		z := make([]float64, len(set))
		for i, j := range set {
			z[i] = want[i] / 2 // the ridge is λ(1−α)
			for k, l := range set {
				z[i] += s.a.At(j, l) * want[k]
			}
		}
		p.precondition(z)
		linalgtest.CloseSlice(t, "the solution", z, want, 1e-8)
	}
}
