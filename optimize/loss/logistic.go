package loss

import (
	"math"

	"halfspace/linalg"
)

// Logistic is log(1 + exp(−y·f)), the negative log-likelihood of a label y = ±1
// whose log-odds are f (ESL 4.20).
//
// Grouped counts, s successes of m trials, are one row of weight m whose y is the
// mean of their labels, 2s/m − 1: for −1 ≤ y ≤ 1 the loss is
// log(1 + exp(f)) − t·f with t = (1 + y)/2, which is the same for y = ±1.
type Logistic struct{}

// Value returns log(1 + exp(f)) − (1+y)/2·f, to rounding relative to itself for
// y = ±1 and any finite f.
func (Logistic) Value(y, f float64) float64 {
	return lead(y, f) + math.Log1p(math.Exp(-math.Abs(f)))
}

// lead is the loss without its logarithm log(1 + exp(−|f|)): max(0, f) − t·f,
// exactly 0 for a label on the right side.
func lead(y, f float64) float64 {
	if f > 0 {
		return (1 - y) / 2 * f
	}
	return -(1 + y) / 2 * f
}

// Deriv returns σ(f) − (1+y)/2, in both tails to rounding relative to itself.
func (Logistic) Deriv(y, f float64) float64 {
	e := math.Exp(-math.Abs(f))
	return slope(y, f, e/(1+e))
}

// slope is the derivative, given the probability of the side that f is against.
func slope(y, f, against float64) float64 {
	if f > 0 {
		return (1-y)/2 - against
	}
	return against - (1+y)/2
}

// Second returns σ(f)·(1 − σ(f)), at most ¼.
func (Logistic) Second(y, f float64) float64 {
	e := math.Exp(-math.Abs(f))
	return e / ((1 + e) * (1 + e))
}

// Rows sets d[i] = wᵢ·∂L/∂f and h[i] = wᵢ·∂²L/∂f² at (y[i], f[i]) and returns
// Σ wᵢ·L. A nil w is all ones; a nil d or h is not wanted. The slices have one
// length. One exponential a row and, without weights, one logarithm for several
// hundred: those of log Π(1 + exp(−|fᵢ|)) whose factors are not near 1.
func (Logistic) Rows(d, h, y, f, w []float64) float64 {
	if w != nil {
		return weighted(d, h, y, f, w)
	}
	sum, product := 0.0, 1.0
	for i, fi := range f {
		yi := y[i]
		e := math.Exp(-math.Abs(fi))
		q := 1 / (1 + e)
		if d != nil {
			d[i] = slope(yi, fi, e*q)
		}
		if h != nil {
			h[i] = e * q * q
		}
		sum += lead(yi, fi)
		if e < small {
			sum += log1pSmall(e)
			continue
		}
		if product *= 1 + e; !(product < 1<<500) {
			sum += math.Log(product)
			product = 1
		}
	}
	return sum + math.Log(product)
}

// logisticBatch evaluates labels by [linalg.Logistic] and grouped counts by Rows.
type logisticBatch struct{}

func (logisticBatch) Rows(d, h, y, f, w []float64) float64 {
	if labels(y) {
		return labeled(d, h, y, f, w)
	}
	return Logistic{}.Rows(d, h, y, f, w)
}

// labels reports whether all responses are ±1.
func labels(y []float64) bool {
	for _, v := range y {
		if v*v != 1 {
			return false
		}
	}
	return true
}

// labeled is Rows for labels: log(1 + exp(−yf)), whose derivative −yσ(−yf) keeps its
// digits in both tails. It overwrites f.
func labeled(d, h, y, f, w []float64) float64 {
	for i, yi := range y {
		f[i] *= -yi
	}
	linalg.Logistic(d, f, f)
	if h != nil {
		for i, q := range d {
			h[i] = q * (1 - q)
			if w != nil {
				h[i] *= w[i]
			}
		}
	}
	for i, yi := range y {
		d[i] *= -yi
		if w != nil {
			d[i] *= w[i]
		}
	}
	if w != nil {
		return linalg.Dot(f, w)
	}
	return linalg.Sum(f)
}

func weighted(d, h, y, f, w []float64) float64 {
	sum := 0.0
	for i, fi := range f {
		yi, wi := y[i], w[i]
		e := math.Exp(-math.Abs(fi))
		q := 1 / (1 + e)
		if d != nil {
			d[i] = wi * slope(yi, fi, e*q)
		}
		if h != nil {
			h[i] = wi * (e * q * q)
		}
		l := 0.0
		if e < small {
			l = log1pSmall(e)
		} else {
			l = math.Log(1 + e)
		}
		sum += wi * (lead(yi, fi) + l)
	}
	return sum
}

// small is where the factor 1 + e is so near to 1 that its rounding would cost
// the sum more than 2⁻⁴³ relative; below it four terms of the series are exact
// to 2⁻⁴².
const small = 0x1p-10

// log1pSmall returns log(1 + e) for 0 ≤ e < small.
func log1pSmall(e float64) float64 {
	return e * (1 - e*(1./2-e*(1./3-e*(1./4))))
}
