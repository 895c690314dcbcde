package linalg

import (
	"cmp"
	"fmt"
	"math"
	"sort"
)

// SVD holds the singular values and right vectors of an n×p matrix X = UΣV,
// where V has its vectors in the rows.
type SVD struct {
	Values []float64 // descending, min(n, p) of them
	V      *Dense    // min(n, p)×p, orthonormal rows; row k belongs to Values[k]
}

// NewSVD returns the thin decomposition of x without its left vectors, which are
// X·vₖ/σₖ. Each vector's sign makes its entry of largest magnitude (the first of
// equals) positive.
//
// X is reduced to a triangle by Householder QR with the longest column as pivot (for n > 2p by blocks of
// rows, with no copy of X), and the rows of the triangle are made orthogonal by
// rotations, which end as σₖvₖ. Values are then right to a few units of 2⁻⁵²σₖ
// relative to the scale of X's columns, not of its largest value only; those below
// about 1e-135·σ₀ are 0, one that exceeds the range of a float64 is infinite.
// O(np²) and some 10p³. (One-sided Jacobi: Golub & Van Loan, §8.6; Drmač & Veselić, LAPACK
// working notes 169 and 170, for the triangle.)
//
// Errors: *[ShapeError], *[NonFiniteError].
func NewSVD(x *Dense) (*SVD, error) {
	if err := x.Check(); err != nil {
		return nil, err
	}
	n, p := x.Dims()
	unit := 1.0
	if n > 2*p {
		t, err := NewTallQR(x, nil, nil, nil, 0)
		if err != nil {
			return nil, err
		}
		if x = t.R(); !allFinite(x.Data) { // a column that is longer than its values
			unit = 0x1p-32
			Scale(t.r.Data, unit)
			x = t.R()
		}
	}
	scale, err := overallScale(x)
	if err != nil {
		return nil, err
	}
	x = x.Clone()
	Scale(x.Data, scale)
	q, err := newQR(x, true)
	if err != nil {
		return nil, err
	}
	rows := q.R()
	if err := jacobiRows(rows); err != nil {
		return nil, err
	}
	s := &SVD{make([]float64, rows.Rows), Zeros(rows.Rows, p)}
	norms := make([]float64, rows.Rows)
	for k := range norms {
		norms[k] = Norm(rows.Row(k))
	}
	order := Sequence(rows.Rows)
	SortFunc(order, func(i, j int) int { return cmp.Compare(norms[j], norms[i]) })
	for k, i := range order {
		s.Values[k] = norms[i]
		for j, v := range rows.Row(i) {
			if norms[i] > 0 {
				s.V.Set(k, q.perm[j], v/norms[i])
			}
		}
	}
	s.complete()
	for k := range s.Values {
		s.Values[k] = s.Values[k] / scale / unit
		fixSign(s.V.Row(k))
	}
	return s, nil
}

func overallScale(x *Dense) (float64, error) {
	if err := x.CheckFinite(); err != nil {
		return 0, err
	}
	m := 0.0
	for i := range x.Rows {
		m = max(m, NormInf(x.Row(i)))
	}
	return unitScale(m), nil
}

// tinyRow is the squared length under which squares of elements lose digits; the
// largest element of all is about 1.
const tinyRow = 0x1p-900

// mostSweeps bounds the sweeps, of which ten are usual. (As in LAPACK's dgesvj.)
const mostSweeps = 30

// together is the number of rows that turn against each of the others while it is in the cache.
const together = 8

// jacobiRows rotates the rows of a against each other until any two are
// orthogonal to working precision.
func jacobiRows(a *Dense) error {
	n := a.Rows
	tol := eps * math.Sqrt(float64(a.Cols))
	norm2 := make([]float64, n)
	for sweep := 0; ; sweep++ {
		for i := range n {
			norm2[i] = Dot(a.Row(i), a.Row(i))
			if norm2[i] < tinyRow {
				norm2[i] = 0
				clear(a.Row(i))
			}
		}
		rotations := 0
		for lo := 0; lo < n; lo += together {
			for j := lo + 1; j < n; j++ {
				for i := lo; i < min(j, lo+together); i++ {
					if jacobiPair(a.Row(i), a.Row(j), norm2, i, j, tol) {
						rotations++
					}
				}
			}
		}
		if rotations == 0 {
			return nil
		}
		if sweep == mostSweeps {
			return fmt.Errorf("singular values: %d pairs of %d rows not orthogonal after %d sweeps", rotations, n, sweep)
		}
	}
}

// jacobiPair makes rows u and v orthogonal and reports whether they were not. A rotation is three
// additions of a multiple of a row to the other.
func jacobiPair(u, v, norm2 []float64, i, j int, tol float64) bool {
	a, b := norm2[i], norm2[j]
	if a == 0 || b == 0 {
		return false
	}
	c := Dot(u, v)
	if math.Abs(c) <= tol*math.Sqrt(a)*math.Sqrt(b) {
		return false
	}
	zeta := (b - a) / (2 * c)
	t := math.Copysign(1/(math.Abs(zeta)+math.Sqrt(1+zeta*zeta)), zeta) // by tinyRow, |ζ| < 2⁵⁰⁵
	cos := 1 / math.Sqrt(1+t*t)
	half := cos * t / (1 + cos) // the tangent of half the angle
	Axpy(u, -half, v)
	Axpy(v, cos*t, u)
	Axpy(u, -half, v)
	norm2[i], norm2[j] = max(0, a-t*c), max(0, b+t*c) // but for rounding, until the next sweep
	return true
}

// complete replaces the zero rows of V, which belong to values of 0, by an
// orthonormal basis of the complement of the others.
func (s *SVD) complete() {
	r := sort.Search(len(s.Values), func(k int) bool { return s.Values[k] == 0 })
	if r == len(s.Values) {
		return
	}
	if r == 0 {
		for k := range s.Values {
			s.V.Set(k, k, 1)
		}
		return
	}
	f := newReflectors(s.V.RowRange(0, r).Clone())
	for k := r; k < len(s.Values); k++ {
		row := s.V.Row(k)
		row[k] = 1
		f.mulQ(row)
	}
}
