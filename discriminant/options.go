package discriminant

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Divisor names the number that a covariance divides its scatter by.
type Divisor uint8

const (
	Unbiased Divisor = iota // N−K for the pooled one, Nₖ−1 for one class
	MLE                     // N and Nₖ, maximum likelihood
)

// Options are the settings of the fits. The zero value and nil are the defaults. A fit
// uses the fields that its documentation names, Workers and Trace, and refuses the
// others.
type Options struct {
	// Classes fixes the list of classes, ascending, so that the folds of one data set agree
	// on it; nil is the distinct labels.
	Classes []int
	// Weights count as repeated rows; nil is all ones.
	Weights []float64
	// ClassWeights multiply the weights of the rows of each class, in the order of the
	// classes: in means, covariances and the shares Nₖ/N. nil is 1 for all.
	ClassWeights []float64
	// Priors are the class probabilities πₖ, in ascending order of the classes,
	// positive and summing to 1; nil is the shares Nₖ/N.
	Priors []float64
	// Uniform makes the priors 1/K each; Priors beside it are refused.
	Uniform bool
	// Costs is K×K: element (k, g) is the cost of deciding g where the truth is k.
	// Decisions then minimise the expected cost (ESL §2.4); nil counts errors.
	Costs *linalg.Dense
	// Divisor is the number that covariances divide by.
	Divisor Divisor
	// Ridge is added to the diagonal of every covariance, in the units of x².
	Ridge float64
	// Alpha is the share of a class's own covariance in [FitRDA] (4.13): 0 is LDA,
	// 1 is QDA.
	Alpha float64
	// Shrinkage is 1−γ of (4.14): the pooled covariance Σ becomes
	// (1−s)Σ + s·(tr Σ/p)·I. 0 leaves it alone, 1 makes it spherical.
	Shrinkage float64
	// Rank is the number of discriminant coordinates that [FitReducedRank]
	// classifies in; 0 is all of them, min(p, K−1).
	Rank int
	// Softmax makes [FitIndicator] turn its fitted values into probabilities by
	// the softmax; otherwise they are clipped to [0, 1] and normalised.
	Softmax bool
	// Workers is the number of goroutines; 0 is GOMAXPROCS. It does not change the
	// bits of the result.
	Workers int
	// Trace is called once by each fit, when it is made: Step has its Objective and
	// Certificate, X is nil. Its error comes back with the model; that of
	// [CrossValidateRDA], which calls it for each fold and α, ends the rest.
	Trace func(optimize.Step) error
}

// check validates the options that need no data.
func (o *Options) check() error {
	if err := sample.NonNegative("Ridge", o.Ridge); err != nil {
		return err
	}
	if err := sample.Fraction("Alpha", o.Alpha); err != nil {
		return err
	}
	if err := sample.Fraction("Shrinkage", o.Shrinkage); err != nil {
		return err
	}
	if _, err := sample.Count("Rank", o.Rank, 0); err != nil {
		return err
	}
	if o.Uniform && o.Priors != nil {
		return &sample.OptionError{Name: "Uniform", Value: 1, Want: "false with Priors"}
	}
	if o.Divisor > MLE {
		return &sample.OptionError{Name: "Divisor", Value: float64(o.Divisor), Want: "Unbiased or MLE"}
	}
	_, err := sample.Count("Workers", o.Workers, 0)
	return err
}

// unused refuses options that a fit does not use.
func (o *Options) unused(names ...string) error {
	return sample.Unused(o, "as this fit does not use it", names...)
}

// ended returns the error of a fit with that report, unless an audit is to tell of it, or of the trace, to which it
// shows the report.
func (pr *problem) ended(r optimize.Report) error {
	if err := r.Err(nil); err != nil && !pr.audited {
		return err
	}
	return r.Show(pr.o.Trace, 0, nil)
}

// ClassRankError reports a class whose covariance is singular.
type ClassRankError struct {
	Class int
	Rows  int // rows of positive weight
	Err   *linalg.RankError
}

func (e *ClassRankError) Error() string {
	return fmt.Sprintf("covariance of class %d (%d rows): %v", e.Class, e.Rows, e.Err)
}

// Unwrap returns the rank and the columns.
func (e *ClassRankError) Unwrap() error { return e.Err }

// resolvePriors returns the priors that the options ask for, given the weights
// of the classes.
func (o *Options) resolvePriors(count []float64) ([]float64, error) {
	k := len(count)
	priors := make([]float64, k)
	switch {
	case o.Priors != nil:
		return checkPriors(o.Priors, k)
	case o.Uniform:
		for i := range priors {
			priors[i] = 1 / float64(k)
		}
	default:
		total := sum(count)
		for i, c := range count {
			priors[i] = c / total
		}
	}
	return priors, nil
}

// checkPriors returns a copy of the priors of k classes, scaled to sum to 1 to rounding.
func checkPriors(priors []float64, k int) ([]float64, error) {
	return checkShares("Priors", priors, k, "classes", "priors")
}

// checkShares returns a copy of the named shares, words for which errors have, of k parts of some kind, scaled to
// sum to 1 to rounding.
func checkShares(name string, shares []float64, k int, parts, words string) ([]float64, error) {
	if len(shares) != k {
		return nil, &linalg.ShapeError{Want: k, WantOf: parts, Got: len(shares), GotOf: words}
	}
	for i, v := range shares {
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, &sample.OptionError{Name: fmt.Sprintf("%s[%d]", name, i), Value: v, Want: "positive"}
		}
	}
	total := sum(shares)
	if math.Abs(total-1) > 1e-6 {
		return nil, &sample.OptionError{Name: "the sum of " + name, Value: total, Want: "1"}
	}
	shares = clone(shares)
	linalg.Scale(shares, 1/total)
	return shares, nil
}

// checkCosts returns a copy of the costs.
func checkCosts(costs *linalg.Dense, k int) (*linalg.Dense, error) {
	if costs == nil {
		return nil, nil
	}
	if err := costs.Check(); err != nil {
		return nil, err
	}
	if costs.Rows != k || costs.Cols != k {
		return nil, fmt.Errorf("costs are %d × %d, want %d × %d, one row and column a class", costs.Rows, costs.Cols, k, k)
	}
	for i := range k {
		if err := linalg.CheckFinite("costs", costs.Row(i)); err != nil {
			return nil, err
		}
	}
	return costs.Clone(), nil
}

// clone returns a copy.
//
//go:noinline // a program would have some forty copies
func clone[T int | float64](v []T) []T { return slices.Clone(v) }

func sum[T int | float64](v []T) T {
	var s T
	for _, x := range v {
		s += x
	}
	return s
}
