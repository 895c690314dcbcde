package loss_test

import (
	"fmt"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
	"halfspace/optimize/path"
)

// The losses of classification as functions of the margin y·f.
func Example() {
	losses := []loss.Loss{loss.ZeroOne{}, loss.Perceptron{}, loss.Hinge{}, loss.Logistic{}, loss.Squared{}}
	fmt.Println(" margin  0-1  perceptron  hinge  logistic  squared")
	for _, margin := range []float64{-2, -1, 0, 1, 2} {
		fmt.Printf("%7v", margin)
		for i, l := range losses {
			fmt.Printf("%*.*f", []int{5, 12, 7, 10, 9}[i], []int{0, 0, 0, 4, 1}[i], l.Value(1, margin))
		}
		fmt.Println()
	}
	// Output:
	//  margin  0-1  perceptron  hinge  logistic  squared
	//      -2    1           2      3    2.1269      4.5
	//      -1    1           1      2    1.3133      2.0
	//       0    1           0      1    0.6931      0.5
	//       1    0           0      0    0.3133      0.0
	//       2    0           0      0    0.1269      0.5
}

// Beetles killed by a gas (Bliss, 1935; Dobson & Barnett, An Introduction to Generalized
// Linear Models, Table 7.2, where the first fit is −39.57 + 22.04·dose): for each dose a
// row of the dead and one of the living, with their numbers as weights.
func ExampleComplementaryLogLog() {
	dose := []float64{1.6907, 1.7242, 1.7552, 1.7842, 1.8113, 1.8369, 1.8610, 1.8839}
	dead := []float64{6, 13, 18, 28, 52, 53, 61, 60}
	living := []float64{53, 47, 44, 28, 11, 6, 1, 0}
	var rows [][]float64
	var y, weights []float64
	for i, x := range dose {
		rows = append(rows, []float64{x}, []float64{x})
		y = append(y, 1, -1)
		weights = append(weights, dead[i], living[i])
	}
	x, err := linalg.FromRows(rows)
	check(err)
	d, err := design.New(x, len(y), "labels", design.Settings{Weights: weights})
	check(err)
	check(path.Measure(d, true)) // penalties are of standardized features

	b := make([]float64, d.Dim())
	for _, ridge := range [][]float64{nil, {0, 10}} { // of the intercept and the dose
		o := glm.New(d, y, loss.ComplementaryLogLog{}, ridge)
		theta, _, err := o.Minimize(glm.Problem{})
		check(err)
		d.ToPublic(b, theta)
		fmt.Printf("ridge %v: %.2f %+.2f·dose\n", ridge, b[0], b[1])
	}

	p, err := path.New(glm.New(d, y, loss.ComplementaryLogLog{}, nil), path.Penalty{L1Ratio: 1}, []float64{0}, nil)
	check(err)
	check(p.Run(path.Settings{Lambdas: []float64{100, 10, 1}, Add: func(f path.Fit) error {
		d.ToPublic(b, f.Theta)
		fmt.Printf("lasso %v: %.2f %+.2f·dose\n", f.Lambda, b[0], b[1])
		return nil
	}}))
	// Output:
	// ridge []: -39.57 +22.04·dose
	// ridge [0 10]: -35.45 +19.75·dose
	// lasso 100: -18.01 +10.05·dose
	// lasso 10: -36.20 +20.17·dose
	// lasso 1: -39.21 +21.84·dose
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
