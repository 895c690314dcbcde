package discriminant

import (
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// QDA is quadratic discriminant analysis: Gaussian classes, each with its own
// covariance.
//
//	δₖ(x) = log πₖ − ½ log |Σₖ| − ½(x−μₖ)ᵀΣₖ⁻¹(x−μₖ)     (4.12)
//
// It is also what [FitRDA] returns, with covariances between those of the classes
// and the pooled one. It is immutable.
type QDA struct {
	classes []int
	priors  []float64
	origin  []float64
	dev     *linalg.Dense // K×p: μₖ − origin
	density []*Gaussian
	offset  []float64 // log πₖ − ½ log |Σₖ|
	costs   *linalg.Dense
	report  optimize.Report

	alpha, shrinkage float64
}

// FitQDA fits quadratic discriminant analysis to the rows of x and their labels
// y (ESL §4.3, equation 4.12). Of the options it reads Classes, Weights, ClassWeights, Priors, Uniform, Costs,
// Divisor and Ridge. One pass over x: O(np² + Kp³) and O(Kp²) memory.
//
// Errors: as for [FitLDA]; *[ClassRankError] where the covariance of a class is
// singular: it names the class and, inside, rank and columns; *[linalg.SizeError]
// where the classes' scatter matrices would need more than 16 GB.
func FitQDA(x linalg.Rows, y []int, o *Options) (*QDA, error) {
	q, err := fitRows(x, y, o, false, 1, qda)
	return q, wrap(err)
}

// QDAFromMoments is [FitQDA] for rows whose moments are known; Weights and
// ClassWeights are refused. O(Kp³). It needs the scatter of each class ([moments.ErrPooled]).
func QDAFromMoments(m *moments.ByClass, o *Options) (*QDA, error) {
	q, err := fromMoments(m, o, qda)
	return q, wrap(err)
}

func qda(pr *problem) (*QDA, error) {
	if err := pr.o.unused("Alpha", "Shrinkage", "Rank", "Softmax"); err != nil {
		return nil, err
	}
	if pr.m.Pooled() {
		return nil, moments.ErrPooled
	}
	if err := pr.checkDivisors(); err != nil {
		return nil, err
	}
	return pr.quadratic(1, 0, pr.ownCovariance)
}

// covariance is a function that returns the covariance of class k and its factor; it
// may build the covariance in the p×p room.
type covariance func(k int, room *linalg.Dense) (*linalg.Dense, spd, error)

// ownCovariance returns the covariance of class k, with the ridge, and its factor.
func (pr *problem) ownCovariance(k int, room *linalg.Dense) (*linalg.Dense, spd, error) {
	copy(room.Data, pr.m.Scatter(k).Data)
	cov := divided(room, pr.classDivisor(k))
	regularize(cov, 0, pr.o.Ridge)
	f, err := pr.factor(cov, k, mix{own: 1 / pr.classDivisor(k), ridge: pr.o.Ridge})
	return cov, f, err
}

// classFit is one class of a quadratic model and its share of the report.
type classFit struct {
	density  *Gaussian
	offset   float64
	residual float64
	nll      float64 // minus the joint log-likelihood of the class's rows
	err      error
}

func (pr *problem) newQDA(alpha, shrinkage float64) *QDA {
	q := &QDA{classes: pr.classes, priors: pr.priors, origin: pr.origin(), costs: pr.costs, alpha: alpha, shrinkage: shrinkage}
	q.dev = pr.deviations(q.origin)
	return q
}

// common builds the model in which all classes have the covariance of LDA, which is factored and judged once.
func (pr *problem) common(shrinkage float64) (*QDA, error) {
	cov, f, err := pr.commonCovariance()
	if err != nil {
		return nil, err
	}
	q, worst := pr.newQDA(0, shrinkage), factorResidual(cov, f.chol.L())
	for k := range q.classes {
		density, offset := q.classDensity(k, f)
		q.density, q.offset = append(q.density, density), append(q.offset, offset)
		worst = max(worst, pr.meanRounding(k, q.origin, q.dev.Row(k), cov))
	}
	q.report = directReport(pr.negLogLikelihood(f), worst)
	return q, pr.ended(q.report)
}

// quadratic builds the model with the class covariances cov, on Workers goroutines
// where these are large.
func (pr *problem) quadratic(alpha, shrinkage float64, cov covariance) (*QDA, error) {
	q := pr.newQDA(alpha, shrinkage)
	fits := make([]classFit, len(pr.classes))
	const worthwhile = 1 << 18 // p³ of this many are worth a goroutine
	p := min(pr.p, 1000)
	linalg.For(len(fits), max(1, worthwhile/(p*p*p)), pr.o.Workers, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			fits[k] = pr.fitClass(q, k, cov)
		}
	})
	worst, objective := 0.0, 0.0
	for _, f := range fits {
		if f.err != nil {
			return nil, f.err
		}
		q.density, q.offset = append(q.density, f.density), append(q.offset, f.offset)
		worst = max(worst, f.residual)
		objective += f.nll
	}
	q.report = directReport(objective, worst)
	return q, pr.ended(q.report)
}

func (pr *problem) fitClass(q *QDA, k int, cov covariance) classFit {
	s, room := take(pr.p * pr.p)
	defer scratchPool.Put(s)
	c, f, err := cov(k, &linalg.Dense{Rows: pr.p, Cols: pr.p, Stride: pr.p, Data: room})
	if err != nil {
		return classFit{err: pr.ofClass(err, k)}
	}
	g, offset := q.classDensity(k, f)
	return classFit{
		density: g, offset: offset, residual: max(factorResidual(c, g.l), pr.meanRounding(k, q.origin, q.dev.Row(k), c)),
		nll: pr.trace(k, f)/2 - pr.count[k]*(math.Log(pr.priors[k])+g.norm),
	}
}

// classDensity returns the density of class k, whose covariance has the given factor,
// and the constant of its discriminant.
func (q *QDA) classDensity(k int, f spd) (*Gaussian, float64) {
	return gaussianOf(q.origin, q.dev.Row(k), f), math.Log(q.priors[k]) - f.chol.LogDet()/2
}

// Classes returns the labels, ascending.
func (q *QDA) Classes() []int { return clone(q.classes) }

// Features returns p, the length of a row.
func (q *QDA) Features() int { return len(q.origin) }

// Report has status direct, or line_search beside an [optimize.ErrNotConverged]; the
// objective is minus the joint log-likelihood of the training rows under the model.
func (q *QDA) Report() optimize.Report { return q.report }

// Priors returns the class probabilities πₖ.
func (q *QDA) Priors() []float64 { return clone(q.priors) }

// Means returns the K×p class means.
func (q *QDA) Means() *linalg.Dense { return means(q.dev, q.origin) }

// Alpha returns the share α of the classes' own covariances: 1 for [FitQDA].
func (q *QDA) Alpha() float64 { return q.alpha }

// Costs returns a copy of the K×K costs that decisions are made by, see [Options], nil without.
func (q *QDA) Costs() *linalg.Dense { return q.costs.Clone() }

// Shrinkage returns 1−γ, by which the pooled covariance was made spherical.
func (q *QDA) Shrinkage() float64 { return q.shrinkage }

// LogOdds returns log P(class | x)/P(other | x) for two labels of the model. It
// panics if row does not have p values.
//
// Error: *[linalg.ClassError] for a label that is not in the model.
func (q *QDA) LogOdds(row []float64, class, other int) (float64, error) {
	return logOdds(row, q, q.classes, class, other)
}

// Parameters returns the number of free parameters of the covariances,
// K·p(p+1)/2, and of the boundaries, (K−1)(p(p+3)/2 + 1). (Section 4.3.)
func (q *QDA) Parameters() (covariance, boundary int) {
	p, k := len(q.origin), len(q.classes)
	return k * p * (p + 1) / 2, (k - 1) * (p*(p+3)/2 + 1)
}

// Density returns the fitted density of the class at position k of Classes.
func (q *QDA) Density(k int) *Gaussian { return q.density[k] }

func (q *QDA) discriminants(dst, row []float64) {
	for k, g := range q.density {
		dst[k] = q.offset[k] - g.Mahalanobis2(row)/2
	}
}

// Scores appends the K discriminants δₖ of a row, or with costs minus the
// expected costs. O(Kp²), no allocation when dst has room. It panics if row does
// not have p values.
func (q *QDA) Scores(dst, row []float64) []float64 {
	return scores(dst, row, q, len(q.classes), q.costs)
}

// LogProba appends the logarithms of the K posterior probabilities.
func (q *QDA) LogProba(dst, row []float64) []float64 { return logProba(dst, row, q, len(q.classes)) }

// Proba appends the K posterior probabilities P(k | x).
func (q *QDA) Proba(dst, row []float64) []float64 { return proba(dst, row, q, len(q.classes)) }

// Predict returns the label with the largest score, the smaller of equals.
func (q *QDA) Predict(row []float64) int { return predict(row, q, q.classes, q.costs) }

// PredictRows appends the labels of the rows of x. O(nKp²).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], those of the storage.
func (q *QDA) PredictRows(dst []int, x linalg.Rows) ([]int, error) {
	p := len(q.origin)
	dst, err := sample.PredictBlocks(dst, x, p, 3*p, nil, func() func([]int, *linalg.Dense) {
		work := q.work()
		return func(out []int, rows *linalg.Dense) {
			for lo := 0; lo < len(out); lo += linalg.BlockRows {
				hi := min(lo+linalg.BlockRows, len(out))
				q.predictCentered(out[lo:hi], work, func(i int) []float64 { return rows.Row(lo + i) })
			}
		}
	})
	return dst, wrap(err)
}

// predictAt sets out[i] to the class of row order[i] of x.
func (q *QDA) predictAt(out []int, x *linalg.Dense, order []int, workers int) {
	linalg.For(len(out), 8*linalg.BlockRows, workers, func(lo, hi int) {
		work := q.work()
		for ; lo < hi; lo += linalg.BlockRows {
			end := min(lo+linalg.BlockRows, hi)
			q.predictCentered(out[lo:end], work, func(i int) []float64 { return x.Row(order[lo+i]) })
		}
	})
}

// work returns scratch for a block of rows.
func (q *QDA) work() []float64 {
	return make([]float64, linalg.BlockRows*(3*len(q.origin)+len(q.classes)+1))
}

// predictCentered sets out to the classes of the rows given, at most a block of them.
func (q *QDA) predictCentered(out []int, work []float64, row func(i int) []float64) {
	k := len(q.classes)
	score := &linalg.Dense{Rows: len(out), Cols: k, Stride: k, Data: work[:len(out)*k]}
	q.discriminantsOf(score, work[len(out)*k:], row)
	for i := range out {
		r := score.Row(i)
		byCost(r, q.costs)
		out[i] = q.classes[linalg.ArgMax(r)]
	}
}

// discriminantsOf sets score to the δₖ of as many rows as it has, at most a block: they less the origin and
// the class means times each Lₖ⁻ᵀ.
func (q *QDA) discriminantsOf(score *linalg.Dense, work []float64, row func(i int) []float64) {
	n, p := score.Rows, len(q.origin)
	take := func() *linalg.Dense {
		d := &linalg.Dense{Rows: n, Cols: p, Stride: p, Data: work[:n*p]}
		work = work[n*p:]
		return d
	}
	centered, rows, sphered := take(), take(), take()
	for i := range n {
		copy(centered.Row(i), row(i))
		linalg.Axpy(centered.Row(i), -1, q.origin)
	}
	d2 := work[:n]
	for c, g := range q.density {
		copy(rows.Data, centered.Data)
		g.mahalanobis2(d2, rows, sphered)
		for i, d := range d2 {
			score.Set(i, c, q.offset[c]-d/2)
		}
	}
}

// LogProbaRows sets dst (n×K) to the logarithms of the posterior probabilities of the rows of x (n×p). O(nKp²), by
// products of matrices. It panics if x does not have p columns, or dst has fewer rows.
func (q *QDA) LogProbaRows(dst, x *linalg.Dense) {
	work := q.work()
	for lo := 0; lo < x.Rows; lo += linalg.BlockRows {
		q.discriminantsOf(dst.RowRange(lo, min(lo+linalg.BlockRows, x.Rows)), work, func(i int) []float64 {
			mustRow(x.Row(lo+i), len(q.origin))
			return x.Row(lo + i)
		})
	}
	for i := range x.Rows {
		normalize(dst.Row(i))
	}
}

// Bayes returns the Bayes rule of the fitted densities: it draws new rows, and
// has the likelihoods and the marginal density.
func (q *QDA) Bayes() *Bayes {
	b := &Bayes{classes: q.classes, priors: q.priors, logPriors: logs(q.priors), costs: q.costs}
	for _, g := range q.density {
		b.densities = append(b.densities, g)
	}
	return b
}

// Quadric is the function (x−c)ᵀA(x−c) + b·(x−c) + d: where it is 0 is the
// boundary between two classes of QDA.
type Quadric struct {
	Origin   []float64     // c
	Matrix   *linalg.Dense // A, symmetric
	Linear   []float64     // b
	Constant float64       // d
}

// Value returns the quadric's value at x. O(p²). It panics if x does not have p
// values.
func (q *Quadric) Value(x []float64) float64 {
	mustRow(x, len(q.Origin))
	d := clone(x)
	linalg.Axpy(d, -1, q.Origin)
	s := q.Constant + linalg.Dot(q.Linear, d)
	for i, v := range d {
		s += v * linalg.Dot(q.Matrix.Row(i), d)
	}
	return s
}

// Boundary returns δ_class − δ_other (4.12) as a quadric about the mean of the
// training rows: positive where class has the larger discriminant. Costs do not
// enter. O(p³).
//
// Error: *[linalg.ClassError] for a label that is not in the model.
func (q *QDA) Boundary(class, other int) (*Quadric, error) {
	k, l, err := positions(q.classes, class, other)
	if err != nil {
		return nil, err
	}
	p := len(q.origin)
	b := &Quadric{clone(q.origin), linalg.Zeros(p, p), make([]float64, p), q.offset[k] - q.offset[l]}
	q.addQuadratic(b, k, 1)
	q.addQuadratic(b, l, -1)
	return b, nil
}

// addQuadratic adds sign·(−½(x−μₖ)ᵀΣₖ⁻¹(x−μₖ)) to b.
func (q *QDA) addQuadratic(b *Quadric, k int, sign float64) {
	linv, dev := q.density[k].linv, q.dev.Row(k)
	for i := range linv.Rows { // Σ⁻¹ = L⁻ᵀL⁻¹, a sum over the rows of L⁻¹
		v := linv.Row(i)
		for j, u := range v[:i+1] {
			linalg.Axpy(b.Matrix.Row(j)[:i+1], -sign/2*u, v[:i+1])
		}
		m := linalg.Dot(v, dev)
		linalg.Axpy(b.Linear, sign*m, v)
		b.Constant -= sign / 2 * m * m
	}
}

// String returns how the fit ended.
func (q *QDA) String() string {
	if q.origin == nil {
		return "quadratic discriminant analysis, not fitted"
	}
	return sample.Describe("quadratic discriminant analysis", q.classes, len(q.origin), q.report, nil, nil)
}

// String returns the number of features and the constant.
func (r *Quadric) String() string {
	return fmt.Sprintf("quadric of %d features, constant %.5g", len(r.Linear), r.Constant)
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (r Quadric) MarshalJSON() ([]byte, error) { return record.Plain(r) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (r *Quadric) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, r) }
