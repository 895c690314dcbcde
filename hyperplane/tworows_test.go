package hyperplane_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/optimize"
)

// Two rows with squared slacks have a closed form, whose multipliers are α = 2Cξ.
func TestSquaredSlacksOfTwoRowsNeedNoSteps(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := math.Pow(10, 12*r.Float64()-6)
		x := linalg.Zeros(2, 3)
		for i := range x.Data {
			x.Data[i] = math.Round(3 * r.NormFloat64())
		}
		w := []float64{float64(1 + r.IntN(9)), float64(1 + r.IntN(9))}
		m, err := hyperplane.FitSVC(x, []int{0, 1}, &hyperplane.SVCOptions{C: c, Loss: hyperplane.SquaredHinge, Weights: w})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if s, gap := m.Report().Status(), m.Report().Certificate().Value; s != optimize.Direct || !(gap <= 1e-12) {
			t.Errorf("seed %d: %v, gap %g", seed, s, gap)
		}
		p := m.Machines()[0]
		for k, a := range p.Multipliers {
			slack := 1 - float64(2*p.Support[k]-1)*p.Plane.Value(x.Row(p.Support[k]))
			if want := 2 * c * w[p.Support[k]] * slack; !(math.Abs(a-want) <= 1e-12*a+1e-14*c*w[p.Support[k]]) {
				t.Errorf("seed %d: multiplier %g, want 2Cξ = %g", seed, a, want)
			}
		}
	}
}

// A fold that holds all rows of a class is refused before anything is fitted.
func TestFoldsThatHoldAClassAreRefusedFirst(t *testing.T) {
	x, y, folds := linalg.Zeros(6, 1), []int{0, 0, 1, 1, 2, 2}, []int{0, 1, 0, 1, 1, 1}
	o := &hyperplane.SVCOptions{Trace: func(optimize.Step) error { t.Error("a step"); return nil }}
	_, err := hyperplane.CrossValidateSVC(x, y, []float64{1}, folds, o)
	var class *linalg.ClassError
	if !errors.As(err, &class) || class.Class != 2 || err.Error() != "hyperplane: without fold 1: class 2 (0 rows) has no rows" {
		t.Errorf("the error is %v", err)
	}
}
