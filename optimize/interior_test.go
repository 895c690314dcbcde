package optimize

import (
	"fmt"
	"testing"

	"halfspace/optimize/penalty"
)

// However small the penalty is beside as many columns as rows, or more, nearly dependent or of uneven scale, with and without
// a ridge part and a coordinate without a penalty, few sweeps come to the end: the interior has no signs to meet one by one.
func TestInteriorLeadsToTheFace(t *testing.T) {
	for name, f := range map[string]*Quadratic{
		"square": regression(1, 150, 150, 0), "correlated": regression(2, 150, 150, .99), "wide": regression(3, 60, 150, .5), "uneven": uneven(regression(4, 60, 150, 0)),
	} {
		lmax := penalty.Lasso(1).LambdaMax(f.B)
		for _, share := range []float64{1e-3, 1e-5, 1e-7} {
			for _, ratio := range []float64{1, .3} {
				for _, free := range []float64{1, 0} {
					pen := penalty.ElasticNet{Lambda: share * lmax, L1Ratio: ratio, Factors: make([]float64, len(f.B))}
					for j := range pen.Factors {
						pen.Factors[j] = 1
					}
					pen.Factors[5] = free
					what := fmt.Sprintf("%s, %g of λmax, ℓ₁ %g, factor %g", name, share, ratio, free)
					tol := 1e-3*pen.Lambda + 1e-13*lmax
					x, r, err := CoordinateDescent(f, make([]float64, len(f.B)), pen, &Control{Tol: tol})
					if err != nil || r.Iterations() > 60 {
						t.Errorf("%s: %d sweeps, %v", what, r.Iterations(), err)
						continue
					}
					if k := kkt(f, pen, x); k > 2*tol {
						t.Errorf("%s: kkt %g, want %g", what, k, tol)
					}
				}
			}
		}
	}
}

// uneven gives columns scales from 10⁻² to 10².
func uneven(f *Quadratic) *Quadratic {
	scale := make([]float64, len(f.B))
	for i := range f.B {
		scale[i] = []float64{.01, .1, 1, 10, 100}[i*7%5]
	}
	for i := range f.B {
		f.B[i] *= scale[i]
		for j := range f.B {
			f.A.Set(i, j, f.A.At(i, j)*scale[i]*scale[j])
		}
	}
	return f
}
