//go:build gc && !purego

package kernel

func scoresAt(dst, coef []float64, stride int, index []int32, value []float64) bool {
	switch {
	case len(dst) < 2:
		return false
	case level == AVX512:
		scoresAtAVX512(&dst[0], &coef[0], stride, &index[0], &value[0], len(index), len(dst))
	case level == AVX2:
		scoresAtAVX2(&dst[0], &coef[0], stride, &index[0], &value[0], len(index), len(dst))
	}
	return level != Generic
}

// backAt visits each step-th value of the row, from the first on, from the second on, and so on.
func backAt(dst []float64, stride int, r []float64, index []int32, value []float64, step int) bool {
	if len(r) < 2 || level == Generic {
		return false
	}
	for first := range min(step, len(index)) {
		n := (len(index) - first + step - 1) / step
		if level == AVX512 {
			backAtAVX512(&dst[0], stride, &r[0], &index[first], &value[first], n, len(r), step)
		} else {
			backAtAVX2(&dst[0], stride, &r[0], &index[first], &value[first], n, len(r), step)
		}
	}
	return true
}

//go:noescape
func scoresAtAVX512(dst, coef *float64, stride int, index *int32, value *float64, n, k int)

//go:noescape
func backAtAVX512(dst *float64, stride int, r *float64, index *int32, value *float64, n, k, step int)

//go:noescape
func scoresAtAVX2(dst, coef *float64, stride int, index *int32, value *float64, n, k int)

//go:noescape
func backAtAVX2(dst *float64, stride int, r *float64, index *int32, value *float64, n, k, step int)
