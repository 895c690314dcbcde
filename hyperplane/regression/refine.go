package regression

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/exact"
)

// refineSteps bounds the steps of refinement; two are usual.
const refineSteps = 5

// refine improves the least squares coefficients beta of the columns about the origin on
// z by the factor RᵀR of √w(x−c): steps of RᵀRδ = (x−c)ᵀW(z − (x−c)β) with the
// right-hand side summed in twice the working precision. Each step leaves the condition
// of x times a rounding, not its square times one, of the error before: what is left is
// that of x and y themselves. (Björck, Numerical Methods for Least Squares Problems, 1996,
// §2.9.3 and §6.6.5.) O(np) a step.
func (s *system) refine(beta []float64, x *linalg.Dense) error {
	before := math.Inf(1)
	for k := 0; ; k++ {
		g, sum := s.exactGradient(beta, x)
		step := slices.Clone(g)
		size := s.length(step) // of the change of the fitted values
		if k == refineSteps || !(size <= before/2) {
			r, err := s.at(beta)
			if err == nil {
				r.gradient, r.sum, r.exact = g, sum, true
			}
			return err
		}
		before = size
		linalg.SolveLowerT(s.factor.L(), step)
		linalg.Axpy(beta, 1, step)
	}
}

// lowerOf returns Rᵀ with the signs that make its diagonal positive.
func lowerOf(r *linalg.Dense) *linalg.Dense {
	l := linalg.Zeros(r.Cols, r.Rows)
	for i := range r.Rows {
		sign := math.Copysign(1, r.At(i, i))
		for j, v := range r.Row(i)[i:] {
			l.Set(i+j, i, sign*v)
		}
	}
	return l
}

// exactGradient returns (x−c)ᵀW(z − (x−c)β) and the sum of W(z − (x−c)β), z being y less the
// offset and the mean, with residuals and sums in twice the working precision.
func (p *problem) exactGradient(beta []float64, x *linalg.Dense) (g []float64, sum float64) {
	sums, level, minus := make([]exact.Sum, len(beta)), exact.Sum{}, slices.Clone(beta)
	linalg.Scale(minus, -1)
	for i, y := range p.y {
		w := p.Weight(i)
		if w == 0 {
			continue
		}
		res := exact.Sum{Hi: y}
		res.Add(-p.mean, 0)
		if p.o.Offset != nil {
			res.Add(-p.o.Offset[i], 0)
		}
		res.AddProducts(nil, minus, x.Row(i), p.Origin)
		var scaled exact.Sum
		scaled.AddProduct(w, 0, res.Hi, res.Lo)
		level.Add(scaled.Hi, scaled.Lo)
		for j, v := range x.Row(i) {
			sums[j].AddProduct(scaled.Hi, scaled.Lo, v, -p.Origin[j])
		}
	}
	for _, s := range sums {
		g = append(g, s.Value())
	}
	return g, level.Value()
}
