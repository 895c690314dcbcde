package discriminant

import (
	"fmt"
	"slices"
	"sync"

	"halfspace/linalg"
)

// scratch is the work space of a prediction. Taken from a pool, it lets predictions
// allocate nothing.
type scratch struct {
	v      []float64
	window linalg.Dense
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// take returns scratch from the pool and n values of it, which are not cleared.
//
//go:noinline // a program would have a dozen copies
func take(n int) (*scratch, []float64) {
	s := scratchPool.Get().(*scratch)
	if cap(s.v) < n {
		s.v = make([]float64, n)
	}
	return s, s.v[:n]
}

// extend returns dst with n values appended, and those values.
func extend(dst []float64, n int) (all, added []float64) {
	k := len(dst)
	dst = slices.Grow(dst, n)[:k+n]
	return dst, dst[k:]
}

// mustRow panics if a row does not have p values.
//
//go:noinline // as take
func mustRow(row []float64, p int) {
	if len(row) != p {
		panic(fmt.Sprintf("discriminant: a row of %d values, the model has %d features", len(row), p))
	}
}

// byCost replaces discriminants by minus the expected costs of the decisions,
// −Σₖ L(k, g)·P(k | x), if there are costs.
func byCost(scores []float64, costs *linalg.Dense) {
	if costs == nil {
		return
	}
	s, p := take(len(scores))
	copy(p, scores)
	linalg.Softmax(p)
	clear(scores)
	for k, v := range p {
		linalg.Axpy(scores, -v, costs.Row(k))
	}
	scratchPool.Put(s)
}

// model is a classifier as the functions below see it: discriminants sets dst
// (length K) to the δₖ of a row.
type model interface {
	discriminants(dst, row []float64)
}

// scores appends the scores of a row.
func scores(dst, row []float64, m model, k int, costs *linalg.Dense) []float64 {
	dst, s := extend(dst, k)
	m.discriminants(s, row)
	byCost(s, costs)
	return dst
}

// logProba appends the logarithms of the posterior probabilities.
func logProba(dst, row []float64, m model, k int) []float64 {
	dst, s := extend(dst, k)
	m.discriminants(s, row)
	normalize(s)
	return dst
}

// normalize overwrites discriminants with the logarithms of probabilities.
func normalize(s []float64) {
	l := linalg.LogSumExp(s)
	for i := range s {
		s[i] -= l
	}
}

// proba appends the posterior probabilities.
func proba(dst, row []float64, m model, k int) []float64 {
	dst, s := extend(dst, k)
	m.discriminants(s, row)
	linalg.Softmax(s)
	return dst
}

// logOdds returns the difference of the discriminants of two labels.
func logOdds(row []float64, m model, classes []int, class, other int) (float64, error) {
	k, l, err := positions(classes, class, other)
	if err != nil {
		return 0, err
	}
	s, v := take(len(classes))
	m.discriminants(v, row)
	odds := v[k] - v[l]
	scratchPool.Put(s)
	return odds, nil
}

// predict returns the class of the largest score.
func predict(row []float64, m model, classes []int, costs *linalg.Dense) int {
	s, v := take(len(classes))
	m.discriminants(v, row)
	byCost(v, costs)
	c := classes[linalg.ArgMax(v)]
	scratchPool.Put(s)
	return c
}

// positions returns the positions of two labels in the ascending list of classes.
//
// Error: *[linalg.ClassError].
func positions(classes []int, class, other int) (k, l int, err error) {
	at := [2]int{class, other}
	for i, label := range at {
		k, ok := slices.BinarySearch(classes, label)
		if !ok {
			return 0, 0, wrap(&linalg.ClassError{Class: label, Reason: "is not in the model"})
		}
		at[i] = k
	}
	return at[0], at[1], nil
}
