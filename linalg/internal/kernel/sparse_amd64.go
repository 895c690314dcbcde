//go:build gc && !purego

package kernel

func scoresAt(dst, coef []float64, stride int, index []int32, value []float64) bool {
	if level != AVX512 || len(dst) < 2 {
		return false
	}
	scoresAtAVX512(&dst[0], &coef[0], stride, &index[0], &value[0], len(index), len(dst))
	return true
}

func backAt(dst []float64, stride int, r []float64, index []int32, value []float64) bool {
	if level != AVX512 || len(r) < 2 {
		return false
	}
	backAtAVX512(&dst[0], stride, &r[0], &index[0], &value[0], len(index), len(r))
	return true
}

//go:noescape
func scoresAtAVX512(dst, coef *float64, stride int, index *int32, value *float64, n, k int)

//go:noescape
func backAtAVX512(dst *float64, stride int, r *float64, index *int32, value *float64, n, k int)
