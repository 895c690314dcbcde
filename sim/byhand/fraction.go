package byhand

import (
	"fmt"
	"math/big"
	"strings"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// fractions returns the rows of x exactly: every float64 is a fraction.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError].
func fractions(x linalg.Rows, labels int) ([][]*big.Rat, error) {
	if _, _, err := sample.Dims(x, labels, "labels"); err != nil {
		return nil, err
	}
	d, err := linalg.ToDense(x)
	if err != nil {
		return nil, err
	}
	if err := d.CheckFinite(); err != nil {
		return nil, err
	}
	rows := make([][]*big.Rat, d.Rows)
	for i := range rows {
		for _, v := range d.Row(i) {
			rows[i] = append(rows[i], new(big.Rat).SetFloat64(v))
		}
	}
	return rows, nil
}

// signs returns ±1, the larger of two labels positive.
//
// Error: *[linalg.ClassError] unless there are two.
func signs(y []int) ([]*big.Rat, error) {
	lo, hi := 0, 0
	for i, v := range y {
		if i == 0 || v < lo {
			lo = v
		}
		if i == 0 || v > hi {
			hi = v
		}
	}
	s := make([]*big.Rat, len(y))
	for i, v := range y {
		switch v {
		case hi:
			s[i] = big.NewRat(1, 1)
		case lo:
			s[i] = big.NewRat(-1, 1)
		default:
			return nil, &linalg.ClassError{Class: v, Rows: 1, Reason: "is a third class"}
		}
	}
	if lo == hi {
		return nil, &linalg.ClassError{Class: lo, Rows: len(y), Reason: "is the only class"}
	}
	return s, nil
}

func dot(a, b []*big.Rat) *big.Rat {
	s := new(big.Rat)
	for i := range a {
		s.Add(s, new(big.Rat).Mul(a[i], b[i]))
	}
	return s
}

// add adds c·x to dst.
func add(dst []*big.Rat, c *big.Rat, x []*big.Rat) {
	for i := range dst {
		dst[i].Add(dst[i], new(big.Rat).Mul(c, x[i]))
	}
}

func zeros(n int) []*big.Rat {
	v := make([]*big.Rat, n)
	for i := range v {
		v[i] = new(big.Rat)
	}
	return v
}

func clone(v []*big.Rat) []*big.Rat {
	c := make([]*big.Rat, len(v))
	for i := range v {
		c[i] = new(big.Rat).Set(v[i])
	}
	return c
}

// solve solves ax = b by elimination, and reports whether a has full rank. It overwrites
// both.
func solve(a [][]*big.Rat, b []*big.Rat) bool {
	n := len(b)
	for c := range n {
		r := c
		for r < n && a[r][c].Sign() == 0 {
			r++
		}
		if r == n {
			return false
		}
		a[c], a[r] = a[r], a[c]
		b[c], b[r] = b[r], b[c]
		for r := range n {
			if r == c || a[r][c].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Quo(a[r][c], a[c][c])
			f.Neg(f)
			add(a[r], f, a[c])
			b[r].Add(b[r], new(big.Rat).Mul(f, b[c]))
		}
	}
	for c := range n {
		b[c].Quo(b[c], a[c][c])
	}
	return true
}

// text writes fractions as (1/2, −3).
func text(v []*big.Rat) string {
	parts := make([]string, len(v))
	for i, x := range v {
		parts[i] = x.RatString()
	}
	return fmt.Sprintf("(%s)", strings.Join(parts, ", "))
}
