package linalg_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

func TestTallQR(t *testing.T) {
	n := 20000
	if testing.Short() {
		n = 3000
	}
	x, y := linalgtest.Normal(1, n, 7), linalgtest.Normal(2, n, 2)
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(i % 4)
	}
	origin := []float64{1, 2, 3, 4, 5, 6, 7}
	// The same rows in one piece.
	full, fully := linalg.Zeros(n, 7), linalg.Zeros(n, 2)
	for i := range n {
		copy(full.Row(i), x.Row(i))
		linalg.Axpy(full.Row(i), -1, origin)
		linalg.Scale(full.Row(i), math.Sqrt(w[i]))
		linalg.Axpy(fully.Row(i), math.Sqrt(w[i]), y.Row(i))
	}
	var first *linalg.TallQR
	for _, workers := range []int{1, 2, 3, 16} {
		q, err := linalg.NewTallQR(x, y, origin, w, workers)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = q
		}
		if !slices.Equal(first.R().Data, q.R().Data) || !slices.Equal(first.QTY().Data, q.QTY().Data) {
			t.Errorf("%d workers give other bits", workers)
		}
	}
	r := first.R()
	if d := maxDiff(mul(trans(r), r), linalg.Gram(full, nil, nil, 1)); !(d <= 1e-14*norm(full)*norm(full)) {
		t.Errorf("RᵀR−XᵀX is %g", d)
	}
	whole, part := mustQR(t, full), mustQR(t, r)
	for j := range 2 {
		b, c := make([]float64, 7), make([]float64, 7)
		rss := whole.Solve(b, fully.Col(nil, j))
		part.Solve(c, first.QTY().Col(nil, j))
		linalgtest.CloseSlice(t, "coefficients", c, b, 1e-13)
		linalgtest.Close(t, "residual", first.Residual(j), rss, 1e-13)
	}
}

func TestTallQRBackwardError(t *testing.T) {
	for _, n := range []int{1, 3, 7, 200, 1500} {
		for name, f := range map[string]func(int) float64{
			"plain":  func(int) float64 { return 1 },
			"scales": func(j int) float64 { return math.Pow(10, float64(50*j-150)) },
			"tiny":   func(int) float64 { return 1e-300 },
			"huge":   func(int) float64 { return 1e300 },
			"zero":   func(int) float64 { return 0 },
		} {
			x := scaleColumns(linalgtest.Normal(uint64(n), n, 7), f)
			q, err := linalg.NewTallQR(x, nil, nil, nil, 1)
			if err != nil {
				t.Fatal(err)
			}
			if q.QTY() != nil {
				t.Error("Qᵀy without y")
			}
			r := q.R()
			for j := range 7 {
				want := linalg.Norm(x.Col(nil, j))
				got := linalg.Norm(r.Col(nil, j))
				if !(math.Abs(got-want) <= 1e-14*want) {
					t.Errorf("%s, n = %d: column %d of R has norm %g, of x %g", name, n, j, got, want)
				}
				for i := j + 1; i < 7; i++ {
					if r.At(i, j) != 0 {
						t.Errorf("%s, n = %d: R[%d][%d] = %g", name, n, i, j, r.At(i, j))
					}
				}
			}
		}
	}
	// Rows that fall away by 300 orders of magnitude.
	x := linalgtest.Normal(5, 400, 5)
	for i := range x.Rows {
		linalg.Scale(x.Row(i), math.Pow(10, -300*float64(i)/400))
	}
	q, err := linalg.NewTallQR(x, nil, nil, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d := maxDiff(mul(trans(q.R()), q.R()), mul(trans(x), x)); !(d <= 1e-14*norm(x)*norm(x)) {
		t.Errorf("RᵀR−XᵀX is %g", d)
	}
}

// Of many columns those behind a panel take in its reflections by products of matrices, on all workers where
// the rows are few: the triangle is the same, to the bit, and as exact, of blocks of rows and of triangles, of columns
// that are near-copies, empty and of other units.
func TestTallQROfManyColumns(t *testing.T) {
	for _, size := range [][2]int{{400, 260}, {90, 260}, {1500, 230}, {4000, 230}}[:linalgtest.Rounds(4, 4)] {
		n, p := size[0], size[1]
		x, y := linalgtest.Normal(uint64(n), n, p), linalgtest.Normal(2, n, 1)
		for i := range n {
			row := x.Row(i)
			row[p-2] = row[3] + 1e-7*row[p-2]
			row[70], row[p-1] = 0, 1e200*row[p-1]
		}
		var q *linalg.TallQR
		for _, workers := range []int{1, 2, 5} {
			other, err := linalg.NewTallQR(x, y, nil, nil, workers)
			if err != nil {
				t.Fatal(err)
			}
			if q == nil {
				q = other
			}
			if !slices.Equal(q.R().Data, other.R().Data) || !slices.Equal(q.QTY().Data, other.QTY().Data) {
				t.Errorf("%d × %d: %d workers give other bits", n, p, workers)
			}
		}
		r := q.R()
		columns, images := x.Transposed(), r.Transposed()
		for j := range p {
			a, u := columns.Row(j), images.Row(j)
			unit := 1 / max(1, linalg.NormInf(a))
			linalg.Scale(a, unit)
			linalg.Scale(u, unit)
			for k := range j + 1 {
				b, v := columns.Row(k), images.Row(k)
				if off := math.Abs(linalg.Dot(u, v) - linalg.Dot(a, b)); !(off <= 1e-14*linalg.Norm(a)*linalg.Norm(b)) {
					t.Fatalf("%d × %d: RᵀR is off by %g in (%d, %d)", n, p, off, j, k)
				}
			}
		}
		if n < p {
			continue
		}
		whole, part := mustQR(t, x), mustQR(t, r)
		b, c := make([]float64, p), make([]float64, p)
		whole.Solve(b, y.Data)
		part.Solve(c, q.QTY().Data)
		b[p-1], c[p-1] = 1e200*b[p-1], 1e200*c[p-1]
		linalgtest.CloseSlice(t, "coefficients", c, b, 1e-7)
	}
}

// A row of weight 0 is no row, however large; but a NaN in it is still bad input.
func TestTallQRDeletedRows(t *testing.T) {
	x, w := linalgtest.Normal(6, 300, 3), make([]float64, 300)
	var rows [][]float64
	for i := range w {
		if i%5 != 0 {
			w[i] = 1
			x.Row(i)[1] *= 1e-9 // in the unit of this column the deleted rows overflow
			rows = append(rows, slices.Clone(x.Row(i)))
			continue
		}
		linalg.Scale(x.Row(i), 1e305)
	}
	kept, _ := linalg.FromRows(rows)
	origin := []float64{-1, 0, 3}
	got, err := linalg.NewTallQR(x, nil, origin, w, 1)
	if err != nil {
		t.Fatal(err)
	}
	want, err := linalg.NewTallQR(kept, nil, origin, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d := maxDiff(mul(trans(got.R()), got.R()), mul(trans(want.R()), want.R())); !(d <= 1e-12) {
		t.Errorf("RᵀR differs by %g", d)
	}
	if err := linalg.CheckRank(x, w, true, 1); err != nil {
		t.Error(err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		x.Set(5, 1, bad)
		var e *linalg.NonFiniteError
		if _, err := linalg.NewTallQR(x, nil, origin, w, 1); !errors.As(err, &e) || e.Row != 5 || e.Col != 1 {
			t.Error(err)
		}
		if err := linalg.CheckRank(x, w, true, 1); !errors.As(err, &e) || e.Row != 5 || e.Col != 1 {
			t.Error(err)
		}
		x.Set(5, 1, 0)
		w[7] = bad
		if err := linalg.CheckRank(x, w, true, 1); !errors.As(err, &e) || e.Row != 7 || e.Col != -1 || e.What != "weights" {
			t.Error(err)
		}
		w[7] = 1
	}
}

// An origin far from the rows sets the unit of its column.
func TestTallQRFarOrigin(t *testing.T) {
	x, _ := linalg.FromRows([][]float64{{1}, {2}, {3}, {4}})
	q, err := linalg.NewTallQR(x, nil, []float64{1e200}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "R", math.Abs(q.R().At(0, 0))/1e200, 2, 1e-15)
}

func TestTallQRShapes(t *testing.T) {
	x := linalg.Zeros(4, 2)
	var e *linalg.ShapeError
	for _, f := range []func() error{
		func() error { _, err := linalg.NewTallQR(x, linalg.Zeros(3, 1), nil, nil, 1); return err },
		func() error { _, err := linalg.NewTallQR(x, nil, make([]float64, 3), nil, 1); return err },
		func() error { _, err := linalg.NewTallQR(x, nil, nil, make([]float64, 3), 1); return err },
		func() error { _, err := linalg.NewTallQR(nil, nil, nil, nil, 1); return err },
	} {
		if err := f(); !errors.As(err, &e) {
			t.Error(err)
		}
	}
	y := linalg.Zeros(4, 1)
	y.Set(2, 0, math.Inf(1))
	var nf *linalg.NonFiniteError
	if _, err := linalg.NewTallQR(x, y, nil, nil, 1); !errors.As(err, &nf) || nf.What != "y" || nf.Row != 2 {
		t.Error(err)
	}
	if _, err := linalg.NewTallQR(x, nil, []float64{0, math.NaN()}, nil, 1); !errors.As(err, &nf) || nf.What != "origin" || nf.Row != 1 {
		t.Error(err)
	}
	var we *linalg.WeightError
	if _, err := linalg.NewTallQR(x, nil, nil, []float64{1, 1, 1, -2}, 1); !errors.As(err, &we) || we.Row != 3 {
		t.Error(err)
	}
}

// A thousand rows never need to be side by side: R and Qᵀy hold all that least
// squares asks of them.
func ExampleNewTallQR() {
	x, y := linalg.Zeros(1000, 2), linalg.Zeros(1000, 1)
	for i := range 1000 {
		v := float64(i) / 100
		copy(x.Row(i), []float64{1, v})
		y.Set(i, 0, 3+0.5*v)
	}
	t, err := linalg.NewTallQR(x, y, nil, nil, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	q, err := linalg.NewQR(t.R())
	if err != nil {
		fmt.Println(err)
		return
	}
	b := make([]float64, 2)
	q.Solve(b, t.QTY().Col(nil, 0))
	fmt.Printf("%.3f, residual %.3f\n", b, t.Residual(0))
	// Output: [3.000 0.500], residual 0.000
}
