package validate

import (
	"errors"
	"fmt"
	"math"

	"halfspace/linalg/record"
)

// McNemarTest compares two classifiers on the same rows.
type McNemarTest struct {
	OnlyA int // rows that only the first gets wrong
	OnlyB int // rows that only the second gets wrong

	// Statistic is (|a−b|−1)²/(a+b), χ² with one degree of freedom where the two
	// have the same error (with the continuity correction); 0 for a+b = 0.
	Statistic float64

	// P is the exact two-sided p-value: twice the probability that a binomial
	// variable of a+b trials of ½ is at most min(a, b), at most 1.
	P float64
}

// McNemar tests whether two classifiers have the same error, from the rows on
// which one is right and the other wrong (Q. McNemar, Psychometrika 12, 1947). It
// takes the test set as given: the noise of the training sets is not in it.
//
// Errors: *[linalg.ShapeError].
func McNemar(a, b, truth []int) (*McNemarTest, error) {
	if err := errors.Join(sameLen(len(truth), len(a)), sameLen(len(truth), len(b))); err != nil {
		return nil, err
	}
	t := &McNemarTest{P: 1}
	for i, v := range truth {
		switch {
		case a[i] != v && b[i] == v:
			t.OnlyA++
		case a[i] == v && b[i] != v:
			t.OnlyB++
		}
	}
	if n := t.OnlyA + t.OnlyB; n > 0 {
		d := max(0, math.Abs(float64(t.OnlyA-t.OnlyB))-1)
		t.Statistic = d * d / float64(n)
		t.P = min(1, 2*binomialHalf(min(t.OnlyA, t.OnlyB), n))
	}
	return t, nil
}

// String returns the counts and the p-value.
func (t *McNemarTest) String() string {
	return fmt.Sprintf("McNemar's test: %d rows wrong in the first alone, %d in the second alone, χ² = %.4g, p = %.4g", t.OnlyA, t.OnlyB, t.Statistic, t.P)
}

// MarshalJSON writes the test.
func (t McNemarTest) MarshalJSON() ([]byte, error) { return record.Plain(t) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *McNemarTest) UnmarshalJSON(data []byte) error { return wrap(record.ReadPlain(data, t)) }

// binomialHalf returns P(X ≤ k) for n trials of probability ½, k ≤ n/2. The terms
// are summed downwards from the largest, each from the one before.
func binomialHalf(k, n int) float64 {
	lg := func(v int) float64 { l, _ := math.Lgamma(float64(v) + 1); return l }
	term := math.Exp(lg(n) - lg(k) - lg(n-k) - float64(n)*math.Ln2)
	sum := 0.0
	for j := k; j >= 0 && term > sum*1e-17; j-- {
		sum += term
		term *= float64(j) / float64(n-j+1)
	}
	return sum
}
