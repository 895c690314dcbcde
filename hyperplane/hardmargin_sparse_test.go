package hyperplane

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
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

// Two rows of both classes are found among so many columns that no exact search could end.
func TestHardMarginOfManySparseColumnsFindsRowsThatCoincide(t *testing.T) {
	const n, p = 6000, 6001
	for _, same := range []bool{true, false} {
		start, index, value, y := []int{0}, []int32{}, []float64{}, make([]int, n)
		for i := range n {
			column := i
			if i == 500 && same {
				column = 77
			}
			index, value = append(index, int32(column)), append(value, 1)
			start, y[i] = append(start, i+1), i%2
		}
		x, err := linalg.NewCSR(n, p, start, index, value)
		if err != nil {
			t.Fatal(err)
		}
		_, err = FitHardMargin(x, y, nil)
		var e *InfeasibleError
		if !errors.As(err, &e) {
			if same || err != nil {
				t.Errorf("coincident rows: %v, error %v", same, err)
			}
			continue
		}
		if !same || len(e.Positive) != 1 || e.Positive[0] != 77 || len(e.Negative) != 1 || e.Negative[0] != 500 {
			t.Errorf("coincident rows: %v, found %v and %v", same, e.Positive, e.Negative)
		}
		if err := e.Verify(x, y, nil); err != nil {
			t.Error(err)
		}
		y[77] = 0
		if e.Machine.Positive != 1 || e.Verify(x, y, nil) == nil {
			t.Error("evidence that is wrong for other labels was verified")
		}
	}
}

// Those of dense rows are found too.
func TestHardMarginOfManyColumnsFindsRowsThatCoincide(t *testing.T) {
	const n = 760
	x, y := linalg.Zeros(n, n), make([]int, n)
	for i := range n {
		x.Set(i, i, 1)
		y[i] = i % 2
	}
	copy(x.Row(500), x.Row(77))
	x.Set(1, 0, 3) // the first points are others
	for i := 2; i < 100; i += 2 {
		x.Set(i, 0, 10)
	}
	_, err := FitHardMargin(x, y, &HardMarginOptions{Trace: func(optimize.Step) error { return errors.New("a step") }})
	var e *InfeasibleError
	if !errors.As(err, &e) || len(e.Positive) != 1 || e.Positive[0] != 77 || len(e.Negative) != 1 || e.Negative[0] != 500 {
		t.Fatalf("%v", err)
	}
	if err := e.Verify(x, y, nil); err != nil {
		t.Error(err)
	}
}

// Where the nearest points coincide and no exact search can tell whether a plane separates the classes, that is said.
func TestHardMarginOfPointsThatCoincideIsUndecided(t *testing.T) {
	const n, p = 500, 100_001 // twice what the search takes
	start, index, value, y, weights := []int{0}, []int32{}, []float64{}, make([]int, n), make([]float64, n)
	for i := range n {
		index, value, start = append(index, int32(i/2)), append(value, 1), append(start, i+1)
		y[i] = i % 2
	}
	weights[0], weights[1] = 1, 1
	x, err := linalg.NewCSR(n, p, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	m, err := FitHardMargin(x, y, &HardMarginOptions{Weights: weights})
	if !errors.Is(err, optimize.ErrNotConverged) || m == nil || m.Report().Status() != optimize.Undecided || m.Machines()[0].Plane.InRange() != nil {
		t.Errorf("%v", err)
	}
}

// Sparse rows that are mostly empty stay about 0, where a plane of rows 1e6 from there has no digits for margins of exactly 1. The objective is
// that of the plane scaled to such, as near to that of dense rows, which have another origin, as both gaps say.
func TestHardMarginOfSparseRowsFarFromZero(t *testing.T) {
	for seed := range uint64(lt.Rounds(20, 500)) {
		r := rand.New(rand.NewPCG(seed, 58))
		n, p := 12+r.IntN(8), 6+r.IntN(6)
		x, y := linalg.Zeros(n, 5*p), make([]int, n)
		for i := range n {
			y[i] = i % 2
			for j := range p {
				x.Set(i, j, 1e6+r.NormFloat64())
			}
			x.Set(i, 0, 1e6+math.Abs(r.NormFloat64())*float64(2*y[i]-1)+0.1*float64(y[i]))
		}
		dense, err := FitHardMargin(x, y, nil)
		if err != nil {
			t.Fatal(seed, err)
		}
		sparse, err := FitHardMargin(lt.Sparse(x), y, nil)
		if err != nil {
			t.Fatal(seed, err)
		}
		f, g := dense.Report(), sparse.Report()
		most := f.Objective()*f.Certificate().Value + g.Objective()*g.Certificate().Value + 1e-15*f.Objective()
		if apart := math.Abs(f.Objective() - g.Objective()); !(apart <= most) {
			t.Errorf("seed %d: %v and %v, %g apart", seed, f, g, apart)
		}
	}
}
