package linalg_test

import (
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
