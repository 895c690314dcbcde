package optimize

import (
	"math"
	"slices"

	"halfspace/linalg"
)

const (
	loose       = 0.9 // strong Wolfe: |slope| must fall below this part of its start
	exact       = 0.1 // the same for directions that cost many times what a point does
	expansions  = 30
	zooms       = 40
	expandLeast = 2
	expandMost  = 100
)

// line is a function along the ray x + t·d, on which search finds a step that
// meets the strong Wolfe conditions. At the step found, next and gNext are the
// point and its gradient.
type line struct {
	*Progress
	f           Gradient
	steepest    float64 // the part of the slope at the start that may be left
	x, d        []float64
	next, gNext []float64
	start       linePoint // t = 0
}

// linePoint is the function on the line and its derivative at t.
type linePoint struct{ t, value, slope float64 }

func newLine(run *Progress, f Gradient, p int) *line {
	return &line{Progress: run, f: f, steepest: loose, d: make([]float64, p), next: make([]float64, p), gNext: make([]float64, p)}
}

// search looks for a step along d from x, where the function has the given value
// and the slope along d, trying d itself first. It brackets by expansion and then narrows by
// cubic interpolation (Nocedal & Wright, Numerical Optimization, 2nd ed.,
// Algorithms 3.5 and 3.6, c₁ = 10⁻⁴, c₂ = 0.9). A point where something is not
// finite lies too far. Where differences of the function are rounding errors,
// Wolfe's conditions on the slopes alone decide (Hager & Zhang, SIAM J. Optim. 16,
// 2005, (2.2)). It reports false if no step was found.
func (l *line) search(x []float64, slope, value float64) (linePoint, bool) {
	l.x = x
	l.start = linePoint{0, value, slope}
	if !(l.start.slope < 0) {
		return l.start, false
	}
	before, t := l.start, 1.0
	for range expansions {
		at := l.eval(t)
		switch {
		case l.accept(at):
			return at, true
		case !finite(at.value) || !l.sufficient(at) || before.t > 0 && at.value >= before.value:
			return l.zoom(before, at)
		case at.slope >= 0:
			return l.zoom(at, before)
		}
		// The slope is still negative: where it rises, its secant foretells the end.
		t = at.t + (at.t-before.t)*at.slope/(before.slope-at.slope)
		if !(t > at.t) {
			t = expandMost * at.t
		}
		t = min(max(t, expandLeast*at.t), expandMost*at.t)
		before = at
	}
	return l.fallBack(before)
}

// eval moves next to x + t·d. If anything there is not finite, or that is x, the value is NaN.
func (l *line) eval(t float64) linePoint {
	along(l.next, l.x, t, l.d)
	if slices.Equal(l.next, l.x) {
		return linePoint{t: t, value: math.NaN()}
	}
	p := linePoint{t: t, value: l.f.Grad(l.gNext, l.next)}
	p.slope = linalg.Dot(l.gNext, l.d)
	if !l.Finite(l.next, p.value, l.gNext) || !finite(p.slope) {
		p.value = math.NaN()
	}
	return p
}

func (l *line) sufficient(p linePoint) bool {
	return p.value <= l.start.value+armijo*p.t*l.start.slope
}

// accept reports whether p meets the Wolfe conditions, or near the end of what
// the values can tell, the approximate ones.
func (l *line) accept(p linePoint) bool {
	if !finite(p.value) || math.Abs(p.slope) > -l.steepest*l.start.slope {
		return false
	}
	return l.sufficient(p) ||
		math.Abs(p.value-l.start.value) <= rounding(l.start.value) && p.slope <= (2*armijo-1)*l.start.slope
}

// zoom narrows the interval between lo, the best point so far, and hi, until a
// point in it is acceptable.
func (l *line) zoom(lo, hi linePoint) (linePoint, bool) {
	for range zooms {
		at := l.eval(inside(lo, hi))
		if l.accept(at) {
			return at, true
		}
		if !finite(at.value) || !l.sufficient(at) || at.value >= lo.value {
			hi = at
			continue
		}
		if at.slope*(hi.t-lo.t) >= 0 {
			hi = lo
		}
		lo = at
	}
	return l.fallBack(lo)
}

// fallBack takes a point that lowers the objective though its slope is steep.
func (l *line) fallBack(p linePoint) (linePoint, bool) {
	if p.t == 0 {
		return p, false
	}
	p = l.eval(p.t)
	return p, finite(p.value) && p.value < l.start.value
}

// inside returns the minimiser of the cubic through two points and their slopes
// (Nocedal & Wright, (3.59)), kept away from both ends; the middle where there is
// none.
func inside(lo, hi linePoint) float64 {
	w := hi.t - lo.t
	t := lo.t + w/2
	if finite(hi.value) {
		d1 := lo.slope + hi.slope - 3*(hi.value-lo.value)/w
		if r := d1*d1 - lo.slope*hi.slope; r >= 0 {
			d2 := math.Copysign(math.Sqrt(r), w)
			if c := hi.t - w*(hi.slope+d2-d1)/(hi.slope-lo.slope+2*d2); finite(c) {
				t = c
			}
		}
	}
	return lo.t + w*min(max((t-lo.t)/w, 0.1), 0.9)
}
