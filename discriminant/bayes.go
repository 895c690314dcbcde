package discriminant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/linalg/tail"
	"halfspace/optimize"
)

// Density is a probability density of p variables that can be drawn from.
// *[Gaussian] and *[Mixture] are densities.
type Density interface {
	Features() int
	// LogDensity returns log f(x).
	LogDensity(x []float64) float64
	// Sample appends a draw to dst.
	Sample(dst []float64, r *rand.Rand) []float64
}

// Mixture is the density Σ wᵢ φ(x; μᵢ, Σᵢ).
type Mixture struct {
	weights    []float64
	logWeights []float64
	parts      []*Gaussian
}

// NewMixture returns the mixture of the parts with the given weights, which are
// positive and sum to 1.
//
// Errors: *[linalg.ShapeError], *[sample.OptionError].
func NewMixture(weights []float64, parts []*Gaussian) (*Mixture, error) {
	if len(parts) == 0 {
		return nil, wrap(&linalg.ShapeError{Want: 1, WantOf: "part needed", Got: 0, GotOf: "parts"})
	}
	w, err := checkShares("Weights", weights, len(parts), "parts", "weights")
	if err != nil {
		return nil, wrap(fmt.Errorf("mixture: %w", err))
	}
	for i, g := range parts {
		if g == nil {
			return nil, wrap(fmt.Errorf("mixture: part %d is nil", i))
		}
		if err := sameFeatures(parts[0].Features(), g.Features()); err != nil {
			return nil, wrap(err)
		}
	}
	return &Mixture{w, logs(w), slices.Clone(parts)}, nil
}

// Parts returns copies of the weights and of the list of Gaussians.
func (m *Mixture) Parts() (weights []float64, parts []*Gaussian) {
	return clone(m.weights), slices.Clone(m.parts)
}

func logs(v []float64) []float64 {
	l := make([]float64, len(v))
	for i, x := range v {
		l[i] = math.Log(x)
	}
	return l
}

func sameFeatures(want, got int) error {
	if want != got {
		return &linalg.ShapeError{Want: want, WantOf: "features of the first density", Got: got, GotOf: "of another"}
	}
	return nil
}

// Features returns p, the length of a row.
func (m *Mixture) Features() int { return m.parts[0].Features() }

// LogDensity returns log f(x), by the log-sum-exp of its parts.
func (m *Mixture) LogDensity(x []float64) float64 {
	s, v := take(len(m.parts))
	for i, g := range m.parts {
		v[i] = m.logWeights[i] + g.LogDensity(x)
	}
	l := linalg.LogSumExp(v)
	scratchPool.Put(s)
	return l
}

// Sample appends a draw to dst.
func (m *Mixture) Sample(dst []float64, r *rand.Rand) []float64 {
	return m.parts[draw(m.weights, r)].Sample(dst, r)
}

// draw returns an index with the given probabilities.
func draw(p []float64, r *rand.Rand) int {
	u := r.Float64()
	for k, v := range p[:len(p)-1] {
		if u < v {
			return k
		}
		u -= v
	}
	return len(p) - 1
}

// Bayes is the Bayes rule: the class with the largest posterior probability
// πₖfₖ(x)/Σₗπₗfₗ(x), or the decision of least expected cost, for class densities
// fₖ that are known. No classifier has a lower error on them. It is immutable.
type Bayes struct {
	classes   []int
	priors    []float64
	logPriors []float64
	densities []Density
	costs     *linalg.Dense
}

// NewBayes returns the Bayes rule for classes (ascending) with the given
// densities. Nil priors are uniform; nil costs count errors, otherwise they are as
// in [Options].
//
// Errors: *[linalg.ShapeError], *[linalg.ClassError], *[sample.OptionError].
func NewBayes(classes []int, densities []Density, priors []float64, costs *linalg.Dense) (*Bayes, error) {
	b, err := newBayes(classes, densities, priors, costs)
	return b, wrap(err)
}

func newBayes(classes []int, densities []Density, priors []float64, costs *linalg.Dense) (*Bayes, error) {
	if len(classes) != len(densities) {
		return nil, &linalg.ShapeError{Want: len(classes), WantOf: "classes", Got: len(densities), GotOf: "densities"}
	}
	if _, err := sample.Code(classes, classes, nil); err != nil {
		return nil, err
	}
	for k, d := range densities {
		if d == nil {
			return nil, fmt.Errorf("the density of class %d is nil", classes[k])
		}
		if err := sameFeatures(densities[0].Features(), d.Features()); err != nil {
			return nil, err
		}
	}
	o := Options{Priors: priors, Uniform: true}
	pi, err := o.resolvePriors(make([]float64, len(classes)))
	if err != nil {
		return nil, err
	}
	if costs, err = checkCosts(costs, len(classes)); err != nil {
		return nil, err
	}
	return &Bayes{clone(classes), pi, logs(pi), slices.Clone(densities), costs}, nil
}

// Classes returns the labels, ascending.
func (b *Bayes) Classes() []int { return clone(b.classes) }

// Features returns p, the length of a row.
func (b *Bayes) Features() int { return b.densities[0].Features() }

// Priors returns the class probabilities πₖ.
func (b *Bayes) Priors() []float64 { return clone(b.priors) }

// Density returns the density of the class at position k of Classes.
func (b *Bayes) Density(k int) Density { return b.densities[k] }

// Report has status direct: nothing was fitted.
func (b *Bayes) Report() optimize.Report {
	return directReport(0, 0)
}

// discriminants sets dst to log πₖ + log fₖ(x).
func (b *Bayes) discriminants(dst, row []float64) {
	for k, d := range b.densities {
		dst[k] = b.logPriors[k] + d.LogDensity(row)
	}
}

// Scores appends log πₖfₖ(x) for each class, or with costs minus the expected
// costs. It panics if row does not have p values.
func (b *Bayes) Scores(dst, row []float64) []float64 {
	return scores(dst, row, b, len(b.classes), b.costs)
}

// LogProba appends the logarithms of the K posterior probabilities.
func (b *Bayes) LogProba(dst, row []float64) []float64 { return logProba(dst, row, b, len(b.classes)) }

// Proba appends the K posterior probabilities P(k | x).
func (b *Bayes) Proba(dst, row []float64) []float64 { return proba(dst, row, b, len(b.classes)) }

// Predict returns the label with the largest score, the smaller of equals.
func (b *Bayes) Predict(row []float64) int { return predict(row, b, b.classes, b.costs) }

// PredictRows appends the labels of the rows of x.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], those of the storage.
func (b *Bayes) PredictRows(dst []int, x linalg.Rows) ([]int, error) {
	dst, err := sample.PredictRows(dst, x, b.Features(), b)
	return dst, wrap(err)
}

// LogDensity returns the logarithm of the marginal density Σ πₖfₖ(x) of an
// unlabelled row.
func (b *Bayes) LogDensity(row []float64) float64 {
	s, v := take(len(b.classes))
	b.discriminants(v, row)
	l := linalg.LogSumExp(v)
	scratchPool.Put(s)
	return l
}

// LogLikelihood returns the joint log-likelihood Σ wᵢ log πₖfₖ(xᵢ), k the class of
// row i, and the conditional one Σ wᵢ log P(k | xᵢ), which logistic regression
// maximises; nil weights are all ones, and rows of weight 0 count for nothing, whatever their
// labels. (Section 4.4.5.)
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.WeightError],
// *[linalg.ClassError] for a label that is not a class of b.
func (b *Bayes) LogLikelihood(x linalg.Rows, y []int, weights []float64) (joint, conditional float64, err error) {
	dense, err := linalg.ToDense(x)
	if err != nil {
		return 0, 0, wrap(err)
	}
	joint, conditional, err = b.logLikelihood(dense, y, weights)
	return joint, conditional, wrap(err)
}

func (b *Bayes) logLikelihood(x *linalg.Dense, y []int, w []float64) (joint, conditional float64, err error) {
	n, p, err := sample.Dims(x, len(y), "labels")
	if err != nil {
		return 0, 0, err
	}
	if err := sameFeatures(b.Features(), p); err != nil {
		return 0, 0, err
	}
	if _, err := sample.Weights(w, n); err != nil {
		return 0, 0, err
	}
	if err := x.CheckFinite(); err != nil {
		return 0, 0, err
	}
	v := make([]float64, len(b.classes))
	for i, label := range y {
		wi := sample.WeightAt(w, i)
		if wi == 0 {
			continue
		}
		k, ok := slices.BinarySearch(b.classes, label)
		if !ok {
			return 0, 0, &linalg.ClassError{Class: label, Rows: 1, Reason: "is not in the model"}
		}
		b.discriminants(v, x.Row(i))
		joint += wi * v[k]
		conditional += wi * (v[k] - linalg.LogSumExp(v))
	}
	return joint, conditional, nil
}

// Sample draws a class, and appends a row from its density to dst.
func (b *Bayes) Sample(dst []float64, r *rand.Rand) (row []float64, class int) {
	k := draw(b.priors, r)
	return b.densities[k].Sample(dst, r), b.classes[k]
}

// Error estimates the error rate of a classifier on n rows drawn from the
// densities, with its standard error √(e(1−e)/n): of the Bayes rule itself for a
// nil predict. The draws depend on the seed alone (PCG).
func (b *Bayes) Error(predict func(row []float64) int, n int, seed uint64) (rate, se float64) {
	if predict == nil {
		predict = b.Predict
	}
	r := rand.New(rand.NewPCG(seed, 0))
	var row []float64
	wrong := 0
	for range n {
		var class int
		row, class = b.Sample(row[:0], r)
		if predict(row) != class {
			wrong++
		}
	}
	rate = float64(wrong) / float64(n)
	return rate, math.Sqrt(rate * (1 - rate) / float64(n))
}

// ExactError returns the error rate of the Bayes rule for two Gaussian classes
// with one covariance. With Δ² = (μ₁−μ₂)ᵀΣ⁻¹(μ₁−μ₂) and t = log(π₂/π₁),
//
//	π₁Φ(−Δ/2 + t/Δ) + π₂Φ(−Δ/2 − t/Δ)
//
// ok is false for other densities or where there are costs. (McLachlan,
// Discriminant Analysis and Statistical Pattern Recognition, 1992, §3.6.)
func (b *Bayes) ExactError() (rate float64, ok bool) {
	if len(b.densities) != 2 || b.costs != nil {
		return 0, false
	}
	f, okF := b.densities[0].(*Gaussian)
	g, okG := b.densities[1].(*Gaussian)
	if !okF || !okG || !sameL(f.l, g.l) {
		return 0, false
	}
	delta := f.separation(g)
	if delta == 0 {
		return min(b.priors[0], b.priors[1]), true
	}
	t := math.Log(b.priors[1]/b.priors[0]) / delta
	return b.priors[0]*tail.Normal(delta/2-t) + b.priors[1]*tail.Normal(delta/2+t), true
}

// separation returns the Mahalanobis distance of the means of two densities with
// one covariance. The difference of the origins is taken first: means far from 0
// cost it no digits.
func (g *Gaussian) separation(other *Gaussian) float64 {
	d, z := clone(other.origin), make([]float64, len(g.origin))
	linalg.Axpy(d, -1, g.origin)
	if other.dev != nil {
		linalg.Axpy(d, 1, other.dev)
	}
	if g.dev != nil {
		linalg.Axpy(d, -1, g.dev)
	}
	linalg.MulVec(z, g.linv, d, 1)
	return linalg.Norm(z)
}

// sameL reports whether two factors are equal, element by element.
func sameL(a, b *linalg.Dense) bool {
	for i := range a.Rows {
		if !slices.Equal(a.Row(i), b.Row(i)) {
			return false
		}
	}
	return true
}
