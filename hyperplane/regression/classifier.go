package regression

import (
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// LeastSquaresOptions are the settings of [FitLeastSquares]. The zero value and nil are
// the defaults.
type LeastSquaresOptions struct {
	Weights     []float64 // frequency weights
	Classes     []int     // the two labels, ascending; nil is those of y
	NoIntercept bool      // a plane through the origin
	MinNorm     bool      // for collinear columns: the solution of least norm instead of an error
	Workers     int       // goroutines; 0 is GOMAXPROCS

	// ClassWeights multiply the weights of the rows of each class; nil is 1 for both.
	ClassWeights []float64

	// Trace is called once, with the fit: X is the intercept and the coefficients.
	Trace func(optimize.Step) error
}

// LeastSquares is the naive classifier of two classes: a regression on ±1.
type LeastSquares struct{ hyperplane.TwoClasses }

// FitLeastSquares regresses y = ±1 on x by [FitOLS] and classifies by the sign of
// f: squared error in the place of a loss made for labels. Rows far on their right
// side cost as much as rows on the wrong one, and turn the plane (ESL §10.6, and
// §4.2 for more classes). The direction is that of linear discriminant analysis,
// β ∝ Σ̂⁻¹(μ̂₊−μ̂₋); the intercept is that of LDA only for classes of one size (ESL
// exercise 4.2).
//
// Report and errors are those of FitOLS; *[linalg.ClassError] besides.
func FitLeastSquares(x linalg.Rows, y []int, o *LeastSquaresOptions) (*LeastSquares, error) {
	if o == nil {
		o = &LeastSquaresOptions{}
	}
	pair, sign, err := sample.Signs(x, y, o.Classes, o.Weights)
	if err != nil {
		return nil, wrap(err)
	}
	w, err := sample.WeighClasses(y, o.Classes, o.Weights, o.ClassWeights)
	if err != nil {
		return nil, wrap(err)
	}
	m, err := fitOLS(x, sign, &Options{Weights: w, NoIntercept: o.NoIntercept, MinNorm: o.MinNorm, Workers: o.Workers, Trace: o.Trace})
	if m == nil {
		return nil, wrap(err)
	}
	two, bad := hyperplane.NewTwoClasses(pair[:], m.plane, m.report)
	if bad != nil {
		return nil, wrap(bad)
	}
	return &LeastSquares{two}, wrap(err)
}

// leastSquaresRecord is the body of a LeastSquares' JSON.
type leastSquaresRecord struct {
	Classes []int             `json:"classes"`
	Plane   *hyperplane.Plane `json:"plane"`
	Report  optimize.Report   `json:"report"`
}

const leastSquaresKind = "halfspace/leastsquares"

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it back bit for bit.
func (m *LeastSquares) MarshalJSON() ([]byte, error) {
	b, err := record.MarshalFitted(leastSquaresKind, 1, m.Plane() != nil, func() any { return leastSquaresRecord{m.Classes(), m.Plane(), m.Report()} })
	return b, wrap(err)
}

// UnmarshalJSON reads what MarshalJSON wrote. Errors: those of package record.
func (m *LeastSquares) UnmarshalJSON(data []byte) error {
	var r leastSquaresRecord
	if _, err := record.Unmarshal(data, leastSquaresKind, 1, &r); err != nil {
		return wrap(err)
	}
	two, err := hyperplane.NewTwoClasses(r.Classes, r.Plane, r.Report)
	if err != nil {
		return wrap(err)
	}
	m.TwoClasses = two
	return nil
}
