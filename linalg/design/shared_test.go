package design_test

import (
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
)

// source is rows of which designs are made.
type source struct {
	name string
	x    *linalg.Dense
	rows linalg.Rows
	s    design.Settings
}

func (c source) design(t *testing.T, workers int) *design.Design {
	t.Helper()
	c.s.Workers = workers
	d, err := design.New(c.rows, c.x.Rows, "rows", c.s)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	return d
}

// sources returns n rows of p columns near 0 and far from it, in two storages, with and
// without an intercept and weights; columns differ in size.
func sources(n, p int) []source {
	near := linalgtest.Normal(4, n, p)
	far := near.Clone()
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(i%4) / 2
		for j := range p {
			near.Row(i)[j] *= math.Pow(7, float64(j%5)-2)
			far.Row(i)[j] = 1e6*float64(j%3) + near.At(i, j)
		}
	}
	holes := far.Clone()
	for i := range n {
		for j := range p {
			if (i*i+j)%7 < 4 && j != 1 || i > n-3 {
				holes.Set(i, j, 0)
			}
		}
	}
	return []source{
		{"near", near, near, design.Settings{}},
		{"near, odd blocks, weights", near, linalgtest.OddBlocks{X: near}, design.Settings{Weights: w}},
		{"near, no intercept", near, near, design.Settings{NoIntercept: true, Weights: w}},
		{"far", far, far, design.Settings{Weights: w}},
		{"far, odd blocks", far, linalgtest.OddBlocks{X: far}, design.Settings{}},
		{"holes, sparse", holes, linalgtest.Sparse(holes), design.Settings{}},
		{"holes, sparse, weights", holes, linalgtest.Sparse(holes), design.Settings{Weights: w}},
		{"far, sparse", far, linalgtest.Sparse(far), design.Settings{}},
		{"far, no intercept, odd blocks", far, linalgtest.OddBlocks{X: far}, design.Settings{NoIntercept: true, Weights: w}},
	}
}

// row returns (1, x) of row i of x by its definition.
func row(d *design.Design, x *linalg.Dense, i int) []float64 {
	r := make([]float64, d.Intercept, d.Dim())
	if d.Intercept == 1 {
		r[0] = 1
	}
	for j, v := range x.Row(i) {
		r = append(r, (v-d.Origin[j])/d.Unit[j])
	}
	return r
}
