package path

import (
	"cmp"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/optimize/columnwise"
	"halfspace/optimize/glm"
	"halfspace/optimize/penalty"
)

// Fit minimises at one λ, from the caller's parameters or, where these are nil or λ is
// at least [Problem.LambdaMax], from the fit without penalised features or, where λ is small, one that
// is nearer. The fits on the way to that have at most c.MaxIter iterations each, and c.Trace sees the one without penalised
// features in the place of their points. A ridge alone has Hessians by all coordinates here: [Problem.Run] leaves it to the plan of
// package glm. Default: Tol 1e-8, of the certificate.
//
// Errors: one that wraps [optimize.ErrNotConverged], beside the last point; others are
// those of the storage.
func (p *Problem) Fit(lambda float64, start []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	largest, solver := p.LambdaMax(), p.solver()
	p.Work = optimize.WorkOn(p.N, p.P, 0)
	if err := p.copyMany(true); err != nil {
		return nil, optimize.Report{}, err
	}
	own, ratio := optimize.Control{}, 0.0
	if c != nil {
		own = *c
	}
	own.Scale, own.Tol = nil, cmp.Or(own.Tol, fitTol)
	if trace := own.Trace; trace != nil {
		var ended error // which ends the fits that follow, too
		own.Trace = func(s optimize.Step) error {
			if own.Scale == nil { // on the way
				s.Iteration, s.X, s.Objective = 0, p.Null(), p.atNull
			}
			if ended == nil {
				ended = trace(s)
			}
			return ended
		}
	}
	switch {
	case start != nil && lambda < largest:
	case lambda < smallLambda*largest && p.dense():
		start = p.ridgeStart(solver, lambda, &own)
	case p.Scores() > 1 && start == nil && p.descends():
		ratio = nearRatio
	case p.Scores() > 1 && start == nil && lambda < smallLambda*largest:
		ratio = denseRatio
	case lambda < smallOfMany*largest && p.N <= p.P && !p.smooth() && (p.Sparse() || !p.ConstantHessian()):
		if ratio = denseRatio; p.ConstantHessian() {
			ratio = penaltyRatio
		}
	default:
		start = p.Null()
	}
	if ratio > 0 {
		start = p.approach(solver, lambda, leastSeparated, ratio, nearTol, &own)
	}
	start = linalg.Clone(start)
	p.shift(start)
	if own.MaxIter > 0 {
		p.Work = nil
	}
	own.Scale, own.Work = p.scale(lambda), p.Work
	return p.solve(solver, lambda, start, 0, &own)
}

// fitTol is the default tolerance of a single fit.
const fitTol = 1e-8

// solver returns a solver that knows how many functions of the rows there are.
func (p *Problem) solver() *optimize.Proximal {
	return &optimize.Proximal{Rank: p.rank(), Workers: p.Workers}
}

// solve is one fit. It goes on, to derivatives ever smaller as long as these are reached, until its
// duality gap relative to the objective is at most the tolerance; that of a loss without a dual problem that is known
// ends by its derivatives. The loss is that of a fit near the start, 0 if there is none.
func (p *Problem) solve(solver *optimize.Proximal, lambda float64, start []float64, loss float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	if !p.Proves() {
		theta, report, err := p.minimize(solver, lambda, start, c)
		if err != nil {
			return theta, report, err
		}
		if report, err = p.certify(theta, report); err != nil {
			return nil, optimize.Report{}, err
		}
		return theta, report, report.Err(nil)
	}
	f := &tightened{p: p, solver: solver, lambda: lambda, tol: c.Tol, estimate: math.Inf(1)}
	most, tol := mostStages, p.derivativeNear(lambda, start, loss, c.Tol)
	if p.ConstantHessian() {
		most = mostOfSquares
	}
	var stages []optimize.Stage
	for len(stages) < most {
		stages = append(stages, f.stage(tol, len(stages) == most-1))
		tol /= 100
	}
	return optimize.Run(start, c, f.certify, stages...)
}

// tightened is a fit to derivatives ever smaller.
type tightened struct {
	p      *Problem
	solver *optimize.Proximal
	lambda float64
	tol    float64 // of the gap relative to the objective

	reached  float64 // the derivatives that the last stage came to,
	over     float64 // its gap in tolerances,
	estimate float64 // and the gap that a fit tells without a pass
	arrived  bool    // they are as small as they were to be: where they are not, smaller ones are of no use
	stuck    bool    // no smaller ones can be reached
	goesOn   bool    // and another stage can follow
}

// stage returns the fit to derivatives of a size.
func (f *tightened) stage(tol float64, last bool) optimize.Stage {
	return optimize.Stage{Name: "to derivatives",
		When: func(_ []float64, r optimize.Report, _ optimize.Verdict) bool {
			return r.Status() == optimize.None || r.Status() == optimize.LineSearch && f.arrived
		},
		Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
			own := *c
			if own.Tol = tol; f.over > 1 && !last { // the gap is proportional to derivatives
				own.Tol = max(tol, f.reached/(2*f.over))
			}
			theta, report, err := f.p.minimize(f.solver, f.lambda, x, &own)
			f.reached = report.Certificate().Value
			f.arrived = report.Certificate().Holds()
			f.stuck = report.Status() == optimize.LineSearch
			f.goesOn = !last && report.Status() == optimize.Converged
			return theta, report, err
		}}
}

// certify returns the objective and its duality gap, from a pass unless another stage can make it smaller.
func (f *tightened) certify(x []float64) (float64, optimize.Certificate, error) {
	value, gap, err := f.p.end(x).gap(f.lambda)
	rounded := gap > f.estimate/2 // the derivatives are no longer what it is made of
	if f.estimate = gap; err == nil && (math.IsInf(gap, 1) || !f.goesOn || rounded) {
		value, gap, err = f.p.gap(f.lambda, x, f.tol, f.stuck)
	}
	cert := f.p.relativeGap(value, gap, f.tol)
	f.over = cert.Value / f.tol
	return value, cert, err
}

// derivative is the size of derivatives, in their sizes, with which a fit to a tolerance of
// the gap begins: those of squared error are relative to the weight of the lasso, and the gap
// is at most some twice as large.
func (p *Problem) derivative(tol float64) float64 {
	switch {
	case !p.Proves():
		return tol
	case p.ConstantHessian():
		return tol / 4
	}
	return min(tol, usualDerivative)
}

// derivativeNear is derivative for a fit that begins near its end, with a loss of about so much. Squared
// error with derivatives of δ has a gap of at most δ²·loss + 2δ·λα‖θ‖₁, which is far less than δ times
// the objective where λ is small, and of p·(δλα)²/(2λ(1−α)) with a ridge part.
func (p *Problem) derivativeNear(lambda float64, start []float64, loss, tol float64) float64 {
	usual := p.derivative(tol)
	if !p.ConstantHessian() {
		return usual * p.falling(loss)
	}
	alpha := p.penalty.L1Ratio
	if alpha == 0 {
		return usual
	}
	usual = max(usual, math.Sqrt(2*(1-alpha)*tol*loss/(lambda*float64(p.P)))/alpha)
	lasso := p.elasticNet(lambda)
	lasso.L1Ratio, lasso.Lambda = 1, lambda*alpha
	held := lasso.Value(start)
	if held == 0 {
		return usual
	}
	return max(usual, min(math.Sqrt(tol)/2, tol*(loss+held)/(3*held)))
}

// falling returns by what the derivatives of a fit with about such a loss are smaller than usual, so that its error
// stays small beside what it minimises. A loss of 0 is not known. (Paths over the columns of
// sparse rows come as near to glmnet's objectives without it, and one of 200 × 5,000 would take a third longer.)
func (p *Problem) falling(loss float64) float64 {
	if !(loss > 0 && p.atNull > 0) || p.descends() {
		return 1
	}
	return max(leastFalling, min(1, math.Sqrt(loss/p.atNull)))
}

// leastFalling bounds how much smaller derivatives fall to be.
const leastFalling = 0.1

// usualDerivative is glmnet's order of accuracy.
const usualDerivative = 1e-5

// mostStages bounds the tolerances, each a hundredth of the one before. Residuals of separated classes are as small as the
// penalty, and so are derivatives that say something, whatever the columns are; those of squared error are relative to it.
const mostStages, mostOfSquares = 7, 4

// smallLambda is the share of λmax below which a fit of several classes begins at that
// with a ridge in the place of the lasso, which has most of its signs: from nothing, each
// step of the proximal Newton method meets them one by one. (Measured for 30 classes on
// 1,500 rows of 60 features: the processor spent a seventh of the time at 10⁻⁴ of λmax.) One with more coordinates
// than mostDense is approached from larger penalties. (5 classes on 1,000 × 1,000 took 16 s from nothing at 10⁻⁴ of λmax
// and take 5, 29 on 300 × 100 at 10⁻⁵ 1.1.)
const smallLambda = 1e-2

// smallOfMany is that share for one score and no more rows than columns, most of which a model of a point afar takes for
// columns of the minimum. (Two classes on 300 × 20,000 took 16 and more than 60 s from nothing at 2·10⁻⁶ and 2·10⁻⁸ of
// λmax and take 1.9 and 1.8, on 1,000 × 3,000 columns of scales from 10⁻⁴ to 10⁴ 4.3 and .8 at 10⁻⁸. At 10⁻² some take half
// as long again, and 2,000 × 1,500 counts at 3·10⁻⁴ take 6.5, from nothing 2.5.) Of squared error only descents over columns
// need it, from larger λ further apart: 200 × 5,000 with 50 values a row at 3·10⁻⁹ took 4.4 and take .1.
const smallOfMany = 1e-3

// mostDense is the number of coordinates up to which a start may be anything but 0 in all
// of them: the Hessian by as many is factored.
const mostDense = 2500

// dense reports whether a fit with a small penalty may have most features.
func (p *Problem) dense() bool {
	return p.Scores() > 1 && p.levelsAlone() && p.Scores()*p.Dim() <= mostDense
}

// startTol is how near the fit with a ridge comes.
const startTol = 1e-4

// fewRows is the number of rows of a class, on average, up to which classes count as
// separated: the ridge then says little of a lasso's signs, and is far from its minimum.
const fewRows = 8

// ridgeStart returns the fit with a ridge of the weight that the penalty has; where that does
// not come to its end, or rows are few, a fit with a larger penalty.
func (p *Problem) ridgeStart(solver *optimize.Proximal, lambda float64, c *optimize.Control) []float64 {
	if p.N > max(p.P, fewRows*p.Scores()) {
		o := p.ridged(lambda)
		theta, report, err := o.Minimize(glm.Problem{Tol: startTol, MaxIter: c.MaxIter, Work: p.Work, Trace: c.Trace})
		// At line_search rounding is all that moves, and a cap is the caller's: a start needs no proof.
		s := report.Status()
		if err == nil || s == optimize.LineSearch || s == optimize.MaxIterations && c.MaxIter > 0 {
			theta = slices.Concat(o.FunctionsOf(theta)...)
			if p.penalty.L1Ratio == 1 {
				p.elasticNet(lambda).Balance(theta, p.Scores())
			}
			return theta
		}
	}
	return p.approach(solver, lambda, 0, penaltyRatio, approachTol, c)
}

// approach returns a fit with a penalty that is ratio times as large as λ, or as the least share of λmax if that is
// more. It began at one with a larger penalty still, and so on from λmax, each to derivatives that are small beside
// its penalty. Where classes are separated, the curvatures at a start far from the minimum foretell nothing of it;
// from near, Newton's steps are whole ones. The line through two fits is followed where it leads down: where
// coefficients are large beside what they make of the scores it may not. An error of the storage is met again.
func (p *Problem) approach(solver *optimize.Proximal, lambda, least, ratio, tol float64, c *optimize.Control) []float64 {
	largest := p.LambdaMax()
	lambda = max(lambda, least*largest)
	last, theta, before := largest, p.Null(), held{}
	for left := math.Ceil(math.Log(largest/lambda) / math.Log(ratio)); left > 1; {
		left--
		next := lambda * math.Pow(ratio, left)
		own := tol
		if !p.ConstantHessian() { // whose derivatives are measured in the penalty
			own = min(tol, next/largest)
		}
		if !p.ConstantHessian() && !p.descends() && !p.grouped() {
			at := hold(last, theta)
			if far := extrapolate(linalg.Clone(theta), before, p.factors, next, last, before.lambda); p.objective(next, theta) > p.objective(next, far) {
				theta = far
			}
			before = at
		}
		near, report, _ := p.minimize(solver, next, theta, &optimize.Control{Tol: own, Scale: p.scale(next), Work: p.Work, MaxIter: c.MaxIter, Trace: c.Trace})
		if theta = near; near == nil || report.Status() == optimize.Stopped {
			return p.Null()
		}
		last = next
	}
	return theta
}

const (
	penaltyRatio, approachTol = 8, 1e-3
	nearRatio, nearTol        = 3, 0.1 // over columns, and for faces, which are found from near the minimum alone
	denseRatio                = 2      // of classes, for which see smallLambda and smallOfMany
	leastSeparated            = 1e-9   // of λmax: where classes are separated, residuals fall with λ
)

// certify denies that a fit that is judged by its derivatives has converged where rounding
// its coefficients can move them by more than the tolerance: a penalty of next to nothing on
// columns that are almost dependent allows coefficients so large.
//
// Errors: those of the storage.
func (p *Problem) certify(theta []float64, report optimize.Report) (optimize.Report, error) {
	c := report.Certificate()
	size, err := p.Sizes()
	if err != nil || report.Status() != optimize.Converged || p.RoundingNegligible(p.FunctionsOf(theta), size, c.Tol) {
		return report, err
	}
	moved, err := p.Rounding(p.ClassFunctions(theta))
	if err == nil && moved > c.Tol {
		c.Value = max(c.Value, moved)
		report = report.Certify(report.Objective(), c)
	}
	return report, err
}

// minimize is one fit; the solver keeps a Hessian from one to the next. Where columns are so nearly dependent
// that a descent over them creeps, and there is another way or a Hessian by them fits, that goes on; another way then
// makes the fits that follow, whose penalties are smaller.
func (p *Problem) minimize(solver *optimize.Proximal, lambda float64, start []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	if p.grouped() {
		return optimize.GroupNewton(p.f, start, p.groupLasso(lambda), c)
	}
	if p.overColumns() && !p.crept {
		theta, report, err := p.byColumn(lambda, start, c)
		creeps := report.Status() == optimize.MaxIterations || report.Status() == optimize.LineSearch
		if !creeps || c.MaxIter != 0 || p.Instead == nil && p.df(theta)*p.Scores() > widestSet {
			return theta, report, err
		}
		start, p.crept = theta, p.Instead != nil
	}
	if p.Instead != nil {
		return p.Instead(p, lambda, start, c)
	}
	return solver.Minimize(p.f, start, p.elasticNet(lambda), c)
}

// batched reports whether a path goes by batches, over a copy of the features: one of dense rows and one score, and of
// sparse rows with a few features of which enough values are stored. (Measured, processor seconds of ridge paths
// one by one and in batches, and of lasso paths, on 20,000 × 100 with one value of 20 stored: .39 and .22, .13 and
// .28; of 10 .53 and .19, .16 and .21; of 5 1.3 and .27, .22 and .17. With 1,000 features batches take longer.)
func (p *Problem) batched() bool {
	const ofRidge = 1. / 10
	least := enough
	if p.penalty.L1Ratio == 0 {
		least = ofRidge
	}
	switch {
	case p.Scores() > 1 || !p.copies():
		return false
	case !p.Sparse():
		return !p.smooth()
	}
	return p.P <= min(fewFeatures, p.N) && p.Share() >= least
}

// ridgeExcess is the tolerance of a ridge's objective where the caller's gap, of which the square is of the size
// of an excess, is no smaller: that of glmnet's order of accuracy.
const ridgeExcess = 1e-9

// ridge is one fit of a smooth objective.
func (p *Problem) ridge(lambda float64, start []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	f, tol := p.ridged(lambda), 0.0
	if c.Tol*c.Tol >= ridgeExcess {
		tol = ridgeExcess
	}
	theta, report, err := f.Minimize(glm.Problem{Start: f.ThetaOf(start), Given: true, Tol: tol, MaxIter: c.MaxIter, Work: c.Work})
	if theta == nil || f.Err() != nil {
		return nil, report, err
	}
	cert := report.Certificate()
	cert.Tol = c.Tol
	if report = report.Certify(report.Objective(), cert); report.Err(nil) == nil {
		err = nil
	}
	theta = slices.Concat(f.FunctionsOf(theta)...)
	p.shift(theta)
	return theta, report, err
}

// ridged returns the objective with a ridge of the weight that the penalty has at λ.
func (p *Problem) ridged(lambda float64) *glm.Objective {
	weights := linalg.Clone(p.factors)
	linalg.Scale(weights, lambda)
	return p.Ridged(weights)
}

// The shares of a certificate to which models by columns are minimised: of one score Newton's own
// error is most of what is left. (Measured, values read by sweeps and gradients of a path on text
// 100,000 × 50,000 from the parabola through three fits: 2,280 and 1,040 million with 0.05,
// 1,710 and 980 with 0.2, 1,620 and 1,000 with 0.3, 1,630 and 1,060 with 0.5.)
const singleShare, severalShare = 0.3, 0.05

// byColumn is minimize for a problem that keeps a copy by columns, over which
// the models of the proximal Newton method are minimised.
func (p *Problem) byColumn(lambda float64, start []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	if err := p.copyColumns(); err != nil {
		return nil, optimize.Report{}, err
	}
	var f optimize.SubHessian = p.f
	pen := p.elasticNet(lambda)
	share := severalShare
	if p.screened != nil {
		p.screened.Aim(start, pen, c.Tol, c.Scale)
		f, share = p.screened, singleShare
	}
	free := optimize.Proximal{Share: share}
	if p.Parameters() > widestSet {
		free.Patient = p.ConstantHessian() && p.Instead == nil
	} else { // a Hessian by all fits
		free.Hasty = c.MaxIter == 0
	}
	free.Model = func(z, x []float64, set []int, pen penalty.ElasticNet, c *optimize.Control) bool {
		r, v := p.RowsAt(x)
		p.Release()
		solved := p.columns.Minimize(z, r, v, set, pen, c)
		p.shift(z)
		pen.Balance(z, p.Scores())
		return solved
	}
	return free.Minimize(f, start, pen, c)
}

// copyColumns makes the copy by columns, once.
func (p *Problem) copyColumns() (err error) {
	if p.columns != nil {
		return nil
	}
	if p.columns, err = columnwise.New(p.Objective); err != nil {
		return err
	}
	if p.Scores() == 1 {
		p.screened = p.columns.Screen(p.Objective)
	}
	return nil
}

// copyMany makes the copy, of 12 bytes a value, where a fit to dense rows of more features than rows may use so many
// coordinates that descents over it take less time than Hessians by them: not a lasso of one score, or a path of
// lassos of few classes, of which one Hessian that is kept has few coordinates; batches of one score have their own copy.
// (Measured, processor seconds, λ = 1, 5 classes on 500 × 1,000: with L1Ratio .02 5.6 by Hessians and .5 by columns, with ½
// 1.2 and .34; on 2,000 × 300 .26 and 9.7; 2 on 400 × 5,000 with .01 7 and .5. Paths of lassos, 10 classes on
// 1,000 × 1,000: 15.7 and 7.7, of correlated columns 300 × 1,500 1.6 and 2.9; 20 classes 4.4 and 1.8, 19.7 and 12.8; 3 classes
// 1.6 and 3.0.)
func (p *Problem) copyMany(alone bool) error {
	const coordinates, values, manyClasses = 1500, 1 << 25, 10
	lasso, most := p.penalty.L1Ratio, 1.0
	if p.Scores() == 1 {
		most = 0.5
	}
	switch {
	case p.Sparse() || p.grouped() || p.smooth() || !p.Proves() || p.ConstantHessian(): // another way
	case lasso > most || !alone && (p.Scores() == 1 || lasso == 1 && p.Scores() < manyClasses):
	case p.N > p.P || p.Scores()*p.P <= coordinates || p.N > values/p.P || !p.copies():
	default:
		return p.copyColumns()
	}
	return nil
}

// wide reports whether fits of a path of one score to dense rows may use more features than there are rows, where
// descents over a copy by columns take less time than Hessians by them. (Measured, processor seconds of paths on
// 400 × 5,000 with L1Ratio .01 and .1 by Hessians and by columns: squared error 3.6 and .65, .55 and .34; logistic
// 5.8 and .85, .6 and .45. With .3 they are the same.)
func (p *Problem) wide() bool {
	const quarter = 0.25
	lasso := p.penalty.L1Ratio
	return !p.Sparse() && p.Scores() == 1 && p.N < p.P && 0 < lasso && lasso <= quarter && linalg.CheckCopy(p.Rows(), p.N, p.P) == nil
}

// twin returns a problem with the same copy by columns, for another goroutine.
func (p *Problem) twin() *Problem {
	q := *p
	q.Objective = p.Own()
	q.f = &pinned{q.Objective, p.f.at}
	q.columns = p.columns.Twin(q.Objective)
	q.screened = q.columns.Screen(q.Objective)
	return &q
}

// df counts the features with a non-zero coefficient.
func (p *Problem) df(theta []float64) int {
	df, dim := 0, p.Dim()
	for j := p.Intercept; j < dim; j++ {
		for at := j; at < len(theta); at += dim {
			if theta[at] != 0 {
				df++
				break
			}
		}
	}
	return df
}
