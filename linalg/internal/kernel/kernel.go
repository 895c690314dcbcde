package kernel

// Level names an implementation of the kernels.
type Level uint8

// The implementations. Which of them a program can use depends on how it was
// built and where it runs.
const (
	Generic Level = iota // Go
	AVX2                 // amd64: 4 values a register, fused multiply-add
	AVX512               // amd64: 8 values a register, masks
	NEON                 // arm64: 2 values a register
)

func (l Level) String() string {
	return [...]string{"generic", "avx2", "avx512", "neon"}[l]
}

var (
	available = levels()
	level     = available[len(available)-1]
)

// Levels returns the implementations that work here, the best one last.
func Levels() []Level { return available }

// InUse returns the implementation in use.
func InUse() Level { return level }

// Use selects one of [Levels] for the whole program and returns the one that
// was in use. It is for tests and benchmarks and must not be called while
// kernels run.
func Use(l Level) Level {
	old := level
	level = l
	return old
}

// callValues bounds the number of values that one call into assembly reads.
const callValues = 1 << 16

// Dot returns Σ aᵢbᵢ over the length of a.
func Dot(a, b []float64) float64 {
	b = b[:len(a)]
	s := 0.0
	for len(a) > callValues {
		s += dot(a[:callValues], b)
		a, b = a[callValues:], b[callValues:]
	}
	return s + dot(a, b)
}

// Axpy adds alpha·x to dst, over the length of x.
func Axpy(dst []float64, alpha float64, x []float64) {
	dst = dst[:len(x)]
	for len(x) > callValues {
		axpy(dst, alpha, x[:callValues])
		dst, x = dst[callValues:], x[callValues:]
	}
	axpy(dst, alpha, x)
}

// fetched is how many values of a row are fetched: the processor goes on by itself behind a page.
const fetched = 512

// Fetch has the processor read x into its cache while it does something else, as far as a page
// goes. It changes nothing, and does nothing where there is no assembly for it.
func Fetch(x []float64) {
	if len(x) > 0 {
		fetch(&x[0], min(len(x), fetched))
	}
}

// MulVec sets dst[i·inc] to Σⱼ x[i·stride+j]·b[j] for i < n, with the bits of
// [Dot].
func MulVec(dst []float64, inc int, x []float64, stride, n int, b []float64) {
	if n == 0 {
		return
	}
	_, _ = dst[(n-1)*inc], x[:(n-1)*stride+len(b)]
	if len(b) > callValues {
		for i := range n {
			dst[i*inc] = Dot(b, x[i*stride:])
		}
		return
	}
	rows := callRows(len(b))
	for ; n > rows; n -= rows {
		mulVec(dst, inc, x, stride, rows, b)
		dst, x = dst[rows*inc:], x[rows*stride:]
	}
	mulVec(dst, inc, x, stride, n, b)
}

// FirstWrong returns the first i at which sign[i]·(at + Σⱼ x[i·stride+j]·b[j]) > 0 does not hold,
// len(sign) where it holds for all, with the bits of [Dot].
func FirstWrong(sign, x []float64, stride int, b []float64, at float64) int {
	if len(sign) == 0 {
		return 0
	}
	_ = x[:(len(sign)-1)*stride+len(b)]
	if len(b) > callValues {
		return firstWrongGeneric(sign, x, stride, b, at)
	}
	done := 0
	for rows := callRows(len(b)); done+rows < len(sign); done += rows {
		if i := firstWrong(sign[done:done+rows], x[done*stride:], stride, b, at); i < rows {
			return done + i
		}
	}
	return done + firstWrong(sign[done:], x[done*stride:], stride, b, at)
}

// callRows is the number of rows of p ≤ callValues values that one call takes.
func callRows(p int) int { return max(4, callValues/(p+1)) }

// callClasses bounds the number of classes that one call of affine takes.
const callClasses = 128

// Affine sets dst[i·ldd+k] to at[k] + Σⱼ b[k·ldb+j]·(x[i·stride+j]−origin[j]) for
// i < n, or returns false: most levels do it best by way of [Tile].
func Affine(dst []float64, ldd int, x []float64, stride, n int, origin, b []float64, ldb int, at []float64) bool {
	p := len(origin)
	if n == 0 || len(at) == 0 || p == 0 || p > callValues {
		return false
	}
	for len(at) > callClasses {
		if !Affine(dst, ldd, x, stride, n, origin, b, ldb, at[:callClasses]) {
			return false
		}
		dst, b, at = dst[callClasses:], b[callClasses*ldb:], at[callClasses:]
	}
	_, _, _ = dst[:(n-1)*ldd+len(at)], x[:(n-1)*stride+p], b[:(len(at)-1)*ldb+p]
	rows := max(4, 16*callValues/(p*len(at)))
	for ; n > rows; n -= rows {
		if !affine(dst, ldd, x, stride, rows, origin, b, ldb, at) {
			return false
		}
		dst, x = dst[rows*ldd:], x[rows*stride:]
	}
	return affine(dst, ldd, x, stride, n, origin, b, ldb, at)
}

// ArgMax sets dst[i] to the j < k at which x[i·stride+j] is largest, the first of
// equals, where a NaN is smaller than any number; or it returns false: most levels
// have no kernel for it.
func ArgMax(dst []int, x []float64, stride, k int) bool {
	if len(dst) == 0 || k == 0 || k > callValues {
		return false
	}
	_ = x[:(len(dst)-1)*stride+k]
	rows := callRows(k)
	for ; len(dst) > rows; dst = dst[rows:] {
		if !argMax(dst[:rows], x, stride, k) {
			return false
		}
		x = x[rows*stride:]
	}
	return argMax(dst, x, stride, k)
}

// MulTVec adds Σᵢ r[i]·x[i·stride+j] to dst[j].
func MulTVec(dst, x []float64, stride int, r []float64) {
	if len(r) == 0 {
		return
	}
	_ = x[:(len(r)-1)*stride+len(dst)]
	for len(dst) > callValues {
		MulTVec(dst[:callValues], x, stride, r)
		dst, x = dst[callValues:], x[callValues:]
	}
	rows := callRows(len(dst))
	for ; len(r) > rows; r = r[rows:] {
		mulTVec(dst, x, stride, r[:rows])
		x = x[rows*stride:]
	}
	mulTVec(dst, x, stride, r)
}

// AddAbs adds Σᵢ |x[i·stride+j]| over i < n to dst[j].
func AddAbs(dst, x []float64, stride, n int) {
	if n == 0 || len(dst) == 0 {
		return
	}
	_ = x[:(n-1)*stride+len(dst)]
	for len(dst) > callValues {
		AddAbs(dst[:callValues], x, stride, n)
		dst, x = dst[callValues:], x[callValues:]
	}
	rows := callRows(len(dst))
	for ; n > rows; n -= rows {
		addAbs(dst, x, stride, rows)
		x = x[rows*stride:]
	}
	addAbs(dst, x, stride, n)
}

// InRange reports whether each value of v is 0 or between lo and hi in size; a NaN
// is not.
func InRange(v []float64, lo, hi float64) bool {
	for len(v) > callValues {
		if !inRange(v[:callValues], lo, hi) {
			return false
		}
		v = v[callValues:]
	}
	return inRange(v, lo, hi)
}

// Tile adds Σₖ a[k·ka+i·ra]·b[k·16+j] over k < m to c[i·ldc+j], for i < mr ≤ 8
// and j < nr ≤ 16. All of the eight values of a and the sixteen of b must be
// there whatever mr and nr are, but only those c are read and written. m should
// be at most a few thousand.
//
// What is needed next can be fetched meanwhile: the first m·step bytes of ahead,
// if it is not empty. The cost of a step above 16 shows where tiles follow one
// another.
func Tile(c []float64, ldc, mr, nr int, a []float64, ra, ka int, b []float64, m int, ahead []float64, step int) {
	if m <= 0 || mr <= 0 || nr <= 0 {
		return
	}
	_, _ = c[(mr-1)*ldc+nr-1], a[(m-1)*ka+(TileRows-1)*ra]
	_ = b[(m-1)*PanelCols+PanelCols-1]
	next := &b[0]
	if len(ahead) > 0 {
		next = &ahead[0]
	}
	tile(c, ldc, mr, nr, a, ra, ka, b, m, next, step)
}

// Pack writes a panel: dst[i·16+j] = x[i·stride+j] − origin[j] for i < m and
// j < cols ≤ 16, and 0 for the other j. With w it writes wdst[i·16+j] =
// w[i]·dst[i·16+j] too. A nil origin is 0; with a nil w, wdst is not used.
func Pack(dst, wdst, x []float64, stride, m, cols int, origin, w []float64) {
	if m <= 0 {
		return
	}
	_, _ = dst[:m*PanelCols], x[:(m-1)*stride+cols]
	if origin != nil {
		_ = origin[:cols]
	}
	if w != nil {
		_, _ = wdst[:m*PanelCols], w[:m]
	}
	pack(dst, wdst, x, stride, m, cols, origin, w)
}

// Exp sets dst[i] to exp(src[i]) over the length of src; dst may be src. The
// error is below 0.8 units in the last place with AVX2 and AVX512 and that of
// math.Exp, below 2, elsewhere. A value's result does not depend on where in src
// it stands.
func Exp(dst, src []float64) {
	dst = dst[:len(src)]
	for len(src) > callValues/8 {
		exp(dst, src[:callValues/8])
		dst, src = dst[callValues/8:], src[callValues/8:]
	}
	if len(src) > 0 {
		exp(dst, src)
	}
}

// Logistic sets prob[i] to 1/(1+exp(−t[i])) and loss[i] to log(1+exp(t[i])) over
// the length of t; one of them may be t. The errors are below 2.5 units in the
// last place.
func Logistic(prob, loss, t []float64) {
	prob, loss = prob[:len(t)], loss[:len(t)]
	for len(t) > callValues/8 {
		logistic(prob, loss, t[:callValues/8])
		prob, loss, t = prob[callValues/8:], loss[callValues/8:], t[callValues/8:]
	}
	if len(t) > 0 {
		logistic(prob, loss, t)
	}
}
