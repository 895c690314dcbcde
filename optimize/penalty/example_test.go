package penalty_test

import (
	"fmt"

	"halfspace/optimize/penalty"
)

func ExampleElasticNet() {
	p := penalty.ElasticNet{Lambda: 2, L1Ratio: 0.5}
	b := []float64{3, 0.5, -2}
	fmt.Println("value:", p.Value(b))

	// b is optimal beside a smooth function whose gradient there is g if the
	// shortest vector of g + ∂P(b) is zero.
	g := []float64{-4, -1.5, 3}
	p.Residual(g, g, b)
	fmt.Println("residual:", g)
	// Output:
	// value: 12.125
	// residual: [0 0 0]
}
