package discriminant

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/optimize"
)

// LDA is linear discriminant analysis: Gaussian classes with one covariance Σ.
//
//	δₖ(x) = log πₖ + (x−c)ᵀΣ⁻¹(μₖ−c) − ½(μₖ−c)ᵀΣ⁻¹(μₖ−c)     (4.10)
//
// where c is the mean of all rows: against c = 0 all δₖ change by the same amount,
// and means of 1e8 lose no digits. It is immutable.
type LDA struct {
	linearRule
	dev    *linalg.Dense    // K×p: μₖ − c
	chol   *linalg.Cholesky // of Σ
	report optimize.Report
}

// FitLDA fits linear discriminant analysis to the rows of x and their labels y
// (ESL §4.3, equation 4.10). Of the options it reads Classes, Weights, ClassWeights, Priors, Uniform, Costs,
// Divisor, Ridge and Shrinkage. One pass over x: O(np² + p³) and O(p² + Kp)
// memory.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.WeightError],
// *[linalg.ClassError], *[sample.OptionError], *[linalg.RangeError]; and
// *[linalg.RankError] where the pooled covariance is singular: it names the
// columns that are constant within the classes, to 1e-12 of their values, or that the
// others determine.
// With [optimize.ErrNotConverged], where rounding leaves a certificate above its
// tolerance, the model is not nil.
func FitLDA(x linalg.Rows, y []int, o *Options) (*LDA, error) {
	l, err := fitRows(x, y, o, true, 0, lda)
	return l, wrap(err)
}

// LDAFromMoments is [FitLDA] for rows whose moments are known, pooled or not, with
// the weights of these: Weights and ClassWeights are refused. O(p³ + Kp²).
func LDAFromMoments(m *moments.ByClass, o *Options) (*LDA, error) {
	l, err := fromMoments(m, o, lda)
	return l, wrap(err)
}

func lda(pr *problem) (*LDA, error) {
	if err := pr.o.unused("Alpha", "Rank", "Softmax"); err != nil {
		return nil, err
	}
	cov, f, err := pr.commonCovariance()
	if err != nil {
		return nil, err
	}
	origin := pr.origin()
	l := &LDA{
		linearRule: linearRule{linear{classes: pr.classes, origin: origin, costs: pr.costs}, pr.priors},
		dev:        pr.deviations(origin), chol: f.chol,
	}
	l.setCoefficients()
	l.report = directReport(pr.negLogLikelihood(f), l.residual(cov, l.dev))
	return l, pr.ended(l.report)
}

// setCoefficients sets the coefficients and intercepts about the origin.
func (l *LDA) setCoefficients() {
	l.coef = l.dev.Clone()
	l.intercept = make([]float64, len(l.classes))
	for k, pi := range l.priors {
		b := l.coef.Row(k)
		l.chol.Solve(b)
		l.intercept[k] = math.Log(pi) - linalg.Dot(b, l.dev.Row(k))/2
	}
}

// Report has status direct, or line_search beside an [optimize.ErrNotConverged]; the
// objective is minus the joint log-likelihood at the estimated means and covariance,
// under the model's priors.
func (l *LDA) Report() optimize.Report { return l.report }

// Means returns the K×p class means.
func (l *LDA) Means() *linalg.Dense { return means(l.dev, l.origin) }

// means adds the origin to the rows of dev.
func means(dev *linalg.Dense, origin []float64) *linalg.Dense {
	m := dev.Clone()
	for k := range m.Rows {
		linalg.Axpy(m.Row(k), 1, origin)
	}
	return m
}

// Cov returns the pooled covariance Σ, with ridge and shrinkage.
func (l *LDA) Cov() *linalg.Dense { return product(l.chol.L()) }

// LogOdds returns log P(class | x)/P(other | x) for two labels of the model. It
// panics if row does not have p values.
//
// Error: *[linalg.ClassError] for a label that is not in the model.
func (l *LDA) LogOdds(row []float64, class, other int) (float64, error) {
	return logOdds(row, l, l.classes, class, other)
}

// Parameters returns the number of free parameters of the covariance, p(p+1)/2,
// and of the boundaries, (K−1)(p+1).
func (l *LDA) Parameters() (covariance, boundary int) {
	p, k := len(l.origin), len(l.classes)
	return p * (p + 1) / 2, (k - 1) * (p + 1)
}

// Bayes returns the Bayes rule of the fitted densities: it draws new rows, and
// has the likelihoods and the marginal density.
func (l *LDA) Bayes() *Bayes {
	b := &Bayes{classes: l.classes, priors: l.priors, logPriors: logs(l.priors), costs: l.costs}
	first := gaussianOf(l.origin, nil, newSPD(l.chol))
	for k := range l.classes {
		g := *first
		g.dev = l.dev.Row(k)
		b.densities = append(b.densities, &g)
	}
	return b
}

// gaussians are classes with priors, means about an origin, and densities, one of each class
// or one for all.
type gaussians struct {
	priors, origin []float64
	dev            *linalg.Dense
	densities      []*Gaussian
}

// density returns that of class k about its mean.
func (g *gaussians) density(k int) *Gaussian {
	d := g.densities[min(k, len(g.densities)-1)]
	return &Gaussian{make([]float64, len(g.origin)), nil, d.l, d.linv, d.norm}
}

// joint returns minus the joint log-likelihood of the rows of pr under g.
func (g *gaussians) joint(pr *problem) (value float64) {
	dev := pr.deviations(g.origin)
	for k, n := range pr.count {
		d := dev.Row(k)
		linalg.Axpy(d, -1, g.dev.Row(k))
		value -= n * (math.Log(g.priors[k]) + g.density(k).LogDensity(d))
	}
	for k, d := range g.densities {
		if len(g.densities) == 1 {
			k = -1
		}
		value += pr.trace(k, d.factor()) / 2
	}
	return value
}

func (l *LDA) gaussians() *gaussians {
	return &gaussians{l.priors, l.origin, l.dev, []*Gaussian{gaussianOf(l.origin, nil, newSPD(l.chol))}}
}

// Sphering is the map x* = D^−½Uᵀ(x−c) with Σ = UDUᵀ: in the new coordinates the
// common covariance is the identity, and LDA is the nearest centroid, but for the
// priors. (Section 4.3.2.) It is immutable.
type Sphering struct {
	origin []float64
	m      *linalg.Dense // D^−½Uᵀ, p×p
}

// Sphering returns the map that spheres the model's covariance, about the mean of
// the training rows. Coordinates are ordered by falling variance of x along them.
// O(p³).
func (l *LDA) Sphering() (*Sphering, error) {
	// With Σ = LLᵀ and L = UD^½Vᵀ the map is VᵀL⁻¹, which is exact on columns of any
	// scales; eigenvectors of Σ are exact to 2⁻⁵² of their largest entry only.
	svd, err := linalg.NewSVD(l.chol.L())
	if err != nil {
		return nil, wrap(err)
	}
	m := linalg.Zeros(len(l.origin), len(l.origin))
	linalg.MulAdd(m, 1, svd.V, l.chol.InverseL(1))
	return &Sphering{l.origin, m}, nil
}

// Matrix returns D^−½Uᵀ.
func (s *Sphering) Matrix() *linalg.Dense { return s.m.Clone() }

// Transform appends the sphered row to dst. O(p²). It panics if row does not have
// p values.
func (s *Sphering) Transform(dst, row []float64) []float64 {
	mustRow(row, len(s.origin))
	dst, out := extend(dst, len(row))
	w, d := take(len(row))
	copy(d, row)
	linalg.Axpy(d, -1, s.origin)
	linalg.MulVec(out, s.m, d, 1)
	scratchPool.Put(w)
	return dst
}

// String returns how the fit ended and the coefficients.
func (l *LDA) String() string { return l.describe("linear discriminant analysis", l.report) }
