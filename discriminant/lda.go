package discriminant

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

// LDA is linear discriminant analysis: Gaussian classes with one covariance Σ.
//
//	δₖ(x) = log πₖ + (x−c)ᵀΣ⁻¹(μₖ−c) − ½(μₖ−c)ᵀΣ⁻¹(μₖ−c)     (4.10)
//
// where c is the mean of all rows: against c = 0 all δₖ change by the same amount,
// and means of 1e8 lose no digits. It is immutable.
type LDA struct {
	classes   []int
	priors    []float64
	origin    []float64     // c
	dev       *linalg.Dense // K×p: μₖ − c
	cov       *linalg.Dense
	chol      *linalg.Cholesky
	coef      *linalg.Dense // K×p: Σ⁻¹(μₖ−c)
	intercept []float64     // about c
	costs     *linalg.Dense
	report    optimize.Report
}

// FitLDA fits linear discriminant analysis to the rows of x and their labels y.
// Of the options it reads Classes, Weights, Priors, Uniform, Costs, Divisor,
// Ridge, Shrinkage and Workers. One pass over x: O(np² + p³) and O(p² + Kp)
// memory.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.WeightError],
// *[linalg.ClassError], *[sample.OptionError], *[linalg.RangeError]; and
// *[linalg.RankError] where the pooled covariance is singular: it names the
// columns that are constant within the classes or that the others determine.
func FitLDA(x *linalg.Dense, y []int, o *Options) (*LDA, error) {
	m, err := gather(x, y, o, true)
	if err != nil {
		return nil, wrap(err)
	}
	return LDAFromMoments(m, o)
}

// LDAFromMoments is [FitLDA] for rows of which the moments are known, pooled or
// not; Weights and Workers are not read. O(p³ + Kp²).
func LDAFromMoments(m *linalg.Moments, o *Options) (*LDA, error) {
	pr, err := newProblem(m, o)
	if err != nil {
		return nil, wrap(err)
	}
	cov := pr.pooled()
	regularise(cov, pr.o.Shrinkage, pr.o.Ridge)
	chol, err := factor(cov, pr.size(-1))
	if err != nil {
		return nil, wrap(err)
	}
	origin := pr.origin()
	l := &LDA{classes: pr.classes, priors: pr.priors, origin: origin, dev: pr.deviations(origin), cov: cov, chol: chol, costs: pr.costs}
	l.solve()
	l.report = optimize.Report{
		Objective:   pr.negLogLikelihood(chol, pr.total),
		Certificate: optimize.Certificate{Kind: "residual", Value: l.residual(), Tol: residualTol},
	}
	return l, nil
}

// solve sets the coefficients and intercepts about the origin.
func (l *LDA) solve() {
	l.coef = l.dev.Clone()
	l.intercept = make([]float64, len(l.classes))
	for k, pi := range l.priors {
		b := l.coef.Row(k)
		l.chol.Solve(b)
		l.intercept[k] = math.Log(pi) - linalg.Dot(b, l.dev.Row(k))/2
	}
}

// residual returns the largest |Σβₖ − (μₖ−c)|ⱼ, relative to the size of its
// terms: σⱼΣᵢσᵢ|βₖᵢ| + |μₖ−c|ⱼ.
func (l *LDA) residual() float64 {
	worst := 0.0
	sd := make([]float64, l.cov.Rows)
	for j := range sd {
		sd[j] = math.Sqrt(l.cov.At(j, j))
	}
	for k := range l.classes {
		b, d := l.coef.Row(k), l.dev.Row(k)
		size := 0.0
		for i, v := range b {
			size += sd[i] * math.Abs(v)
		}
		for j := range b {
			r := math.Abs(linalg.Dot(l.cov.Row(j), b) - d[j])
			if r != 0 {
				r /= sd[j]*size + math.Abs(d[j])
			}
			worst = maxNaN(worst, r)
		}
	}
	return worst
}

// Classes returns the labels, ascending.
func (l *LDA) Classes() []int { return slices.Clone(l.classes) }

// Features returns p.
func (l *LDA) Features() int { return len(l.origin) }

// Report has status direct; the objective is minus the joint log-likelihood at
// the estimated means and covariance, under the model's priors.
func (l *LDA) Report() optimize.Report { return l.report }

// Priors returns the class probabilities πₖ.
func (l *LDA) Priors() []float64 { return slices.Clone(l.priors) }

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
func (l *LDA) Cov() *linalg.Dense { return l.cov.Clone() }

// Coef returns the K×p coefficients Σ⁻¹(μₖ−c) and the K intercepts of the δₖ as
// functions of x itself.
func (l *LDA) Coef() (coef *linalg.Dense, intercept []float64) {
	b := slices.Clone(l.intercept)
	for k := range b {
		b[k] -= linalg.Dot(l.coef.Row(k), l.origin)
	}
	return l.coef.Clone(), b
}

// CoefAbout returns the origin c with the coefficients and intercepts of
// δₖ(x) = interceptₖ + coefₖ·(x−c), which keep all digits where x is far from 0.
func (l *LDA) CoefAbout() (origin []float64, coef *linalg.Dense, intercept []float64) {
	return slices.Clone(l.origin), l.coef.Clone(), slices.Clone(l.intercept)
}

// Boundary returns the hyperplane {x: normal·x + offset = 0} between the classes
// labelled k and l of the model, on whose positive side k has the larger
// discriminant (4.9). Costs do not enter. It panics if there is no such class.
func (l *LDA) Boundary(class, other int) (normal []float64, offset float64) {
	k, m := position(l.classes, class), position(l.classes, other)
	normal = slices.Clone(l.coef.Row(k))
	linalg.Axpy(normal, -1, l.coef.Row(m))
	return normal, l.intercept[k] - l.intercept[m] - linalg.Dot(normal, l.origin)
}

func (l *LDA) discriminants(dst, row []float64) {
	mustRow(row, len(l.origin))
	s := scratchPool.Get().(*scratch)
	d := s.take(len(row))
	copy(d, row)
	linalg.Axpy(d, -1, l.origin)
	for k := range dst {
		dst[k] = l.intercept[k] + linalg.Dot(l.coef.Row(k), d)
	}
	scratchPool.Put(s)
}

// Scores appends the K discriminants δₖ of a row, or with costs minus the
// expected costs. O(Kp), no allocation when dst has room. It panics if row does
// not have p values.
func (l *LDA) Scores(dst, row []float64) []float64 {
	return scores(dst, row, l, len(l.classes), l.costs)
}

// LogProba appends the logarithms of the K posterior probabilities.
func (l *LDA) LogProba(dst, row []float64) []float64 { return logProba(dst, row, l, len(l.classes)) }

// Proba appends the K posterior probabilities P(k | x).
func (l *LDA) Proba(dst, row []float64) []float64 { return proba(dst, row, l, len(l.classes)) }

// Predict returns the class of the largest score.
func (l *LDA) Predict(row []float64) int { return predict(row, l, l.classes, l.costs) }

// PredictRows appends the classes of the rows of x. O(nKp).
//
// Errors: *[linalg.ShapeError].
func (l *LDA) PredictRows(dst []int, x *linalg.Dense) ([]int, error) {
	return predictRows(dst, x, l, l.classes, l.costs)
}

// Bayes returns the Bayes rule of the fitted densities: it draws new rows, and
// has the likelihoods and the marginal density.
func (l *LDA) Bayes() *Bayes {
	b := &Bayes{classes: l.classes, priors: l.priors, costs: l.costs}
	first := gaussianOf(l.origin, nil, l.chol)
	for k := range l.classes {
		g := *first
		g.dev = l.dev.Row(k)
		b.densities = append(b.densities, &g)
	}
	return b
}
