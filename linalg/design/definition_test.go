package design_test

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
)

// Rows in units are (1, (x − c)/u), however they are stored and wherever the origin is: sums over
// them, products with them and levels are those of their definitions.
func TestRowsInUnitsByDefinition(t *testing.T) {
	const n, p, k = 2200, 31, 2 // too many for a dense copy
	x := linalgtest.Thinned(7, n, p, 0.1)
	for i := range n {
		x.Set(i, 0, 100+x.At(i, 0))
	}
	apart := &linalg.Dense{Rows: n, Cols: p, Stride: p + 2, Data: make([]float64, n*(p+2))}
	for i := range n {
		copy(apart.Row(i), x.Row(i))
	}
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(i % 3)
	}
	for _, noIntercept := range []bool{false, true} {
		designs := map[string]*design.Design{}
		for name, rows := range map[string]linalg.Rows{"dense": x, "apart": apart, "sparse": linalgtest.Sparse(x)} {
			d, err := design.New(rows, n, "rows", design.Settings{Weights: w, NoIntercept: noIntercept})
			if err != nil {
				t.Fatal(err)
			}
			centered, _, _, err := d.Centered()
			if err != nil {
				t.Fatal(err)
			}
			for j := range centered.Unit {
				centered.Unit[j] *= float64(1 + j%3)
			}
			centered.SetUnits(centered.Unit)
			designs[name], designs[name+" about means"] = d, centered
		}
		implied := 0
		for name, d := range designs {
			if d.Implied() {
				implied++
			}
			dim := d.Dim()
			z := linalg.Zeros(n, dim)
			for i := range n {
				row := z.Row(i)
				row[0] = 1
				for j, v := range x.Row(i) {
					row[j+d.Intercept] = (v - d.Origin[j]) / d.Unit[j]
				}
			}
			r, turn := linalgtest.Normal(1, n, k), linalgtest.Normal(2, dim, 2)
			back, err := d.Back(r)
			if err != nil {
				t.Fatal(err)
			}
			for c := range k {
				for at := range dim {
					want := linalgtest.From(0)
					for i := range n {
						want.Add(r.At(i, c) * z.At(i, at))
						want.Size += math.Abs(r.At(i, c)) * 100
					}
					want.Near(t, name+": a sum over rows", back[c*dim+at])
				}
			}
			turned, err := d.Turned(turn)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				for c := range 2 {
					want := 0.0
					for at, v := range z.Row(i) {
						want += v * turn.At(at, c)
					}
					if w[i] == 0 {
						want = 0
					}
					linalgtest.Close(t, name+": a turned row", turned.At(i, c), want, 1e-11*(1+math.Abs(want)))
				}
			}
			theta, level := turn.Col(nil, 0), 0.0
			if d.Intercept == 1 {
				level = theta[0]
			}
			if d.Implied() {
				for j, c := range d.Origin {
					level -= theta[j+d.Intercept] * c / d.Unit[j]
				}
			}
			linalgtest.Close(t, name+": the level", d.LevelAt0(theta), level, 1e-11*(1+math.Abs(level)))
		}
		if implied == 0 && !noIntercept {
			t.Error("no design has an origin that its rows are not moved to")
		}
	}
}

func TestRangeOfADesign(t *testing.T) {
	for _, c := range []struct {
		cell, weight float64
		ok           bool
	}{{1, 1, true}, {0x1p451, 1, false}, {0x1p451, 0, true}, {0x1p440, 0x1p100, false}} {
		x := linalgtest.Normal(1, 40, 2)
		x.Set(30, 1, c.cell)
		w := make([]float64, 40)
		for i := range w {
			w[i] = 1
		}
		w[30] = c.weight
		d, err := design.New(x, 40, "rows", design.Settings{Weights: w})
		if err != nil {
			t.Fatal(err)
		}
		var e *linalg.RangeError
		if err := d.Range(); (err == nil) != c.ok || !c.ok && (!errors.As(err, &e) || e.Row != 30) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Rounding moves a probability by 2⁻⁵³ of the absolute terms of its scores, times e to the
// distance of the second-best score where that is large.
func TestRoundingFallsWithTheLead(t *testing.T) {
	x := linalgtest.Rows(t, []float64{1}, []float64{-1})
	d, err := design.New(x, 2, "rows", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, lead := range []float64{0, 5, 40} {
		moved, err := d.Rounding([][]float64{{0, 0}, {lead, 1e-3}, {lead - 2, 0}})
		if err != nil {
			t.Fatal(err)
		}
		size := make([]float64, 2)
		if err := d.TermSizes(size, [][]float64{{0, 0}, {lead, 1e-3}, {lead - 2, 0}}); err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for i := range 2 {
			f := []float64{0, lead + 1e-3*x.At(i, 0)/d.Unit[0], lead - 2}
			best, second := math.Inf(-1), math.Inf(-1)
			for _, v := range f {
				if v > best {
					best, second = v, best
				} else if v > second {
					second = v
				}
			}
			want = max(want, 0x1p-53*size[i]*min(1, 2*math.Exp(-(best-second))))
		}
		linalgtest.Close(t, "rounding", moved, want, 1e-9*want)
	}
}
