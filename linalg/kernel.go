package linalg

import (
	"fmt"
	"math"
)

func mustLen(op string, want, got int) {
	if want != got {
		panic(fmt.Sprintf("linalg: %s: length %d but %d", op, want, got))
	}
}

// Dot returns Σ aᵢbᵢ.
func Dot(a, b []float64) float64 {
	mustLen("Dot", len(a), len(b))
	s := 0.0
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// Axpy adds alpha·x to dst.
func Axpy(dst []float64, alpha float64, x []float64) {
	mustLen("Axpy", len(dst), len(x))
	for i, v := range x {
		dst[i] += alpha * v
	}
}

// Scale multiplies v by alpha.
func Scale(v []float64, alpha float64) {
	for i := range v {
		v[i] *= alpha
	}
}

// Norm returns ‖v‖₂, scaled so that it neither overflows nor underflows when
// the result does not.
func Norm(v []float64) float64 {
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
func NormInf(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		if a := math.Abs(x); a > m || a != a {
			m = a
		}
	}
	return m
}

// MulVec sets dst (length n) to x·b. O(np).
func MulVec(dst []float64, x *Dense, b []float64, workers int) {
	mustLen("MulVec", x.Rows, len(dst))
	mustLen("MulVec", x.Cols, len(b))
	For(x.Rows, rowChunk(x.Cols), workers, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = Dot(x.Row(i), b)
		}
	})
}

// MulTVec sets dst (length p) to xᵀ·r. O(np).
func MulTVec(dst []float64, x *Dense, r []float64, workers int) {
	mustLen("MulTVec", x.Cols, len(dst))
	mustLen("MulTVec", x.Rows, len(r))
	clear(dst)
	Reduce(x.Rows, rowChunk(x.Cols), workers,
		func() []float64 { return make([]float64, x.Cols) },
		func(s []float64, lo, hi int) {
			clear(s)
			for i := lo; i < hi; i++ {
				Axpy(s, r[i], x.Row(i))
			}
		},
		func(s []float64) { Axpy(dst, 1, s) })
}

// rowChunk is the number of rows that make a piece of work worth a goroutine:
// about 2¹⁸ values.
func rowChunk(p int) int { return max(64, (1<<18)/max(p, 1)) }

// Syrk adds Σ wᵢ(xᵢ−c)(xᵢ−c)ᵀ over the rows of x to the lower triangle of dst
// (p×p); [Symmetrize] fills the upper. A nil w is all ones, a nil origin c is 0.
// The rows are read once. O(np²).
func Syrk(dst, x *Dense, origin, w []float64) {
	row := make([]float64, x.Cols)
	for i := range x.Rows {
		copy(row, x.Row(i))
		if origin != nil {
			Axpy(row, -1, origin)
		}
		for j, v := range row {
			if w != nil {
				v *= w[i]
			}
			Axpy(dst.Row(j)[:j+1], v, row[:j+1])
		}
	}
}

// Gram returns Σ wᵢ(xᵢ−c)(xᵢ−c)ᵀ, the p×p symmetric matrix XᵀWX for a nil
// origin c. A nil w is all ones. O(np²) on workers goroutines.
func Gram(x *Dense, origin, w []float64, workers int) *Dense {
	g := Zeros(x.Cols, x.Cols)
	Reduce(x.Rows, max(1024, rowChunk(x.Cols)), workers,
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

// Symmetrize copies the lower triangle of the square matrix a onto the upper.
func Symmetrize(a *Dense) {
	for i := range a.Rows {
		for j := range i {
			a.Data[j*a.Stride+i] = a.Data[i*a.Stride+j]
		}
	}
}
