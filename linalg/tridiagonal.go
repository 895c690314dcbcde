package linalg

// tridiagonal is the reduction A = QTQᵀ of a symmetric matrix to a tridiagonal
// one by n−2 reflections Q = H₀H₁…
type tridiagonal struct {
	a    *Dense    // row k holds reflector k behind its diagonal, v[k+1] = 1
	tau  []float64 // of the reflectors
	d, e []float64 // diagonal and subdiagonal of T; e has length n−1
}

// tridiagonalise overwrites a, of which it reads the upper triangle. Its entries
// must be of a size that squares do not overflow. O(4n³/3).
//
// The update is the symmetric rank-two one, A − vwᵀ − wvᵀ. (Golub & Van Loan,
// algorithm 8.3.1.)
func tridiagonalise(a *Dense) *tridiagonal {
	n := a.Rows
	t := &tridiagonal{a, make([]float64, max(n-2, 0)), make([]float64, n), make([]float64, n-1)}
	w := make([]float64, n)
	for k := range t.tau {
		v := a.Row(k)[k+1:]
		tau := reflector(v)
		t.tau[k], t.e[k] = tau, v[0]
		v[0] = 1
		if tau == 0 {
			continue
		}
		w := w[:len(v)]
		clear(w)
		for i, vi := range v {
			row := a.Row(k + 1 + i)[k+1+i:]
			w[i] += Dot(row, v[i:])
			Axpy(w[i+1:], vi, row[1:])
		}
		Scale(w, tau)
		Axpy(w, -tau/2*Dot(w, v), v)
		for i, vi := range v {
			row := a.Row(k + 1 + i)[k+1+i:]
			Axpy(row, -vi, w[i:])
			Axpy(row, -w[i], v[i:])
		}
	}
	for i := range n {
		t.d[i] = a.At(i, i)
	}
	if n > 1 {
		t.e[n-2] = a.At(n-2, n-1)
	}
	return t
}

// back overwrites the rows s of eigenvectors of T with those of A, Qs.
func (t *tridiagonal) back(s *Dense) {
	For(s.Rows, max(8, (1<<18)/(s.Cols*s.Cols)), 0, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := s.Row(i)
			for k := len(t.tau) - 1; k >= 0; k-- {
				v, u := t.a.Row(k)[k+1:], row[k+1:]
				Axpy(u, -t.tau[k]*Dot(v, u), v)
			}
		}
	})
}
