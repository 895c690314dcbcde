package hyperplane

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// The widest margin of sparse rows of many columns is that of the same rows stored dense, to
// within both bounds, with rows of weight 0, through 0 and for several classes.
func TestHardMarginOfSparseRows(t *testing.T) {
	const n, p = 90, 400
	for seed := range uint64(lt.Rounds(3, 60)) {
		x := lt.Thinned(seed+5, n, p, 0.02+0.01*float64(seed%3))
		y, weight := make([]int, n), make([]float64, n)
		for i := range y {
			y[i], weight[i] = i%3, float64(i%8)
			x.Row(i)[100+i] += 0.3
			x.Row(i)[3*(i%20)+y[i]]++
		}
		for name, o := range map[string]*HardMarginOptions{"all": nil, "some": {Weights: weight}, "rest": {Multi: OneVsRest}, "through 0": {NoIntercept: true, Tol: 1e-11}} {
			a, err := FitHardMargin(x, y, o)
			if err != nil {
				t.Fatalf("%d, %s: dense: %v", seed, name, err)
			}
			b, err := FitHardMargin(lt.Sparse(x), y, o)
			if err != nil {
				t.Fatalf("%d, %s: sparse: %v", seed, name, err)
			}
			for k, m := range b.Machines() {
				f, g := a.Machines()[k].Report, m.Report
				if bound := (f.Certificate().Value + g.Certificate().Value) * f.Objective(); !(math.Abs(f.Objective()-g.Objective()) <= bound+1e-13*f.Objective()) {
					t.Errorf("%d, %s: objectives %v dense and %v sparse, bound %g", seed, name, f.Objective(), g.Objective(), bound)
				}
			}
		}
	}
}

// Where rows of both classes coincide the evidence is exact, dense or sparse.
func TestHardMarginOfSparseRowsThatCoincide(t *testing.T) {
	const n, p = 80, 300
	x := lt.Thinned(9, n, p, 0.03)
	y := make([]int, n)
	for i := range y {
		y[i] = i % 2
	}
	copy(x.Row(31), x.Row(30))
	for _, rows := range []linalg.Rows{x, lt.Sparse(x)} {
		_, err := FitHardMargin(rows, y, nil)
		var e *InfeasibleError
		if !errors.As(err, &e) {
			t.Fatalf("%v", err)
		}
		if err := e.Verify(rows, y, nil); err != nil {
			t.Error(err)
		}
	}
}
