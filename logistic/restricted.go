package logistic

import (
	"halfspace/linalg"
	"halfspace/optimize"
)

// restricted is a function of some coordinates, the others held where they are:
// null models, models without a term and profiles are fits of the whole model on
// such a subspace. It implements [optimize.Hessian].
type restricted struct {
	f    optimize.Hessian
	free []int     // coordinates that move, ascending
	at   []float64 // all coordinates; those of free are the point of the last call
	g    []float64
	h    *linalg.Dense
}

func restrict(f optimize.Hessian, at []float64, free []int) *restricted {
	return &restricted{f, free, append([]float64(nil), at...), make([]float64, len(at)), linalg.Zeros(len(at), len(at))}
}

func (r *restricted) point(x []float64) []float64 {
	for i, j := range r.free {
		r.at[j] = x[i]
	}
	return r.at
}

// Value returns f at x and the fixed coordinates.
func (r *restricted) Value(x []float64) float64 { return r.f.Value(r.point(x)) }

// Grad sets g to the derivatives by the free coordinates.
func (r *restricted) Grad(g, x []float64) float64 {
	v := r.f.Grad(r.g, r.point(x))
	r.gather(g)
	return v
}

// Hess sets h and g to the derivatives by the free coordinates.
func (r *restricted) Hess(h *linalg.Dense, g, x []float64) float64 {
	v := r.f.Hess(r.h, r.g, r.point(x))
	r.gather(g)
	for a, i := range r.free {
		for b, j := range r.free {
			h.Set(a, b, r.h.At(i, j))
		}
	}
	return v
}

func (r *restricted) gather(g []float64) {
	for i, j := range r.free {
		g[i] = r.g[j]
	}
}

// minimise returns the least value of f over the free coordinates, starting
// from those in at, and leaves the whole point in r.at. scale measures the
// derivatives by all coordinates.
func (r *restricted) minimise(scale []float64, tol float64) (float64, error) {
	if len(r.free) == 0 {
		return r.f.Value(r.at), nil
	}
	start, c := make([]float64, len(r.free)), &optimize.Control{Tol: tol, Scale: make([]float64, len(r.free))}
	for i, j := range r.free {
		start[i], c.Scale[i] = r.at[j], scale[j]
	}
	x, report, err := optimize.Newton(r, start, c)
	if x != nil {
		r.point(x)
	}
	return report.Objective(), err
}
