package penalty_test

import (
	"fmt"

	"halfspace/optimize/penalty"
)

func ExampleElasticNet() {
	p := penalty.ElasticNet{Lambda: 2, L1Ratio: 0.5}
	b := []float64{3, 0.5, -2}
	fmt.Println("value:", p.Value(b))

	u := make([]float64, 3)
	p.Prox(u, b, 1)
	fmt.Println("prox:", u)

	// b is optimal beside a smooth function whose gradient there is g if the
	// shortest vector of g + ∂P(b) is zero.
	g := []float64{-4, -1.5, 3}
	p.Residual(u, g, b)
	fmt.Println("residual:", u)
	// Output:
	// value: 12.125
	// prox: [1 0 -0.5]
	// residual: [0 0 0]
}
