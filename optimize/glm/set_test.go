package glm_test

import (
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
	"halfspace/optimize/path"
)

// Products by a set of parameters are those of its Hessian, whether the rows are copied or not, are dense, sparse or in
// blocks, and lie about an origin, in units, with weights of 0. Few parameters have none, nor do losses other than softmax.
func TestProductsByASet(t *testing.T) {
	const n, p, k = 40, 120, 3
	for _, features := range []int{50, 110} {
		for _, c := range []struct {
			name               string
			far, standardize   bool
			weighted, sparse   bool
			odd, withIntercept bool
		}{
			{name: "plain"}, {name: "standardized", standardize: true, withIntercept: true}, {name: "far", far: true, weighted: true, withIntercept: true},
			{name: "far, standardized, odd", far: true, standardize: true, odd: true, withIntercept: true},
			{name: "sparse, weighted", sparse: true, weighted: true, standardize: true, withIntercept: true},
		} {
			x, y := linalgtest.Normal(5, n, p), make([]float64, n)
			s := design.Settings{NoIntercept: !c.withIntercept}
			for i := range n {
				y[i] = float64(i * i % k)
				if c.weighted {
					s.Weights = append(s.Weights, float64(i%4)/2)
				}
				for j := range p {
					if c.far {
						x.Row(i)[j] += 1e6
					}
				}
			}
			var rows linalg.Rows = x
			switch {
			case c.sparse:
				rows = linalgtest.Sparse(x)
			case c.odd:
				rows = linalgtest.OddBlocks{X: x}
			}
			d, err := design.New(rows, n, "labels", s)
			if err != nil {
				t.Fatal(err)
			}
			if err := path.Measure(d, c.standardize); err != nil {
				t.Fatal(err)
			}
			o := glm.NewMulti(d, y, loss.Softmax{K: k}, nil, nil)
			theta, set := make([]float64, o.Parameters()), []int(nil)
			for a := k - 1; a >= 0; a-- {
				for j := range features {
					if at := a*o.Dim() + j*(o.Dim()/features); j%7 != a {
						set, theta[at] = append(set, at), float64(j%5-2)/20
					}
				}
			}
			h, want, got := linalg.Zeros(len(set), len(set)), make([]float64, len(set)), make([]float64, len(set))
			u := linalgtest.Normal(6, 1, len(set)).Row(0)
			o.SubHess(h, theta, set, nil)
			linalg.MulVec(want, h, u, 1)
			times, diagonal, most := o.Own().Products(theta, set)
			if cheap := c.sparse && features == 50; cheap || times == nil { // of all features, which sparse rows have to themselves
				if cheap != (times == nil) {
					t.Errorf("%s, %d features: products %t", c.name, features, times != nil)
				}
				continue
			}
			times(got, u)
			size := linalg.NormInf(h.Data)
			for i := range set {
				want[i], got[i], u[i], diagonal[i] = want[i]/size, got[i]/size, h.At(i, i)/size, diagonal[i]/size
			}
			linalgtest.CloseSlice(t, c.name, got, want, 1e-11)
			linalgtest.CloseSlice(t, c.name+", the diagonal", diagonal, u, 1e-11)
			if times, _, few := o.Products(theta, set[:100]); times != nil || few != 0 || most < 40 {
				t.Errorf("%s: 100 parameters have products, or %d have %d", c.name, len(set), most)
			}
			if times, _, _ := user(d, y, nil).Products(theta, set); times != nil {
				t.Error("a user's loss has products")
			}
		}
	}
}
