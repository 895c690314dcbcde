package kernel

// callStored bounds the number of stored values that one call into assembly reads, and
// callFunctions the number of functions.
const callStored, callFunctions = 1 << 12, 32

// ScoresAt adds Σₖ valueₖ·coef[indexₖ·stride+c] to dst[c], for each of len(dst) functions: the
// scores of a sparse row. Each index must be one of a row of coef; the caller has checked
// that.
func ScoresAt(dst, coef []float64, stride int, index []int32, value []float64) {
	value = value[:len(index)]
	for c := 0; c < len(dst); c += callFunctions {
		f := dst[c:min(c+callFunctions, len(dst))]
		for lo := 0; lo < len(index); lo += callStored {
			hi := min(lo+callStored, len(index))
			if !scoresAt(f, coef[c:], stride, index[lo:hi], value[lo:hi]) {
				for k, j := range index[lo:hi] {
					Axpy(f, value[lo+k], coef[int(j)*stride+c:][:len(f)])
				}
			}
		}
	}
}

// BackAt adds valueₖ·r[c] to dst[indexₖ·stride+c]: a sparse row times the residuals of len(r)
// functions. Each index must be one of a row of dst; the caller has checked that.
func BackAt(dst []float64, stride int, r []float64, index []int32, value []float64) {
	value = value[:len(index)]
	for c := 0; c < len(r); c += callFunctions {
		f := r[c:min(c+callFunctions, len(r))]
		for lo := 0; lo < len(index); lo += callStored {
			hi := min(lo+callStored, len(index))
			if !backAt(dst[c:], stride, f, index[lo:hi], value[lo:hi]) {
				for k, j := range index[lo:hi] {
					Axpy(dst[int(j)*stride+c:][:len(f)], value[lo+k], f)
				}
			}
		}
	}
}
