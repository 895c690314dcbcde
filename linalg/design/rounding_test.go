package design_test

import (
	"testing"

	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
)

// Rounding parameters whose terms cancel moves probabilities, unless the scores make
// the classes certain all the same. The test by sizes alone finds no harm where there
// is some.
func TestRounding(t *testing.T) {
	x := linalgtest.Rows(t, []float64{-3, -3, -3}, []float64{-3, -3, -3}, []float64{5, 5, 5.000000000000009})
	d, err := design.New(x, 3, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	size, err := d.Sizes()
	if err != nil {
		t.Fatal(err)
	}
	const tol = 1e-8
	for _, test := range []struct {
		theta []float64
		moves bool
	}{
		{[]float64{0, 3e8, -3e8, 0}, true}, // large terms that cancel
		{[]float64{0, 3e8, 0, 0}, false},   // large terms that make certain
		{[]float64{0, 3, -3, 0}, false},
	} {
		for _, functions := range [][][]float64{{make([]float64, 4), test.theta}, {test.theta, make([]float64, 4), {-99, 0, 0, 0}}} {
			moved, err := d.Rounding(functions)
			if err != nil {
				t.Fatal(err)
			}
			if (moved > tol) != test.moves {
				t.Errorf("%v: rounding moves a probability by %g", functions, moved)
			}
			if test.moves && d.RoundingNegligible(functions, size, tol) {
				t.Errorf("%v: by the sizes alone rounding is negligible", functions)
			}
		}
	}
	if !d.RoundingNegligible([][]float64{{0, 3, -3, 0}}, size, tol) {
		t.Error("small parameters count as large")
	}
}

// An offset that makes the classes certain leaves nothing for rounding to move.
func TestRoundingBesideOffsets(t *testing.T) {
	x := linalgtest.Rows(t, []float64{-3, -3}, []float64{5, 5}, []float64{5, 5.000000000000009})
	for _, offset := range []float64{0, 1000} {
		d, err := design.New(x, 3, "labels", design.Settings{Offset: []float64{offset, offset, offset}})
		if err != nil {
			t.Fatal(err)
		}
		moved, err := d.Rounding([][]float64{{0, 0, 0}, {0, 3e8, -3e8}})
		if err != nil || (moved > 1e-8) != (offset == 0) {
			t.Errorf("offset %v: rounding moves a probability by %g, %v", offset, moved, err)
		}
	}
}
