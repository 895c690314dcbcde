package logistic

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"halfspace/linalg"
	"halfspace/linalg/design"
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
func separate(d *design.Design, code []int, k int, columns []int) ([][]float64, error) {
	z := &differences{Design: d, code: code, k: k, keep: kept(d, columns)}
	target, size, err := z.target()
	if err != nil {
		return nil, err
	}
	noise := overlap * size
	c, err := qp.NonNegative(z, target, &qp.NonNegativeOptions{Noise: noise})
	if z.failed != nil {
		return nil, z.failed
	}
	if c == nil || err != nil && c.Report.Status() != optimize.LineSearch || !(linalg.Norm(c.Residual) > noise) {
		return nil, nil // also where values leave the range of floating point
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

// differences are the vectors z of [separate], as the columns of non-negative
// least squares: number i·k + c is z for row i and class c.
type differences struct {
	*design.Design
	code   []int
	k      int
	keep   []bool // by parameter of one function; nil keeps all
	failed error  // of a pass over the rows
}

// Len returns the number of parameters.
func (z *differences) Len() int { return (z.k - 1) * z.Dim() }

// normalize makes row, (1, x) in units, its kept part, scaled to length 1.
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
	row := make([]float64, z.Dim())
	err := z.EachBlock(func(b *design.Block) {
		for i := b.Lo; i < b.Hi; i++ {
			if z.Weight(i) > 0 {
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
	dim := z.Dim()
	row, class := make([]float64, dim), j%z.k
	if err := z.Row(row, j/z.k); err != nil && z.failed == nil {
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
	dim := z.Dim()
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
	f, dim := make([]float64, z.k), z.Dim()
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
	dim := z.Dim()
	f[0] = make([]float64, dim)
	for c := 1; c < z.k; c++ {
		f[c] = v[(c-1)*dim : c*dim]
	}
	return f
}

// separated returns the evidence that a hyperplane separates the classes as a
// *[SeparationError], nil if there is none: the functions that a fit came to, of two
// classes that of the larger label, without the features that are not among the columns
// (ascending; nil: all), or those that separate finds in the columns.
func (p *problem) separated(functions [][]float64, columns []int) error {
	var came [][]float64
	if len(functions) == 1 {
		came = append(came, make([]float64, p.Dim()))
	}
	for _, theta := range functions {
		f := slices.Clone(theta)
		for j := range p.P {
			if _, in := slices.BinarySearch(columns, j); columns != nil && !in {
				f[j+p.Intercept] = 0
			}
		}
		came = append(came, f)
	}
	// With outliers a separation may show only in median-based units, or only in the
	// fit's: both are tried.
	typical, err := p.Typical()
	if err != nil {
		return err
	}
	for _, d := range []*design.Design{typical, p.Design} {
		moved := make([][]float64, len(came))
		for c, theta := range came {
			moved[c] = slices.Clone(theta)
			p.MoveTo(d, moved[c])
		}
		if err := separation(d, p.r.code, moved); err != nil {
			return err
		}
		f, err := separate(d, p.r.code, len(came), columns)
		if err != nil {
			return err
		}
		if f != nil {
			if err := separation(d, p.r.code, f); err != nil {
				return err
			}
		}
		if slices.Equal(typical.Unit, p.Unit) {
			return nil
		}
	}
	return nil
}

const (
	// margin is the size, relative to that of the terms of a row's scores, from which a
	// difference of scores counts as positive.
	margin = 1e-9
	// lostShare is how much of the largest win a loss may be and count as rounding: beside
	// an outlier the size of a row alone does not tell.
	lostShare = 1e-3
)

// separation describes the direction with the given functions, by class, as an
// error. f may be any functions: the result is nil unless they separate, or that of a
// pass over the rows.
func separation(d *design.Design, code []int, f [][]float64) error {
	values, size := linalg.Zeros(len(f), d.N), make([]float64, d.N)
	for c := range f {
		if err := d.Margins(values.Row(c), f[c]); err != nil {
			return err
		}
	}
	if err := d.TermSizes(size, f); err != nil {
		return err
	}
	e := &SeparationError{Complete: true}
	won, lost := 0.0, 0.0
	for i, y := range code {
		if !(d.Weight(i) > 0) {
			continue
		}
		noise := margin * size[i]
		if y < 0 {
			if math.Abs(values.At(1, i)-values.At(0, i)) > noise {
				return nil
			}
			e.Complete = false
			continue
		}
		strict, all := false, true
		for c := range f {
			m := values.At(y, i) - values.At(c, i)
			won, lost = max(won, m), max(lost, -m)
			switch {
			case c == y:
			case m > noise:
				strict = true
			case m < -noise:
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
	if e.Rows == 0 || lost > lostShare*won {
		return nil
	}
	e.publish(d, f)
	return e
}

// involved is the size of a coefficient, relative to the largest, from which its column
// is named.
const involved = 1e-9

// publish fills in the direction on the data's scale.
func (e *SeparationError) publish(d *design.Design, f [][]float64) {
	largest := 0.0
	for _, g := range f {
		largest = max(largest, linalg.NormInf(g))
	}
	rows := f
	if len(f) == 2 {
		diff := slices.Clone(f[1])
		linalg.Axpy(diff, -1, f[0])
		rows = [][]float64{diff}
	}
	e.Coef, e.Intercept = linalg.Zeros(len(rows), d.P), make([]float64, len(rows))
	for c, g := range rows {
		e.Intercept[c] = d.Coef(e.Coef.Row(c), g) - linalg.Dot(e.Coef.Row(c), d.Origin)
		for j, v := range g[d.Intercept:] {
			if math.Abs(v) > involved*largest && !slices.Contains(e.Columns, j) {
				e.Columns = append(e.Columns, j)
			}
		}
	}
	slices.Sort(e.Columns)
}
