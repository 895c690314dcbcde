package regression

import (
	"math"
	"slices"

	"halfspace/linalg"
)

// FitLine is least squares for one column in closed form:
//
//	slope = Σw(x−x̄)(y−ȳ) / Σw(x−x̄)²,  intercept = ȳ − slope·x̄
//
// (ESL §3.2.3; without intercept both means are replaced by 0). It is what
// [FitOLS] returns for a matrix of that column. Two points make an exact fit; one
// point, or several that share their x, do not determine a line: *[linalg.RankError].
// O(n).
//
// Errors: those of FitOLS.
func FitLine(x, y []float64, o *Options) (*Model, error) {
	return door(x, y, o, fitLine)
}

func fitLine(x, y []float64, o *Options) (*Model, error) {
	if err := o.leastSquares("MinNorm"); err != nil {
		return nil, err
	}
	p, err := newProblem(&linalg.Dense{Rows: len(x), Cols: 1, Stride: 1, Data: x}, y, o)
	if err != nil {
		return nil, err
	}
	column, err := p.dense()
	if err != nil {
		return nil, err
	}
	if err := p.rank(column); err != nil {
		return nil, err
	}
	zero, err := p.at([]float64{0})
	if err != nil {
		return nil, err
	}
	s := p.systemOf(&linalg.Dense{Rows: 1, Cols: 1, Stride: 1, Data: []float64{p.norms[0] * p.norms[0]}}, 0)
	s.solve(zero.gradient)
	return s.direct(zero.gradient, 1)
}

// normalPivot is the share of the square of a column that the others must leave
// for the normal equations to determine its coefficient to six digits.
const normalPivot = 1e-12

// FitNormalEquations fits y by least squares through the normal equations
// XᵀWXβ = XᵀWy (ESL 3.5) of the centred data, scaled to a unit diagonal and
// factored with pivoting. It is how the textbooks do it: half the work of
// [FitOLS] or less, and the square of its condition number. So it refuses columns
// that are close to collinear, of which the others leave less than 1e-6, where QR
// still has digits. The certificate is that of FitOLS. O(np²), O(n + p²) memory.
//
// Errors: those of FitOLS; MinNorm is an *[sample.OptionError].
func FitNormalEquations(x linalg.Rows, y []float64, o *Options) (*Model, error) {
	return door(x, y, o, fitNormalEquations)
}

func fitNormalEquations(x linalg.Rows, y []float64, o *Options) (*Model, error) {
	if err := o.leastSquares("MinNorm"); err != nil {
		return nil, err
	}
	p, err := newProblem(x, y, o)
	if err != nil {
		return nil, err
	}
	columns, err := p.dense()
	if err != nil {
		return nil, err
	}
	if err := p.rank(columns); err != nil {
		return nil, err
	}
	zero, err := p.at(make([]float64, p.P))
	if err != nil {
		return nil, err
	}
	gram, beta := linalg.Gram(columns, p.Origin, p.Weights, p.Workers), slices.Clone(zero.gradient)
	root := make([]float64, p.P)
	for j := range root {
		root[j] = math.Sqrt(gram.At(j, j))
	}
	scaleGram(gram, root, p.Workers)
	pivoted, err := linalg.NewPivotedCholesky(gram, normalPivot/float64(p.P))
	if err != nil {
		return nil, err
	}
	if r := pivoted.Rank(); r < p.P {
		return nil, &linalg.RankError{Rank: r, P: p.P, Columns: slices.Sorted(slices.Values(pivoted.Perm[r:]))}
	}
	chol, err := linalg.NewCholesky(gram)
	if err != nil {
		return nil, linalg.DependentColumn(err, p.P)
	}
	s := &system{problem: p, root: root, factor: chol}
	s.solve(beta)
	return s.direct(beta, float64(p.P))
}
