package path

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/loss"
)

// manyClasses returns a lasso of so many classes, and parameters, of which those by the feature are so large.
func manyClasses(t *testing.T, n, k int, size float64) (p *Problem, theta []float64) {
	r := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	x, y, w := linalgtest.Normal(3, n, 1), make([]float64, n), make([]float64, n)
	for i := range y {
		y[i], w[i] = float64(i%k), r.ExpFloat64()+0.1
	}
	d, err := design.New(x, n, "labels", design.Settings{Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	p = newMulti(t, d, y, loss.Softmax{K: k}, Penalty{L1Ratio: 1})
	theta = p.Null()
	for at := range theta {
		if at%2 == 1 {
			theta[at] = size * r.NormFloat64()
		}
	}
	return p, theta
}

// The step by the intercepts of many classes is Newton's, and what bounds the inverse of their Hessian H does:
// H⁻¹ has no negative element, so that of all errors within e those of the same sign move most.
func TestStepByManyLevels(t *testing.T) {
	for _, size := range []float64{0, 0.1, 1} {
		p, theta := manyClasses(t, 300, manyLevels+10, size)
		g, c := linalg.Clone(p.f.Lend(theta)), new(centered)
		if !p.levelStep(c, g, theta) {
			t.Fatalf("size %g: no step", size)
		}
		m := len(p.free)
		h, right, e := linalg.Zeros(m, m), make([]float64, m), linalg.Clone(c.above.s)
		p.SubHess(h, theta, p.free, nil)
		for i, j := range p.free {
			right[i] = g[j]
		}
		factor, pivot := linalg.NewCholesky(h)
		if pivot != nil {
			t.Fatal(pivot)
		}
		length, turn, err := p.turn(c, e)
		if err != nil {
			t.Fatal(err)
		}
		moved := linalg.Clone(e)
		factor.Solve(right)
		factor.Solve(moved)
		most, reach := 0.0, 0.0
		for i, d := range right {
			linalgtest.Close(t, "step", c.d[i], d, 1e-9*(1+math.Abs(d)))
			most = max(most, moved[i])
			for k := range right {
				reach = max(reach, math.Abs(d), math.Abs(d-right[k]))
			}
		}
		linalgtest.Close(t, "reach", c.reach, reach, 1e-9*(1+reach))
		if !(turn >= most && length*length >= linalg.Dot(e, moved)) {
			t.Errorf("size %g: turn %g, length %g, want at least %g, %g", size, turn, length, most, math.Sqrt(linalg.Dot(e, moved)))
		}
	}
}

// Where chances are next to 0 and 1 rounding leaves no bound, and the step is left to a factor.
func TestStepOfCertainRows(t *testing.T) {
	p, theta := manyClasses(t, 300, manyLevels+10, 1e5)
	if c := new(centered); p.levelStep(c, p.f.Lend(theta), theta) || c.above != nil {
		t.Errorf("%+v", c)
	}
}

// A fit of many classes is certified without the Hessian by their intercepts.
func TestGapWithoutAHessianByLevels(t *testing.T) {
	p, theta := manyClasses(t, 300, manyLevels+10, 0)
	if _, gap, err := p.gap(p.LambdaMax(), theta, 1e-9, false); err != nil || !(gap <= 1e-9) {
		t.Errorf("gap %g, %v", gap, err)
	}
	c := p.newtonStep(p.f.Lend(theta), theta)
	if c == nil || c.inverse != nil || c.above == nil {
		t.Errorf("%+v", c)
	}
}
