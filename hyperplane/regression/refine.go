package regression

import (
	"math"

	"halfspace/linalg"
)

// refineSteps bounds the steps of refinement; two are usual.
const refineSteps = 5

// refine improves the least squares coefficients beta of the columns about the origin on
// z, where r is the triangle of √w(x−c): steps of RᵀRδ = (x−c)ᵀW(z − (x−c)β) with the
// right-hand side summed in twice the working precision. Each step leaves the condition
// of x times a rounding, not its square times one, of the error before: what is left is
// that of x and y themselves. (Björck, Numerical Methods for Least Squares Problems, 1996,
// §2.9.3 and §6.6.5.) O(np) a step.
func (p *problem) refine(beta []float64, x, r *linalg.Dense) {
	before := math.Inf(1)
	for range refineSteps {
		step := p.exactGradient(beta, x)
		solveTransposed(r, step)
		size := linalg.Norm(step) // of the change of the fitted values
		if !(size <= before/2) {
			return
		}
		before = size
		backSolve(r, step)
		linalg.Axpy(beta, 1, step)
	}
}

// solveTransposed overwrites b with R⁻ᵀb for an upper triangular R.
func solveTransposed(r *linalg.Dense, b []float64) {
	for j := range b {
		b[j] /= r.At(j, j)
		linalg.Axpy(b[j+1:], -b[j], r.Row(j)[j+1:])
	}
}

// exactGradient returns (x−c)ᵀW(z − (x−c)β), z being y less the offset and the mean,
// with residuals and sums in twice the working precision.
func (p *problem) exactGradient(beta []float64, x *linalg.Dense) []float64 {
	sums := make([]double, len(beta))
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
		for j, v := range x.Row(i) {
			v, tail := difference(v, p.Origin[j])
			sums[j].addProduct(scaled.high, v)
			sums[j].low += scaled.high*tail + rest*v
		}
	}
	g := make([]float64, len(beta))
	for j, s := range sums {
		g[j] = s.high + s.low
	}
	return g
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
