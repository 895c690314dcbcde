package linalg

import "halfspace/linalg/internal/kernel"

// MulTAdd adds alpha·AᵀB to dst, for a m×p, b m×q and dst p×q. O(mpq) on the
// calling goroutine, meant for blocks of rows: one class's gradient after the
// other is Xᵀ(P−Y) with q = K. dst must not overlap a or b.
func MulTAdd(dst *Dense, alpha float64, a, b *Dense) {
	mustAgree("MulTAdd", a.Rows, b.Rows, a.Cols, dst.Rows, b.Cols, dst.Cols)
	if b.Cols > productCols {
		eachProduct(dst, b, func(dst, b *Dense) { MulTAdd(dst, alpha, a, b) })
		return
	}
	s := panelPool.Get().(*panels)
	defer panelPool.Put(s)
	step := min(packRows(max(a.Cols, b.Cols)), a.Rows)
	s.a = grow(s.a, ceilDiv(a.Cols, panelCols)*panelCols*step)
	s.b = grow(s.b, ceilDiv(b.Cols, panelCols)*panelCols*step)
	inPlace := 0 // columns of A that are read where they lie: those that one panel of B alone meets, eight at a time
	if b.Cols <= panelCols {
		inPlace = a.Cols / tileRows * tileRows
	}
	for lo := 0; lo < a.Rows; lo += step {
		hi := min(lo+step, a.Rows)
		m := hi - lo
		rest := &Dense{Rows: a.Rows, Cols: a.Cols - inPlace, Stride: a.Stride, Data: a.Data[inPlace:]}
		pack(s.a, nil, rest, lo, hi, nil, nil)
		packTimes(s.b, alpha, b, lo, hi)
		for j := 0; j < dst.Cols; j += panelCols {
			for i := 0; i < dst.Rows; i += tileRows {
				left, ka := a.Data[min(lo*a.Stride+i, len(a.Data)):], a.Stride
				if at := i - inPlace; at >= 0 {
					left, ka = s.a[at/panelCols*panelCols*m+at%panelCols:], panelCols
				}
				kernel.Tile(dst.Data[i*dst.Stride+j:], dst.Stride, min(tileRows, dst.Rows-i), min(panelCols, dst.Cols-j),
					left, 1, ka, s.b[j*m:], m, nil, 0)
			}
		}
	}
}

// MulAdd adds alpha·AB to dst, for a n×m, b m×q and dst n×q. O(nmq) on the
// calling goroutine. dst must not overlap a or b.
func MulAdd(dst *Dense, alpha float64, a, b *Dense) {
	mustAgree("MulAdd", a.Cols, b.Rows, a.Rows, dst.Rows, b.Cols, dst.Cols)
	if b.Cols > productCols {
		eachProduct(dst, b, func(dst, b *Dense) { MulAdd(dst, alpha, a, b) })
		return
	}
	s := panelPool.Get().(*panels)
	defer panelPool.Put(s)
	step := min(packRows(b.Cols), b.Rows)
	s.b = grow(s.b, ceilDiv(b.Cols, panelCols)*panelCols*step)
	for lo := 0; lo < b.Rows; lo += step {
		hi := min(lo+step, b.Rows)
		packTimes(s.b, alpha, b, lo, hi)
		rowTiles(dst, a, lo, hi, s)
	}
}

// productCols is the number of columns of a right factor that are packed at a time.
const productCols = 1 << 12

// eachProduct makes a product by that many columns of b and dst at a time.
func eachProduct(dst, b *Dense, multiply func(dst, b *Dense)) {
	for lo := 0; lo < b.Cols; lo += productCols {
		part := func(m *Dense) *Dense {
			return &Dense{Rows: m.Rows, Cols: min(productCols, m.Cols-lo), Stride: m.Stride, Data: m.Data[min(lo, len(m.Data)):]}
		}
		multiply(part(dst), part(b))
	}
}

// MulBTAdd adds alpha·ABᵀ to dst, for a n×m, b q×m and dst n×q. O(nmq) on the
// calling goroutine. dst must not overlap a or b.
func MulBTAdd(dst *Dense, alpha float64, a, b *Dense) {
	mustAgree("MulBTAdd", a.Cols, b.Cols, a.Rows, dst.Rows, b.Rows, dst.Cols)
	s := panelPool.Get().(*panels)
	defer panelPool.Put(s)
	step := min(packRows(b.Rows), b.Cols)
	s.b = grow(s.b, ceilDiv(b.Rows, panelCols)*panelCols*step)
	for lo := 0; lo < b.Cols; lo += step {
		hi := min(lo+step, b.Cols)
		packTransposed(s.b, alpha, b, lo, hi)
		rowTiles(dst, a, lo, hi, s)
	}
}

// MulBT sets dst (n×K) to X·Bᵀ for K rows of coefficients b (K×p): the scores
// of n rows. O(npK) on workers goroutines.
func MulBT(dst, x, b *Dense, workers int) {
	mustAgree("MulBT", x.Cols, b.Cols, x.Rows, dst.Rows, b.Rows, dst.Cols)
	if chunk := RowChunk(x.Cols); x.Rows > chunk {
		mulBTParallel(*dst, *x, *b, chunk, workers)
		return
	}
	mulBT(dst, x, b)
}

func mulBTParallel(dst, x, b Dense, chunk, workers int) {
	For(x.Rows, chunk, workers, func(lo, hi int) { mulBT(dst.RowRange(lo, hi), x.RowRange(lo, hi), &b) })
}

// fewScores is the number of columns of X·Bᵀ up to which a sum for each is
// cheaper than tiles of 16.
const fewScores = 4

func mulBT(dst, x, b *Dense) {
	if b.Rows > fewScores {
		for i := range dst.Rows {
			clear(dst.Row(i))
		}
		MulBTAdd(dst, 1, x, b)
		return
	}
	mulBTByRow(dst, x, b)
}

// mulBTByRow is mulBT, one row of b after the other: a block of rows stays in the cache meanwhile.
func mulBTByRow(dst, x, b *Dense) {
	step := max(8, (1<<12)/(x.Cols+1))
	for i := 0; i < dst.Rows; i += step {
		n := min(step, dst.Rows-i)
		for k := range b.Rows {
			kernel.MulVec(dst.Data[i*dst.Stride+k:], dst.Stride, x.Data[i*x.Stride:], x.Stride, n, b.Row(k))
		}
	}
}

// fewFunctions and longRows say where one function after the other costs less than tiles, of which
// few functions fill a part, and for which rows are packed: with three functions of 2,000 columns
// two thirds to three quarters of the time, with five of 500 five sixths. (Measured with AVX2.)
const fewFunctions, longRows = 8, 128

func oneByOne(x *Dense, functions int) bool { return functions <= fewFunctions && x.Cols >= longRows }

// addScores adds X·Bᵀ to dst (n×q), one row of B (q×p) after the other.
func addScores(dst, x, b *Dense) {
	mustAgree("AddScores", x.Cols, b.Cols, x.Rows, dst.Rows, b.Rows, dst.Cols)
	s := panelPool.Get().(*panels)
	defer panelPool.Put(s)
	s.a = grow(s.a, x.Rows*b.Rows)
	scores := &Dense{Rows: x.Rows, Cols: b.Rows, Stride: b.Rows, Data: s.a}
	mulBTByRow(scores, x, b)
	for i := range scores.Rows {
		Axpy(dst.Row(i), 1, scores.Row(i))
	}
}

// backStrip is how many values of X stay in the first level cache while all columns of R are multiplied.
const backStrip = 1 << 12

// addBack adds RᵀX to dst (q×p), one column of R (n×q) after the other, by strips of columns of X.
func addBack(dst, x, r *Dense) {
	mustAgree("AddBack", x.Cols, dst.Cols, x.Rows, r.Rows, r.Cols, dst.Rows)
	s := panelPool.Get().(*panels)
	defer panelPool.Put(s)
	s.a = grow(s.a, r.Rows*r.Cols)
	columns := &Dense{Rows: r.Cols, Cols: r.Rows, Stride: r.Rows, Data: s.a}
	Transpose(columns, r)
	step := max(64, backStrip/(r.Rows+1)/8*8)
	for lo := 0; lo < x.Cols; lo += step {
		hi := min(lo+step, x.Cols)
		for k := range r.Cols {
			kernel.MulTVec(dst.Row(k)[lo:hi], x.Data[lo:], x.Stride, columns.Row(k))
		}
	}
}

// rowTiles adds A[:, lo:hi]·B to dst, where s.b holds the hi−lo rows of B by
// panels. Rows of A are read where they lie, eight at a time, while the next
// eight are fetched: the processor does not foresee eight short streams. The
// last few rows are packed, because a tile reads eight.
func rowTiles(dst, a *Dense, lo, hi int, s *panels) {
	m := hi - lo
	full := dst.Rows / tileRows * tileRows
	left, ra, ka := a.Data, a.Stride, 1
	for i := 0; i < dst.Rows; i += tileRows {
		at := i*a.Stride + lo
		if i == full {
			s.a = grow(s.a, panelCols*m)
			clear(s.a)
			for r := i; r < a.Rows; r++ {
				for k, v := range a.Row(r)[lo:hi] {
					s.a[k*panelCols+r-i] = v
				}
			}
			left, ra, ka, at = s.a, 1, panelCols, 0
		}
		next := a.Data[min(i*a.Stride+lo+tileRows*a.Stride, len(a.Data)):]
		for j := 0; j < dst.Cols; j += panelCols {
			kernel.Tile(dst.Data[i*dst.Stride+j:], dst.Stride, min(tileRows, dst.Rows-i), min(panelCols, dst.Cols-j),
				left[at:], ra, ka, s.b[j*m:], m, next, 64)
		}
	}
}

// packTimes packs rows lo ≤ i < hi of b by panels, times alpha.
func packTimes(dst []float64, alpha float64, b *Dense, lo, hi int) {
	pack(dst, nil, b, lo, hi, nil, nil)
	if alpha != 1 {
		Scale(dst[:ceilDiv(b.Cols, panelCols)*panelCols*(hi-lo)], alpha)
	}
}

// packTransposed packs columns lo ≤ j < hi of b as the rows of bᵀ, by panels,
// times alpha.
func packTransposed(dst []float64, alpha float64, b *Dense, lo, hi int) {
	m := hi - lo
	clear(dst[:ceilDiv(b.Rows, panelCols)*panelCols*m])
	for r := range b.Rows {
		d := dst[r/panelCols*panelCols*m+r%panelCols:]
		for k, v := range b.Row(r)[lo:hi] {
			d[k*panelCols] = alpha * v
		}
	}
}

// productChunk is the number of rows of a product with an m×n matrix that makes
// a piece of work.
func productChunk(m, n int) int { return max(64, (1<<21)/(m*n+1)/8*8) }
