package linalg

import "math"

// reflector overwrites x with (β, v₁, v₂, …) and returns τ, such that H = I −
// τ(1, v)(1, v)ᵀ is orthogonal and Hx = (β, 0, …). The entries of x must be of a
// size that squares do not overflow. (Golub & Van Loan, algorithm 5.1.1, with
// LAPACK's sign: β and x₀ differ in it.)
func reflector(x []float64) float64 {
	beta, tau := reflect(x[0], x[1:])
	x[0] = beta
	return tau
}

// reflect is [reflector] for a vector (α, v) in two places; v becomes the v of
// the reflection.
func reflect(alpha float64, v []float64) (beta, tau float64) {
	s := Dot(v, v)
	if s < 0x1p-900 && math.Abs(alpha) < 0x1p-450 {
		// Squares have lost digits: an inexact τ would cost H its orthogonality.
		m := max(math.Abs(alpha), NormInf(v))
		if m == 0 {
			return 0, 0
		}
		scale := unitScale(m)
		Scale(v, scale)
		beta, tau = reflect(alpha*scale, v)
		return beta / scale, tau
	}
	if s == 0 {
		return alpha, 0
	}
	beta = -math.Copysign(math.Sqrt(alpha*alpha+s), alpha)
	Scale(v, 1/(alpha-beta))
	return beta, (beta - alpha) / beta
}

// applyReflector overwrites b with Hb; v[0] is taken as 1.
func applyReflector(b []float64, tau float64, v []float64) {
	s := tau * (b[0] + Dot(v[1:], b[1:]))
	b[0] -= s
	Axpy(b[1:], -s, v[1:])
}

// reflectRows applies the reflection (1, v₁, …) to columns from col on of the
// rows from row on of a; v[0] is taken as 1.
func reflectRows(a *Dense, row, col int, tau float64, v []float64) {
	beta := v[0]
	v[0] = 1
	for ; row < a.Rows; row++ {
		u := a.Row(row)[col:]
		Axpy(u, -tau*Dot(v, u), v)
	}
	v[0] = beta
}

// blockReflector returns Tᵀ, lower triangular, for which H₀H₁… = I − VᵀTV, where
// row j of V is the vector of reflection j and gram is VVᵀ; only its lower triangle
// is read. (Schreiber & Van Loan 1989; Golub & Van Loan, §5.1.7.)
func blockReflector(gram *Dense, tau []float64) *Dense {
	t := Zeros(len(tau), len(tau))
	for j, s := range tau {
		row := t.Row(j)
		for i, x := range gram.Row(j)[:j] {
			Axpy(row[:i+1], -s*x, t.Row(i)[:i+1])
		}
		row[j] = s
	}
	return t
}

// unitScale returns the power of two that brings m into [½, 1), 1 for zero.
func unitScale(m float64) float64 {
	if m == 0 {
		return 1
	}
	_, e := math.Frexp(m)
	return math.Ldexp(1, min(max(-e, -1022), 1023))
}
