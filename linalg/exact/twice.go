package exact

import "math"

// Sum is a sum in twice the working precision, hi + lo. (Ogita, Rump & Oishi, SIAM J. Sci.
// Comput. 26, 2005, Algorithm 5.3.)
type Sum struct{ Hi, Lo float64 }

// Value returns the sum, rounded.
func (s *Sum) Value() float64 { return s.Hi + s.Lo }

// Add adds hi + lo.
func (s *Sum) Add(hi, lo float64) {
	sum, rest := TwoSum(s.Hi, hi)
	s.Hi = sum
	s.Lo += rest + lo
}

// AddProduct adds (hi + lo)·(a + b).
func (s *Sum) AddProduct(hi, lo, a, b float64) {
	d, tail := TwoSum(a, b)
	p := float64(hi * d)
	s.Add(p, math.FMA(hi, d, -p)+(hi*tail+lo*d))
}

// TwoSum returns a + b rounded, and the rest that rounding left.
func TwoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	t := sum - a
	return sum, (a - (sum - t)) + (b - t)
}
