package optimize

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
)

// rosen is Rosenbrock's valley by itself: Newton's own test.
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
	if err != nil || rep.Status() != Converged || math.Abs(x[0]-1) > 1e-8 || math.Abs(x[1]-1) > 1e-8 {
		t.Errorf("%v, %+v, %v", x, rep, err)
	}
	if !slices.Equal(x0, []float64{-1.2, 1}) {
		t.Errorf("the start was written to: %v", x0)
	}
	if len(objectives) != rep.Iterations()+1 || objectives[0] != (rosen{}).Value(x0) {
		t.Errorf("%d traces of %d iterations, the first %v", len(objectives), rep.Iterations(), objectives[0])
	}
}

// counted counts how often the Hessian and the gradient are asked for.
type counted struct {
	*problem
	hessians, grads int
}

func (c *counted) Hess(h *linalg.Dense, g, x []float64) float64 {
	c.hessians++
	return c.problem.Hess(h, g, x)
}

func (c *counted) Grad(g, x []float64) float64 {
	c.grads++
	return c.problem.Grad(g, x)
}

// TestNewtonPasses: one pass a step where full steps are taken, and the last
// without a Hessian.
func TestNewtonPasses(t *testing.T) {
	for _, f := range problems() {
		if f.name != "logistic" && f.name != "logistic with ridge" {
			continue
		}
		c := &counted{problem: f}
		_, rep, err := Newton(c, f.start, &Control{Scale: f.scale})
		if err != nil || c.hessians > rep.Iterations() || c.hessians+c.grads > rep.Iterations()+2 {
			t.Errorf("%s: %d Hessians and %d gradients in %d iterations, %v", f.name, c.hessians, c.grads, rep.Iterations(), err)
		}
	}
}

// TestNewtonSearchesAlongALine: √(1 + x²) from 2, where the full step goes to −8 and
// farther at each step.
func TestNewtonSearchesAlongALine(t *testing.T) {
	f := &problem{hess: func(h *linalg.Dense, g, x []float64) float64 {
		r := math.Hypot(1, x[0])
		g[0] = x[0] / r
		h.Set(0, 0, 1/(r*r*r))
		return r
	}}
	var lengths []float64
	x, _, err := Newton(f, []float64{2}, &Control{Trace: func(s Step) error {
		lengths = append(lengths, s.Length)
		return nil
	}})
	if err != nil || math.Abs(x[0]) > 1e-8 || !(lengths[1] < 0.5) {
		t.Errorf("%v, %v, lengths %v", x, err, lengths)
	}
}

// TestNewtonEndsAStepInAKink: 2w·log(1 + exp((x−1)/w)) − x, whose slope turns from −1 to 1 about 1,
// within w. A whole step from 0 is far too long, and halves of it that end before the kink tell
// nothing of it: each would go half of the way that is left.
func TestNewtonEndsAStepInAKink(t *testing.T) {
	const w, flat = 0x1p-20, 1e-6
	f := &problem{hess: func(h *linalg.Dense, g, x []float64) float64 {
		p := linalg.Sigmoid((x[0] - 1) / w)
		g[0] = 2*p - 1 + flat*x[0]
		h.Set(0, 0, 2*p*(1-p)/w+flat)
		return 2*w*linalg.Log1pExp((x[0]-1)/w) - x[0] + flat/2*x[0]*x[0]
	}}
	x, rep, err := Newton(f, []float64{0}, nil)
	if err != nil || rep.Iterations() > 4 {
		t.Errorf("%v, %v, %v", x, rep, err)
	}
}

// TestNewtonDampsByRounding: of (x + y − 1)²/2, whose Hessian has no factor, a step that is damped no
// more than rounding asks for leaves rounding.
func TestNewtonDampsByRounding(t *testing.T) {
	f := &problem{hess: func(h *linalg.Dense, g, x []float64) float64 {
		left := x[0] + x[1] - 1
		for j := range g {
			g[j], h.Row(j)[0], h.Row(j)[1] = left, 1, 1
		}
		return left * left / 2
	}}
	x, rep, err := Newton(f, []float64{3, -5}, nil)
	if err != nil || rep.Iterations() > 1 {
		t.Errorf("%v, %v, %v", x, rep, err)
	}
}

// TestNewtonDampsInAnyUnits: far from its minimum Beale's function is not convex;
// what is added to the diagonal has to suit coordinates in units of 2²⁰ and 2⁻²⁰.
func TestNewtonDampsInAnyUnits(t *testing.T) {
	units := []float64{0x1p20, 0x1p-20}
	plain := squares(beale)
	f := &problem{start: []float64{0x1p-20, 0x1p20}, hess: func(h *linalg.Dense, g, x []float64) float64 {
		v := plain(h, g, []float64{x[0] * units[0], x[1] * units[1]})
		for i, u := range units {
			g[i] *= u
			for j, w := range units {
				h.Set(i, j, h.At(i, j)*u*w)
			}
		}
		return v
	}}
	x, rep, err := Newton(f, f.start, &Control{Scale: units})
	if err != nil || rep.Iterations() > 20 || math.Abs(x[0]*units[0]-3) > 1e-8 {
		t.Errorf("%v, %+v, %v", x, rep, err)
	}
}

func TestEquilibrate(t *testing.T) {
	for _, data := range [][]float64{{1e-12, 1, 1, 1}, {0, 2, 2, 0}, {1e20, 3, 3, 1e-20}, {0, 0, 0, 5}, {-4, 1e-9, 1e-9, 0}} {
		h, err := linalg.NewDense(2, 2, data)
		if err != nil {
			t.Fatal(err)
		}
		s := equilibrate(h)
		for i := range 2 {
			m := 0.0
			for j, v := range h.Row(i) {
				m = max(m, math.Abs(v)/s[i]/s[j])
			}
			if m != 0 && math.Abs(m-1) > 0.1 {
				t.Errorf("%v: the largest element of row %d is %v with %v", data, i, m, s)
			}
		}
	}
}

// untouched is a function that nobody may evaluate.
type untouched struct{ Hessian }

// Solvers with a matrix of the coordinates refuse so many that it fits nowhere.
func TestTooManyCoordinatesForAMatrixAreRefused(t *testing.T) {
	x := make([]float64, 30_000)
	for name, err := range map[string]error{
		"Newton": second(Newton(untouched{}, x, nil)),
		"BFGS":   second(BFGS(untouched{}, x, nil)),
	} {
		var size *linalg.SizeError
		if !errors.As(err, &size) || size.Rows != len(x) {
			t.Errorf("%s: %v, want a size", name, err)
		}
	}
}

func second(_ []float64, _ Report, err error) error { return err }
