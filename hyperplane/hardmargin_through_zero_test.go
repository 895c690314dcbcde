package hyperplane

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/qp"
)

// (1,0) and (0,1) against (−1,−1): of the hull of (1,0), (0,1), (1,1) the point
// nearest to 0 is (½,½), so the plane is x₁ + x₂ = 0, the margin √½.
func TestHardMarginThroughZeroByHand(t *testing.T) {
	x, y := lt.Rows(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, -1}), []int{1, 1, 0}
	m, err := FitHardMargin(x, y, &HardMarginOptions{NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	c := m.Machines()[0]
	lt.CloseSlice(t, "β", c.Plane.Normal(), []float64{1, 1}, 1e-14)
	lt.CloseSlice(t, "α", c.Multipliers, []float64{1, 1}, 1e-14)
	lt.Close(t, "margin", m.Margin(), math.Sqrt(.5), 1e-14)
	lt.Close(t, "objective", m.Report().Objective(), 1, 1e-14)
	if v := c.Plane.Intercept(); v != 0 || math.Signbit(v) || len(c.Support) != 2 {
		t.Errorf("intercept %g, support %v", v, c.Support)
	}
}

// The dual has no equality then: another solver gives the same plane.
func TestHardMarginThroughZeroAgainstItsDual(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 9))
		n, p := 3+r.IntN(60), 1+r.IntN(5)
		x, y, sign := lt.Normal(seed, n, p), make([]int, n), make([]float64, n)
		normal := lt.Normal(seed+100, 1, p).Data
		for i := range y {
			y[i], sign[i] = i%2, float64(2*(i%2)-1)
			// Every row at least 0.1 on its side of a plane through 0, the larger class far off.
			f := linalg.Dot(normal, x.Row(i))
			move := (0.1 + math.Abs(f) + 3*float64(y[i])) * sign[i]
			linalg.Axpy(x.Row(i), (move-f)/linalg.Dot(normal, normal), normal)
		}
		m, err := FitHardMargin(x, y, &HardMarginOptions{NoIntercept: true})
		if err != nil {
			t.Fatal(err)
		}
		c := m.Machines()[0]
		linear := make([]float64, n)
		for i := range linear {
			linear[i] = -1
		}
		dual, err := qp.SMO(&qp.Problem{Q: &qp.Linear{X: x, Sign: sign}, Linear: linear}, &qp.Options{Tol: 1e-10})
		if err != nil {
			t.Fatal(err)
		}
		lt.CloseSlice(t, "β", c.Plane.Normal(), dual.V, 1e-6*linalg.NormInf(dual.V))
		sum, beta := 0.0, make([]float64, p)
		for k, i := range c.Support {
			sum += c.Multipliers[k]
			linalg.Axpy(beta, sign[i]*c.Multipliers[k], x.Row(i))
		}
		primal, least := linalg.Dot(c.Plane.beta(), c.Plane.beta())/2, math.Inf(1)
		for i, s := range sign {
			least = min(least, s*c.Plane.Value(x.Row(i)))
		}
		lt.Close(t, "the closest row's y·f", least, 1, 1e-12)
		lt.Close(t, "dual", (sum-linalg.Dot(beta, beta)/2)/primal, 1, 1e-8)
		lt.Close(t, "objective", m.Report().Objective()/primal, 1, 1e-12)
	}
}

// What a plane with an intercept separates, one through 0 need not.
func TestHardMarginThroughZeroHasEvidence(t *testing.T) {
	for name, c := range map[string]struct {
		x *linalg.Dense
		y []int
	}{
		"both on one side":     {lt.Rows(t, []float64{1, 1}, []float64{2, 2}), []int{0, 1}},
		"one class around 0":   {lt.Rows(t, []float64{1, 3}, []float64{-1, 3}, []float64{0, -3}, []float64{9, 9}), []int{1, 1, 1, 0}},
		"a row at 0":           {lt.Rows(t, []float64{0, 0}, []float64{1, 0}), []int{0, 1}},
		"many rows":            {lt.Normal(3, 200, 4), make([]int, 200)},
		"the same row in both": {lt.Rows(t, []float64{7, 1}, []float64{7, 1}), []int{0, 1}},
	} {
		if name == "many rows" {
			for i := range c.y {
				c.y[i] = i % 2
			}
		}
		_, err := FitHardMargin(c.x, c.y, &HardMarginOptions{NoIntercept: true})
		var e *InfeasibleError
		if !errors.As(err, &e) || !e.ThroughZero || !strings.Contains(err.Error(), "no plane through 0 separates") {
			t.Fatalf("%s: %v", name, err)
		}
		d, sum, size := make([]float64, c.x.Cols), 0.0, 0.0
		for _, side := range []struct {
			rows   []int
			weight []float64
			label  int
		}{{e.Positive, e.PositiveWeights, 1}, {e.Negative, e.NegativeWeights, 0}} {
			for k, i := range side.rows {
				if c.y[i] != side.label || !(side.weight[k] > 0) {
					t.Errorf("%s: row %d with weight %g", name, i, side.weight[k])
				}
				linalg.Axpy(d, float64(2*side.label-1)*side.weight[k], c.x.Row(i))
				sum += side.weight[k]
				size = max(size, linalg.Norm(c.x.Row(i)))
			}
		}
		lt.Close(t, "sum of the weights", sum, 1, 1e-12)
		if linalg.Norm(d) > 1e-9*size {
			t.Errorf("%s: the combinations differ by %g of %g", name, linalg.Norm(d), size)
		}
	}
}
