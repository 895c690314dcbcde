package linalg_test

import (
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// A system whose matrix has other rows and columns than the factored one is solved as if it had
// been factored itself.
func TestSolveNear(t *testing.T) {
	a := spd(7, 40)
	for _, c := range []struct{ gone, come []int }{
		{nil, nil}, {[]int{3}, nil}, {nil, []int{33}}, {[]int{0, 7, 29}, []int{31, 36}}, {[]int{5}, []int{30, 32, 39}},
	} {
		const n = 30
		chol := mustCholesky(t, part(a, sequence(0, n), sequence(0, n)))
		var set []int
		for i := range n {
			if !slices.Contains(c.gone, i) {
				set = append(set, i)
			}
		}
		set = append(set, c.come...)
		want := linalgtest.Normal(8, len(set), 1).Data
		x, more := make([]float64, n), make([]float64, len(c.come))
		for k, i := range set {
			if i < n {
				x[i] = want[k]
			} else {
				more[k-(len(set)-len(more))] = want[k]
			}
		}
		mustCholesky(t, part(a, set, set)).Solve(want)
		if !chol.SolveNear(x, more, c.gone, part(a, sequence(0, n), c.come), part(a, c.come, c.come)) {
			t.Fatalf("%v: not positive definite", c)
		}
		got := append(x, more...)
		for k, i := range set {
			if i >= n {
				i = n + k - (len(set) - len(more))
			}
			linalgtest.Close(t, "x", got[i], want[k], 1e-10)
		}
		for _, i := range c.gone {
			if got[i] != 0 {
				t.Errorf("x[%d] = %g, although it is gone", i, got[i])
			}
		}
	}
}

func sequence(lo, hi int) []int {
	var s []int
	for i := lo; i < hi; i++ {
		s = append(s, i)
	}
	return s
}

// part returns the given rows and columns of a.
func part(a *linalg.Dense, rows, cols []int) *linalg.Dense {
	p := linalg.Zeros(len(rows), len(cols))
	for i, r := range rows {
		for j, c := range cols {
			p.Set(i, j, a.At(r, c))
		}
	}
	return p
}
