package sample

import (
	"slices"

	"halfspace/linalg"
)

// Predictor maps a row to a label or a value.
type Predictor[T any] interface{ Predict(row []float64) T }

// PredictRows appends to dst the predictions of m for the rows of x, which must
// have p columns. Many rows are shared among all processors; where dst has room,
// few rows allocate nothing.
//
// Error: *[linalg.ShapeError].
func PredictRows[T any](dst []T, x *linalg.Dense, p int, m Predictor[T]) ([]T, error) {
	if err := x.Check(); err != nil {
		return dst, err
	}
	if x.Cols != p {
		return dst, &linalg.ShapeError{Want: p, WantOf: "features", Got: x.Cols, GotOf: "columns"}
	}
	from := len(dst)
	dst = slices.Grow(dst, x.Rows)[:from+x.Rows]
	if chunk := linalg.RowChunk(p); x.Rows > chunk {
		predictParts(dst[from:], x, chunk, m)
		return dst, nil
	}
	for i := range x.Rows {
		dst[from+i] = m.Predict(x.Row(i))
	}
	return dst, nil
}

// predictParts is apart because its closure would make the caller allocate.
func predictParts[T any](dst []T, x *linalg.Dense, chunk int, m Predictor[T]) {
	linalg.For(x.Rows, chunk, 0, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = m.Predict(x.Row(i))
		}
	})
}
