package descent_test

import (
	"fmt"

	"halfspace/linalg"
	"halfspace/qp/descent"
)

// The soft margin of two rows of one value each, C = 10: the plane x₁ − x₂ = 0.
func ExampleProblem_Minimize() {
	rows, _ := linalg.NewCSR(2, 2, []int{0, 1, 2}, []int32{0, 1}, []float64{1, 1})
	sign := []float64{1, -1}
	p := &descent.Problem{Rows: rows, Sign: sign, Squares: []float64{1, 1}, Linear: []float64{-1, -1},
		Lower: []float64{0, 0}, Upper: []float64{10, 10}, Balance: sign, Passes: 100}
	at := &descent.Point{Alpha: make([]float64, 2), V: make([]float64, 2)}
	ok := p.Minimize(at, 1e-12, func(f, gap float64) (stop bool) { return false }, func() (good bool) { return true })
	fmt.Printf("%v: α %.4f, v %.4f\n", ok, at.Alpha, at.V)
	// Output: true: α [1.0000 1.0000], v [1.0000 -1.0000]
}
