package optimize

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
)

// Restricted is a function of some coordinates of another one, whose other
// coordinates are held: null models, models without a term and profiles are minima
// of the whole model on such a subspace. It is a [Hessian] if the function is a
// [SubHessian] or a [Hessian]; of any other Hess panics. One goroutine at a time may
// use it.
type Restricted struct {
	f    Gradient
	free []int
	x, g []float64 // of all coordinates
	h    *linalg.Dense
}

// Restrict returns f as a function of the coordinates free, the others held as at
// has them.
func Restrict(f Gradient, at []float64, free []int) *Restricted {
	return &Restricted{f: f, free: slices.Clone(free), x: linalg.Clone(at), g: make([]float64, len(at))}
}

// Hold sets all coordinates: those that are held stay so, and [Restricted.Minimize]
// starts from the others.
func (r *Restricted) Hold(at []float64) { copy(r.x, at) }

// At returns all coordinates where the free ones are x.
func (r *Restricted) At(x []float64) []float64 { return linalg.Clone(r.point(x)) }

func (r *Restricted) point(x []float64) []float64 {
	for i, j := range r.free {
		r.x[j] = x[i]
	}
	return r.x
}

// Err returns the error of a function that can fail.
func (r *Restricted) Err() error {
	if f, ok := r.f.(failing); ok {
		return f.Err()
	}
	return nil
}

// Value returns f.
func (r *Restricted) Value(x []float64) float64 { return r.f.Value(r.point(x)) }

// Grad sets g to the derivatives by the free coordinates.
func (r *Restricted) Grad(g, x []float64) float64 {
	v := r.f.Grad(r.g, r.point(x))
	r.choose(g)
	return v
}

// Hess sets h and g to the derivatives by the free coordinates: those of a
// [SubHessian] alone, unless it is a [Hessian] too and most coordinates are free, so
// that one pass for all derivatives costs less than one for the gradient and one more.
func (r *Restricted) Hess(h *linalg.Dense, g, x []float64) float64 {
	whole, ok := r.f.(Hessian)
	if part, few := r.f.(SubHessian); few && (!ok || 2*len(r.free) <= len(r.x)) {
		v := r.Grad(g, x)
		part.SubHess(h, r.x, r.free, nil)
		return v
	}
	if !ok {
		panic("optimize: Hess of a restricted function without second derivatives")
	}
	if r.h == nil {
		r.h = linalg.Zeros(len(r.x), len(r.x))
	}
	v := whole.Hess(r.h, r.g, r.point(x))
	r.choose(g)
	for a, i := range r.free {
		for b, j := range r.free {
			h.Set(a, b, r.h.At(i, j))
		}
	}
	return v
}

// choose sets g to the derivatives by the free coordinates.
func (r *Restricted) choose(g []float64) {
	for i, j := range r.free {
		g[i] = r.g[j]
	}
}

// Minimize is [Newton] over the free coordinates, from where they are; it returns all
// coordinates. c.Scale is that of all of them. Where none is free, the value is a
// closed form.
func (r *Restricted) Minimize(c *Control) ([]float64, Report, error) {
	return r.MinimizeBy(c, func(x []float64, c *Control) ([]float64, Report, error) { return Newton(r, x, c) })
}

// MinimizeBy is Minimize by another solver of this package's, of the free coordinates.
func (r *Restricted) MinimizeBy(c *Control, solve func(x []float64, c *Control) ([]float64, Report, error)) ([]float64, Report, error) {
	own := Control{}
	if c != nil {
		own = *c
	}
	if len(r.free) == 0 {
		v := r.f.Value(r.x)
		if err := r.Err(); err != nil {
			return nil, Report{}, err
		}
		c := Certificate{Kind: KindGradient, Tol: own.Tol}
		if !finite(v) {
			c.Value = math.NaN() // no value, no minimum
		}
		var report Report
		report.judge(v, &c)
		return linalg.Clone(r.x), report, report.Err(nil)
	}
	start, scale := make([]float64, len(r.free)), own.Scale
	own.Scale = make([]float64, len(r.free))
	for i, j := range r.free {
		start[i], own.Scale[i] = r.x[j], scale.At(j)
	}
	x, report, err := solve(start, &own)
	if x == nil {
		return nil, report, err
	}
	return r.At(x), report, err
}

// Sample is the value F of a function of one variable at X.
type Sample struct{ X, F float64 }

// Root returns a root of a continuous function between a and b, whose values there
// have opposite signs, by the Illinois variant of regula falsi (Dowell & Jarratt,
// BIT 11, 1971): it converges faster than linearly and calls f once a step. The
// search ends where |f| is at most tolF, or at the end of the bracket on b's side once
// that is no wider than 1e-11·|x| + tolX.
//
// Errors: that of f; one that wraps [ErrNotConverged] after 100 steps, or where f is
// not a number; and one for values at a and b of the same sign.
func Root(f func(x float64) (float64, error), a, b Sample, tolX, tolF float64) (float64, error) {
	if !(a.F < 0 && b.F >= 0 || a.F > 0 && b.F <= 0) {
		return 0, fmt.Errorf("optimize: values %v at %v and %v at %v do not bracket a root", a.F, a.X, b.F, b.X)
	}
	last := 0 // the side that moved: −1 a, 1 b
	for range 100 {
		if math.Abs(b.X-a.X) <= 1e-11*math.Abs(b.X)+tolX {
			return b.X, nil
		}
		x := (a.X*b.F - b.X*a.F) / (b.F - a.F)
		v, err := f(x)
		switch next := (Sample{x, v}); {
		case err != nil:
			return 0, err
		case v != v:
			return 0, fmt.Errorf("optimize: %w: the function is not a number at %v", ErrNotConverged, x)
		case math.Abs(v) <= tolF:
			return x, nil
		case (v > 0) == (b.F > 0):
			if b = next; last == 1 {
				a.F /= 2
			}
			last = 1
		default:
			if a = next; last == -1 {
				b.F /= 2
			}
			last = -1
		}
	}
	return b.X, fmt.Errorf("optimize: %w: the root is between %v and %v", ErrNotConverged, a.X, b.X)
}
