package linalg_test

import (
	"errors"
	"testing"

	"halfspace/linalg"
)

func TestErrorsNameTheirNumbers(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&linalg.RangeError{Column: 2}, "the squares of column 2 leave the range of floating point; rescale it"},
		{&linalg.RangeError{What: "y"}, "the squares of y leave the range of floating point; rescale it"},
		{&linalg.RangeError{What: "x", Row: 3, Column: 1, Value: 1e200}, "x: row 3, column 1 is 1e+200, and products of such numbers leave the range of floating point; rescale column 1"},
		{&linalg.RangeError{What: "weights", Row: 7, Value: 1e-200}, "weights: row 7 is 1e-200, and products of such numbers leave the range of floating point; rescale weights"},
		{&linalg.WeightError{Row: 4, Value: -1}, "weight of row 4 is -1"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// Matrices of all pairs of columns are refused by name and size from 4 GB on (half the
// address space of 32 bits), and those of many classes from 16 GB on.
func TestSquareMatricesThatFitNowhereAreRefused(t *testing.T) {
	for _, c := range []struct {
		count, n int
		refused  bool
	}{
		{1, 5000, false}, {1, 23_171, true}, {1, 200_000, true}, {1, 1 << 30, true},
		{100, 1000, false}, {3000, 1000, true}, {1 << 30, 1 << 30, true},
	} {
		err := linalg.CheckSquares(c.count, c.n)
		var size *linalg.SizeError
		if (err != nil) != c.refused || err != nil && (!errors.As(err, &size) || !(size.Bytes > size.Limit) || size.Cols != c.n) {
			t.Errorf("%d matrices of %d rows: %v, want refused = %v", c.count, c.n, err, c.refused)
		}
		if c.count == 1 && (linalg.CheckSquare(c.n) != nil) != c.refused {
			t.Errorf("a matrix of %d rows: %v", c.n, linalg.CheckSquare(c.n))
		}
	}
}
