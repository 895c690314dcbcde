package discriminant

import (
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
	l := &LDA{linear: e.linear(), priors: e.priors, dev: e.dev, chol: chol, report: optimize.Elsewhere()}
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
	r := &ReducedRank{linear: e.linear(), priors: e.priors, vectors: linalg.Zeros(n, scaling.Rows), values: make([]float64, n),
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
	means := make([][]float64, len(densities))
	for k, g := range densities {
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
	q := &QDA{classes: e.classes, priors: e.priors, origin: e.origin, dev: e.dev, alpha: 1, report: optimize.Elsewhere()}
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
	if err := linalg.CheckFinite("mean", mean); err != nil {
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

// linear returns the functions without their coefficients.
func (e *estimates) linear() linear { return linear{classes: e.classes, origin: e.origin} }
