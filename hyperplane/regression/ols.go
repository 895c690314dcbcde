package regression

import (
	"errors"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

// directTol is what the certificate of a closed form is compared with.
const directTol = 1e-10

// FitOLS fits y by least squares: it minimises Σ wᵢ(yᵢ − oᵢ − β₀ − β·xᵢ)² (ESL
// §3.2) through a Householder QR factorisation of the centred rows, taken block by
// block, so that the condition of x is not squared and x is not copied. The
// objective is half that sum, as the penalised fits have it.
//
// Columns that others determine are an error that names them. With MinNorm the
// fit is the same (any solution gives the same fitted values) and of all
// coefficients β, intercept not counted, the shortest are returned.
//
// The certificate is the largest |xⱼᵀW(z − f)|/(‖xⱼ‖·(‖z‖ + Σ‖xₖ‖|βₖ|)) of centred
// columns and z = y − o: a few roundings if the factorisation is sound.
// O(np²) on Workers goroutines, O(n + p²) memory; O(n²p) and copies of x for fewer
// rows than columns.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.RankError],
// *[linalg.WeightError], *[sample.OptionError]. With [optimize.ErrNotConverged],
// where rounding leaves a certificate above its tolerance, the model is not nil.
func FitOLS(x *linalg.Dense, y []float64, o *Options) (*Model, error) {
	if o == nil {
		o = &Options{}
	}
	m, err := fitOLS(x, y, o)
	return m, wrap(err)
}

func fitOLS(x *linalg.Dense, y []float64, o *Options) (*Model, error) {
	if err := o.unpenalised(); err != nil {
		return nil, err
	}
	c, err := newCloud(x, y, o)
	if err != nil {
		return nil, err
	}
	var deficient *linalg.RankError
	if err := c.rank(); err != nil {
		if !o.MinNorm || !errors.As(err, &deficient) {
			return nil, err
		}
	}
	r, qty, err := c.reduced()
	if err != nil {
		return nil, err
	}
	beta := make([]float64, x.Cols)
	df := float64(x.Cols)
	switch {
	case deficient == nil:
		backSolve(r, qty)
		copy(beta, qty)
	case deficient.Rank > 0:
		df = float64(deficient.Rank)
		if err := minNorm(beta, r, qty, deficient.Columns); err != nil {
			return nil, err
		}
	default:
		df = 0
	}
	return c.direct(beta, o, df)
}

// reduced returns a matrix R of at most p rows and a vector b such that least
// squares of √w(z−m) on √w(x−c) is that of b on R: a triangle, or for fewer rows
// than columns a copy of the rows.
func (c *cloud) reduced() (r *linalg.Dense, b []float64, err error) {
	y := c.moved()
	n, p := c.x.Dims()
	if n >= p {
		t, err := linalg.NewTallQR(c.x, y, c.origin, c.w, c.workers)
		if err != nil {
			return nil, nil, err
		}
		return t.R(), t.QTY().Data, nil
	}
	for i := range y.Data {
		y.Data[i] *= math.Sqrt(c.weight(i))
	}
	return c.rows(), y.Data, nil
}

// rank returns a *RankError if the columns depend on one another (or, with
// intercept, on the constant), by the rows of positive weight.
func (c *cloud) rank() error {
	return linalg.CheckRank(c.x, c.w, c.origin != nil, c.workers)
}

// direct returns the model of an unpenalised closed form, with its certificate.
func (c *cloud) direct(beta []float64, o *Options, df float64) (*Model, error) {
	f := c.residuals(beta)
	r := optimize.Report{}.Certify(f.rss/2, optimize.Certificate{Kind: optimize.KindResidual, Value: c.normalResidual(f, 0, nil, nil), Tol: directTol})
	m, err := c.newModel(beta, o, df, f, r)
	if err != nil {
		return nil, err
	}
	return m, r.Err(nil)
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
