package dataset

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
)

// scan reads the decimal number at the start of s and returns it with the number
// of bytes it takes: 0 if there is none, −1 if it is too large for a float64.
// The grammar is [+-] digits [. digits] [e [+-] digits] with a digit before or
// after the point; no NaN, infinity, hexadecimal or underscores.
//
// The result is correctly rounded. Most numbers of data files have at most 19
// digits and need no more than one division; the rest goes to
// strconv.ParseFloat.
func scan(s []byte) (v float64, n int) {
	i := 0
	neg := false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	var mant uint64
	digits, sig, exp := 0, 0, 0 // digits read, significant ones, decimal exponent
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		digits++
		if sig > 0 || s[i] != '0' {
			sig++
		}
		mant = 10*mant + uint64(s[i]-'0')
	}
	if i < len(s) && s[i] == '.' {
		i++
		point := i
		if sig == 0 {
			for i < len(s) && s[i] == '0' {
				i++
			}
		}
		first := i
		for i+8 <= len(s) {
			v, ok := eight(s[i:])
			if !ok {
				break
			}
			mant = 1e8*mant + v
			i += 8
		}
		for ; i < len(s) && s[i]-'0' <= 9; i++ {
			mant = 10*mant + uint64(s[i]-'0')
		}
		digits, sig, exp = digits+i-point, sig+i-first, point-i
	}
	if digits == 0 {
		return 0, 0
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		if e, k := scanExponent(s[i+1:]); k > 0 {
			exp += e
			i += 1 + k
		}
	}
	v, ok := decimal(mant, exp)
	if !ok || sig > 19 {
		var err error
		if v, err = strconv.ParseFloat(string(s[:i]), 64); err != nil {
			return 0, -1
		}
		return v, i
	}
	if neg {
		v = -v
	}
	return v, i
}

// eight returns the number that the first eight bytes of s make, if all are digits: the
// eight, then the four pairs, then the two fours are added up side by side. (D. Lemire,
// Number Parsing at a Gigabyte per Second, Software: Practice and Experience 51, 2021.)
func eight(s []byte) (v uint64, ok bool) {
	w := binary.LittleEndian.Uint64(s)
	const low, high, zeros = 0x0606060606060606, 0xF0F0F0F0F0F0F0F0, 0x3030303030303030
	if w&high|(w+low)&high>>4 != zeros|zeros>>4 {
		return 0, false
	}
	w -= zeros
	w = 10*w + w>>8
	const pairs = 0x000000FF000000FF
	return (w&pairs*(100+1000000<<32) + w>>16&pairs*(1+10000<<32)) >> 32, true
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

var pow10u = [...]uint64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// decimal returns mant·10^exp correctly rounded where that takes one operation:
// with both factors exact in float64 a product or a quotient rounds once
// (W. D. Clinger, How to Read Floating Point Numbers Accurately, PLDI 1990); a
// larger mantissa over 10^k, k ≤ 19, is divided in 128-bit integers.
func decimal(mant uint64, exp int) (v float64, ok bool) {
	switch {
	case mant == 0:
		return 0, true
	case mant <= 1<<53 && 0 <= exp && exp <= 22:
		return float64(mant) * pow10f[exp], true
	case mant <= 1<<53 && -22 <= exp && exp < 0:
		return float64(mant) / pow10f[-exp], true
	case exp == 0:
		return float64(mant), true
	case -19 <= exp && exp < 0:
		return quotient(mant, pow10u[-exp]), true
	}
	return 0, false
}

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
	return float64(q) * math.Float64frombits(uint64(1023+shift)<<52)
}

// number parses a whole cell.
func number(s []byte) (v float64, ok bool) {
	v, n := scan(s)
	return v, n == len(s) && n > 0
}

// marks says which decimal marks the numbers of a table have.
type marks uint8

const (
	point marks = iota
	comma
	pointOrComma
)

// number parses a whole cell whose decimal mark is one of m.
func (m marks) number(s []byte) (v float64, ok bool) {
	if m == point {
		return number(s)
	}
	at := bytes.IndexByte(s, ',')
	if at < 0 && m == pointOrComma {
		return number(s)
	}
	var room [64]byte
	if len(s) > len(room) || bytes.IndexByte(s, '.') >= 0 {
		return 0, false
	}
	c := room[:copy(room[:], s)]
	if at >= 0 {
		c[at] = '.'
	}
	return number(c)
}
