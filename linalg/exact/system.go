package exact

import (
	"math/big"
	"math/bits"
)

// System is a square matrix of integers with the inverse modulo a prime.
type System struct {
	a          [][]*big.Int
	inverse    [][]uint64
	transposed bool
}

// NewSystem returns the system of the n×n matrix a, which it keeps; nil for one that is
// singular modulo the prime, as every singular one is. O(n³) in arithmetic of one word.
func NewSystem(a [][]*big.Int) *System {
	n := len(a)
	m := make([][]uint64, n) // a beside the identity
	for i, row := range a {
		m[i] = make([]uint64, 2*n)
		for j, z := range row {
			m[i][j] = residue(z)
		}
		m[i][n+i] = 1
	}
	for c := range n {
		k := c
		for k < n && m[k][c] == 0 {
			k++
		}
		if k == n {
			return nil
		}
		m[c], m[k] = m[k], m[c]
		f := inverseMod(m[c][c])
		for j := range m[c] {
			m[c][j] = mulMod(m[c][j], f)
		}
		for i := range m {
			if f := m[i][c]; i != c && f != 0 {
				eliminate(m[i][c:], m[c][c:], f)
			}
		}
	}
	for i := range m {
		m[i] = m[i][n:]
	}
	return &System{a: a, inverse: m}
}

// eliminate subtracts f·b from a.
func eliminate(a, b []uint64, f uint64) {
	for j, v := range b {
		if v != 0 {
			a[j] = subMod(a[j], mulMod(f, v))
		}
	}
}

// Transposed returns the system of the transposed matrix, without work.
func (s *System) Transposed() *System { return &System{s.a, s.inverse, !s.transposed} }

// at returns element i, j of the matrix.
func (s *System) at(i, j int) *big.Int {
	if s.transposed {
		return s.a[j][i]
	}
	return s.a[i][j]
}

// Solve returns x and d > 0 with A·x = d·b. O(n²) in arithmetic of few words for each
// digit: as many as the determinant and d have, of 61 bits.
func (s *System) Solve(b []*big.Int) (x []*big.Int, d *big.Int) {
	l := newLifting(s, b)
	for next := 2; ; next += 1 + next/2 {
		for l.count < next {
			l.lift()
		}
		if x, d = l.quotients(); x != nil && s.holds(x, d, b) {
			return x, d
		}
	}
}

// holds reports whether A·x = d·b.
func (s *System) holds(x []*big.Int, d *big.Int, b []*big.Int) bool {
	sum, t := new(big.Int), new(big.Int)
	for i := range s.a {
		sum.Neg(t.Mul(d, b[i]))
		for j, v := range x {
			if a := s.at(i, j); a.Sign() != 0 && v.Sign() != 0 {
				sum.Add(sum, t.Mul(a, v))
			}
		}
		if sum.Sign() != 0 {
			return false
		}
	}
	return true
}

// lifting is the digits of a solution so far.
type lifting struct {
	s       *System
	inverse []uint64   // row by row
	short   []short    // the matrix row by row; nil if it has elements too long for it
	rest    []*big.Int // (b − A·x)/p^count
	x       []*big.Int // the digits as one integer
	modulus *big.Int   // p^count
	count   int
	digit   []uint64
	t, u    *big.Int
}

func newLifting(s *System, b []*big.Int) *lifting {
	n := len(b)
	l := &lifting{s: s, modulus: big.NewInt(1), t: new(big.Int), u: new(big.Int), digit: make([]uint64, n),
		inverse: make([]uint64, 0, n*n), short: make([]short, 0, n*n)}
	for i, v := range b {
		l.rest, l.x = append(l.rest, new(big.Int).Set(v)), append(l.x, new(big.Int))
		for j := range n {
			inverse := s.inverse[i][j]
			if s.transposed {
				inverse = s.inverse[j][i]
			}
			l.inverse = append(l.inverse, inverse)
			if l.short != nil {
				l.short = appendShort(l.short, s.at(i, j))
			}
		}
	}
	return l
}

// short is an integer of at most 118 bits, so that sums of 2¹³ products with digits stay
// below 2¹⁹².
type short struct {
	lo, hi uint64
	sign   int
}

// appendShort appends z, or returns nil if it is too long or words have not 64 bits.
func appendShort(s []short, z *big.Int) []short {
	w := z.Bits()
	if z.BitLen() > 118 || bits.UintSize < 64 || cap(s) > 1<<26 {
		return nil
	}
	v := short{sign: z.Sign()}
	if len(w) > 0 {
		v.lo = uint64(w[0])
	}
	if len(w) > 1 {
		v.hi = uint64(w[1])
	}
	return append(s, v)
}

// lift finds one more digit of every unknown.
func (l *lifting) lift() {
	n := len(l.x)
	r := make([]uint64, n)
	for i, z := range l.rest {
		r[i] = residue(z)
	}
	for j := range n {
		v := uint64(0)
		for i, a := range l.inverse[j*n : (j+1)*n] {
			v = addMod(v, mulMod(a, r[i]))
		}
		l.digit[j] = v
		l.x[j].Add(l.x[j], l.t.Mul(l.u.SetUint64(v), l.modulus))
	}
	p := new(big.Int).SetUint64(prime)
	for i, z := range l.rest {
		if l.short != nil {
			l.subtractShort(z, i)
		} else {
			for j, v := range l.digit {
				if a := l.s.at(i, j); a.Sign() != 0 {
					z.Sub(z, l.t.Mul(a, l.u.SetUint64(v)))
				}
			}
		}
		z.Quo(z, p)
	}
	l.modulus.Mul(l.modulus, p)
	l.count++
}

// subtractShort takes the product of row i of the matrix and the digits from z.
func (l *lifting) subtractShort(z *big.Int, i int) {
	n := len(l.digit)
	var sum [2][3]uint64 // of the positive elements, and of the negative
	for j, a := range l.short[i*n : (i+1)*n] {
		if a.sign == 0 {
			continue
		}
		s := &sum[(1-a.sign)/2]
		h, low := bits.Mul64(a.lo, l.digit[j])
		top, mid := bits.Mul64(a.hi, l.digit[j])
		mid, carry := bits.Add64(mid, h, 0)
		top += carry
		s[0], carry = bits.Add64(s[0], low, 0)
		s[1], carry = bits.Add64(s[1], mid, carry)
		s[2], _ = bits.Add64(s[2], top, carry)
	}
	z.Sub(z, l.t.SetBits(words(sum[0])))
	z.Add(z, l.t.SetBits(words(sum[1])))
}

// words returns the words of a sum, without zeros at the end.
func words(s [3]uint64) []big.Word {
	w := []big.Word{big.Word(s[0]), big.Word(s[1]), big.Word(s[2])}
	for len(w) > 0 && w[len(w)-1] == 0 {
		w = w[:len(w)-1]
	}
	return w
}

// quotients returns numerators and their common denominator of which the digits are the
// quotients modulo p^count; nil where more digits are needed.
func (l *lifting) quotients() (x []*big.Int, d *big.Int) {
	bound := new(big.Int).Lsh(big.NewInt(1), uint(l.modulus.BitLen()-2)/2) // 2·bound² ≤ p^count
	half := new(big.Int).Rsh(l.modulus, 1)
	d = big.NewInt(1)
	x = make([]*big.Int, len(l.x))
	for j, v := range l.x {
		c := new(big.Int).Mul(v, d)
		c.Mod(c, l.modulus)
		if c.Cmp(half) > 0 {
			c.Sub(c, l.modulus)
		}
		if c.CmpAbs(bound) > 0 {
			q := l.denominator(c, bound)
			if q == nil || q.CmpAbs(bound) > 0 {
				return nil, nil
			}
			if d.Mul(d, q); d.Cmp(bound) > 0 {
				return nil, nil
			}
			for _, u := range x[:j] {
				u.Mul(u, q)
			}
			c.Mul(c, q)
			c.Mod(c, l.modulus)
			if c.Cmp(half) > 0 {
				c.Sub(c, l.modulus)
			}
		}
		x[j] = c
	}
	return x, d
}

// denominator returns the q > 0 with q·c = r modulo p^count and |r| ≤ bound, by Euclid's
// algorithm; nil if there is none of at most bound.
func (l *lifting) denominator(c, bound *big.Int) *big.Int {
	r0, r1 := new(big.Int).Set(l.modulus), new(big.Int).Mod(c, l.modulus)
	q0, q1 := new(big.Int), big.NewInt(1)
	quotient, rest := new(big.Int), new(big.Int)
	for r1.Cmp(bound) > 0 {
		quotient.QuoRem(r0, r1, rest)
		r0, r1, rest = r1, rest, r0
		q0.Sub(q0, l.t.Mul(quotient, q1))
		q0, q1 = q1, q0
		if q1.CmpAbs(bound) > 0 {
			return nil
		}
	}
	if q1.Sign() == 0 {
		return nil
	}
	return q1.Abs(q1)
}
