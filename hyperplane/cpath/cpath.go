// Package cpath computes the whole path of a soft margin over its price of slack C, exactly:
// the plane and the multipliers are piecewise linear in C, and the path is the list of the
// points where the pieces meet (Hastie, Rosset, Tibshirani and Zhu 2004; ESL §12.3.5). So does
// it for support vector regression (Gunter and Zhu 2007).
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
// # Regression
//
// The tube |t − f| ≤ ε is two margins a row, f ≥ t − ε and −f ≥ −t − ε: with signs y = ±1 and a
// wanted d = yt − ε in the place of 1, all of the above holds of 2n rows. A row that is
// outside its tube is inside one of the margins. The multiplier of a row is that of the first less
// that of the second.
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
//
// # Files in reading order
//
//	piece.go  a piece: the rows on the margin, the slopes, the end, the gap
//	cpath.go  the path from piece to piece
package cpath

import (
	"fmt"
	"slices"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
)

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

// Fit computes the path for two classes (ESL 12.8). Each piece costs a fit of [hyperplane.FitSVC] and
// O(np + e³) for an elbow of e rows.
//
// Errors: those of [hyperplane.FitSVC]; *[sample.OptionError]; one that says at which C the
// pieces do not meet, as where rounding hides the elbow.
func Fit(x linalg.Rows, y []int, o *Options) (*Path, error) {
	if o == nil {
		o = new(Options)
	}
	p, err := fitClasses(x, y, *o)
	if err != nil {
		err = fmt.Errorf("cpath: %w", err)
	}
	return p, err
}

func fitClasses(rows linalg.Rows, y []int, o Options) (*Path, error) {
	x, err := linalg.ToDense(rows)
	if err != nil {
		return nil, err
	}
	_, sign, err := sample.Signs(x, y, nil, nil)
	if err != nil {
		return nil, err
	}
	f := &path{x: x, sign: sign, want: slices.Repeat([]float64{1}, len(y))}
	f.solve = func(c float64) (*hyperplane.Plane, []float64, error) {
		m, err := hyperplane.FitSVC(x, y, &hyperplane.SVCOptions{C: c, Tol: precise})
		if m == nil {
			return nil, nil, err
		}
		machine := m.Machines()[0]
		return machine.Plane, spread(machine.Support, machine.Multipliers, len(y)), nil
	}
	return f.run(o)
}

// FitSVR computes the path of support vector regression with a tube of half height epsilon
// (ESL 12.36). A point's multipliers have the signs of the residuals. Each piece costs a fit of
// [hyperplane.FitSVR] and O(np + e³) for e rows on the edge of the tube.
//
// Errors: those of [hyperplane.FitSVR]; *[sample.OptionError]; one that says at which C the
// pieces do not meet.
func FitSVR(x linalg.Rows, y []float64, epsilon float64, o *Options) (*Path, error) {
	if o == nil {
		o = new(Options)
	}
	p, err := fitTube(x, y, epsilon, *o)
	if err != nil {
		err = fmt.Errorf("cpath: %w", err)
	}
	return p, err
}

func fitTube(rows linalg.Rows, y []float64, epsilon float64, o Options) (*Path, error) {
	x, err := linalg.ToDense(rows)
	if err != nil {
		return nil, err
	}
	n, _, err := sample.Dims(x, len(y), "responses")
	if err != nil {
		return nil, err
	}
	f := &path{x: linalg.Zeros(2*n, x.Cols), sign: make([]float64, 2*n), want: make([]float64, 2*n)}
	for i, t := range y {
		for k, sign := range []float64{1, -1} {
			copy(f.x.Row(i+k*n), x.Row(i))
			f.sign[i+k*n], f.want[i+k*n] = sign, sign*t-epsilon
		}
	}
	f.solve = func(c float64) (*hyperplane.Plane, []float64, error) {
		m, err := hyperplane.FitSVR(x, y, &hyperplane.SVROptions{C: c, Epsilon: epsilon, Tol: precise})
		if m == nil {
			return nil, nil, err
		}
		alpha := make([]float64, 2*n)
		for i, a := range spread(m.Support(), m.Multipliers(), n) {
			alpha[i], alpha[i+n] = max(0, a), max(0, -a)
		}
		return m.Plane(), alpha, nil
	}
	p, err := f.run(o)
	if err != nil {
		return nil, err
	}
	for k := range p.Points {
		point := &p.Points[k]
		for i := range n {
			point.Alpha[i] -= point.Alpha[i+n]
		}
		point.Alpha = point.Alpha[:n:n]
		for j := range point.Elbow {
			point.Elbow[j] %= n
		}
		slices.Sort(point.Elbow)
	}
	return p, nil
}

// nearEnd is how near to the end of the path, relative to C, a breakpoint is taken for it: no fit between the two tells
// the next piece.
const nearEnd = 1e-10

// precise is the tolerance of the fits, relative to the objective.
const precise = 1e-13

// spread puts the multipliers of the support at their rows.
func spread(support []int, multipliers []float64, n int) []float64 {
	alpha := make([]float64, n)
	for k, i := range support {
		alpha[i] = multipliers[k]
	}
	return alpha
}

// run walks from piece to piece.
func (f *path) run(o Options) (*Path, error) {
	if err := o.check(); err != nil {
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
		k := f.point(p, p.start)
		k.Gap = max(f.gap(p, p.start), f.gap(p, (p.start+p.end)/2))
		out.Points = append(out.Points, k)
		out.Gap = max(out.Gap, k.Gap)
		if p.end >= hi*(1-nearEnd) {
			end := f.point(p, hi)
			end.Gap = f.gap(p, hi)
			out.Points, out.Gap, out.Complete = append(out.Points, end), max(out.Gap, end.Gap), true
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
	for p.Points[k+1].C < c {
		k++
	}
	a, b := p.Points[k], p.Points[k+1]
	t := (c - a.C) / (b.C - a.C)
	beta := slices.Clone(a.Beta)
	linalg.Scale(beta, 1-t)
	linalg.Axpy(beta, t, b.Beta)
	return hyperplane.NewPlane(beta, (1-t)*a.Intercept+t*b.Intercept)
}

// String returns the number of breakpoints and the gap.
func (p *Path) String() string {
	return fmt.Sprintf("path of %d breakpoints, gap %.3g, complete %v", len(p.Points), p.Gap, p.Complete)
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (p Path) MarshalJSON() ([]byte, error) { return record.Plain(p) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (p *Path) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, p) }

// check checks the options and puts the defaults.
func (o *Options) check() (err error) {
	if o.MinC, err = sample.Positive("MinC", o.MinC, 1e-3); err != nil {
		return err
	}
	if o.MaxC, err = sample.Positive("MaxC", o.MaxC, 1e3); err != nil {
		return err
	}
	if !(o.MinC < o.MaxC) {
		return &sample.OptionError{Name: "MaxC", Value: o.MaxC, Want: fmt.Sprintf("above MinC, %g", o.MinC)}
	}
	o.MaxEvents, err = sample.Count("MaxEvents", o.MaxEvents, 10_000)
	return err
}
