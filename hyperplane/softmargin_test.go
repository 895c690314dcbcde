package hyperplane

import (
	"slices"
	"testing"

	lt "halfspace/linalg/linalgtest"
	"halfspace/qp"
)

// What Σαy misses 0 by is worth as much of the dual as the best intercept can be: 1 + R√(2P),
// with R = 2 and P = ½.
func TestSVCCertificateChargesTheBalance(t *testing.T) {
	x := lt.Rows(t, []float64{-2}, []float64{-1}, []float64{1}, []float64{2})
	sign, price := []float64{-1, -1, 1, 1}, []float64{1, 1, 1, 1}
	q := &qp.Linear{X: x, Sign: sign}
	plane, err := NewPlane([]float64{1}, 0) // the hard margin, α = ½ at ±1
	if err != nil {
		t.Fatal(err)
	}
	for _, miss := range []float64{0, 1e-5} {
		e := new(solver).newSoftGap(q, price, []float64{0, .5, .5 + miss, 0}, miss).evidence(plane)
		lt.Close(t, "gap", relativeGap(e.primal, e.dual), 6*miss, 1e-9)
	}
}

// A slack of a rounding error costs 1e-3 where C is 1e12: the plane is published
// with that row on the margin, and neither the given plane nor the multipliers
// change while it is judged.
func TestSVCPublishesThePlaneOfTheSmallerGap(t *testing.T) {
	x := lt.Rows(t, []float64{-2}, []float64{-1}, []float64{1}, []float64{2})
	q := &qp.Linear{X: x, Sign: []float64{-1, -1, 1, 1}}
	alpha := []float64{0, .5, .5, 0}
	for _, c := range []struct{ price, short, published float64 }{{1e12, 1e-15, 1 + 1e-15 + 1e-14}, {1, 1e-15, 1 - 1e-15}, {1e12, 0.1, 0.9}} {
		price := []float64{c.price, c.price, c.price, c.price}
		given, err := NewPlane([]float64{1 - c.short}, 0)
		if err != nil {
			t.Fatal(err)
		}
		g := new(solver).newSoftGap(q, price, alpha, 0)
		e := publish(g, given, 1e-8)
		lt.Close(t, "β", e.plane.beta()[0], c.published, 5e-16)
		if again := g.evidence(e.plane); again.primal != e.primal || again.dual != e.dual {
			t.Errorf("price %g: published with %g and %g, the plane has %g and %g", c.price, e.primal, e.dual, again.primal, again.dual)
		}
		if given.beta()[0] != 1-c.short || alpha[1] != .5 {
			t.Errorf("price %g: judging changed the plane to %v, the multipliers to %v", c.price, given, alpha)
		}
	}
}

// What Σαy is short of 0 is taken from many multipliers, none of which changes by more
// than rounding.
func TestMendingIsShared(t *testing.T) {
	alpha, sign := []float64{1e12, 1e12 - 2, 5e11, 5e11, 3e-12}, []float64{1, -1, 1, -1, 1}
	before := slices.Clone(alpha)
	if left := mend(alpha, sign, []float64{2e12, 2e12, 2e12, 2e12, 1}); left > 1e-4 {
		t.Errorf("%g left", left)
	}
	for i, a := range alpha {
		lt.Close(t, "α", a, before[i], 1.1e-12)
	}
}
