package tail

import "math"

// Normal returns P(Z > z) for a standard normal Z.
func Normal(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// ChiSquare returns P(X > x) for χ² with df degrees of freedom: from df = 1 (the
// normal tail) or 2 (the exponential one) upwards by
//
//	Q(a+1, t) = Q(a, t) + tᵃe⁻ᵗ/Γ(a+1),   t = x/2, a = df/2
//
// (Abramowitz & Stegun 26.4.4, 26.4.5 and 26.4.8), all of whose terms are
// positive. χ² with 0 degrees of freedom is 0. O(df).
func ChiSquare(x float64, df int) float64 {
	switch {
	case x != x || df < 0:
		return math.NaN()
	case x < 0:
		return 1
	case df == 0 || math.IsInf(x, 1):
		return 0
	}
	t := x / 2
	a, q := 1.0, math.Exp(-t)
	if df%2 == 1 {
		a, q = 0.5, math.Erfc(math.Sqrt(t))
	}
	for ; a < float64(df)/2; a++ {
		if a < 10 {
			l, _ := math.Lgamma(a + 1)
			q += math.Exp(a*math.Log(t) - t - l)
		} else { // of large logarithms that cancel what is left, as in betaFront
			q += math.Exp(-a*logRest((t-a)/a)-stirling(a)) / math.Sqrt(2*math.Pi*a)
		}
	}
	return math.Min(q, 1)
}

// Student returns P(T > t) for Student's t with ν degrees of freedom: half of
// I_x(ν/2, 1/2) at x = ν/(ν+t²) for t ≥ 0 (DLMF 8.17; Abramowitz & Stegun 26.7.1).
// Where t² would overflow the tail falls as t^−ν.
func Student(t, nu float64) float64 {
	switch {
	case !(nu > 0) || t != t:
		return math.NaN()
	case nu > 1e15: // normal to the last digit
		return Normal(t)
	case t < 0:
		return 1 - Student(-t, nu)
	case t > 1e150:
		return Student(1e150, nu) * math.Pow(1e150/t, nu)
	}
	return betaTail(t*t/nu, nu/2, 0.5) / 2
}

// Fisher returns P(F > f) for Fisher's F with d₁ and d₂ degrees of freedom,
// I_x(d₂/2, d₁/2) at x = d₂/(d₂+d₁f) (Abramowitz & Stegun 26.6.2).
func Fisher(f, d1, d2 float64) float64 {
	switch {
	case !(d1 > 0) || !(d2 > 0) || f != f:
		return math.NaN()
	case f < 0:
		return 1
	}
	return betaTail(f*d1/d2, d2/2, d1/2)
}
