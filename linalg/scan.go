package linalg

import "math"

// columnScan is a summary of the columns, from one pass over the rows.
type columnScan struct {
	total float64   // Σwᵢ
	size  []float64 // largest |xᵢⱼ| over the rows of positive weight
	sum   []float64 // Σ wᵢ(xᵢⱼ − cⱼ), where there is a c
	bad   bool      // some x is not finite
}

// scanColumns reads x once. A nil w is all ones; with a nil c there are no sums.
//
// Errors: *[NonFiniteError], *[WeightError].
func scanColumns(x *Dense, w, c []float64, workers int) (*columnScan, error) {
	if err := CheckWeights(w); err != nil {
		return nil, err
	}
	all := newColumnScan(x.Cols)
	Reduce(x.Rows, RowChunk(x.Cols), workers,
		func() *columnScan { return newColumnScan(x.Cols) },
		func(s *columnScan, lo, hi int) { s.rows(x, w, c, lo, hi) },
		all.merge)
	if all.bad {
		return nil, x.CheckFinite()
	}
	return all, nil
}

func newColumnScan(p int) *columnScan {
	return &columnScan{size: make([]float64, p), sum: make([]float64, p)}
}

func (s *columnScan) rows(x *Dense, w, c []float64, lo, hi int) {
	s.total, s.bad = 0, false
	clear(s.size)
	clear(s.sum)
	for i := lo; i < hi; i++ {
		row, wi := x.Row(i), 1.0
		if w != nil {
			wi = w[i]
		}
		if wi == 0 {
			s.bad = s.bad || !allFinite(row)
			continue
		}
		s.total += wi
		size := s.size[:len(row)]
		for j, v := range row {
			// True for a NaN as well: the rare branch sees every value that is not finite.
			if a := math.Abs(v); !(a <= size[j]) {
				size[j] = a
				s.bad = s.bad || a-a != 0
			}
		}
		if c != nil {
			sum, c := s.sum[:len(row)], c[:len(row)]
			for j, v := range row {
				sum[j] += wi * (v - c[j])
			}
		}
	}
}

// merge adds the scan of other rows.
func (s *columnScan) merge(o *columnScan) {
	s.total += o.total
	s.bad = s.bad || o.bad
	Axpy(s.sum, 1, o.sum)
	for j, v := range o.size {
		s.size[j] = max(s.size[j], v)
	}
}
