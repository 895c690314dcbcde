package logistic

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/qp"
)

// SeparationError reports data whose classes a hyperplane separates, so that the
// likelihood has no maximum: along the direction it rises for ever. The functions
//
//	fₖ(x) = Interceptₖ + Coefₖ·x
//
// satisfy f_y(x) ≥ fₖ(x) for every row x of class y and every class k, with >
// for at least one (Albert & Anderson, Biometrika 1984). As in a [Model], two
// classes have a single row f, the difference of the two.
type SeparationError struct {
	Complete  bool          // every inequality is strict; otherwise quasi-complete
	Coef      *linalg.Dense // one row for two classes, K for more
	Intercept []float64
	Columns   []int // features of non-zero Coef, from 0
	Rows      int   // rows with a strict inequality
}

func (e *SeparationError) Error() string {
	kind := "quasi-completely"
	if e.Complete {
		kind = "completely"
	}
	cols := make([]string, 0, len(e.Columns))
	for i, c := range e.Columns {
		if i == 10 {
			cols = append(cols, fmt.Sprintf("… (%d in all)", len(e.Columns)))
			break
		}
		cols = append(cols, fmt.Sprint(c))
	}
	return fmt.Sprintf("the classes are %s separated (%d rows strictly) by columns %s: there is no maximum likelihood estimate, but one with a penalty or Firth's correction",
		kind, e.Rows, strings.Join(cols, ", "))
}

// separate looks for a direction that separates the classes, among the
// parameters of the given columns (nil: all) and the intercept. It finds the
// point of least norm among
//
//	v = Σ α_{ik} z_{ik},  α ≥ 1,
//
// where z_{ik}·v = f_{yᵢ}(xᵢ) − fₖ(xᵢ) for functions with parameters v. At the
// minimum every z·v ≥ 0 and Σ αz·v = ‖v‖²: so v is such a direction, or it is 0,
// which is a positive combination of the z that proves that there is none. With
// α = 1 + a this is non-negative least squares of −Σz, whose residual is −v. A pass
// over the rows and O(D²) a step, about as many steps as there are parameters D.
//
// code holds the classes' indices 0 … k−1, −1 for a row that belongs to both of
// two classes. It returns the functions' parameters
// laid out by class, class 0 being 0; nil if the classes overlap.
func (d *design) separate(code []int, k int, columns []int) [][]float64 {
	z := &differences{design: d, code: code, k: k, dim: d.dim(), keep: d.kept(columns)}
	target, size := z.target()
	noise := overlap * size
	c, err := qp.NonNegative(z, target, &qp.NonNegativeOptions{Noise: noise})
	if c == nil || err != nil && c.Report.Status() != optimize.LineSearch || !(linalg.Norm(c.Residual) > noise) {
		return nil // also where values leave the range of floating point
	}
	return z.functions(c.Residual)
}

// overlap is the length of v, relative to Σ‖z‖, in which its rounding errors are
// measured, at which it is 0.
const overlap = 1e-12

// kept marks the parameters of one function that belong to the given columns, or
// are the intercept; nil for all.
func (d *design) kept(columns []int) []bool {
	if columns == nil {
		return nil
	}
	keep := make([]bool, d.dim())
	for j := range d.intercept {
		keep[j] = true
	}
	for _, j := range columns {
		keep[j+d.intercept] = true
	}
	return keep
}

// differences are the vectors z of [design.separate], as the columns of non-negative
// least squares: number i·k + c is z for row i and class c.
type differences struct {
	*design
	code   []int
	k, dim int
	keep   []bool // by parameter of one function; nil keeps all
}

// Len returns the number of parameters.
func (z *differences) Len() int { return (z.k - 1) * z.dim }

// row sets dst to the kept part of (1, x) of row i, scaled to length 1.
func (z *differences) row(dst []float64, i int) {
	z.design.row(dst, i)
	if z.keep != nil {
		for j, k := range z.keep {
			if !k {
				dst[j] = 0
			}
		}
	}
	if norm := linalg.Norm(dst); norm > 0 {
		linalg.Scale(dst, 1/norm)
	}
}

// Column sets dst to z number j.
func (z *differences) Column(dst []float64, j int) {
	clear(dst)
	row, class := make([]float64, z.dim), j%z.k
	z.row(row, j/z.k)
	y := z.code[j/z.k]
	if y < 0 {
		y = 1 - class
	}
	if y > 0 {
		copy(dst[(y-1)*z.dim:y*z.dim], row)
	}
	if class > 0 {
		linalg.Axpy(dst[(class-1)*z.dim:class*z.dim], -1, row)
	}
}

// target returns −Σz and Σ‖z‖.
func (z *differences) target() (t []float64, size float64) {
	t = make([]float64, z.Len())
	row := make([]float64, z.dim)
	for i, y := range z.code {
		if y < 0 || !(z.weight(i) > 0) {
			continue // the two z of a row of both classes cancel
		}
		z.row(row, i)
		for c := 1; c < z.k; c++ {
			f := 1.0
			if c == y {
				f = -float64(z.k - 1)
			}
			linalg.Axpy(t[(c-1)*z.dim:c*z.dim], f, row)
		}
		size += float64(z.k - 1)
	}
	return t, size
}

// Steepest returns the z with the largest z·r.
func (z *differences) Steepest(r []float64) (int, float64) {
	best, most := -1, math.Inf(-1)
	row, f := make([]float64, z.dim), make([]float64, z.k)
	for i, y := range z.code {
		if !(z.weight(i) > 0) {
			continue
		}
		z.row(row, i)
		for c := 1; c < z.k; c++ {
			f[c] = linalg.Dot(r[(c-1)*z.dim:c*z.dim], row)
		}
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
	}
	return best, most
}

// functions returns v = −r by class, scaled to a largest coordinate of 1.
func (z *differences) functions(r []float64) [][]float64 {
	v := slices.Clone(r)
	linalg.Scale(v, -1/linalg.NormInf(r))
	for j, x := range v {
		if math.Abs(x) < 1e-12 {
			v[j] = 0
		}
	}
	f := make([][]float64, z.k)
	f[0] = make([]float64, z.dim)
	for c := 1; c < z.k; c++ {
		f[c] = v[(c-1)*z.dim : c*z.dim]
	}
	return f
}

// separated returns the evidence that a hyperplane separates the classes, nil if
// there is none: the functions that a fit came to, by class, without the features
// that are not among the columns (ascending; nil: all), or what separate finds in the columns.
func (d *design) separated(code []int, functions [][]float64, columns []int) *SeparationError {
	came := make([][]float64, len(functions))
	for c, theta := range functions {
		came[c] = slices.Clone(theta)
		for j := range d.p {
			if _, in := slices.BinarySearch(columns, j); columns != nil && !in {
				came[c][j+d.intercept] = 0
			}
		}
	}
	// Beside outliers either coordinates can hide what the others show.
	typical := d.typical()
	for _, s := range []*design{typical, d} {
		if e := s.separation(code, d.moved(came, s)); e != nil {
			return e
		}
		if f := s.separate(code, len(came), columns); f != nil {
			if e := s.separation(code, f); e != nil {
				return e
			}
		}
		if slices.Equal(typical.unit, d.unit) {
			return nil
		}
	}
	return nil
}

// margin is the size, relative to that of the terms of a row's scores, from which a
// difference of scores counts as positive.
const margin = 1e-9

// separation describes the direction with the given functions, by class, as an
// error. f may be any functions: the result is nil unless they separate.
func (d *design) separation(code []int, f [][]float64) *SeparationError {
	k := len(f)
	e := &SeparationError{Complete: true}
	values := make([][]float64, k)
	for c := range f {
		values[c] = make([]float64, d.n)
		d.margins(f[c], func(i int, v float64) { values[c][i] = v })
	}
	largest := 0.0
	for _, g := range f {
		largest = max(largest, linalg.NormInf(g))
	}
	won, lost := 0.0, 0.0
	for i, y := range code {
		if !(d.weight(i) > 0) {
			continue
		}
		strict, all := false, true
		size := margin * d.termSize(f, i)
		if y < 0 {
			if math.Abs(values[1][i]-values[0][i]) > size {
				return nil
			}
			e.Complete = false
			continue
		}
		for c := range f {
			m := values[y][i] - values[c][i]
			won, lost = max(won, m), max(lost, -m)
			switch {
			case c == y:
			case m > size:
				strict = true
			case m < -size:
				return nil
			default:
				all = false
			}
		}
		if strict {
			e.Rows++
		}
		e.Complete = e.Complete && all
	}
	// What a row loses is rounding only if it is nothing to what others win: beside
	// an outlier the size of a row alone does not tell.
	if e.Rows == 0 || lost > 1e-3*won {
		return nil
	}
	d.publish(e, f, largest)
	return e
}

// typical returns the design in coordinates in which the rows differ although a
// few lie far out: a column whose unit is that of an outlier is measured from its
// median, by the median of the distances that are not 0.
func (d *design) typical() *design {
	t := *d
	t.origin, t.unit = slices.Clone(d.origin), slices.Clone(d.unit)
	step := (d.n + probeRows - 1) / probeRows
	values := make([]float64, 0, probeRows)
	for j := range t.unit {
		values = values[:0]
		for at := 0; at < d.n; at += step {
			if row := d.counted(at, min(at+step, d.n)); row != nil {
				values = append(values, row[j])
			}
		}
		slices.Sort(values)
		middle := 0.0
		if d.intercept == 1 {
			middle = values[len(values)/2]
		}
		for i, v := range values {
			values[i] = math.Abs(v - middle)
		}
		slices.Sort(values)
		zeros, _ := slices.BinarySearch(values, math.SmallestNonzeroFloat64)
		if zeros == len(values) {
			continue
		}
		if u := powerOfTwo(values[(zeros+len(values))/2]); u < d.unit[j]/farOut {
			t.origin[j], t.unit[j] = middle, u
		}
	}
	t.about(t.origin)
	return &t
}

// farOut is how many times the typical distance an outlier's is, at least.
const farOut = 1 << 10

// moved returns the parameters of functions in the coordinates of another design
// of the same data.
func (d *design) moved(functions [][]float64, to *design) [][]float64 {
	out := make([][]float64, len(functions))
	for c, theta := range functions {
		out[c] = slices.Clone(theta)
		for j, u := range d.unit {
			b := theta[j+d.intercept] / u
			out[c][j+d.intercept] = b * to.unit[j]
			if d.intercept == 1 {
				out[c][0] += b * (to.origin[j] - d.origin[j])
			}
		}
	}
	return out
}

// termSize returns the largest sum of the absolute terms of the functions at row i.
func (d *design) termSize(f [][]float64, i int) float64 {
	k, most := d.intercept, 0.0
	for _, theta := range f {
		s := 0.0
		for _, v := range theta[:k] {
			s += math.Abs(v)
		}
		for j, v := range d.x.Row(i) {
			s += math.Abs(theta[j+k] * ((v - d.origin[j]) / d.unit[j]))
		}
		most = max(most, s)
	}
	return most
}

// publish fills in the direction on the data's scale.
func (d *design) publish(e *SeparationError, f [][]float64, largest float64) {
	rows := f
	if len(f) == 2 {
		diff := append([]float64(nil), f[1]...)
		linalg.Axpy(diff, -1, f[0])
		rows = [][]float64{diff}
	}
	e.Coef, e.Intercept = linalg.Zeros(len(rows), d.p), make([]float64, len(rows))
	involved := make([]bool, d.dim())
	for c, g := range rows {
		e.Intercept[c] = d.coef(e.Coef.Row(c), g) - linalg.Dot(e.Coef.Row(c), d.origin)
		for j, v := range g {
			involved[j] = involved[j] || math.Abs(v) > 1e-9*largest
		}
	}
	for j, in := range involved[d.intercept:] {
		if in {
			e.Columns = append(e.Columns, j)
		}
	}
}
