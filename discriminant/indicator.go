package discriminant

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Indicator is the linear regression of the K class indicators on (1, x):
// f̂(x) = B̂ᵀ(1, x) with B̂ = (XᵀX)⁻¹XᵀY (4.3, 4.4), and the largest f̂ₖ decides.
// The fitted values sum to 1, and
//
//	f̂ₖ(x) = (Nₖ/N)·(1 + (x−x̄)ᵀT⁻¹(μₖ−x̄))
//
// where T is the covariance of all rows, within and between the classes together.
// A class whose mean lies between others may then never be the largest, however far
// apart the classes are: it is masked ([Masked]; section 4.2).
//
// LDA is the same regression with a reward for separated centroids. With x centred, classes
// of one size, yₖ the indicator of class k and mₖ its mean, and covariances with divisor N,
//
//	‖yₖ − Xb‖²/N            is least at  b = T⁻¹mₖ/K,   T = W + B,
//	‖yₖ − Xb‖²/N − bᵀBb     is least at  b = W⁻¹mₖ/K,   LDA's coefficients over K;
//
// the second is convex, for its Hessian is 2W. An Indicator is immutable.
type Indicator struct {
	linear
	softmax bool
	report  optimize.Report
}

// FitIndicator fits the regression of the classes' indicators (ESL §4.2, equations 4.3 and
// 4.4) by the factor of XᵀX about the mean, and where that is close to singular by R of a QR
// factorisation of the centred rows: Rᵀ R is XᵀX. XᵀY is Nₖ(μₖ−x̄), from the moments. With a
// Ridge, which is added to the diagonal of T, it is ridge regression with the
// penalty ½·N·Ridge·‖B‖² and an intercept that is not penalised. Of the options it
// reads Classes, Weights, ClassWeights, Ridge and Softmax. A few passes over x: O(np²)
// and O(p² + Kp) memory; other storage than a *[linalg.Dense] is copied.
//
// Errors: as for [FitLDA]; *[linalg.RankError] names columns that are constant or
// that the others determine.
func FitIndicator(x linalg.Rows, y []int, o *Options) (*Indicator, error) {
	dense, err := linalg.ToDense(x)
	if err != nil {
		return nil, wrap(err)
	}
	if o, err = o.weighed(dense, y); err != nil {
		return nil, wrap(err)
	}
	if dense.Rows <= dense.Cols && o.Ridge == 0 { // as [Options.refuse] does
		if _, err = sample.Code(y, o.Classes, o.Weights); err == nil {
			err = linalg.CheckRank(dense, o.Weights, true, o.Workers)
		}
		if err != nil {
			return nil, wrap(err)
		}
	}
	f, err := fitAll(dense, y, o, true, indicator)
	return f, wrap(err)
}

func indicator(pr *problem) (*Indicator, error) {
	if err := pr.o.unused("Priors", "Uniform", "Costs", "Divisor", "Alpha", "Shrinkage", "Rank"); err != nil {
		return nil, err
	}
	r, err := pr.regression()
	if err != nil {
		return nil, err
	}
	f := &Indicator{linear: linear{classes: pr.classes, origin: r.origin, coef: r.xy.Clone()}, softmax: pr.o.Softmax}
	for k, n := range pr.count {
		b := f.coef.Row(k)
		r.chol.Solve(b)
		f.intercept = append(f.intercept, n/pr.total-linalg.Dot(b, r.rest))
	}
	f.report = f.certify(pr, r)
	return f, pr.ended(f.report)
}

// regression is the normal equations XᵀXβₖ = Nₖ(μₖ−x̄) about the mean x̄, which is origin + rest.
type regression struct {
	origin, rest []float64
	xx, xy       *linalg.Dense // XᵀX with the ridge; K×p: Nₖ(μₖ−x̄)
	chol         *linalg.Cholesky
}

func (pr *problem) regression() (*regression, error) {
	origin, rest, dev := pr.about(pr.count)
	r := &regression{origin: origin, rest: rest, xx: pr.m.Within(), xy: dev.Clone()}
	for k, n := range pr.count {
		linalg.Scale(r.xy.Row(k), n)
	}
	linalg.MulTAdd(r.xx, 1, r.xy, dev)
	regularize(r.xx, 0, pr.total*pr.o.Ridge)
	var err error
	r.chol, err = pr.regressionFactor(r.xx)
	return r, err
}

// regressionFactor returns the Cholesky factor of XᵀX about the mean, which xx is, with the ridge on
// its diagonal: where this is close to singular, from the rows.
func (pr *problem) regressionFactor(xx *linalg.Dense) (*linalg.Cholesky, error) {
	size, ridge := pr.largestValues(-1), pr.total*pr.o.Ridge
	triangle := func() (*moments.Triangle, error) {
		return moments.TriangleOf(-1, pr.x, make([]int, pr.x.Rows), pr.o.Weights, pr.o.Workers) // a class of all rows has the mean of all
	}
	if ridge > 0 {
		f, err := factorOf(xx, size, func() (*moments.Triangle, error) {
			t, err := triangle()
			if err != nil {
				return nil, err
			}
			return moments.Blend([]float64{1}, []*moments.Triangle{t}, ridge)
		})
		return f.chol, err
	}
	linalg.Scale(size, math.Sqrt(pr.total)) // xx is a sum, not a covariance
	if f, ok := safeFactor(xx, size); ok {
		return f.chol, nil
	}
	if err := linalg.CheckRank(pr.x, pr.o.Weights, true, pr.o.Workers); err != nil {
		return nil, err
	}
	t, err := triangle()
	if err != nil {
		return nil, err
	}
	chol, err := linalg.CholeskyOf(lowerOf(t.R))
	return chol, linalg.DependentColumn(err, pr.p)
}

// indicatorSquares returns ΣₖNₖ(1 − Nₖ/N), the squares of the indicators about their means.
func (pr *problem) indicatorSquares() (s float64) {
	for _, n := range pr.count {
		s += n * (1 - n/pr.total)
	}
	return s
}

// certify returns the report. Half the residual sum of squares, with the penalty, is
// Σₖ ½(Nₖ(1 − Nₖ/N) − βₖ·Nₖ(μₖ−x̄)).
func (f *Indicator) certify(pr *problem, r *regression) optimize.Report {
	return directReport((pr.indicatorSquares()-linalg.Dot(f.coef.Data, r.xy.Data))/2, f.residual(r.xx, r.xy))
}

// Report has status direct, or line_search beside an [optimize.ErrNotConverged]; the
// objective is half the residual sum of squares over all K indicators, and the
// penalty where there is a ridge.
func (f *Indicator) Report() optimize.Report { return f.report }

// Softmax reports whether Proba is the softmax of the fitted values.
func (f *Indicator) Softmax() bool { return f.softmax }

// Proba appends K probabilities: the softmax of the fitted values where the
// options asked for it, otherwise the fitted values, clipped to [0, 1] and
// divided by their sum; 1/K where none is positive, as functions from elsewhere need
// not sum to 1. Neither is a posterior of any model.
func (f *Indicator) Proba(dst, row []float64) []float64 {
	dst, s := extend(dst, len(f.classes))
	f.discriminants(s, row)
	if f.softmax {
		linalg.Softmax(s)
		return dst
	}
	total := 0.0
	for k, v := range s {
		if v < 0 { // a NaN stays
			s[k] = 0
		} else if v > 1 {
			s[k] = 1
		}
		total += s[k]
	}
	if total == 0 {
		for k := range s {
			s[k] = 1
		}
		total = float64(len(s))
	}
	linalg.Scale(s, 1/total)
	return dst
}

// Masked returns the classes of a classifier that it predicts for no row of x.
func Masked(c interface {
	Classes() []int
	PredictRows(dst []int, x linalg.Rows) ([]int, error)
}, x linalg.Rows) ([]int, error) {
	got, err := c.PredictRows(nil, x)
	if err != nil {
		return nil, err
	}
	seen := make(map[int]bool)
	for _, k := range got {
		seen[k] = true
	}
	return slices.DeleteFunc(slices.Clone(c.Classes()), func(k int) bool { return seen[k] }), nil
}

// String returns how the fit ended and the coefficients.
func (f *Indicator) String() string { return f.describe("regression of class indicators", f.report) }
