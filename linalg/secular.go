package linalg

import "math"

// secularRoot returns root j, from 0, of
//
//	f(λ) = 1/ρ + Σᵢ zᵢ²/(dᵢ − λ),   d₀ < d₁ < …, ρ > 0, Σzᵢ² = 1,
//
// which lies between d[j] and d[j+1], for the last j between d[j] and d[j] + ρ,
// and sets delta[i] to dᵢ − λ with all its digits: the root is found as a
// distance from the nearer of the two poles. d must have two elements or more.
//
// Each step fits c + s/(dⱼ−λ) + t/(dⱼ₊₁−λ) to f and solves that; a step out of
// the bracket is replaced by halving it. (Li, "Solving secular equations stably
// and efficiently", LAPACK working note 89: the middle way.)
func secularRoot(j int, d, z []float64, rho float64, delta []float64) float64 {
	last := j == len(d)-1
	s := secular{d: d, z: z, rhoInv: 1 / rho, delta: delta, left: min(j, len(d)-2)}
	origin, tau, lo, hi := s.firstGuess(j, last)
	for iter := 0; ; iter++ {
		s.evaluate(d[origin], tau)
		if iter == maxSecular || math.Abs(s.f) <= 4*eps*(s.rhoInv+s.size)+eps*math.Abs(tau)*(s.dl+s.dr) {
			return d[origin] + tau
		}
		if s.f < 0 {
			lo = tau
		} else {
			hi = tau
		}
		next := tau + s.fittedStep(last)
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
			if next == lo || next == hi {
				return d[origin] + tau
			}
		}
		tau = next
	}
}

// maxSecular bounds the steps; four are usual, and halving alone would need
// about as many as a float64 has bits.
const maxSecular = 100

// secular is f at a point.
type secular struct {
	d, z   []float64
	rhoInv float64
	left   int       // the poles left and left+1 enclose the root, or are the last two
	delta  []float64 // dᵢ − λ
	f      float64
	size   float64 // Σ |zᵢ²/(dᵢ−λ)|
	dl, dr float64 // derivatives of the terms up to left, and of those after
}

// firstGuess returns the pole from which root j is measured, a first distance and a
// bracket. The sign of f in the middle of the interval decides which pole is nearer;
// the value of f there, less the terms of the two poles, is the constant of the
// first fit.
func (s *secular) firstGuess(j int, last bool) (origin int, tau, lo, hi float64) {
	d, l := s.d, s.left
	gap := d[l+1] - d[l]
	mid := gap / 2
	if last {
		mid = 1 / s.rhoInv / 2
	}
	s.evaluate(d[j], mid)
	zl, zr := s.z[l]*s.z[l], s.z[l+1]*s.z[l+1]
	c := s.f - zl/s.delta[l] - zr/s.delta[l+1]
	switch {
	case last:
		origin, lo, hi = j, 0, mid
		if s.f <= 0 {
			lo, hi = mid, 2*mid
		}
		tau = quadraticRoot(c, zl+zr-c*gap, -zr*gap, true)
	case s.f > 0:
		origin, lo, hi = j, 0, mid
		tau = quadraticRoot(c, zl+zr+c*gap, zl*gap, false)
	default:
		origin, lo, hi = j+1, mid-gap, 0
		tau = quadraticRoot(c, zl+zr-c*gap, -zr*gap, false)
	}
	if !(tau > lo && tau < hi) {
		tau = lo + (hi-lo)/2
	}
	return origin, tau, lo, hi
}

// evaluate sets f and its derivatives to those at d + tau, where d is one of the poles.
func (s *secular) evaluate(d, tau float64) {
	m := s.left + 1
	fl, dl := secularSum(s.d[:m], s.z[:m], s.delta[:m], d, tau)
	fr, dr := secularSum(s.d[m:], s.z[m:], s.delta[m:], d, tau)
	s.f, s.dl, s.dr = s.rhoInv+fl+fr, dl, dr
	s.size = math.Abs(fl) + math.Abs(fr)
}

// secularSum sets delta[i] = dᵢ−λ and returns Σ zᵢ²/(dᵢ−λ), whose terms have one
// sign, and its derivative. Two sums run side by side, for the divisions overlap.
func secularSum(d, z, delta []float64, origin, tau float64) (f, df float64) {
	z, delta = z[:len(d)], delta[:len(d)]
	var f0, f1, g0, g1 float64
	i := 0
	for ; i+2 <= len(d); i += 2 {
		e0, e1 := (d[i]-origin)-tau, (d[i+1]-origin)-tau
		delta[i], delta[i+1] = e0, e1
		q0, q1 := z[i]/e0, z[i+1]/e1
		f0 += z[i] * q0
		f1 += z[i+1] * q1
		g0 += q0 * q0
		g1 += q1 * q1
	}
	if i < len(d) {
		e := (d[i] - origin) - tau
		delta[i] = e
		q := z[i] / e
		f0 += z[i] * q
		g0 += q * q
	}
	return f0 + f1, g0 + g1
}

// fittedStep returns the step to the root of the fit at the present point, for the
// last root to the one above both poles.
func (s *secular) fittedStep(last bool) float64 {
	a, b := s.delta[s.left], s.delta[s.left+1]
	c := s.f - a*s.dl - b*s.dr
	eta := quadraticRoot(c, (a+b)*s.f-a*b*(s.dl+s.dr), a*b*s.f, last)
	if !(s.f*eta < 0) {
		return -s.f / (s.dl + s.dr)
	}
	return eta
}

// quadraticRoot returns (a ± √(a² − 4bc))/(2c), a root of cx² − ax + b, without
// cancellation and, for a of the sign that occurs there, with c = 0.
func quadraticRoot(c, a, b float64, plus bool) float64 {
	r := math.Sqrt(math.Abs(a*a - 4*b*c))
	switch {
	case plus && a >= 0:
		return (a + r) / (2 * c)
	case plus:
		return 2 * b / (a - r)
	case a > 0:
		return 2 * b / (a + r)
	}
	return (a - r) / (2 * c)
}
