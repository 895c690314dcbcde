package logistic

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// A Hessian by features is the one by rows, whichever features are in use.
func TestByFeature(t *testing.T) {
	for _, noIntercept := range []bool{false, true} {
		x, y := benchData(300, 21, 2)
		o := &Options{NoIntercept: noIntercept, Standardize: true, Weights: make([]float64, 300), Offset: make([]float64, 300)}
		for i := range 300 {
			o.Weights[i], o.Offset[i] = float64(i%3), math.Sin(float64(i))
			x.Row(i)[2] += 1000 // moves the origin
		}
		d, err := newDesign(x, len(y), "labels", o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := newResponse(y, o)
		if err != nil {
			t.Fatal(err)
		}
		all, err := newComposite(d, r, o)
		if err != nil {
			t.Fatal(err)
		}
		b := all.f.SubHessian.(*binary)
		c, k := newByFeature(b), d.intercept
		var set []int
		if k == 1 {
			set = append(set, 0)
		}
		for i, j := range []int{20, 3, 2, 0, 7, 8, 9, 10, 11, 12} {
			c.use(i, j)
			set = append(set, j+k)
			point, full := make([]float64, len(set)), make([]float64, b.dim())
			for m, at := range set {
				point[m] = math.Cos(float64(m+i)) / 4
				full[at] = point[m]
			}
			c.bend(point)
			places, at := make([]int, len(set)), make([]int, len(set))
			for m := range places {
				places[m] = len(set) - 1 - m
				at[m] = set[places[m]]
			}
			h, hw := linalg.Zeros(len(set), len(set)), linalg.Zeros(len(set), len(set))
			c.hessian(h, places, nil)
			b.SubHess(hw, full, at, nil)
			linalgtest.Close(t, "hessian", apart(h, hw), 0, 1e-9)
			some := places[len(places)/2:]
			h, hw = linalg.Zeros(len(some), len(set)), linalg.Zeros(len(some), len(set))
			c.hessian(h, some, places)
			b.SubHess(hw, full, at[len(places)/2:], at)
			linalgtest.Close(t, "rows of the hessian", apart(h, hw), 0, 1e-9)
		}
	}
}

// Features gathered behind those in use stand there, and these stay.
func TestGather(t *testing.T) {
	x := linalg.Zeros(2, 30)
	for j := range x.Cols {
		x.Row(0)[j], x.Row(1)[j] = 1+float64(j)/32, 1-float64(j)/32
	}
	d, err := newDesign(x, 2, "rows", &Options{})
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, d.dim())
	d.row(row, 0)
	c := newByFeature(newBinary(d, []float64{-1, 1}, nil))
	c.use(0, 7)
	c.use(1, 3)
	for _, want := range [][]int{{4, 0, 29}, {28, 29, 5, 4, 1}, {}, {2, 8}} {
		hi := c.gather(2, want)
		got := slices.Sorted(slices.Values(c.feature[2:hi]))
		if slices.Sort(want); !slices.Equal(got, want) || c.feature[0] != 7 || c.feature[1] != 3 {
			t.Errorf("features %v, want 7, 3 and %v", c.feature[:hi], want)
		}
		for i, j := range c.feature {
			if c.row[j] != i || c.blocks[0].At(i, 0) != row[j+1] {
				t.Errorf("row %d is not feature %d", i, j)
			}
		}
	}
}

// apart returns the largest difference of elements, relative to the largest one.
func apart(a, b *linalg.Dense) float64 {
	d := slices.Clone(a.Data)
	linalg.Axpy(d, -1, b.Data)
	return linalg.NormInf(d) / linalg.NormInf(b.Data)
}
