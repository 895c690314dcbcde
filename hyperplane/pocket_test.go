package hyperplane_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// The pocket has the fewest rows wrong of all planes that the rule meets: those are
// told here one by one. Where epochs alone are looked at, or the ends of long runs of
// correct rows, a better plane goes by on most of these sets.
func TestPocketHoldsTheBestPlaneMet(t *testing.T) {
	better := 0
	rounds := lt.Rounds(40, 2000)
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		n := 10 + r.IntN(40)
		x, y := linalg.Zeros(n, 2), make([]int, n)
		for i := range n {
			y[i] = i % 2
			x.Set(i, 0, r.NormFloat64()+1.5*float64(y[i]))
			x.Set(i, 1, r.NormFloat64())
		}
		rate := []float64{1, 0.3}[seed%2]
		want, epochs := fewestMet(x, y, rate, 20)
		m, err := hyperplane.FitPerceptron(x, y, &hyperplane.PerceptronOptions{Pocket: true, MaxEpochs: 20, Rate: rate})
		if err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			t.Fatal(err)
		}
		if m.Misclassified() != want {
			t.Errorf("seed %d: %d rows wrong, a plane that was met has %d", seed, m.Misclassified(), want)
		}
		if want < epochs {
			better++
		}
	}
	if better < rounds/3 {
		t.Errorf("within an epoch there was a better plane on %d of %d sets only", better, rounds)
	}
}

// fewestMet runs Rosenblatt's rule row by row and returns the fewest rows that any of
// its planes has wrong, and any at the end of an epoch.
func fewestMet(x *linalg.Dense, y []int, rate float64, epochs int) (ever, ends int) {
	b0, b := 0.0, make([]float64, x.Cols)
	value := func(i int) float64 { return float64(2*y[i]-1) * (b0 + linalg.Dot(b, x.Row(i))) }
	wrong := func() (n int) {
		for i := range y {
			if !(value(i) > 0) {
				n++
			}
		}
		return n
	}
	ever, ends = wrong(), math.MaxInt
	for range epochs {
		for i := range y {
			if value(i) > 0 {
				continue
			}
			s := rate * float64(2*y[i]-1)
			b0 += s
			linalg.Axpy(b, s, x.Row(i))
			ever = min(ever, wrong())
		}
		ends = min(ends, wrong())
	}
	return ever, ends
}

// A plane after a clean epoch is published though the pocket, which adds up scores in another order, has a row of it
// on the plane.
func TestPocketLeavesACleanEpochAlone(t *testing.T) {
	x := lt.Rows(t, []float64{-2, -10, 1}, []float64{-0.30000000000000004, 1, 0.1}, []float64{2, -10, -20}, []float64{-1, 0.2, -1})
	for _, rows := range []linalg.Rows{x, lt.Sparse(x)} {
		if m, err := hyperplane.FitPerceptron(rows, []int{0, 1, 0, 0}, &hyperplane.PerceptronOptions{Pocket: true, Rate: 0.1}); err != nil || m.Misclassified() != 0 {
			t.Errorf("%v, %v", m, err)
		}
	}
}
