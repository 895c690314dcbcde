package logistic

import (
	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// New returns the model f(x) = intercept + coef·x with coefficients that come from
// elsewhere: for two classes one row of coef (1×p), of the log-odds of the second, for K ≥ 3
// one row a class (K×p). Classes are ascending. Its report has status imported, which claims
// nothing. It keeps copies.
//
// Of equal scores the smaller label is predicted, and of two classes the first where f is 0. A
// tool with another order is matched by numbering its classes in that order.
//
// Errors: *[linalg.ClassError] for fewer than two classes or an order that is not ascending,
// *[linalg.ShapeError], *[linalg.NonFiniteError], *[record.DamageError] for coefficients with
// which scores overflow.
func New(classes []int, coef *linalg.Dense, intercept []float64) (*Model, error) {
	if err := sample.CheckClasses(classes); err != nil {
		return nil, wrap(err)
	}
	if err := sample.CheckAffine(sample.Functions(len(classes)), coef, intercept); err != nil {
		return nil, wrap(err)
	}
	return newModel(classes, coef.Clone(), linalg.Clone(intercept), nil, Elsewhere, optimize.Elsewhere()), nil
}

// NewOneVsRest is [New] for functions each of which was fitted to tell its class from all
// others, as LIBLINEAR and scikit-learn's SGDClassifier do: P(y = k | x) = σ(fₖ)/Σₗ σ(fₗ).
// For two classes it is New.
func NewOneVsRest(classes []int, coef *linalg.Dense, intercept []float64) (*Model, error) {
	m, err := New(classes, coef, intercept)
	if m != nil {
		m.rest = len(classes) > 2
	}
	return m, err
}

// OneVsRest reports whether each of K ≥ 3 functions tells its class from all others, see
// [NewOneVsRest]; else the probabilities are the softmax of the scores.
func (m *Model) OneVsRest() bool { return m.rest }
