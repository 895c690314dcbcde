package discriminant

import (
	"errors"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// ReducedRank is Fisher's discriminant analysis: LDA in the coordinates in which
// the class means spread most, relative to the spread within the classes.
//
// Its vectors solve Bv = λWv with vᵀWv = 1, where W is the pooled covariance and
// B = Σ πₖ(μₖ−μ̄)(μₖ−μ̄)ᵀ, μ̄ = Σ πₖμₖ, is the covariance of the centroids. In the
// first r of the coordinates zᵢ = vᵢ·(x−μ̄), where W is the identity,
//
//	δₖ(x) = log πₖ + mₖ·z − ½‖mₖ‖²,  mₖ the coordinates of μₖ.
//
// With all of them, r = min(p, K−1), that is LDA. (Section 4.3.3, Table 4.1.) Those whose
// √λ is within rounding of 0, some 1e-14 of the largest, are none: a class with a prior
// under 1e-28 can lose its own. It is immutable.
type ReducedRank struct {
	linearRule
	vectors  *linalg.Dense // R×p, all that the centroids determine
	values   []float64     // R of them: λ, descending
	centroid *linalg.Dense // K×R: mₖ
	zero     []float64     // R of them: the coordinates of μ̄ about the origin, which is μ̄ rounded
	rank     int           // r ≤ R
	total    float64       // N; 0 is unknown
	report   optimize.Report
}

// ErrCentroids is returned where all class means coincide, so that no coordinate
// discriminates.
var ErrCentroids = errors.New("the class means coincide: no coordinate discriminates")

// FitReducedRank fits reduced-rank discriminant analysis: Fisher's coordinates, max aᵀBa
// subject to aᵀWa = 1 (ESL §4.3.3, equations 4.15 and 4.16). The options are those
// of [FitLDA] with Rank. One pass over x: O(np² + p³ + pK·min(p, K)) and
// O(p² + Kp) memory.
//
// Errors: as for [FitLDA]; *[sample.OptionError] for a Rank above min(p, K−1);
// [ErrCentroids].
func FitReducedRank(x linalg.Rows, y []int, o *Options) (*ReducedRank, error) {
	r, err := fitRows(x, y, o, true, 0, reducedRank)
	return r, wrap(err)
}

// ReducedRankFromMoments is [FitReducedRank] for rows whose moments are known, pooled
// or not; Weights and ClassWeights are refused.
func ReducedRankFromMoments(m *moments.ByClass, o *Options) (*ReducedRank, error) {
	r, err := fromMoments(m, o, reducedRank)
	return r, wrap(err)
}

func reducedRank(pr *problem) (*ReducedRank, error) {
	if err := pr.o.unused("Alpha", "Softmax"); err != nil {
		return nil, err
	}
	if most := min(pr.p, len(pr.classes)-1); pr.o.Rank > most {
		return nil, &sample.OptionError{Name: "Rank", Value: float64(pr.o.Rank), Want: "at most the lesser of p and K−1"}
	}
	cov, f, err := pr.commonCovariance()
	if err != nil {
		return nil, err
	}
	origin, rest, dev := pr.about(pr.priors)
	r := &ReducedRank{linearRule: linearRule{linear{classes: pr.classes, origin: origin, costs: pr.costs}, pr.priors}, total: pr.total}
	if err := r.setCoordinates(dev, f.chol, f.meansRounding(pr.widths())); err != nil {
		return nil, err
	}
	for i := range r.values {
		r.zero = append(r.zero, linalg.Dot(r.vectors.Row(i), rest))
	}
	r.rank = len(r.values)
	if pr.o.Rank > 0 {
		r.rank = min(pr.o.Rank, r.rank)
	}
	r.setCoefficients()
	r.report = directReport(pr.negLogLikelihood(f), r.residual(cov, dev))
	return r, pr.ended(r.report)
}

// setCoordinates sets vectors, values and centroids. The rows √πₖ·L⁻¹(μₖ−μ̄) are
// the weighted centroids in sphered coordinates; their singular values are √λ and
// their right vectors u give v = L⁻ᵀu, without B being formed.
// Those within the rounding of the class means are none.
func (r *ReducedRank) setCoordinates(dev *linalg.Dense, chol *linalg.Cholesky, rounding float64) error {
	sphered := dev.Clone()
	for k := range r.classes {
		linalg.SolveLower(chol.L(), sphered.Row(k))
	}
	weighted := sphered.Clone()
	for k, pi := range r.priors {
		linalg.Scale(weighted.Row(k), math.Sqrt(pi))
	}
	svd, err := linalg.NewSVD(weighted)
	if err != nil {
		return err
	}
	size := float64(max(dev.Rows, dev.Cols))
	n := countSignificant(svd.Values, len(r.classes)-1, max(16*eps*size*svd.Values[0], rounding))
	if n == 0 {
		return ErrCentroids
	}
	r.vectors, r.centroid = linalg.Zeros(n, dev.Cols), linalg.Zeros(dev.Rows, n)
	for i := range n {
		r.values = append(r.values, svd.Values[i]*svd.Values[i])
		v := r.vectors.Row(i)
		copy(v, svd.V.Row(i))
		for k := range dev.Rows {
			r.centroid.Set(k, i, linalg.Dot(v, sphered.Row(k)))
		}
		linalg.SolveLowerT(chol.L(), v)
	}
	return nil
}

// countSignificant returns how many of the descending singular values, at most most,
// stand out from rounding.
func countSignificant(d []float64, most int, rounding float64) int {
	n := 0
	for n < min(most, len(d)) && d[n] > max(rounding, negligible) {
		n++
	}
	return n
}

// setCoefficients sets the coefficients Σᵢ mₖᵢvᵢ over the first rank coordinates.
func (r *ReducedRank) setCoefficients() {
	r.coef = linalg.Zeros(len(r.classes), len(r.origin))
	r.intercept = make([]float64, len(r.classes))
	for k, pi := range r.priors {
		m := r.centroid.Row(k)[:r.rank]
		for i, v := range m {
			linalg.Axpy(r.coef.Row(k), v, r.vectors.Row(i))
		}
		r.intercept[k] = math.Log(pi) - linalg.Dot(m, m)/2 - linalg.Dot(m, r.zero[:r.rank])
	}
}

// residual returns the largest |Bv − λWv|ⱼ, relative to the size of its terms,
// and |vᵀWv − 1|.
func (r *ReducedRank) residual(cov, dev *linalg.Dense) float64 {
	worst := 0.0
	sd := standardDeviations(cov)
	for i, lambda := range r.values {
		v := r.vectors.Row(i)
		size, wv, off, terms := sizeOf(v, sd), make([]float64, len(v)), make([]float64, len(v)), make([]float64, len(v))
		linalg.MulVec(wv, cov, v, 1)
		for k, pi := range r.priors {
			d := dev.Row(k)
			s := pi * linalg.Dot(d, v)
			for j, u := range d {
				off[j] += s * u
				terms[j] += math.Abs(s * u)
			}
		}
		linalg.Axpy(off, -lambda, wv)
		for j, e := range off {
			worst = max(worst, math.Abs(e)/(terms[j]+r.values[0]*sd[j]*size))
		}
		worst = max(worst, math.Abs(linalg.Dot(v, wv)-1)/max(1, size*size))
	}
	return worst
}

// Report has status direct, or line_search beside an [optimize.ErrNotConverged]; the
// objective is that of LDA on the same rows.
func (r *ReducedRank) Report() optimize.Report { return r.report }

// Rank returns r, the number of coordinates that classify.
func (r *ReducedRank) Rank() int { return r.rank }

// Scaling returns the p×R discriminant vectors in its columns, as R's lda calls
// them: all R ≤ min(p, K−1) that the centroids determine, each up to its sign.
func (r *ReducedRank) Scaling() *linalg.Dense {
	s := linalg.Zeros(r.vectors.Cols, r.vectors.Rows)
	for i := range r.vectors.Rows {
		for j, v := range r.vectors.Row(i) {
			s.Set(j, i, v)
		}
	}
	return s
}

// Scaling returns the p×R discriminant vectors of the model in its columns, as R's lda
// calls them, and the proportion of trace: see [ReducedRank.Scaling] and
// [ReducedRank.Proportion] of a fit to the same rows.
//
// Error: [ErrCentroids].
func (l *LDA) Scaling() (scaling *linalg.Dense, proportion []float64, err error) {
	r := &ReducedRank{linearRule: l.linearRule}
	dev, mean := l.dev.Clone(), make([]float64, l.dev.Cols)
	for k, pi := range l.priors {
		linalg.Axpy(mean, pi, dev.Row(k))
	}
	for k := range dev.Rows {
		linalg.Axpy(dev.Row(k), -1, mean)
	}
	size := make([]float64, l.dev.Cols) // of the values that the means are sums of, or of means from elsewhere, about 0
	for j := range size {
		size[j] = linalg.Norm(l.chol.L().Row(j)[:j+1])
		for k := range l.dev.Rows {
			size[j] = max(size[j], math.Abs(l.dev.At(k, j)))
		}
		if l.report.Status() == optimize.Imported {
			size[j] = max(size[j], math.Abs(l.origin[j]))
		}
	}
	if err := r.setCoordinates(dev, l.chol, newSPD(l.chol).meansRounding(size)); err != nil {
		return nil, nil, wrap(err)
	}
	return r.Scaling(), r.Proportion(), nil
}

// Values returns the R eigenvalues λ, descending: the ratio of the variance
// between the centroids to that within the classes, along each vector.
func (r *ReducedRank) Values() []float64 { return clone(r.values) }

// SingularValues returns √(Nλ/(K−1)), R's svd; NaN for a model from elsewhere, whose N is
// unknown.
func (r *ReducedRank) SingularValues() []float64 {
	s := make([]float64, len(r.values))
	for i, v := range r.values {
		s[i] = math.Sqrt(r.total * v / float64(len(r.classes)-1))
		if r.total == 0 {
			s[i] = math.NaN()
		}
	}
	return s
}

// Proportion returns the proportion of trace: each λ over their sum.
func (r *ReducedRank) Proportion() []float64 {
	s, total := clone(r.values), sum(r.values)
	for i := range s {
		s[i] /= total
	}
	return s
}

// Centroids returns the K×R discriminant coordinates of the class means.
func (r *ReducedRank) Centroids() *linalg.Dense { return r.centroid.Clone() }

// Project appends the R discriminant coordinates of a row to dst. O(Rp), no
// allocation when dst has room. It panics if row does not have p values.
func (r *ReducedRank) Project(dst, row []float64) []float64 {
	mustRow(row, len(r.origin))
	dst, z := extend(dst, r.vectors.Rows)
	s, d := take(len(row))
	r.centered(d, row)
	for i := range z {
		z[i] = linalg.Dot(r.vectors.Row(i), d) - r.zero[i]
	}
	scratchPool.Put(s)
	return dst
}

// Decompose returns the covariance of all rows and its parts, within and between
// the classes, T = W + B, all with divisor N. O(Kp²).
func Decompose(m *moments.ByClass) (total, within, between *linalg.Dense, err error) {
	pr, err := newProblem(m, nil, nil, &Options{Divisor: MLE})
	if err != nil {
		return nil, nil, nil, wrap(err)
	}
	within = pr.pooledCovariance()
	between = linalg.Zeros(pr.p, pr.p)
	dev := pr.deviations(pr.origin())
	for k, n := range pr.count {
		d := dev.Row(k)
		for j, v := range d {
			linalg.Axpy(between.Row(j), n/pr.total*v, d)
		}
	}
	total = within.Clone()
	linalg.Axpy(total.Data, 1, between.Data)
	return total, within, between, nil
}

// String returns how the fit ended and the coefficients.
func (r *ReducedRank) String() string {
	return r.describe("reduced-rank linear discriminant analysis", r.report)
}
