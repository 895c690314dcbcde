package linalg_test

import (
	"errors"
	"math"
	"slices"
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

func spd(seed uint64, n int) *linalg.Dense {
	a := linalg.Gram(linalgtest.Normal(seed, n+5, n), nil, nil, 1)
	return a
}

func diag(v []float64) *linalg.Dense {
	a := linalg.Zeros(len(v), len(v))
	for i, x := range v {
		a.Set(i, i, x)
	}
	return a
}

func sizes(t testing.TB) []int {
	s := []int{1, 2, 3, 5, 8, 16, 31, 32, 33, 50, 64, 65, 100, 129, 200}
	if testing.Short() {
		return s[:12]
	}
	return s
}

func TestSymDefEigen(t *testing.T) {
	for _, n := range sizes(t) {
		b, w := symmetric(1, n), spd(2, n)
		e, err := linalg.SymDefEigen(b, w)
		if err != nil {
			t.Fatal(err)
		}
		v := e.Vectors
		if d := maxDiff(mul(v, w, trans(v)), linalg.Identity(n)); d > 1e-10 {
			t.Errorf("n = %d: VWVᵀ−I is %g", n, d)
		}
		if d := maxDiff(mul(v, b, trans(v)), diag(e.Values)); d > 1e-9*norm(diag(e.Values)) {
			t.Errorf("n = %d: VBVᵀ−Λ is %g", n, d)
		}
	}
}

func TestSVD(t *testing.T) {
	for _, n := range sizes(t) {
		for _, p := range []int{1, 2, 7, 40} {
			x := linalgtest.Normal(uint64(n), n, p)
			s, err := linalg.NewSVD(x)
			if err != nil {
				t.Fatal(err)
			}
			k := min(n, p)
			if d := maxDiff(mul(s.V, trans(s.V)), linalg.Identity(k)); d > 1e-13 {
				t.Errorf("%d × %d: VVᵀ−I is %g", n, p, d)
			}
			s2 := slices.Clone(s.Values)
			for i := range s2 {
				s2[i] *= s2[i]
			}
			if d := maxDiff(mul(trans(s.V), diag(s2), s.V), mul(trans(x), x)); d > 1e-13*norm(x)*norm(x) {
				t.Errorf("%d × %d: VᵀΣ²V−XᵀX is %g", n, p, d)
			}
		}
	}
}

func TestCheckRankNamesTheDependentColumns(t *testing.T) {
	for _, scale := range []float64{1e-12, 1, 1e12} {
		x := linalgtest.Normal(3, 300, 6)
		for i := range x.Rows {
			r := x.Row(i)
			r[2] *= scale
			r[4] = r[1] - 2*r[2]/scale
			r[5] = 1e8 + r[5]
		}
		if err := linalg.CheckRank(x, nil, true, 1); !dependent(err, 5, 4) {
			t.Errorf("scale %g: %v", scale, err)
		}
	}
}

// dependent reports whether err is a RankError of that rank with these columns.
func dependent(err error, rank int, cols ...int) bool {
	var e *linalg.RankError
	return errors.As(err, &e) && e.Rank == rank && slices.Equal(e.Columns, cols)
}
