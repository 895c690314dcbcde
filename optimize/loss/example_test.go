package loss_test

import (
	"fmt"

	"halfspace/optimize/loss"
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
