package separation

import (
	"math"
	"math/big"

	"halfspace/linalg/exact"
)

// functions are f₀ = 0 and fₖ = vₖ·z for k = 1 … K−1, integers on rows of integers, with
// the approximations that settle most signs.
type functions struct {
	d      *data
	v      [][]*big.Int // K of dim integers, those of class 0 all 0
	hi, lo [][]float64  // v in units of data, scaled so that no term exceeds 1 by much
	scale  int          // the power of two of that
}

// newFunctions returns the functions with parameters v, K−1 blocks of dim.
func newFunctions(d *data, v []*big.Int) *functions {
	f := &functions{d: d}
	f.v = append(f.v, zeros(d.dim))
	for at := 0; at < len(v); at += d.dim {
		f.v = append(f.v, v[at:at+d.dim])
	}
	largest := math.MinInt32
	for _, row := range f.v {
		for j, z := range row {
			if z.Sign() != 0 {
				largest = max(largest, z.BitLen()-f.shift(j)+f.reach(j))
			}
		}
	}
	f.scale = -largest
	for _, row := range f.v {
		hi, lo := make([]float64, d.dim), make([]float64, d.dim)
		for j, z := range row {
			hi[j], lo[j] = exact.Pair(z, f.scale-f.shift(j))
		}
		f.hi, f.lo = append(f.hi, hi), append(f.lo, lo)
	}
	return f
}

// shift is the power of two that parameter j's integers are to be multiplied by to be in
// the units of the data, with a minus sign.
func (f *functions) shift(j int) int {
	if j < f.d.first {
		return 0
	}
	return f.d.bit[j-f.d.first]
}

// reach is the power of two above the values of parameter j's column.
func (f *functions) reach(j int) int {
	if j < f.d.first || f.d.extent[j-f.d.first] == 0 {
		return 0
	}
	_, e := math.Frexp(f.d.extent[j-f.d.first])
	return e
}

// tiny is more than underflow can take from a score, with values of up to 2^450.
const tiny = 0x1p-590

// scores sets s to the functions at a row and size to the sums of their absolute terms.
func (f *functions) scores(s, size, row []float64) {
	first, origin := f.d.first, f.d.origin
	for c, v := range f.hi {
		sum, abs := 0.0, 0.0
		if first == 1 {
			sum = v[0]
			abs = math.Abs(sum)
		}
		if c > 0 {
			for j, b := range v[first:] {
				t := b * (row[j] - origin[j])
				sum += t
				abs += math.Abs(t)
			}
		}
		s[c], size[c] = sum, abs
	}
}

// scaled returns an integer as the terms of the functions are scaled; 0 for nil.
func (f *functions) scaled(t *big.Int) exact.Sum {
	if t == nil {
		return exact.Sum{}
	}
	hi, lo := exact.Pair(t, f.scale)
	return exact.Sum{Hi: hi, Lo: lo}
}

// sign returns the sign of f_own − f_other + t at a row, and an approximation: from the
// scores where rounding cannot have changed it, from sums in twice the precision, and from
// integers. t is an integer, nil for 0, and near the same scaled.
func (f *functions) sign(q pair, row, s, size []float64, near exact.Sum, t *big.Int) (sign int, value float64) {
	value = s[q.own] - s[q.other] + near.Hi
	abs := size[q.own] + size[q.other] + math.Abs(near.Hi)
	if math.Abs(value) > abs*float64(len(row)+8)*0x1p-52+tiny {
		return signOf(value), value
	}
	value = f.twice(q, row, near)
	bound := twiceError(abs, len(row))
	switch {
	case math.Abs(value) > bound:
		return signOf(value), value
	case math.Abs(value)+bound < math.Ldexp(1, f.scale): // the value of the integer 1
		return 0, 0
	}
	z := f.d.integers(row)
	total := exact.Dot(f.v[q.own], z)
	total.Sub(total, exact.Dot(f.v[q.other], z))
	if t != nil {
		total.Add(total, t)
	}
	return total.Sign(), value
}

// twice returns f_own − f_other + start at a row, summed in twice the working precision
// and rounded. (Ogita, Rump & Oishi, SIAM J. Sci. Comput. 26, 2005.)
func (f *functions) twice(q pair, row []float64, start exact.Sum) float64 {
	s := start
	for _, side := range [2]struct {
		class int
		sign  float64
	}{{q.own, 1}, {q.other, -1}} {
		hi, lo := f.hi[side.class], f.lo[side.class]
		if f.d.first == 1 {
			s.Add(side.sign*hi[0], side.sign*lo[0])
		}
		for j, v := range row {
			k := j + f.d.first
			s.AddProduct(side.sign*hi[k], side.sign*lo[k], v, -f.d.origin[j])
		}
	}
	return s.Value()
}
