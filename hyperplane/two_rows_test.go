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

// The plane between two rows, about any origin or through 0, is that of the same rows twice at half the price each.
func TestPlaneBetweenTwoRows(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	for range 300 {
		p := 1 + r.IntN(3)
		twice, y, w := linalg.Zeros(4, p), []int{0, 1, 0, 1}, make([]float64, 4)
		shift := []float64{0, 1e6}[r.IntN(2)]
		zero := shift == 0 && r.IntN(2) == 0
		for j := range p {
			for i := range 2 {
				twice.Set(i, j, r.NormFloat64()+shift)
				if i == 1 && p == 1 && r.IntN(5) == 0 {
					twice.Set(1, j, twice.At(0, j))
				}
				twice.Set(i+2, j, twice.At(i, j))
			}
		}
		for i := range 2 {
			w[i] = []float64{1, 1, 3}[r.IntN(3)]
			w[i+2] = w[i]
		}
		once := &linalg.Dense{Rows: 2, Cols: p, Stride: p, Data: twice.Data[:2*p]}
		c := math.Pow(10, float64(r.IntN(8)-4))
		got, err := hyperplane.FitSVC(once, y[:2], &hyperplane.SVCOptions{C: 2 * c, Weights: w[:2], NoIntercept: zero})
		if err != nil {
			t.Fatal(err)
		}
		want, err := hyperplane.FitSVC(twice, y, &hyperplane.SVCOptions{C: c, Weights: w, NoIntercept: zero})
		if err != nil {
			t.Fatal(err)
		}
		if s := got.Report().Status(); s != optimize.Direct && !zero {
			t.Errorf("status %v", s)
		}
		a, b := got.Report().Objective(), want.Report().Objective()
		if !(math.Abs(a-b) <= 1e-6*b) {
			t.Errorf("rows %v, weights %v, C %g: objective %g, of the rows twice %g", once.Data, w[:2], 2*c, a, b)
		}
		across := func(m *hyperplane.SVC) float64 { // the level is not unique where prices hold both rows
			f, g := m.Scores(nil, once.Row(0)), m.Scores(nil, once.Row(1))
			return g[1] - g[0] - f[1] + f[0]
		}
		if f, g := across(got), across(want); !(math.Abs(f-g) <= 1e-6) {
			t.Errorf("rows %v, weights %v, C %g: %g apart, of the rows twice %g", once.Data, w[:2], 2*c, f, g)
		}
	}
}

// The trace sees the plane of each pair of rows, and its error ends the fit at that.
func TestTraceEndsPlanesBetweenTwoRows(t *testing.T) {
	x := &linalg.Dense{Rows: 4, Cols: 1, Stride: 1, Data: []float64{1, 2, 4, 8}}
	enough := errors.New("enough")
	for at := 1; at <= 6; at++ {
		calls := 0
		m, err := hyperplane.FitSVC(x, []int{0, 1, 2, 3}, &hyperplane.SVCOptions{Trace: func(optimize.Step) error {
			if calls++; calls == at {
				return enough
			}
			return nil
		}})
		if m == nil || !errors.Is(err, enough) || !errors.Is(err, optimize.ErrNotConverged) || calls != at {
			t.Errorf("stopped at %d: %d calls, model %v, %v", at, calls, m != nil, err)
		}
	}
}

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
