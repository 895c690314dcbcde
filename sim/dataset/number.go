package dataset

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
)

// marks are the two bytes that may be the decimal mark of a number.
type marks uint16

const (
	point        marks = '.'<<8 | '.'
	comma        marks = ','<<8 | ','
	pointOrComma marks = '.'<<8 | ','
)

// in reports whether c is one of the marks.
func (m marks) in(c byte) bool { return c == byte(m) || c == byte(m>>8) }

// scan reads the decimal number at the start of s and returns it with the number
// of bytes it takes: 0 if there is none, −1 if it is too large for a float64.
// The grammar is [+-] digits [mark digits] [e [+-] digits] with a digit before or
// after the mark; no NaN, infinity, hexadecimal or underscores.
//
// The result is correctly rounded. Most numbers of data files have at most 19
// digits and need no more than one multiplication or division; the rest goes to
// strconv.ParseFloat. Signs and numbers of digits are as good as random in most files, so
// neither decides a branch.
func scan(s []byte, m marks) (v float64, n int) {
	if len(s) == 0 {
		return 0, 0
	}
	i, sign := 0, uint64(0)
	if s[0] == '-' {
		sign = 1
	}
	if i = int(sign); s[0] == '+' {
		i = 1
	}
	first := i
	var mant uint64
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		mant = 10*mant + uint64(s[i]-'0')
	}
	digits, exp := i-first, 0
	if i < len(s) && m.in(s[i]) {
		point := i + 1
		mant, i = fraction(mant, s, point)
		digits, exp = digits+i-point, point-i
	}
	if digits == 0 {
		return 0, 0
	}
	long := digits > 19 && significant(s[first:i]) > 19
	if i < len(s) && s[i]|0x20 == 'e' {
		if e, k := scanExponent(s[i+1:]); k > 0 {
			exp += e
			i += 1 + k
		}
	}
	v, ok := decimal(mant, digits, exp)
	if !ok || long {
		text, err := bytes.Clone(s[:i]), error(nil)
		if at := bytes.IndexByte(text, ','); at >= 0 {
			text[at] = '.'
		}
		if v, err = strconv.ParseFloat(string(text), 64); err != nil {
			return 0, -1
		}
		return v, i
	}
	return math.Float64frombits(math.Float64bits(v) | sign<<63), i
}

// fraction appends the digits of s from i on to mant, and returns their end.
func fraction(mant uint64, s []byte, i int) (uint64, int) {
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		if other := others(w); other != 0 {
			k := bits.TrailingZeros64(other) / 8
			return mant*pow10u[k] + eight(w<<(64-8*k)), i + k
		}
		mant = mant*1e8 + eight(w)
	}
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		mant = 10*mant + uint64(s[i]-'0')
	}
	return mant, i
}

// others returns of eight bytes a number that is 0 in each byte before the first that is no digit, and not there.
func others(w uint64) uint64 {
	const low, high, zeros = 0x0606060606060606, 0xF0F0F0F0F0F0F0F0, 0x3030303030303030
	return (w&high | (w+low)&high>>4) ^ (zeros | zeros>>4)
}

// eight returns the number that eight bytes make that are digits, or 0 before them: the eight, then the four pairs,
// then the two fours are added up side by side. (D. Lemire, Number Parsing at a Gigabyte per
// Second, Software: Practice and Experience 51, 2021.)
func eight(w uint64) uint64 {
	const low, pairs = 0x0F0F0F0F0F0F0F0F, 0x000000FF000000FF
	w &= low
	w = 10*w + w>>8
	return (w&pairs*(100+1000000<<32) + w>>16&pairs*(1+10000<<32)) >> 32
}

// significant returns how many digits a number without sign and exponent has behind its
// leading zeros.
func significant(s []byte) int {
	s = bytes.TrimLeft(s, "0.,")
	return len(s) - bytes.Count(s, []byte{'.'}) - bytes.Count(s, []byte{','})
}

// scanExponent reads [+-] digits, saturating far outside the range of float64.
func scanExponent(s []byte) (e, n int) {
	i := 0
	neg := false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	start := i
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		if e < 1e6 {
			e = 10*e + int(s[i]-'0')
		}
	}
	if i == start {
		return 0, 0
	}
	if neg {
		e = -e
	}
	return e, i
}

var pow10f = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

var pow10u = [...]uint64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7}

// fives are the powers of five that 64 bits hold.
var fives = powersOfFive()

// power is a power of five, how many zeros lead it in 64 bits, and the first 64 bits of its inverse, rounded down.
type power struct {
	value, inverse uint64
	zeros          int
}

func powersOfFive() (p [28]power) {
	p[0].value = 1
	for k := 1; k < len(p); k++ {
		v := 5 * p[k-1].value
		zeros := bits.LeadingZeros64(v)
		inverse, _ := bits.Div64(1<<63, 0, v<<zeros)
		p[k] = power{v, inverse, zeros}
	}
	return p
}

// decimal returns mant·10^exp correctly rounded where that takes one operation:
// with both factors exact in float64 a product or a quotient rounds once
// (W. D. Clinger, How to Read Floating Point Numbers Accurately, PLDI 1990); a
// larger mantissa over 10^k, k ≤ 27, is divided in 128-bit integers. The digits of
// most files tell these apart alike for all numbers, while the size of a mantissa of 16 would not.
func decimal(mant uint64, digits, exp int) (v float64, ok bool) {
	switch {
	case exp == 0:
		return float64(mant), true
	case mant == 0:
		return 0, true
	case digits <= 15 && -22 <= exp && exp < 0:
		return float64(int64(mant)) / pow10f[-exp], true
	case -len(fives) < exp && exp < 0:
		return over(mant, -exp), true
	case mant <= 1<<53 && 0 < exp && exp <= 22:
		return float64(int64(mant)) * pow10f[exp], true
	}
	return 0, false
}

// over returns a/10^k correctly rounded, a > 0 and 0 < k < len(fives). Let A be a and d be 5^k, both
// shifted up to 64 bits, and I the inverse ⌊2^127/d⌋. A·2^127/d exceeds A·I by more than 0 and less than 2^64,
// so the upper word q of A·I is at most 1 too small, and a tie, which has no remainder, ends in ones there.
// Rounding to 53 bits drops at least nine; unless all nine are ones, a carry into them leaves what is
// kept and their half alone, and the sticky lowest bit says that there is a remainder.
func over(a uint64, k int) float64 {
	p, la := &fives[k], bits.LeadingZeros64(a)
	q, _ := bits.Mul64(a<<la, p.inverse)
	if q&0x1FF == 0x1FF {
		return quotient(a, p.value) * powerOfTwo(-k)
	}
	return float64(int64(q>>1|1)) * powerOfTwo(p.zeros-la-k-62)
}

func powerOfTwo(e int) float64 { return math.Float64frombits(uint64(1023+e) << 52) }

// quotient returns a/d correctly rounded, a > 0. Both are shifted up to 64 bits,
// so that the integer quotient q has exactly 64; a remainder only matters for
// ties, where setting the lowest of the 11 bits that rounding drops decides.
func quotient(a, d uint64) float64 {
	la, ld := bits.LeadingZeros64(a), bits.LeadingZeros64(d)
	a, d = a<<la, d<<ld
	shift := ld - la - 64
	hi, lo := a, uint64(0)
	if a >= d {
		hi, lo = a>>1, a<<63
		shift++
	}
	q, r := bits.Div64(hi, lo, d)
	if r != 0 {
		q |= 1
	}
	return float64(q) * powerOfTwo(shift)
}

// number parses a whole cell.
func number(s []byte) (v float64, ok bool) { return point.number(s) }

// number parses a whole cell whose decimal mark is one of m.
func (m marks) number(s []byte) (v float64, ok bool) {
	v, n := scan(s, m)
	return v, n == len(s) && n > 0
}
