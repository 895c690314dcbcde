package optimize

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/loss"
)

// hinge is the support vector classifier's objective λ/2‖β‖² + Σ[1 − yf]₊ of
// rows with an intercept in column 0.
type hinge struct {
	x      *linalg.Dense
	y      []float64
	lambda float64
}

func (h *hinge) Value(b []float64) float64 { return h.Grad(make([]float64, len(b)), b) }

func (h *hinge) Grad(g, b []float64) float64 {
	n := h.x.Rows
	f, d := make([]float64, n), make([]float64, n)
	linalg.MulVec(f, h.x, b, 1)
	v := loss.Rows(loss.Hinge{}, d, h.y, f, nil)
	linalg.MulTVec(g, h.x, d, 1)
	for j := 1; j < len(b); j++ {
		v += h.lambda / 2 * b[j] * b[j]
		g[j] += h.lambda * b[j]
	}
	return v
}

// TestSubgradientByHand: |x| + 2|x − 1| has its minimum 1 at the corner x = 1.
func TestSubgradientByHand(t *testing.T) {
	f := &problem{hess: func(h *linalg.Dense, g, x []float64) float64 {
		g[0] = math.Copysign(1, x[0]) + 2*math.Copysign(1, x[0]-1)
		return math.Abs(x[0]) + 2*math.Abs(x[0]-1)
	}}
	x, rep, err := SubgradientDescent(f, []float64{-3}, 0.5, &Control{Tol: 1e-2})
	if err != nil || math.Abs(x[0]-1) > 0.01 || rep.Objective() < 1 || rep.Objective() > 1.01 {
		t.Errorf("%v, %+v, %v", x, rep, err)
	}
	// The certificate bounds the minimum from below wherever the walk is broken off.
	for k := 1; k < 300; k++ {
		x, rep, _ := SubgradientDescent(f, []float64{-3}, 0.5, &Control{Tol: 1e-9, MaxIter: k})
		if c := rep.Certificate().Value; rep.Objective()-1 > c*(max(1, rep.Objective())+math.Abs(x[0]-1))+1e-12 {
			t.Errorf("after %d: objective %v at %v, certificate %v", k, rep.Objective(), x, c)
		}
	}
}

// TestSubgradientHinge checks on a support vector classifier that the best point
// is returned and that the certificate is one: no point of another run lies
// lower than it allows.
func TestSubgradientHinge(t *testing.T) {
	const n, p = 60, 4
	x := linalgtest.Normal(8, n, p)
	h := &hinge{x, make([]float64, n), 1}
	for i := range n {
		row := x.Row(i)
		h.y[i] = math.Copysign(1, row[1]+row[2]+0.7*row[0])
		row[0] = 1
	}
	lowest, last := math.Inf(1), 0
	long, _, _ := SubgradientDescent(h, make([]float64, p), 0.5, &Control{Tol: 1e-9, MaxIter: 50_000})
	least := h.Value(long)
	b, rep, err := SubgradientDescent(h, make([]float64, p), 0, &Control{Tol: 0.02, Trace: func(s Step) error {
		lowest, last = min(lowest, s.Objective), s.Iteration
		return nil
	}})
	t.Logf("%+v, %v; the long run has %v", rep, err, least)
	if err != nil || rep.Objective() != lowest || h.Value(b) != lowest || last != rep.Iterations() {
		t.Errorf("%+v, %v: lowest %v, value %v, %d iterations seen", rep, err, lowest, h.Value(b), last)
	}
	if last > 1500 {
		t.Errorf("%d iterations", last)
	}
	distance := make([]float64, p)
	for j := range distance {
		distance[j] = long[j] - b[j]
	}
	bound := rep.Objective() - rep.Certificate().Value*(max(1, rep.Objective())+math.Sqrt(p)*linalg.Norm(distance))
	if least < bound {
		t.Errorf("%v lies below the bound %v", least, bound)
	}
	if rep.Objective() > 1.05*least {
		t.Errorf("objective %v, the long run's %v", rep.Objective(), least)
	}
}

func TestSubgradientEnds(t *testing.T) {
	stop := errors.New("enough")
	f := problems()[0]
	for _, c := range []struct {
		c    *Control
		rate float64
		want Status
	}{
		{&Control{MaxIter: 3}, 0, MaxIterations},
		{&Control{Trace: func(s Step) error {
			if s.Iteration == 2 {
				return stop
			}
			return nil
		}}, 0, Stopped},
		{nil, 1e200, NotFinite},
	} {
		x, rep, err := SubgradientDescent(f, f.start, c.rate, c.c)
		if rep.Status() != c.want || !finite(linalg.NormInf(x)) || f.Value(x) != rep.Objective() || !errors.Is(err, ErrNotConverged) {
			t.Errorf("%v: %v, %+v, %v", c.want, x, rep, err)
		}
	}
}
