package sample

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/internal/kernel"
)

// Bounds of the numbers of a fit. The squares of numbers between least and most,
// and sums of them over any number of rows, neither overflow nor underflow; nor do
// their products with weights as long as these stay between leastProduct and
// mostProduct, as with weights between 2⁻⁶⁰ and 2⁶⁰ they do.
const (
	least, most               = 0x1p-450, 0x1p450
	leastProduct, mostProduct = 0x1p-960, 0x1p960
	plainLeast, plainMost     = 0x1p-60, 0x1p60
)

// Range checks that the cells of x, the responses y and the weights w are 0 or
// between 2⁻⁴⁵⁰ and 2⁴⁵⁰ in size, and a weight times the square of a number of its
// row 0 or between 2⁻⁹⁶⁰ and 2⁹⁶⁰, so that nothing behind it need guard against
// overflow. The numbers of a row of weight 0 need only be finite. Nil y and w are
// left out; lengths are the caller's to check. O(np), on the calling goroutine. A
// fit that passes over the rows anyway asks [InRange] on the way and calls Range
// where something is not.
//
// Errors: *[linalg.NonFiniteError] and *[linalg.RangeError], which name x, y or
// weights, row and column.
func Range(x linalg.Rows, y, w []float64) error {
	for i, v := range w {
		if err := number(v, 1, "weights", i, -1); err != nil {
			return err
		}
	}
	n, _ := x.Dims()
	plain := PlainWeights(w)
	err := linalg.Pass(x, 0, n, func(b *linalg.Block) error {
		if plain && BlockInRange(b) {
			return nil
		}
		for k := range b.Len() {
			i := b.At + k
			columns, values := b.Row(k)
			for j, v := range values {
				if columns != nil {
					j = int(columns[j])
				}
				if err := number(v, WeightAt(w, i), "x", i, j); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return Vector("y", y, w)
}

// Offsets checks k offsets for each of n rows, or none: they are finite and at most 2⁴⁵⁰ in size.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.RangeError].
func Offsets(offset []float64, n, k int) error {
	if offset != nil && len(offset) != n*k {
		return &linalg.ShapeError{Want: n * k, WantOf: "offsets", Got: len(offset), GotOf: "given"}
	}
	for i, v := range offset {
		switch {
		case v-v != 0:
			return &linalg.NonFiniteError{What: "offset", Row: i / k, Col: -1, Value: v}
		case math.Abs(v) > most:
			return &linalg.RangeError{What: "offset", Row: i / k, Value: v}
		}
	}
	return nil
}

// Vector is [Range] for numbers by row that errors are to name so. O(n).
func Vector(name string, v, w []float64) error {
	for i, x := range v {
		if err := number(x, WeightAt(w, i), name, i, -1); err != nil {
			return err
		}
	}
	return nil
}

// BlockInRange is [InRange] of a block of rows.
func BlockInRange(b *linalg.Block) bool { return b.InRange(least, most) }

// InRange reports whether all numbers are 0 or between 2⁻⁴⁵⁰ and 2⁴⁵⁰ in size.
func InRange(v []float64) bool { return kernel.InRange(v, least, most) }

// PlainWeights reports whether all weights are 0 or between 2⁻⁶⁰ and 2⁶⁰, so that
// for rows of them [InRange] is all that [Range] asks.
func PlainWeights(w []float64) bool { return kernel.InRange(w, plainLeast, plainMost) }

// number returns the error for a number of a row of weight w, which stands in
// column col, or in a vector where col is −1.
func number(v, w float64, what string, row, col int) error {
	a := math.Abs(v)
	p := w * a * a
	switch {
	case v-v != 0:
		return &linalg.NonFiniteError{What: what, Row: row, Col: col, Value: v}
	case v == 0 || w == 0 || least <= a && a <= most && leastProduct <= p && p <= mostProduct:
		return nil
	}
	return &linalg.RangeError{What: what, Row: row, Column: max(0, col), Value: v}
}
