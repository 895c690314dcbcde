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

// apart returns the largest difference of elements, relative to the largest one.
func apart(a, b *linalg.Dense) float64 {
	d := slices.Clone(a.Data)
	linalg.Axpy(d, -1, b.Data)
	return linalg.NormInf(d) / linalg.NormInf(b.Data)
}
