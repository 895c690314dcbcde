package onecolumn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/qp"
	"halfspace/qp/onecolumn"
)

// The soft margin of rows of one number meets its conditions: the multipliers are feasible, and
// the objective of β and b₀ is that of the multipliers, whatever the prices and however rows coincide.
func TestSoftMarginClosesTheGap(t *testing.T) {
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n, level := 1+r.IntN(12), r.IntN(2) == 0
		x, sign, price := linalg.Zeros(n, 1), make([]float64, n), make([]float64, n)
		most := math.Pow(10, float64(r.IntN(13)-4))
		for i := range n {
			x.Data[i] = math.Round(4*r.NormFloat64()) / 4
			if seed%3 > 0 {
				x.Data[i] += r.NormFloat64()
			}
			sign[i] = float64(2*r.IntN(2) - 1)
			if seed%5 == 0 {
				x.Data[i] += 2 * sign[i]
			}
			if price[i] = most; seed%2 == 0 {
				price[i] *= float64(r.IntN(5))
			}
		}
		alpha, beta, b0 := onecolumn.SoftMargin(&qp.Linear{X: x, Sign: sign}, price, level)
		open, v, dual, primal := 0.0, 0.0, 0.0, beta*beta/2
		for i, a := range alpha {
			if !(a >= 0 && a <= price[i]*(1+1e-15)) {
				t.Fatalf("seed %d: multiplier %g of a price of %g", seed, a, price[i])
			}
			open += a * sign[i]
			v += a * sign[i] * x.Data[i]
			dual += a
			primal += price[i] * max(0, 1-sign[i]*(beta*x.Data[i]+b0))
		}
		dual -= v * v / 2
		if level && math.Abs(open) > 1e-13*float64(n)*most || !level && b0 != 0 {
			t.Fatalf("seed %d: Σαs = %g, b₀ = %g", seed, open, b0)
		}
		// Where a slack of 1e-16 costs, or the rounding of α, is what the objective is rounded to.
		if !(math.Abs(primal-dual) <= 1e-10*primal+1e-14*most) {
			t.Errorf("seed %d: %d rows, level %t: primal %.12g, dual %.12g", seed, n, level, primal, dual)
		}
	}
}

// Sums of very many prices round: those of one side may fall short of what the tangent looks for, and it ends with its rows.
func TestTangentsEndWithTheirRows(t *testing.T) {
	const many = 10_000
	x, sign, price := linalg.Zeros(many+2, 1), make([]float64, many+2), make([]float64, many+2)
	for i := range many {
		x.Data[i], sign[i], price[i] = 1, 1, 0.1
	}
	x.Data[many], sign[many], price[many] = 2, 1, 1000
	x.Data[many+1], sign[many+1], price[many+1] = 0, -1, 1e-10
	alpha, beta, _ := onecolumn.SoftMargin(&qp.Linear{X: x, Sign: sign}, price, true)
	if len(alpha) != many+2 || beta-beta != 0 {
		t.Errorf("slope %g with %d multipliers", beta, len(alpha))
	}
}
