package linalg

import "math"

// PackLower returns the lower triangle of a square matrix, row by row: the
// p(p+1)/2 numbers that a symmetric matrix or a Cholesky factor is saved as.
func PackLower(a *Dense) []float64 {
	v := make([]float64, 0, a.Rows*(a.Rows+1)/2)
	for i := range a.Rows {
		v = append(v, a.Row(i)[:i+1]...)
	}
	return v
}

// UnpackLower returns the p×p lower triangular matrix that PackLower wrote, zero
// above the diagonal. The length is checked before anything is allocated.
//
// Errors: *[ShapeError], *[NonFiniteError].
func UnpackLower(v []float64, p int) (*Dense, error) {
	if p <= 0 || p > 1<<26 || int64(len(v)) != int64(p)*int64(p+1)/2 {
		return nil, &ShapeError{p, "columns", len(v), "values of their lower triangle"}
	}
	if err := CheckFinite("lower triangle", v); err != nil {
		return nil, err
	}
	a := Zeros(p, p)
	for i := range p {
		copy(a.Row(i), v[:i+1])
		v = v[i+1:]
	}
	return a, nil
}

// CholeskyOf returns the factorisation whose factor is l, lower triangular with
// zeros above the diagonal, which it keeps: a factor that was saved, or the Rᵀ of
// a QR factorisation.
//
// Errors: *[PivotError] where the diagonal is not positive and finite,
// *[ShapeError].
func CholeskyOf(l *Dense) (*Cholesky, error) {
	if err := checkSquare(l); err != nil {
		return nil, err
	}
	for j := range l.Rows {
		if d := l.At(j, j); !(d > 0) || math.IsInf(d, 1) {
			return nil, &PivotError{j, d}
		}
	}
	return &Cholesky{l}, nil
}
