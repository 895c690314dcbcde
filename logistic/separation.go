package logistic

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"halfspace/linalg"
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
// α = 1 + a this is non-negative least squares, solved by the active sets of
// Lawson & Hanson (Solving Least Squares Problems, ch. 23). A pass over the rows
// and O(D²) a step, about as many steps as there are parameters D.
//
// code holds the classes' indices 0 … k−1, −1 for a row that belongs to both of
// two classes. It returns the functions' parameters
// laid out by class, class 0 being 0; nil if the classes overlap.
func (d *design) separate(code []int, k int, columns []int) [][]float64 {
	s := &separator{design: d, code: code, k: k, dim: d.dim()}
	s.frozen(columns)
	s.start()
	free := (k - 1) * s.free
	for range 20*free + 100 {
		norm := linalg.Norm(s.v)
		if len(s.in) == free || !(norm > 1e-12*s.size) {
			return nil // also where values leave the range of floating point
		}
		pair, worst := s.mostViolated()
		if worst >= -1e-10*norm {
			return s.functions()
		}
		if !s.enter(pair) {
			// The row is in already, or depends on those that are: its
			// violation is a rounding error.
			return s.functions()
		}
	}
	return nil
}

// pair names the vector z for row i and the class k that it does not belong to.
type pair struct{ row, class int }

// separator is the state of Lawson and Hanson's method.
type separator struct {
	*design
	code   []int
	k, dim int
	keep   []bool // by parameter of one function; nil keeps all
	free   int    // parameters kept

	sum  []float64 // Σ z
	size float64   // Σ ‖z‖, what rounding errors of v are measured in
	v    []float64 // Σ z + Σ aⱼzⱼ

	in []pair    // vectors with a > 0
	a  []float64 // their a
	q  [][]float64
	r  [][]float64 // column j of R belongs to in[j]
}

func (s *separator) frozen(columns []int) {
	s.free = s.dim
	if columns == nil {
		return
	}
	s.keep = make([]bool, s.dim)
	for j := range s.intercept {
		s.keep[j] = true
	}
	for _, j := range columns {
		s.keep[j+s.intercept] = true
	}
	s.free = len(columns) + s.intercept
}

// row sets dst to the kept part of (1, x) of row i, scaled to length 1.
func (s *separator) row(dst []float64, i int) {
	s.design.row(dst, i)
	if s.keep != nil {
		for j, k := range s.keep {
			if !k {
				dst[j] = 0
			}
		}
	}
	if norm := linalg.Norm(dst); norm > 0 {
		linalg.Scale(dst, 1/norm)
	}
}

// z sets dst to z for a pair.
func (s *separator) z(dst []float64, at pair, row []float64) {
	clear(dst)
	s.row(row, at.row)
	y := s.code[at.row]
	if y < 0 {
		y = 1 - at.class
	}
	if y > 0 {
		copy(dst[(y-1)*s.dim:y*s.dim], row)
	}
	if at.class > 0 {
		linalg.Axpy(dst[(at.class-1)*s.dim:at.class*s.dim], -1, row)
	}
}

func (s *separator) start() {
	s.sum = make([]float64, (s.k-1)*s.dim)
	row := make([]float64, s.dim)
	for i := range s.n {
		if !(s.weight(i) > 0) {
			continue
		}
		s.row(row, i)
		y := s.code[i]
		if y < 0 {
			continue // the two z cancel
		}
		for c := 1; c < s.k; c++ {
			f := -1.0
			if c == y {
				f = float64(s.k - 1)
			}
			linalg.Axpy(s.sum[(c-1)*s.dim:c*s.dim], f, row)
		}
		s.size += float64(s.k - 1)
	}
	s.v = append([]float64(nil), s.sum...)
}

// mostViolated returns the pair with the smallest z·v.
func (s *separator) mostViolated() (pair, float64) {
	best, worst := pair{-1, -1}, math.Inf(1)
	row, f := make([]float64, s.dim), make([]float64, s.k)
	for i := range s.n {
		if !(s.weight(i) > 0) {
			continue
		}
		s.row(row, i)
		for c := 1; c < s.k; c++ {
			f[c] = linalg.Dot(s.v[(c-1)*s.dim:c*s.dim], row)
		}
		y := s.code[i]
		if y < 0 {
			y = lower(f)
		}
		for c := range f {
			if m := f[y] - f[c]; c != y && m < worst {
				best, worst = pair{i, c}, m
			}
		}
	}
	return best, worst
}

// lower returns the class of the smaller of two scores, the one that a row of
// both classes violates.
func lower(f []float64) int {
	if f[0] <= f[1] {
		return 0
	}
	return 1
}

// enter lets a pair's a become positive and moves to the least squares solution
// over those that are, dropping those that would become negative on the way. It
// reports whether the pair could enter.
func (s *separator) enter(at pair) bool {
	for _, p := range s.in {
		if p == at {
			return false
		}
	}
	z := make([]float64, len(s.sum))
	s.z(z, at, make([]float64, s.dim))
	if !s.push(at, z) {
		return false
	}
	for {
		target := s.solve()
		step, at := 1.0, -1
		for j, t := range target {
			if t <= 0 && s.a[j] <= step*(s.a[j]-t) {
				step, at = s.a[j]/(s.a[j]-t), j
			}
		}
		if at < 0 {
			s.a = target
			break
		}
		if len(s.in) == 1 {
			return false
		}
		for j := range s.a {
			s.a[j] += step * (target[j] - s.a[j])
		}
		s.drop(at)
	}
	s.residual()
	return true
}

// push appends a column to QR, by Gram and Schmidt, twice.
func (s *separator) push(at pair, z []float64) bool {
	norm := linalg.Norm(z)
	r := make([]float64, len(s.q)+1)
	for range 2 {
		for i, q := range s.q {
			c := linalg.Dot(q, z)
			linalg.Axpy(z, -c, q)
			r[i] += c
		}
	}
	left := linalg.Norm(z)
	if !(left > 1e-12*norm) {
		return false
	}
	linalg.Scale(z, 1/left)
	r[len(s.q)] = left
	s.in, s.a, s.q, s.r = append(s.in, at), append(s.a, 0), append(s.q, z), append(s.r, r)
	return true
}

// drop removes column j of QR and restores the triangle by plane rotations.
func (s *separator) drop(j int) {
	s.in = append(s.in[:j], s.in[j+1:]...)
	s.a = append(s.a[:j], s.a[j+1:]...)
	s.r = append(s.r[:j], s.r[j+1:]...)
	for i := j; i < len(s.r); i++ {
		h := math.Hypot(s.r[i][i], s.r[i][i+1])
		c, sn := s.r[i][i]/h, s.r[i][i+1]/h
		for _, col := range s.r[i:] {
			col[i], col[i+1] = c*col[i]+sn*col[i+1], c*col[i+1]-sn*col[i]
		}
		s.r[i] = s.r[i][:i+1]
		q0, q1 := s.q[i], s.q[i+1]
		for l, v := range q0 {
			q0[l], q1[l] = c*v+sn*q1[l], c*q1[l]-sn*v
		}
	}
	s.q = s.q[:len(s.r)]
}

// solve returns the a that minimise ‖Σz + Σ aⱼzⱼ‖ without bounds.
func (s *separator) solve() []float64 {
	a := make([]float64, len(s.in))
	for i := range a {
		a[i] = -linalg.Dot(s.q[i], s.sum)
	}
	for i := len(a) - 1; i >= 0; i-- {
		a[i] /= s.r[i][i]
		for l := range i {
			a[l] -= a[i] * s.r[i][l]
		}
	}
	return a
}

// residual sets v to the part of Σz that is orthogonal to the columns.
func (s *separator) residual() {
	copy(s.v, s.sum)
	for range 2 {
		for _, q := range s.q {
			linalg.Axpy(s.v, -linalg.Dot(q, s.v), q)
		}
	}
}

// functions returns v by class, scaled to a largest coordinate of 1.
func (s *separator) functions() [][]float64 {
	linalg.Scale(s.v, 1/linalg.NormInf(s.v))
	for j, x := range s.v {
		if math.Abs(x) < 1e-12 {
			s.v[j] = 0
		}
	}
	f := make([][]float64, s.k)
	f[0] = make([]float64, s.dim)
	for c := 1; c < s.k; c++ {
		f[c] = s.v[(c-1)*s.dim : c*s.dim]
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
