package regression

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/path"
	"halfspace/optimize/penalty"
	"halfspace/optimize/rowwise"
)

// FitLasso minimises
//
//	½Σ wᵢ(yᵢ − oᵢ − f(xᵢ))² + λ‖β‖₁
//
// (ESL §3.4.2 in the form with the ½, whose λ is this one), the intercept unpenalised: [FitElasticNet] with
// L1Ratio 1, which it sets.
func FitLasso(x linalg.Rows, y []float64, o *Options) (*Model, error) {
	own, err := o.lasso()
	if err != nil {
		return nil, wrap(err)
	}
	return fitElasticNet(x, y, own, "Standardize")
}

// LassoPath is [ElasticNetPath] with L1Ratio 1, which it sets.
func LassoPath(x linalg.Rows, y, lambdas []float64, o *Options) (*Path, error) {
	own, err := o.lasso()
	if err != nil {
		return nil, wrap(err)
	}
	return ElasticNetPath(x, y, lambdas, own)
}

// FitElasticNet minimises
//
//	½Σ wᵢ(yᵢ − oᵢ − f(xᵢ))² + λ(α‖β‖₁ + (1−α)/2·‖β‖²),  α = L1Ratio,
//
// the intercept unpenalised, by coordinate descent on the features that may be needed
// (ESL §18.4; Friedman, Hastie and Tibshirani, J. Stat. Software 33, 2010). With Standardize β in
// the penalty are the coefficients of columns divided by their standard deviation
// (divisor Σw). At λ = 0 it is [FitOLS], at α = 0 [FitRidge]. glmnet's λ is this one
// divided by Σw, for a y of standard deviation 1 unless α = 1.
//
// The certificate is the duality gap at the published coefficients, relative to
// the objective (not less than 1e-12 of that without coefficients), a sum of terms
// that are not negative: the dual point is the residual, scaled to be feasible or,
// with a ridge part, as it is (package optimize/path has the proof). Default
// Tol 1e-8; MaxIter counts iterations, each a pass over the rows, by default those of
// the solver. O(np) a pass, and O(ns²) and O(n + s²) memory for s features that may be
// needed; for an L1Ratio of at most a half and an eighth of p/n, or beyond 16,384 columns for 500
// rows at most, O(n²p) an iteration and O(np) memory. Sparse rows are
// fitted by a dense copy about their means where that has at most 65,536 values, or three for each that is stored, and
// else by their stored values and a copy of these by columns (package optimize/columnwise).
//
// Errors: those of FitOLS (collinear columns are none for λ > 0);
// *[sample.OptionError] for λ < 0 or α outside [0, 1].
func FitElasticNet(x linalg.Rows, y []float64, o *Options) (*Model, error) {
	if o == nil {
		o = &Options{}
	}
	return fitElasticNet(x, y, o, "L1Ratio", "Standardize")
}

// fitElasticNet is FitElasticNet with options of the penalty that λ = 0 refuses.
func fitElasticNet(x linalg.Rows, y []float64, o *Options, penalty ...string) (*Model, error) {
	if err := o.single(penalty...); err != nil {
		return nil, wrap(err)
	}
	fits, err := elasticNetPath(x, y, []float64{o.Lambda}, o)
	if len(fits) == 0 {
		return nil, wrap(err)
	}
	return fits[0], wrap(err)
}

// ElasticNetPath returns [FitElasticNet] at each of the given λ, in their order. They are
// fitted in descending order, several to a pass over a copy of x that has the features
// side by side, of a wide table those alone that come near to use. nil asks for o.Count values from the least λ at which all coefficients are
// zero, max |Σw(x−c)(z−m)|/α, down to 1e-4 of it (1e-2 for more columns than rows);
// that path ends early, as glmnet's does, where a step explains less than 1e-5 of
// the deviance more, or 0.99901 of it are explained. Lambda in o is refused; Trace is
// called once a λ.
//
// On an error the fits that were made are returned with it; one that did not converge is
// the last.
func ElasticNetPath(x linalg.Rows, y, lambdas []float64, o *Options) (*Path, error) {
	if o == nil {
		o = &Options{}
	}
	if err := o.family(lambdas); err != nil {
		return nil, wrap(err)
	}
	return pathOf(elasticNetPath(x, y, lambdas, o))
}

func elasticNetPath(x linalg.Rows, y, lambdas []float64, o *Options) ([]*Model, error) {
	if err := sample.Fraction("L1Ratio", o.L1Ratio); err != nil {
		return nil, err
	}
	if o.L1Ratio == 0 {
		return ridgePath(x, y, lambdas, o)
	}
	if err := checkGrid(lambdas); err != nil {
		return nil, err
	}
	e, err := newElasticNet(x, y, o)
	if err != nil {
		return nil, err
	}
	if lambdas == nil {
		err = e.run(nil)
		return e.fits, err
	}
	err = e.visit(lambdas)
	return e.inOrder(lambdas), err
}

// elasticNet is the family of fits over λ > 0. Their parameters are a level and the coefficients: the
// level is 0 but for what rounding leaves of the columns' means, which is much where rows of a huge
// weight are beside light ones, or columns far from 0. An implied origin has no level.
type elasticNet struct {
	*problem
	q       *path.Problem
	tol     float64
	maxIter int
	one     sync.Mutex
	rows    *rowwise.Solver   // see byRows
	newton  optimize.Proximal // of single fits, in its place
	fits    []*Model          // those made
}

func newElasticNet(x linalg.Rows, y []float64, o *Options) (*elasticNet, error) {
	e := &elasticNet{tol: cmp.Or(o.Tol, 1e-8), maxIter: o.MaxIter}
	var err error
	if e.problem, err = newProblem(x, y, o); err != nil {
		return nil, err
	}
	if e.q, err = path.New(e.f, path.Penalty{L1Ratio: o.L1Ratio}, []float64{0}, nil); err != nil {
		return nil, err
	}
	e.q.Raise(e.least)
	sizes, err := e.q.Sizes()
	if err != nil {
		return nil, err
	}
	vast, few := e.P > vastFeatures, e.N <= fewRows && 2*e.N <= e.P
	switch {
	case e.Sparse() || e.N >= e.P:
	case o.L1Ratio <= min(half, float64(e.P)/float64(e.N)/8) && (vast || !uneven(sizes[e.q.Intercept:])), few && (vast || o.L1Ratio == 1):
		e.q.Instead = e.byRows
	}
	return e, nil
}

// unevenSizes is how many times as large as at the first tenth of the columns sizes are at the last one from which on fits go
// by Hessians: a penalty then is next to nothing for some features and keeps most of the others out, and these are few. (Measured,
// processor seconds by rows and by Hessians at λ = 1 and 1e-4, L1Ratio .3: 600 × 1,800 of sizes within 10^±3, 3.1 and 1.0, 2.5 and
// 1.7; within 10^±2, 6.2 and 1.0, 1.8 and 6.2; 1,000 × 3,000 within 10^±4, 19 and 3.7, 13 and 11.)
const unevenSizes = 1e4

// uneven reports whether the sizes of columns are of that many orders; those without values do not count.
func uneven(sizes []float64) bool {
	order := slices.DeleteFunc(slices.Sorted(slices.Values(sizes)), func(s float64) bool { return s == 0 })
	p := len(order)
	return p > 0 && order[p-1-p/10] >= unevenSizes*order[p/10]
}

// A Hessian of so many features is more than 2 GB.
const vastFeatures = 1 << 14

// half is the L1Ratio up to which fits of many more features than rows go by rows: with a ridge part they may need most
// of the features. (Measured, seconds by Hessians and by rows at λ = 1, L1Ratio .01 and .2: 400 × 5,000 1.7 and .17,
// .9 and .15; 1,000 × 2,000 1.6 and .6, 1.3 and 1.2; 2,000 × 5,000 with .01 and .1 21 and 4.0, 38 and 8.4. With .4
// 600 × 5,000 2.1 and .5, 1,000 × 2,000 1.7 and 2.3.)
const half = 0.5

const (
	fewRows         = 500  // up to which, and up to half as many as columns, a fit may go by rows, and a sparse ridge does
	smallLambda     = 0.01 // share of λmax from which on a lasso does not (300 × 3,000 at .03 of it: .09 s by rows and .05 s else, at .001 .22 s and .57 s)
	fewCoefficients = 200  // other than 0, of which a Hessian costs next to nothing
)

// byRows is one fit in as many dimensions as there are rows: with next
// to no penalty, faces of the lasso have more columns than rows on the way to its minimum, and
// Hessians by them are singular. Where rounding ends it early, at few coefficients other than 0 and at more than an
// objective of rounding errors, the proximal Newton method goes on from there. One fit at a time is made, and those with a ridge know nothing of each other.
func (e *elasticNet) byRows(q *path.Problem, lambda float64, start []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	e.one.Lock()
	defer e.one.Unlock()
	if e.o.L1Ratio == 1 && lambda >= smallLambda*q.LambdaMax() {
		return e.newton.Minimize(q.Objective, start, e.penalty(lambda), c)
	}
	if e.rows == nil {
		xt, err := e.sideBySide()
		if err != nil {
			return nil, optimize.Report{}, err
		}
		e.rows = rowwise.New(xt, e.weightedResponse())
	}
	theta, report, err := e.rows.Minimize(start, e.penalty(lambda), c)
	if report.Status() == optimize.LineSearch && report.Objective() > q.Least() && nonZero(theta) <= float64(max(e.N, fewCoefficients)) {
		return new(optimize.Proximal).Minimize(q.Objective, theta, e.penalty(lambda), c)
	}
	return theta, report, err
}

// sideBySide returns a copy of the columns side by side, times the roots of the weights.
func (e *elasticNet) sideBySide() (*linalg.Dense, error) {
	x, err := e.q.Weighted()
	if err != nil {
		return nil, err
	}
	return x.Transposed(), nil
}

// visit fits the given λ, from the largest down.
func (e *elasticNet) visit(lambdas []float64) error {
	down := slices.Compact(slices.Sorted(slices.Values(lambdas)))
	slices.Reverse(down)
	var err error
	penalized := slices.DeleteFunc(slices.Clone(down), func(l float64) bool { return l == 0 })
	switch len(penalized) {
	case 0:
	case 1:
		err = e.fit(penalized[0])
	default:
		err = e.run(penalized)
	}
	if err != nil || len(penalized) == len(down) {
		return err
	}
	m, err := e.fitOLS()
	if m != nil {
		e.fits = append(e.fits, m)
	}
	return err
}

// inOrder returns the models at the given λ as far as they were made; one that did not
// converge is the last.
func (e *elasticNet) inOrder(lambdas []float64) []*Model {
	var fits []*Model
	var failed *Model
	for _, l := range lambdas {
		k := slices.IndexFunc(e.fits, func(m *Model) bool { return m.lambda == l })
		if k < 0 {
			continue
		}
		if m := e.fits[k]; m.report.Err(nil) != nil {
			failed = m
		} else {
			fits = append(fits, m)
		}
	}
	if failed != nil {
		fits = append(fits, failed)
	}
	return fits
}

// run fits a path, on a grid of its own where lambdas is nil.
func (e *elasticNet) run(lambdas []float64) error {
	return e.q.Run(path.Settings{Lambdas: lambdas, Count: e.o.Count, Stop: path.Stop{Gain: 1e-5, Relative: true},
		Tol: e.tol, MaxIter: e.maxIter, Judges: true, Trace: e.public(e.q.Design), Add: func(f path.Fit) error {
			return cmp.Or(e.publish(f.Lambda, f.Theta, f.Report), f.Report.Err(nil))
		}})
}

// fit fits one λ.
func (e *elasticNet) fit(lambda float64) error {
	theta, report, err := e.q.Fit(lambda, nil, &optimize.Control{Tol: e.tol, MaxIter: e.maxIter, Trace: e.public(e.q.Design)})
	if theta == nil {
		return err
	}
	if failed := e.publish(lambda, theta, report); failed != nil {
		return failed
	}
	return err
}

// publish adds the model at λ, whose certificate is that of the level as it is rounded. An error is
// that of a fit that converged, but not with this level, or of coefficients that overflow.
func (e *elasticNet) publish(lambda float64, theta []float64, report optimize.Report) error {
	r, ended := &residuals{theta: theta[e.q.Intercept:]}, report
	if e.q.Intercept == 1 {
		r.level = theta[0]
	}
	if off := e.rounded(r); off != 0 {
		report = report.Certify(e.roundLevel(report.Objective(), e.least, report.Certificate(), off))
	}
	r.rss = 2 * (report.Objective() - e.penalty(lambda).Value(theta))
	m, err := e.model(r, lambda, nonZero(r.theta), report)
	if err != nil {
		return err
	}
	m.plane = m.plane.Packed()
	e.fits = append(e.fits, m)
	if ended.Err(nil) == nil {
		return report.Err(nil)
	}
	return nil
}

// penalty returns the penalty at λ.
func (e *elasticNet) penalty(lambda float64) penalty.ElasticNet {
	pen := penalty.ElasticNet{Lambda: lambda, L1Ratio: e.o.L1Ratio}
	if e.q.Intercept == 1 {
		pen.Factors = slices.Repeat([]float64{1}, e.q.Dim())
		pen.Factors[0] = 0
	}
	return pen
}

// CrossValidate fits [ElasticNetPath] to all rows and, at the same λ, to the rows outside
// each fold; folds[i] names the fold of row i. The loss is the mean of (y − offset − f)².
// The penalty belongs to a sum over rows, so that a λ weighs more on a part of them than
// on all. With L1Ratio 0 it is a ridge path.
//
// Errors: those of ElasticNetPath; *[linalg.ShapeError] for folds that do not fit the rows
// or are fewer than two. With [optimize.ErrNotConverged] the result is not nil, and a λ
// that some fold has no fit of has no loss.
func CrossValidate(x linalg.Rows, y, lambdas []float64, folds []int, o *Options) (*CV, error) {
	if o == nil {
		o = &Options{}
	}
	f, err := path.NewFolds(len(y), folds, o.Weights)
	if err != nil {
		return nil, wrap(err)
	}
	inner := *o
	inner.Trace = f.Trace(o.Trace)
	var whole []float64 // the λ of all rows, of which a path that ends early may lack any
	return path.CrossValidate(f, func(w, grid []float64) (*Path, error) {
		if w == nil {
			return ElasticNetPath(x, y, lambdas, &inner)
		}
		inner.Weights, inner.Count, whole = w, 0, grid
		inner.MinNorm = o.MinNorm && slices.Contains(grid, 0) // a path that ended before λ = 0 has no use for it
		return ElasticNetPath(x, y, grid, &inner)
	}, func(p *Path, w []float64) ([]float64, error) {
		sums, err := o.squares(x, y, w, p.Models())
		made, loss := p.Penalties(), make([]float64, len(whole))
		for k, l := range whole {
			loss[k] = math.NaN()
			if at := slices.Index(made, l); at >= 0 {
				loss[k] = sums[at]
			}
		}
		return loss, err
	})
}

// squares returns Σ w(y − offset − f)² over the rows of x for each of the models, which share a pass over the rows of
// positive weight.
//
// Errors: those of the storage.
func (o *Options) squares(x linalg.Rows, y, w []float64, models []*Model) ([]float64, error) {
	n, p := x.Dims()
	sums, piece := make([]float64, len(models)), max(linalg.BlockRows, linalg.RowChunk(p))
	errs := make([]error, (n+piece-1)/piece)
	linalg.Reduce(n, piece, o.Workers, func() []float64 { return make([]float64, len(models)) },
		func(s []float64, lo, hi int) {
			clear(s)
			errs[lo/piece] = linalg.Pass(x, lo, hi, func(b *linalg.Block) error {
				for k, m := range models {
					s[k] += o.squaresOf(b, y, w, m)
				}
				return nil
			})
		},
		func(s []float64) { linalg.Axpy(sums, 1, s) })
	return sums, cmp.Or(errs...)
}

// squaresOf is squares of a block of rows and a model.
func (o *Options) squaresOf(b *linalg.Block, y, w []float64, m *Model) (sum float64) {
	for i := range b.Len() {
		at := b.At + i
		if w[at] == 0 {
			continue
		}
		index, value := b.Row(i)
		r := y[at]
		if b.CSR != nil {
			r -= m.PredictSparse(index, value)
		} else {
			r -= m.Predict(value)
		}
		if o.Offset != nil {
			r -= o.Offset[at]
		}
		sum += w[at] * r * r
	}
	return sum
}
