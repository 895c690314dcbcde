package linalg

import (
	"slices"
	"sync"

	"halfspace/linalg/internal/kernel"
)

const (
	tileRows  = kernel.TileRows
	panelCols = kernel.PanelCols
)

// panels is scratch for packed blocks of rows: a for the left factor, b for the
// right one.
type panels struct{ a, b []float64 }

var panelPool = sync.Pool{New: func() any { return new(panels) }}

// grow returns s with length n, a new slice of at least 2¹³ values if it does
// not fit: slices of that size start on a page, so that no vector of a panel
// straddles two cache lines.
func grow(s []float64, n int) []float64 {
	if cap(s) < n {
		s = make([]float64, max(n, 1<<13))
	}
	return s[:n]
}

// packRows is the number of rows that are packed at a time: so many that the
// sums of a tile pay for fetching it, so few that two panels stay in the
// first-level cache and all p columns in the second.
func packRows(p int) int { return min(128, max(32, (1<<17)/(p+1))) }

// symmetricBlock is the number of rows of a Gram matrix whose tiles are made together: few
// enough for their packed columns to stay in the second-level cache.
const symmetricBlock = 128

// symmetricRows is the number of rows of a Gram matrix that are packed at a time: so many that two
// panels stay in the first-level cache. With registers of eight a matrix that does not stay in the
// second-level cache is read and written for longer than tiles are summed: rows are many, then, and
// what stays in the cache is the packed columns of a block. (GF/s on one processor, 2,000 rows, of
// 128 rows and of 512: 54 and 75 at p = 600, 35 and 75 at 2,000 with registers of eight; 39 and 34,
// 37 and 33 with registers of four.)
func symmetricRows(p int) int {
	if p > 512 && kernel.InUse() == kernel.AVX512 {
		return 512
	}
	return 128
}

// ceilDiv returns ⌈n/d⌉.
func ceilDiv(n, d int) int { return (n + d - 1) / d }

// pack packs the given rows of x by panels of 16 columns, one after the other,
// less the origin, and with w into wdst as well, times w.
func pack(dst, wdst []float64, x *Dense, lo, hi int, origin, w []float64) {
	m := hi - lo
	if w != nil {
		w = w[lo:hi]
	}
	for j := 0; j < x.Cols; j += panelCols {
		var c, e []float64
		if origin != nil {
			c = origin[j:]
		}
		if w != nil {
			e = wdst[j*m:]
		}
		kernel.Pack(dst[j*m:], e, x.Data[lo*x.Stride+j:], x.Stride, m, min(panelCols, x.Cols-j), c, w)
	}
}

// Syrk adds Σ wᵢ(xᵢ−c)(xᵢ−c)ᵀ over the rows of x to the lower triangle of dst
// (p×p); [Symmetrize] fills the upper. On the way Syrk also writes to elements
// above the diagonal, those in the squares of 8 along it. A nil w is all ones, a
// nil origin c is 0; weights may be negative. The rows are read once, on the
// calling goroutine; nothing is allocated once the scratch it shares with other
// calls has grown. O(np²).
//
// Weights that come from the rows themselves cost least when x is a block of at
// most 2¹⁶ values that is still in the cache, blocks following each other in
// memory.
func Syrk(dst, x *Dense, origin, w []float64) {
	mustLen("Syrk", x.Cols, dst.Rows)
	mustLen("Syrk", x.Cols, dst.Cols)
	mustFit("Syrk", x, origin, w)
	syrk(dst, x, origin, w, Upcoming{Data: behind(x), Stride: x.Stride}, 1)
}

// SyrkAhead is [Syrk] without origin and weights, for a block x that its caller
// has gathered from elsewhere: meanwhile the rows that will be gathered next are
// fetched into the cache.
func SyrkAhead(dst, x *Dense, next Upcoming) {
	mustLen("SyrkAhead", x.Cols, dst.Rows)
	mustLen("SyrkAhead", x.Cols, dst.Cols)
	syrk(dst, x, nil, nil, next, 1)
}

// behind returns the values that will be read after the first rows of x: the rows
// that follow them, or the block behind x in memory where x is so small that its user
// has just read it, for the weights. It is for fetching alone.
func behind(x *Dense) []float64 {
	rows := x.Rows
	if rows*x.Stride > 1<<16 {
		rows = min(packRows(x.Cols), rows)
	}
	all := x.Data[:cap(x.Data)]
	return all[min(rows*x.Stride, len(all)):]
}

// Upcoming says which rows will be read next, so that they can be fetched while
// others are worked on. The zero value is none.
type Upcoming struct {
	Data   []float64
	Stride int
	Order  []int // row numbers in Data; nil for one after the other
}

// From returns the rows from position i on.
func (u Upcoming) From(i int) Upcoming {
	if u.Order != nil {
		u.Order = u.Order[min(i, len(u.Order)):]
	} else {
		u.Data = u.Data[min(i*u.Stride, len(u.Data)):]
	}
	return u
}

// part returns the part of the next m rows that is fetched during one of a number
// of tiles, and how many bytes apart m fetches cover it. Of rows that are
// scattered it is one a tile.
func (u *Upcoming) part(tile, tiles, m int) (data []float64, step int) {
	if u.Order == nil {
		step = ceilDiv(8*u.Stride, tiles)
		return u.Data[min(tile*m*step/8, len(u.Data)):], step
	}
	if i := tile * m / tiles; i < len(u.Order) {
		data = u.Data[u.Order[i]*u.Stride:]
	}
	return data, ceilDiv(8*u.Stride, m)
}

// sharedCols is the number of columns whose tiles are one piece of work where goroutines
// share a Gram matrix, which they do from four times as many columns on.
const sharedCols = 8 * panelCols

// syrk is Syrk, which has checked the lengths, on workers goroutines; a single one meanwhile
// fetches the rows ahead.
func syrk(dst, x *Dense, origin, w []float64, ahead Upcoming, workers int) {
	p := x.Cols
	s := panelPool.Get().(*panels)
	defer panelPool.Put(s)
	step := min(symmetricRows(p), x.Rows)
	size := ceilDiv(p, panelCols) * panelCols * step
	s.b = grow(s.b, size)
	left := s.b
	if w != nil {
		s.a = grow(s.a, size)
		left = s.a
	}
	for lo := 0; lo < x.Rows; lo += step {
		hi := min(lo+step, x.Rows)
		pack(s.b, s.a, x, lo, hi, origin, w)
		if workers == 1 || p < 4*sharedCols {
			syrkPacked(dst, left, s.b, hi-lo, 0, p, ahead.From(lo))
			continue
		}
		syrkShared(dst, left, s.b, hi-lo, workers)
	}
}

// syrkShared is syrkPacked for all columns, on workers goroutines.
func syrkShared(dst *Dense, a, b []float64, m, workers int) {
	For(dst.Cols, sharedCols, workers, func(from, to int) { syrkPacked(dst, a, b, m, from, to, Upcoming{}) })
}

// mustFit panics unless origin and w are nil or fit x.
func mustFit(op string, x *Dense, origin, w []float64) {
	if origin != nil {
		mustLen(op, x.Cols, len(origin))
	}
	if w != nil {
		mustLen(op, x.Rows, len(w))
	}
}

// syrkPacked adds the tiles of AᵀB that meet the lower triangle to columns from ≤ j < to of
// dst, for packed A and B of m rows. Meanwhile the m rows ahead are fetched, spread over
// the tiles.
func syrkPacked(dst *Dense, a, b []float64, m, from, to int, ahead Upcoming) {
	p, tiles := dst.Cols, 0
	for j := from; j < to; j += panelCols {
		tiles += ceilDiv(p-j, tileRows)
	}
	tile := 0
	for top := from; top < p; top += symmetricBlock {
		bottom := min(top+symmetricBlock, p)
		for j := from; j < min(bottom, to); j += panelCols {
			for i := max(j, top); i < bottom; i += tileRows {
				nr := min(panelCols, p-j, i+tileRows-j)
				next, step := ahead.part(tile, tiles, m)
				tile++
				kernel.Tile(dst.Data[i*dst.Stride+j:], dst.Stride, min(tileRows, p-i), nr,
					a[i/panelCols*panelCols*m+i%panelCols:], 1, panelCols, b[j*m:], m, next, step)
			}
		}
	}
}

// Gram returns Σ wᵢ(xᵢ−c)(xᵢ−c)ᵀ, the p×p symmetric matrix XᵀWX for a nil
// origin c. A nil w is all ones. O(np²) on workers goroutines, each with p²
// values of its own.
func Gram(x *Dense, origin, w []float64, workers int) *Dense {
	mustFit("Gram", x, origin, w)
	g := Zeros(x.Cols, x.Cols)
	chunk := gramChunk(x.Cols)
	if x.Rows <= chunk {
		syrk(g, x, origin, w, Upcoming{}, workers)
		Symmetrize(g)
		return g
	}
	Reduce(x.Rows, chunk, workers,
		func() *Dense { return Zeros(x.Cols, x.Cols) },
		func(s *Dense, lo, hi int) {
			clear(s.Data)
			var wr []float64
			if w != nil {
				wr = w[lo:hi]
			}
			Syrk(s, x.RowRange(lo, hi), origin, wr)
		},
		func(s *Dense) { Axpy(g.Data, 1, s.Data) })
	Symmetrize(g)
	return g
}

// GramOfRows returns Σⱼ (sⱼ(xᵢⱼ−cⱼ))(sⱼ(xₖⱼ−cⱼ)), the n×n matrix XXᵀ for a nil origin c and nil
// scales s, for few rows. They are read where they lie. O(n²p) on workers goroutines, each with
// n² values of its own.
func GramOfRows(x *Dense, origin, scale []float64, workers int) *Dense {
	if origin == nil {
		origin = make([]float64, x.Cols)
	}
	if scale == nil {
		scale = slices.Repeat([]float64{1}, x.Cols)
	}
	mustFit("GramOfRows", x, origin, nil)
	mustLen("GramOfRows", x.Cols, len(scale))
	g := Zeros(x.Rows, x.Rows)
	Reduce(x.Cols, rowGramChunk, workers,
		func() *Dense { return Zeros(x.Rows, x.Rows) },
		func(sum *Dense, lo, hi int) {
			clear(sum.Data)
			s := panelPool.Get().(*panels)
			defer panelPool.Put(s)
			step := min(symmetricRows(x.Rows), hi-lo)
			s.b = grow(s.b, ceilDiv(x.Rows, panelCols)*panelCols*step)
			for ; lo < hi; lo += step {
				to := min(lo+step, hi)
				packAbout(s.b, x, lo, to, origin, scale)
				syrkPacked(sum, s.b, s.b, to-lo, 0, x.Rows, Upcoming{})
			}
		},
		func(sum *Dense) { Axpy(g.Data, 1, sum.Data) })
	Symmetrize(g)
	return g
}

// rowGramChunk is the number of columns whose products are summed on their own.
const rowGramChunk = 1024

// packAbout is packTransposed of sⱼ(xᵢⱼ−cⱼ), for columns lo ≤ j < hi.
func packAbout(dst []float64, x *Dense, lo, hi int, origin, scale []float64) {
	m := hi - lo
	clear(dst[x.Rows/panelCols*panelCols*m : ceilDiv(x.Rows, panelCols)*panelCols*m])
	c, s := origin[lo:hi], scale[lo:hi]
	for r := range x.Rows {
		d := dst[r/panelCols*panelCols*m+r%panelCols:]
		for k, v := range x.Row(r)[lo:hi] {
			d[k*panelCols] = s[k] * (v - c[k])
		}
	}
}

// gramChunk is the number of rows of a piece of work: p² values are merged for
// each, so there are at least 2048.
func gramChunk(p int) int { return max(2048, RowChunk(p)) }

// Symmetrize copies the lower triangle of the square matrix a onto the upper.
func Symmetrize(a *Dense) {
	for lo := 0; lo < a.Rows; lo += cholBlock {
		hi := min(lo+cholBlock, a.Rows)
		if lo > 0 {
			Transpose(a.window(0, lo, lo, hi), a.window(lo, hi, 0, lo))
		}
		symmetrizeBlock(a, lo, hi)
	}
}

// symmetrizeBlock is Symmetrize in rows and columns lo ≤ i, j < hi.
func symmetrizeBlock(a *Dense, lo, hi int) {
	for i := lo; i < hi; i++ {
		for j, v := range a.Row(i)[lo:i] {
			a.Data[(lo+j)*a.Stride+i] = v
		}
	}
}
