package feature

import (
	"fmt"

	"halfspace/linalg"
)

// Step makes a transform of training rows: [Impute], [Standardize], [Quantile],
// [Expand], or a user's own.
type Step interface {
	// Fit reads the sample and keeps none of its slices.
	Fit(s *Sample) (Transform, error)
}

// StepFunc is a function that is a step.
type StepFunc func(s *Sample) (Transform, error)

// Fit calls f.
func (f StepFunc) Fit(s *Sample) (Transform, error) { return f(s) }

// Sample is the training rows that a step is fitted to.
type Sample struct {
	X       *linalg.Dense
	Weights []float64 // of the rows; nil is ones
	Labels  []int     // class codes; nil for a regression
	Y       []float64 // responses of a regression
	// Levels has an element for each column of the table that X came from: the number of
	// its levels, which has one feature less, or 0 for a column of numbers, which is a
	// feature. Nil is numbers alone. Steps behind the first that does more than fill gaps
	// see nil.
	Levels []int
}

// FitSteps fits each step to what the steps before it made of the sample. It returns
// them as a chain, nil without a step, and the image of the rows.
//
// Errors: those of the steps, with their position; *[linalg.ShapeError] for no rows, a step
// that is nil or returns nothing, or a transform of other features than it was fitted to.
func FitSteps(s *Sample, steps ...Step) (Chain, *linalg.Dense, error) {
	if s == nil {
		s = new(Sample)
	}
	if err := s.X.Check(); err != nil {
		return nil, nil, wrap(err)
	}
	now := *s
	var chain Chain
	for i, step := range steps {
		var t Transform
		var err error
		if step != nil {
			t, err = step.Fit(&now)
		}
		if err == nil && t == nil {
			err = wrap(&linalg.ShapeError{Want: 1, WantOf: "transform", Got: 0, GotOf: "made by the step"})
		}
		if err == nil {
			now.X, err = ApplyRows(t, now.X)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		if _, fills := t.(*Imputer); !fills || t.Outputs() != t.Features() {
			now.Levels = nil
		}
		chain = chain.then(t)
	}
	return chain, now.X, nil
}

// Standardize is the step that fits a [Standardizer].
type Standardize struct {
	KeepOrigin bool // divide by the standard deviations alone, with means of 0: planes through 0 stay such
}

// Fit calls [FitStandardizer].
func (d Standardize) Fit(s *Sample) (Transform, error) {
	t, err := FitStandardizer(s.X, s.Weights)
	if err == nil && d.KeepOrigin {
		clear(t.mean)
	}
	return made(t, err)
}

// Quantile is the step that fits [Quantiles].
type Quantile struct{ Count int } // of quantiles; 0 is 100

// Fit calls [FitQuantiles].
func (q Quantile) Fit(s *Sample) (Transform, error) {
	return made(FitQuantiles(s.X, s.Weights, q.Count))
}

// Expand is the step that makes a [Polynomial].
type Expand struct {
	Degree           int // 0 is 2
	InteractionsOnly bool
}

// Fit calls [NewPolynomial].
func (e Expand) Fit(s *Sample) (Transform, error) {
	if err := s.X.Check(); err != nil {
		return nil, wrap(err)
	}
	degree := e.Degree
	if degree == 0 {
		degree = 2
	}
	return made(NewPolynomial(s.X.Cols, degree, e.InteractionsOnly))
}
