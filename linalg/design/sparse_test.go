package design_test

import (
	"fmt"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
)

// Statistics and products of sparse rows are those of the same rows stored dense, whatever
// rows, columns and shares of values are empty, about the origins that the rule chooses.
func TestSparseDesignsAreDenseOnes(t *testing.T) {
	for seed := range uint64(24) {
		n, p := 3+int(seed)*37, 1+int(seed*seed)%40
		x := linalgtest.Thinned(seed, n, p, []float64{0.02, 0.3, 1}[seed%3])
		for i, v := range x.Data {
			if seed%3 == 2 && v != 0 { // zeros alone keep the origin at 0
				x.Data[i] = 50 + v
			}
		}
		if seed%4 == 1 { // a full column, far from 0
			for i := range n {
				x.Set(i, 0, 1e6+float64(i%5))
			}
		}
		var w []float64
		if seed%2 == 1 {
			w = make([]float64, n)
			for i := range w {
				w[i] = float64((i + 1) % 4)
			}
		}
		s := design.Settings{Weights: w, NoIntercept: seed%5 == 2}
		sparse, err := design.New(linalgtest.Sparse(x), n, "rows", s)
		if err != nil {
			t.Fatal(err)
		}
		dense, err := design.New(linalgtest.OddBlocks{X: x}, n, "rows", s) // all rows tell its origin, too
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.CloseSlice(t, "origin", sparse.Origin, dense.Origin, 1e-12)
		linalgtest.CloseSlice(t, "unit", sparse.Unit, dense.Unit, 0)
		mean, sd, err := sparse.Spread()
		if err != nil {
			t.Fatal(err)
		}
		wantMean, wantSD, err := dense.Spread()
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.CloseSlice(t, "mean", mean, wantMean, 1e-11)
		linalgtest.CloseSlice(t, "deviation", sd, wantSD, 1e-11)
		size, _ := sparse.Sizes()
		wantSize, _ := dense.Sizes()
		linalgtest.CloseSlice(t, "size", size, wantSize, 1e-11)
		theta := linalgtest.Numbers(sparse.Dim())
		f, want := make([]float64, n), make([]float64, n)
		if sparse.Margins(f, theta) != nil || dense.Margins(want, theta) != nil {
			t.Fatal("not read")
		}
		linalgtest.CloseSlice(t, "scores", f, want, 1e-11)
	}
}

// A part of sparse rows is sparse.
func TestThinStaysSparse(t *testing.T) {
	x := linalgtest.Thinned(1, 500, 300, 0.01)
	d, err := design.New(linalgtest.OddBlocks{X: x}, 500, "rows", design.Settings{})
	if err != nil || d.Sparse() {
		t.Fatalf("dense blocks are sparse, %v", err)
	}
	if d, err = design.New(linalgtest.Sparse(x), 500, "rows", design.Settings{}); err != nil || !d.Sparse() {
		t.Fatalf("not sparse, %v", err)
	}
	part, err := d.Thin(20)
	if err != nil || part.N != 25 {
		t.Fatal(err)
	}
	err = part.EachBlock(func(b *design.Block) {
		got := make([]float64, part.Dim())
		for i := range b.Len() {
			b.Row(got, i)
			linalgtest.CloseSlice(t, "row", got, row(d, x, 20*(b.Lo+i)), 1e-15)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	copied, err := linalg.EveryRow(linalgtest.Sparse(x), 7)
	if _, sparse := copied.(*linalg.CSR); err != nil || !sparse {
		t.Errorf("a dense copy, %v", err)
	}
}

// A row that is moved from one to the next is that row, and zeros are left behind: of rows
// stored sparse and dense, with units, and about means that they are not moved to.
func TestShiftedRowsAreTheRows(t *testing.T) {
	x := linalgtest.Thinned(5, 40, 6, 0.3)
	for name, rows := range map[string]linalg.Rows{"sparse": linalgtest.Sparse(x), "dense": x} {
		for _, centered := range []bool{false, true} {
			d, err := design.New(rows, 40, "rows", design.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			d.SetUnits([]float64{1, 2, 3, 4, 5, 6})
			if centered {
				if d, _, _, err = d.Centered(); err != nil {
					t.Fatal(err)
				}
			}
			got, want := make([]float64, d.Dim()), make([]float64, d.Dim())
			err = d.EachBlock(func(b *design.Block) {
				for i := range b.Len() {
					b.Shift(got, i)
					b.Row(want, i)
					linalgtest.CloseSlice(t, fmt.Sprint(name, centered, " row ", b.Lo+i), got, want, 0)
				}
				b.Shift(got, b.Len())
				linalgtest.CloseSlice(t, name+" behind", got, make([]float64, d.Dim()), 0)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Passes over rows of which a quarter is stored are faster over a dense copy, where that is small.
func TestSparseRowsAreCopiedForManyPassesWhereMuchIsStored(t *testing.T) {
	for name, c := range map[string]struct {
		rows, columns, every, scores int
		dense                        bool
	}{
		"two classes":           {500, 200, 4, 1, true},
		"of few rows":           {200, 500, 4, 1, false},
		"several, of few rows":  {200, 500, 4, 3, true},
		"a tenth is stored":     {500, 200, 10, 3, false},
		"too small to be worth": {100, 100, 4, 3, false},
	} {
		x := linalg.Zeros(c.rows, c.columns)
		for i := range c.rows {
			for j := i % c.every; j < c.columns; j += c.every {
				x.Set(i, j, float64(1+i%7))
			}
		}
		s := design.Settings{Weights: slices.Repeat([]float64{2}, c.rows), NoIntercept: true, Workers: 1}
		d, err := design.New(linalgtest.Sparse(x), c.rows, "rows", s)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.ForPasses(c.scores)
		if err != nil || p.Sparse() == c.dense || p.Total != d.Total || p.Dim() != d.Dim() || p.Workers != d.Workers {
			t.Errorf("%s: sparse %t, weight %g, %d parameters (%v)", name, p.Sparse(), p.Total, p.Dim(), err)
		}
	}
}

// On 32 bits the number of values of such rows wraps to one that looks small.
func TestManyRowsOfManyColumnsAreNotCopied(t *testing.T) {
	const n, p = 1<<16 + 1, 1 << 16
	start, index := make([]int, n+1), make([]int32, n)
	for i := range index {
		start[i+1], index[i] = i+1, int32(i%p)
	}
	x, err := linalg.NewCSR(n, p, start, index, slices.Repeat([]float64{1}, n))
	if err != nil {
		t.Fatal(err)
	}
	d, err := design.New(x, n, "rows", design.Settings{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if c, err := d.ForPasses(2); err != nil || c != d {
		t.Errorf("a copy of %d × %d (%v)", n, p, err)
	}
}
