package exact

import (
	"math"
	"math/big"
	"math/bits"
)

// Split returns m and e with v = m·2^e and m odd, or 0 and 0 for v = 0. v must be finite.
func Split(v float64) (m int64, e int) {
	if v == 0 {
		return 0, 0
	}
	b := math.Float64bits(v)
	m, e = int64(b&(1<<52-1)), int(b>>52&0x7ff)
	if e == 0 {
		e = 1
	} else {
		m |= 1 << 52
	}
	z := bits.TrailingZeros64(uint64(m))
	m, e = m>>z, e-1075+z
	if v < 0 {
		m = -m
	}
	return m, e
}

// Integer sets z to v/2^unit, which must be an integer, and returns it.
func Integer(z *big.Int, v float64, unit int) *big.Int {
	m, e := Split(v)
	z.SetInt64(m)
	if m != 0 {
		z.Lsh(z, uint(e-unit))
	}
	return z
}

// Pair returns hi + lo, the two largest parts of z·2^shift in the format of a float64:
// their sum is within 2⁻¹⁰⁵ of it, relative, where it is neither near 0 nor overflows.
func Pair(z *big.Int, shift int) (hi, lo float64) {
	head, drop := leading(z)
	hi = math.Ldexp(float64(head), drop+shift)
	if drop <= 0 {
		return hi, 0
	}
	rest := big.NewInt(head)
	rest.Lsh(rest, uint(drop))
	tail, at := leading(rest.Sub(z, rest))
	return hi, math.Ldexp(float64(tail), at+shift)
}

// leading returns the 53 leading bits of z, with its sign, and the power of two that they
// are to be multiplied by.
func leading(z *big.Int) (head int64, drop int) {
	drop = max(0, z.BitLen()-53)
	if drop == 0 {
		return z.Int64(), 0
	}
	top := new(big.Int).Abs(z)
	head = top.Rsh(top, uint(drop)).Int64()
	if z.Sign() < 0 {
		head = -head
	}
	return head, drop
}

// Dot returns Σ aᵢbᵢ.
func Dot(a, b []*big.Int) *big.Int {
	sum, t := new(big.Int), new(big.Int)
	for i, v := range a {
		if v.Sign() != 0 && b[i].Sign() != 0 {
			sum.Add(sum, t.Mul(v, b[i]))
		}
	}
	return sum
}

// Reduce divides the integers by what divides all of them, in place.
func Reduce(v []*big.Int) {
	g := new(big.Int)
	for _, a := range v {
		if a.Sign() != 0 {
			if g.GCD(nil, nil, g, new(big.Int).Abs(a)); g.IsInt64() && g.Int64() == 1 {
				return
			}
		}
	}
	if g.Sign() == 0 {
		return
	}
	for _, a := range v {
		a.Quo(a, g)
	}
}

// SumProducts returns Σ aᵢbᵢ as z·2^e.
func SumProducts(a, b []float64) (z *big.Int, e int) {
	z, t := new(big.Int), new(big.Int)
	for i, v := range a {
		m, me := Split(v)
		k, ke := Split(b[i])
		if m == 0 || k == 0 {
			continue
		}
		t.Mul(big.NewInt(m), big.NewInt(k))
		switch at := me + ke; {
		case z.Sign() == 0:
			e = at
		case at < e:
			z.Lsh(z, uint(e-at))
			e = at
		default:
			t.Lsh(t, uint(at-e))
		}
		z.Add(z, t)
	}
	return z, e
}
