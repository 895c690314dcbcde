package linalg

import (
	"math"

	"halfspace/linalg/internal/kernel"
)

// tridiagonal is the reduction A = QTQᵀ of a symmetric matrix to a tridiagonal
// one by n−2 reflections Q = H₀H₁…
type tridiagonal struct {
	a    *Dense    // row k holds reflector k behind its diagonal, v[k+1] = 1
	tau  []float64 // of the reflectors
	d, e []float64 // diagonal and subdiagonal of T; e has length n−1
}

// tridiagonalize reads the upper triangle of a, whose largest entry must be of a
// size about 1, and overwrites a. O(4n³/3).
//
// Each reflection replaces the rest of A by A − vwᵀ − wvᵀ. That update waits for
// the next reflection's product with A, which is formed in the same pass over
// the rows, so the matrix goes through the cache once a column. (Golub & Van
// Loan, algorithm 8.3.1.)
func tridiagonalize(a *Dense) *tridiagonal {
	n := a.Rows
	t := &tridiagonal{a, make([]float64, max(n-2, 0)), make([]float64, n), make([]float64, n-1)}
	now, before := Zeros(2, n), Zeros(2, n) // v and w, of this step and of the last
	for k := range t.tau {
		rankTwo(a, before, k, k+1)
		t.d[k] = a.At(k, k)
		row := a.Row(k)[k+1:]
		tau := reflector(row)
		t.tau[k], t.e[k] = tau, row[0]
		row[0] = 1
		v, w := now.Row(0), now.Row(1)
		copy(v[k+1:], row)
		symmetricProduct(a, before, v, w, k+1)
		v, w = v[k+1:], w[k+1:]
		Scale(w, tau)
		Axpy(w, -tau/2*Dot(w, v), v)
		now, before = before, now
	}
	for k := len(t.tau); k < n; k++ {
		rankTwo(a, before, k, k+1)
		t.d[k] = a.At(k, k)
		if k < n-1 {
			t.e[k] = a.At(k, k+1)
		}
	}
	flushTiny(t.d)
	flushTiny(t.e)
	return t
}

// flushTiny sets elements to 0 that are negligible beside one of size about 1 and so
// small that products with them would lose digits.
func flushTiny(v []float64) {
	for i, x := range v {
		if math.Abs(x) < 0x1p-300 {
			v[i] = 0
		}
	}
}

// productRows is the number of rows of a symmetric matrix that are multiplied
// at a time, so that vectors are loaded once for all of them.
const productRows = 8

// symmetricProduct applies the waiting rank-two update to rows and columns from
// lo on of a, and sets w[lo:] to the product of the updated part with v.
func symmetricProduct(a, update *Dense, v, w []float64, lo int) {
	n := a.Rows
	clear(w[lo:])
	var part [productRows]float64
	for i := lo; i < n; i += productRows {
		end := min(i+productRows, n)
		rankTwo(a, update, i, end)
		for r := i; r < end; r++ {
			row := a.Data[r*a.Stride : r*a.Stride+n]
			s := row[r] * v[r]
			for c := r + 1; c < end; c++ {
				s += row[c] * v[c]
				w[c] += row[c] * v[r]
			}
			w[r] += s
		}
		if end == n {
			break
		}
		block := a.Data[i*a.Stride+end:]
		kernel.MulVec(part[:], 1, block, a.Stride, end-i, v[end:])
		for r, s := range part[:end-i] {
			w[i+r] += s
		}
		kernel.MulTVec(w[end:], block, a.Stride, v[i:end])
	}
}

// rankTwo subtracts vwᵀ + wvᵀ from the upper triangle of rows lo ≤ i < hi.
func rankTwo(a, vw *Dense, lo, hi int) {
	n := a.Cols
	for i := lo; i < hi; i++ {
		minus := [2]float64{-vw.Data[n+i], -vw.Data[i]}
		kernel.MulTVec(a.Data[i*a.Stride+i:i*a.Stride+n], vw.Data[i:], n, minus[:])
	}
}

// backBlock is the number of reflectors that are applied as one product.
const backBlock = 32

// backTransform overwrites the rows s of eigenvectors of T with those of A, Qs.
// O(2n²) for each row, by products of matrices: a block of reflectors is one
// I − VᵀTV. The entries of a beside the reflectors are lost.
func (t *tridiagonal) backTransform(s *Dense) {
	n := s.Cols
	for hi := len(t.tau); hi > 0; {
		lo := max(0, hi-1) / backBlock * backBlock
		v := t.a.window(lo, hi, lo+1, n)
		for i := range v.Rows {
			clear(v.Row(i)[:i])
		}
		gram, tv := Zeros(v.Rows, v.Rows), Zeros(v.Rows, v.Cols)
		MulBTAdd(gram, 1, v, v)
		MulAdd(tv, 1, blockReflector(gram, t.tau[lo:hi]), v)
		For(s.Rows, productChunk(v.Rows, v.Cols), 0, func(a, b int) {
			rows := s.window(a, b, lo+1, n)
			p := Zeros(b-a, v.Rows)
			MulBTAdd(p, 1, rows, v)
			MulAdd(rows, -1, p, tv)
		})
		hi = lo
	}
}
