package logistic

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
	"halfspace/qp"
)

// searchDirection looks for a direction that separates the classes, among the parameters
// of the given columns (nil: all) and the intercept. It finds the point of least norm
// among
//
//	v = Σ α_{ik} z_{ik},  α ≥ 1,
//
// where z_{ik}·v = f_{yᵢ}(xᵢ) − fₖ(xᵢ) for functions with parameters v. At the minimum
// every z·v ≥ 0 and Σ αz·v = ‖v‖²: either v is such a direction, or v = 0 is a positive
// combination of the z, which proves that there is none. With α = 1 + a this is
// non-negative least squares of −Σz, whose residual is −v. A pass over the rows and O(D²)
// a step, about as many steps as there are parameters D.
//
// code holds the classes' indices 0 … k−1, −1 for a row that belongs to both of two
// classes. The result is the functions' parameters by class, class 0 being 0; nil if the
// classes overlap or the search ended undecided.
func searchDirection(d *design.Design, code []int, k int, columns []int) ([][]float64, error) {
	z := &differences{d: d, code: code, k: k, keep: kept(d, columns)}
	target, size, err := z.target()
	if err != nil {
		return nil, err
	}
	noise := overlap * size
	c, err := qp.NonNegative(z, target, &qp.NonNegativeOptions{Noise: noise})
	if z.failed != nil {
		return nil, z.failed
	}
	if c == nil {
		return nil, err
	}
	// Rounding may end the search a little early: whether the residual separates is
	// verified in any case.
	ended := err == nil || c.Report.Status() == optimize.LineSearch
	if !ended || linalg.Norm(c.Residual) <= noise {
		return nil, nil
	}
	return z.functions(c.Residual), nil
}

// overlap is the length of v, relative to Σ‖z‖, in which its rounding errors are
// measured, at which it is 0.
const overlap = 1e-12

// kept marks the parameters of one function that belong to the given columns, or
// are the intercept; nil for all.
func kept(d *design.Design, columns []int) []bool {
	if columns == nil {
		return nil
	}
	keep := make([]bool, d.Dim())
	for j := range d.Intercept {
		keep[j] = true
	}
	for _, j := range columns {
		keep[j+d.Intercept] = true
	}
	return keep
}

// differences are the vectors z of [searchDirection], as the columns of non-negative
// least squares: number i·k + c is z for row i and class c.
type differences struct {
	d      *design.Design
	code   []int
	k      int
	keep   []bool // by parameter of one function; nil keeps all
	failed error  // of a pass over the rows
}

// Len returns the number of parameters.
func (z *differences) Len() int { return (z.k - 1) * z.d.Dim() }

// normalize sets the parameters of row, (1, x) in units, that are not kept to 0 and
// scales the rest to length 1.
func (z *differences) normalize(row []float64) {
	if z.keep != nil {
		for j, k := range z.keep {
			if !k {
				row[j] = 0
			}
		}
	}
	if norm := linalg.Norm(row); norm > 0 {
		linalg.Scale(row, 1/norm)
	}
}

// eachRow calls visit with the normalized rows of positive weight.
func (z *differences) eachRow(visit func(i int, row []float64)) {
	row := make([]float64, z.d.Dim())
	err := z.d.EachBlock(func(b *design.Block) {
		for i := b.Lo; i < b.Hi; i++ {
			if z.d.Weight(i) > 0 {
				b.Row(row, i-b.Lo)
				z.normalize(row)
				visit(i, row)
			}
		}
	})
	if z.failed == nil {
		z.failed = err
	}
}

// Column sets dst to z number j.
func (z *differences) Column(dst []float64, j int) {
	clear(dst)
	dim := z.d.Dim()
	row, class := make([]float64, dim), j%z.k
	if err := z.d.Row(row, j/z.k); err != nil && z.failed == nil {
		z.failed = err
	}
	z.normalize(row)
	y := z.code[j/z.k]
	if y < 0 {
		y = 1 - class
	}
	if y > 0 {
		copy(dst[(y-1)*dim:y*dim], row)
	}
	if class > 0 {
		linalg.Axpy(dst[(class-1)*dim:class*dim], -1, row)
	}
}

// target returns −Σz and Σ‖z‖.
func (z *differences) target() (t []float64, size float64, err error) {
	t = make([]float64, z.Len())
	dim := z.d.Dim()
	z.eachRow(func(i int, row []float64) {
		y := z.code[i]
		if y < 0 {
			return // the two z of a row of both classes cancel
		}
		for c := 1; c < z.k; c++ {
			f := 1.0
			if c == y {
				f = -float64(z.k - 1)
			}
			linalg.Axpy(t[(c-1)*dim:c*dim], f, row)
		}
		size += float64(z.k - 1)
	})
	return t, size, z.failed
}

// Steepest returns the z with the largest z·r.
func (z *differences) Steepest(r []float64) (int, float64) {
	best, most := -1, math.Inf(-1)
	f, dim := make([]float64, z.k), z.d.Dim()
	z.eachRow(func(i int, row []float64) {
		for c := 1; c < z.k; c++ {
			f[c] = linalg.Dot(r[(c-1)*dim:c*dim], row)
		}
		y := z.code[i]
		if y < 0 { // of both classes: the one of the larger product
			y = 0
			if f[1] > f[0] {
				y = 1
			}
		}
		for c := range f {
			if m := f[y] - f[c]; c != y && m > most {
				best, most = i*z.k+c, m
			}
		}
	})
	return best, most
}

// rounded is the size of a coordinate of a direction, relative to the largest, below
// which it is a rounding error.
const rounded = 1e-12

// functions returns v = −r by class, scaled to a largest coordinate of 1.
func (z *differences) functions(r []float64) [][]float64 {
	v := slices.Clone(r)
	linalg.Scale(v, -1/linalg.NormInf(r))
	for j, x := range v {
		if math.Abs(x) < rounded {
			v[j] = 0
		}
	}
	f := make([][]float64, z.k)
	dim := z.d.Dim()
	f[0] = make([]float64, dim)
	for c := 1; c < z.k; c++ {
		f[c] = v[(c-1)*dim : c*dim]
	}
	return f
}
