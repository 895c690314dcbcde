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
		for j := range scaling.Rows {
			r.vectors.Set(i, j, scaling.At(j, i))
		}
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
	return gaussianOf(slices.Clone(mean), nil, f), nil
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
	e = &estimates{classes: slices.Clone(classes)}
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

// auditRows judges a model of those classes and features beside the fit of its kind to the rows. A certificate of the
// fit above its tolerance is for judge to tell; its trace ends the audit.
func auditRows[M interface {
	comparable
	Report() optimize.Report
}](x linalg.Rows, y []int, o *Options, classes []int, features int, pooled bool, fit func(*problem) (M, error), judge func(*problem, M) (*optimize.Audit, error)) (*optimize.Audit, error) {
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
		var none M
		m, err := fit(pr)
		if err != nil && (m == none || m.Report().Err(nil) == nil) {
			return nil, err
		}
		return judge(pr, m)
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

// equations returns the largest |π−π̂|/π̂, |μ−μ̂|ⱼ/σ̂ⱼ and |Σ−Σ̂|ᵢⱼ/(σ̂ᵢσ̂ⱼ) of g, for the estimates of
// a fit.
func (g *gaussians) equations(fit *gaussians) []optimize.Equation {
	dev, off := means(g.dev, g.origin), [3]float64{}
	want := means(fit.dev, fit.origin)
	var sd []float64
	for k, pi := range fit.priors {
		if k < len(fit.densities) {
			cov, own := fit.densities[k].Cov(), g.densities[k].Cov()
			sd = standardDeviations(cov)
			for i := range sd {
				for j := range sd {
					off[2] = max(off[2], math.Abs(own.At(i, j)-cov.At(i, j))/(sd[i]*sd[j]))
				}
			}
		}
		off[0] = max(off[0], math.Abs(g.priors[k]-pi)/pi)
		for i := range sd {
			off[1] = max(off[1], math.Abs(dev.At(k, i)-want.At(k, i))/sd[i])
		}
	}
	return []optimize.Equation{{Name: "priors", Residual: off[0]}, {Name: "means", Residual: off[1]}, {Name: "covariances", Residual: off[2]}}
}

// Audit compares the estimates of l, whoever found them, with those of [FitLDA] with the given
// options on the rows of x and their labels y. The certificate is the largest relative residual
// of the equations priors, means by standard deviations, and covariance by those of its two
// features; the objective minus the joint log-likelihood.
//
// Errors: those of FitLDA; *[linalg.ShapeError] for other classes or features than the model's.
func (l *LDA) Audit(x linalg.Rows, y []int, o *Options) (*optimize.Audit, error) {
	return auditRows(x, y, o, l.classes, len(l.origin), true, lda, func(pr *problem, fit *LDA) (*optimize.Audit, error) {
		mine := l.gaussians()
		return residualAudit(mine.joint(pr), fit.report, mine.equations(fit.gaussians())), nil
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
	return auditRows(x, y, o, q.classes, len(q.origin), false, rda, func(pr *problem, fit *QDA) (*optimize.Audit, error) {
		mine := q.gaussians()
		return residualAudit(mine.joint(pr), fit.report, mine.equations(fit.gaussians())), nil
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
	return auditRows(x, y, o, r.classes, len(r.origin), true, func(pr *problem) (*ReducedRank, error) {
		own := *pr.o
		own.Rank = cmp.Or(own.Rank, r.rank)
		pr.o = &own
		return reducedRank(pr)
	}, func(pr *problem, fit *ReducedRank) (*optimize.Audit, error) {
		cov, _, err := pr.commonCovariance()
		if err != nil {
			return nil, err
		}
		priors, off, size, level, height := 0.0, 0.0, 0.0, 0.0, 1.0
		sd := standardDeviations(cov)
		for k, pi := range fit.priors {
			priors = max(priors, math.Abs(r.priors[k]-pi)/pi)
			at := r.intercept[k] - fit.intercept[k]
			for j, b := range fit.coef.Row(k) {
				size = max(size, math.Abs(b)*sd[j])
				off = max(off, math.Abs(r.coef.At(k, j)-b)*sd[j])
				at += r.coef.At(k, j) * (fit.origin[j] - r.origin[j])
			}
			level, height = max(level, math.Abs(at)), max(height, math.Abs(fit.intercept[k]))
		}
		if off > 0 {
			off /= size
		}
		return residualAudit(math.NaN(), fit.report, []optimize.Equation{{Name: "priors", Residual: priors}, {Name: "coefficients", Residual: off}, {Name: "intercepts", Residual: level / height}}), nil
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
	return &Indicator{linear: linear{classes: slices.Clone(classes), origin: make([]float64, coef.Cols), coef: coef.Clone(), intercept: slices.Clone(intercept)},
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
	return auditRows(x, y, o, f.classes, len(f.origin), true, func(pr *problem) (*Indicator, error) { return indicator(pr.x, pr.m, pr.o) }, func(pr *problem, _ *Indicator) (*optimize.Audit, error) {
		origin, rest, dev := pr.about(pr.count)
		xx := pr.crossProducts(dev)
		regularize(xx, 0, pr.total*pr.o.Ridge)
		chol, err := pr.regressionFactor(pr.x, xx, pr.o)
		if err != nil {
			return nil, err
		}
		mine := Indicator{linear: linear{coef: f.coef}}
		mine.certify(pr, dev, xx)
		own := mine.report.Certificate()
		equations := []optimize.Equation{{Name: "normal equations", Residual: own.Value}}
		value, excess := f.squares(pr, origin, rest, standardDeviations(xx), newSPD(chol))
		own.Kind, own.Value = optimize.KindGap, 0
		if excess > 0 {
			own.Value = excess / value
		}
		rounding := 0.0 // of the objective where all coefficients are 0, as least squares has it
		for _, n := range pr.count {
			rounding += residualTol / 2 * n * (1 - n/pr.total)
		}
		a := optimize.NewAudit(value, own).Beside(rounding)
		a.Equations = equations
		return a, nil
	})
}

// squares returns half the residual sum of squares of f with its penalty, and how far above the least it may be. Both
// are sums over the rows, as rounded cross products of columns that nearly coincide have lost the digits that tell functions
// apart. factor is that of XᵀX about the mean origin + rest, of columns that are as long as sd says. O(np(K + p)).
func (f *Indicator) squares(pr *problem, origin, rest, sd []float64, factor spd) (value, excess float64) {
	k, p := f.coef.Rows, f.coef.Cols
	terms := linear{origin: make([]float64, p), coef: f.coef.Clone(), intercept: slices.Clone(f.intercept)} // sizes, of |x − origin|
	absolute(terms.coef.Data)
	absolute(terms.intercept)
	g, level, rss, blur := linalg.Zeros(k, p), make([]float64, k), make([]float64, k), make([]float64, k)
	values, size, d := make([]float64, k), make([]float64, k), make([]float64, p)
	for i, label := range pr.y {
		w := sample.WeightAt(pr.o.Weights, i)
		if w == 0 {
			continue
		}
		f.discriminants(values, pr.x.Row(i))
		f.centered(d, pr.x.Row(i))
		absolute(d)
		terms.discriminants(size, d)
		copy(d, pr.x.Row(i))
		linalg.Axpy(d, -1, origin)
		for c, r := range values {
			if f.classes[c] == label {
				r--
			}
			level[c] += w * r
			rss[c] += w * r * r
			blur[c] += w * size[c] * size[c]
			linalg.Axpy(g.Row(c), w*r, d)
		}
	}
	spread, most := 1.0, 0.0 // how far rounding of the derivatives, relative to their terms, moves L⁻¹g
	for j, v := range factor.inverseDiagonal() {
		spread, most = spread+sd[j]*math.Sqrt(v), max(most, sd[j]*sd[j]*v)
	}
	noise := eps * (2 + math.Sqrt(float64(len(pr.y)))) * spread
	factored := noise // how far L is off: rounding of XᵀX counts twice, unless L is from the rows
	if most < 1/borderline {
		factored *= spread
	}
	for c := range k {
		b, d := f.coef.Row(c), g.Row(c)
		linalg.Axpy(d, -level[c], rest)
		linalg.Axpy(d, pr.total*pr.o.Ridge, b)
		linalg.SolveLower(factor.chol.L(), d)
		e := (1+factored)*math.Hypot(linalg.Norm(d), level[c]/math.Sqrt(pr.total)) + noise*math.Sqrt(rss[c]) + float64(p+4)*eps*math.Sqrt(blur[c])
		value += (rss[c] + pr.total*pr.o.Ridge*linalg.Dot(b, b)) / 2
		excess += e * e / 2
	}
	return value, excess
}

func absolute(v []float64) {
	for i, x := range v {
		v[i] = math.Abs(x)
	}
}
