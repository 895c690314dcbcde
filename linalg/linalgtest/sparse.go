package linalgtest

import (
	"math/rand/v2"

	"halfspace/linalg"
)

// Sparse returns the values of x that are not 0 as a sparse matrix.
func Sparse(x *linalg.Dense) *linalg.CSR {
	start, index, value := []int{0}, []int32{}, []float64{}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if v != 0 {
				index, value = append(index, int32(j)), append(value, v)
			}
		}
		start = append(start, len(value))
	}
	a, err := linalg.NewCSR(x.Rows, x.Cols, start, index, value)
	if err != nil {
		panic(err)
	}
	return a
}

// Thinned returns an n×p matrix in which about a share of the values is not 0, some rows
// and columns hold nothing and one column a single value.
func Thinned(seed uint64, n, p int, share float64) *linalg.Dense {
	x, r := Normal(seed, n, p), rand.New(rand.NewPCG(seed, 2))
	for i := range n {
		for j := range p {
			if r.Float64() > share || i%11 == 4 || j%9 == 5 || j == p-1 && i != n/2 {
				x.Set(i, j, 0)
			}
		}
	}
	if p > 1 {
		x.Set(n/2, p-1, 3)
	}
	return x
}
