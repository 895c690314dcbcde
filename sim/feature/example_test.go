package feature_test

import (
	"fmt"
	"log"

	"halfspace/linalg"
	"halfspace/sim/feature"
)

func ExampleFitStandardizer() {
	x, err := linalg.FromRows([][]float64{{1, 100}, {2, 300}, {3, 200}})
	if err != nil {
		log.Fatal(err)
	}
	s, err := feature.FitStandardizer(x, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", s.Apply(nil, []float64{3, 100}))
	// A plane in standardised features, on the scale of the data.
	coef, intercept := s.Fold(&linalg.Dense{Rows: 1, Cols: 2, Stride: 2, Data: []float64{1, 1}}, []float64{0})
	fmt.Printf("%.4f %.4f\n", coef.Row(0), intercept)
	// Output:
	// [1.2247 -1.2247]
	// [1.2247 0.0122] [-4.8990]
}

func ExampleNewPolynomial() {
	p, err := feature.NewPolynomial(2, 2, false)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Names([]string{"width", "height"}))
	fmt.Println(p.Apply(nil, []float64{3, 10}))
	// Output:
	// [width height width^2 width*height height^2]
	// [3 10 9 30 100]
}

func ExampleFitQuantiles() {
	x, err := linalg.FromRows([][]float64{{1}, {2}, {4}, {8}, {1000}})
	if err != nil {
		log.Fatal(err)
	}
	q, err := feature.FitQuantiles(x, nil, 5)
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range []float64{-7, 2, 3, 504, 1e6} {
		fmt.Println(v, q.Apply(nil, []float64{v})[0])
	}
	// Output:
	// -7 0
	// 2 0.25
	// 3 0.375
	// 504 0.875
	// 1e+06 1
}
