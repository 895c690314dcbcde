package design_test

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
)

// fewValues is a sparse source of which no dense copy is made.
func fewValues(n, p int) source {
	x := linalg.Zeros(n, p)
	for i := range x.Data {
		if i%7 == 0 {
			x.Data[i] = float64(i%11) + 1
		}
	}
	return source{"few values", x, linalgtest.Sparse(x), design.Settings{}}
}

// The products of rows about an implied origin are those of deviations, with their digits where a
// column that every row stores lies far off.
func TestKernelAboutImpliedMeans(t *testing.T) {
	c := fewValues(170, 400)
	for i := range c.x.Rows {
		c.x.Set(i, 3, 1e6+float64(i%5))
	}
	c.rows = linalgtest.Sparse(c.x)
	c.s.Weights = linalgtest.Numbers(c.x.Rows)
	for i, w := range c.s.Weights {
		c.s.Weights[i] = math.Abs(w)
	}
	c.s.Weights[20] = 0
	plain := c.design(t, 2)
	d, mean, _, err := plain.Centered()
	if err != nil || !d.Implied() {
		t.Fatal(err, d.Implied())
	}
	d.SetUnits(slices.Repeat([]float64{2}, d.P))
	scale := linalgtest.Numbers(d.P)
	got, err := d.Kernel(scale)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.N {
		for l := range d.N {
			want, size := 0.0, 0.0
			for j, s := range scale {
				if i != 20 && l != 20 {
					v := s * (c.x.At(i, j) - mean[j]) / 2 * s * (c.x.At(l, j) - mean[j]) / 2
					want += v
					size += math.Abs(v)
				}
			}
			if !(math.Abs(got.At(i, l)-want) <= 1e-9*size) {
				t.Fatalf("rows %d and %d: %v, not %v", i, l, got.At(i, l), want)
			}
		}
	}
}

// The products of rows are those of their slopes' part in units, and 0 for rows of weight 0,
// whatever these hold; their bits are those of any number of workers.
func TestKernel(t *testing.T) {
	for _, c := range append(sources(30, 45), fewValues(170, 400)) {
		if c.s.Weights != nil {
			c.x.Set(0, 0, math.MaxFloat64)
		}
		d := c.design(t, 2)
		scale := linalgtest.Numbers(d.P)
		got, err := d.Kernel(scale)
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.N {
			a := row(d, c.x, i)[d.Intercept:]
			for l := range d.N {
				b := row(d, c.x, l)[d.Intercept:]
				var want linalgtest.Sum
				for j, s := range scale {
					if d.Weight(i) > 0 && d.Weight(l) > 0 {
						want.Add(s * a[j] * s * b[j])
					}
				}
				want.Near(t, c.name, got.At(i, l))
			}
		}
		if one, _ := c.design(t, 1).Kernel(scale); !slices.Equal(one.Data, got.Data) {
			t.Errorf("%s: two workers give other bits than one", c.name)
		}
	}
}

// Sums of residuals times rows are Σ r(1, x) about the origin, an implied one too.
func TestBack(t *testing.T) {
	for _, c := range append(sources(900, 300), fewValues(900, 300)) {
		plain := c.design(t, 3)
		centered, _, _, err := plain.Centered()
		if err != nil {
			t.Fatal(err)
		}
		centered.SetUnits(slices.Repeat([]float64{3}, centered.P))
		for _, d := range []*design.Design{plain, centered} {
			for _, k := range []int{1, 3} {
				r := linalg.Zeros(d.N, k)
				copy(r.Data, linalgtest.Numbers(len(r.Data)))
				got, err := d.Back(r)
				if err != nil {
					t.Fatal(err)
				}
				want := make([]linalgtest.Sum, len(got))
				for i := range d.N {
					for j, v := range row(d, c.x, i) {
						for f := range k {
							want[f*d.Dim()+j].Add(r.At(i, f) * v)
						}
					}
				}
				for j := range want {
					want[j].Near(t, c.name, got[j])
				}
			}
		}
	}
}

// Sizes of rows give the sums of |x|.
func TestTakeSizes(t *testing.T) {
	for _, c := range sources(300, 5) {
		d := c.design(t, 1)
		got, want := make([]float64, d.Dim()), make([]linalgtest.Sum, d.Dim())
		ones := linalg.Zeros(d.N, 1)
		for i := range ones.Data {
			ones.Data[i] = 1
			for j, v := range row(d, c.x, i) {
				want[j].Add(math.Abs(v))
			}
		}
		if err := d.EachBlock(func(b *design.Block) {
			b.TakeSizes()
			b.AddBack(got, ones.RowRange(b.Lo, b.Hi))
		}); err != nil {
			t.Fatal(err)
		}
		d.FinishBack(got, 1, nil)
		for j := range want {
			want[j].Near(t, c.name, got[j])
		}
	}
}
