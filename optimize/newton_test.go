package optimize

import (
	"errors"
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

func TestNewtonStatuses(t *testing.T) {
	x, rep, err := Newton(rosen{}, []float64{-1.2, 1}, &Control{MaxIter: 3})
	if rep.Status != MaxIterations || rep.Iterations != 3 || !errors.Is(err, ErrNotConverged) || len(x) != 2 {
		t.Errorf("cap: %v, %+v, %v", x, rep, err)
	}
	stop := errors.New("enough")
	x, rep, err = Newton(rosen{}, []float64{-1.2, 1}, &Control{Trace: func(s Step) error {
		if s.Iteration == 2 {
			return stop
		}
		return nil
	}})
	if rep.Status != Stopped || rep.Iterations != 2 || !errors.Is(err, stop) || !errors.Is(err, ErrNotConverged) || len(x) != 2 {
		t.Errorf("stopped: %v, %+v, %v", x, rep, err)
	}
}

func TestControlIsChecked(t *testing.T) {
	start := []float64{1, 2}
	for _, c := range []struct {
		name string
		x0   []float64
		c    *Control
	}{
		{"negative Tol", start, &Control{Tol: -1}},
		{"NaN Tol", start, &Control{Tol: math.NaN()}},
		{"infinite Tol", start, &Control{Tol: math.Inf(1)}},
		{"negative MaxIter", start, &Control{MaxIter: -1}},
		{"one scale", start, &Control{Scale: []float64{1}}},
		{"zero scale", start, &Control{Scale: []float64{1, 0}}},
		{"NaN scale", start, &Control{Scale: []float64{1, math.NaN()}}},
		{"empty start", nil, nil},
		{"NaN start", []float64{1, math.NaN()}, nil},
	} {
		x, _, err := Newton(rosen{}, c.x0, c.c)
		if err == nil || x != nil || errors.Is(err, ErrNotConverged) {
			t.Errorf("%s: %v, %v", c.name, x, err)
		}
	}
}
