package regression

import (
	"math"
	"slices"

	"halfspace/linalg"
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
	sums, level := make([]double, len(beta)), double{}
	for i, y := range p.y {
		w := p.Weight(i)
		if w == 0 {
			continue
		}
		res := double{high: y}
		res.add(-p.mean)
		if p.o.Offset != nil {
			res.add(-p.o.Offset[i])
		}
		for j, v := range x.Row(i) {
			v, tail := difference(v, p.Origin[j])
			res.addProduct(-beta[j], v)
			res.low -= beta[j] * tail
		}
		var scaled double
		scaled.addProduct(w, res.high+res.low)
		rest := w*(res.low-((res.high+res.low)-res.high)) + scaled.low
		level.add(scaled.high)
		level.low += rest
		for j, v := range x.Row(i) {
			v, tail := difference(v, p.Origin[j])
			sums[j].addProduct(scaled.high, v)
			sums[j].low += scaled.high*tail + rest*v
		}
	}
	for _, s := range sums {
		g = append(g, s.high+s.low)
	}
	return g, level.high + level.low
}

// double is a sum in twice the working precision. (Ogita, Rump & Oishi, SIAM J. Sci.
// Comput. 26, 2005, Algorithms 4.3 and 5.3.)
type double struct{ high, low float64 }

func (s *double) add(v float64) {
	sum := s.high + v
	t := sum - s.high
	s.low += (s.high - (sum - t)) + (v - t)
	s.high = sum
}

func (s *double) addProduct(a, b float64) {
	p := float64(a * b)
	s.add(p)
	s.low += math.FMA(a, b, -p)
}

// difference returns a − b rounded, and the rest that rounding left.
func difference(a, b float64) (d, rest float64) {
	s := double{high: a}
	s.add(-b)
	return s.high, s.low
}
