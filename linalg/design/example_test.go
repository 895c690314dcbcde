package design_test

import (
	"fmt"

	"halfspace/linalg"
	"halfspace/linalg/design"
)

// Temperatures in kelvin are measured from their middle, in a unit near their spread, so
// that a Gram matrix keeps its digits; numbers of pages, which can be 0, from 0.
func Example() {
	x, _ := linalg.FromRows([][]float64{{291.5, 0}, {293.5, 700}, {294.5, 1200}, {296.5, 100}})
	d, err := design.New(x, 4, "responses", design.Settings{Weights: []float64{1, 2, 1, 1}})
	if err != nil {
		panic(err)
	}
	fmt.Println("origin", d.Origin, "units", d.Unit)

	gram, err := d.Gram(d.Weights)
	if err != nil {
		panic(err)
	}
	fmt.Printf("Σ w = %v, Σ w·(temperature − 294)/2 = %v\n", gram.At(0, 0), gram.At(1, 0))

	// A function of the data, 0.5·temperature − 0.001·pages − 140, in these coordinates.
	theta, scores := make([]float64, d.Dim()), make([]float64, d.N)
	d.Parameters(theta, []float64{0.5, -0.001}, -140)
	if err := d.Margins(scores, theta); err != nil {
		panic(err)
	}
	fmt.Printf("parameters %.3f\n", theta)
	fmt.Printf("scores %.3f\n", scores)
	// Output:
	// origin [294 0] units [2 1024]
	// Σ w = 5, Σ w·(temperature − 294)/2 = -0.25
	// parameters [7.000 1.000 -1.024]
	// scores [5.750 6.050 6.050 8.150]
}
