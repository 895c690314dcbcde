package linalg_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

func TestNewDenseKeepsTheCallersSlice(t *testing.T) {
	data := []float64{1, 2, 3, 4, 5, 6}
	a, err := linalg.NewDense(2, 3, data)
	if err != nil {
		t.Fatal(err)
	}
	a.Set(1, 2, 9)
	if data[5] != 9 || a.At(0, 1) != 2 {
		t.Errorf("the matrix is not a view of the slice: %v", data)
	}
}

func TestNewDenseRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		n, p int
		data []float64
	}{
		{"no rows", 0, 3, nil},
		{"no columns", 3, 0, nil},
		{"negative", -1, 3, nil},
		{"too few values", 2, 3, make([]float64, 5)},
		{"too many values", 2, 3, make([]float64, 7)},
	} {
		var shape *linalg.ShapeError
		if a, err := linalg.NewDense(c.n, c.p, c.data); !errors.As(err, &shape) || a != nil {
			t.Errorf("%s: got %v, %v, want a ShapeError", c.name, a, err)
		}
	}
	var size *linalg.SizeError
	for _, n := range []int{math.MaxInt / 2, 1 << 30} {
		if _, err := linalg.NewDense(n, 1<<25, nil); !errors.As(err, &size) {
			t.Errorf("%d × 2²⁵: got %v, want a SizeError", n, err)
		}
	}
}

func TestFromRowsRefusesRaggedRows(t *testing.T) {
	var shape *linalg.ShapeError
	_, err := linalg.FromRows([][]float64{{1, 2}, {3}})
	if !errors.As(err, &shape) || shape.Want != 2 || shape.Got != 1 {
		t.Errorf("got %v, want a ShapeError with 2 and 1", err)
	}
	if _, err := linalg.FromRows(nil); !errors.As(err, &shape) {
		t.Errorf("no rows: got %v, want a ShapeError", err)
	}
}

func TestCheck(t *testing.T) {
	good := &linalg.Dense{Rows: 2, Cols: 2, Stride: 3, Data: make([]float64, 5)}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for _, bad := range []*linalg.Dense{
		nil,
		{},
		{Rows: 2, Cols: 2, Stride: 1, Data: make([]float64, 9)},
		{Rows: 2, Cols: 2, Stride: 3, Data: make([]float64, 4)},
		{Rows: math.MaxInt / 16, Cols: 1, Stride: 64, Data: make([]float64, 4)},
	} {
		if err := bad.Check(); err == nil {
			t.Errorf("%+v passes", bad)
		}
	}
}

func TestCheckFiniteFindsTheFirstByRows(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		a := linalg.Zeros(4, 5)
		a.Set(3, 0, bad)
		a.Set(2, 4, bad)
		a.Set(1, 1, math.MaxFloat64) // large is not infinite
		var nf *linalg.NonFiniteError
		if err := a.CheckFinite(); !errors.As(err, &nf) || nf.Row != 2 || nf.Col != 4 {
			t.Errorf("%v: got %v, want row 2, column 4", bad, err)
		}
		if err := linalg.CheckFinite("y", []float64{0, bad}); !errors.As(err, &nf) || nf.Row != 1 || nf.Col != -1 || nf.What != "y" {
			t.Errorf("vector with %v: got %v", bad, err)
		}
	}
	if err := linalg.Zeros(3, 3).CheckFinite(); err != nil {
		t.Error(err)
	}
}

func TestWindowsShareRows(t *testing.T) {
	a := linalgtest.Normal(1, 6, 4)
	w := a.RowRange(2, 5)
	if n, p := w.Dims(); n != 3 || p != 4 || &w.Row(0)[0] != &a.Row(2)[0] {
		t.Errorf("RowRange is not a window: %d × %d", n, p)
	}
	c := w.Clone()
	c.Set(0, 0, 99)
	if w.At(0, 0) == 99 {
		t.Error("Clone shares values")
	}
	if got := a.Col(nil, 1); !slices.Equal(got, []float64{a.At(0, 1), a.At(1, 1), a.At(2, 1), a.At(3, 1), a.At(4, 1), a.At(5, 1)}) {
		t.Errorf("Col: %v", got)
	}
}

// A value whose square overflows is finite.
func TestCheckFiniteOfHugeValues(t *testing.T) {
	a := linalg.Zeros(3, 9)
	for i := range a.Data {
		a.Data[i] = 1e308
	}
	if err := a.CheckFinite(); err != nil {
		t.Error(err)
	}
	if err := linalg.CheckFinite("y", a.Data); err != nil {
		t.Error(err)
	}
	a.Set(2, 8, math.NaN())
	var e *linalg.NonFiniteError
	if err := a.CheckFinite(); !errors.As(err, &e) || e.Row != 2 || e.Col != 8 {
		t.Errorf("got %v, want row 2, column 8", err)
	}
}

func TestRowRangeOfNoRows(t *testing.T) {
	a := linalgtest.Normal(1, 6, 4)
	a.Cols = 3 // a window whose last row ends before the next would begin
	a.Data = a.Data[:23]
	for lo := range 7 {
		w := a.RowRange(lo, lo)
		var shape *linalg.ShapeError
		if w.Rows != 0 || w.Cols != 3 || !errors.As(w.Check(), &shape) || shape.Got != 0 {
			t.Errorf("RowRange(%d, %d) is %d × %d, %v", lo, lo, w.Rows, w.Cols, w.Check())
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("RowRange(3, 2) is a matrix")
		}
	}()
	a.RowRange(3, 2)
}
