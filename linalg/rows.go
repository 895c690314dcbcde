package linalg

import (
	"errors"
	"fmt"

	"halfspace/linalg/internal/kernel"
)

// Rows is a matrix that is read in passes over its rows: all that an iterative
// fit needs of its data. [*Dense] and [*CSR] are two; a user's own storage is another. Dims are the
// same at each call, and the blocks of a pass have p columns.
//
// Pass calls visit with consecutive blocks that together are the rows lo ≤ i < hi,
// in order. A block, and the matrix in it, are valid during the call alone. An
// error of visit ends the pass and is returned as it is; so is one of the
// storage. Passes over different rows may run at the same time. Readers call [Pass],
// which checks the blocks.
//
// The bits of a fit depend on where blocks begin, so a storage should cut the same
// rows in the same way each time. Blocks of some hundred rows stay in the cache
// from their scores to their part of a Hessian.
type Rows interface {
	Dims() (n, p int)
	Pass(lo, hi int, visit func(*Block) error) error
}

// BlockRows is how many rows the blocks of a [*Dense] and a [*CSR] have.
const BlockRows = 128

// Indexed is implemented by rows that can be read one by one at no cost beyond their
// values, for methods that go row by row: [*Dense] and [*CSR].
type Indexed interface {
	Dot(i int, b []float64) float64             // Σⱼ xᵢⱼbⱼ
	AddRow(dst []float64, i int, alpha float64) // dst += alpha·xᵢ
}

// Block is some consecutive rows of a matrix, the first of which is row At: dense or
// sparse, one of the two is set. Its methods are the operations of fits on a block X of
// m rows and p columns; they run on the calling goroutine. For a sparse block "mp" in
// their costs is the number of stored values. Another kind of storage becomes one more
// field, and one more case of each method.
type Block struct {
	At    int
	Dense *Dense
	CSR   *CSR
}

// Dims returns the numbers of rows and columns.
//
//go:noinline // programs would have sixteen copies
func (b *Block) Dims() (m, p int) {
	if b.CSR != nil {
		return b.CSR.Dims()
	}
	return b.Dense.Dims()
}

// Len returns the number of rows.
func (b *Block) Len() int {
	m, _ := b.Dims()
	return m
}

// Row returns the values of row i that are stored and their columns; nil columns are all
// of them. They are not copies.
func (b *Block) Row(i int) (columns []int32, values []float64) {
	if b.CSR != nil {
		return b.CSR.Entries(i)
	}
	return b.Dense.Entries(i)
}

// Cell returns element (i, j) of the block.
func (b *Block) Cell(i, j int) float64 {
	if b.CSR != nil {
		return b.CSR.At(i, j)
	}
	return b.Dense.At(i, j)
}

// AddRow adds alpha times row i to dst (p values).
func (b *Block) AddRow(dst []float64, i int, alpha float64) {
	if b.CSR != nil {
		b.CSR.AddRow(dst, i, alpha)
		return
	}
	b.Dense.AddRow(dst, i, alpha)
}

// MulVec sets dst (m values) to X·beta. O(mp).
func (b *Block) MulVec(dst, beta []float64) {
	if b.CSR != nil {
		b.CSR.mulVec(dst, beta)
		return
	}
	MulVec(dst, b.Dense, beta, 1)
}

// AddScores adds X·Bᵀ to dst (m×K) for K functions whose coefficients are the rows of coef
// (K×p). O(mpK).
func (b *Block) AddScores(dst, coef *Dense) {
	switch {
	case b.CSR != nil:
		b.CSR.addScores(dst, coef)
	case oneByOne(b.Dense, coef.Rows):
		addScores(dst, b.Dense, coef)
	default:
		MulBTAdd(dst, 1, b.Dense, coef)
	}
}

// AddScoresByColumn adds X·B to dst (m×K) for coefficients by column (p×K): those of a column
// lie side by side, as sparse rows want them. O(mpK).
func (b *Block) AddScoresByColumn(dst, coef *Dense) {
	if b.CSR != nil {
		b.CSR.addScoresByColumn(dst, coef)
		return
	}
	MulAdd(dst, 1, b.Dense, coef)
}

// AddTVec adds Xᵀr to dst (p values). O(mp).
func (b *Block) AddTVec(dst, r []float64) {
	if b.CSR != nil {
		b.CSR.addTVec(dst, r)
		return
	}
	MulTVecAdd(dst, b.Dense, r)
}

// AddBack adds RᵀX to dst (K×p) for the residuals R (m×K) of K functions. O(mpK).
func (b *Block) AddBack(dst, r *Dense) {
	if b.CSR != nil {
		b.CSR.addBack(dst, r)
		return
	}
	if oneByOne(b.Dense, r.Cols) {
		addBack(dst, b.Dense, r)
		return
	}
	MulTAdd(dst, 1, r, b.Dense)
}

// AddBackByColumn adds XᵀR to dst (p×K): the transpose of AddBack, with the K sums of a
// column side by side, as sparse rows want them. O(mpK).
func (b *Block) AddBackByColumn(dst, r *Dense) {
	if b.CSR != nil {
		b.CSR.addBackByColumn(dst, r)
		return
	}
	MulTAdd(dst, 1, b.Dense, r)
}

// AddSquares adds Σ vᵢₖxᵢⱼ² to dst (p×K) for the weights v (m×K). O(mpK).
func (b *Block) AddSquares(dst, v *Dense) {
	one := v.Cols == 1 && dst.Stride == 1
	if b.CSR != nil && one && v.Stride == 1 {
		b.CSR.addSquares(dst.Data, v.Data)
		return
	}
	for i := range v.Rows {
		columns, values := b.Row(i)
		if columns == nil && one {
			w, sums := v.Data[i*v.Stride], dst.Data[:len(values)]
			for j, x := range values {
				sums[j] += w * x * x
			}
			continue
		}
		for j, x := range values {
			if columns != nil {
				j = int(columns[j])
			}
			if x == 0 {
				continue
			}
			sums := dst.Row(j)
			for k, w := range v.Row(i) { // few: a call for them would cost as much again
				sums[k] += x * x * w
			}
		}
	}
}

// AddGram adds Σ vᵢxᵢxᵢᵀ to the lower triangle of dst (p×p), as [Syrk] does. O(mp²).
func (b *Block) AddGram(dst *Dense, v []float64) {
	if b.CSR != nil {
		b.CSR.addGram(dst, v)
		return
	}
	Syrk(dst, b.Dense, nil, v)
}

// AddAbs adds Σ wᵢ|xᵢⱼ| to dst; nil weights are all ones. O(mp).
func (b *Block) AddAbs(dst, w []float64) {
	switch {
	case b.CSR != nil:
		b.CSR.addAbs(dst, w)
		return
	case w == nil:
		mustLen("Block.AddAbs", b.Dense.Cols, len(dst))
		kernel.AddAbs(dst, b.Dense.Data, b.Dense.Stride, b.Dense.Rows)
		return
	}
	for i, wi := range w {
		for j, v := range b.Dense.Row(i)[:len(dst)] {
			if v < 0 {
				v = -v
			}
			dst[j] += wi * v
		}
	}
}

// Range returns rows lo ≤ i < hi of the block as a block.
func (b *Block) Range(lo, hi int) Block {
	if b.CSR != nil {
		return Block{At: b.At + lo, CSR: b.CSR.RowRange(lo, hi)}
	}
	return Block{At: b.At + lo, Dense: b.Dense.RowRange(lo, hi)}
}

// Every returns every step-th row of the block from row first on, as a window on the same
// values where they are dense, else as a copy.
func (b *Block) Every(first, step int) Block {
	if b.CSR != nil {
		return Block{At: b.At + first, CSR: b.CSR.every(first, step)}
	}
	x := b.Dense
	if first >= x.Rows {
		return Block{At: b.At + first, Dense: x.RowRange(0, 0)}
	}
	rows := (x.Rows - first + step - 1) / step
	return Block{At: b.At + first, Dense: &Dense{Rows: rows, Cols: x.Cols, Stride: x.Stride * step, Data: x.Data[first*x.Stride:]}}
}

// InRange reports whether all values are 0 or between least and most in size.
func (b *Block) InRange(least, most float64) bool {
	if b.CSR != nil {
		return kernel.InRange(b.CSR.stored(), least, most)
	}
	if d := b.Dense; d.Stride == d.Cols { // rows without gaps are one
		return kernel.InRange(d.Data[:d.Rows*d.Cols], least, most)
	}
	for i := range b.Dense.Rows {
		if !kernel.InRange(b.Dense.Row(i), least, most) {
			return false
		}
	}
	return true
}

// AsDense returns the rows of the block as a matrix, for methods that take nothing else: a
// window where they are dense, else a copy.
func (b *Block) AsDense() *Dense {
	if b.CSR != nil {
		return b.CSR.toDense()
	}
	return b.Dense
}

// CopyRow sets dst (p values) to row i of the block.
func (b *Block) CopyRow(dst []float64, i int) {
	if b.CSR != nil {
		b.CSR.copyRow(dst, i)
		return
	}
	copy(dst, b.Dense.Row(i))
}

// Pass calls visit with windows of [BlockRows] rows: nothing is copied.
func (a *Dense) Pass(lo, hi int, visit func(*Block) error) error {
	var window Dense
	b := &Block{Dense: &window}
	for ; lo < hi; lo += BlockRows {
		end := min(lo+BlockRows, hi)
		window = Dense{Rows: end - lo, Cols: a.Cols, Stride: a.Stride, Data: a.Data[lo*a.Stride : (end-1)*a.Stride+a.Cols]}
		b.At = lo
		if err := visit(b); err != nil {
			return err
		}
	}
	return nil
}

// CopyColumn sets dst[0], dst[stride], … to the values of column j.
func (b *Block) CopyColumn(dst []float64, stride, j int) {
	if b.CSR != nil {
		b.CSR.copyColumn(dst, stride, j)
		return
	}
	x := b.Dense
	for i := range x.Rows {
		dst[i*stride] = x.Data[i*x.Stride+j]
	}
}

// CopyTransposed sets dst (c×m) to the transpose of the m rows from row on and the c
// columns from col on. O(mc).
func (b *Block) CopyTransposed(dst *Dense, row, col int) {
	if b.CSR != nil {
		b.CSR.copyTransposed(dst, row, col)
		return
	}
	x := b.Dense
	Transpose(dst, &Dense{Rows: dst.Cols, Cols: dst.Rows, Stride: x.Stride, Data: x.Data[row*x.Stride+col:]})
}

// Pass is x.Pass, and finds out where a storage does not do what [Rows] asks of it: rows
// that are left out, in another order, or of another length would be lost in sums.
//
// Errors: *[ShapeError] for such blocks, those of the storage and of visit.
func Pass(x Rows, lo, hi int, visit func(*Block) error) error {
	switch a := x.(type) {
	case *Dense:
		return a.Pass(lo, hi, visit)
	case *CSR:
		return a.Pass(lo, hi, visit)
	}
	_, p := x.Dims()
	next := lo
	err := x.Pass(lo, hi, func(b *Block) error {
		m, cols := b.Dims()
		switch {
		case b.At != next:
			return &ShapeError{Want: next, WantOf: "is the next row of a pass", Got: b.At, GotOf: "that of a block"}
		case next+m > hi:
			return &ShapeError{Want: hi, WantOf: "is the end of a pass", Got: next + m, GotOf: "that of a block"}
		case cols != p:
			return &ShapeError{Want: p, WantOf: "columns", Got: cols, GotOf: "in a block"}
		}
		next += m
		return visit(b)
	})
	if err == nil && next != hi {
		return &ShapeError{Want: hi, WantOf: "is the end of a pass", Got: next, GotOf: "that of its last block"}
	}
	return err
}

// maxCopy is the largest copy of rows that is made, in bytes: 4 GB.
const maxCopy = 1 << 32

// Remote is implemented by rows that are not in memory because there are too many of them:
// copies of them have at most so many bytes.
type Remote interface{ MaxCopy() float64 }

// Sampled is implemented by rows of which every step-th can be read at less than the cost of
// all: passes over them are those over the rows that it returns.
type Sampled interface{ Every(step int) Rows }

// ErrRemote is wrapped, beside a *[SizeError], by the errors of copies of [Remote] rows.
var ErrRemote = errors.New("the rows are not in memory, and the method needs a copy of them")

// CheckCopy returns a *[SizeError] for a copy of n×p values of the rows of x that has more
// bytes than x allows, of rows in memory 4 GB or what there are addresses for.
func CheckCopy(x Rows, n, p int) error {
	const most = min(maxCopy, 8*maxElements)
	limit := float64(most)
	if r, ok := x.(Remote); ok {
		limit = min(limit, r.MaxCopy())
	}
	need := 8 * float64(n) * float64(p)
	if need <= limit {
		return nil
	}
	err := &SizeError{Rows: n, Cols: p, Bytes: need, Limit: limit}
	if limit < most {
		return fmt.Errorf("%w: %w", ErrRemote, err)
	}
	return err
}

// TooLarge reports whether an error is one of [CheckCopy].
//
//go:noinline // a program would have a copy for each caller
func TooLarge(err error) bool {
	_, size := err.(*SizeError) // [errors.As] makes a program 20 kB larger
	return size || errors.Is(err, ErrRemote)
}

// ToDense returns rows as a matrix, for methods that read rows or columns in any order:
// a *[Dense] as it is, and a copy of another storage.
//
// Errors: *[SizeError] for a copy of more than 4 GB, and those of the storage.
func ToDense(x Rows) (*Dense, error) {
	a, ok := x.(*Dense)
	if ok || x == nil {
		return a, nil
	}
	n, p := x.Dims()
	if err := CheckCopy(x, n, p); err != nil {
		return nil, err
	}
	a = Zeros(n, p)
	return a, Pass(x, 0, n, func(b *Block) error {
		for i := range b.Len() {
			b.CopyRow(a.Row(b.At+i), i)
		}
		return nil
	})
}

// EveryRow returns a copy of every step-th row of x: a *[CSR] where the blocks are sparse,
// else a *[Dense]. One pass, on the calling goroutine.
//
// Errors: *[SizeError], see [CheckCopy], and those of the storage.
func EveryRow(x Rows, step int) (Rows, error) {
	if s, ok := x.(Sampled); ok {
		x, step = s.Every(step), 1
	}
	n, p := x.Dims()
	var dense *Dense
	sparse, next := &CSR{p: p, start: []int{0}}, 0
	err := Pass(x, 0, n, func(b *Block) error {
		if b.CSR == nil && dense == nil {
			if err := CheckCopy(x, (n+step-1)/step, p); err != nil {
				return err
			}
			dense = Zeros((n+step-1)/step, p)
			for i := range sparse.n {
				sparse.copyRow(dense.Row(i), i)
			}
		}
		for ; next < b.At+b.Len(); next += step {
			if dense != nil {
				b.CopyRow(dense.Row(next/step), next-b.At)
			} else {
				sparse.append(b.CSR.Row(next - b.At))
			}
		}
		return CheckCopy(x, sparse.Stored(), 1)
	})
	if dense != nil {
		return dense, err
	}
	return sparse, err
}
