package logistic

import (
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// A standard deviation of neighbouring numbers is exact, and that of equal ones 0,
// where the mean is rounded.
func TestNarrowSpread(t *testing.T) {
	x, err := linalg.FromRows([][]float64{{-3, 1}, {-3, 1 + 0x1p-52}, {-3, 1 + 0x1p-51}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []*Options{
		{NoIntercept: true, Weights: []float64{0.5, 0.001, 0.5}},
		{Weights: []float64{0.5, 0.001, 0.5}},
	} {
		d, err := newDesign(x, 3, "labels", o)
		if err != nil {
			t.Fatal(err)
		}
		_, sd, err := d.spread()
		if err != nil {
			t.Fatal(err)
		}
		// 0, 1 and 2 units in the last place weigh .5, .001 and .5.
		if sd[0] != 0 {
			t.Errorf("a constant has standard deviation %g", sd[0])
		}
		linalgtest.Close(t, "neighbours", sd[1]*d.unit[1]*0x1p52, math.Sqrt(1/1.001), 1e-12)
	}
}
