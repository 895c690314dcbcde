package sample

import (
	"errors"
	"slices"

	"halfspace/linalg"
)

// Predictor maps a row to a label or a value.
type Predictor[T any] interface{ Predict(row []float64) T }

// SparsePredictor is a predictor of sparse rows, of which the columns of the stored values are
// given, ascending.
type SparsePredictor[T any] interface {
	PredictSparse(index []int32, value []float64) T
}

// PredictRows appends to dst the predictions of m for the rows of x, which must
// have p columns. Many rows are shared among all processors; where dst has room,
// few dense rows allocate nothing.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], and those of the storage.
func PredictRows[T any](dst []T, x linalg.Rows, p int, m Predictor[T]) ([]T, error) {
	if a, ok := x.(*linalg.Dense); ok && a.Check() == nil && a.Cols == p && a.Rows <= linalg.RowChunk(p) {
		if err := a.CheckFinite(); err != nil {
			return dst, err
		}
		for i := range a.Rows {
			dst = append(dst, m.Predict(a.Row(i)))
		}
		return dst, nil
	}
	sparse, _ := m.(SparsePredictor[T])
	return PredictBlocks(dst, x, p, p, sparse, func() func([]T, *linalg.Dense) {
		return func(out []T, rows *linalg.Dense) {
			for i := range out {
				out[i] = m.Predict(rows.Row(i))
			}
		}
	})
}

// predictBlock is how many rows are predicted at a time: long runs of rows are read
// faster.
const predictBlock = 2 * linalg.BlockRows

// copiedValues is how many values of sparse rows are copied to dense ones at a time.
const copiedValues = 1 << 17

// PredictBlocks appends to dst the predictions for the rows of x, which must have p
// columns, made for blocks of at most 256 rows. fresh makes the body of one goroutine,
// which sets out to the predictions of its rows; width is how many values a row's
// prediction works on. Sparse rows are predicted by sparse, without a dense copy; where it is
// nil, by dense copies of few of them at a time.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], and those of the storage.
func PredictBlocks[T any](dst []T, x linalg.Rows, p, width int, sparse SparsePredictor[T], fresh func() func(out []T, rows *linalg.Dense)) ([]T, error) {
	n, cols := 0, 0
	if a, ok := x.(*linalg.Dense); ok {
		if err := a.Check(); err != nil {
			return dst, err
		}
	}
	if x != nil {
		n, cols = x.Dims()
	}
	if cols != p {
		return dst, &linalg.ShapeError{Want: p, WantOf: "features", Got: cols, GotOf: "columns"}
	}
	from := len(dst)
	dst = slices.Grow(dst, n)[:from+n]
	out, piece := dst[from:], max(predictBlock, linalg.RowChunk(width)/predictBlock*predictBlock)
	errs := make([]error, (n+piece-1)/piece)
	linalg.For(n, piece, 0, func(lo, hi int) { errs[lo/piece] = predictPiece(out, x, lo, hi, sparse, fresh()) })
	for _, err := range errs {
		if err != nil {
			return dst[:from], err
		}
	}
	return dst, nil
}

// predictPiece predicts rows lo ≤ i < hi.
func predictPiece[T any](out []T, x linalg.Rows, lo, hi int, sparse SparsePredictor[T], predict func(out []T, rows *linalg.Dense)) error {
	if a, ok := x.(*linalg.Dense); ok {
		for ; lo < hi; lo += predictBlock {
			end := min(lo+predictBlock, hi)
			if err := predictFinite(out[lo:end], a.RowRange(lo, end), lo, predict); err != nil {
				return err
			}
		}
		return nil
	}
	return linalg.Pass(x, lo, hi, func(b *linalg.Block) error {
		step := predictBlock
		if b.CSR != nil && sparse != nil {
			for i := range b.Len() {
				out[b.At+i] = sparse.PredictSparse(b.CSR.Row(i))
			}
			return nil
		} else if b.CSR != nil {
			_, p := b.Dims()
			step = min(step, 1+copiedValues/p)
		}
		for at := 0; at < b.Len(); at += step {
			end := min(at+step, b.Len())
			part := b.Range(at, end)
			if err := predictFinite(out[part.At:part.At+end-at], part.AsDense(), part.At, predict); err != nil {
				return err
			}
		}
		return nil
	})
}

// predictFinite predicts rows that begin at row at of the data, unless a cell of them
// is not finite: such a row has no class and no value.
func predictFinite[T any](out []T, rows *linalg.Dense, at int, predict func(out []T, rows *linalg.Dense)) error {
	if err := rows.CheckFinite(); err != nil {
		if cell := (*linalg.NonFiniteError)(nil); errors.As(err, &cell) {
			cell.Row += at
		}
		return err
	}
	predict(out, rows)
	return nil
}
