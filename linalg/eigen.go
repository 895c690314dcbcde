package linalg

import (
	"math"
	"sort"
)

// Eigen holds eigenvalues and eigenvectors of a symmetric matrix or pair.
type Eigen struct {
	Values  []float64 // ascending
	Vectors *Dense    // row k belongs to Values[k]
}

// SymEigen returns the eigenvalues of the symmetric p×p matrix a, ascending, and
// orthonormal eigenvectors: A = VᵀΛV with the vectors in the rows of V. It reads
// the lower triangle and does not change a.
//
// Values are exact for a matrix within a small multiple of 2⁻⁵²‖A‖ of a, and the
// vectors are orthogonal to that precision however close the values are. Each
// vector's sign makes its entry of largest magnitude (the first of equals)
// positive. A value that exceeds the range of a float64 is infinite. O(p³), about
// 5p³ operations at worst, on GOMAXPROCS goroutines where the size warrants it; five
// times the memory of a. (Golub & Van Loan, §8.3 and §8.4: reduction to
// tridiagonal form, then divide and conquer.)
//
// Errors: *[ShapeError], *[NonFiniteError].
func SymEigen(a *Dense) (*Eigen, error) {
	work, scale, err := eigenWork(a)
	if err != nil {
		return nil, err
	}
	t := tridiagonalize(work)
	v, err := divideTridiagonal(t.d, t.e)
	if err != nil {
		return nil, err
	}
	t.backTransform(v)
	e := &Eigen{t.d, v}
	Scale(e.Values, 1/scale)
	for k := range v.Rows {
		fixSign(v.Row(k))
	}
	return e, nil
}

// SymEigenValues returns the eigenvalues of the symmetric matrix a, ascending.
// It is [SymEigen] without the vectors, in about half the time.
func SymEigenValues(a *Dense) ([]float64, error) {
	work, scale, err := eigenWork(a)
	if err != nil {
		return nil, err
	}
	t := tridiagonalize(work)
	if err := implicitQL(t.d, t.e, nil); err != nil {
		return nil, err
	}
	sort.Float64s(t.d)
	Scale(t.d, 1/scale)
	return t.d, nil
}

// eigenWork returns a symmetric copy of a's lower triangle times a power of two
// that keeps squares of its entries clear of overflow and underflow.
func eigenWork(a *Dense) (work *Dense, scale float64, err error) {
	if err := a.Check(); err != nil {
		return nil, 0, err
	}
	work, m, err := symmetricCopy(a)
	if err != nil {
		return nil, 0, err
	}
	scale = unitScale(m)
	Scale(work.Data, scale)
	return work, scale, nil
}

// symmetricCopy returns a full matrix made of the lower triangle of a, and its
// largest magnitude.
func symmetricCopy(a *Dense) (c *Dense, m float64, err error) {
	if a.Rows != a.Cols {
		return nil, 0, &ShapeError{a.Rows, "rows", a.Cols, "columns"}
	}
	c = Zeros(a.Rows, a.Cols)
	for i := range a.Rows {
		for j, v := range a.Row(i)[:i+1] {
			if v-v != 0 {
				return nil, 0, &NonFiniteError{"matrix", i, j, v}
			}
			m = max(m, math.Abs(v))
		}
		copy(c.Row(i), a.Row(i)[:i+1])
	}
	Symmetrize(c)
	return c, m, nil
}

// fixSign makes the entry of largest magnitude positive.
func fixSign(v []float64) {
	k, m := 0, 0.0
	for j, x := range v {
		if math.Abs(x) > m {
			k, m = j, math.Abs(x)
		}
	}
	if v[k] < 0 {
		for j, x := range v {
			v[j] = 0 - x // not −x, which makes −0 of 0
		}
	}
}
