package separation

import (
	"math"

	"halfspace/linalg"
)

// pending returns evidence of an overlap with multipliers that have no values yet.
func pending(active []pair) *Evidence {
	e := &Evidence{Kind: Overlap}
	for _, q := range active {
		e.Multipliers = append(e.Multipliers, Multiplier{Row: q.row, Class: q.own, Other: q.other})
	}
	return e
}

// overlap returns pending evidence where a combination of inequalities that is 0 with positive
// factors is near the given ones, whose vectors span all: the proof is in [Settle]. It is nil
// where the frame has other coordinates than the rows, or where integers would not be affordable.
func (h *hull) overlap(active []pair, factors []float64) *Evidence {
	m, dim := len(active), h.Len()-1
	if h.t != nil || m <= dim || !h.s.d.affordable(m) {
		return nil
	}
	at := make(map[int]int, len(h.s.rows))
	for k, i := range h.s.rows {
		at[i] = k
	}
	z, sum := linalg.Zeros(m, dim), make([]float64, dim)
	least, total := math.Inf(1), 0.0
	for i, q := range active {
		row := z.Row(i)
		h.difference(row, at[q.row], q)
		length := linalg.Norm(row)
		if !(length > 0x1p-500) { // so that nothing underflows that matters
			return nil
		}
		linalg.Scale(row, 1/length)
		linalg.Axpy(sum, factors[i], row)
		least, total = min(least, factors[i]), total+factors[i]
	}
	// A rounded row is within 4·2⁻⁵³ of one of a length near 1 along the exact one.
	const unit = 0x1p-52 // twice the error of an operation
	rest := linalg.Norm(sum) + unit*float64(m+8)*total
	errors := 2 * unit * float64(m) * float64(m+dim+20)
	gram := linalg.Zeros(dim, dim)
	linalg.MulTAdd(gram, 1, z, z)
	for j := range dim {
		gram.Set(j, j, gram.At(j, j)-2*errors)
	}
	if _, err := linalg.NewCholesky(gram); err != nil || !(rest < math.Sqrt(errors)*least) {
		return nil
	}
	return pending(active)
}

// affordable reports whether a decision could solve n equations in the rows' integers.
func (d *data) affordable(n int) bool {
	most := 0
	for j, extent := range d.extent {
		if extent > 0 {
			_, top := math.Frexp(extent)
			most = max(most, top-d.bit[j])
		}
	}
	return solving(float64(n), most) <= allowance
}
