package path_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/loss"
	"halfspace/optimize/path"
)

// The derivative by a column that has a value in every row rounds by no more than a piece of it: else a fit of
// a small λ is there and cannot prove it.
func TestGapBesideAFrequentColumn(t *testing.T) {
	linalgtest.SkipSlow(t)
	const n, p, values = 40_000, 400, 6
	r := rand.New(rand.NewPCG(1, 2))
	start, index, value, y := []int{0}, []int32(nil), []float64(nil), make([]float64, n)
	for i := range n {
		score := 0.0
		for k := range values {
			j := 0
			if k > 0 {
				j = 1 + (k-1)*(p-1)/values + r.IntN((p-1)/values)
			}
			v := 1 + r.Float64()
			index, value = append(index, int32(j)), append(value, v)
			score += v * math.Sin(float64(j))
		}
		start, y[i] = append(start, len(index)), math.Copysign(1, score+r.NormFloat64()/4)
	}
	x, err := linalg.NewCSR(n, p, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	c := task{x: x, y: y, objective: one(loss.Logistic{}), penalty: path.Penalty{L1Ratio: 1}}
	_, report, err := c.problem(t).Fit(0.01, nil, &optimize.Control{Tol: 2e-11})
	if err != nil {
		t.Errorf("%v, %v", report, err)
	}
}
