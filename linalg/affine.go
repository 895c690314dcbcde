package linalg

import "halfspace/linalg/internal/kernel"

// Affine sets row i of dst (n×K) to a + B(xᵢ−c): K affine functions of n rows
// about an origin c, for the K×p coefficients b and the K values a at the origin.
// O(npK) on the calling goroutine, meant for blocks of some hundred rows. dst must
// not overlap x.
func Affine(dst, x *Dense, origin []float64, b *Dense, at []float64) {
	mustAgree("Affine", x.Rows, dst.Rows, x.Cols, b.Cols, x.Cols, len(origin))
	mustLen("Affine", b.Rows, dst.Cols)
	mustLen("Affine", b.Rows, len(at))
	if kernel.Affine(dst.Data, dst.Stride, x.Data, x.Stride, x.Rows, origin, b.Data, b.Stride, at) {
		return
	}
	s := panelPool.Get().(*panels)
	defer panelPool.Put(s)
	s.affine(dst, x, origin, b, at)
}

// affine is Affine by way of tiles: rows are centred eight at a time.
func (s *panels) affine(dst, x *Dense, origin []float64, b *Dense, at []float64) {
	step := min(packRows(b.Rows), b.Cols)
	s.a = grow(s.a, tileRows*step)
	s.b = grow(s.b, ceilDiv(b.Rows, panelCols)*panelCols*step)
	for i := range dst.Rows {
		copy(dst.Row(i), at)
	}
	for lo := 0; lo < b.Cols; lo += step {
		hi := min(lo+step, b.Cols)
		packTransposed(s.b, 1, b, lo, hi)
		for i := 0; i < dst.Rows; i += tileRows {
			s.affineTile(dst, x, origin[lo:hi], i, lo)
		}
	}
}

// affineTile adds the products with len(origin) columns, from lo on, to at most eight
// rows of dst, from i on.
func (s *panels) affineTile(dst, x *Dense, origin []float64, i, lo int) {
	m, mr := len(origin), min(tileRows, dst.Rows-i)
	for r := range mr {
		d := s.a[r*m : (r+1)*m]
		copy(d, x.Data[(i+r)*x.Stride+lo:])
		kernel.Axpy(d, -1, origin)
	}
	for j := 0; j < dst.Cols; j += panelCols {
		kernel.Tile(dst.Data[i*dst.Stride+j:], dst.Stride, mr, min(panelCols, dst.Cols-j), s.a, m, 1, s.b[j*m:], m, nil, 0)
	}
}
