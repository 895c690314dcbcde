package optimize_test

import (
	"errors"
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/optimize/penalty"
)

// line is the mean squared error J(w₀, w₁) = (1/n)Σ(y − ŷ)² of a regression line
// ŷ = w₀ + w₁x, with the gradient (2/n)Σ(ŷ − y)(1, x).
type line struct{ x, y []float64 }

func (l line) Value(w []float64) float64 { return l.Grad(make([]float64, 2), w) }

func (l line) Grad(g, w []float64) float64 {
	clear(g)
	n, j := float64(len(l.x)), 0.0
	for i, x := range l.x {
		r := w[0] + w[1]*x - l.y[i]
		j += r * r / n
		g[0] += 2 * r / n
		g[1] += 2 * r * x / n
	}
	return j
}

// The iterates that the trace is shown are what a picture of the walk over the
// contours of J is drawn from.
func ExampleGradientDescent() {
	j := line{x: []float64{-1, 0, 1, 2}, y: []float64{-1, 1, 2, 5}}
	for _, rate := range []float64{0.1, 0.5} {
		_, rep, err := optimize.GradientDescent(j, []float64{0, 0}, rate, &optimize.Control{MaxIter: 200, Trace: func(s optimize.Step) error {
			if s.Iteration < 4 {
				fmt.Printf("%d: w = (%.4f, %.4f), J = %.4f\n", s.Iteration, s.X[0], s.X[1], s.Objective)
			}
			return nil
		}})
		fmt.Printf("rate %v: %v, %v\n", rate, rep.Status(), err)
	}
	// Output:
	// 0: w = (0.0000, 0.0000), J = 7.7500
	// 1: w = (0.3500, 0.6500), J = 3.2837
	// 2: w = (0.5650, 1.0700), J = 1.4586
	// 3: w = (0.6950, 1.3425), J = 0.7108
	// rate 0.1: converged, <nil>
	// 0: w = (0.0000, 0.0000), J = 7.7500
	// 1: w = (1.7500, 3.2500), J = 5.0938
	// 2: w = (0.1250, 0.7500), J = 3.3906
	// 3: w = (1.3750, 2.8125), J = 2.2793
	// rate 0.5: converged, <nil>
}

func ExampleBFGS() {
	j := line{x: []float64{-1, 0, 1, 2}, y: []float64{-1, 1, 2, 5}}
	w, rep, err := optimize.BFGS(j, []float64{0, 0}, nil)
	fmt.Printf("w = (%.4f, %.4f), J = %.4f\n", w[0], w[1], rep.Objective())
	fmt.Println(rep.Status(), rep.Certificate().Holds(), err)
	// Output:
	// w = (0.8000, 1.9000), J = 0.1750
	// converged true <nil>
}

// cosh is Σ cosh(xⱼ − j), least at xⱼ = j.
type cosh struct{}

func (c cosh) Value(x []float64) float64 { return c.Grad(make([]float64, len(x)), x) }

func (cosh) Grad(g, x []float64) float64 {
	v := 0.0
	for j, t := range x {
		t -= float64(j)
		g[j] = math.Sinh(t)
		v += math.Cosh(t)
	}
	return v
}

func (c cosh) Hess(h *linalg.Dense, g, x []float64) float64 {
	clear(h.Data)
	for j, t := range x {
		h.Set(j, j, math.Cosh(t-float64(j)))
	}
	return c.Grad(g, x)
}

func ExampleNewton() {
	x, rep, err := optimize.Newton(cosh{}, []float64{3, 3, 3}, nil)
	fmt.Printf("%.6f after %d iterations: %v, %v\n", x, rep.Iterations(), rep.Status(), err)

	x, rep, err = optimize.Newton(cosh{}, []float64{3, 3, 3}, &optimize.Control{MaxIter: 2})
	fmt.Printf("%.2f, %v\n", x, errors.Is(err, optimize.ErrNotConverged))
	// Output:
	// [0.000000 1.000000 2.000000] after 6 iterations: converged, <nil>
	// [1.04 1.26 2.00], true
}

// A lasso in the Gram form: of two nearly equal features and a third, the
// penalty keeps one.
func ExampleCoordinateDescent() {
	a, _ := linalg.NewDense(3, 3, []float64{
		10, 9, 0,
		9, 10, 0,
		0, 0, 5,
	})
	f := &optimize.Quadratic{A: a, B: []float64{20, 18, 4}}
	x, rep, err := optimize.CoordinateDescent(f, make([]float64, 3), penalty.Lasso(2), nil)
	fmt.Printf("%.4f, objective %.4f, %v\n", x, rep.Objective(), err)
	// Output:
	// [1.8000 0.0000 0.4000], objective -16.6000, <nil>
}
