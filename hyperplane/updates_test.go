package hyperplane_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/hyperplane"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// From any start, at any rate, each update brings the plane closer to the separating
// one by at least what the theorem says, and there are no more updates than its bound;
// the trace sees every one of them.
func TestUpdatesFromAnyStart(t *testing.T) {
	for seed := range lt.Rounds(20, 500) {
		r := rand.New(rand.NewPCG(uint64(seed), 6))
		x := lt.Normal(uint64(seed), 40, 2)
		y := make([]int, x.Rows)
		for i := range y {
			y[i] = i % 2
			x.Set(i, 0, float64(2*y[i]-1)*(0.3+math.Abs(x.At(i, 0))))
		}
		start, err := hyperplane.NewPlane([]float64{3 * r.NormFloat64(), 3 * r.NormFloat64()}, r.NormFloat64())
		if err != nil {
			t.Fatal(err)
		}
		separating, err := hyperplane.NewPlane([]float64{1, 0.1 * r.NormFloat64()}, 0)
		if err != nil {
			t.Fatal(err)
		}
		rate := math.Exp(r.NormFloat64())
		bound, err := hyperplane.UpdateBoundFrom(start, rate, separating, x, y)
		if err != nil {
			t.Fatal(err)
		}
		order := []hyperplane.PerceptronOrder{hyperplane.Cyclic, hyperplane.Shuffled, hyperplane.Worst}[seed%3]
		seen := 0
		m, err := hyperplane.FitPerceptron(x, y, &hyperplane.PerceptronOptions{Start: start, Rate: rate, Order: order, EveryUpdate: true,
			Trace: func(s optimize.Step) error {
				seen++
				return nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		if float64(m.Updates()) > bound {
			t.Errorf("seed %d: %d updates, bound %g", seed, m.Updates(), bound)
		}
		if seen != max(m.Updates(), 1)+1 { // the start, and each update or the one clean epoch
			t.Errorf("seed %d, %v: %d updates, %d shown", seed, order, m.Updates(), seen)
		}
	}
}

// From zero the bound is R²‖β‖² whatever the rate; from the separating plane itself,
// scaled so that no row is wrong, it is no less than the 0 updates made. It is the least
// over t of ‖b_start − tb‖²/(2ρt − ρ²R²), here found by trying.
func TestUpdateBoundFromIsTheLeast(t *testing.T) {
	x := lt.Rows(t, []float64{2}, []float64{-1})
	y := []int{1, 0}
	p, err := hyperplane.NewPlane([]float64{1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	zero, err := hyperplane.UpdateBound(p, x, y)
	if err != nil {
		t.Fatal(err)
	}
	lt.Close(t, "from zero", zero, 5, 1e-14) // R² = 5, margin 1
	start, err := hyperplane.NewPlane([]float64{-3}, 2)
	if err != nil {
		t.Fatal(err)
	}
	const rate = 0.4
	got, err := hyperplane.UpdateBoundFrom(start, rate, p, x, y)
	if err != nil {
		t.Fatal(err)
	}
	least := math.Inf(1)
	for k := 1; k < 200_000; k++ {
		s := rate*5/2 + float64(k)*1e-3
		least = math.Min(least, (4+(-3-s)*(-3-s))/(2*rate*s-rate*rate*5))
	}
	lt.Close(t, "from (2, −3)", got, least, 1e-7)
	// From s times the plane between rows at −1 and 1 there are at most 2(1 − s), and none from s = 1 on.
	x = lt.Rows(t, []float64{-1}, []float64{1})
	for _, multiple := range []float64{0, 0.25, 0.5, 1, 1.5, 3} {
		if start, err = p.Scaled(multiple); err != nil {
			t.Fatal(err)
		}
		if got, err = hyperplane.UpdateBoundFrom(start, 1, p, x, []int{0, 1}); err != nil {
			t.Fatal(err)
		}
		lt.Close(t, "from a multiple", got, max(0, 2-2*multiple), 1e-14)
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := hyperplane.UpdateBoundFrom(start, bad, p, x, y); err == nil {
			t.Errorf("a rate of %g is taken", bad)
		}
	}
}
