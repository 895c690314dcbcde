package design_test

import (
	"math"
	"testing"

	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
)

// A standard deviation of neighbouring numbers is exact, and that of equal ones 0,
// where the mean is rounded.
func TestNarrowSpread(t *testing.T) {
	x := linalgtest.Rows(t, []float64{-3, 1}, []float64{-3, 1 + 0x1p-52}, []float64{-3, 1 + 0x1p-51})
	for _, s := range []design.Settings{
		{NoIntercept: true, Weights: []float64{0.5, 0.001, 0.5}},
		{Weights: []float64{0.5, 0.001, 0.5}},
	} {
		d, err := design.New(x, 3, "labels", s)
		if err != nil {
			t.Fatal(err)
		}
		_, sd, err := d.Spread()
		if err != nil {
			t.Fatal(err)
		}
		// 0, 1 and 2 units in the last place weigh .5, .001 and .5.
		if sd[0] != 0 {
			t.Errorf("a constant has standard deviation %g", sd[0])
		}
		linalgtest.Close(t, "neighbours", sd[1]*d.Unit[1]*0x1p52, math.Sqrt(1/1.001), 1e-12)
	}
}

// A standard deviation is not 0 where it is below the rounding of a mean that is one row's value.
func TestSpreadBesideAHeavyRow(t *testing.T) {
	const heavy, weight = 2.5753453950588132e+11, 2.6812617979553262e+28
	x := linalgtest.Rows(t, []float64{heavy + 0.05078125}, []float64{heavy}, []float64{heavy + 0.25})
	d, err := design.New(x, 3, "labels", design.Settings{NoIntercept: true, Weights: []float64{1, weight, 1}})
	if err != nil {
		t.Fatal(err)
	}
	_, sd, err := d.Spread()
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "standard deviation", sd[0]*d.Unit[0]*math.Sqrt(weight), math.Hypot(0.05078125, 0.25), 1e-14)
}

// A standard deviation has all its digits where the weight of the zeros that are not stored is lost
// beside that of the other rows.
func TestSpreadOfLightZeros(t *testing.T) {
	const heavy, light = 1e15 / 3, 0.1
	x := linalgtest.Sparse(linalgtest.Rows(t, []float64{3, 0}, []float64{0, 1}, []float64{0, 1}))
	d, err := design.New(x, 3, "labels", design.Settings{NoIntercept: true, Weights: []float64{heavy, light, light}})
	if err != nil {
		t.Fatal(err)
	}
	_, sd, err := d.Spread()
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "heavy value", sd[0]*d.Unit[0]*math.Sqrt(heavy/light), 3*math.Sqrt2, 1e-14)
	linalgtest.Close(t, "heavy zero", sd[1]*d.Unit[1]*math.Sqrt(heavy/light), math.Sqrt2, 1e-14)
}

// A standard deviation has all its digits where the rounding of the mean is 1e-5 of it.
func TestSpreadAboutRoundedMean(t *testing.T) {
	const apart = 1 << 21
	x := linalgtest.Rows(t, []float64{0x1p59}, []float64{0x1p59}, []float64{0x1p59 + apart})
	d, err := design.New(x, 3, "labels", design.Settings{NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	_, sd, err := d.Spread()
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "standard deviation", sd[0]*d.Unit[0], apart*math.Sqrt2/3, 1e-14)
}

// What was measured once follows the coordinates: means and deviations are in the units and
// about the origin of the day.
func TestSpreadFollowsCoordinates(t *testing.T) {
	x := linalgtest.Normal(3, 200, 3)
	d, err := design.New(x, 200, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	mean, sd, err := d.Spread()
	if err != nil {
		t.Fatal(err)
	}
	for j := range mean {
		mean[j] = d.Origin[j] + mean[j]*d.Unit[j]
		sd[j] *= d.Unit[j]
	}
	check := func(name string) {
		t.Helper()
		m, s, err := d.Spread()
		if err != nil {
			t.Fatal(err)
		}
		for j, u := range d.Unit {
			linalgtest.Close(t, name+": mean", m[j]*u+d.Origin[j], mean[j], 1e-14)
			linalgtest.Close(t, name+": deviation", s[j]*u, sd[j], 1e-14)
			m[j] = math.NaN() // the caller's own
		}
	}
	check("as it was")
	d.SetUnits([]float64{3, 0.7, 1})
	check("other units")
	d.MoveOrigin([]float64{1, -2, 0.5})
	check("another origin")
}
