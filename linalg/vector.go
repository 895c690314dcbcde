package linalg

import (
	"cmp"
	"math"
	"slices"

	"halfspace/linalg/internal/kernel"
)

// Dot returns Σ aᵢbᵢ.
func Dot(a, b []float64) float64 {
	mustLen("Dot", len(a), len(b))
	return kernel.Dot(a, b)
}

// Axpy adds alpha·x to dst.
func Axpy(dst []float64, alpha float64, x []float64) {
	mustLen("Axpy", len(dst), len(x))
	kernel.Axpy(dst, alpha, x)
}

// Scale multiplies v by alpha.
//
//go:noinline // a program would have some sixty copies, 2 kB with their tables
func Scale(v []float64, alpha float64) {
	for i := range v {
		v[i] *= alpha
	}
}

// Sum returns Σ vᵢ, added in order.
//
//go:noinline // a program would have some sixty copies, 2 kB with their tables
func Sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

// Clone returns a copy of v: in one place, for in sixty it would take 4 kB.
//
//go:noinline
func Clone(v []float64) []float64 { return slices.Clone(v) }

// Sort sorts v, ascending, by a sort of integers: each other type that a program sorts makes it 4 kB
// larger.
func Sort(v []float64) {
	from, order := Clone(v), Sequence(len(v))
	SortFunc(order, func(i, j int) int { return cmp.Compare(from[i], from[j]) })
	for i, at := range order {
		v[i] = from[at]
	}
}

// Sequence returns 0, 1, …, n−1: an order that is yet to be sorted, or all columns.
func Sequence(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// SortFunc sorts v so that compare is nowhere positive, by merging sorted halves, of a few by insertion: equal ones
// keep their order. [slices.SortFunc] makes a program 6 kB larger.
func SortFunc(v []int, compare func(a, b int) int) {
	const few = 12
	if len(v) <= few {
		for i := range v {
			for j := i; j > 0 && compare(v[j-1], v[j]) > 0; j-- {
				v[j-1], v[j] = v[j], v[j-1]
			}
		}
		return
	}
	half := len(v) / 2
	SortFunc(v[half:], compare)
	first := slices.Clone(v[:half])
	SortFunc(first, compare)
	for i := 0; len(first) > 0; i++ {
		if half < len(v) && compare(first[0], v[half]) > 0 {
			v[i] = v[half]
			half++
		} else {
			v[i], first = first[0], first[1:]
		}
	}
}

// Norm returns ‖v‖₂, without overflow or underflow on the way: where Σ vᵢ² is
// out of the comfortable range, the largest |vᵢ| is taken out first. It is NaN
// if v has a NaN and else +Inf if v has an infinity.
func Norm(v []float64) float64 {
	// Below 1e-270 the squares that underflowed could matter.
	if s := kernel.Dot(v, v); s > 1e-270 && s <= math.MaxFloat64 {
		return math.Sqrt(s)
	}
	m := NormInf(v)
	if m == 0 || m-m != 0 {
		return m
	}
	s := 0.0
	for _, x := range v {
		x /= m
		s += x * x
	}
	return m * math.Sqrt(s)
}

// NormInf returns max |vᵢ|, NaN if v has one.
//
//go:noinline // programs would have twenty copies
func NormInf(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		if a := math.Abs(x); a > m || a != a {
			m = a
		}
	}
	return m
}

// MulVec sets dst (length n) to x·b. O(np) on workers goroutines. Row i of the
// result has the bits of Dot(x.Row(i), b).
func MulVec(dst []float64, x *Dense, b []float64, workers int) {
	mustLen("MulVec", x.Rows, len(dst))
	mustLen("MulVec", x.Cols, len(b))
	if chunk := RowChunk(x.Cols); x.Rows > chunk {
		mulVecParallel(dst, *x, b, chunk, workers)
		return
	}
	kernel.MulVec(dst, 1, x.Data, x.Stride, x.Rows, b)
}

// mulVecParallel takes a copy of the matrix header, so that the caller's does
// not escape: blocks of rows are often made for one call.
func mulVecParallel(dst []float64, x Dense, b []float64, chunk, workers int) {
	For(x.Rows, chunk, workers, func(lo, hi int) {
		kernel.MulVec(dst[lo:hi], 1, x.Data[lo*x.Stride:], x.Stride, hi-lo, b)
	})
}

// MulTVec sets dst (length p) to xᵀ·r. O(np) on workers goroutines.
func MulTVec(dst []float64, x *Dense, r []float64, workers int) {
	mustLen("MulTVec", x.Cols, len(dst))
	mustLen("MulTVec", x.Rows, len(r))
	clear(dst)
	if chunk := RowChunk(x.Cols); x.Rows > chunk {
		mulTVecParallel(dst, *x, r, chunk, workers)
		return
	}
	kernel.MulTVec(dst, x.Data, x.Stride, r)
}

func mulTVecParallel(dst []float64, x Dense, r []float64, chunk, workers int) {
	Reduce(x.Rows, chunk, workers,
		func() []float64 { return make([]float64, x.Cols) },
		func(s []float64, lo, hi int) {
			clear(s)
			kernel.MulTVec(s, x.Data[lo*x.Stride:], x.Stride, r[lo:hi])
		},
		func(s []float64) { Axpy(dst, 1, s) })
}

// MulVec sets dst to A·b, on GOMAXPROCS goroutines where the size warrants it.
// O(np).
func (a *Dense) MulVec(dst, b []float64) { MulVec(dst, a, b, 0) }

// MulTVec sets dst to Aᵀ·r. O(np).
func (a *Dense) MulTVec(dst, r []float64) { MulTVec(dst, a, r, 0) }

// Dot returns Σⱼ aᵢⱼbⱼ of row i.
func (a *Dense) Dot(i int, b []float64) float64 { return Dot(a.Row(i), b) }

// AddRow adds alpha times row i to dst (p values).
func (a *Dense) AddRow(dst []float64, i int, alpha float64) { Axpy(dst, alpha, a.Row(i)) }

// MulTVecAdd adds xᵀ·r to dst (length p), on the calling goroutine. O(np).
func MulTVecAdd(dst []float64, x *Dense, r []float64) {
	mustLen("MulTVecAdd", x.Cols, len(dst))
	mustLen("MulTVecAdd", x.Rows, len(r))
	kernel.MulTVec(dst, x.Data, x.Stride, r)
}

// RowChunk returns the number of rows of p values that make a piece of work worth
// a goroutine: about 2¹⁸ values, and at least 64 rows.
func RowChunk(p int) int { return max(64, (1<<18)/max(p, 1)) }

// Max returns the largest value of v, NaN where it has one. It panics if v is empty.
//
//go:noinline // a program would have a dozen copies
func Max(v []float64) float64 { return slices.Max(v) }

// Min returns the least value of v, NaN where it has one. It panics if v is empty.
//
//go:noinline // a program would have a dozen copies
func Min(v []float64) float64 { return slices.Min(v) }
