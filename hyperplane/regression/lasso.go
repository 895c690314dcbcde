package regression

import (
	"cmp"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/penalty"
)

// FitLasso minimises
//
//	½Σ wᵢ(yᵢ − oᵢ − f(xᵢ))² + λ‖β‖₁
//
// (ESL 3.52; its λ is this one), the intercept unpenalised: [FitElasticNet] with
// L1Ratio 1, which it sets.
func FitLasso(x *linalg.Dense, y []float64, o *Options) (*Model, error) {
	own, err := o.lasso()
	if err != nil {
		return nil, wrap(err)
	}
	return FitElasticNet(x, y, own)
}

// LassoPath is [ElasticNetPath] with L1Ratio 1, which it sets.
func LassoPath(x *linalg.Dense, y, lambdas []float64, o *Options) ([]*Model, error) {
	own, err := o.lasso()
	if err != nil {
		return nil, wrap(err)
	}
	return ElasticNetPath(x, y, lambdas, own)
}

// lasso returns a copy of o with L1Ratio 1.
func (o *Options) lasso() (*Options, error) {
	if o == nil {
		o = &Options{}
	}
	if o.L1Ratio != 0 && o.L1Ratio != 1 {
		return nil, &sample.OptionError{Name: "L1Ratio", Value: o.L1Ratio, Want: "1, or 0 for the default of 1, for the lasso"}
	}
	own := *o
	own.L1Ratio = 1
	return &own, nil
}

// FitElasticNet minimises
//
//	½Σ wᵢ(yᵢ − oᵢ − f(xᵢ))² + λ(α‖β‖₁ + (1−α)/2·‖β‖²),  α = L1Ratio,
//
// the intercept unpenalised, by coordinate descent (Friedman, Hastie and
// Tibshirani, J. Stat. Software 33, 2010). With Standardize β in the penalty are
// the coefficients of columns divided by their standard deviation (divisor Σw).
// At λ = 0 it is [FitOLS], at α = 0 [FitRidge]. glmnet's λ is this one divided by
// Σw, for a y of standard deviation 1 unless α = 1.
//
// The certificate is the duality gap at the published coefficients, relative to
// the objective (not less than 1e-12 of that without coefficients): the dual point
// is the residual, scaled to be feasible or, with a ridge part, as it is. Default
// Tol 1e-8; MaxIter counts sweeps, by default those of the solver.
//
// Columns no more than rows: the p×p Gram matrix is formed, O(np²), and a sweep
// costs O(p) a coefficient that moves; O(n + p²) memory. More columns than rows: a
// transpose of x is held, and an iteration costs O(np).
//
// Errors: those of FitOLS (collinear columns are none for λ > 0);
// *[sample.OptionError] for λ < 0 or α outside [0, 1].
func FitElasticNet(x *linalg.Dense, y []float64, o *Options) (*Model, error) {
	if o == nil {
		o = &Options{}
	}
	path, err := elasticPath(x, y, []float64{o.Lambda}, o)
	if len(path) == 0 {
		return nil, wrap(err)
	}
	return path[0], wrap(err)
}

// ElasticNetPath returns [FitElasticNet] at each of the given λ, in their order,
// each started from the one before; the Gram matrix or the transpose is made
// once. nil asks for o.Count values from the least λ at which all coefficients are
// zero, max |Σw(x−c)(z−m)|/α, down to 1e-4 of it (1e-2 for more columns than rows);
// that path ends early, as glmnet's does, where a step explains less than 1e-5 of
// the deviance more, or 0.999 of it are explained. Lambda in o is not used.
//
// On an error the fits before it are returned with it; that of a fit that did not
// converge, or that Trace stopped, is the last.
func ElasticNetPath(x *linalg.Dense, y, lambdas []float64, o *Options) ([]*Model, error) {
	if o == nil {
		o = &Options{}
	}
	path, err := elasticPath(x, y, lambdas, o)
	return path, wrap(err)
}

func elasticPath(x *linalg.Dense, y, lambdas []float64, o *Options) ([]*Model, error) {
	if err := sample.Fraction("L1Ratio", o.L1Ratio); err != nil {
		return nil, err
	}
	if o.L1Ratio == 0 {
		return ridgePath(x, y, lambdas, o)
	}
	for _, l := range lambdas {
		if err := sample.NonNegative("Lambda", l); err != nil {
			return nil, err
		}
	}
	s, err := newElastic(x, y, o)
	if err != nil {
		return nil, err
	}
	early := lambdas == nil
	if early {
		if lambdas, err = lambdaGrid(s.c.lambdaMax(s.zero, s.unit, o.L1Ratio), x, o); err != nil {
			return nil, err
		}
	}
	var path []*Model
	for _, l := range lambdas {
		m, err := s.at(l)
		if m != nil {
			path = append(path, m)
		}
		if err != nil {
			return path, err
		}
		if early && exhausted(path) {
			break
		}
	}
	return path, nil
}

// exhausted reports whether a path need not go on: glmnet's rule.
func exhausted(path []*Model) bool {
	k := len(path) - 1
	if k < 5 {
		return false
	}
	r2 := path[k].r2
	return r2 > 0.999 || r2-path[k-1].r2 < 1e-5*r2
}

// elastic is what the fits of a path share. Coefficients γ are in units: those of
// columns divided by unit.
type elastic struct {
	o       *Options
	c       *cloud
	zero    *fit    // of no coefficients
	top     float64 // the λ from which on all coefficients are 0
	unit    []float64
	size    []float64 // ‖xⱼ‖·‖z−m‖ in units, which bounds each derivative
	tol     float64
	maxIter int

	gram     *linalg.Dense          // XᵀWX in units, or
	columns  *optimize.LeastSquares // the columns side by side
	proximal optimize.Proximal      // the Hessian that it keeps along a path

	gamma []float64 // where the last fit ended
	now   *fit      // what the rows say of it
}

func newElastic(x *linalg.Dense, y []float64, o *Options) (*elastic, error) {
	s := &elastic{o: o}
	var err error
	if s.c, err = newCloud(x, y, o); err != nil {
		return nil, err
	}
	if s.tol, err = sample.Positive("Tol", o.Tol, 1e-8); err != nil {
		return nil, err
	}
	if s.maxIter, err = sample.Count("MaxIter", o.MaxIter, 0); err != nil {
		return nil, err
	}
	p := x.Cols
	s.gamma, s.size = make([]float64, p), make([]float64, p)
	s.zero = s.c.residuals(s.gamma)
	s.now = s.zero
	s.unit = s.c.units(o.Standardize)
	s.top = s.c.lambdaMax(s.zero, s.unit, 1) / o.L1Ratio
	length := math.Sqrt(s.c.spread)
	for j, v := range s.c.norms {
		if s.size[j] = v / s.unit[j] * length; s.size[j]-s.size[j] != 0 {
			return nil, &linalg.RangeError{Column: j}
		}
	}
	if x.Rows < p {
		s.transpose()
		return s, nil
	}
	s.gram = linalg.Gram(x, s.c.origin, s.c.w, s.c.workers)
	for j, u := range s.unit {
		row := s.gram.Row(j)
		for k, v := range s.unit {
			row[k] = row[k] / u / v
		}
	}
	return s, nil
}

// transpose sets columns to √w(x−c)/unit and √w(z−m).
func (s *elastic) transpose() {
	n, p := s.c.x.Dims()
	s.columns = &optimize.LeastSquares{XT: linalg.Zeros(p, n), Y: s.c.moved().Data}
	row := make([]float64, p)
	for i := range n {
		root := math.Sqrt(s.c.weight(i))
		if root == 0 {
			s.columns.Y[i] = 0
			continue
		}
		s.c.row(row, i)
		for j, v := range row {
			s.columns.XT.Data[j*n+i] = root * v / s.unit[j]
		}
		s.columns.Y[i] *= root
	}
}

// at fits one λ, from where the last one ended.
func (s *elastic) at(lambda float64) (*Model, error) {
	own := *s.o
	own.Lambda = lambda
	if lambda == 0 {
		m, err := fitOLS(s.c.x, s.c.z, &Options{NoIntercept: own.NoIntercept, MinNorm: own.MinNorm, Weights: own.Weights, Workers: own.Workers})
		if m != nil {
			m.l1Ratio = own.L1Ratio
		}
		return m, err
	}
	f := &elasticFit{elastic: s, pen: penalty.ElasticNet{Lambda: lambda, L1Ratio: own.L1Ratio}}
	start, stages := s.gamma, f.stages()
	if lambda >= s.top { // in the solver rounding would decide, at λmax itself
		start, stages = make([]float64, len(s.gamma)), nil
	}
	gamma, r, notConverged := optimize.Run(start, f.control(), f.certify, stages...)
	if gamma == nil {
		return nil, notConverged
	}
	s.visit(gamma)
	m, err := s.c.newModel(s.coefficients(), &own, nonZero(gamma), s.now, r)
	if err != nil {
		return nil, err
	}
	return m, notConverged
}

// visit computes the residuals at γ, unless they are those at hand.
func (s *elastic) visit(gamma []float64) {
	if !slices.Equal(gamma, s.gamma) {
		s.gamma = gamma
		s.now = s.c.residuals(s.coefficients())
	}
}

// elasticFit is the fit at one λ.
type elasticFit struct {
	*elastic
	pen penalty.ElasticNet
}

// control returns the settings of the solvers; the tolerance of their certificate, the
// largest subgradient, is that of the duality gap.
func (f *elasticFit) control() *optimize.Control {
	c := &optimize.Control{Tol: f.tol, MaxIter: f.maxIter, Scale: f.scale()}
	if f.o.Trace != nil {
		c.Trace = f.show
	}
	return c
}

// stages are solves to tolerances ever smaller, for as long as each converges and the
// duality gap is above its own.
func (f *elasticFit) stages() []optimize.Stage {
	var stages []optimize.Stage
	for share := 1.0; share > 1e-7; share /= 100 {
		stages = append(stages, optimize.Stage{Name: "coordinate descent",
			When: func(_ []float64, r optimize.Report, _ optimize.Verdict) bool {
				return r.Status() == optimize.None || r.Status() == optimize.LineSearch
			},
			Solve: func(gamma []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
				tighter := *c
				tighter.Tol *= share
				return f.solve(gamma, &tighter)
			}})
	}
	return stages
}

// solve goes on from γ. In the Gram form it minimises the quadratic whose gradient at γ
// is the exact one, b = Aγ + XᵀWr: rounding in the Gram matrix is undone as by
// iterative refinement.
func (f *elasticFit) solve(gamma []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	switch {
	case f.gram == nil && f.pen.L1Ratio < 0.5:
		return optimize.CoordinateDescentColumns(f.columns, gamma, f.pen, c)
	case f.gram == nil:
		// A support is no larger than the number of rows, or little more.
		return f.proximal.Minimise(f.columns, gamma, f.pen, c)
	}
	f.visit(gamma)
	q := &optimize.Quadratic{A: f.gram, B: f.gradient(f.now)}
	a := make([]float64, len(gamma))
	linalg.MulVec(a, f.gram, gamma, f.c.workers)
	linalg.Axpy(q.B, 1, a)
	// The quadratic leaves out the objective at γ.
	if show, constant := c.Trace, f.now.rss/2+linalg.Dot(q.B, gamma)-linalg.Dot(a, gamma)/2; show != nil {
		c.Trace = func(step optimize.Step) error {
			step.Objective += constant
			return show(step)
		}
	}
	return optimize.CoordinateDescent(q, gamma, f.pen, c)
}

// scale returns what the solver measures derivatives in: l1, relative to which a
// dual point that is not feasible has to shrink, unless that is lost in rounding.
// A constant column, whose derivative is 0, has any.
func (f *elasticFit) scale() []float64 {
	l1, _ := f.pen.Weights(0)
	scale := make([]float64, len(f.size))
	for j, v := range f.size {
		scale[j] = cmp.Or(math.Max(l1, 1e-6*v), 1)
	}
	return scale
}

// show shows a step to the caller, on the data's scale.
func (f *elasticFit) show(step optimize.Step) error {
	x := make([]float64, 1+len(step.X))
	x[0] = f.c.mean
	for j, v := range step.X {
		x[1+j] = v / f.unit[j]
		if f.c.origin != nil {
			x[0] -= x[1+j] * f.c.origin[j]
		}
	}
	step.X = x
	return f.o.Trace(step)
}

// coefficients returns γ on the scale of the data.
func (s *elastic) coefficients() []float64 {
	beta := make([]float64, len(s.gamma))
	for j, v := range s.gamma {
		beta[j] = v / s.unit[j]
	}
	return beta
}

// gradient returns XᵀWr in units.
func (s *elastic) gradient(f *fit) []float64 {
	g := make([]float64, len(s.unit))
	for j, u := range s.unit {
		g[j] = f.gradient[j] / u
	}
	return g
}

// certify returns the objective and the relative duality gap at γ.
func (f *elasticFit) certify(gamma []float64) (float64, optimize.Certificate, error) {
	f.visit(gamma)
	primal, value := f.now.rss/2+f.pen.Value(gamma), 0.0
	if least := 1e-12 * f.c.spread / 2; f.c.spread > 0 {
		value = (primal - f.dual(f.now, f.pen)) / math.Max(primal, least)
	}
	return primal, optimize.Certificate{Kind: optimize.KindGap, Value: value, Tol: f.tol}, nil
}

// dual returns the better of two lower bounds on the objective, with l1 = λα and
// l2 = λ(1−α). The residual r as it is: rᵀWz − ½rᵀWr − Σ[|xⱼᵀWr| − l1]₊²/(2·l2). And
// r̃ = (r, −√l2·γ), the residual of the problem that has the ridge as p more rows,
// shrunk until no column exceeds l1: s·rᵀWz − ½s²‖r̃‖².
func (s *elastic) dual(f *fit, pen penalty.ElasticNet) float64 {
	l1, l2 := pen.Weights(0)
	worst, excess := 0.0, 0.0
	for j, g := range s.gradient(f) {
		over := math.Max(0, math.Abs(g)-l1)
		excess += over * over
		worst = math.Max(worst, math.Abs(g-l2*s.gamma[j]))
	}
	size := f.rss + l2*linalg.Dot(s.gamma, s.gamma)
	if size == 0 {
		return 0
	}
	shrink := f.cross / size
	if worst > 0 {
		shrink = math.Max(-l1/worst, math.Min(shrink, l1/worst))
	}
	bound := shrink*f.cross - shrink*shrink*size/2
	if l2 > 0 {
		bound = math.Max(bound, f.cross-f.rss/2-excess/(2*l2))
	}
	return bound
}

// nonZero counts coefficients that are not zero.
func nonZero(v []float64) float64 {
	n := 0.0
	for _, x := range v {
		if x != 0 {
			n++
		}
	}
	return n
}
