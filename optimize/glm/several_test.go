package glm

// A model of the Hessian is seen from outside only in the number of iterations; this
// file asks it for the products that L-BFGS asks for.

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// A model of the Hessian is the Hessian where all probabilities are equal, and for
// normal classes foretells at the solution what the Hessian does.
func TestScoreModel(t *testing.T) {
	x, y := linalgtest.Normal(3, 4000, 6), make([]float64, 4000)
	w := make([]float64, len(y))
	for i := range y {
		c := i % 4
		y[i], w[i] = float64(c), float64(1+i%3)
		x.Set(i, c, x.At(i, c)+2)
		x.Set(i, 4, 1e3*(x.At(i, 4)+x.At(i, 5)))
	}
	d, err := design.New(x, len(y), "labels", design.Settings{Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	ridge := make([]float64, d.Dim())
	for j, u := range d.Unit {
		ridge[j+1] = 3000 / u / u
	}
	m := NewMulti(d, y, loss.Softmax{K: 4}, Contrasts(4), ridge)
	theta, err1 := make([]float64, m.Parameters()), error(nil)
	h, g := linalg.Zeros(len(theta), len(theta)), make([]float64, len(theta))
	for _, within := range []float64{1e-9, 0.2} {
		m.Hess(h, g, theta)
		factor, err := linalg.NewCholesky(h)
		if err != nil {
			t.Fatal(err)
		}
		model, err := newScoreModel(m, theta, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(5) {
			v := linalgtest.Normal(seed, 1, len(theta)).Data
			by, like := slices.Clone(v), slices.Clone(v)
			factor.Solve(by)
			model.Solve(like)
			if got, want := 2*linalg.Dot(v, like), linalg.Dot(v, by); !(math.Abs(got/want-1) <= within) {
				t.Errorf("%g, the Hessian's %g", got, want)
			}
		}
		theta, _, err1 = optimize.Newton(m, theta, nil)
		if theta == nil {
			t.Fatal(err1)
		}
	}
}
