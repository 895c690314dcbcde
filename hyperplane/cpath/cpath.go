// Package cpath computes the whole path of a soft margin over its price of slack C, exactly:
// the plane and the multipliers are piecewise linear in C, and the path is the list of the
// points where the pieces meet (Hastie, Rosset, Tibshirani and Zhu 2004; ESL §12.3.5).
//
// # A piece
//
// Between two breakpoints the rows inside the margin, y·f < 1, have α = C, those beyond it
// α = 0, and those on it, the elbow, stay on it. So with v = dβ/dC, v₀ = dβ₀/dC and μ = dα/dC
//
//	v = Σ_inside yx + Σ_elbow μyx,  Σ_inside y + Σ_elbow μy = 0,  y(v·x + v₀) = 0 on the elbow,
//
// and a piece ends where a row reaches the margin, or a multiplier of the elbow 0 or C.
//
// # Degeneracy
//
// With a linear kernel, or with rows that coincide, the elbow can hold more than p+1 rows; the
// equations are then singular (Ong, Shao and Yang 2010). v is unique all the same; μ and v₀ are
// taken as those of least norm. Which rows are on the elbow beyond a breakpoint is not guessed
// from the multipliers, which are not unique either: a fit just beyond tells. A piece found with
// one choice of multipliers may end earlier than the plane's own; the next one then has the
// same v.
//
// # Certificate
//
// Along a piece the primal objective ½‖β‖² + CΣξ and the dual Σα − ½‖Σαyx‖² are quadratic in C,
// so the gap is 0 on all of it if it is at both ends and between. Each breakpoint has the larger of
// the gaps at it and half-way to the next, relative to the primal objective.
package cpath

import (
	"fmt"
	"math"
	"slices"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
)

// Point is a breakpoint: between it and the next all numbers are linear in C.
type Point struct {
	C         float64
	Beta      []float64
	Intercept float64 // where the elbow is empty it is not unique; then any that is optimal
	Alpha     []float64
	Elbow     []int   // rows with y·f = 1 from here to the next breakpoint
	Inside    int     // rows with y·f < 1 there
	Gap       float64 // the larger of the relative gaps here and half-way to the next breakpoint
}

// Path is the path from the C of its first point to that of its last.
type Path struct {
	Points []Point
	// Complete is false where MaxEvents ended the path before the largest C.
	Complete bool
	Gap      float64 // the largest of the points'
}

// Options are the choices of [Fit]; nil or zero values are the defaults.
type Options struct {
	MinC, MaxC float64 // 0 is 1e-3 and 1e3
	MaxEvents  int     // 0 is 10,000
}

// ahead are the distances beyond a breakpoint, relative to C, of the fit that tells the next
// piece: the first at which the fit's elbow makes a piece that goes on from there and is
// certified back to the breakpoint. Closer ones are hard to tell apart in float64, because the gap
// of a wrong elbow is of the order of the distance's square. Breakpoints closer to one another
// than the distance are taken for one.
var ahead = []float64{1e-5, 1e-6, 1e-4, 1e-7, 1e-3}

// certified is the largest relative gap of a piece at its ends.
const certified = 1e-9

// Fit computes the path for two classes. Each piece costs a fit of [hyperplane.FitSVC] and
// O(np + e³) for an elbow of e rows.
//
// Errors: those of [hyperplane.FitSVC]; *[sample.OptionError]; one that says at which C the
// pieces do not meet, as where rounding hides the elbow.
func Fit(x linalg.Rows, y []int, o *Options) (*Path, error) {
	if o == nil {
		o = new(Options)
	}
	p, err := fit(x, y, *o)
	if err != nil {
		err = fmt.Errorf("cpath: %w", err)
	}
	return p, err
}

func fit(rows linalg.Rows, y []int, o Options) (*Path, error) {
	f, err := newPath(rows, y, &o)
	if err != nil {
		return nil, err
	}
	hi, out := o.MaxC, new(Path)
	var last *piece
	for at := o.MinC; ; {
		if len(out.Points) == o.MaxEvents {
			return out, nil
		}
		p, err := f.piece(last, at, hi)
		if err != nil {
			return nil, err
		}
		k := f.point(p, at)
		k.Gap = max(f.gap(p, at), f.gap(p, (at+p.end)/2))
		out.Points = append(out.Points, k)
		out.Gap = max(out.Gap, k.Gap)
		if p.end >= hi {
			end := f.point(p, hi)
			end.Gap = f.gap(p, hi)
			out.Points, out.Complete = append(out.Points, end), true
			return out, nil
		}
		at, last = p.end, p
	}
}

// At returns the plane at C, by the line between the breakpoints on either side.
//
// Error: *[sample.OptionError] for a C outside the path.
func (p *Path) At(c float64) (*hyperplane.Plane, error) {
	n := len(p.Points)
	if n < 2 || !(c >= p.Points[0].C && c <= p.Points[n-1].C) {
		return nil, fmt.Errorf("cpath: %w", &sample.OptionError{Name: "c", Value: c, Want: "within the path"})
	}
	k := 0
	for k+2 < n && p.Points[k+1].C < c {
		k++
	}
	a, b := p.Points[k], p.Points[k+1]
	t := (c - a.C) / (b.C - a.C)
	beta := slices.Clone(a.Beta)
	linalg.Scale(beta, 1-t)
	linalg.Axpy(beta, t, b.Beta)
	return hyperplane.NewPlane(beta, (1-t)*a.Intercept+t*b.Intercept)
}

// String returns a summary.
func (p *Path) String() string {
	return fmt.Sprintf("path of %d breakpoints, gap %.3g, complete %v", len(p.Points), p.Gap, p.Complete)
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (p Path) MarshalJSON() ([]byte, error) { return record.Plain(p) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (p *Path) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, p) }

// path is the problem.
type path struct {
	x    *linalg.Dense
	y    []int
	sign []float64
}

// newPath checks the rows, and the options, where it puts the defaults.
func newPath(rows linalg.Rows, y []int, o *Options) (*path, error) {
	x, err := linalg.ToDense(rows)
	if err != nil {
		return nil, err
	}
	if o.MinC, err = sample.Positive("MinC", o.MinC, 1e-3); err != nil {
		return nil, err
	}
	if o.MaxC, err = sample.Positive("MaxC", o.MaxC, 1e3); err != nil {
		return nil, err
	}
	if !(o.MinC < o.MaxC) {
		return nil, &sample.OptionError{Name: "MaxC", Value: o.MaxC, Want: fmt.Sprintf("above MinC, %g", o.MinC)}
	}
	if o.MaxEvents, err = sample.Count("MaxEvents", o.MaxEvents, 10_000); err != nil {
		return nil, err
	}
	_, sign, err := sample.Signs(x, y, nil, nil)
	return &path{x: x, y: y, sign: sign}, err
}

// piece is the solution as a function of C: value + slope·(C − at), up to end.
type piece struct {
	at, end         float64
	beta, dBeta     []float64
	b0, dB0         float64
	alpha, dAlpha   []float64
	elbow           []int
	inside          []int
	margin, dMargin []float64 // y·f
}

// piece returns the piece that begins at c, where the one before it ends.
func (f *path) piece(before *piece, c, most float64) (*piece, error) {
	for _, d := range ahead {
		at := c * (1 + d)
		p, err := f.pieceAt(at, most)
		if err != nil {
			return nil, err
		}
		if len(p.elbow) == 0 {
			f.loose(p, c, most)
		}
		if !(p.end > at) {
			continue
		}
		if before != nil {
			f.join(p, before, c)
		}
		if max(f.gap(p, c), f.gap(p, (c+p.end)/2), f.gap(p, p.end)) < certified {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no fit just beyond C = %g tells the rows on the margin", c)
}

// join lets the multipliers go on from those at the end of the piece before, on the straight way to
// those at the end of this one. Where they are unique it changes nothing.
func (f *path) join(p, before *piece, c float64) {
	from, to := f.point(before, c).Alpha, f.point(p, p.end).Alpha
	for i := range from {
		p.dAlpha[i] = (to[i] - from[i]) / (p.end - c)
		p.alpha[i] = from[i] + p.dAlpha[i]*(p.at-c)
	}
}

// pieceAt returns the piece that C = at lies in.
func (f *path) pieceAt(at, most float64) (*piece, error) {
	m, err := hyperplane.FitSVC(f.x, f.y, &hyperplane.SVCOptions{C: at, Tol: 1e-13})
	if m == nil {
		return nil, err
	}
	machine := m.Machines()[0]
	n := len(f.y)
	p := &piece{at: at, beta: machine.Plane.Normal(), b0: machine.Plane.Intercept(), alpha: make([]float64, n), margin: make([]float64, n), dMargin: make([]float64, n), dAlpha: make([]float64, n)}
	for k, i := range machine.Support {
		p.alpha[i] = machine.Multipliers[k]
	}
	for i, s := range f.sign {
		p.margin[i] = s * (p.b0 + linalg.Dot(p.beta, f.x.Row(i)))
		switch {
		case p.alpha[i] >= at*(1-atBound):
			p.inside = append(p.inside, i)
		case p.alpha[i] > at*atBound:
			p.elbow = append(p.elbow, i)
		}
	}
	if err := f.slopes(p); err != nil {
		return nil, err
	}
	f.bound(p, most)
	return p, nil
}

// loose gives a piece without an elbow an intercept: any is optimal that has the rows
// inside at y·f ≤ 1 and the others at y·f ≥ 1. These bounds on it are linear in C, and the piece ends
// where they meet. It goes from the middle of the range at c to that at the end.
func (f *path) loose(p *piece, c, most float64) {
	inside := make(map[int]bool, len(p.inside))
	for _, i := range p.inside {
		inside[i] = true
	}
	// at returns the range at C, and the rows that bound it.
	at := func(price float64) (lo, hi float64, low, high int) {
		lo, hi, low, high = math.Inf(-1), math.Inf(1), -1, -1
		for i, s := range f.sign {
			row := f.x.Row(i)
			b := s - linalg.Dot(p.beta, row) - (price-p.at)*linalg.Dot(p.dBeta, row)
			if inside[i] == (s > 0) {
				if b < hi {
					hi, high = b, i
				}
			} else if b > lo {
				lo, low = b, i
			}
		}
		return lo, hi, low, high
	}
	middle := func(price float64) float64 {
		lo, hi, _, _ := at(price)
		switch {
		case math.IsInf(lo, -1) && math.IsInf(hi, 1):
			return p.b0
		case math.IsInf(lo, -1):
			return hi
		case math.IsInf(hi, 1):
			return lo
		}
		return lo + (hi-lo)/2
	}
	p.end = most
	for range len(f.sign) { // the width is concave: its tangents lead to its zero
		lo, hi, low, high := at(p.end)
		if hi >= lo || low < 0 || high < 0 {
			break
		}
		closing := linalg.Dot(p.dBeta, f.x.Row(high)) - linalg.Dot(p.dBeta, f.x.Row(low))
		if !(closing > 0) {
			break
		}
		p.end -= (lo - hi) / closing
	}
	start := middle(c)
	p.dB0 = (middle(p.end) - start) / (p.end - c)
	p.b0 = start + p.dB0*(p.at-c)
	for i, s := range f.sign {
		p.margin[i] = s * (p.b0 + linalg.Dot(p.beta, f.x.Row(i)))
		p.dMargin[i] = s * (p.dB0 + linalg.Dot(p.dBeta, f.x.Row(i)))
	}
}

// atBound is how close to 0 or C a multiplier is that is taken to be there, relative to C. A
// row on the margin whose multiplier is at a bound is no part of the elbow: either the elbow
// holds it there, as where rows coincide, or it leaves.
const atBound = 1e-12

// slopes solves the equations of the piece for (μ, v₀), of least norm.
func (f *path) slopes(p *piece) error {
	e := len(p.elbow)
	v := make([]float64, f.x.Cols)
	count := 0.0
	for _, i := range p.inside {
		linalg.Axpy(v, f.sign[i], f.x.Row(i))
		count += f.sign[i]
	}
	p.dBeta = v
	solved := make([]float64, e+1)
	if e > 0 {
		k, rhs := linalg.Zeros(e+1, e+1), make([]float64, e+1)
		for a, i := range p.elbow {
			for b, j := range p.elbow {
				k.Set(a, b, f.sign[i]*f.sign[j]*linalg.Dot(f.x.Row(i), f.x.Row(j)))
			}
			k.Set(a, e, f.sign[i])
			k.Set(e, a, f.sign[i])
			rhs[a] = -f.sign[i] * linalg.Dot(v, f.x.Row(i))
		}
		rhs[e] = -count
		var err error
		if solved, err = leastNorm(k, rhs); err != nil {
			return err
		}
	}
	for a, i := range p.elbow {
		p.dAlpha[i] = solved[a]
		linalg.Axpy(v, solved[a]*f.sign[i], f.x.Row(i))
	}
	p.dB0 = solved[e]
	for _, i := range p.inside {
		p.dAlpha[i] = 1
	}
	for i, s := range f.sign {
		p.dMargin[i] = s * (p.dB0 + linalg.Dot(v, f.x.Row(i)))
	}
	return nil
}

// leastNorm solves a symmetric system that may be singular, in units that make its
// diagonal 1.
func leastNorm(k *linalg.Dense, rhs []float64) ([]float64, error) {
	n := len(rhs)
	unit := make([]float64, n)
	for i := range unit {
		unit[i] = 1
		if d := math.Abs(k.At(i, i)); d > 0 {
			unit[i] = 1 / math.Sqrt(d)
		}
	}
	scaled := linalg.Zeros(n, n)
	for i := range n {
		for j := range n {
			scaled.Set(i, j, k.At(i, j)*unit[i]*unit[j])
		}
	}
	e, err := linalg.SymEigen(scaled)
	if err != nil {
		return nil, err
	}
	largest := math.Max(math.Abs(e.Values[0]), math.Abs(e.Values[n-1]))
	b, z := make([]float64, n), make([]float64, n)
	for i := range b {
		b[i] = rhs[i] * unit[i]
	}
	for k, value := range e.Values {
		if math.Abs(value) > 1e-11*largest {
			linalg.Axpy(z, linalg.Dot(e.Vectors.Row(k), b)/value, e.Vectors.Row(k))
		}
	}
	for i := range z {
		z[i] *= unit[i]
	}
	return z, nil
}

// bound sets the end of the piece: the first C at which a row comes to the margin or a
// multiplier of the elbow to a bound.
func (f *path) bound(p *piece, most float64) {
	p.end = most
	event := func(room, speed, size float64) {
		if speed > 1e-9*size {
			p.end = math.Min(p.end, p.at+math.Max(room, 0)/speed)
		}
	}
	steep, wide := linalg.Norm(p.dBeta), linalg.Norm(p.beta)/p.at
	for i := range f.sign {
		size := math.Abs(p.dB0) + math.Abs(p.b0)/p.at + (steep+wide)*linalg.Norm(f.x.Row(i)) // rounding moves no row
		switch a := p.alpha[i]; {
		case a >= p.at*(1-atBound):
			event(1-p.margin[i], p.dMargin[i], size)
		case a > p.at*atBound:
			event(a, -p.dAlpha[i], 1)
			event(p.at-a, p.dAlpha[i]-1, 1)
		default:
			event(p.margin[i]-1, -p.dMargin[i], size)
		}
	}
}

// point returns the numbers of a piece at c.
func (f *path) point(p *piece, c float64) Point {
	beta, alpha := slices.Clone(p.beta), slices.Clone(p.alpha)
	linalg.Axpy(beta, c-p.at, p.dBeta)
	linalg.Axpy(alpha, c-p.at, p.dAlpha)
	for i, a := range alpha { // rounding
		alpha[i] = math.Max(0, math.Min(c, a))
	}
	return Point{C: c, Beta: beta, Intercept: p.b0 + (c-p.at)*p.dB0, Alpha: alpha, Elbow: slices.Clone(p.elbow), Inside: len(p.inside)}
}

// gap returns the relative gap of a piece at c, plus the imbalance |Σαy| relative to Σα.
func (f *path) gap(p *piece, c float64) float64 {
	k := f.point(p, c)
	primal, dual, balance, total := linalg.Dot(k.Beta, k.Beta)/2, 0.0, 0.0, 0.0
	sum := make([]float64, f.x.Cols)
	for i, s := range f.sign {
		primal += c * math.Max(0, 1-s*(k.Intercept+linalg.Dot(k.Beta, f.x.Row(i))))
		dual += k.Alpha[i]
		balance += s * k.Alpha[i]
		total += k.Alpha[i]
		linalg.Axpy(sum, s*k.Alpha[i], f.x.Row(i))
	}
	dual -= linalg.Dot(sum, sum) / 2
	return math.Abs(primal-dual)/primal + math.Abs(balance)/total
}
