package logistic_test

import (
	"fmt"

	"halfspace/linalg"
	"halfspace/logistic"
)

func ExampleFit() {
	// Hours of study, and whether the exam was passed.
	x, _ := linalg.NewDense(8, 1, []float64{0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4})
	y := []int{0, 0, 1, 0, 1, 0, 1, 1}
	m, err := logistic.Fit(x, y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	coef, intercept := m.Coef()
	fmt.Printf("log-odds = %.3f + %.3f·hours\n", intercept[0], coef.At(0, 0))
	fmt.Printf("after 3 hours: P(pass) = %.3f\n", m.Proba(nil, []float64{3})[1])
	fmt.Println(m.Report().Status())
	// Output:
	// log-odds = -2.673 + 1.188·hours
	// after 3 hours: P(pass) = 0.709
	// converged
}

func ExampleSeparationError() {
	x, _ := linalg.NewDense(4, 1, []float64{1, 2, 3, 4})
	_, err := logistic.Fit(x, []int{0, 0, 1, 1}, nil)
	fmt.Println(err)
	// Output:
	// logistic: the classes are completely separated (4 rows strictly) by columns 0: there is no maximum likelihood estimate, but one with a penalty or Firth's correction
}

func ExampleFitPath() {
	// Features come in one after the other as λ falls.
	x, _ := linalg.FromRows([][]float64{
		{1, 0, 1}, {2, 1, 0}, {3, 0, 0}, {4, 1, 1}, {5, 1, 0}, {6, 0, 1}, {7, 0, 0}, {8, 1, 1},
	})
	y := []int{0, 0, 1, 0, 1, 0, 1, 1}
	path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Standardize: true}, Count: 5, MinRatio: 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range path.Points {
		fmt.Printf("λ = %.3f  features %g  deviance explained %.2f\n", p.Penalty, p.DF, p.DevRatio)
	}
	// Output:
	// λ = 2.182  features 0  deviance explained 0.00
	// λ = 1.227  features 2  deviance explained 0.32
	// λ = 0.690  features 2  deviance explained 0.51
	// λ = 0.388  features 2  deviance explained 0.64
	// λ = 0.218  features 3  deviance explained 0.74
}

func ExampleDeviances() {
	// The deviances of new rows tell how far along a path to go.
	x, _ := linalg.FromRows([][]float64{{1}, {2}, {3}, {4}, {5}, {6}})
	y := []int{0, 0, 1, 0, 1, 1}
	path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1}, Lambdas: []float64{4, 1, 0.1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, _ := linalg.FromRows([][]float64{{0}, {3.4}, {3.6}, {7}})
	deviances, err := logistic.Deviances(path.Models(), rows, []int{0, 1, 0, 1}, nil)
	fmt.Printf("%.2f %v\n", deviances, err)
	// Output: [5.55 3.27 3.08] <nil>
}
