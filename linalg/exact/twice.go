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

// AddProducts adds Σ vⱼ(xⱼ − cⱼ), for a nil c Σ vⱼxⱼ. A sum that has left the range of a float64 is ±Inf or NaN as a plain one is.
func (s *Sum) AddProducts(v, x, c []float64) {
	for j, x := range x {
		if c != nil {
			s.AddProduct(v[j], 0, x, -c[j])
		} else {
			s.AddProduct(v[j], 0, x, 0)
		}
	}
	if s.Hi-s.Hi != 0 {
		s.Lo = 0
	}
}

// TwoSum returns a + b rounded, and the rest that rounding left.
func TwoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	t := sum - a
	return sum, (a - (sum - t)) + (b - t)
}
