package tail

import "math"

// betaTail returns the regularised incomplete beta function I_x(a, b) at
// x = 1/(1+u), u ≥ 0. It takes u because x and 1−x are both needed to full
// relative accuracy, near 0 and near 1.
func betaTail(u, a, b float64) float64 {
	switch {
	case u == 0:
		return 1
	case math.IsInf(u, 1):
		return 0
	}
	x, y := 1/(1+u), u/(1+u)
	front := betaFront(u, a, b)
	if x < (a+1)/(a+b+2) {
		return front / betaFraction(a, b, x, y)
	}
	return 1 - front/betaFraction(b, a, y, x)
}

// betaFront returns xᵃyᵇ/B(a, b). Where a and b are large the powers and B are
// alike; what is left of them is written in λ, with Stirling's series for B.
func betaFront(u, a, b float64) float64 {
	if a < 10 || b < 10 {
		return math.Exp(-a*math.Log1p(u) - b*math.Log1p(1/u) - logBeta(a, b))
	}
	l := betaLambda(a, b, 1/(1+u), u/(1+u))
	rest := stirling(a) + stirling(b) - stirling(a+b)
	return math.Sqrt(a/(a+b)*b/(2*math.Pi)) * math.Exp(-a*logRest(-l/a)-b*logRest(l/b)-rest)
}

// betaLambda returns λ = a − (a+b)x = (a+b)y − b, by the form that does not
// cancel where a or b is large.
func betaLambda(a, b, x, y float64) float64 {
	if y < x {
		return (a+b)*y - b
	}
	return a - (a+b)*x
}

// logRest returns z − log(1+z).
func logRest(z float64) float64 {
	if math.Abs(z) > 0.125 {
		return z - math.Log1p(z)
	}
	s := 0.0
	for k := 18.0; k >= 2; k-- { // 2⁻⁵⁴ at the bound
		s = 1/k - z*s
	}
	return z * z * s
}

// betaFraction returns β₀ + α₁/(β₁ + α₂/(β₂ + …)), of which xᵃyᵇ/B(a, b) divided
// by it is I_x(a, b), y = 1−x: the even part of the continued fraction DLMF
// 8.17.22, its terms written in λ (Didonato & Morris, ACM TOMS 708, 1992).
// Evaluated by the method of Lentz in O(√max(a, b)) terms for x < (a+1)/(a+b+2).
func betaFraction(a, b, x, y float64) float64 {
	lambda := betaLambda(a, b, x, y)
	limit := math.Min(200+10*math.Sqrt(math.Max(a, b)), 1e6)
	h := a * (1 + lambda) / (a + 1)
	c, d := h, 0.0
	for n := 1.0; n < limit; n++ {
		s := a + 2*n - 1
		alpha := (a + n - 1) * (a + b + n - 1) * (x / s) * n * (b - n) * (x / s)
		beta := n + n*(b-n)*x/s + (a+n)*(1+lambda+n*(1+y))/(s+2)
		d = 1 / (beta + alpha*d)
		c = beta + alpha/c
		h *= c * d
		if math.Abs(c*d-1) <= 0x1p-53 {
			break
		}
	}
	return h
}

// logBeta returns log B(a, b) = log Γ(a) + log Γ(b) − log Γ(a+b) where one of
// them is below 10. If the other is not, the difference of the two large
// logarithms is taken by Stirling's series, term by term, where subtracting them
// would lose their common digits.
func logBeta(a, b float64) float64 {
	a, b = math.Min(a, b), math.Max(a, b)
	la, _ := math.Lgamma(a)
	if b < 10 {
		lb, _ := math.Lgamma(b)
		lab, _ := math.Lgamma(a + b)
		return la + lb - lab
	}
	return la + a - (b-0.5)*math.Log1p(a/b) - a*math.Log(a+b) + stirling(b) - stirling(a+b)
}

// stirling returns log Γ(x) − ((x−½)log x − x + ½log 2π) for x ≥ 10, to 1e-17
// (DLMF 5.11.1).
func stirling(x float64) float64 {
	r := 1 / (x * x)
	return (1./12 - r*(1./360-r*(1./1260-r*(1./1680-r*(1./1188-r*(691./360360-r/156)))))) / x
}
