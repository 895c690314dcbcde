package linalg

import (
	"math"

	"halfspace/linalg/internal/kernel"
)

// Exp sets dst[i] to exp(src[i]); dst may be src. The error is below 2 units in
// the last place, and special values are those of [math.Exp]. Blocks of a
// thousand values cost a few times less than as many calls of math.Exp.
func Exp(dst, src []float64) {
	mustLen("Exp", len(src), len(dst))
	kernel.Exp(dst, src)
}

// Logistic sets prob[i] to 1/(1 + exp(−t[i])) and loss[i] to log(1 + exp(t[i])),
// which share one exponential: the probability of the positive class at the
// score t, and −log of that of the negative one. Both are accurate in both tails
// to 2.5 units in the last place. One of prob and loss may be t.
func Logistic(prob, loss, t []float64) {
	mustLen("Logistic", len(t), len(prob))
	mustLen("Logistic", len(t), len(loss))
	kernel.Logistic(prob, loss, t)
}

// LogSumExp returns log Σ exp(vᵢ) without overflow: the largest term is taken
// out first. It is −Inf for an empty v and NaN if v has a NaN.
func LogSumExp(v []float64) float64 {
	m := largest(v)
	if math.IsInf(m, 0) || m != m {
		return m
	}
	s := 0.0
	for _, x := range v {
		s += math.Exp(x - m)
	}
	return m + math.Log(s)
}

// largest returns the largest value of v, NaN if v has one and −Inf if it is
// empty.
func largest(v []float64) float64 {
	m := math.Inf(-1)
	for _, x := range v {
		if x > m || x != x {
			m = x
		}
	}
	return m
}

// Softmax overwrites each vₖ with exp(vₖ)/Σ exp(vₗ): finite, non-negative and
// summing to 1 to rounding for any finite scores. A NaN or +Inf makes all of them
// NaN.
func Softmax(v []float64) {
	m := largest(v)
	for k := range v {
		v[k] -= m
	}
	kernel.Exp(v, v)
	s := Sum(v)
	for k := range v {
		v[k] /= s
	}
}

// ArgMax returns the index of the largest value, the first of equals; −1 for an
// empty v. A NaN is smaller than any number.
func ArgMax(v []float64) int {
	if len(v) == 0 {
		return -1
	}
	best, top := 0, sortKey(v[0])
	for k, x := range v[1:] {
		if r := sortKey(x); r > top { // a conditional move: scores come in no order that a branch could foresee
			best, top = k+1, r
		}
	}
	return best
}

// ArgMaxRows sets dst[i] to [ArgMax] of row i.
func ArgMaxRows(dst []int, x *Dense) {
	mustLen("ArgMaxRows", x.Rows, len(dst))
	if kernel.ArgMax(dst, x.Data, x.Stride, x.Cols) {
		return
	}
	for i := range dst {
		dst[i] = ArgMax(x.Row(i))
	}
}

// sortKey maps numbers to integers in the same order, NaN below them all.
func sortKey(x float64) int64 {
	if x != x {
		return math.MinInt64
	}
	b := int64(math.Float64bits(x + 0)) // −0 + 0 is 0
	return b ^ int64(uint64(b>>63)>>1)
}

// Sigmoid returns 1/(1 + exp(−t)), accurate in both tails.
func Sigmoid(t float64) float64 {
	if t >= 0 {
		return 1 / (1 + math.Exp(-t))
	}
	e := math.Exp(t)
	return e / (1 + e)
}

// Log1pExp returns log(1 + exp(t)) without overflow.
func Log1pExp(t float64) float64 {
	if t > 0 {
		return t + math.Log1p(math.Exp(-t))
	}
	return math.Log1p(math.Exp(t))
}
