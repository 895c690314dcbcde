package optimize_test

import (
	"math"
	"testing"

	"halfspace/optimize"
)

// stretched is ½Σ j·xⱼ² − Σ xⱼ, which counts its products.
type stretched struct{ products *int }

func (stretched) Grad(g, x []float64) float64 {
	value := 0.0
	for j, v := range x {
		h := float64(j + 1)
		g[j] = h*v - 1
		value += v * (h*v/2 - 1)
	}
	return value
}

func (f stretched) Value(x []float64) float64 { return f.Grad(make([]float64, len(x)), x) }

func (f stretched) HessVec(dst, _, v []float64) {
	*f.products++
	for j := range v {
		dst[j] = float64(j+1) * v[j]
	}
}

// settled is stretched with gradients that are small enough.
type settled struct {
	stretched
	enough float64
}

func (f settled) Settles(g []float64, _ float64) bool {
	square := 0.0
	for _, v := range g {
		square += v * v
	}
	return math.Sqrt(square) <= f.enough
}

func TestEquationsAreSolvedNoFurtherThanTheFunctionWants(t *testing.T) {
	const enough = 1e-3
	all, few, g := 0, 0, make([]float64, 100)
	until := func(s optimize.Step) optimize.Verdict {
		if (settled{stretched{&few}, enough}).Settles(g, (stretched{}).Grad(g, s.X)) {
			return optimize.Enough
		}
		return optimize.Continue
	}
	c := &optimize.Control{Until: until}
	if _, _, err := optimize.NewtonCG(stretched{&all}, make([]float64, len(g)), c); err == nil {
		t.Fatal("the rule did not end the run")
	}
	x, _, _ := optimize.NewtonCG(settled{stretched{&few}, enough}, make([]float64, len(g)), c)
	if until(optimize.Step{X: x}) != optimize.Enough {
		t.Error("the run ended before the function settled")
	}
	if !(few < all) {
		t.Errorf("%d products, and %d where the function has no say", few, all)
	}
}
