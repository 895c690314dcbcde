package discriminant

import (
	"math"
	"slices"

	"halfspace/linalg"
)

const eps = 0x1p-52

// rankTol is, per column, the pivot of a scaled covariance under which a column
// counts as determined by the others.
const rankTol = 1e-14

// origin returns the mean of all rows, rounded: the point that a model works
// about, so that means far from 0 cost it no digits.
func (pr *problem) origin() []float64 { return pr.weightedMean(pr.count) }

// weightedMean returns Σwₖμₖ/Σwₖ, rounded.
func (pr *problem) weightedMean(w []float64) []float64 {
	o := slices.Clone(pr.m.Origin())
	d := make([]float64, pr.p)
	total := sum(w)
	for k, v := range w {
		linalg.Axpy(d, v/total, pr.m.Deviation(k))
	}
	linalg.Axpy(o, 1, d)
	return o
}

// deviations returns the K×p class means less the origin o. The difference of
// the two origins is taken first, as it is exact to rounding.
func (pr *problem) deviations(o []float64) *linalg.Dense {
	shift := slices.Clone(pr.m.Origin())
	linalg.Axpy(shift, -1, o)
	d := linalg.Zeros(len(pr.classes), pr.p)
	for k := range pr.classes {
		copy(d.Row(k), shift)
		linalg.Axpy(d.Row(k), 1, pr.m.Deviation(k))
	}
	return d
}

// pooled returns the pooled covariance, before ridge and shrinkage.
func (pr *problem) pooled() *linalg.Dense { return divided(pr.m.Within(), pr.pooledDivisor()) }

func (pr *problem) pooledDivisor() float64 { return pr.o.divisor(pr.total, len(pr.classes)) }

// common returns the covariance that all classes share, with ridge and shrinkage,
// and its factor.
func (pr *problem) common() (*linalg.Dense, *linalg.Cholesky, error) {
	cov := pr.pooled()
	if pr.o.Shrinkage == 0 && pr.o.Ridge == 0 {
		chol, err := pr.ownFactor(cov, -1, pr.pooledDivisor())
		return cov, chol, err
	}
	regularise(cov, pr.o.Shrinkage, pr.o.Ridge)
	chol, err := factor(cov, pr.size(-1), rankTol)
	return cov, chol, err
}

// ofClass returns the covariance of class k.
func (pr *problem) ofClass(k int) *linalg.Dense {
	return divided(pr.m.Scatter(k).Clone(), pr.classDivisor(k))
}

func (pr *problem) classDivisor(k int) float64 { return pr.o.divisor(pr.count[k], 1) }

// divided overwrites s with s/d; 0 where d is 0, as there is then no evidence of
// any spread.
func divided(s *linalg.Dense, d float64) *linalg.Dense {
	if d == 0 {
		clear(s.Data)
		return s
	}
	for i := range s.Data {
		s.Data[i] /= d
	}
	return s
}

// regularise applies shrinkage towards σ²I, σ² = tr Σ/p (4.14), and the ridge.
func regularise(cov *linalg.Dense, shrinkage, ridge float64) {
	p := cov.Rows
	if shrinkage > 0 {
		trace := 0.0
		for j := range p {
			trace += cov.At(j, j)
		}
		linalg.Scale(cov.Data, 1-shrinkage)
		ridge += shrinkage * trace / float64(p)
	}
	for j := range p {
		cov.Set(j, j, cov.At(j, j)+ridge)
	}
}

// size returns, for each column, a bound on how large the values of class k are
// (of all classes for k < 0), which tells spread from rounding.
func (pr *problem) size(k int) []float64 {
	s := make([]float64, pr.p)
	for c := range pr.classes {
		if k >= 0 && c != k {
			continue
		}
		for j, v := range pr.m.Mean(c) {
			s[j] = max(s[j], math.Abs(v))
		}
	}
	return s
}

// borderline is the pivot of a scaled covariance down to which its Cholesky
// factor is good for nine digits.
const borderline = 1e-7

// ownFactor returns the Cholesky factor of cov, a covariance of the rows
// themselves: of class k, or pooled for k < 0, and divided by d. Where cov is
// close to singular and the rows are at hand, a QR factorisation of them decides,
// and replaces a factor that rounding has spoiled.
//
// Error: *[linalg.RankError].
func (pr *problem) ownFactor(cov *linalg.Dense, k int, d float64) (*linalg.Cholesky, error) {
	size := pr.size(k)
	if pr.x == nil || !(d > 0) {
		return factor(cov, size, rankTol)
	}
	chol, err := factor(cov, size, borderline/float64(pr.p))
	if err == nil {
		return chol, nil
	}
	r, err := pr.m.Triangle(k, pr.x, pr.y, pr.o.Weights, pr.o.Workers)
	if err != nil {
		return nil, err
	}
	linalg.Scale(r.Data, 1/math.Sqrt(d))
	return linalg.CholeskyOf(lowerOf(r))
}

// factor returns the Cholesky factor of a covariance whose columns have values of
// the given size.
//
// Error: *[linalg.RankError]. A column whose standard deviation is a few roundings
// of its values, or of which the others leave tol·p or less, counts as dependent.
func factor(cov *linalg.Dense, size []float64, tol float64) (*linalg.Cholesky, error) {
	screen := cov.Clone()
	for j := range screen.Rows {
		if math.Sqrt(cov.At(j, j)) <= 4*eps*size[j] {
			screen.Set(j, j, 0)
		}
	}
	piv, err := linalg.NewPivotedCholesky(screen, tol)
	if err != nil {
		return nil, err
	}
	if r := piv.Rank(); r < cov.Rows {
		columns := slices.Sorted(slices.Values(piv.Perm[r:]))
		return nil, &linalg.RankError{Rank: r, P: cov.Rows, Columns: columns}
	}
	return linalg.NewCholesky(cov)
}

// deviationsOf returns the square roots of the diagonal.
func deviationsOf(cov *linalg.Dense) []float64 {
	sd := make([]float64, cov.Rows)
	for j := range sd {
		sd[j] = math.Sqrt(cov.At(j, j))
	}
	return sd
}

// residualTol is the tolerance of the certificates of closed forms.
const residualTol = 1e-12

// factorResidual returns the largest |Σ − LLᵀ| relative to the standard
// deviations of its row and column. O(p³).
func factorResidual(cov *linalg.Dense, l *linalg.Dense) float64 {
	worst := 0.0
	for i := range cov.Rows {
		for j := range i + 1 {
			r := cov.At(i, j) - linalg.Dot(l.Row(i)[:j+1], l.Row(j)[:j+1])
			worst = maxNaN(worst, math.Abs(r)/math.Sqrt(cov.At(i, i)*cov.At(j, j)))
		}
	}
	return worst
}

// maxNaN is the larger of a and b, NaN if one of them is.
func maxNaN(a, b float64) float64 {
	if a > b || a != a {
		return a
	}
	return b
}
