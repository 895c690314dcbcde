package optimize

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
)

// rosen is Rosenbrock's valley without any help from the zoo: Newton's own test.
type rosen struct{}

func (rosen) Value(x []float64) float64 {
	a, b := 1-x[0], x[1]-x[0]*x[0]
	return a*a + 100*b*b
}

func (r rosen) Grad(g, x []float64) float64 {
	b := x[1] - x[0]*x[0]
	g[0], g[1] = -2*(1-x[0])-400*x[0]*b, 200*b
	return r.Value(x)
}

func (r rosen) Hess(h *linalg.Dense, g, x []float64) float64 {
	h.Set(0, 0, 2-400*(x[1]-3*x[0]*x[0]))
	h.Set(0, 1, -400*x[0])
	h.Set(1, 0, -400*x[0])
	h.Set(1, 1, 200)
	return r.Grad(g, x)
}

func TestNewtonRosenbrock(t *testing.T) {
	x0 := []float64{-1.2, 1}
	var objectives []float64
	x, rep, err := Newton(rosen{}, x0, &Control{Trace: func(s Step) error {
		if s.Iteration != len(objectives) {
			t.Errorf("iteration %d shown as number %d", s.Iteration, len(objectives))
		}
		objectives = append(objectives, s.Objective)
		return nil
	}})
	if err != nil || rep.Status != Converged || math.Abs(x[0]-1) > 1e-8 || math.Abs(x[1]-1) > 1e-8 {
		t.Errorf("%v, %+v, %v", x, rep, err)
	}
	if !slices.Equal(x0, []float64{-1.2, 1}) {
		t.Errorf("the start was written to: %v", x0)
	}
	if len(objectives) != rep.Iterations+1 || objectives[0] != (rosen{}).Value(x0) {
		t.Errorf("%d traces of %d iterations, the first %v", len(objectives), rep.Iterations, objectives[0])
	}
}
