package sample_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// rangeCase returns 9 rows of 7 columns, their responses and weights: all in range.
func rangeCase() (x *linalg.Dense, y, w []float64) {
	x, y, w = linalg.Zeros(9, 7), make([]float64, 9), make([]float64, 9)
	for k := range x.Data {
		x.Data[k] = []float64{0x1p-450, -0x1p450, 0, 1, -1e8}[k%5]
	}
	for i := range y {
		y[i], w[i] = []float64{-0x1p450, 0, 0x1p-450}[i%3], []float64{1, 0x1p60, 0x1p-60}[i%3]
	}
	return x, y, w
}

func TestRangeNamesNumberAndPlace(t *testing.T) {
	outside := []float64{math.Nextafter(0x1p450, 1e300), -1e308, math.Nextafter(0x1p-450, 0), -5e-324}
	check := func(what string, row, col int, v float64, err error) {
		t.Helper()
		var far *linalg.RangeError
		var nan *linalg.NonFiniteError
		switch {
		case v-v != 0:
			if !errors.As(err, &nan) || nan.What != what || nan.Row != row || nan.Col != col {
				t.Errorf("%g in %s: %v", v, what, err)
			}
		case !errors.As(err, &far) || *far != linalg.RangeError{What: what, Row: row, Column: max(0, col), Value: v}:
			t.Errorf("%g in %s: %v", v, what, err)
		}
	}
	for _, v := range append(outside, math.NaN(), math.Inf(1), math.Inf(-1)) {
		x, y, w := rangeCase()
		x.Set(4, 6, v)
		check("x", 4, 6, v, sample.Range(x, y, w))
		check("x", 4, 6, v, sample.Range(x, nil, nil))
		x, y, w = rangeCase()
		y[8] = v
		check("y", 8, -1, v, sample.Range(x, y, w))
		check("y", 8, -1, v, sample.Range(x, y, nil))
		x, y, w = rangeCase()
		w[2] = v
		check("weights", 2, -1, v, sample.Range(x, y, w))
	}
	x, y, w := rangeCase()
	for _, err := range []error{sample.Range(x, y, w), sample.Range(x, nil, nil), sample.Range(x, nil, w), sample.Range(x, y, nil)} {
		if err != nil {
			t.Error(err)
		}
	}
}

// A row of weight 0 is deleted, but a NaN in it is a mistake all the same.
func TestRangeOfRowsOfWeightZero(t *testing.T) {
	x, y, w := rangeCase()
	w[3], y[3] = 0, -1e308
	x.Set(3, 2, 1e-300)
	if err := sample.Range(x, y, w); err != nil {
		t.Error(err)
	}
	x.Set(3, 2, math.NaN())
	var nan *linalg.NonFiniteError
	if err := sample.Range(x, y, w); !errors.As(err, &nan) || nan.Row != 3 || nan.Col != 2 {
		t.Error(err)
	}
}

// A weight far from 1 narrows the range of the numbers of its row.
func TestRangeOfWeightedSquares(t *testing.T) {
	for _, c := range []struct {
		w, v float64
		fits bool
	}{{0x1p450, 0x1p255, true}, {0x1p450, 0x1p256, false}, {0x1p450, 0x1p-450, true},
		{0x1p-450, 0x1p-255, true}, {0x1p-450, 0x1p-256, false}, {0x1p-450, 0x1p450, true}, {0x1p62, 0x1p450, false}} {
		x := linalg.Zeros(2, 3)
		x.Set(1, 2, c.v)
		w, y := []float64{1, c.w}, []float64{c.v, c.v}
		var far *linalg.RangeError
		err := sample.Range(x, nil, w)
		if c.fits != (err == nil) || !c.fits && (!errors.As(err, &far) || far.What != "x" || far.Row != 1 || far.Column != 2) {
			t.Errorf("x %g of weight %g: %v", c.v, c.w, err)
		}
		err = sample.Range(linalg.Zeros(2, 3), y, w)
		if c.fits != (err == nil) || !c.fits && (!errors.As(err, &far) || far.What != "y" || far.Row != 1) {
			t.Errorf("y %g of weight %g: %v", c.v, c.w, err)
		}
	}
}

// Together InRange and PlainWeights are all that Range asks.
func TestPlainWeights(t *testing.T) {
	_, _, w := rangeCase()
	if !sample.PlainWeights(w) || !sample.PlainWeights(nil) {
		t.Error("plain weights are not")
	}
	for _, v := range []float64{0x1p61, 0x1p-61, math.NaN()} {
		if u := append(slices.Clone(w), v); sample.PlainWeights(u) {
			t.Errorf("%g is a plain weight", v)
		}
	}
	x, y, _ := rangeCase()
	if !sample.InRange(x.Data) || !sample.InRange(y) || sample.InRange([]float64{1, 1e-200}) {
		t.Error("InRange")
	}
}
