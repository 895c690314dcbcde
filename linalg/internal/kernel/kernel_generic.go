//go:build purego || !gc || !(amd64 || arm64)

package kernel

func levels() []Level { return []Level{Generic} }

func dot(a, b []float64) float64                     { return dotGeneric(a, b) }
func axpy(dst []float64, alpha float64, x []float64) { axpyGeneric(dst, alpha, x) }
func mulVec(dst []float64, inc int, x []float64, stride, n int, b []float64) {
	mulVecGeneric(dst, inc, x, stride, n, b)
}
func mulTVec(dst, x []float64, stride int, r []float64) { mulTVecGeneric(dst, x, stride, r) }
func firstWrong(sign, x []float64, stride int, b []float64, at float64) int {
	return firstWrongGeneric(sign, x, stride, b, at)
}

func affine(_ []float64, _ int, _ []float64, _, _ int, _, _ []float64, _ int, _ []float64) bool {
	return false
}

func argMax(_ []int, _ []float64, _, _ int) bool { return false }

func addAbs(dst, x []float64, stride, n int)   { addAbsGeneric(dst, x, stride, n) }
func inRange(v []float64, lo, hi float64) bool { return inRangeGeneric(v, lo, hi) }
func tile(c []float64, ldc, mr, nr int, a []float64, ra, ka int, b []float64, m int, _ *float64, _ int) {
	tileGeneric(c, ldc, mr, nr, a, ra, ka, b, m)
}
func pack(dst, wdst, x []float64, stride, m, cols int, origin, w []float64) {
	packGeneric(dst, wdst, x, stride, m, cols, origin, w)
}

func fetch(*float64, int) {}

func exp(dst, src []float64)           { expGeneric(dst, src) }
func logistic(prob, loss, t []float64) { logisticGeneric(prob, loss, t) }
