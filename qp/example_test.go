package qp_test

import (
	"fmt"

	"halfspace/linalg"
	"halfspace/qp"
)

// The dual of the widest margin between −1 and 1 on a line.
func ExampleSolve() {
	x, _ := linalg.FromRows([][]float64{{-1}, {1}})
	s := []float64{-1, 1}
	r, err := qp.Solve(&qp.Problem{
		Q:      &qp.Linear{X: x, Sign: s},
		Linear: []float64{-1, -1},
		Sign:   s,
		Upper:  []float64{10, 10},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("α = %.3f, objective %.3f, %v\n", r.Alpha, r.Objective, r.Report.Status())
	// Output: α = [0.500 0.500], objective -0.500, converged
}
