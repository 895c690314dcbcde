package linalg

import (
	"fmt"
	"math"
	"slices"
)

// maxSweeps bounds the iterations for one eigenvalue. Two or three are usual,
// and with finite input the shift makes the convergence cubic.
const maxSweeps = 60

// implicitQL overwrites d with the eigenvalues, in no order, of the symmetric
// tridiagonal matrix with diagonal d and subdiagonal e, which it destroys. Where
// rows is not nil, its rows are rotated alongside: rows that start as the
// identity end as the eigenvectors, row k that of d[k]. O(n²), and about 3n² row
// operations of O(n) for the vectors.
//
// The largest element must be of a size about 1 and the others not below 2⁻³⁰⁰,
// or 0. The shift is Wilkinson's. A block whose large elements come first is
// reversed, because the sweep runs upwards and would drown the small ones in the
// rounding of the large. (Golub & Van Loan, §8.3; Dubrulle, Martin &
// Wilkinson, "The implicit QL algorithm", 1968.)
func implicitQL(d, e []float64, rows *Dense) error {
	n := len(d)
	size := max(NormInf(d), NormInf(e))
	for l := range n {
		tiny := 0x1p-100 * size
		for sweep := 0; ; sweep++ {
			m := l
			for m < n-1 && math.Abs(e[m]) > tiny && e[m]*e[m] > eps*eps*math.Abs(d[m]*d[m+1]) {
				m++
			}
			if m == l {
				break
			}
			switch {
			case sweep == 0 && math.Abs(d[l]) > math.Abs(d[m]):
				reverseBlock(d[l:m+1], e[l:m], rows, l)
			case sweep == maxSweeps/2:
				// Rows that differ by rounding alone need not agree to more.
				tiny = eps * size
			case sweep == maxSweeps:
				return fmt.Errorf("eigenvalue %d of %d not found in %d sweeps", l, n, sweep)
			}
			g := (d[l+1] - d[l]) / (2 * e[l])
			g = d[m] - d[l] + e[l]/(g+math.Copysign(math.Sqrt(g*g+1), g))
			qlSweep(d, e, rows, l, m, g)
		}
	}
	return nil
}

// reverseBlock reverses a block that begins at row l.
func reverseBlock(d, e []float64, rows *Dense, l int) {
	slices.Reverse(d)
	slices.Reverse(e)
	if rows == nil {
		return
	}
	for i, j := l, l+len(d)-1; i < j; i, j = i+1, j-1 {
		swapRows(rows, i, j)
	}
}

// qlSweep chases the bulge that shift g makes from row m up to row l.
func qlSweep(d, e []float64, rows *Dense, l, m int, g float64) {
	s, c, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := s*e[i], c*e[i]
		r := math.Sqrt(f*f + g*g)
		if i+1 < m {
			e[i+1] = r
		}
		if r < 0x1p-450 {
			// The squares have lost digits: a quotient by r would be no sine.
			d[i+1] -= p
			return
		}
		s, c = f/r, g/r
		g = d[i+1] - p
		r = (d[i]-g)*s + 2*c*b
		p = s * r
		d[i+1] = g + p
		g = c*r - b
		if rows != nil {
			rotate(rows.Row(i), rows.Row(i+1), c, s)
		}
	}
	d[l] -= p
	e[l] = g
}

// rotate overwrites (u, v) with (cu − sv, su + cv).
func rotate(u, v []float64, c, s float64) {
	v = v[:len(u)]
	for k, x := range u {
		y := v[k]
		u[k] = c*x - s*y
		v[k] = s*x + c*y
	}
}
