package linalg

// Transposed returns aᵀ, a copy. O(np).
func (a *Dense) Transposed() *Dense {
	t := Zeros(a.Cols, a.Rows)
	Transpose(t, a)
	return t
}

// Transpose sets dst (p×n) to aᵀ, for a n×p, by squares of four: a line of the cache
// that is fetched for one serves the next. O(np) on the calling goroutine. dst must
// not overlap a.
func Transpose(dst, a *Dense) {
	mustLen("Transpose", a.Rows, dst.Cols)
	mustLen("Transpose", a.Cols, dst.Rows)
	i := 0
	for ; i+4 <= a.Rows; i += 4 {
		j := 0
		for ; j+4 <= a.Cols; j += 4 {
			transpose4(dst.Data[j*dst.Stride+i:], dst.Stride, a.Data[i*a.Stride+j:], a.Stride)
		}
		transposeEach(dst, a, i, i+4, j)
	}
	transposeEach(dst, a, i, a.Rows, 0)
}

// transpose4 is transpose for four rows and columns.
func transpose4(dst []float64, ldd int, a []float64, lda int) {
	r0, r1, r2, r3 := (*[4]float64)(a), (*[4]float64)(a[lda:]), (*[4]float64)(a[2*lda:]), (*[4]float64)(a[3*lda:])
	for j := range 4 {
		d := (*[4]float64)(dst[j*ldd:])
		d[0], d[1], d[2], d[3] = r0[j], r1[j], r2[j], r3[j]
	}
}

// transposeEach is transpose for rows i0 ≤ i < i1 and the columns from j0 on.
func transposeEach(dst, a *Dense, i0, i1, j0 int) {
	for i := i0; i < i1; i++ {
		for j := j0; j < a.Cols; j++ {
			dst.Data[j*dst.Stride+i] = a.Data[i*a.Stride+j]
		}
	}
}

// window returns rows r0 ≤ i < r1 and columns c0 ≤ j < c1 of a, not a copy.
//
//go:noinline // in thirty places it would take 2 kB
func (a *Dense) window(r0, r1, c0, c1 int) *Dense {
	return &Dense{r1 - r0, c1 - c0, a.Stride, a.Data[r0*a.Stride+c0 : (r1-1)*a.Stride+c1]}
}
