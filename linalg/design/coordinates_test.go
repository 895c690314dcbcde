package design_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
)

// An origin is the middle of a column that lies farther from 0 than it is wide, a unit the
// power of two below the distance of its ends from there: of rows of positive weight, in
// every storage.
func TestOrigin(t *testing.T) {
	x := linalg.Zeros(500, 6)
	w := make([]float64, 500)
	for i := range w {
		w[i] = float64(i % 5)
		u := 2*float64(i)/499 - 1
		copy(x.Row(i), []float64{
			3 + 1.5*u,         // as far as twice its half width
			3 + 3.5*u,         // around 0
			-1e8 + 5*u,        // far
			5,                 // constant
			0,                 // nothing
			1e-20 * (8.5 + u), // small
		})
		if w[i] == 0 {
			x.Row(i)[2], x.Row(i)[1] = 1e12, 1e12
		}
	}
	for name, rows := range map[string]linalg.Rows{"dense": x, "odd blocks": linalgtest.OddBlocks{X: x}} {
		d, err := design.New(rows, 500, "rows", design.Settings{Weights: w})
		if err != nil {
			t.Fatal(err)
		}
		for j, want := range []struct{ origin, unit float64 }{{3, 1}, {0, 4}, {-1e8, 4}, {5, 1}, {0, 1}, {8.5e-20, 0x1p-67}} {
			if math.Abs(d.Origin[j]-want.origin) > 0.02*want.unit || d.Unit[j] != want.unit {
				t.Errorf("%s: column %d is about %v in units of %v, want %v and %v", name, j, d.Origin[j], d.Unit[j], want.origin, want.unit)
			}
		}
		d, err = design.New(rows, 500, "rows", design.Settings{Weights: w, NoIntercept: true})
		if err != nil {
			t.Fatal(err)
		}
		if linalg.NormInf(d.Origin) != 0 || d.Unit[0] != 4 || d.Unit[2] != 0x1p26 {
			t.Errorf("%s: without an intercept about %v in units of %v", name, d.Origin, d.Unit)
		}
	}
}

// Of another storage all rows are read, in several pieces: one zero keeps the origin at 0.
// Of dense rows some are, and they may miss it.
func TestOriginOfAllRows(t *testing.T) {
	x := linalg.Zeros(40_000, 1)
	for i := range x.Data {
		x.Data[i] = 100 + float64(i)/1000
	}
	about := func(rows linalg.Rows, workers int) (origin, unit float64) {
		d, err := design.New(rows, x.Rows, "rows", design.Settings{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		return d.Origin[0], d.Unit[0]
	}
	for _, workers := range []int{1, 5} {
		if origin, unit := about(linalgtest.OddBlocks{X: x}, workers); math.Abs(origin-120) > 0.01 || unit != 16 {
			t.Errorf("about %v in units of %v", origin, unit)
		}
		x.Data[30_001] = 0
		if origin, unit := about(linalgtest.OddBlocks{X: x}, workers); origin != 0 || unit != 128 {
			t.Errorf("with a zero about %v in units of %v", origin, unit)
		}
		if origin, _ := about(x, workers); !(math.Abs(origin-120) <= 0.1) {
			t.Errorf("dense rows about %v", origin)
		}
		x.Data[30_001] = 130
	}
}

// The extent of columns is that of all their values which count, stored or not.
func TestExtent(t *testing.T) {
	x := linalgtest.Thinned(3, 40, 6, 0.4)
	w := make([]float64, x.Rows)
	for i := range w {
		w[i] = float64(i % 3)
	}
	copy(x.Row(1), []float64{3, -2, 5, 0, 1, -7}) // the first that counts
	for name, rows := range map[string]linalg.Rows{"dense": x, "sparse": linalgtest.Sparse(x)} {
		d, err := design.New(rows, x.Rows, "labels", design.Settings{Weights: w})
		if err != nil {
			t.Fatal(err)
		}
		e, err := d.Extent()
		if err != nil {
			t.Fatal(err)
		}
		for j := range x.Cols {
			lo, hi, sum, count := math.Inf(1), math.Inf(-1), 0.0, 0.0
			for i, v := range x.Col(nil, j) {
				if w[i] > 0 {
					lo, hi, sum, count = min(lo, v), max(hi, v), sum+v, count+1
				}
			}
			if e.Rows != count || e.Lo[j] != lo || e.Hi[j] != hi {
				t.Errorf("%s: column %d of %g rows from %g to %g, want %g, %g, %g", name, j, e.Rows, e.Lo[j], e.Hi[j], count, lo, hi)
			}
			linalgtest.Close(t, name+": sum", e.Sum[j]+e.Rows*e.First[j], sum, 1e-12)
		}
	}
}

// Coefficients and parameters are those of the same function.
func TestParameters(t *testing.T) {
	for _, c := range sources(50, 4) {
		d := c.design(t, 0)
		dim := d.Dim()
		theta, beta := linalgtest.Numbers(dim), make([]float64, 4)
		level := d.Coef(beta, theta)
		if d.Intercept == 0 && level != 0 {
			t.Errorf("%s: an intercept of %v", c.name, level)
		}
		for i := range c.x.Rows {
			want, got := linalg.Dot(theta, row(d, c.x, i)), level
			for j, v := range c.x.Row(i) {
				got += beta[j] * (v - d.Origin[j])
			}
			linalgtest.Close(t, c.name, got, want, 1e-13)
		}
		back := make([]float64, dim)
		d.Parameters(back, beta, level-linalg.Dot(beta, d.Origin))
		linalgtest.CloseSlice(t, c.name+", back", back, theta, 1e-8)

		public, again := make([]float64, 2*dim), make([]float64, 2*dim)
		two := append(linalgtest.Numbers(dim), linalgtest.Numbers(dim)...)
		two[dim]++
		d.ToPublic(public, two)
		for i := range c.x.Rows {
			for a := range 2 {
				f, got := public[a*dim:(a+1)*dim], 0.0
				if d.Intercept == 1 {
					got = f[0]
				}
				got += linalg.Dot(f[d.Intercept:], c.x.Row(i))
				linalgtest.Close(t, c.name+", public", got, linalg.Dot(two[a*dim:(a+1)*dim], row(d, c.x, i)), 1e-8)
			}
		}
		d.FromPublic(again, public)
		linalgtest.CloseSlice(t, c.name+", from public", again, two, 1e-8)

		// The same function in other coordinates.
		origin, unit := make([]float64, 4), []float64{1, 0.5, 2, 8}
		if d.Intercept == 1 {
			origin = []float64{1, -1, 2, 1e6}
		}
		to := d.At(origin, unit)
		moved := slices.Clone(theta)
		d.MoveTo(to, moved)
		for i := range c.x.Rows {
			linalgtest.Close(t, c.name+", moved", linalg.Dot(moved, row(to, c.x, i)), linalg.Dot(theta, row(d, c.x, i)), 1e-8)
		}
		if f := make([]float64, 50); to.Margins(f, moved) == nil {
			linalgtest.Close(t, c.name+", margin", f[7], linalg.Dot(theta, row(d, c.x, 7)), 1e-8)
		}
		if &d.Origin[0] == &to.Origin[0] || &d.Unit[0] == &to.Unit[0] {
			t.Errorf("%s: the coordinates are one memory", c.name)
		}
	}
}

// Every step-th row, in the same coordinates.
func TestThin(t *testing.T) {
	for _, c := range sources(1000, 3) {
		c.s.Offset = linalgtest.Numbers(2000)
		d := c.design(t, 3)
		for _, step := range []int{1, 2, 7, 15, 16, 333, 999, 1000} {
			part, err := d.Thin(step)
			if err != nil {
				t.Fatal(err)
			}
			if part.N != (999+step)/step || !slices.Equal(part.Origin, d.Origin) || !slices.Equal(part.Unit, d.Unit) || part.Offsets() != 2 {
				t.Errorf("%s, %d: %d rows with %d offsets", c.name, step, part.N, part.Offsets())
			}
			total, got := 0.0, make([]float64, d.Dim())
			for i := range part.N {
				if err := part.Row(got, i); err != nil || !slices.Equal(got, row(d, c.x, i*step)) {
					t.Fatalf("%s, %d: row %d is %v, %v", c.name, step, i, got, err)
				}
				if part.Weight(i) != d.Weight(i*step) || part.OffsetOf(i, 0) != d.OffsetOf(i*step, 0) || part.OffsetOf(i, 1) != d.OffsetOf(i*step, 1) {
					t.Fatalf("%s, %d: row %d has another weight or offset", c.name, step, i)
				}
				total += d.Weight(i * step)
			}
			if part.Total != total {
				t.Errorf("%s, %d: Σ w is %v, want %v", c.name, step, part.Total, total)
			}
		}
	}
	for step, want := range map[int]int{0: 1, 1: 1, 3: 1, 4: 7, 7: 7, 8: 11, 14: 17, 24: 29, 30: 31} {
		if got := design.CoprimeTo30(step); got != want {
			t.Errorf("CoprimeTo30(%d) = %d, want %d", step, got, want)
		}
	}
	if got := design.Every([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 2, 2); !slices.Equal(got, []int{0, 1, 4, 5, 8, 9}) || design.Every[int](nil, 1, 3) != nil {
		t.Errorf("every second pair: %v", got)
	}
}

// Columns are as they are stored: all of a dense matrix are the matrix itself.
func TestColumns(t *testing.T) {
	for _, c := range sources(700, 4) {
		d := c.design(t, 2)
		all, err := d.Columns(nil)
		if err != nil || !slices.Equal(all.Data, c.x.Data) {
			t.Errorf("%s: other values, %v", c.name, err)
		}
		if _, dense := c.rows.(*linalg.Dense); dense && all != c.x {
			t.Errorf("%s: a copy", c.name)
		}
		some, err := d.Columns([]int{3, 1})
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.x.Rows {
			if some.At(i, 0) != c.x.At(i, 3) || some.At(i, 1) != c.x.At(i, 1) {
				t.Fatalf("%s: row %d is %v", c.name, i, some.Row(i))
			}
		}
	}
}

// The copy by columns of sparse rows has the coordinates of the design, and leaves out zeros and rows
// of weight 0.
func TestByColumn(t *testing.T) {
	for _, c := range sources(700, 4) {
		d := c.design(t, 2)
		for _, unit := range [][]float64{nil, {1, 1, 1, 1}, {3, 1, 5, 7}} {
			if unit != nil {
				d.SetUnits(unit)
			}
			columns, err := d.ByColumn()
			if err != nil {
				t.Fatal(err)
			}
			for i := range d.N {
				for j, v := range row(d, c.x, i)[d.Intercept:] {
					if d.Weight(i) == 0 {
						v = 0
					}
					linalgtest.Close(t, c.name, columns.At(j, i), v, 1e-15*math.Abs(v))
				}
			}
			if want := linalgtest.Sparse(c.x).Stored(); d.Sparse() && columns.Stored() > want {
				t.Errorf("%s: %d values stored of %d", c.name, columns.Stored(), want)
			}
		}
	}
}

// Dependence is found among the columns asked for, and named as the caller does.
func TestCheckRank(t *testing.T) {
	x := linalgtest.Normal(2, 300, 4)
	for i := range x.Rows {
		x.Set(i, 3, 2*x.At(i, 1)-1)
	}
	for name, rows := range map[string]linalg.Rows{"dense": x, "odd blocks": linalgtest.OddBlocks{X: x}} {
		d, err := design.New(rows, 300, "rows", design.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for _, features := range [][]int{nil, {0, 1, 2, 3}, {3, 1}, {1, 0, 3}} {
			var e *linalg.RankError
			if err := d.CheckRank(features); !errors.As(err, &e) || len(e.Columns) != 1 || e.Columns[0] != 1 && e.Columns[0] != 3 {
				t.Errorf("%s, %v: %v", name, features, err)
			}
		}
		for _, features := range [][]int{{0, 1, 2}, {3, 0}, {2}} {
			if err := d.CheckRank(features); err != nil {
				t.Errorf("%s, %v: %v", name, features, err)
			}
		}
	}
}

// Offsets are by row and function, and their mean counts weights.
func TestOffsets(t *testing.T) {
	x := linalgtest.Normal(1, 3, 1)
	for _, c := range []struct {
		offset, w []float64
		k         int
		mean      [2]float64
	}{
		{nil, nil, 0, [2]float64{}},
		{[]float64{1, 2, 6}, nil, 1, [2]float64{3}},
		{[]float64{1, 10, 2, 20, 6, 60}, []float64{1, 0, 3}, 2, [2]float64{19. / 4, 190. / 4}},
	} {
		d, err := design.New(x, 3, "rows", design.Settings{Offset: c.offset, Weights: c.w})
		if err != nil {
			t.Fatal(err)
		}
		if d.Offsets() != c.k {
			t.Errorf("%d offsets, want %d", d.Offsets(), c.k)
		}
		for a := range max(1, c.k) {
			linalgtest.Close(t, "mean", d.MeanOffset(a), c.mean[a], 1e-15)
			for i := range 3 {
				want := 0.0
				if c.k > 0 {
					want = c.offset[i*c.k+a]
				}
				if d.OffsetOf(i, a) != want {
					t.Errorf("offset %d of row %d is %v, want %v", a, i, d.OffsetOf(i, a), want)
				}
			}
		}
	}
}
