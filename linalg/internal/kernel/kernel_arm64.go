//go:build gc && !purego

package kernel

// Every arm64 processor has NEON.
func levels() []Level { return []Level{Generic, NEON} }

// short is the length below which a call into assembly costs more than the Go
// loop.
const short = 6

func dot(a, b []float64) float64 {
	if len(a) >= short && level == NEON {
		return dotNEON(&a[0], &b[0], len(a))
	}
	return dotGeneric(a, b)
}

func axpy(dst []float64, alpha float64, x []float64) {
	if len(x) >= short && level == NEON {
		axpyNEON(&dst[0], alpha, &x[0], len(x))
		return
	}
	axpyGeneric(dst, alpha, x)
}

func mulVec(dst []float64, inc int, x []float64, stride, n int, b []float64) {
	if len(b) >= short && level == NEON {
		mulVecNEON(&dst[0], inc, &x[0], stride, n, &b[0], len(b))
		return
	}
	mulVecGeneric(dst, inc, x, stride, n, b)
}

func mulTVec(dst, x []float64, stride int, r []float64) {
	if len(dst) >= short && level == NEON {
		mulTVecNEON(&dst[0], len(dst), &x[0], stride, &r[0], len(r))
		return
	}
	mulTVecGeneric(dst, x, stride, r)
}

func tile(c []float64, ldc, mr, nr int, a []float64, ra, ka int, b []float64, m int, _ *float64, _ int) {
	if level == NEON {
		tileByQuarters(c, ldc, mr, nr, a, ra, ka, b, m)
		return
	}
	tileGeneric(c, ldc, mr, nr, a, ra, ka, b, m)
}

func pack(dst, wdst, x []float64, stride, m, cols int, origin, w []float64) {
	packGeneric(dst, wdst, x, stride, m, cols, origin, w)
}

func firstWrong(sign, x []float64, stride int, b []float64, at float64) int {
	return firstWrongGeneric(sign, x, stride, b, at)
}

func affine(_ []float64, _ int, _ []float64, _, _ int, _, _ []float64, _ int, _ []float64) bool {
	return false
}

func argMax(_ []int, _ []float64, _, _ int) bool { return false }

func addAbs(dst, x []float64, stride, n int)   { addAbsGeneric(dst, x, stride, n) }
func inRange(v []float64, lo, hi float64) bool { return inRangeGeneric(v, lo, hi) }

func fetch(*float64, int) {}

func exp(dst, src []float64)           { expGeneric(dst, src) }
func logistic(prob, loss, t []float64) { logisticGeneric(prob, loss, t) }

//go:noescape
func dotNEON(a, b *float64, n int) float64

//go:noescape
func axpyNEON(dst *float64, alpha float64, x *float64, n int)

//go:noescape
func mulVecNEON(dst *float64, inc int, x *float64, stride, n int, b *float64, p int)

//go:noescape
func mulTVecNEON(dst *float64, p int, x *float64, stride int, r *float64, n int)

//go:noescape
func tile4x8(c *float64, ldc int, a *float64, ra, ka int, b *float64, m int)
