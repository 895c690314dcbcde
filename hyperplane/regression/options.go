package regression

import (
	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Options are the choices of the least squares fits. The zero value and
// nil are the defaults. A fit refuses a penalty that is not its own.
type Options struct {
	Lambda      float64   // λ ≥ 0 of [FitRidge], [FitLasso], [FitElasticNet]
	L1Ratio     float64   // α of [FitElasticNet]: 0 is the ridge, 1 the lasso
	Standardize bool      // let the penalty act on the coefficients of columns of sd 1 (divisor Σw)
	NoIntercept bool      // f(0) = 0
	MinNorm     bool      // for collinear columns: the solution of least norm instead of an error
	Weights     []float64 // frequency weights: 2 is the row twice, 0 the row deleted
	Offset      []float64 // known part of y, subtracted before the fit

	Count int // values of λ on a path's own grid; 0 is 100

	Tol     float64 // of the certificate; 0 is the fit's default
	MaxIter int     // cap on iterations; 0 is the fit's default
	Workers int     // goroutines; 0 is GOMAXPROCS

	// Trace is called once an iteration of [FitLasso] and [FitElasticNet], and once a λ of a
	// path and of [FitRidge]: X is the intercept and the coefficients. Its error ends the
	// fit.
	Trace func(optimize.Step) error
}

// unpenalized returns an error if o has a penalty.
func (o *Options) unpenalized() error {
	switch {
	case o.Lambda != 0:
		return &sample.OptionError{Name: "Lambda", Value: o.Lambda, Want: "0 without penalty"}
	case o.Standardize:
		return &sample.OptionError{Name: "Standardize", Value: 1, Want: "false without penalty"}
	}
	return o.noL1()
}

// check refuses settings that are no default of any fit.
func (o *Options) check() error {
	if _, err := sample.Count("Workers", o.Workers, 0); err != nil {
		return err
	}
	if _, err := sample.Count("MaxIter", o.MaxIter, 0); err != nil {
		return err
	}
	if _, err := sample.Count("Count", o.Count, 0); err != nil {
		return err
	}
	_, err := sample.Positive("Tol", o.Tol, 0)
	return err
}

// checkGrid refuses a list of λ that is empty, or has one below 0. nil asks for a grid.
func checkGrid(lambdas []float64) error {
	if lambdas != nil && len(lambdas) == 0 {
		return &linalg.ShapeError{Want: 1, WantOf: "λ or more needed", Got: 0, GotOf: "given"}
	}
	for _, l := range lambdas {
		if err := sample.NonNegative("Lambda", l); err != nil {
			return err
		}
	}
	return nil
}

// noL1 returns an error if o has a lasso part.
func (o *Options) noL1() error {
	if o.L1Ratio != 0 {
		return &sample.OptionError{Name: "L1Ratio", Value: o.L1Ratio, Want: "0 without lasso penalty"}
	}
	return nil
}

// lasso returns a copy of o with L1Ratio 1.
func (o *Options) lasso() (*Options, error) {
	if o == nil {
		o = &Options{}
	}
	if o.L1Ratio != 0 && o.L1Ratio != 1 {
		return nil, &sample.OptionError{Name: "L1Ratio", Value: o.L1Ratio, Want: "1, or 0 for the default of 1, for the lasso"}
	}
	own := *o
	own.L1Ratio = 1
	return &own, nil
}
