package exact

import (
	"math/big"
	"math/bits"
)

// prime is 2⁶¹ − 1, a prime of Mersenne: a product is reduced by shifts.
const prime = 1<<61 - 1

func addMod(a, b uint64) uint64 {
	if a += b; a >= prime {
		a -= prime
	}
	return a
}

func subMod(a, b uint64) uint64 {
	if a < b {
		a += prime
	}
	return a - b
}

func mulMod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return addMod(lo&prime, hi<<3|lo>>61)
}

// inverseMod returns 1/a, for a ≠ 0, as the power p − 2.
func inverseMod(a uint64) uint64 {
	r := uint64(1)
	for e := uint64(prime - 2); e > 0; e >>= 1 {
		if e&1 == 1 {
			r = mulMod(r, a)
		}
		a = mulMod(a, a)
	}
	return r
}

// residue returns z modulo the prime.
func residue(z *big.Int) uint64 {
	r := uint64(0)
	words := z.Bits()
	for i := len(words) - 1; i >= 0; i-- {
		w := uint64(words[i])
		if bits.UintSize == 64 {
			r = addMod(mulMod(r, 8), w>>61) // 2⁶⁴ = 8 modulo 2⁶¹ − 1
			w &= prime
			if w == prime {
				w = 0
			}
			r = addMod(r, w)
		} else {
			r = addMod(mulMod(r, 1<<32), w)
		}
	}
	if z.Sign() < 0 {
		r = subMod(0, r)
	}
	return r
}

// Span is the span of vectors of n integers, modulo a prime. Vectors that are independent
// there are so without it; that a vector depends on others modulo the prime is no proof,
// though chance has it wrong for one in 10¹⁸.
type Span struct {
	n      int
	rows   [][]uint64 // 1 at their pivot, 0 at the pivots of the rows before
	pivots []int
}

// NewSpan returns the span of no vector of length n.
func NewSpan(n int) *Span { return &Span{n: n} }

// Rank returns the number of independent vectors.
func (s *Span) Rank() int { return len(s.rows) }

// Pivots returns the coordinates that tell the independent vectors apart: the square
// matrix of these coordinates has full rank.
func (s *Span) Pivots() []int { return s.pivots }

// rest returns what the vectors of the span leave of v, and the first coordinate that is
// not 0, n where all are. O(n·rank).
func (s *Span) rest(v []*big.Int) (r []uint64, pivot int) {
	r = make([]uint64, s.n)
	for i, z := range v {
		r[i] = residue(z)
	}
	for k, row := range s.rows {
		f := r[s.pivots[k]]
		if f == 0 {
			continue
		}
		for i, a := range row {
			if a != 0 {
				r[i] = subMod(r[i], mulMod(f, a))
			}
		}
	}
	for pivot < s.n && r[pivot] == 0 {
		pivot++
	}
	return r, pivot
}

// Contains reports whether v is in the span.
func (s *Span) Contains(v []*big.Int) bool {
	_, pivot := s.rest(v)
	return pivot == s.n
}

// Add adds v and reports whether it is independent of the vectors before.
func (s *Span) Add(v []*big.Int) bool {
	r, pivot := s.rest(v)
	if pivot == s.n {
		return false
	}
	f := inverseMod(r[pivot])
	for i, a := range r {
		r[i] = mulMod(a, f)
	}
	s.rows, s.pivots = append(s.rows, r), append(s.pivots, pivot)
	return true
}
