package logistic

import (
	"fmt"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Method is the function that a fit minimises: inference depends on it.
type Method uint8

const (
	MaximumLikelihood Method = iota // −log-likelihood
	Ridge                           // with a ridge penalty
	ElasticNet                      // with a penalty that has a lasso part
	Firth                           // with Firth's correction
	Elsewhere                       // unknown: the coefficients come from elsewhere, see [New]
)

// methodNames are the methods in files.
var methodNames = []string{"likelihood", "ridge", "sparse", "firth", "elsewhere"}

// String returns the name that the method has in files.
func (m Method) String() string {
	if int(m) < len(methodNames) {
		return methodNames[m]
	}
	return fmt.Sprintf("Method(%d)", uint8(m))
}

// Options are the settings of a fit. The zero value and nil are the defaults. A fit
// does not write to them.
type Options struct {
	// Lambda is the weight λ ≥ 0 of the penalty; 0 is maximum likelihood. The ridge of a
	// feature, λ(1−α) times its factor, is at most 2⁴⁵⁰.
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

	// Weights are frequency weights, one a row: 2 is the row twice, 0 the row deleted.
	// They may be fractions, as weights that balance classes are: a row then counts as that
	// part of one, in standard errors too. nil is 1 for all.
	Weights []float64

	// ClassWeights multiply the weights of the rows of each class, in the order of the
	// classes; nil is 1 for all.
	ClassWeights []float64

	// Offset is added to f: one value a row for two classes, K values a row, row
	// after row, for more. They are at most 2⁴⁵⁰ in size. nil is 0.
	Offset []float64

	// Classes fixes the list of labels, ascending, so that folds of one data set agree; nil
	// is the labels found.
	Classes []int

	// Reference points to the label whose coefficients are 0 in an unpenalised
	// fit of three classes or more; nil is the last class.
	Reference *int

	// Firth subtracts half the log-determinant of the information (Jeffreys'
	// prior) from the negative log-likelihood of two classes: estimates are finite
	// whether or not the classes are separated, less biased, and keep their
	// inference. It excludes Lambda. An iteration costs O(np²).
	Firth bool

	// Start is the point where the iteration starts, on the scale of the data: the
	// intercept at 0 (unless NoIntercept) and then the p coefficients for two classes; for
	// K ≥ 3 classes K such blocks in the order of the classes. nil is zero coefficients,
	// or a fit to part of the rows where there are many.
	Start []float64

	// Tol is the tolerance of the certificate, the proven excess of the objective relative
	// to the objective; 0 is 1e-14, and without a penalty at most 5e-13/F, with which the
	// estimates are within a millionth of a standard error, or 1e-21 where F is above 5e8. A ridge on so many features or
	// classes that no Hessian is made has 1e-12: a coefficient is then some √(2e-12·F) of the
	// √(H⁻¹)ⱼⱼ off that the Hessian gives it, at most. With a lasso part 0 is 1e-8:
	// its bound is proportional to derivatives, and far above the excess of most fits, whose
	// derivatives are at most 1e-8 beside it. With Firth's correction it is that of derivatives,
	// and 0 is 1e-10. A [FitPath] has a default of its own, see [PathOptions].
	Tol float64

	// MaxIter bounds the iterations of a fit; 0 bounds each of its methods by itself: 100
	// for Newton's, 200 for proximal Newton steps and for conjugate gradients, 1000 for
	// L-BFGS; and together by [optimize.WorkOn], some two seconds of a processor for 1,000
	// numbers, which fits of many classes with next to no penalty can reach.
	MaxIter int

	Workers int // goroutines; 0 is GOMAXPROCS

	// Trace is called at the start and after each iteration, and with a small penalty on the way to the start, as iteration 0;
	// Step.X is laid out as Start. Its error stops the fit.
	Trace func(optimize.Step) error
}

// The defaults of Tol with a lasso part, and with Firth's correction.
const (
	defaultTol      = 1e-8
	defaultTolExact = 1e-10
)

// check validates what does not depend on the data's values, but on the number p of features.
func (o *Options) check(p int) error {
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
	return o.checkPenalty("Lambda", o.Lambda)
}

// largest bounds ridges, as [sample.Range] bounds cells and [sample.Offsets] offsets: below it neither
// scores nor coefficients leave the range of a float64.
const largest = 0x1p450

// checkPenalty refuses a λ with whose ridge coefficients could not be told from 0.
func (o *Options) checkPenalty(name string, lambda float64) error {
	factor := 1.0
	if o.PenaltyFactor != nil {
		factor = slices.Max(o.PenaltyFactor)
	}
	if !(lambda*factor*(1-o.L1Ratio) <= largest) {
		return &sample.OptionError{Name: name, Value: lambda, Want: fmt.Sprintf("at most %.2g divided by (1 − L1Ratio)·PenaltyFactor", largest)}
	}
	return nil
}

// tol returns the tolerance of a fit with a lasso part or Firth's correction.
func (o *Options) tol() float64 {
	switch {
	case o.Tol != 0:
		return o.Tol
	case o.penalized():
		return defaultTol
	}
	return defaultTolExact
}

// checkVectors wants k offsets for each of n rows, and dim start values for each of k
// functions, or none.
func (o *Options) checkVectors(n, k, dim int) error {
	if d := k * dim; o.Start != nil && len(o.Start) != d {
		return &linalg.ShapeError{Want: d, WantOf: "parameters", Got: len(o.Start), GotOf: "start values"}
	}
	if err := sample.Offsets(o.Offset, n, k); err != nil {
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
	case !o.penalized():
		return MaximumLikelihood
	case o.L1Ratio == 0:
		return Ridge
	}
	return ElasticNet
}

// penalized reports whether some coefficient is penalised.
func (o *Options) penalized() bool {
	return o.Lambda > 0 && (o.PenaltyFactor == nil || slices.ContainsFunc(o.PenaltyFactor, func(f float64) bool { return f > 0 }))
}

// factor returns the penalty factor of feature j.
func (o *Options) factor(j int) float64 {
	if o.PenaltyFactor == nil {
		return 1
	}
	return o.PenaltyFactor[j]
}

// wrap names the package in an error.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("logistic: %w", err)
}
