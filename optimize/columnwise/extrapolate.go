package columnwise

import (
	"halfspace/linalg"
)

// past are the points after the last sweeps over some features, by their coefficients. The
// sweeps of a descent near its end are one linear map, a contraction of whose slowest
// directions a few points tell the limit: the combination Σ cₖzₖ, Σ cₖ = 1, that makes
// Σ cₖ(zₖ − zₖ₋₁) least, in the norm of the second derivatives (Anderson acceleration;
// Bertrand & Massias, AISTATS 2021). It is kept if the next sweep moves less than the last one did.
type past struct {
	points [][]float64 // one more than the differences between them
	count  int
	tried  bool // the present point is an extrapolated one
}

// usualMemory is the number of points for models that are left at a share of where they began;
// an exact one is descended to its end, over many more sweeps. (Measured, processor seconds of
// lasso paths with 4 and 8: squared error on counts 3,000 × 2,000 2.2 and 1.5, logistic on
// text 100,000 × 50,000 17 and 20.)
const usualMemory, exactMemory = 4, 8

// next returns the point to be filled, of so many features.
func (p *past) next(features int) []float64 {
	z := append(p.points[p.count][:0], make([]float64, features)...)
	p.points[p.count] = z
	p.count++
	return z
}

// extrapolated makes the first point the combination of all, given the second derivatives,
// and reports whether there is one. The last one stays.
func (p *past) extrapolated(h []float64) bool {
	n := len(p.points) - 1
	gram, c, d := linalg.Zeros(n, n), make([]float64, n), make([]float64, n)
	for i, hi := range h {
		for k := range d {
			d[k] = p.points[k+1][i] - p.points[k][i]
			for b := range k + 1 {
				gram.Data[k*n+b] += hi * d[k] * d[b]
			}
		}
	}
	linalg.Symmetrize(gram)
	for k := range c {
		c[k] = 1
		gram.Data[k*n+k] *= 1 + 1e-10
	}
	factor, err := linalg.NewCholesky(gram)
	if err != nil {
		return false
	}
	factor.Solve(c)
	linalg.Scale(c, 1/linalg.Sum(c))
	clear(p.points[0])
	for k, ck := range c {
		linalg.Axpy(p.points[0], ck, p.points[k+1])
	}
	return true
}
