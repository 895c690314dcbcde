package logistic

import "math"

// normalTail returns P(|Z| > |z|) for a standard normal Z: the two-sided p-value.
func normalTail(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }

// normalQuantile returns the z for which P(|Z| ≤ z) = level.
func normalQuantile(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }

// chiSquareTail returns P(X > x) for X with df degrees of freedom: from df = 1
// (the normal tail) or 2 (the exponential one) upwards by
//
//	Q(a+1, t) = Q(a, t) + tᵃe⁻ᵗ/Γ(a+1),   t = x/2, a = df/2
//
// (Abramowitz & Stegun 26.4.4 and 26.4.5, 26.4.8), all of whose terms are
// positive.
func chiSquareTail(x float64, df int) float64 {
	switch {
	case x != x || df < 0:
		return math.NaN()
	case df == 0:
		return 0
	case x <= 0:
		return 1
	}
	t := x / 2
	a, q := 1.0, math.Exp(-t)
	if df%2 == 1 {
		a, q = 0.5, math.Erfc(math.Sqrt(t))
	}
	for ; a < float64(df)/2; a++ {
		l, _ := math.Lgamma(a + 1)
		q += math.Exp(a*math.Log(t) - t - l)
	}
	return math.Min(q, 1)
}
