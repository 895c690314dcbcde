package separation

import (
	"math"
	"math/big"
	"slices"

	"halfspace/linalg"
)

// Coincident returns evidence, of kind Undecided, of two rows of different classes that store
// the same values: such classes are not separated completely. It is for tables of so many
// columns that [Decide] cannot solve the systems of most of its decisions: nil for smaller
// ones, and where no such rows are. x is the rows of p in memory. One pass over their values,
// and O(n) memory.
func Coincident(p *Problem, x linalg.Table) *Evidence {
	n, columns := x.Dims()
	if solving(float64((p.Classes-1)*min(n, columns)), 0) <= allowance {
		return nil
	}
	first := make(map[uint64]int, len(p.Code))
	for i, own := range p.Code {
		if own < 0 {
			continue
		}
		index, values := x.Entries(i)
		h := hash(index, values)
		k, known := first[h]
		if !known {
			first[h] = i
			continue
		}
		other := p.Code[k]
		if c, v := x.Entries(k); other != own && slices.Equal(c, index) && slices.Equal(v, values) {
			return &Evidence{Multipliers: []Multiplier{{k, other, own, NewInteger(big.NewInt(1))}, {i, own, other, NewInteger(big.NewInt(1))}}}
		}
	}
	return nil
}

// hash returns the same number for the same row (FNV-1a, by words).
func hash(columns []int32, values []float64) uint64 {
	const basis, factor = 0xcbf29ce484222325, 0x100000001b3
	h := uint64(basis)
	for _, j := range columns {
		h = (h ^ uint64(j)) * factor
	}
	for _, v := range values {
		b := math.Float64bits(v)
		h = (h ^ b ^ b>>32) * factor
	}
	return h
}
