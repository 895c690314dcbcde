package regression

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// normalPivot is the share of the square of a column that the others must leave
// for the normal equations to determine its coefficient to six digits.
const normalPivot = 1e-12

// FitNormalEquations fits y by least squares through the normal equations
// XᵀWXβ = XᵀWy (ESL 3.6) of the centred data, scaled to a unit diagonal and
// factored with pivoting. It is how the textbooks do it: half the work of
// [FitOLS] or less, and the square of its condition number. So it refuses columns
// that are close to collinear, of which the others leave less than 1e-6, where QR
// still has digits. The certificate is that of FitOLS. O(np²), O(n + p²) memory.
//
// Errors: those of FitOLS; MinNorm is an *[sample.OptionError].
func FitNormalEquations(x *linalg.Dense, y []float64, o *Options) (*Model, error) {
	if o == nil {
		o = &Options{}
	}
	m, err := fitNormalEquations(x, y, o)
	return m, wrap(err)
}

func fitNormalEquations(x *linalg.Dense, y []float64, o *Options) (*Model, error) {
	if err := o.unpenalised(); err != nil {
		return nil, err
	}
	if o.MinNorm {
		return nil, &sample.OptionError{Name: "MinNorm", Value: 1, Want: "false: FitOLS has it"}
	}
	c, err := newCloud(x, y, o)
	if err != nil {
		return nil, err
	}
	if err := c.rank(); err != nil {
		return nil, err
	}
	p := x.Cols
	gram := linalg.Gram(x, c.origin, c.w, c.workers)
	beta := c.residuals(make([]float64, p)).gradient // XᵀW(z−m)
	root := make([]float64, p)
	for j := range root {
		root[j] = math.Sqrt(gram.At(j, j))
		beta[j] /= root[j]
	}
	for j := range p {
		for k := range p {
			gram.Set(j, k, gram.At(j, k)/root[j]/root[k])
		}
	}
	pivoted, err := linalg.NewPivotedCholesky(gram, normalPivot/float64(p))
	if err != nil {
		return nil, err
	}
	if r := pivoted.Rank(); r < p {
		return nil, &linalg.RankError{Rank: r, P: p, Columns: slices.Sorted(slices.Values(pivoted.Perm[r:]))}
	}
	chol, err := linalg.NewCholesky(gram)
	if err != nil {
		return nil, err
	}
	chol.Solve(beta)
	for j := range beta {
		beta[j] /= root[j]
	}
	return c.direct(beta, o, float64(p))
}
