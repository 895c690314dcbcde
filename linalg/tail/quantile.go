package tail

import "math"

// NormalQuantile returns the z with P(Z > z) = p for a standard normal Z.
func NormalQuantile(p float64) float64 { return symmetric(p, Normal) }

// ChiSquareQuantile returns the x with P(X > x) = p for χ² with df degrees of
// freedom. O(df).
func ChiSquareQuantile(p float64, df int) float64 {
	return positive(p, func(x float64) float64 { return ChiSquare(x, df) })
}

// StudentQuantile returns the t with P(T > t) = p for Student's t with ν degrees
// of freedom.
func StudentQuantile(p, nu float64) float64 {
	return symmetric(p, func(t float64) float64 { return Student(t, nu) })
}

// FisherQuantile returns the f with P(F > f) = p for Fisher's F with d₁ and d₂
// degrees of freedom.
func FisherQuantile(p, d1, d2 float64) float64 {
	return positive(p, func(f float64) float64 { return Fisher(f, d1, d2) })
}

// symmetric returns the quantile of a distribution that is symmetric about 0.
func symmetric(p float64, tail func(float64) float64) float64 {
	if p > 0.5 {
		return -positive(1-p, tail)
	}
	return positive(p, tail)
}

// positive returns the least x ≥ 0 whose upper tail is at most p. Positive floats
// are in the order of their bits, so bisecting those finds x to the last place in
// 63 evaluations, whatever its size.
func positive(p float64, tail func(float64) float64) float64 {
	if !(p >= 0 && p <= 1) || math.IsNaN(tail(1)) {
		return math.NaN()
	}
	if p == 0 {
		return math.Inf(1)
	}
	lo, hi := uint64(0), math.Float64bits(math.Inf(1)) // tail(hi) = 0
	for lo < hi {
		mid := lo + (hi-lo)/2
		if tail(math.Float64frombits(mid)) <= p {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return math.Float64frombits(lo)
}
