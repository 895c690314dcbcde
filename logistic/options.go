package logistic

import (
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Options are the settings of a fit. The zero value, and a nil pointer, are the
// defaults. A fit does not write to them.
type Options struct {
	// Lambda is the weight λ ≥ 0 of the penalty; 0 is maximum likelihood.
	Lambda float64

	// L1Ratio is the share α of the lasso in the penalty, between 0 (ridge) and 1
	// (lasso).
	L1Ratio float64

	// PenaltyFactor multiplies λ for each feature; nil is 1 for all. 0 leaves a
	// feature unpenalised. The factors are used as they are, not rescaled.
	PenaltyFactor []float64

	// Grouped makes the lasso of three classes and more one of whole features,
	// λ·Σⱼ φⱼ‖β·ⱼ‖₂ over the K coefficients of each: L1Ratio must be 1.
	Grouped bool

	// Standardize lets the penalty act on the coefficients of the features
	// divided by their standard deviation (divisor Σw), or as they are where that is
	// 0. The coefficients of the model are on the scale of the data all the same.
	Standardize bool

	// NoIntercept leaves the intercept out: f(0) = 0.
	NoIntercept bool

	// Weights are frequency weights, one a row: 2 is the row twice, 0 the row
	// deleted. nil is 1 for all.
	Weights []float64

	// Offset is added to f: one value a row for two classes, K values a row, row
	// after row, for more. nil is 0.
	Offset []float64

	// Classes fixes the list of labels, so that folds of one data set agree; nil
	// is the labels found.
	Classes []int

	// Reference points to the label whose coefficients are 0 in an unpenalised
	// fit of three classes or more; nil is the last class.
	Reference *int

	// Firth subtracts half the log-determinant of the information (Jeffreys'
	// prior) from the negative log-likelihood of two classes: estimates are finite
	// whether or not the classes are separated, less biased, and keep their
	// inference. It excludes Lambda, and more than 300 features: an iteration costs
	// O(np³).
	Firth bool

	// Start is where the iteration starts: for two classes the intercept (unless
	// NoIntercept) and the coefficients, for more that for each class in turn.
	// nil is zero coefficients, or a fit to part of the rows where there are
	// many.
	Start []float64

	Tol     float64 // tolerance of the certificate; 0 is 1e-8, without a penalty 1e-10
	MaxIter int     // iteration cap; 0 is 100 (Newton), 200 (with conjugate gradients) or 1000 (other methods)
	Workers int     // goroutines; 0 is GOMAXPROCS

	// Trace is called at the start and after each iteration; Step.X holds the
	// coefficients laid out as Start. Its error stops the fit.
	Trace func(optimize.Step) error
}

// The defaults of Tol: estimates whose standard errors are published are worth
// the last step.
const (
	defaultTol      = 1e-8
	defaultTolExact = 1e-10
)

// check validates what does not depend on the data's values. n rows, p features.
func (o *Options) check(n, p int) error {
	if err := sample.NonNegative("Lambda", o.Lambda); err != nil {
		return err
	}
	if err := sample.Fraction("L1Ratio", o.L1Ratio); err != nil {
		return err
	}
	if _, err := sample.Positive("Tol", o.Tol, defaultTol); err != nil {
		return err
	}
	if _, err := sample.Count("MaxIter", o.MaxIter, 1); err != nil {
		return err
	}
	if _, err := sample.Count("Workers", o.Workers, 1); err != nil {
		return err
	}
	if o.Grouped && o.L1Ratio != 1 {
		return &sample.OptionError{Name: "L1Ratio", Value: o.L1Ratio, Want: "1 for a grouped lasso"}
	}
	if o.Firth && o.Lambda != 0 {
		return &sample.OptionError{Name: "Lambda", Value: o.Lambda, Want: "0 with Firth's correction"}
	}
	if o.PenaltyFactor != nil && len(o.PenaltyFactor) != p {
		return &linalg.ShapeError{Want: p, WantOf: "columns", Got: len(o.PenaltyFactor), GotOf: "penalty factors"}
	}
	for _, f := range o.PenaltyFactor {
		if err := sample.NonNegative("PenaltyFactor", f); err != nil {
			return err
		}
	}
	return nil
}

// tol returns the tolerance of the certificate.
func (o *Options) tol() float64 {
	switch {
	case o.Tol != 0:
		return o.Tol
	case o.penalised():
		return defaultTol
	}
	return defaultTolExact
}

// checkVectors wants k offsets for each of n rows and d start values, or none.
func (o *Options) checkVectors(n, k, d int) error {
	if o.Offset != nil && len(o.Offset) != n*k {
		return &linalg.ShapeError{Want: n * k, WantOf: "offsets", Got: len(o.Offset), GotOf: "given"}
	}
	if o.Start != nil && len(o.Start) != d {
		return &linalg.ShapeError{Want: d, WantOf: "parameters", Got: len(o.Start), GotOf: "start values"}
	}
	if err := linalg.CheckFinite("offset", o.Offset); err != nil {
		return err
	}
	return linalg.CheckFinite("start", o.Start)
}

// reference returns the index of the reference class.
func (o *Options) reference(classes []int) (int, error) {
	if o.Reference == nil {
		return len(classes) - 1, nil
	}
	k, ok := slices.BinarySearch(classes, *o.Reference)
	if !ok {
		return 0, &linalg.ClassError{Class: *o.Reference, Reason: "is the reference, but not in the list of classes"}
	}
	return k, nil
}

// method says what the options make of a fit.
func (o *Options) method() Method {
	switch {
	case o.Firth:
		return Firth
	case !o.penalised():
		return MaximumLikelihood
	case o.L1Ratio == 0:
		return Ridge
	}
	return ElasticNet
}

// penalised reports whether some coefficient is penalised.
func (o *Options) penalised() bool {
	return o.Lambda > 0 && (o.PenaltyFactor == nil || slices.ContainsFunc(o.PenaltyFactor, func(f float64) bool { return f > 0 }))
}

// factor returns the penalty factor of feature j.
func (o *Options) factor(j int) float64 {
	if o.PenaltyFactor == nil {
		return 1
	}
	return o.PenaltyFactor[j]
}
