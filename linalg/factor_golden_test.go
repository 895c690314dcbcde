package linalg_test

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// closeRows compares vectors up to their signs.
func closeRows(t *testing.T, what string, got *linalg.Dense, want [][]float64, tol float64) {
	t.Helper()
	for k, w := range want {
		v := slices.Clone(got.Row(k))
		if linalg.Dot(v, w) < 0 {
			linalg.Scale(v, -1)
		}
		linalgtest.CloseSlice(t, what, v, w, tol)
	}
}

func TestFactorisationsAgreeWithLAPACK(t *testing.T) {
	var want struct {
		Gram, Between, Vectors, Right, Cholesky [][]float64
		Eigenvalues, Pair, Singular, Pivots     []float64
		PairVectors                             [][]float64 `json:"pair_vectors"`
		LogDet                                  float64
		Perm                                    []int
		Rank                                    int
		MinNorm                                 []float64 `json:"min_norm"`
	}
	linalgtest.Golden(t, "testdata/factor.json", &want)
	x, _, _ := linalgtest.Table(t, "iris.csv", "species")
	mean := make([]float64, 4)
	for i := range x.Rows {
		linalg.Axpy(mean, 1.0/150, x.Row(i))
	}
	for i := range x.Rows {
		linalg.Axpy(x.Row(i), -1, mean)
	}
	w, _ := linalg.FromRows(want.Gram)
	b, _ := linalg.FromRows(want.Between)

	c := mustCholesky(t, w)
	for i, row := range want.Cholesky {
		linalgtest.CloseSlice(t, "L", c.L().Row(i), row, 1e-14)
	}
	linalgtest.Close(t, "log det", c.LogDet(), want.LogDet, 1e-14)

	e, err := linalg.SymEigen(w)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "eigenvalues", e.Values, want.Eigenvalues, 1e-14)
	closeRows(t, "eigenvectors", e.Vectors, want.Vectors, 1e-13)
	if e, err = linalg.SymDefEigen(b, w); err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "pair", e.Values, want.Pair, 1e-13)
	closeRows(t, "discriminant vectors", e.Vectors.RowRange(2, 4), want.PairVectors[2:], 1e-13)

	s, err := linalg.NewSVD(x)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "singular values", s.Values, want.Singular, 1e-14)
	closeRows(t, "right vectors", s.V, want.Right, 1e-13)

	q := mustQR(t, x)
	if !slices.Equal(q.Perm(), want.Perm) {
		t.Errorf("columns %d, want %d", q.Perm(), want.Perm)
	}
	r := q.R()
	for k, v := range want.Pivots {
		linalgtest.Close(t, "pivot", math.Abs(r.At(k, k))/linalg.Norm(x.Col(nil, want.Perm[k])), v, 1e-12)
	}

	x5, y := linalg.Zeros(150, 5), make([]float64, 150)
	for i := range y {
		copy(x5.Row(i), x.Row(i))
		x5.Row(i)[4] = x.At(i, 0) - 2*x.At(i, 2)
		y[i] = float64(i)
	}
	q = mustQR(t, x5)
	if q.Rank() != want.Rank {
		t.Errorf("rank %d, want %d", q.Rank(), want.Rank)
	}
	beta := make([]float64, 5)
	q.SolveMinNorm(beta, y)
	linalgtest.CloseSlice(t, "minimum norm", beta, want.MinNorm, 1e-12)
}

func TestDependentColumnsAgreeWithR(t *testing.T) {
	var want struct {
		Columns []int
		Rank    int
		Coef    []float64
		RSS     float64
	}
	linalgtest.Golden(t, "testdata/alias.json", &want)
	x, _, _ := linalgtest.Table(t, "iris.csv", "species")
	d, y := linalg.Zeros(150, 7), linalg.Zeros(150, 1)
	for i := range d.Rows {
		v := x.Row(i)
		copy(d.Row(i), []float64{v[0], v[1], v[0] + 3*v[1] - 1, v[2], v[3], v[2]/2 + v[3], 7})
		y.Set(i, 0, float64(i+1))
	}
	if err := linalg.CheckRank(d, nil, true, 1); !dependent(err, want.Rank, want.Columns...) {
		t.Errorf("%v; R drops %d", err, want.Columns)
	}
	// The same regression by blocks of rows, without the columns that R drops.
	kept := linalg.Zeros(150, 5)
	for i := range kept.Rows {
		v := d.Row(i)
		copy(kept.Row(i), []float64{1, v[0], v[1], v[3], v[4]})
	}
	q, err := linalg.NewTallQR(kept, y, nil, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	beta := make([]float64, 5)
	mustQR(t, q.R()).Solve(beta, q.QTY().Col(nil, 0))
	c := want.Coef
	linalgtest.CloseSlice(t, "coefficients", beta, []float64{c[0], c[1], c[2], c[4], c[5]}, 1e-12)
	linalgtest.Close(t, "residual", q.Residual(0)*q.Residual(0), want.RSS, 1e-13)
}
