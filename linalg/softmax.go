package linalg

import "math"

// LogSumExp returns log Σ exp(vᵢ) without overflow: the largest term is taken
// out first. It is −Inf for an empty v and NaN if v has a NaN.
func LogSumExp(v []float64) float64 {
	m := math.Inf(-1)
	for _, x := range v {
		if x > m || x != x {
			m = x
		}
	}
	if math.IsInf(m, 0) || m != m {
		return m
	}
	s := 0.0
	for _, x := range v {
		s += math.Exp(x - m)
	}
	return m + math.Log(s)
}

// Softmax overwrites scores with exp(vₖ)/Σ exp(vₗ): finite, non-negative and
// summing to 1 to rounding for any finite scores. A NaN makes all of them NaN.
func Softmax(v []float64) {
	l := LogSumExp(v)
	s := 0.0
	for k, x := range v {
		v[k] = math.Exp(x - l)
		s += v[k]
	}
	for k := range v {
		v[k] /= s
	}
}

// ArgMax returns the index of the largest value, the first of equals; −1 for an
// empty v. NaN is never larger.
func ArgMax(v []float64) int {
	if len(v) == 0 {
		return -1
	}
	best := 0
	for k, x := range v {
		if x > v[best] {
			best = k
		}
	}
	return best
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
