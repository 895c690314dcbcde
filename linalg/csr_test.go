package linalg_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// A sparse matrix holds the values given, row by row and transposed, for any number of
// workers.
func TestSparseHoldsItsValues(t *testing.T) {
	for _, c := range []struct {
		n, p  int
		share float64
	}{{1, 1, 1}, {40, 7, 0.3}, {300, 500, 0.02}, {3000, 40, 0.9}, {2, 4000, 0.5}} {
		x := linalgtest.Thinned(uint64(c.n), c.n, c.p, c.share)
		a := linalgtest.Sparse(x)
		for i := range c.n {
			for j := range c.p {
				if a.At(i, j) != x.At(i, j) {
					t.Fatalf("%d×%d: (%d, %d) is %v, want %v", c.n, c.p, i, j, a.At(i, j), x.At(i, j))
				}
			}
		}
		place, kept := slices.Repeat([]int{-1}, c.n), []int{} // two of three rows
		for i := range c.n {
			if i%3 != 1 {
				place[i] = len(kept)
				kept = append(kept, i)
			}
		}
		for _, workers := range []int{1, 2, 5} {
			b, some := a.Transposed(workers), a.TransposedTo(len(kept), place, workers)
			if n, p := b.Dims(); n != c.p || p != c.n || b.Stored() != a.Stored() {
				t.Fatalf("the transpose of %d×%d is %d×%d", c.n, c.p, n, p)
			}
			for j := range c.p {
				for k, i := range kept {
					if v := some.At(j, k); v != x.At(i, j) {
						t.Fatalf("without some rows, column %d has %v in row %d", j, v, i)
					}
				}
				index, value := b.Row(j)
				if !slices.IsSorted(index) {
					t.Fatalf("column %d is out of order", j)
				}
				for k, i := range index {
					if value[k] != x.At(int(i), j) {
						t.Fatalf("column %d has %v in row %d", j, value[k], i)
					}
				}
			}
		}
	}
}

// A row of a matrix is multiplied and added in the same way in every storage.
func TestIndexedRows(t *testing.T) {
	x := linalgtest.Thinned(5, 60, 33, 0.4)
	beta := linalgtest.Numbers(33)
	for name, rows := range map[string]linalg.Indexed{"dense": x, "sparse": linalgtest.Sparse(x)} {
		for i := range x.Rows {
			var want linalgtest.Sum
			for j, v := range x.Row(i) {
				want.Add(v * beta[j])
			}
			want.Near(t, name, rows.Dot(i, beta))
			got := slices.Clone(beta)
			rows.AddRow(got, i, -2)
			for j, v := range x.Row(i) {
				if got[j] != beta[j]-2*v {
					t.Errorf("%s: row %d added to column %d gives %v", name, i, j, got[j])
				}
			}
		}
	}
}

// Wrong matrices are refused with the row in which they are wrong.
func TestSparseRefusesWrongRows(t *testing.T) {
	index, value := []int32{0, 2, 1}, []float64{1, 2, 3}
	for name, c := range map[string]struct {
		n, p  int
		start []int
		index []int32
		value []float64
	}{
		"no rows":        {0, 3, []int{0}, nil, nil},
		"no columns":     {1, 0, []int{0, 0}, nil, nil},
		"short starts":   {2, 3, []int{0, 3}, index, value},
		"long starts":    {2, 3, []int{0, 2, 3, 3}, index, value},
		"values":         {2, 3, []int{0, 2, 3}, index, value[:2]},
		"first start":    {2, 3, []int{1, 2, 3}, index, value},
		"last start":     {2, 3, []int{0, 2, 2}, index, value},
		"starts descend": {2, 3, []int{0, 4, 3}, index, value},
		"negative start": {3, 3, []int{0, 2, -1, 3}, index, value},
		"column 3 of 3":  {2, 3, []int{0, 2, 3}, []int32{0, 3, 1}, value},
		"column −1":      {2, 3, []int{0, 2, 3}, []int32{0, 2, -1}, value},
		"twice":          {2, 3, []int{0, 2, 3}, []int32{2, 2, 1}, value},
		"out of order":   {2, 3, []int{0, 2, 3}, []int32{2, 0, 1}, value},
	} {
		var e *linalg.ShapeError
		if a, err := linalg.NewCSR(c.n, c.p, c.start, c.index, c.value); a != nil || !errors.As(err, &e) {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		var e *linalg.NonFiniteError
		if _, err := linalg.NewCSR(2, 3, []int{0, 2, 3}, index, []float64{1, 2, v}); !errors.As(err, &e) || e.Row != 1 || e.Col != 1 {
			t.Errorf("%v: %v", v, err)
		}
	}
	if a, err := linalg.NewCSR(2, 3, []int{0, 2, 3}, index, value); err != nil || a.At(1, 1) != 3 || a.At(1, 2) != 0 {
		t.Errorf("a right one: %v", err)
	}
}

// A score about an origin is that of the dense row, wherever the far columns lie: stored, left
// out, before and behind all that is stored.
func TestAffineAtIsTheDenseScore(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		const p = 7
		row, b, origin := make([]float64, p), make([]float64, p), make([]float64, p)
		var far, index []int32
		var value []float64
		want := 2.0
		for j := range p {
			b[j] = float64(r.IntN(9) - 4)
			if r.IntN(2) == 0 {
				row[j] = float64(r.IntN(9) - 4)
				index, value = append(index, int32(j)), append(value, row[j])
			}
			if r.IntN(3) == 0 {
				origin[j] = float64(1 + r.IntN(5))
				far = append(far, int32(j))
			}
			want += b[j] * (row[j] - origin[j])
		}
		if got := linalg.AffineAt(2, b, origin, far, index, value); got != want {
			t.Fatalf("row %v about %v: %g, want %g", row, origin, got, want)
		}
	}
}

func TestBesideRefusesOtherRows(t *testing.T) {
	a, err := linalg.NewCSR(2, 1, []int{0, 1, 1}, []int32{0}, []float64{5})
	if err != nil {
		t.Fatal(err)
	}
	var shape *linalg.ShapeError
	if _, err := linalg.Beside(linalg.Zeros(3, 1), a); !errors.As(err, &shape) || shape.Want != 3 || shape.Got != 2 {
		t.Error(err)
	}
	left := &linalg.Dense{Rows: 2, Cols: 2, Stride: 2, Data: []float64{0, 1, 2, 3}}
	both, err := linalg.Beside(left, a)
	if err != nil {
		t.Fatal(err)
	}
	d, err := linalg.ToDense(both)
	if err != nil || !slices.Equal(d.Data, []float64{0, 1, 5, 2, 3, 0}) {
		t.Errorf("%v, %v", d, err)
	}
}

// A copy of rows is the same on any number of goroutines and in whatever room it takes.
func TestCopiesOfRows(t *testing.T) {
	start, index, value := []int{0}, []int32{}, []float64{}
	for i := range 3000 {
		for j := range i % 4 {
			index, value = append(index, int32(j)), append(value, float64(i))
		}
		start = append(start, len(value))
	}
	a, err := linalg.NewCSR(3000, 3, start, index, value)
	if err != nil {
		t.Fatal(err)
	}
	room := new(linalg.CSR)
	for _, step := range []int{2, 1, 7} {
		var rows []int
		for i := 0; i < 3000; i += step {
			rows = append(rows, i)
		}
		for _, workers := range []int{1, 3} {
			b := a.TakeTo(room, rows, workers)
			if n, p := b.Dims(); n != len(rows) || p != 3 {
				t.Fatalf("%d × %d", n, p)
			}
			for k, i := range rows {
				gotIndex, got := b.Row(k)
				wantIndex, want := a.Row(i)
				if !slices.Equal(got, want) || !slices.Equal(gotIndex, wantIndex) {
					t.Fatalf("step %d, %d goroutines: row %d is %v, want %v", step, workers, k, got, want)
				}
			}
		}
	}
}
