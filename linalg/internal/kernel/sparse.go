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
			if !backAt(dst[c:], stride, f, index[lo:hi], value[lo:hi], apart(len(f), stride, index[lo:hi])) {
				for k, j := range index[lo:hi] {
					Axpy(dst[int(j)*stride+c:][:len(f)], value[lo+k], f)
				}
			}
		}
	}
}

// denseSpan is how many columns, at most, there are for a value of a row in which many values are next to each other.
const denseSpan = 8

// apart returns how far apart in the row the values are that come one after the other: the assembly writes eights of
// functions, of which the last may reach into the columns that follow, though nothing is written there, and to read
// what such a write may have changed waits for its end, some fifteen cycles. (7 to 20 functions of a row without zeros took two to four times as long.)
func apart(functions, stride int, index []int32) int {
	width := (functions + 7) &^ 7
	if n := len(index); n == 0 || stride >= width || int(index[n-1]-index[0]) >= denseSpan*n {
		return 1
	}
	return (width + stride - 1) / stride
}
