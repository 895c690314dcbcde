package regression

import (
	"errors"
	"slices"

	"halfspace/linalg"
)

// FitOLS fits y by least squares: it minimises Σ wᵢ(yᵢ − oᵢ − β₀ − β·xᵢ)² (ESL
// §3.2) through the normal equations of the centred rows with iterative refinement where
// their condition allows, which leaves the errors of a QR factorisation, and else through
// that, Householder's, taken block by block, so that the condition of x is not squared
// and x is not copied, with refinement in twice the precision. The objective is half that sum, as the penalised fits have it.
//
// Columns that others determine are an error that names them. With MinNorm the
// fit is the same (any solution gives the same fitted values) and of all
// coefficients β, intercept not counted, the shortest are returned.
//
// The certificate bounds how far the objective at the published coefficients is above its
// minimum, relative to it: the documentation of the package has the proof, and what it is of
// dependent columns. It does not hold where a float64 cannot hold coefficients of near-copies.
// O(np²) on Workers goroutines, O(n + p²) memory; O(n²p) and copies of x for fewer
// rows than columns. A storage that is not dense is copied by columns for the
// factorisation.
//
// Errors: *[linalg.ShapeError], *[linalg.SizeError], *[linalg.NonFiniteError],
// *[linalg.RangeError], *[linalg.RankError], *[linalg.WeightError],
// *[sample.OptionError]. With [optimize.ErrNotConverged],
// where rounding leaves a certificate above its tolerance, the model is not nil.
func FitOLS(x linalg.Rows, y []float64, o *Options) (*Model, error) {
	return door(x, y, o, fitOLS)
}

func fitOLS(x linalg.Rows, y []float64, o *Options) (*Model, error) {
	if err := o.leastSquares(); err != nil {
		return nil, err
	}
	p, err := newProblem(x, y, o)
	if err != nil {
		return nil, err
	}
	return p.fitOLS()
}

// fitOLS fits without a penalty.
func (p *problem) fitOLS() (*Model, error) {
	if m, err := p.fitSystem(0); m != nil || err != nil {
		return m, err
	}
	if p.o.Standardize { // the end of a path: what follows has the rows as they are
		own := *p.o
		own.Standardize = false
		plain, err := newProblem(p.Rows(), p.y, &own)
		if err != nil {
			return nil, err
		}
		plain.shown = p.shown
		return plain.fitOLS()
	}
	x, err := p.dense()
	if err != nil {
		return nil, err
	}
	var deficient *linalg.RankError
	if err := p.rank(x); err != nil && !(p.o.MinNorm && errors.As(err, &deficient)) {
		return nil, err
	}
	r, b, err := p.reduced(x)
	if err != nil {
		return nil, err
	}
	if deficient != nil {
		return p.shortest(r, b, deficient)
	}
	s := &system{problem: p, root: slices.Repeat([]float64{1}, p.P), triangle: true}
	if s.factor, err = linalg.CholeskyOf(lowerOf(r)); err != nil {
		return nil, err
	}
	backSolve(r, b)
	if err := s.refine(b, x); err != nil {
		return nil, err
	}
	return s.direct(b, float64(p.P))
}

// shortest returns the model of the shortest of all least squares coefficients on the scale of the data.
func (p *problem) shortest(r *linalg.Dense, b []float64, deficient *linalg.RankError) (*Model, error) {
	theta := make([]float64, p.P)
	if deficient.Rank > 0 {
		if err := minNorm(theta, r, b, deficient.Columns); err != nil {
			return nil, err
		}
	}
	return p.direct(theta, 0, float64(deficient.Rank), nil)
}

// reduced returns a matrix R of at most p rows and a vector b such that least squares of
// √w·z on √w(x−c) is that of b on R: a triangle, or for fewer rows than columns a copy
// of the rows.
func (p *problem) reduced(x *linalg.Dense) (r *linalg.Dense, b []float64, err error) {
	if p.N >= p.P {
		t, err := linalg.NewTallQR(x, p.response(), p.Origin, p.Weights, p.Workers)
		if err != nil {
			return nil, nil, err
		}
		return t.R(), t.QTY().Data, nil
	}
	r, err = p.At(p.Origin, nil).Weighted()
	return r, p.weightedResponse(), err
}

// response returns z as a column.
func (p *problem) response() *linalg.Dense {
	return &linalg.Dense{Rows: p.N, Cols: 1, Stride: 1, Data: p.z}
}

// rank returns a *RankError if the columns depend on one another (or, with intercept, on
// the constant), by the rows of positive weight.
func (p *problem) rank(x *linalg.Dense) error {
	return linalg.CheckRank(x, p.Weights, !p.o.NoIntercept, p.Workers)
}

// backSolve overwrites b with R⁻¹b for an upper triangular R.
func backSolve(r *linalg.Dense, b []float64) {
	for j := r.Rows - 1; j >= 0; j-- {
		row := r.Row(j)
		b[j] = (b[j] - linalg.Dot(row[j+1:], b[j+1:])) / row[j]
	}
}

// minNorm sets beta to the shortest of the vectors that minimise ‖Rβ − b‖, R of any
// shape, where the listed columns of R are combinations A of the others: R_D = R_K·A. The
// basic solution b_K on those gives all the others, β_K + Aβ_D = b_K, a system of
// full rank whatever the units of the columns, of which [linalg.QR] has the
// shortest solution.
func minNorm(beta []float64, r *linalg.Dense, b []float64, dependent []int) error {
	var kept []int
	for j := range beta {
		if !slices.Contains(dependent, j) {
			kept = append(kept, j)
		}
	}
	q, err := linalg.NewQR(columns(r, kept))
	if err != nil {
		return err
	}
	basic := make([]float64, len(kept))
	q.Solve(basic, b)
	system := linalg.Zeros(len(kept), len(beta))
	for i, j := range kept {
		system.Set(i, j, 1)
	}
	a := make([]float64, len(kept))
	for _, j := range dependent {
		q.Solve(a, r.Col(nil, j))
		for i, v := range a {
			system.Set(i, j, v)
		}
	}
	s, err := linalg.NewQR(system)
	if err != nil {
		return err
	}
	// Where columns differ in scale the right-hand factorisation loses as many
	// digits; the system itself tells what is missing.
	left, step := slices.Clone(basic), make([]float64, len(beta))
	for range 3 {
		s.SolveMinNorm(step, left)
		linalg.Axpy(beta, 1, step)
		for i := range left {
			left[i] = basic[i] - linalg.Dot(system.Row(i), beta)
		}
	}
	return nil
}

// columns returns the listed columns of a.
func columns(a *linalg.Dense, list []int) *linalg.Dense {
	c := linalg.Zeros(a.Rows, len(list))
	for i := range a.Rows {
		row := a.Row(i)
		for k, j := range list {
			c.Set(i, k, row[j])
		}
	}
	return c
}
