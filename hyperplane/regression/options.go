package regression

import (
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/path"
)

// Options are the settings of the least squares fits. The zero value and nil are the
// defaults. A fit refuses options that it does not use: of a penalty where λ is 0, of
// iterations where there are none, MinNorm where a penalty leaves one solution.
type Options struct {
	Lambda      float64   // λ ≥ 0 of [FitRidge], [FitLasso], [FitElasticNet]
	L1Ratio     float64   // α of [FitElasticNet]: 0 is the ridge, 1 the lasso
	Standardize bool      // let the penalty act on the coefficients of columns of sd 1 (divisor Σw)
	NoIntercept bool      // f(0) = 0
	MinNorm     bool      // for collinear columns: the solution of least norm instead of an error
	Weights     []float64 // frequency weights: 2 is the row twice, 0 the row deleted
	Offset      []float64 // known part of y, subtracted before the fit

	Count int // values of λ on a path's own grid, at most 1,048,576; 0 is 100

	Tol     float64 // of the certificate; 0 is the fit's default. A closed form of an elastic net has its own, 1e-10
	MaxIter int     // cap on iterations; 0 is the fit's default. A ridge in closed form refuses it
	Workers int     // goroutines; 0 is GOMAXPROCS

	// Trace is called once an iteration of [FitLasso] and [FitElasticNet], once a λ of a
	// path, and once by a closed form: X is the intercept and the coefficients. Its error
	// ends the fit.
	Trace func(optimize.Step) error
}

// leastSquares refuses what least squares without a penalty does not use, and the options
// named besides.
func (o *Options) leastSquares(names ...string) error {
	if err := sample.Unused(o, "without a penalty", "Lambda", "L1Ratio", "Standardize", "Count"); err != nil {
		return err
	}
	return o.closed(names...)
}

// closed refuses what a closed form does not use, and the options named besides.
func (o *Options) closed(names ...string) error {
	return sample.Unused(o, "as this fit does not use it", append(names, "Tol", "MaxIter")...)
}

// single refuses what a fit at one λ does not use: at 0 its penalty, which is named.
func (o *Options) single(penalty ...string) error {
	if err := sample.Unused(o, "but for a path", "Count"); err != nil {
		return err
	}
	if o.Lambda == 0 {
		return sample.Unused(o, "as Lambda is 0", penalty...)
	}
	return sample.Unused(o, "as a penalty leaves one solution", "MinNorm")
}

// family refuses what a path at the given λ does not use.
func (o *Options) family(lambdas []float64) error {
	if err := sample.Unused(o, "as a path has many", "Lambda"); err != nil {
		return err
	}
	if lambdas != nil {
		if err := sample.Unused(o, "as the values of λ are given", "Count"); err != nil {
			return err
		}
	}
	if slices.Contains(lambdas, 0) {
		return nil
	}
	return sample.Unused(o, "as a penalty leaves one solution", "MinNorm")
}

// check refuses settings that are no default of any fit.
func (o *Options) check() error {
	if _, err := sample.Count("Workers", o.Workers, 0); err != nil {
		return err
	}
	if _, err := sample.Count("MaxIter", o.MaxIter, 0); err != nil {
		return err
	}
	if err := path.CheckCount(o.Count); err != nil {
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
