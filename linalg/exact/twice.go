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

// AddProducts adds Σ vⱼ(xⱼ − cⱼ) over the columns j that x has, nil for all; a nil c is 0. A sum that has left the range of a
// float64 is ±Inf or NaN as a plain one is.
func (s *Sum) AddProducts(columns []int32, v, x, c []float64) {
	hi, lo, rest := s.Hi, s.Lo, 0.0
	for j, x := range x {
		if columns != nil {
			j = int(columns[j])
		}
		d, tail := x, 0.0
		if c != nil {
			d, tail = TwoSum(x, -c[j])
		}
		b := v[j]
		p := float64(b * d)
		hi, rest = TwoSum(hi, p)
		lo += rest + math.FMA(b, d, -p) + b*tail
	}
	if hi-hi != 0 {
		lo = 0
	}
	s.Hi, s.Lo = hi, lo
}

// AddScaled adds a(xⱼ − cⱼ) to sum j, for the columns j that x has, nil for all.
func AddScaled(sums []Sum, a float64, columns []int32, x, c []float64) {
	for j, x := range x {
		if columns != nil {
			j = int(columns[j])
		}
		d, tail := TwoSum(x, -c[j])
		p := float64(a * d)
		hi, rest := TwoSum(sums[j].Hi, p)
		sums[j] = Sum{hi, sums[j].Lo + (rest + math.FMA(a, d, -p) + a*tail)}
	}
}

// TwoSum returns a + b rounded, and the rest that rounding left.
func TwoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	t := sum - a
	return sum, (a - (sum - t)) + (b - t)
}
