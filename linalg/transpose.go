package linalg

// transposed returns a new matrix aᵀ.
func transposed(a *Dense) *Dense {
	t := Zeros(a.Cols, a.Rows)
	transpose(t, a)
	return t
}

// transpose sets dst to aᵀ, in squares that keep both sides in the first cache.
func transpose(dst, a *Dense) {
	const b = 16
	for i0 := 0; i0 < a.Rows; i0 += b {
		i1 := min(i0+b, a.Rows)
		for j0 := 0; j0 < a.Cols; j0 += b {
			j1 := min(j0+b, a.Cols)
			for j := j0; j < j1; j++ {
				d := dst.Row(j)[i0:i1]
				k := i0*a.Stride + j
				for i := range d {
					d[i] = a.Data[k]
					k += a.Stride
				}
			}
		}
	}
}

// window returns rows r0 ≤ i < r1 and columns c0 ≤ j < c1 of a, not a copy.
func (a *Dense) window(r0, r1, c0, c1 int) *Dense {
	return &Dense{r1 - r0, c1 - c0, a.Stride, a.Data[r0*a.Stride+c0 : (r1-1)*a.Stride+c1]}
}
