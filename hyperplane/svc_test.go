package hyperplane

import (
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// irisPair returns the rows of two iris species, coded 0 setosa, 1 versicolor,
// 2 virginica.
func irisPair(t testing.TB, a, b int) (*linalg.Dense, []int) {
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	y, _ := linalgtest.Codes(labels)
	return linalgtest.Select(x, y, func(i int) bool { return y[i] == a || y[i] == b })
}

// checkSVC recomputes the certificate of every machine from its multipliers, its
// plane and the data alone: the conditions, and the gap between the primal
// objective at the plane and the dual objective at the multipliers.
func checkSVC(t *testing.T, x *linalg.Dense, y []int, weights []float64, m *SVC) {
	t.Helper()
	total := 0.0
	for k, c := range m.Machines() {
		if c.Report.Status() != optimize.Converged {
			t.Errorf("report %+v", c.Report)
		}
		r, err := m.Conditions(k, x, y, weights)
		if err != nil {
			t.Fatal(err)
		}
		gap := (r.Primal - r.Dual) / math.Max(1, math.Abs(r.Primal))
		if tol := c.Report.Certificate().Tol; !(gap <= tol) || !(gap >= -1e-9) {
			t.Errorf("primal %v, dual %v: gap %g", r.Primal, r.Dual, gap)
		}
		for name, v := range map[string]float64{"stationarity": r.Stationarity, "primal feasibility": r.PrimalFeasibility,
			"dual feasibility": r.DualFeasibility} {
			if !(v <= 1e-9) {
				t.Errorf("%s %g", name, v)
			}
		}
		if !(r.ComplementarySlackness <= 1e-6) {
			t.Errorf("complementary slackness %g", r.ComplementarySlackness)
		}
		total += r.Primal
	}
	linalgtest.Close(t, "objective", m.Report().Objective(), total, 1e-9)
}

func signOf(label int, c *Machine) float64 {
	switch {
	case label == c.Positive:
		return 1
	case label == c.Negative || c.Rest:
		return -1
	}
	return 0
}
