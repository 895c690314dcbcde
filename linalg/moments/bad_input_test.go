package moments_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/moments"
)

func TestErrors(t *testing.T) {
	x, y, w := labeled(8, 20, 2, 2, 1, 0)
	at := func(i, j int, v float64) *linalg.Dense {
		c := x.Clone()
		c.Set(i, j, v)
		return c
	}
	zero := slices.Clone(w)
	zero[7] = 0
	huge := at(3, 1, 1e200)
	tiny := x.Clone()
	for i := range tiny.Rows {
		tiny.Set(i, 1, 1e-160*tiny.At(i, 1))
	}
	vanishing := x.Clone()
	for i := range vanishing.Rows {
		vanishing.Set(i, 1, 1e-170*vanishing.At(i, 1))
	}
	negative := slices.Clone(w)
	negative[4] = -1
	var shape *linalg.ShapeError
	var finite *linalg.NonFiniteError
	var weight *linalg.WeightError
	var over *linalg.RangeError
	for name, c := range map[string]struct {
		x      *linalg.Dense
		y      []int
		w      []float64
		target any
	}{
		"NaN":                 {at(5, 1, math.NaN()), y, nil, &finite},
		"Inf":                 {at(19, 0, math.Inf(-1)), y, nil, &finite},
		"NaN with weight 0":   {at(7, 1, math.NaN()), y, zero, &finite},
		"NaN, all weights 0":  {at(7, 1, math.NaN()), y, make([]float64, 20), &finite},
		"negative weight":     {x, y, negative, &weight},
		"labels missing":      {x, y[1:], nil, &shape},
		"weights missing":     {x, y, w[1:], &shape},
		"columns":             {linalg.Zeros(20, 3), y, nil, &shape},
		"no matrix":           {nil, y, nil, &shape},
		"squares overflow":    {huge, y, nil, &over},
		"squares underflow":   {tiny, y, nil, &over},
		"squares vanish":      {vanishing, y, nil, &over},
		"NaN weight":          {x, y, append(slices.Clone(w[1:]), math.NaN()), &finite},
		"differences too big": {func() *linalg.Dense { c := at(0, 0, 1e308); c.Set(1, 0, -1e308); return c }(), y, nil, &over},
	} {
		for _, pooled := range []bool{false, true} {
			m, _ := moments.New(2, pooled)
			err := m.AddRows(c.x, c.y, c.w, 0)
			if !errors.As(err, c.target) {
				t.Errorf("%s: %v", name, err)
			}
			if len(m.Classes()) != 0 {
				t.Errorf("%s: moments changed", name)
			}
		}
	}
	m, _ := moments.New(2, false)
	if err := m.Add([]float64{1, math.Inf(1)}, 0, 1); !errors.As(err, &finite) || finite.Col != 1 {
		t.Errorf("Add: %v", err)
	}
	if err := m.Add([]float64{1}, 0, 1); !errors.As(err, &shape) {
		t.Errorf("Add: %v", err)
	}
	if err := m.Add([]float64{1, 2}, 0, -1); !errors.As(err, &weight) {
		t.Errorf("Add: %v", err)
	}
	pooled := addRows(t, x, y, nil, true, 0)
	if err := m.Merge(pooled); err != moments.ErrPooled {
		t.Errorf("Merge: %v", err)
	}
	if err := pooled.Merge(addRows(t, x, y, nil, false, 0)); err != nil {
		t.Errorf("Merge: %v", err)
	}
	if _, err := moments.New(0, true); !errors.As(err, &shape) {
		t.Errorf("New: %v", err)
	}
	if err := m.Merge(nil); err != nil || len(m.Classes()) != 0 {
		t.Errorf("Merge of nil: %v", err)
	}
	var three *moments.ByClass
	if three, _ = moments.New(3, false); !errors.As(m.Merge(three), &shape) {
		t.Error("Merge of other columns")
	}
}

// A number out of range is named, and the moments are as they were.
func TestNumbersOutOfRangeAreNamed(t *testing.T) {
	x, y, w := labeled(8, 20, 2, 2, 1, 0)
	for _, pooled := range []bool{false, true} {
		m := addRows(t, x, y, w, pooled, 0)
		before := m.Clone()
		refused := func(err error, want linalg.RangeError) {
			t.Helper()
			var e *linalg.RangeError
			if !errors.As(err, &e) || *e != want || !reflect.DeepEqual(m, before) {
				t.Errorf("pooled %v: %v, want %v", pooled, err, &want)
			}
		}
		for _, v := range []float64{1e200, -1e-200} {
			far, heavy := x.Clone(), slices.Clone(w)
			far.Set(3, 1, v)
			heavy[3] = 1
			refused(m.AddRows(far, y, heavy, 0), linalg.RangeError{What: "x", Row: 3, Column: 1, Value: v})
			refused(m.Add([]float64{1, v}, 0, 1), linalg.RangeError{What: "x", Column: 1, Value: v})
			heavy[3] = math.Abs(v)
			refused(m.AddRows(x, y, heavy, 0), linalg.RangeError{What: "weights", Row: 3, Value: math.Abs(v)})
			refused(m.Add([]float64{1, 2}, 0, math.Abs(v)), linalg.RangeError{What: "weights", Value: math.Abs(v)})
		}
	}
}

// A number that is refused is named by its row in the table where the rows before it were copied and added.
func TestNumbersOfCopiedRowsAreNamed(t *testing.T) {
	const n, p, row = 66_000, 32, 65_999 // 65,536 rows are copied at a time
	x, y := linalg.Zeros(n, p), make([]int, n)
	for _, v := range []float64{1e200, math.NaN()} {
		x.Set(row, 3, v)
		m, _ := moments.New(p, true)
		var over *linalg.RangeError
		var finite *linalg.NonFiniteError
		switch err := m.AddAll(linalgtest.OddBlocks{X: x}, y, nil, 0); {
		case errors.As(err, &over) && v == v && over.Row == row && over.Column == 3:
		case errors.As(err, &finite) && v != v && finite.Row == row && finite.Col == 3:
		default:
			t.Errorf("%v in row %d: %v", v, row, err)
		}
	}
}

// Rows of any storage that do not fit are refused as dense ones are.
func TestShapesOfAnyStorage(t *testing.T) {
	x, y, w := labeled(8, 20, 2, 2, 1, 0)
	m, _ := moments.New(2, false)
	var shape *linalg.ShapeError
	for name, err := range map[string]error{
		"labels":     m.AddAll(linalgtest.OddBlocks{X: x}, y[1:], w, 0),
		"weights":    m.AddAll(linalgtest.OddBlocks{X: x}, y, w[1:], 0),
		"columns":    m.AddAll(linalgtest.OddBlocks{X: linalg.Zeros(20, 3)}, y, w, 0),
		"no rows":    m.AddAll(nil, y, w, 0),
		"nothing":    m.AddAll(nil, nil, nil, 0),
		"no CSR":     m.AddAll((*linalg.CSR)(nil), y, w, 0),
		"no columns": m.AddAll(linalgtest.OddBlocks{X: &linalg.Dense{Rows: 20}}, y, w, 0),
	} {
		if !errors.As(err, &shape) || len(m.Classes()) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// At the ends of the range sums neither overflow nor vanish, added, merged or in
// one pass.
func TestEndsOfTheRange(t *testing.T) {
	for _, end := range []float64{0x1p450, 0x1p-450} {
		for _, unit := range []float64{0x1p60, 0x1p-60} {
			x, _ := linalg.NewDense(6, 1, []float64{end, -end, end, -end, end, -end})
			y, w := []int{0, 0, 0, 0, 1, 1}, []float64{unit, unit, unit, unit, 1, 1}
			for _, pooled := range []bool{false, true} {
				whole := addRows(t, x, y, w, pooled, 0)
				single, _ := moments.New(1, pooled)
				merged := addRows(t, x, y, w, pooled, 0)
				for i, label := range y {
					if err := single.Add(x.Row(i), label, w[i]); err != nil {
						t.Fatal(err)
					}
				}
				if err := merged.Merge(single); err != nil {
					t.Fatal(err)
				}
				want := 4*unit + 2
				linalgtest.Close(t, "one pass", whole.Within().At(0, 0)/end/end/want, 1, 1e-14)
				linalgtest.Close(t, "row by row", single.Within().At(0, 0)/end/end/want, 1, 1e-14)
				linalgtest.Close(t, "merged", merged.Within().At(0, 0)/end/end/want, 2, 1e-14)
			}
		}
	}
}

func TestTooManyClassesForMemory(t *testing.T) {
	var size *linalg.SizeError
	many, _ := moments.New(3000, false)
	y := make([]int, 300)
	for i := range y {
		y[i] = i
	}
	if err := many.AddRows(linalg.Zeros(300, 3000), y, nil, 0); !errors.As(err, &size) || size.Bytes != 8*300*9e6 || len(many.Classes()) != 0 {
		t.Errorf("300 classes of 3000 columns: %v", err)
	}
}
