package inference

import (
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
)

// The covariance of many parameters, from the factor that a fit leaves.
func BenchmarkCovariance(b *testing.B) {
	const n, p = 2000, 600
	x, y := linalgtest.Normal(7, n, p), make([]int, n)
	for i := range y {
		y[i] = i % 2
	}
	m, err := logistic.Fit(x, y, nil)
	if err != nil {
		b.Fatal(err)
	}
	f, err := m.Likelihood(x, y, nil)
	if err != nil {
		b.Fatal(err)
	}
	e, err := newFitted(f, x, labels(f), false)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		e.covariance()
	}
}
