package exact

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
)

// System is a square matrix of integers with the inverse modulo a prime.
type System struct {
	// Near is a positive number that denominators of solutions are likely to divide, but for a factor of few digits: the last
	// one, or the determinant; nil of none. Then a solution has half as many digits to find.
	Near *big.Int

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
func (s *System) Transposed() *System { return &System{s.Near, s.a, s.inverse, !s.transposed} }

// at returns element i, j of the matrix.
func (s *System) at(i, j int) *big.Int {
	if s.transposed {
		return s.a[j][i]
	}
	return s.a[i][j]
}

// Solve returns x and d > 0 with A·x = d·b, without a common factor. O(n²) in arithmetic of few words for each
// digit: as many as the determinant and d have, of 61 bits, or as x has beside a number that is near d.
func (s *System) Solve(b []*big.Int) (x []*big.Int, d *big.Int) {
	l, next, near := newLifting(s, b), 2, math.MaxInt
	if s.Near != nil {
		near = (s.Near.BitLen() + 2*factorBits) / digitBits
	}
	for {
		l.lift()
		if l.count >= near {
			near += 1 + near/16
			x, d = l.quotients(s.Near, factorBits)
		}
		if l.count >= next && x == nil {
			if next += 1 + next/2; s.Near != nil {
				next = 2 * l.count
			}
			x, d = l.quotients(big.NewInt(1), (l.modulus.BitLen()-2)/2)
		}
		if x != nil && s.holds(x, d, b) {
			Reduce(append(x[:len(x):len(x)], d))
			s.Near = d
			return x, d
		}
		x = nil
	}
}

const (
	digitBits  = 61
	factorBits = 64 // of the factor by which a denominator may exceed the number that it is near
)

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
	size    int        // words of an element of the matrix
	word    []uint64   // of the matrix, row by row, without signs
	sign    []int      // of its elements
	rest    []*big.Int // (b − A·x)/p^count
	x       []*big.Int // the digits as one integer
	modulus *big.Int   // p^count
	count   int
	digit   []uint64
	sum     []uint64 // scratch: products with the positive elements, then with the negative
	bytes   []byte   // scratch
	t, u    big.Int  // scratch
}

func newLifting(s *System, b []*big.Int) *lifting {
	n := len(b)
	l := &lifting{s: s, modulus: new(big.Int).SetUint64(1), digit: make([]uint64, n), inverse: make([]uint64, n*n), sign: make([]int, n*n),
		rest: make([]*big.Int, n), x: make([]*big.Int, n)}
	for _, row := range s.a {
		for _, z := range row {
			l.size = max(l.size, (z.BitLen()+63)/64)
		}
	}
	words := l.size + 2
	l.bytes, l.word, l.sum = make([]byte, 8*words), make([]uint64, n*n*l.size), make([]uint64, 2*words)
	for at := range l.sign {
		i, j := at/n, at%n
		if s.transposed {
			i, j = j, i
		}
		z := s.a[i][j]
		l.inverse[at], l.sign[at] = s.inverse[i][j], z.Sign()
		z.FillBytes(l.bytes)
		for k := range l.word[at*l.size:][:l.size] {
			l.word[at*l.size+k] = binary.BigEndian.Uint64(l.bytes[8*(words-1-k):])
		}
	}
	for i, v := range b {
		l.rest[i], l.x[i] = new(big.Int).Set(v), new(big.Int)
	}
	return l
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
		l.multiply(i)
		z.Add(z, l.sumFrom(l.size+2))
		z.Sub(z, l.sumFrom(0))
		z.Quo(z, p)
	}
	l.modulus.Mul(l.modulus, p)
	l.count++
}

// sumFrom returns a sum from its first word.
//
//go:noinline // a program would have it twice
func (l *lifting) sumFrom(first int) *big.Int {
	for w, v := range l.sum[first:][:l.size+2] {
		binary.BigEndian.PutUint64(l.bytes[8*(l.size+1-w):], v)
	}
	return l.t.SetBytes(l.bytes)
}

// multiply sets sum to the products of the elements in row i and the digits.
func (l *lifting) multiply(i int) {
	n, m := len(l.digit), l.size
	clear(l.sum)
	for j, sign := range l.sign[i*n : (i+1)*n] {
		if sign == 0 {
			continue
		}
		digit, sum := l.digit[j], l.sum[(1-sign)/2*(m+2):][:m+2]
		high, carry := uint64(0), uint64(0)
		for k, v := range l.word[(i*n+j)*m:][:m] {
			h, low := bits.Mul64(v, digit)
			low, over := bits.Add64(low, high, 0)
			sum[k], carry = bits.Add64(sum[k], low, carry)
			high = h + over
		}
		sum[m], carry = bits.Add64(sum[m], high, carry)
		sum[m+1] += carry
	}
}

// quotients returns numerators and their common denominator, a multiple of near by a number of at most so many bits, of
// which the digits are the quotients modulo p^count; nil where more digits are needed.
func (l *lifting) quotients(near *big.Int, free int) (x []*big.Int, d *big.Int) {
	one := big.NewInt(1)
	bound := new(big.Int).Lsh(one, uint(max(0, l.modulus.BitLen()-2-free))) // 2·bound·most ≤ p^count
	most, factor := new(big.Int).Lsh(one, uint(free)), big.NewInt(1)
	half := new(big.Int).Rsh(l.modulus, 1)
	d = new(big.Int).Set(near)
	x = make([]*big.Int, len(l.x))
	for j, v := range l.x {
		c := l.centered(new(big.Int).Mul(v, d), half)
		if c.CmpAbs(bound) > 0 {
			q := l.denominator(c, bound, most)
			if q == nil {
				return nil, nil
			}
			if factor.Mul(factor, q); factor.Cmp(most) > 0 {
				return nil, nil
			}
			d.Mul(d, q)
			for _, u := range x[:j] {
				u.Mul(u, q)
			}
			c = l.centered(c.Mul(c, q), half)
		}
		x[j] = c
	}
	return x, d
}

// centered overwrites c with the number nearest 0 that it is modulo p^count, of which half is given.
func (l *lifting) centered(c, half *big.Int) *big.Int {
	c.Mod(c, l.modulus)
	if c.Cmp(half) > 0 {
		c.Sub(c, l.modulus)
	}
	return c
}

// denominator returns the q > 0 with q·c = r modulo p^count and |r| ≤ bound, by Euclid's
// algorithm; nil if there is none of at most most.
func (l *lifting) denominator(c, bound, most *big.Int) *big.Int {
	r0, r1 := new(big.Int).Set(l.modulus), new(big.Int).Mod(c, l.modulus)
	q0, q1 := new(big.Int), big.NewInt(1)
	quotient, rest := new(big.Int), new(big.Int)
	for r1.Cmp(bound) > 0 {
		quotient.QuoRem(r0, r1, rest)
		r0, r1, rest = r1, rest, r0
		q0.Sub(q0, l.t.Mul(quotient, q1))
		q0, q1 = q1, q0
		if q1.CmpAbs(most) > 0 {
			return nil
		}
	}
	if q1.Sign() == 0 {
		return nil
	}
	return q1.Abs(q1)
}
