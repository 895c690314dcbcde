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
