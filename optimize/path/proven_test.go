package path

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
)

// Next to no penalty the objective's rounding ends a fit before its derivatives are small beside the penalty: it is
// at its minimum all the same, and a step proves it.
func TestFitsThatRoundingEndsAreProven(t *testing.T) {
	for seed := range uint64(40) {
		const n, p = 82, 17
		r := rand.New(rand.NewPCG(seed, 9))
		x, labels, s := linalg.Zeros(n, p), make([]int, n), design.Settings{Weights: make([]float64, n), Offset: make([]float64, n)}
		for i := range x.Data {
			x.Data[i] = r.NormFloat64()
		}
		for i := range labels {
			labels[i], s.Weights[i], s.Offset[i] = r.IntN(2), math.Exp(2*r.NormFloat64()), 3*r.NormFloat64()
		}
		q, err := New(logistic(t, x, labels, false, s), Penalty{L1Ratio: 1}, []float64{0}, nil)
		if err != nil {
			t.Fatal(err)
		}
		theta, report, err := q.Fit(1e-6, nil, &optimize.Control{Tol: 1e-8})
		_, judged, failed := q.Judge(1e-6, theta, 1e-8)
		if err != nil || failed != nil || !judged.Holds() {
			t.Errorf("%d: %v, %v; %v, %v", seed, report, err, judged, failed)
		}
	}
}
