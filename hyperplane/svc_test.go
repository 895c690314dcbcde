package hyperplane

import (
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// irisPair returns the rows of two iris species, coded 0 setosa, 1 versicolor,
// 2 virginica.
func irisPair(t testing.TB, a, b int) (*linalg.Dense, []int) {
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	y, _ := linalgtest.Codes(labels)
	return linalgtest.Select(x, y, func(i int) bool { return y[i] == a || y[i] == b })
}

// recompute returns the primal and dual objectives of a machine from its
// multipliers, its intercept and the data alone.
func recompute(x *linalg.Dense, y []int, c *Machine, price func(i int) float64) (primal, dual float64) {
	beta := make([]float64, x.Cols)
	for k, i := range c.Support {
		linalg.Axpy(beta, c.Multipliers[k]*signOf(y[i], c), x.Row(i))
		dual += c.Multipliers[k]
	}
	norm := linalg.Dot(beta, beta)
	dual -= norm / 2
	primal = norm / 2
	for i := range y {
		if s := signOf(y[i], c); s != 0 {
			primal += price(i) * math.Max(0, 1-s*(c.Plane.Intercept()+linalg.Dot(beta, x.Row(i))))
		}
	}
	return primal, dual
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

func TestSVCIrisPairs(t *testing.T) {
	for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
		x, y := irisPair(t, pair[0], pair[1])
		m, err := FitSVC(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := m.Machines()[0]
		primal, dual := recompute(x, y, &c, func(int) float64 { return 1 })
		if gap := (primal - dual) / math.Max(1, primal); gap > 1e-8 {
			t.Errorf("%v: gap %g", pair, gap)
		}
		linalgtest.Close(t, "objective", m.Report().Objective, primal, 1e-10)
		t.Log(pair, primal, dual, m.Report(), len(c.Support))
	}
}
