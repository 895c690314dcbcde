package discriminant

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// NewLDA returns linear discriminant analysis with estimates that come from elsewhere: K
// priors, K×p means and the p×p covariance within the classes, whose lower triangle is read.
// Classes are ascending. Its report has status imported, which claims nothing. It keeps
// copies. O(p³ + Kp²).
//
// Errors: *[linalg.ClassError] for fewer than two classes or an order that is not ascending,
// *[linalg.ShapeError], *[linalg.NonFiniteError], *[sample.OptionError] for priors that are
// not positive or do not sum to 1; *[linalg.RankError] or *[linalg.PivotError] where the
// covariance is singular or not positive definite.
func NewLDA(classes []int, priors []float64, means, cov *linalg.Dense) (*LDA, error) {
	e, err := newEstimates(classes, priors, means)
	if err != nil {
		return nil, wrap(err)
	}
	g, err := newGaussian(e.origin, cov)
	if err != nil {
		return nil, wrap(err)
	}
	chol, err := linalg.CholeskyOf(g.l)
	if err != nil {
		return nil, wrap(err)
	}
	l := &LDA{linearRule: e.rule(), dev: e.dev, chol: chol, report: optimize.Elsewhere()}
	l.setCoefficients()
	if err := l.check(); err != nil {
		return nil, wrap(err)
	}
	return l, nil
}

// NewReducedRank returns Fisher's discriminant analysis with estimates that come from
// elsewhere: K priors, K×p means and the p×R discriminant vectors, with vᵀWv = 1, as MASS's
// lda and scikit-learn's keep them. Classes are ascending; status imported. It keeps copies.
//
// Errors: those of [NewLDA]; *[linalg.ShapeError] for vectors of other than p values, or none.
func NewReducedRank(classes []int, priors []float64, means, scaling *linalg.Dense) (*ReducedRank, error) {
	e, err := newEstimates(classes, priors, means)
	if err != nil {
		return nil, wrap(err)
	}
	switch p := len(e.origin); {
	case scaling == nil || scaling.Cols < 1:
		err = &linalg.ShapeError{Want: 1, WantOf: "discriminant vector needed", Got: 0, GotOf: "vectors"}
	case scaling.Check() != nil:
		err = scaling.Check()
	case scaling.Rows != p:
		err = &linalg.ShapeError{Want: p, WantOf: "features", Got: scaling.Rows, GotOf: "values of a discriminant vector"}
	default:
		err = scaling.CheckFinite()
	}
	if err != nil {
		return nil, wrap(err)
	}
	n := scaling.Cols
	r := &ReducedRank{linearRule: e.rule(), vectors: linalg.Zeros(n, scaling.Rows), values: make([]float64, n),
		centroid: linalg.Zeros(len(classes), n), zero: make([]float64, n), rank: n, report: optimize.Elsewhere()}
	for i := range n {
		scaling.Col(r.vectors.Row(i), i)
		for k, pi := range e.priors {
			m := linalg.Dot(r.vectors.Row(i), e.dev.Row(k))
			r.centroid.Set(k, i, m)
			r.values[i] += pi * m * m
		}
	}
	r.setCoefficients()
	if err := r.check(); err != nil {
		return nil, wrap(err)
	}
	return r, nil
}

// NewQDA returns quadratic discriminant analysis with priors and class densities that come
// from elsewhere, see [NewGaussian] and [GaussianOfFactor]. Classes are ascending; status
// imported. O(Kp²).
//
// Errors: those of [NewLDA].
func NewQDA(classes []int, priors []float64, densities []*Gaussian) (*QDA, error) {
	return NewRDA(classes, priors, densities, 1, 0)
}

// NewRDA is [NewQDA] for covariances that are meant to be those of [FitRDA] at an alpha and a
// shrinkage.
//
// Errors: those of NewLDA; *[sample.OptionError] for either outside 0 to 1.
func NewRDA(classes []int, priors []float64, densities []*Gaussian, alpha, shrinkage float64) (*QDA, error) {
	if err := (&Options{Alpha: alpha, Shrinkage: shrinkage}).check(); err != nil {
		return nil, wrap(err)
	}
	means := make([][]float64, len(densities))
	for k, g := range densities {
		if g == nil {
			return nil, wrap(fmt.Errorf("density %d is nil", k))
		}
		means[k] = g.Mean()
	}
	m, err := linalg.FromRows(means)
	if err != nil {
		return nil, wrap(err)
	}
	e, err := newEstimates(classes, priors, m)
	if err != nil {
		return nil, wrap(err)
	}
	q := &QDA{classes: e.classes, priors: e.priors, origin: e.origin, dev: e.dev, alpha: alpha, shrinkage: shrinkage, report: optimize.Elsewhere()}
	for k, g := range densities {
		chol, err := linalg.CholeskyOf(g.l)
		if err != nil {
			return nil, wrap(err)
		}
		density, offset := q.classDensity(k, spd{chol, g.linv})
		q.density, q.offset = append(q.density, density), append(q.offset, offset)
	}
	if err := linalg.CheckFinite("log-determinant", q.offset); err != nil {
		return nil, wrap(err)
	}
	return q, nil
}

// GaussianOfFactor returns N(mean, LLᵀ) for a lower triangle L with positive diagonal: MASS's
// qda keeps L⁻ᵀ, and L is the Rᵀ of a QR factorisation of rows less their mean. It keeps
// copies. O(p³).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.PivotError].
func GaussianOfFactor(mean []float64, l *linalg.Dense) (*Gaussian, error) {
	if err := cmp.Or(linalg.CheckFinite("mean", mean), l.Check()); err != nil {
		return nil, wrap(err)
	}
	if err := l.CheckFinite(); err != nil {
		return nil, wrap(err)
	}
	chol, err := linalg.CholeskyOf(l.Clone())
	switch {
	case err != nil:
		return nil, wrap(err)
	case len(mean) != l.Rows:
		return nil, wrap(&linalg.ShapeError{Want: len(mean), WantOf: "means", Got: l.Rows, GotOf: "rows of the factor"})
	}
	f := newSPD(chol)
	if err := linalg.CheckFinite("inverse of a factor", f.linv.Data); err != nil {
		return nil, wrap(err)
	}
	return gaussianOf(clone(mean), nil, f), nil
}

// estimates are priors and class means about their weighted mean.
type estimates struct {
	classes []int
	priors  []float64
	origin  []float64     // Σ πₖμₖ
	dev     *linalg.Dense // K×p: μₖ − origin
}

func newEstimates(classes []int, priors []float64, means *linalg.Dense) (e *estimates, err error) {
	if err := sample.CheckClasses(classes); err != nil {
		return nil, err
	}
	e = &estimates{classes: clone(classes)}
	if e.priors, err = checkPriors(priors, len(classes)); err != nil {
		return nil, err
	}
	if means == nil || means.Check() != nil || means.Rows != len(classes) || means.Cols < 1 {
		got := 0
		if means != nil {
			got = means.Rows
		}
		return nil, &linalg.ShapeError{Want: len(classes), WantOf: "classes", Got: got, GotOf: "rows of means"}
	}
	if err := means.CheckFinite(); err != nil {
		return nil, err
	}
	e.origin, e.dev = make([]float64, means.Cols), means.Clone()
	for k, pi := range e.priors {
		linalg.Axpy(e.origin, pi, means.Row(k))
	}
	for k := range classes {
		linalg.Axpy(e.dev.Row(k), -1, e.origin)
	}
	return e, nil
}

// rule returns the functions without their coefficients.
func (e *estimates) rule() linearRule {
	return linearRule{linear{classes: e.classes, origin: e.origin}, e.priors}
}

// judged returns the options of an audit of a model of those classes and features, once the rows
// have as many.
func (o *Options) judged(x *linalg.Dense, classes []int, features int) (*Options, error) {
	own := Options{}
	if o != nil {
		own = *o
	}
	if own.Classes == nil {
		own.Classes = classes
	}
	if _, columns := x.Dims(); columns != features {
		return nil, &linalg.ShapeError{Want: features, WantOf: "features", Got: columns, GotOf: "columns"}
	}
	if !slices.Equal(own.Classes, classes) {
		return nil, &linalg.ShapeError{Want: len(classes), WantOf: "classes of the model", Got: len(own.Classes), GotOf: "others in the options"}
	}
	return &own, nil
}

// auditRows lets judge compare a model of those classes and features with the fit that it makes of its kind to the rows.
// Where rounding leaves the certificate of that fit above its tolerance, the audit has it.
func auditRows(x linalg.Rows, y []int, o *Options, classes []int, features int, pooled bool, judge func(*problem) (*optimize.Audit, error)) (*optimize.Audit, error) {
	dense, err := linalg.ToDense(x)
	if err != nil {
		return nil, wrap(err)
	}
	if o, err = o.judged(dense, classes, features); err != nil {
		return nil, wrap(err)
	}
	if o, err = o.weighed(dense, y); err != nil {
		return nil, wrap(err)
	}
	a, err := fitAll(dense, y, o, pooled, func(pr *problem) (*optimize.Audit, error) {
		pr.audited = true
		return judge(pr)
	})
	return a, wrap(err)
}

// residualAudit judges coefficients of closed form, at which the objective is value, by the
// residuals of the equations that define them and by the certificate of a fit of these.
func residualAudit(value float64, fit optimize.Report, equations []optimize.Equation) *optimize.Audit {
	c := fit.Certificate()
	for _, e := range equations {
		c.Value = max(c.Value, e.Residual)
	}
	a := optimize.NewAudit(value, c)
	a.Equations = equations
	return a
}

// apart returns the largest |aᵢ−bᵢ|/(s·unitᵢ), or worst.
//
//go:noinline // a program would have a copy for each caller
func apart(worst float64, a, b, unit []float64, s float64) float64 {
	for i, u := range unit {
		worst = max(worst, math.Abs(a[i]-b[i])/(s*u))
	}
	return worst
}

// covarianceApart returns the largest |a−b|ᵢⱼ/(σᵢσⱼ), or worst.
func covarianceApart(worst float64, a, b *linalg.Dense, sd []float64) float64 {
	for i, s := range sd {
		worst = apart(worst, a.Row(i), b.Row(i), sd, s)
	}
	return worst
}

// audit judges g by the largest |π−π̂|/π̂, |μ−μ̂|ⱼ/σ̂ⱼ and |Σ−Σ̂|ᵢⱼ/(σ̂ᵢσ̂ⱼ), for the estimates of a fit to the rows of pr.
func (g *gaussians) audit(pr *problem, fit *gaussians, report optimize.Report) *optimize.Audit {
	own, want := means(g.dev, g.origin), means(fit.dev, fit.origin)
	mean, covariance := 0.0, 0.0
	var sd []float64
	for k := range fit.priors {
		if k < len(fit.densities) {
			cov := fit.densities[k].Cov()
			sd = standardDeviations(cov)
			covariance = covarianceApart(covariance, g.densities[k].Cov(), cov, sd)
		}
		mean = apart(mean, own.Row(k), want.Row(k), sd, 1)
	}
	return residualAudit(g.joint(pr), report, []optimize.Equation{{Name: "priors", Residual: apart(0, g.priors, fit.priors, fit.priors, 1)},
		{Name: "means", Residual: mean}, {Name: "covariances", Residual: covariance}})
}

// Audit compares the estimates of l, whoever found them, with those of [FitLDA] with the given
// options on the rows of x and their labels y. The certificate is the largest relative residual
// of the equations priors, means by standard deviations, and covariance by those of its two
// features; the objective minus the joint log-likelihood.
//
// Errors: those of FitLDA; *[linalg.ShapeError] for other classes or features than the model's.
func (l *LDA) Audit(x linalg.Rows, y []int, o *Options) (*optimize.Audit, error) {
	return auditRows(x, y, o, l.classes, len(l.origin), true, func(pr *problem) (*optimize.Audit, error) {
		fit, err := lda(pr)
		if err != nil {
			return nil, err
		}
		return l.gaussians().audit(pr, fit.gaussians(), fit.report), nil
	})
}

// Audit is [LDA.Audit] by [FitRDA] at the model's α and shrinkage, unless the options give
// others: by [FitQDA] for α = 1.
//
// Errors: those of FitRDA; *[linalg.ShapeError] for other classes or features than the model's.
func (q *QDA) Audit(x linalg.Rows, y []int, o *Options) (*optimize.Audit, error) {
	own := Options{}
	if o != nil {
		own = *o
	}
	if own.Alpha == 0 && own.Shrinkage == 0 {
		own.Alpha, own.Shrinkage = q.alpha, q.shrinkage
	}
	return q.AuditAt(x, y, &own)
}

// AuditAt is [QDA.Audit] at the α and shrinkage of the options, also where both are 0: the
// common covariance of LDA.
func (q *QDA) AuditAt(x linalg.Rows, y []int, o *Options) (*optimize.Audit, error) {
	return auditRows(x, y, o, q.classes, len(q.origin), false, func(pr *problem) (*optimize.Audit, error) {
		fit, err := rda(pr)
		if err != nil {
			return nil, err
		}
		return q.gaussians().audit(pr, fit.gaussians(), fit.report), nil
	})
}

func (q *QDA) gaussians() *gaussians { return &gaussians{q.priors, q.origin, q.dev, q.density} }

// Audit compares the functions of r, whoever found it, with those of [FitReducedRank] with the
// given options, of r's rank if they have none, on the rows of x and their labels y: the
// coefficients, as the discriminant vectors have signs to choose, by the standard deviations of
// their features, relative to the largest, and the values at the mean of the fit, relative to the
// largest there or to 1.
//
// Errors: those of FitReducedRank; *[linalg.ShapeError] for other classes or features than the
// model's.
func (r *ReducedRank) Audit(x linalg.Rows, y []int, o *Options) (*optimize.Audit, error) {
	return auditRows(x, y, o, r.classes, len(r.origin), true, func(pr *problem) (*optimize.Audit, error) {
		own := *pr.o
		own.Rank = cmp.Or(own.Rank, r.rank)
		pr.o = &own
		fit, err := reducedRank(pr)
		if err != nil {
			return nil, err
		}
		cov, _, err := pr.commonCovariance()
		if err != nil {
			return nil, err
		}
		unit, none, at := standardDeviations(cov), make([]float64, pr.p), make([]float64, len(r.classes))
		for j, sd := range unit {
			unit[j] = 1 / sd
		}
		off, size := 0.0, 0.0
		for k := range at {
			want := fit.coef.Row(k)
			size, off = apart(size, want, none, unit, 1), apart(off, r.coef.Row(k), want, unit, 1)
		}
		r.discriminants(at, fit.origin)
		linalg.Axpy(at, -1, fit.intercept)
		level := linalg.NormInf(at) / max(1, linalg.NormInf(fit.intercept))
		if off > 0 {
			off /= size
		}
		return residualAudit(math.NaN(), fit.report, []optimize.Equation{{Name: "priors", Residual: apart(0, r.priors, fit.priors, fit.priors, 1)},
			{Name: "coefficients", Residual: off}, {Name: "intercepts", Residual: level}}), nil
	})
}

// NewIndicator returns the K functions f̂(x) = intercept + coef·x of a regression of class
// indicators that comes from elsewhere, with status imported. coef is K×p, for two classes too.
// Classes are ascending. It keeps copies.
//
// Errors: *[linalg.ClassError], *[linalg.ShapeError], *[linalg.NonFiniteError],
// *[record.DamageError] for coefficients with which values overflow.
func NewIndicator(classes []int, coef *linalg.Dense, intercept []float64) (*Indicator, error) {
	if err := sample.CheckClasses(classes); err != nil {
		return nil, wrap(err)
	}
	if err := sample.CheckAffine(len(classes), coef, intercept); err != nil {
		return nil, wrap(err)
	}
	return &Indicator{linear: linear{classes: clone(classes), origin: make([]float64, coef.Cols), coef: coef.Clone(), intercept: clone(intercept)},
		report: optimize.Elsewhere()}, nil
}

// Audit judges the functions of f, whoever found them, by half the residual sum of squares of
// [FitIndicator] with the given options, and its penalty, on the rows of x and their labels y.
// The certificate is the gap ½Σₖ ‖L⁻¹gₖ‖² for LLᵀ = XᵀX and gₖ the derivatives at βₖ, with the share of the
// intercepts and with what rounding may hide of both, and the equation beside it the relative residual of
// XᵀXβₖ = Nₖ(μₖ−x̄).
//
// Errors: those of FitIndicator; *[linalg.ShapeError] for other classes or features than the
// model's.
func (f *Indicator) Audit(x linalg.Rows, y []int, o *Options) (*optimize.Audit, error) {
	return auditRows(x, y, o, f.classes, len(f.origin), true, func(pr *problem) (*optimize.Audit, error) {
		if _, err := indicator(pr); err != nil {
			return nil, err
		}
		r, err := pr.regression()
		if err != nil {
			return nil, err
		}
		mine := Indicator{linear: linear{classes: f.classes, coef: f.coef}}
		own := mine.certify(pr, r).Certificate()
		equations := []optimize.Equation{{Name: "normal equations", Residual: own.Value}}
		value, excess := f.squares(pr, r)
		own.Kind, own.Value = optimize.KindGap, 0
		if excess > 0 {
			own.Value = excess / value
		}
		// Rounding is of the objective where all coefficients are 0, as least squares has it.
		a := optimize.NewAudit(value, own).Beside(residualTol / 2 * pr.indicatorSquares())
		a.Equations = equations
		return a, nil
	})
}

// squares returns half the residual sum of squares of f with its penalty, and how far above the least it may be. Both
// are sums over the rows, as rounded cross products of columns that nearly coincide have lost the digits that tell functions
// apart. O(nKp).
func (f *Indicator) squares(pr *problem, r *regression) (value, excess float64) {
	k, p := f.coef.Rows, f.coef.Cols
	spread, longest := newSPD(r.chol).lengths(standardDeviations(r.xx))
	spread++ // how far rounding of the derivatives, relative to their terms, moves L⁻¹g
	noise := eps * (2 + math.Sqrt(float64(len(pr.y)))) * spread
	factored := noise // how far L is off: rounding of XᵀX counts twice, unless L is from the rows
	if longest*longest < 1/borderline {
		factored *= spread
	}
	terms := linear{origin: make([]float64, p), coef: absolute(f.coef.Clone()), intercept: make([]float64, k)} // sizes, of |x − origin|
	sums, g := make([]struct{ level, rss, blur float64 }, k), linalg.Zeros(k, p)
	values, size, d := make([]float64, k), make([]float64, k), linalg.Zeros(1, p)
	for i, label := range pr.y {
		w, row := sample.WeightAt(pr.o.Weights, i), pr.x.Row(i)
		if w == 0 {
			continue
		}
		f.discriminants(values, row)
		f.centered(d.Data, row)
		terms.discriminants(size, absolute(d).Data)
		copy(d.Data, row)
		linalg.Axpy(d.Data, -1, r.origin)
		for c, at := range values {
			if f.classes[c] == label {
				at--
			}
			s, terms := &sums[c], size[c]+math.Abs(f.intercept[c])
			s.level, s.rss, s.blur = s.level+w*at, s.rss+w*at*at, s.blur+w*terms*terms
			linalg.Axpy(g.Row(c), w*at, d.Data)
		}
	}
	for c, s := range sums {
		b, g := f.coef.Row(c), g.Row(c)
		linalg.Axpy(g, -s.level, r.rest)
		linalg.Axpy(g, pr.total*pr.o.Ridge, b)
		linalg.SolveLower(r.chol.L(), g)
		e := (1+factored)*math.Hypot(linalg.Norm(g), s.level/math.Sqrt(pr.total)) + noise*math.Sqrt(s.rss) + float64(p+4)*eps*math.Sqrt(s.blur)
		value += (s.rss + pr.total*pr.o.Ridge*linalg.Dot(b, b)) / 2
		excess += e * e / 2
	}
	return value, excess
}

// absolute overwrites the values of a with their absolute values.
//
//go:noinline // as apart
func absolute(a *linalg.Dense) *linalg.Dense {
	for i, v := range a.Data {
		a.Data[i] = math.Abs(v)
	}
	return a
}
