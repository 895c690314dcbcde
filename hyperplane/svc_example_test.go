package hyperplane_test

import (
	"errors"
	"fmt"
	"math"

	"halfspace/hyperplane"
	"halfspace/linalg"
)

func ExampleFitHardMargin() {
	x, _ := linalg.FromRows([][]float64{{1, 1}, {2, 2}, {2, 0}, {0, 0}, {1, 0}, {0, 1}})
	m, err := hyperplane.FitHardMargin(x, []int{1, 1, 1, 0, 0, 0}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	coef, intercept := m.Coef()
	fmt.Printf("%.0f + %.0f·x₁ + %.0f·x₂ = 0\n", intercept[0], coef.At(0, 0), coef.At(0, 1))
	fmt.Printf("margin %.4f\n", m.Margin())
	// Output:
	// -3 + 2·x₁ + 2·x₂ = 0
	// margin 0.3536
}

func ExampleInfeasibleError() {
	x, _ := linalg.FromRows([][]float64{{0, 0}, {2, 0}, {1, 0}, {5, 5}})
	_, err := hyperplane.FitHardMargin(x, []int{0, 0, 1, 1}, nil)
	var e *hyperplane.InfeasibleError
	if errors.As(err, &e) {
		fmt.Printf("rows %v with weights %.1f are at rows %v with %.1f\n",
			e.Positive, e.PositiveWeights, e.Negative, e.NegativeWeights)
	}
	// Output: rows [2] with weights [1.0] are at rows [0 1] with [0.5 0.5]
}

func ExampleFitSVC() {
	x, _ := linalg.FromRows([][]float64{{-1}, {1}, {0.5}, {-0.5}})
	y := []int{0, 1, 0, 1}
	m, err := hyperplane.FitSVC(x, y, &hyperplane.SVCOptions{C: 0.25})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, _ := m.Conditions(0, x, y, nil)
	fmt.Printf("slacks %.3f, %d misclassified\n", c.Slack, c.Misclassified)
	fmt.Printf("primal %.5f, dual %.5f\n", c.Primal, c.Dual)
	// Output:
	// slacks [0.750 0.750 1.125 1.125], 2 misclassified
	// primal 0.96875, dual 0.96875
}

// The squared hinge loss has a multiplier for every row inside the margin, α = 2Cξ.
func ExampleFitSVC_squaredHinge() {
	x, _ := linalg.FromRows([][]float64{{-1}, {1}, {0.5}, {-0.5}})
	y := []int{0, 1, 0, 1}
	m, err := hyperplane.FitSVC(x, y, &hyperplane.SVCOptions{C: 0.25, Loss: hyperplane.SquaredHinge})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, _ := m.Conditions(0, x, y, nil)
	fmt.Printf("slacks %.3f, multipliers %.3f\n", c.Slack, m.Machines()[0].Multipliers)
	fmt.Printf("primal %.5f, dual %.5f\n", c.Primal, c.Dual)
	// Output:
	// slacks [0.778 0.778 1.111 1.111], multipliers [0.389 0.389 0.556 0.556]
	// primal 0.94444, dual 0.94444
}

func ExampleFitSVR() {
	x, _ := linalg.FromRows([][]float64{{0}, {1}, {2}})
	m, err := hyperplane.FitSVR(x, []float64{0, 1, 2}, &hyperplane.SVROptions{C: 100, Epsilon: 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("f(3) = %.2f, rows %v on the tube\n", m.Predict([]float64{3}), m.Support())
	// Output: f(3) = 2.00, rows [0 2] on the tube
}

// A plane that someone found is judged by itself: how much wider could the margin be?
func ExampleHardMargin_Audit() {
	x, _ := linalg.FromRows([][]float64{{1, 1}, {2, 2}, {2, 0}, {0, 0}, {1, 0}, {0, 1}})
	coef, _ := linalg.FromRows([][]float64{{1, 1.5}})
	m, err := hyperplane.NewHardMargin([]int{0, 1}, coef, []float64{-1.75}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := m.Audit(x, []int{1, 1, 1, 0, 0, 0}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("margin %.3f of at most %.3f\n", 1/math.Sqrt(2*a.Report.Objective()), 1/math.Sqrt(2*a.Minimum))
	// Output: margin 0.139 of at most 0.354
}
