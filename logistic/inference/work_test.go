package inference

import (
	"testing"
	"time"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
)

// The covariance of many parameters takes a few times as long as the factor that it is made from: it
// is products of blocks, not a solution for each parameter.
func TestCovarianceTakesAFewFactors(t *testing.T) {
	const n, p = 2000, 600
	x, y, o := linalgtest.Normal(7, n, p), make([]int, n), &logistic.Options{Workers: 1}
	for i := range y {
		y[i] = i % 2
	}
	m, err := logistic.Fit(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Likelihood(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newFitted(f, x, labels(f), false)
	if err != nil {
		t.Fatal(err)
	}
	gram := linalg.Gram(x, nil, nil, 1)
	var inverse, factor time.Duration
	for range 10 { // other programs may take the processor from one of them
		begin := time.Now()
		e.covariance()
		inverse, begin = time.Since(begin), time.Now()
		if _, err := linalg.NewCholesky(gram); err != nil {
			t.Fatal(err)
		}
		factor = time.Since(begin)
		if inverse <= 6*factor {
			return
		}
	}
	t.Errorf("the covariance takes %v, a factor %v", inverse, factor)
}
