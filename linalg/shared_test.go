package linalg_test

import (
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// mul returns the product of the given matrices.
func mul(a ...*linalg.Dense) *linalg.Dense {
	c := a[0]
	for _, b := range a[1:] {
		d := linalg.Zeros(c.Rows, b.Cols)
		for i := range c.Rows {
			for k, v := range c.Row(i) {
				linalg.Axpy(d.Row(i), v, b.Row(k))
			}
		}
		c = d
	}
	return c
}

func trans(a *linalg.Dense) *linalg.Dense {
	t := linalg.Zeros(a.Cols, a.Rows)
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			t.Set(j, i, v)
		}
	}
	return t
}

// maxDiff returns max |a−b|, +Inf where there is a NaN.
func maxDiff(a, b *linalg.Dense) float64 {
	m := 0.0
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			d := math.Abs(v - b.At(i, j))
			if d != d {
				return math.Inf(1)
			}
			m = max(m, d)
		}
	}
	return m
}

// norm returns the Frobenius norm.
func norm(a *linalg.Dense) float64 {
	rows := make([]float64, a.Rows)
	for i := range rows {
		rows[i] = linalg.Norm(a.Row(i))
	}
	return linalg.Norm(rows)
}

func symmetric(seed uint64, n int) *linalg.Dense {
	a := linalgtest.Normal(seed, n, n)
	linalg.Symmetrize(a)
	return a
}

// spd returns the Gram matrix of n+5 random rows.
func spd(seed uint64, n int) *linalg.Dense {
	return linalg.Gram(linalgtest.Normal(seed, n+5, n), nil, nil, 1)
}

func diag(v []float64) *linalg.Dense {
	a := linalg.Zeros(len(v), len(v))
	for i, x := range v {
		a.Set(i, i, x)
	}
	return a
}

// sizes are the orders that are tested: about the blocks of each algorithm.
func sizes(t testing.TB) []int {
	s := []int{1, 2, 3, 5, 8, 16, 31, 32, 33, 50, 64, 65, 100, 129, 200}
	if testing.Short() {
		return s[:12]
	}
	return s
}
