package loss

import "math"

// ComplementaryLogLog is the negative log-likelihood of a label y = ±1 whose
// probability is P(y = +1) = 1 − exp(−u), u = exp(f) (McCullagh & Nelder, Generalized
// Linear Models, 2nd ed., §4.3): that of one event or more where their number is
// Poisson of mean u. It is −log(1 − exp(−u)) for y = +1 and u for y = −1, convex in f,
// and not symmetric in y·f.
type ComplementaryLogLog struct{}

// certain is the score below which u is no part of the last digit of 1: for y = +1 the
// loss is then −f + u/2 = −f.
const certain = -40

// Value returns the loss, to rounding relative to itself.
func (ComplementaryLogLog) Value(y, f float64) float64 {
	u := math.Exp(f)
	switch {
	case y < 0:
		return u
	case f < certain:
		return -f
	case u < math.Ln2:
		return -math.Log(-math.Expm1(-u))
	}
	return -math.Log1p(-math.Exp(-u))
}

// Deriv returns u for y = −1 and −u/(exp(u) − 1) for y = +1, to rounding relative to
// itself.
func (ComplementaryLogLog) Deriv(y, f float64) float64 {
	u := math.Exp(f)
	switch {
	case y < 0:
		return u
	case f < certain:
		return -1
	}
	return math.Exp(f-u) / math.Expm1(-u)
}

// Second returns u for y = −1 and q(u + q − 1), q = u/(exp(u) − 1), for y = +1, where a
// series takes the place of the difference that cancels.
func (l ComplementaryLogLog) Second(y, f float64) float64 {
	u := math.Exp(f)
	if y < 0 {
		return u
	}
	q := -l.Deriv(y, f)
	switch {
	case q == 0: // u may be infinite
		return 0
	case u < 0.03:
		return q * u * (1./2 + u*(1./12-u*u*(1./720-u*u*(1./30240))))
	}
	return q * (u + q - 1)
}
