package linalg

import "math"

// PivotedCholesky is the factorisation of a symmetric positive semidefinite
// matrix, scaled to a unit diagonal, with the largest remaining pivot first:
// it shows how many columns are independent, to within the rounding of a Gram
// matrix.
type PivotedCholesky struct {
	// Pivots are the pivots, not increasing to rounding. The k-th is the share of
	// the square of column Perm[k] that columns Perm[:k] leave.
	Pivots []float64
	Perm   []int
}

// NewPivotedCholesky factors a until a pivot is not above tol·p. It reads the lower
// triangle and changes nothing. A diagonal element that is not positive and finite
// counts as a zero column. O(p²·rank).
//
// For a Gram matrix of rounding 2⁻⁵² a pivot says nothing below about p·2⁻⁵²,
// which is 1e-8 of the column itself: there [QR] must decide. (Golub & Van
// Loan, §4.2.8; LAPACK working note 161.)
//
// Errors: *[ShapeError].
func NewPivotedCholesky(a *Dense, tol float64) (*PivotedCholesky, error) {
	if err := checkSquare(a); err != nil {
		return nil, err
	}
	p := a.Rows
	s := make([]float64, p)
	left := make([]float64, p) // the diagonal less the squares of the rows so far
	for j := range p {
		if d := a.At(j, j); d > 0 && !math.IsInf(d, 1) {
			s[j], left[j] = 1/math.Sqrt(d), 1
		}
	}
	c := &PivotedCholesky{Perm: Sequence(p)}
	u := Zeros(p, p) // row k is row k of the factor Lᵀ, in the order of a
	for k := range p {
		j := c.pivot(left, k)
		if !(left[j] > tol*float64(p)) {
			break
		}
		c.Pivots = append(c.Pivots, left[j])
		root := math.Sqrt(left[j])
		row := u.Row(k)
		for i := range p {
			row[i] = a.At(max(i, j), min(i, j)) * s[i] * s[j]
		}
		for m := range k {
			um := u.Row(m)
			Axpy(row, -um[j], um)
		}
		Scale(row, 1/root)
		for _, i := range c.Perm[k+1:] {
			left[i] -= row[i] * row[i]
		}
	}
	return c, nil
}

// pivot brings the column with the largest remaining diagonal to place k and returns it.
func (c *PivotedCholesky) pivot(left []float64, k int) int {
	best := k
	for i := k + 1; i < len(c.Perm); i++ {
		if left[c.Perm[i]] > left[c.Perm[best]] {
			best = i
		}
	}
	c.Perm[k], c.Perm[best] = c.Perm[best], c.Perm[k]
	return c.Perm[k]
}

// Rank returns the number of pivots found.
func (c *PivotedCholesky) Rank() int { return len(c.Pivots) }
