package glm_test

import (
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize/glm"
)

// poisson is a loss of one's own: the negative log-likelihood exp f − yf of counts y whose
// mean is exp f.
type poisson struct{}

func (poisson) Value(y, f float64) float64  { return math.Exp(f) - y*f }
func (poisson) Deriv(y, f float64) float64  { return math.Exp(f) - y }
func (poisson) Second(_, f float64) float64 { return math.Exp(f) }

// A Poisson regression, with and without a ridge.
func ExampleObjective_Minimize() {
	x, err := linalg.FromRows([][]float64{{-1}, {-1}, {0}, {0}, {0}, {0}, {1}, {1}, {1}})
	if err != nil {
		panic(err)
	}
	y := []float64{2, 3, 6, 7, 8, 9, 10, 12, 15}
	d, err := design.New(x, len(y), "counts", design.Settings{})
	if err != nil {
		panic(err)
	}
	b := make([]float64, d.Dim())
	for _, lambda := range []float64{0, 10} {
		ridge := []float64{0, lambda / (d.Unit[0] * d.Unit[0])} // ½λβ², of the coefficient on the scale of x
		theta, report, err := glm.New(d, y, poisson{}, ridge).Minimize(glm.Problem{})
		if err != nil {
			panic(err)
		}
		d.ToPublic(b, theta)
		fmt.Printf("λ = %v: %.4f %+.4f·x, %v\n", lambda, b[0], b[1], report.Status())
	}
	// Output:
	// λ = 0: 1.8893 +0.6698·x, converged
	// λ = 10: 1.9537 +0.5124·x, converged
}

// Counts in one hour or in two have the logarithm of the hours as offset: the regression is
// that of the rate. An objective can also be asked for its value and derivatives.
func ExampleNew() {
	x, err := linalg.FromRows([][]float64{{8}, {10}, {12}, {14}, {16}, {18}})
	if err != nil {
		panic(err)
	}
	counts := []float64{3, 9, 7, 24, 20, 77}
	hours := []float64{1, 2, 1, 2, 1, 2}
	offset := make([]float64, len(hours))
	for i, h := range hours {
		offset[i] = math.Log(h)
	}
	d, err := design.New(x, len(counts), "counts", design.Settings{Offset: offset})
	if err != nil {
		panic(err)
	}
	f := glm.New(d, counts, poisson{}, nil)
	theta, _, err := f.Minimize(glm.Problem{})
	if err != nil {
		panic(err)
	}
	b, g := make([]float64, d.Dim()), make([]float64, d.Dim())
	d.ToPublic(b, theta)
	fmt.Printf("at 14 h %.2f an hour, each hour %.2f times as many\n", math.Exp(b[0]+14*b[1]), math.Exp(b[1]))
	fmt.Printf("value %.3f at the minimum, %.3f at 0\n", f.Value(theta), f.Value(make([]float64, 2)))
	f.Grad(g, make([]float64, 2))
	fmt.Printf("Σ (mean − count) = %.0f at 0\n", g[0])
	// Output:
	// at 14 h 12.58 an hour, each hour 1.31 times as many
	// value -367.147 at the minimum, -67.246 at 0
	// Σ (mean − count) = -131 at 0
}
