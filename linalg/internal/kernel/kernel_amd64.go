//go:build gc && !purego

package kernel

// levels asks the processor for its instructions and the operating system for
// the registers it saves. (Intel SDM vol. 1, §14.3 and §15.2.)
func levels() []Level {
	all := []Level{Generic}
	maxLeaf, _, _, _ := cpuid(0, 0)
	if maxLeaf < 7 {
		return all
	}
	const (
		fma     = 1 << 12 // leaf 1, ecx
		osxsave = 1 << 27
		avx     = 1 << 28
		avx2    = 1 << 5 // leaf 7, ebx
		f       = 1 << 16
		dq      = 1 << 17
		vl      = 1 << 31
		ymm     = 0x06 // xcr0
		zmm     = 0xe6
	)
	_, _, c, _ := cpuid(1, 0)
	if c&(fma|osxsave|avx) != fma|osxsave|avx {
		return all
	}
	_, b, _, _ := cpuid(7, 0)
	saved := xgetbv()
	if b&avx2 != 0 && saved&ymm == ymm {
		all = append(all, AVX2)
		if b&(f|dq|vl) == f|dq|vl && saved&zmm == zmm {
			all = append(all, AVX512)
		}
	}
	return all
}

func cpuid(leaf, sub uint32) (a, b, c, d uint32)
func xgetbv() (lo uint32)

//go:noescape
func fetch(x *float64, n int)

// short is the length below which a call into assembly costs more than the Go
// loop.
const short = 6

func dot(a, b []float64) float64 {
	if len(a) >= short {
		switch level {
		case AVX512:
			return dotAVX512(&a[0], &b[0], len(a))
		case AVX2:
			return dotAVX2(&a[0], &b[0], len(a))
		}
	}
	return dotGeneric(a, b)
}

func axpy(dst []float64, alpha float64, x []float64) {
	if len(x) >= short {
		switch level {
		case AVX512:
			axpyAVX512(&dst[0], alpha, &x[0], len(x))
			return
		case AVX2:
			axpyAVX2(&dst[0], alpha, &x[0], len(x))
			return
		}
	}
	axpyGeneric(dst, alpha, x)
}

func mulVec(dst []float64, inc int, x []float64, stride, n int, b []float64) {
	if len(b) >= short {
		switch level {
		case AVX512:
			mulVecAVX512(&dst[0], inc, &x[0], stride, n, &b[0], len(b))
			return
		case AVX2:
			mulVecAVX2(&dst[0], inc, &x[0], stride, n, &b[0], len(b))
			return
		}
	}
	mulVecGeneric(dst, inc, x, stride, n, b)
}

func firstWrong(sign, x []float64, stride int, b []float64, at float64) int {
	if len(b) >= short {
		switch level {
		case AVX512:
			return firstWrongAVX512(&sign[0], &x[0], stride, len(sign), &b[0], len(b), at)
		case AVX2:
			return firstWrongAVX2(&sign[0], &x[0], stride, len(sign), &b[0], len(b), at)
		}
	}
	return firstWrongGeneric(sign, x, stride, b, at)
}

func affine(dst []float64, ldd int, x []float64, stride, n int, origin, b []float64, ldb int, at []float64) bool {
	if level != AVX512 {
		return false
	}
	affineAVX512(&dst[0], ldd, &x[0], stride, n, &origin[0], &b[0], ldb, len(at), &at[0], len(origin))
	return true
}

func argMax(dst []int, x []float64, stride, k int) bool {
	if level != AVX512 {
		return false
	}
	argMaxAVX512(&dst[0], &x[0], stride, len(dst), k)
	return true
}

func mulTVec(dst, x []float64, stride int, r []float64) {
	if len(dst) >= short {
		switch level {
		case AVX512:
			mulTVecAVX512(&dst[0], len(dst), &x[0], stride, &r[0], len(r))
			return
		case AVX2:
			mulTVecAVX2(&dst[0], len(dst), &x[0], stride, &r[0], len(r))
			return
		}
	}
	mulTVecGeneric(dst, x, stride, r)
}

func addAbs(dst, x []float64, stride, n int) {
	if len(dst) >= short {
		switch level {
		case AVX512:
			addAbsAVX512(&dst[0], len(dst), &x[0], stride, n)
			return
		case AVX2:
			addAbsAVX2(&dst[0], len(dst), &x[0], stride, n, &lanes[PanelCols-len(dst)%4])
			return
		}
	}
	addAbsGeneric(dst, x, stride, n)
}

func inRange(v []float64, lo, hi float64) bool {
	if len(v) >= short && level != Generic {
		return inRangeAVX2(&v[0], len(v), lo, hi)
	}
	return inRangeGeneric(v, lo, hi)
}

func tile(c []float64, ldc, mr, nr int, a []float64, ra, ka int, b []float64, m int, ahead *float64, step int) {
	switch level {
	case AVX512:
		tileAVX512(&c[0], ldc, mr, nr, &a[0], ra, ka, &b[0], m, ahead, step)
	case AVX2:
		if last := nr % 8; mr > 4 && 0 < last && last <= 4 {
			nr -= last
			narrowTile(c[nr:], ldc, mr, last, a, ra, ka, b[nr:], m)
		}
		tileByQuarters(c, ldc, mr, nr, a, ra, ka, b, m)
	default:
		tileGeneric(c, ldc, mr, nr, a, ra, ka, b, m)
	}
}

// narrowTile is Tile for nr ≤ 4: of two quarters half would be for columns that are not there.
func narrowTile(c []float64, ldc, mr, nr int, a []float64, ra, ka int, b []float64, m int) {
	if mr == TileRows && nr == 4 {
		tile8x4(&c[0], ldc, &a[0], ra, ka, &b[0], m)
		return
	}
	var s [TileRows][4]float64
	tile8x4(&s[0][0], 4, &a[0], ra, ka, &b[0], m)
	for i := range mr {
		for j, v := range s[i][:nr] {
			c[i*ldc+j] += v
		}
	}
}

func pack(dst, wdst, x []float64, stride, m, cols int, origin, w []float64) {
	var d, o, u *float64
	if w != nil {
		d, u = &wdst[0], &w[0]
	}
	if origin != nil {
		o = &origin[0]
	}
	switch level {
	case AVX512:
		packAVX512(&dst[0], d, &x[0], stride, m, cols, o, u)
	case AVX2:
		packAVX2(&dst[0], d, &x[0], stride, m, &lanes[PanelCols-cols], o, u)
	default:
		packGeneric(dst, wdst, x, stride, m, cols, origin, w)
	}
}

func exp(dst, src []float64) {
	switch level {
	case AVX512:
		expAVX512(&dst[0], &src[0], len(src))
	case AVX2:
		expAVX2(&dst[0], &src[0], len(src), &lanes[PanelCols-len(src)%4])
	default:
		expGeneric(dst, src)
	}
}

func logistic(prob, loss, t []float64) {
	switch level {
	case AVX512:
		logisticAVX512(&prob[0], &loss[0], &t[0], len(t))
	case AVX2:
		logisticAVX2(&prob[0], &loss[0], &t[0], len(t), &lanes[PanelCols-len(t)%4])
	default:
		logisticGeneric(prob, loss, t)
	}
}

// lanes[16−n:] begins with n masks that are on.
var lanes = func() (l [2 * PanelCols]int64) {
	for i := range PanelCols {
		l[i] = -1
	}
	return l
}()

//go:noescape
func dotAVX512(a, b *float64, n int) float64

//go:noescape
func firstWrongAVX512(sign, x *float64, stride, n int, b *float64, p int, at float64) int

//go:noescape
func axpyAVX512(dst *float64, alpha float64, x *float64, n int)

//go:noescape
func mulVecAVX512(dst *float64, inc int, x *float64, stride, n int, b *float64, p int)

//go:noescape
func affineAVX512(dst *float64, ldd int, x *float64, stride, n int, origin, b *float64, ldb, k int, at *float64, p int)

//go:noescape
func argMaxAVX512(dst *int, x *float64, stride, n, k int)

//go:noescape
func mulTVecAVX512(dst *float64, p int, x *float64, stride int, r *float64, n int)

//go:noescape
func addAbsAVX512(dst *float64, p int, x *float64, stride, n int)

//go:noescape
func tileAVX512(c *float64, ldc, mr, nr int, a *float64, ra, ka int, b *float64, m int, ahead *float64, step int)

//go:noescape
func packAVX512(dst, wdst, x *float64, stride, m, cols int, origin, w *float64)

//go:noescape
func dotAVX2(a, b *float64, n int) float64

//go:noescape
func firstWrongAVX2(sign, x *float64, stride, n int, b *float64, p int, at float64) int

//go:noescape
func axpyAVX2(dst *float64, alpha float64, x *float64, n int)

//go:noescape
func mulVecAVX2(dst *float64, inc int, x *float64, stride, n int, b *float64, p int)

//go:noescape
func mulTVecAVX2(dst *float64, p int, x *float64, stride int, r *float64, n int)

//go:noescape
func packAVX2(dst, wdst, x *float64, stride, m int, lanes *int64, origin, w *float64)

//go:noescape
func addAbsAVX2(dst *float64, p int, x *float64, stride, n int, lanes *int64)

//go:noescape
func inRangeAVX2(v *float64, n int, lo, hi float64) bool

//go:noescape
func tile4x8(c *float64, ldc int, a *float64, ra, ka int, b *float64, m int)

//go:noescape
func tile8x4(c *float64, ldc int, a *float64, ra, ka int, b *float64, m int)

//go:noescape
func expAVX512(dst, src *float64, n int)

//go:noescape
func logisticAVX512(prob, loss, t *float64, n int)

//go:noescape
func expAVX2(dst, src *float64, n int, lanes *int64)

//go:noescape
func logisticAVX2(prob, loss, t *float64, n int, lanes *int64)
