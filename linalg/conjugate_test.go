package linalg_test

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// A matrix of m distinct eigenvalues, seen through the preconditioner, takes m steps; with
// its inverse for the preconditioner it takes one, from any start.
func TestConjugateEndsInAsManyStepsAsThereAreEigenvalues(t *testing.T) {
	const n = 40
	scale := make([]float64, n)
	for j := range scale {
		scale[j] = math.Exp2(float64(j%7 - 3))
	}
	b, start := linalgtest.Numbers(n), linalgtest.Numbers(2 * n)[n:]
	apply := func(dst, x []float64) {
		for j, v := range x {
			dst[j] = float64(1+j%3) * scale[j] * scale[j] * v
		}
	}
	for _, c := range []struct {
		name  string
		steps int
		m     func(z []float64)
	}{
		{"diagonal", 3, func(z []float64) {
			for j := range z {
				z[j] /= scale[j] * scale[j]
			}
		}},
		{"inverse", 1, func(z []float64) {
			for j := range z {
				z[j] /= float64(1+j%3) * scale[j] * scale[j]
			}
		}},
	} {
		x, left := slices.Clone(start), make([]float64, n)
		apply(left, x)
		for j := range left {
			left[j] = b[j] - left[j]
		}
		s := linalg.NewConjugate(x, left, c.m)
		s.Start()
		first, steps := s.Size, 0
		for ; s.Size > 1e-24*first && steps < n; steps++ {
			apply(s.Image, s.Direction)
			s.Step(s.Curvature())
		}
		if steps != c.steps {
			t.Errorf("%s: %d steps", c.name, steps)
		}
		apply(left, x)
		for j := range left {
			linalgtest.Close(t, c.name, left[j], b[j], 1e-11)
		}
	}
}
