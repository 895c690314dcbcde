package design_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
)

// Sizes are Σ w|x|, means and deviations those of the rows, in units.
func TestSizesAndSpread(t *testing.T) {
	for _, c := range sources(900, 7) {
		d := c.design(t, 3)
		size, err := d.Sizes()
		if err != nil {
			t.Fatal(err)
		}
		mean, sd, err := d.Spread()
		if err != nil {
			t.Fatal(err)
		}
		for j := range d.Dim() {
			var abs, first, square linalgtest.Sum
			for i := range c.x.Rows {
				abs.Add(d.Weight(i) * math.Abs(row(d, c.x, i)[j]))
				first.Add(d.Weight(i) * row(d, c.x, i)[j])
			}
			abs.Near(t, c.name+", size", size[j])
			if j < d.Intercept {
				continue
			}
			first.Value /= d.Total
			first.Size /= d.Total
			first.Near(t, c.name+", mean", mean[j-d.Intercept])
			for i := range c.x.Rows {
				e := row(d, c.x, i)[j] - first.Value
				square.Add(d.Weight(i) * e * e)
			}
			linalgtest.Close(t, c.name+", sd", sd[j-d.Intercept]/math.Sqrt(square.Value/d.Total), 1, 1e-12)
		}
	}
}

// A Gram matrix is Σ v(1, x)(1, x)ᵀ, and so are its elements.
func TestGram(t *testing.T) {
	for _, c := range sources(900, 7) {
		for _, measured := range []bool{false, true} {
			d := c.design(t, 3)
			if measured {
				unit := make([]float64, d.P)
				for j := range unit {
					unit[j] = 1 + float64(j)/3
				}
				d.SetUnits(unit)
			}
			v, dim := linalgtest.Numbers(d.N), d.Dim()
			want := make([]linalgtest.Sum, dim*dim)
			for i := range d.N {
				r := row(d, c.x, i)
				for j := range dim {
					for k := range dim {
						want[j*dim+k].Add(v[i] * r[j] * r[k])
					}
				}
			}
			h, err := d.Gram(v)
			if err != nil {
				t.Fatal(err)
			}
			for j := range dim {
				for k := range dim {
					want[j*dim+k].Near(t, fmt.Sprintf("%s: %d, %d", c.name, j, k), h.At(j, k))
				}
			}
			for _, s := range []struct{ rows, cols []int }{
				{[]int{dim - 1, 0, 2}, nil}, {[]int{1}, nil}, {[]int{0, 3}, []int{dim - 1}}, {[]int{2}, []int{1, 0, 2}},
			} {
				cols := s.cols
				if cols == nil {
					cols = s.rows
				}
				part := &linalg.Dense{Rows: len(s.rows), Cols: len(cols), Stride: len(cols) + 1, Data: make([]float64, len(s.rows)*(len(cols)+1))}
				for i := range part.Data {
					part.Data[i] = 9
				}
				if err := d.SubGram(part, v, s.rows, s.cols); err != nil {
					t.Fatal(err)
				}
				for i, j := range s.rows {
					for l, k := range cols {
						want[j*dim+k].Near(t, fmt.Sprintf("%s: %d, %d of a part", c.name, j, k), part.At(i, l))
					}
				}
			}
		}
	}
}

// Gram matrices about means that the rows are not moved to are those of rows that are.
func TestGramAboutImpliedMeans(t *testing.T) {
	x := linalgtest.Thinned(3, 2000, 40, 0.1)
	rows, cols := []int{7, 0, 31}, []int{2, 7}
	of := func(x linalg.Rows, implied bool) []float64 {
		d, err := design.New(x, 2000, "rows", design.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if d, _, _, err = d.Centered(); err != nil || d.Implied() != implied {
			t.Fatal(d.Implied(), err)
		}
		unit := slices.Repeat([]float64{1}, d.P)
		unit[7] = 4
		d.SetUnits(unit)
		v := linalgtest.Numbers(d.N)
		square, part := linalg.Zeros(3, 3), linalg.Zeros(3, 2)
		whole, err := d.Gram(v)
		if err := cmp.Or(err, d.SubGram(square, v, rows, nil), d.SubGram(part, v, rows, cols)); err != nil {
			t.Fatal(err)
		}
		return slices.Concat(square.Data, part.Data, whole.Data)
	}
	linalgtest.CloseSlice(t, "about implied means", of(linalgtest.Sparse(x), true), of(x, false), 1e-10)
}

// A Gram matrix of every third row of blocks is that of rows which stand for three.
func TestGramEvery(t *testing.T) {
	for _, c := range sources(900, 4) {
		d := c.design(t, 0)
		dim := d.Dim()
		h, want := linalg.Zeros(dim, dim), make([]linalgtest.Sum, dim*dim)
		rows := 0
		err := d.EachBlock(func(b *design.Block) {
			v := linalgtest.Numbers(b.Len())
			for i := b.Lo / linalg.BlockRows % 3; i < b.Len(); i += 3 {
				r := row(d, c.x, b.Lo+i)
				for j := range dim {
					for k := range dim {
						want[j*dim+k].Add(3 * v[i] * r[j] * r[k])
					}
				}
				rows++
			}
			b.AddGramEvery(h.Data, h.Stride, v, 3)
		})
		if err != nil {
			t.Fatal(err)
		}
		d.FinishGram(h)
		for j := range dim {
			for k := range dim {
				want[j*dim+k].Near(t, c.name, h.At(j, k))
			}
		}
		if rows < 290 || rows > 310 {
			t.Errorf("%s: %d of 900 rows", c.name, rows)
		}
	}
}

// Rows that are weighted by √w have the Gram matrix of the weights.
func TestWeighted(t *testing.T) {
	for _, c := range sources(500, 4) {
		d := c.design(t, 2)
		w, err := d.Weighted()
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.N {
			for j, v := range row(d, c.x, i) {
				linalgtest.Close(t, c.name, w.At(i, j), v*math.Sqrt(d.Weight(i)), 1e-15)
			}
		}
	}
}
