package linalg

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// CSR is an n×p matrix of which some values are stored, row by row, and all others are
// 0: row i holds the columns index[start[i]:start[i+1]], ascending, and their values.
// A stored value takes 12 bytes. It is made by [NewCSR], which checks it, and implements
// [Rows] and [Indexed]; nothing that reads it makes a dense copy of it.
type CSR struct {
	n, p  int
	start []int // n+1 of them; those of a window need not begin at 0
	index []int32
	value []float64
}

// NewCSR returns the n×p matrix whose row i has the columns index[start[i]:start[i+1]],
// counted from 0 and ascending, with the values at the same places. The slices are kept,
// not copied. A stored value may be 0. O(n + stored values).
//
// Errors: *[ShapeError] for lengths that do not fit and for columns that are out of
// range, out of order or there twice, each with its row, *[NonFiniteError].
func NewCSR(n, p int, start []int, index []int32, value []float64) (*CSR, error) {
	switch {
	case n <= 0:
		return nil, &ShapeError{1, "row needed", n, "rows"}
	case p <= 0:
		return nil, &ShapeError{1, "column needed", p, "columns"}
	case p > math.MaxInt32:
		return nil, &ShapeError{math.MaxInt32, "columns at most", p, "columns"}
	case len(start) != n+1:
		return nil, &ShapeError{n + 1, fmt.Sprintf("starts of %d rows and an end", n), len(start), "given"}
	case len(index) != len(value):
		return nil, &ShapeError{len(value), "values", len(index), "columns of them"}
	case start[0] != 0:
		return nil, &ShapeError{0, "is where row 0 starts", start[0], "given"}
	case start[n] != len(value):
		return nil, &ShapeError{len(value), "values", start[n], "is where the last row ends"}
	}
	a := &CSR{n: n, p: p, start: start, index: index, value: value}
	for i := range n {
		if err := a.checkRow(i); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// checkRow refuses columns that are not ascending or out of range, and values that are
// not finite.
func (a *CSR) checkRow(i int) error {
	lo, hi := a.start[i], a.start[i+1]
	if hi < lo || hi > len(a.value) {
		return &ShapeError{lo, fmt.Sprintf("is where row %d starts", i), hi, "where it ends"}
	}
	index, value := a.index[lo:hi], a.value[lo:hi]
	last := int32(-1)
	for k, j := range index {
		switch {
		case j < 0 || int(j) >= a.p:
			return &ShapeError{a.p, "columns", int(j), fmt.Sprintf("is a column of row %d", i)}
		case j <= last:
			return &ShapeError{int(last) + 1, fmt.Sprintf("is the least next column of row %d", i), int(j), "given"}
		}
		if v := value[k]; v-v != 0 {
			return &NonFiniteError{"x", i, int(j), v}
		}
		last = j
	}
	return nil
}

// Dims returns the number of rows and columns, 0 and 0 of a nil matrix.
func (a *CSR) Dims() (n, p int) {
	if a == nil {
		return 0, 0
	}
	return a.n, a.p
}

// Stored returns the number of stored values.
func (a *CSR) Stored() int {
	if a.n == 0 {
		return 0
	}
	return a.start[a.n] - a.start[0]
}

// Row returns the columns of row i, ascending, and their values: not copies.
func (a *CSR) Row(i int) (index []int32, value []float64) {
	lo, hi := a.start[i], a.start[i+1]
	return a.index[lo:hi:hi], a.value[lo:hi:hi]
}

// At returns element (i, j), by a search of the row.
func (a *CSR) At(i, j int) float64 {
	index, value := a.Row(i)
	if k := sort.Search(len(index), func(k int) bool { return int(index[k]) >= j }); k < len(index) && int(index[k]) == j {
		return value[k]
	}
	return 0
}

// RowRange returns rows lo ≤ i < hi as a window on a.
func (a *CSR) RowRange(lo, hi int) *CSR {
	return &CSR{hi - lo, a.p, a.start[lo : hi+1], a.index, a.value}
}

// Pass calls visit with windows of [BlockRows] rows: nothing is copied.
func (a *CSR) Pass(lo, hi int, visit func(*Block) error) error {
	var window CSR
	b := &Block{CSR: &window}
	for ; lo < hi; lo += BlockRows {
		end := min(lo+BlockRows, hi)
		window = CSR{end - lo, a.p, a.start[lo : end+1], a.index, a.value}
		b.At = lo
		if err := visit(b); err != nil {
			return err
		}
	}
	return nil
}

// Dot returns Σⱼ xᵢⱼbⱼ of row i, for b of p values. O(stored values of the row). One that stores all of
// them is a dense row.
func (a *CSR) Dot(i int, b []float64) float64 {
	index, value := a.Row(i)
	if len(value) == a.p {
		return Dot(b, value)
	}
	return DotAt(b, index, value)
}

// AddRow adds alpha times row i to dst (p values). O(stored values of the row).
func (a *CSR) AddRow(dst []float64, i int, alpha float64) {
	index, value := a.Row(i)
	if len(value) == a.p {
		Axpy(dst, alpha, value)
		return
	}
	AxpyAt(dst, alpha, index, value)
}

// DotAt returns Σ valueₖ·b[indexₖ]: the product of a sparse row with a vector. It panics
// for an index outside b.
func DotAt(b []float64, index []int32, value []float64) float64 {
	value = value[:len(index)]
	s, t := 0.0, 0.0
	for len(index) >= 4 && len(value) >= 4 {
		s += value[0]*b[uint32(index[0])] + value[2]*b[uint32(index[2])]
		t += value[1]*b[uint32(index[1])] + value[3]*b[uint32(index[3])]
		index, value = index[4:], value[4:]
	}
	for k, j := range index {
		s += value[k] * b[uint32(j)]
	}
	return s + t
}

// AxpyAt adds alpha·valueₖ to dst[indexₖ]: a multiple of a sparse row. It panics for an
// index outside dst.
func AxpyAt(dst []float64, alpha float64, index []int32, value []float64) {
	value = value[:len(index)]
	for k, j := range index {
		dst[uint32(j)] += alpha * value[k]
	}
}

// Take returns a copy of the rows named, in their order.
func (a *CSR) Take(rows []int) *CSR { return a.TakeTo(new(CSR), rows, 1) }

// TakeTo makes t, whose room it uses again, a copy of the rows named, in their order, on workers
// goroutines, and returns it.
func (a *CSR) TakeTo(t *CSR, rows []int, workers int) *CSR {
	t.n, t.p, t.start = len(rows), a.p, append(t.start[:0], 0)
	stored := 0
	for _, i := range rows {
		stored += a.start[i+1] - a.start[i]
		t.start = append(t.start, stored)
	}
	t.index, t.value = slices.Grow(t.index[:0], stored)[:stored], slices.Grow(t.value[:0], stored)[:stored]
	For(len(rows), takeRows, workers, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			index, value := a.Row(rows[k])
			copy(t.index[t.start[k]:], index)
			copy(t.value[t.start[k]:], value)
		}
	})
	return t
}

// takeRows is the number of rows that are a piece of the work of a copy.
const takeRows = 512

// Entries is [CSR.Row], with columns that are never nil.
func (a *CSR) Entries(i int) (columns []int32, values []float64) {
	if columns, values = a.Row(i); columns == nil {
		columns = []int32{}
	}
	return columns, values
}

// Select is [CSR.Take].
func (a *CSR) Select(rows []int) Table { return a.Take(rows) }

// append adds a row.
func (a *CSR) append(index []int32, value []float64) {
	a.index, a.value = append(a.index, index...), append(a.value, value...)
	a.start = append(a.start, len(a.value))
	a.n++
}

// AffineAt returns level + b·(x − c) of a sparse row x about an origin c that is 0 but in the
// columns of far, ascending. It panics for an index outside b.
func AffineAt(level float64, b, origin []float64, far []int32, index []int32, value []float64) float64 {
	k := 0
	for _, j := range far {
		for ; k < len(index) && index[k] < j; k++ {
			level += b[index[k]] * value[k]
		}
		x := 0.0
		if k < len(index) && index[k] == j {
			x = value[k]
			k++
		}
		level += b[j] * (x - origin[j])
	}
	return level + DotAt(b, index[k:], value[k:])
}

// Beside returns the rows of left, which may be nil, with those of a behind them: as many rows
// of more columns.
//
// Error: *[ShapeError] for other numbers of rows.
func Beside(left *Dense, a *CSR) (*CSR, error) {
	if left == nil {
		return a, nil
	}
	if left.Rows != a.n {
		return nil, &ShapeError{left.Rows, "rows", a.n, "rows beside them"}
	}
	start, index, value := []int{0}, []int32(nil), []float64(nil)
	for i := range a.n {
		for j, v := range left.Row(i) {
			if v != 0 {
				index, value = append(index, int32(j)), append(value, v)
			}
		}
		columns, values := a.Row(i)
		for k, j := range columns {
			index, value = append(index, j+int32(left.Cols)), append(value, values[k])
		}
		start = append(start, len(value))
	}
	return NewCSR(a.n, left.Cols+a.p, start, index, value)
}

// WithColumn returns a copy with one more column, the last, of the given values.
func (a *CSR) WithColumn(v []float64) *CSR {
	mustLen("WithColumn", a.n, len(v))
	t := &CSR{p: a.p, start: []int{0}}
	for i, x := range v {
		index, value := a.Row(i)
		t.append(append(slices.Clone(index), int32(a.p)), append(slices.Clone(value), x))
	}
	t.p++
	return t
}

// Transposed returns the p×n transpose, a copy by columns, on workers goroutines. O(n + p + stored
// values), and p counts a goroutine.
func (a *CSR) Transposed(workers int) *CSR { return a.TransposedTo(a.n, nil, workers) }

// TransposedTo is [CSR.Transposed] with n columns, of which row i is number place[i], or none where
// that is negative. The places ascend; nil is one after the other.
func (a *CSR) TransposedTo(n int, place []int, workers int) *CSR {
	stored := a.Stored()
	pieces := Workers(workers, 1+stored/(1<<16+4*a.p))
	bounds := make([]int, pieces+1) // rows of about the same number of values
	for k := range bounds {
		bounds[k] = sort.Search(a.n, func(i int) bool { return int64(a.start[i]-a.start[0]) >= int64(k)*int64(stored)/int64(pieces) })
	}
	bounds[pieces] = a.n
	count := make([][]int32, pieces)
	For(pieces, 1, workers, func(k, _ int) {
		c := make([]int32, a.p)
		for i := bounds[k]; i < bounds[k+1]; i++ {
			if place != nil && place[i] < 0 {
				continue
			}
			for _, j := range a.index[a.start[i]:a.start[i+1]] {
				c[j]++
			}
		}
		count[k] = c
	})
	t := &CSR{n: a.p, p: n, start: make([]int, a.p+1)}
	at := 0
	for j := range a.p {
		t.start[j] = at
		for _, c := range count {
			m := int(c[j])
			c[j] = int32(at - t.start[j])
			at += m
		}
	}
	t.start[a.p], t.index, t.value = at, Room[int32](at), Room[float64](at)
	For(pieces, 1, workers, func(k, _ int) { a.scatter(t, place, count[k], bounds[k], bounds[k+1]) })
	return t
}

// scatter writes rows lo ≤ i < hi into the transpose t, in which column j goes on at next[j] behind
// its start.
func (a *CSR) scatter(t *CSR, place []int, next []int32, lo, hi int) {
	for i := lo; i < hi; i++ {
		column := i
		if place != nil {
			column = place[i]
		}
		if column < 0 {
			continue
		}
		index, value := a.Row(i)
		for k, j := range index {
			to := t.start[j] + int(next[j])
			next[j]++
			t.index[to], t.value[to] = int32(column), value[k]
		}
	}
}

// AppendRow appends a row of p values, of which those of the columns index are given and the others are 0. It panics for a
// column outside.
func AppendRow(dst []float64, p int, index []int32, value []float64) []float64 {
	at := len(dst)
	dst = append(dst, make([]float64, p)...)
	for k, j := range index {
		dst[at:][j] = value[k]
	}
	return dst
}
