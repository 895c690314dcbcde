package qp

import (
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// Problems that differ in their signs share the products of the rows.
func TestProductsAreShared(t *testing.T) {
	p := svm(31, 20, 300, 0.5, 1)
	l := p.Q.(*Linear)
	flipped := make([]float64, 20)
	for i, s := range l.Sign {
		flipped[i] = -s
	}
	if other := l.With(flipped); other.products() != l.products() {
		t.Error("products computed twice")
	}
}

// The error of a storage ends a Solve, whichever product met it.
func TestSolveReportsTheStorage(t *testing.T) {
	linalgtest.SkipSlow(t)
	for _, p := range []*Problem{svm(6, 300, 4, 0.5, 1), svm(7, 40, 300, 0.5, 1)} {
		l := p.Q.(*Linear)
		x := l.X
		linalgtest.EachFailure(t, x, 300, func(rows linalg.Rows) error {
			own := *p
			own.Q = &Linear{X: rows, Sign: l.Sign, Workers: 1}
			_, err := Solve(&own, nil)
			return err
		})
	}
}
