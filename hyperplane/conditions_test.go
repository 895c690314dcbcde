package hyperplane_test

import (
	"math"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// apart draws two classes that a plane separates.
func apart(seed uint64, n, p int) (*linalg.Dense, []int) {
	x, y := lt.Normal(seed, n, p), make([]int, n)
	for i := range y {
		y[i] = i % 2
		x.Set(i, 0, float64(2*y[i]-1)*(0.2+math.Abs(x.At(i, 0))))
	}
	return x, y
}

// The hard margin satisfies its conditions (ESL 4.50 to 4.53) and closes its gap; with a
// multiplier moved to another row, or the plane scaled, they say so.
func TestHardMarginConditions(t *testing.T) {
	for seed := range uint64(lt.Rounds(10, 300)) {
		x, y := apart(seed, 30, 2+int(seed%3))
		none := seed%4 == 3
		m, err := hyperplane.FitHardMargin(x, y, &hyperplane.HardMarginOptions{NoIntercept: none})
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Conditions(0, x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		if k.Stationarity > 1e-9 || k.PrimalFeasibility > 1e-8 || k.DualFeasibility > 0 || k.ComplementarySlackness > 1e-8 || k.Misclassified > 0 ||
			math.Abs(k.Primal-k.Dual) > 1e-8*k.Primal {
			t.Errorf("seed %d, through 0 %v: %v, feasibility %g and %g", seed, none, k, k.PrimalFeasibility, k.DualFeasibility)
		}
		lt.Close(t, "primal", k.Primal, m.Report().Objective(), 1e-7*k.Primal)
		on := 0
		for a, c := range k.Case {
			if c == hyperplane.Inside || c == hyperplane.OnMargin && math.Abs(k.Margin[a]-1) > 1e-7 {
				t.Errorf("seed %d: row %d is %v at %g", seed, a, c, k.Margin[a])
			}
			if c == hyperplane.OnMargin {
				on++
			}
		}
		if on != len(m.Support()) {
			t.Errorf("seed %d: %d rows on the margin, support %v", seed, on, m.Support())
		}
		most := 0
		for a, alpha := range k.Alpha {
			if alpha > k.Alpha[most] {
				most = a
			}
		}
		x.Set(most, 0, x.At(most, 0)*1.01) // another row than the one fitted
		if k, err = m.Conditions(0, x, y, nil); err != nil || k.Stationarity < 1e-5 || k.ComplementarySlackness < 1e-5 {
			t.Errorf("seed %d: other data: %v, %v", seed, k, err)
		}
	}
}

// So does support vector regression: rows inside the tube, on it and beyond it.
func TestSVRConditions(t *testing.T) {
	for seed := range uint64(lt.Rounds(10, 300)) {
		x, noise := lt.Normal(seed, 40, 2), lt.Normal(seed+1000, 40, 1)
		y, weights := make([]float64, 40), make([]float64, 40)
		for i := range y {
			y[i] = 3 + x.At(i, 0) - 2*x.At(i, 1) + noise.Data[i]
			weights[i] = float64(i % 3)
		}
		if seed%2 == 0 {
			weights = nil
		}
		o := &hyperplane.SVROptions{C: math.Pow(10, float64(seed%4)-2), Epsilon: []float64{0.5, 0, 1}[seed%3], Weights: weights, NoIntercept: seed%5 == 4}
		m, err := hyperplane.FitSVR(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Conditions(x, y, weights)
		if err != nil {
			t.Fatal(err)
		}
		if k.Stationarity > 1e-6 || k.DualFeasibility > 1e-9 || k.ComplementarySlackness > 1e-5 || math.Abs(k.Primal-k.Dual) > 2e-7*k.Primal {
			t.Errorf("seed %d: %v, feasibility %g", seed, k, k.DualFeasibility)
		}
		lt.Close(t, "primal", k.Primal, m.Report().Objective(), 1e-6*k.Primal)
		y[m.Support()[0]] -= 2.5*k.Residual[m.Support()[0]] + math.Copysign(0.5, m.Multipliers()[0]) // on the other side of the tube
		if k, err = m.Conditions(x, y, weights); err != nil || k.Primal-k.Dual < 1e-4*k.Primal {
			t.Errorf("seed %d: other data: %v, %v", seed, k, err)
		}
	}
}

// The conditions of a plane through 0 have the responses about 0 for a unit, so that responses which are
// all alike have one; a row of weight 0 counts for nothing, as large as it may be.
func TestSVRConditionsOfAlikeResponsesAndDeletedRows(t *testing.T) {
	x := &linalg.Dense{Rows: 4, Cols: 1, Stride: 1, Data: []float64{3.1, 1.7, 2.3, 1e200}}
	y, weights := []float64{7.7, 7.7, 7.7, 1e200}, []float64{1, 1, 1, 0}
	m, err := hyperplane.FitSVR(x, y, &hyperplane.SVROptions{C: 10, Epsilon: 1, Weights: weights, NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Conditions(x, y, weights)
	if err != nil {
		t.Fatal(err)
	}
	lt.Close(t, "complementary slackness", k.ComplementarySlackness, 0, 1e-7)
	lt.Close(t, "dual", k.Dual, k.Primal, 1e-6*k.Primal)
}

// The conditions on rows that are stored sparse are those on the same rows stored dense, about
// any origin.
func TestConditionsOfSparseRows(t *testing.T) {
	x := lt.Thinned(4, 60, 5, 0.4)
	y := make([]int, 60)
	for i := range y {
		if x.At(i, 0)+x.At(i, 1)+0.3*float64(i%3-1) > 0 {
			y[i] = 1
		}
	}
	for _, through := range []bool{false, true} {
		for _, fit := range []linalg.Rows{x, lt.Sparse(x)} {
			m, err := hyperplane.FitSVC(fit, y, &hyperplane.SVCOptions{NoIntercept: through})
			if err != nil {
				t.Fatal(err)
			}
			dense, err := m.Conditions(0, x, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			sparse, err := m.Conditions(0, lt.Sparse(x), y, nil)
			if err != nil {
				t.Fatal(err)
			}
			lt.CloseSlice(t, "margins", sparse.Margin, dense.Margin, 1e-13)
			lt.Close(t, "dual", sparse.Dual, dense.Dual, 1e-12*dense.Dual)
			lt.Close(t, "primal", sparse.Primal, sparse.Dual, 1e-6*sparse.Dual)
			lt.Close(t, "stationarity", sparse.Stationarity, dense.Stationarity, 1e-13)
		}
	}
}
