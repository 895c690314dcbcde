package path

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
)

// bounds spare features their inner products with the residuals r of the rows, which
// make the gradient of the likelihood: gⱼ = xⱼᵀr. With r = Σₐ cₐuₐ + e, where the uₐ
// are orthonormal, e is orthogonal to them, and all xⱼᵀuₐ are known,
//
//	|xⱼᵀr − Σₐ cₐ xⱼᵀuₐ| ≤ ‖xⱼ‖‖e‖,
//
// and a feature that this leaves below its penalty stays 0 (cf. the spheres of El
// Ghaoui, Viallon and Rabbani, Pacific J. Optim. 8, 2012). The uₐ are made of the
// constant and of the residuals of points at which all features were looked at: those
// of the next fits on a path are nearly in the plane of two neighbours'.
type bounds struct {
	norm []float64   // of the features about their means, for e sums to 0
	u, g [][]float64 // the uₐ, and by feature their inner products
	root []float64   // √w by row, nil for ones: features are √w·x here, and residuals r/√w
}

// Inner products with the uₐ, and the sum of e, are known to some 1e-16/leastAngle of
// the norms. More is added: of ‖r‖, and of the norm of a feature about 0, of which the
// one about its mean may be a small part.
const (
	leastAngle  = 1e-6 // between the residuals of a point and those before, or they say nothing new
	normSlack   = 1e-3
	residualGap = 1e-6
)

// newBounds knows the constant, from the means and the standard deviations of the features.
//
// Errors: those of [design.Design.Spread].
func newBounds(d *design.Design) (*bounds, error) {
	mean, sd, err := d.Spread()
	if err != nil {
		return nil, err
	}
	h := &bounds{norm: sd}
	one, length := make([]float64, d.N), math.Sqrt(d.Total)
	for i := range one {
		one[i] = math.Sqrt(d.Weight(i))
	}
	if d.Weights != nil {
		h.root = linalg.Clone(one)
	}
	linalg.Scale(one, 1/length)
	linalg.Scale(mean, length)
	for j, s := range sd {
		s *= length
		sd[j] = math.Hypot(s, normSlack*math.Hypot(s, mean[j]))
	}
	h.u, h.g = [][]float64{one}, [][]float64{mean}
	return h, nil
}

// residuals returns a copy of r as the uₐ are.
func (h *bounds) residuals(r []float64) []float64 {
	e := linalg.Clone(r)
	for i, v := range h.root {
		if v > 0 {
			e[i] /= v
		}
	}
	return e
}

// gradient sets g to the part of the gradient that r has by the uₐ and returns ‖e‖,
// with what rounding asks for. e takes the place of r. O(n + p) for each uₐ.
func (h *bounds) gradient(g, r []float64) (rest float64) {
	gap := residualGap * linalg.Norm(r)
	clear(g)
	for a, u := range h.u {
		c := linalg.Dot(u, r)
		linalg.Axpy(r, -c, u)
		linalg.Axpy(g, c, h.g[a])
	}
	return linalg.Norm(r) + gap
}

// point is a fit at which all features were looked at: the residuals of its rows, and
// its gradient by feature.
type point struct{ r, g []float64 }

// refer makes the uₐ anew, of the constant and of the residuals of points.
func (h *bounds) refer(points []point) {
	h.u, h.g = h.u[:1], h.g[:1]
	for _, t := range points {
		u, g := h.residuals(t.r), make([]float64, len(h.norm))
		length := linalg.Norm(u)
		h.gradient(g, u)
		rest := linalg.Norm(u)
		if !(rest > leastAngle*length) {
			continue
		}
		linalg.Scale(g, -1/rest)
		linalg.Axpy(g, 1/rest, t.g)
		linalg.Scale(u, 1/rest)
		h.u, h.g = append(h.u, u), append(h.g, g)
	}
}
