package penalty

import (
	"fmt"
	"math"

	"halfspace/linalg"
)

// Penalty is a convex function of the coefficients. The slices of its methods
// have the length of the coefficients.
type Penalty interface {
	// Check returns an error unless the penalty is one of p coefficients.
	Check(p int) error
	// Value returns P(b).
	Value(b []float64) float64
	// Residual sets dst to the shortest vector of g + ∂P(b). dst may be g.
	Residual(dst, g, b []float64)
	// LambdaMax returns the smallest λ for which the penalised coefficients are
	// all zero, given the gradient g of the smooth part there.
	LambdaMax(g []float64) float64
}

// Soft returns the soft threshold sign(v)·max(0, |v| − t) (ESL §3.8.6), NaN for a
// NaN.
func Soft(v, t float64) float64 {
	switch {
	case v > t:
		return v - t
	case v < -t:
		return v + t
	case v != v: // a residual of 0 would certify a gradient that is not a number
		return v
	}
	return 0
}

// ElasticNet is λ·Σ φⱼ(α|βⱼ| + (1−α)/2·βⱼ²) with α the L1Ratio: the ridge at 0,
// the lasso at 1. Nil Factors φ are all ones; those of fewer coefficients repeat, as the
// features of several functions do. (Zou & Hastie 2005; ESL §3.4.3; in the form of glmnet,
// Friedman, Hastie & Tibshirani 2010.)
type ElasticNet struct {
	Lambda  float64
	L1Ratio float64
	Factors []float64
}

// Ridge returns λ/2·‖β‖².
func Ridge(lambda float64) ElasticNet { return ElasticNet{Lambda: lambda} }

// Lasso returns λ‖β‖₁.
func Lasso(lambda float64) ElasticNet { return ElasticNet{Lambda: lambda, L1Ratio: 1} }

// Check returns an error unless λ is finite and ≥ 0, the ratio within 0 and 1,
// and the factors, if any, finite numbers ≥ 0, of which p is a multiple.
func (e ElasticNet) Check(p int) error {
	if !(e.Lambda >= 0) || math.IsInf(e.Lambda, 1) {
		return fmt.Errorf("lambda is %v, want a finite number ≥ 0", e.Lambda)
	}
	if !(e.L1Ratio >= 0 && e.L1Ratio <= 1) {
		return fmt.Errorf("l1 ratio is %v, want 0 to 1", e.L1Ratio)
	}
	if n := len(e.Factors); n > 0 && p%n == 0 {
		p = n
	}
	return checkFactors(e.Factors, p, "coefficients", "penalty factors")
}

func checkFactors(factors []float64, want int, of, name string) error {
	if factors == nil {
		return nil
	}
	if len(factors) != want {
		return &linalg.ShapeError{Want: want, WantOf: of, Got: len(factors), GotOf: name}
	}
	for j, v := range factors {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("%s: number %d is %v, want a finite number ≥ 0", name, j, v)
		}
	}
	return nil
}

// Factor returns φⱼ.
func (e ElasticNet) Factor(j int) float64 {
	n := len(e.Factors)
	switch {
	case e.Factors == nil:
		return 1
	case j < n:
		return e.Factors[j]
	}
	return e.Factors[j%n]
}

// Weights returns the weights of |βⱼ| and of ½βⱼ², rounded: a processor that fuses
// multiplication and addition would compare a gradient with another number than it
// subtracts.
//
//go:noinline // programs would have two dozen copies, 2 kB
func (e ElasticNet) Weights(j int) (l1, l2 float64) {
	l := e.Lambda
	if e.Factors != nil {
		l *= e.Factor(j)
	}
	return float64(l * e.L1Ratio), float64(l * (1 - e.L1Ratio))
}

// LeastL1 returns, for a factor of 1, a number just below the weight of |βⱼ|, for loops that pass by
// the many coordinates that the penalty holds at 0: whatever the rounding, a gradient of at most
// Factor times as much is held.
func (e ElasticNet) LeastL1() float64 { return e.Lambda * e.L1Ratio * (1 - 0x1p-50) }

// Value returns P(b).
func (e ElasticNet) Value(b []float64) float64 {
	s := 0.0
	for j, v := range b {
		if v != 0 {
			l1, l2 := e.Weights(j)
			s += l1*math.Abs(v) + l2/2*v*v
		}
	}
	return s
}

// Balance subtracts from the coefficients of each feature by K functions what leaves their penalty least: of K
// classes it changes no probability, and elsewhere a descent has as many flat directions as there are features. O(K²) each.
func (e ElasticNet) Balance(b []float64, k int) {
	v, p := make([]float64, k), len(b)/k
	for j := 0; j < p && k > 1; j++ {
		for c := range v {
			v[c] = b[c*p+j]
		}
		if m := e.center(j, v); m != 0 {
			for c := range v {
				b[c*p+j] -= m
			}
		}
	}
}

// center returns an m for which Σ P(vₖ − m) is least, by the weights of coefficient j: 0 if that is one, else a vₖ
// if one is.
func (e ElasticNet) center(j int, v []float64) float64 {
	l1, l2 := e.Weights(j)
	k, sum, below := len(v), linalg.Sum(v), 0
	for i := -1; i < k; i++ {
		m, equal, more := 0.0, 0, 0 // of the values; how many more are less than greater
		if i >= 0 {
			m = v[i]
		}
		for _, x := range v {
			switch {
			case x == m:
				equal++
			case x < m:
				more++
			default:
				more--
			}
		}
		slope := l2*(float64(k)*m-sum) + l1*float64(more)
		if math.Abs(slope) <= l1*float64(equal) {
			return m
		}
		if i >= 0 && slope < 0 {
			below++
		}
	}
	return (sum + l1*float64(k-2*below)/l2) / float64(k)
}

// Residual sets dstⱼ to gⱼ + l1·sign(bⱼ) + l2·bⱼ, and where bⱼ = 0 to what of gⱼ
// exceeds l1.
func (e ElasticNet) Residual(dst, g, b []float64) {
	for j := range g {
		dst[j] = e.ResidualAt(j, g[j], b[j])
	}
}

// ResidualAt is Residual for coordinate j alone.
func (e ElasticNet) ResidualAt(j int, g, b float64) float64 {
	l1, l2 := e.Weights(j)
	switch {
	case b > 0:
		return g + l1 + l2*b
	case b < 0:
		return g - l1 + l2*b
	}
	return Soft(g, l1)
}

// leastRatio keeps LambdaMax finite for a ridge: its path starts as if a
// thousandth of it were a lasso, as glmnet's does.
const leastRatio = 1e-3

// LambdaMax returns max |gⱼ|/(φⱼ·max(α, 0.001)) over the penalised coefficients,
// rounded up to where the residuals of the lasso part are 0, not nearly 0.
func (e ElasticNet) LambdaMax(g []float64) float64 {
	e.Lambda, e.L1Ratio = 0, max(e.L1Ratio, leastRatio)
	for j, v := range g {
		if f := e.Factor(j); f > 0 {
			e.Lambda = max(e.Lambda, math.Abs(v)/(f*e.L1Ratio))
			e.Lambda = roundUp(e.Lambda, func(l float64) bool {
				l1, _ := ElasticNet{l, e.L1Ratio, e.Factors}.Weights(j)
				return l1 < math.Abs(v)
			})
		}
	}
	return e.Lambda
}

// roundUp returns the next λ that is not short.
func roundUp(lambda float64, short func(float64) bool) float64 {
	for step := 0x1p-52; step < 1 && short(lambda); step *= 2 {
		lambda += lambda * step
	}
	return lambda
}
