package regression

import (
	"math"
	"testing"

	"halfspace/linalg/linalgtest"
)

// The certificate of fewer rows than columns has no use for their triangle, so that a λ among many makes none.
func TestNoTriangleOfFewRowsIsMadeForACertificate(t *testing.T) {
	const n, p = 6, 12
	x, y := linalgtest.Normal(1, n, p), make([]float64, n)
	copy(x.Row(n-1), x.Row(0))
	for i := range y {
		y[i] = x.At(i, 0) + float64(i%3)
		for j := range p {
			x.Row(i)[j] *= math.Pow(10, float64(j%6))
		}
	}
	q, err := newProblem(x, y, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &spectrum{problem: q}
	for k := range fewLambdas + 1 {
		s.lambdas = append(s.lambdas, math.Pow(10, -float64(3*k)))
	}
	for _, l := range s.lambdas {
		if m, err := s.fit(l); err != nil || s.under != nil {
			t.Errorf("λ = %g: %v, %v, a triangle: %v", l, m, err, s.under != nil)
		}
	}
}
