package linalg

import (
	"fmt"
	"math"
	"runtime"

	"halfspace/linalg/internal/kernel"
	"halfspace/linalg/internal/pages"
)

// Dense is an n×p matrix stored by rows: element (i, j) is Data[i*Stride+j].
// Stride ≥ Cols, so a Dense can be a window on a larger one.
type Dense struct {
	Rows, Cols, Stride int
	Data               []float64
}

// maxElements keeps every index and byte count of a matrix within an int, and
// within the 47 bits of addresses that a 64-bit system gives a program: beyond
// them make panics.
const maxElements = min(math.MaxInt, 1<<47) / 8

// NewDense returns an n×p matrix over data, which holds n·p values row by row
// and is not copied. With data nil the matrix is new and zero.
//
// Errors: *[ShapeError] if n or p is not positive or len(data) ≠ n·p,
// *[SizeError] if n·p values do not fit the address space.
func NewDense(n, p int, data []float64) (*Dense, error) {
	if err := CheckDims(n, p); err != nil {
		return nil, err
	}
	if data == nil {
		return Zeros(n, p), nil
	}
	if len(data) != n*p {
		return nil, &ShapeError{n * p, fmt.Sprintf("values (%d × %d)", n, p), len(data), "given"}
	}
	return &Dense{n, p, p, data}, nil
}

// CheckDims returns an error if there can be no n×p matrix: *[ShapeError] if n or
// p is not positive, *[SizeError] if n·p values do not fit the address space.
func CheckDims(n, p int) error {
	switch {
	case n <= 0:
		return &ShapeError{1, "row needed", n, "rows"}
	case p <= 0:
		return &ShapeError{1, "column needed", p, "columns"}
	case n > maxElements/p:
		return &SizeError{n, p, 8 * float64(n) * float64(p), 8 * float64(maxElements)}
	}
	return nil
}

// Zeros returns a new n×p matrix of zeros. It is for sizes that are known to be
// valid and panics on others, as make does.
//
//go:noinline // a program would have a hundred copies, 24 kB
func Zeros(n, p int) *Dense {
	a := &Dense{n, p, p, Room[float64](n * p)}
	for i := 0; i < len(a.Data); i += page {
		a.Data[i] = 0
	}
	return a
}

// Room returns n zeros. A large array is asked for in large pages, where the operating system has
// them: it is there sooner, and passes over it take less time.
func Room[T float64 | int32](n int) []T {
	v := make([]T, n)
	if n >= pages.Worthwhile {
		pages.Large(v)
	}
	return v
}

// ReserveLarge has the next arrays of a program, so many bytes in all, lie in large pages: those too
// that are small, or that its fits make. It is for a program to call once, before it reads a table,
// and does nothing where the system has none to ask for, limits addresses or does not lend memory. It
// collects garbage: a millisecond for a heap that is small.
func ReserveLarge(bytes int) {
	if pages.Plenty() {
		Room[float64](bytes / 8)
		runtime.GC()
	}
}

// page is how many values a page of memory holds. What a sum begins with is read first: an operating
// system then gives a page of zeros that all share, and at the first write another one, of which it
// tells all processors. (Measured: the Gram matrix of 2,000 columns takes a third longer.) So
// every page is written to at once.
const page = 512

// Identity returns the n×n identity.
func Identity(n int) *Dense {
	a := Zeros(n, n)
	for i := range n {
		a.Set(i, i, 1)
	}
	return a
}

// FromRows returns a matrix with a copy of the given rows.
//
// Errors: *[ShapeError] if there are no rows, no columns, or rows of different
// lengths.
func FromRows(rows [][]float64) (*Dense, error) {
	p := 0
	if len(rows) > 0 {
		p = len(rows[0])
	}
	a, err := NewDense(len(rows), p, nil)
	if err != nil {
		return nil, err
	}
	for i, r := range rows {
		if len(r) != p {
			return nil, &ShapeError{p, "columns in row 0", len(r), fmt.Sprintf("in row %d", i)}
		}
		copy(a.Row(i), r)
	}
	return a, nil
}

// Dims returns the number of rows and columns, 0 and 0 of a nil matrix.
func (a *Dense) Dims() (n, p int) {
	if a == nil {
		return 0, 0
	}
	return a.Rows, a.Cols
}

// Row returns row i, not a copy.
func (a *Dense) Row(i int) []float64 {
	k := i * a.Stride
	return a.Data[k : k+a.Cols : k+a.Cols]
}

// At returns element (i, j).
//
//go:noinline // a program would have a hundred copies, 3 kB
func (a *Dense) At(i, j int) float64 { return a.Row(i)[j] }

// Set sets element (i, j).
//
//go:noinline // as of At
func (a *Dense) Set(i, j int, v float64) { a.Row(i)[j] = v }

// Fetch has the processor read row i into its cache, for a loop that comes to it [Dense.Ahead] rows
// later. Of rows in order it foresees by itself no more than a page of 4 kB, of others nothing.
func (a *Dense) Fetch(i int) { kernel.Fetch(a.Row(i)) }

// Ahead returns how many rows before its turn a loop should fetch a row: about a page of them. It is n,
// never, where all are in the cache anyway, or so short that fetching takes longer than reading.
// (AMD EPYC, 100,000 × 100 values: 150 → 85 ns a row in an order drawn, 44 → 38 in theirs;
// 16 values a row in their order: 19 → 21.)
func (a *Dense) Ahead() int {
	const page, leastRow, leastTable = 512, 32, 1 << 19
	if a.Cols < leastRow || a.Rows < leastTable/a.Cols {
		return a.Rows
	}
	return page/a.Cols + 1
}

// FirstWrong returns the first row i from lo on that is not on its side of a plane, for which
// signᵢ·(at + Σⱼ aᵢⱼbⱼ) > 0 does not hold, n if there is none.
func (a *Dense) FirstWrong(lo int, sign, b []float64, at float64) int {
	return lo + kernel.FirstWrong(sign[lo:a.Rows], a.Data[min(lo*a.Stride, len(a.Data)):], a.Stride, b, at)
}

// Entries returns row i as a [Table] has it: the columns are nil, which is all.
func (a *Dense) Entries(i int) (columns []int32, values []float64) { return nil, a.Row(i) }

// Select returns a copy of the rows named, in their order: a *[Dense].
func (a *Dense) Select(rows []int) Table {
	d := Zeros(len(rows), a.Cols)
	for k, i := range rows {
		copy(d.Row(k), a.Row(i))
	}
	return d
}

// RowRange returns rows lo ≤ i < hi as a window on a; for lo = hi a matrix of no
// rows, which [Dense.Check] refuses.
//
//go:noinline // a program would have dozens of copies
func (a *Dense) RowRange(lo, hi int) *Dense {
	if lo == hi {
		return &Dense{0, a.Cols, a.Stride, nil}
	}
	return &Dense{hi - lo, a.Cols, a.Stride, a.Data[lo*a.Stride : (hi-1)*a.Stride+a.Cols]}
}

// Clone returns a copy with Stride = Cols, of a nil matrix nil.
func (a *Dense) Clone() *Dense {
	if a == nil {
		return nil
	}
	c := Zeros(a.Rows, a.Cols)
	for i := range a.Rows {
		copy(c.Row(i), a.Row(i))
	}
	return c
}

// Col copies column j into dst (length n) and returns it; a nil dst is
// allocated.
func (a *Dense) Col(dst []float64, j int) []float64 {
	if dst == nil {
		dst = make([]float64, a.Rows)
	}
	mustLen("Dense.Col", a.Rows, len(dst))
	for i := range dst {
		dst[i] = a.Data[i*a.Stride+j]
	}
	return dst
}

// Check returns an error if the fields of a do not describe a matrix with at
// least one element: *[ShapeError] or *[SizeError]. It does not read the values.
func (a *Dense) Check() error {
	if a == nil {
		return &ShapeError{1, "row needed", 0, "rows"}
	}
	if err := CheckDims(a.Rows, a.Cols); err != nil {
		return err
	}
	if a.Stride < a.Cols {
		return &ShapeError{a.Cols, "columns", a.Stride, "stride"}
	}
	if a.Rows-1 > (maxElements-a.Cols)/a.Stride {
		return &SizeError{a.Rows, a.Stride, 8 * float64(a.Rows) * float64(a.Stride), 8 * float64(maxElements)}
	}
	if need := (a.Rows-1)*a.Stride + a.Cols; len(a.Data) < need {
		return &ShapeError{need, fmt.Sprintf("values (%d × %d, stride %d)", a.Rows, a.Cols, a.Stride), len(a.Data), "given"}
	}
	return nil
}

// CheckFinite returns a *[NonFiniteError] for the first NaN or infinity of a, by
// rows, or nil. O(np), one pass.
func (a *Dense) CheckFinite() error {
	for i := range a.Rows {
		row := a.Row(i)
		if allFinite(row) {
			continue
		}
		for j, v := range row {
			if v-v != 0 {
				return &NonFiniteError{"x", i, j, v}
			}
		}
	}
	return nil
}

// CheckFinite returns a *[NonFiniteError] with the given name and Col = −1 for
// the first NaN or infinity of v, or nil.
func CheckFinite(what string, v []float64) error {
	if allFinite(v) {
		return nil
	}
	for i, x := range v {
		if x-x != 0 {
			return &NonFiniteError{what, i, -1, x}
		}
	}
	return nil
}

// CheckWeights returns an error for the first of the weights w that is not finite,
// *[NonFiniteError], or negative, *[WeightError].
func CheckWeights(w []float64) error {
	if err := CheckFinite("weights", w); err != nil {
		return err
	}
	for i, v := range w {
		if v < 0 {
			return &WeightError{i, v}
		}
	}
	return nil
}

// allFinite reports whether v has no NaN and no infinity.
func allFinite(v []float64) bool { return kernel.InRange(v, 0, math.MaxFloat64) }
