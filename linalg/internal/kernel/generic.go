package kernel

import "math"

func dotGeneric(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := (*[4]float64)(a[i:]), (*[4]float64)(b[i:])
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

func axpyGeneric(dst []float64, alpha float64, x []float64) {
	dst = dst[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		d, v := (*[4]float64)(dst[i:]), (*[4]float64)(x[i:])
		d[0] += alpha * v[0]
		d[1] += alpha * v[1]
		d[2] += alpha * v[2]
		d[3] += alpha * v[3]
	}
	for ; i < len(x); i++ {
		dst[i] += alpha * x[i]
	}
}

// mulVecGeneric takes two rows at a time, so that b is loaded half as often: one
// of each half, because processors foresee two long streams and not two short ones
// in turn.
func mulVecGeneric(dst []float64, inc int, x []float64, stride, n int, b []float64) {
	p, half := len(b), n/2
	for i := range half {
		r, q := x[i*stride:][:p], x[(half+i)*stride:][:p]
		var s0, s1, s2, s3, t0, t1, t2, t3 float64
		j := 0
		for ; j+4 <= p; j += 4 {
			u, v, y := (*[4]float64)(r[j:]), (*[4]float64)(q[j:]), (*[4]float64)(b[j:])
			s0 += u[0] * y[0]
			t0 += v[0] * y[0]
			s1 += u[1] * y[1]
			t1 += v[1] * y[1]
			s2 += u[2] * y[2]
			t2 += v[2] * y[2]
			s3 += u[3] * y[3]
			t3 += v[3] * y[3]
		}
		for ; j < p; j++ {
			s0 += r[j] * b[j]
			t0 += q[j] * b[j]
		}
		dst[i*inc] = (s0 + s1) + (s2 + s3)
		dst[(half+i)*inc] = (t0 + t1) + (t2 + t3)
	}
	if n%2 == 1 {
		dst[(n-1)*inc] = dotGeneric(b, x[(n-1)*stride:])
	}
}

// firstWrongGeneric has the bits of [Dot] at any level.
func firstWrongGeneric(sign, x []float64, stride int, b []float64, at float64) int {
	for i, s := range sign {
		if !(s*(at+Dot(b, x[i*stride:])) > 0) {
			return i
		}
	}
	return len(sign)
}

// mulTVecGeneric takes four rows at a time, so that dst is loaded and stored a
// quarter as often: one of each fourth, as mulVecGeneric one of each half.
func mulTVecGeneric(dst, x []float64, stride int, r []float64) {
	p, part := len(dst), len(r)/4
	row := func(i int) []float64 { return x[i*stride:][:p] }
	for i := range part {
		a, b, c, d := row(i), row(part+i), row(2*part+i), row(3*part+i)
		ra, rb, rc, rd := r[i], r[part+i], r[2*part+i], r[3*part+i]
		for j := range dst {
			dst[j] += (ra*a[j] + rb*b[j]) + (rc*c[j] + rd*d[j])
		}
	}
	for i := 4 * part; i < len(r); i++ {
		axpyGeneric(dst, r[i], row(i))
	}
}

// addAbsGeneric takes four rows at a time, as mulTVecGeneric does.
func addAbsGeneric(dst, x []float64, stride, n int) {
	p := len(dst)
	i := 0
	for ; i+4 <= n; i += 4 {
		a, b, c, d := x[i*stride:][:p], x[(i+1)*stride:][:p], x[(i+2)*stride:][:p], x[(i+3)*stride:][:p]
		for j := range dst {
			dst[j] += math.Abs(a[j]) + math.Abs(b[j]) + (math.Abs(c[j]) + math.Abs(d[j]))
		}
	}
	for ; i < n; i++ {
		for j, v := range x[i*stride:][:p] {
			dst[j] += math.Abs(v)
		}
	}
}

func inRangeGeneric(v []float64, lo, hi float64) bool {
	for _, x := range v {
		if a := math.Abs(x); !(a <= hi) || a < lo && a != 0 {
			return false
		}
	}
	return true
}

// pairRows is how many pairs of values of A are put side by side at a time.
const pairRows = 128

// tileGeneric works on 2×4 elements of C at a time: eight sums, two values of A
// and those of B on the way fill sixteen registers.
func tileGeneric(c []float64, ldc, mr, nr int, a []float64, ra, ka int, b []float64, m int) {
	var pairs [2 * pairRows]float64
	for k := 0; k < m; k += pairRows {
		n := min(pairRows, m-k)
		for i := 0; i < mr; i += 2 {
			at := k*ka + i*ra
			for t := range n {
				pairs[2*t], pairs[2*t+1] = a[at], a[at+ra]
				at += ka
			}
			for j := 0; j < nr; j += 4 {
				s := mac2x4(pairs[:2*n], b[k*PanelCols+j:(k+n)*PanelCols])
				for ii := range min(2, mr-i) {
					row := c[(i+ii)*ldc+j:]
					for jj := range min(4, nr-j) {
						row[jj] += s[4*ii+jj]
					}
				}
			}
		}
	}
}

// mac2x4 returns Σₖ a[2k+i]·b[16k+j] for i < 2, j < 4. Four terms are written
// out at a time, with all indices constant, for the sake of the bounds checks
// and of the order in which the compiler puts the products and sums.
func mac2x4(a, b []float64) [8]float64 {
	var s0, s1, s2, s3, t0, t1, t2, t3 float64
	for len(a) >= 8 && len(b) >= 64 {
		p, q := (*[8]float64)(a), (*[64]float64)(b)
		s0 += p[0] * q[0]
		t0 += p[1] * q[0]
		s1 += p[0] * q[1]
		t1 += p[1] * q[1]
		s2 += p[0] * q[2]
		t2 += p[1] * q[2]
		s3 += p[0] * q[3]
		t3 += p[1] * q[3]

		s0 += p[2] * q[16]
		t0 += p[3] * q[16]
		s1 += p[2] * q[17]
		t1 += p[3] * q[17]
		s2 += p[2] * q[18]
		t2 += p[3] * q[18]
		s3 += p[2] * q[19]
		t3 += p[3] * q[19]

		s0 += p[4] * q[32]
		t0 += p[5] * q[32]
		s1 += p[4] * q[33]
		t1 += p[5] * q[33]
		s2 += p[4] * q[34]
		t2 += p[5] * q[34]
		s3 += p[4] * q[35]
		t3 += p[5] * q[35]

		s0 += p[6] * q[48]
		t0 += p[7] * q[48]
		s1 += p[6] * q[49]
		t1 += p[7] * q[49]
		s2 += p[6] * q[50]
		t2 += p[7] * q[50]
		s3 += p[6] * q[51]
		t3 += p[7] * q[51]
		a, b = a[8:], b[64:]
	}
	for len(a) >= 2 {
		x, y, v := a[0], a[1], (*[4]float64)(b)
		s0 += x * v[0]
		t0 += y * v[0]
		s1 += x * v[1]
		t1 += y * v[1]
		s2 += x * v[2]
		t2 += y * v[2]
		s3 += x * v[3]
		t3 += y * v[3]
		a, b = a[2:], b[min(PanelCols, len(b)):]
	}
	return [8]float64{s0, s1, s2, s3, t0, t1, t2, t3}
}

func packGeneric(dst, wdst, x []float64, stride, m, cols int, origin, w []float64) {
	for i := range m {
		d := (*[PanelCols]float64)(dst[i*PanelCols:])
		row := x[i*stride:][:cols]
		if origin != nil {
			for j, c := range origin[:cols] {
				d[j&15] = row[j] - c
			}
		} else {
			for j, v := range row {
				d[j&15] = v
			}
		}
		for j := cols; j < PanelCols; j++ {
			d[j&15] = 0
		}
		if w == nil {
			continue
		}
		e, wi := (*[PanelCols]float64)(wdst[i*PanelCols:]), w[i]
		for j, v := range d {
			e[j] = wi * v
		}
	}
}

func expGeneric(dst, src []float64) {
	for i, x := range src {
		dst[i] = math.Exp(x)
	}
}

func logisticGeneric(prob, loss, t []float64) {
	for i, x := range t {
		e := math.Exp(-math.Abs(x))
		l := math.Log1p(e)
		if x < 0 {
			prob[i], loss[i] = e/(1+e), l
		} else {
			prob[i], loss[i] = 1/(1+e), x+l
		}
	}
}
