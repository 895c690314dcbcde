package discriminant_test

import (
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// Of sparse rows of more values than are copied at a time the moments are those of the dense
// table, weights of 0 included.
func TestMomentsOfManySparseRows(t *testing.T) {
	const n, p = 14_000, 160
	x := lt.Thinned(1, n, p, 0.1)
	y, w := make([]int, n), make([]float64, n)
	for i := range y {
		y[i], w[i] = i%2, float64(1+i%3)
		if i > n-20 {
			y[i], w[i] = 3, float64(i%2)
		}
		x.Row(i)[5] = float64(i%7) / 8 // else columns of zeros
		for j := 14; j < p; j += 9 {
			x.Row(i)[j] = float64((i*(j+1))%11) / 8
		}
		x.Row(i)[p-1] += float64(i%13) / 16
	}
	o := &discriminant.Options{Weights: w, Shrinkage: 0.1}
	dense, err := discriminant.FitLDA(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	sparse, err := discriminant.FitLDA(lt.Sparse(x), y, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < n; i += 97 {
		lt.CloseSlice(t, "scores", sparse.Scores(nil, x.Row(i)), dense.Scores(nil, x.Row(i)), 1e-9)
	}
	wide, err := linalg.NewCSR(2, 40_000, []int{0, 0, 0}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := discriminant.FitLDA(wide, []int{0, 1}, nil); err == nil {
		t.Error("40,000 features: no error")
	}
}
