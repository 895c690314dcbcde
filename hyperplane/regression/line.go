package regression

import "halfspace/linalg"

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
	if o == nil {
		o = &Options{}
	}
	m, err := fitLine(x, y, o)
	return m, wrap(err)
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
	return p.direct([]float64{zero.gradient[0] / (p.norms[0] * p.norms[0])}, 0, 1)
}
