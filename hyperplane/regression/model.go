package regression

import (
	"errors"
	"fmt"
	"math"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Model is a fitted linear function f(x) = β₀ + β·x.
type Model struct {
	plane           *hyperplane.Plane
	lambda, l1Ratio float64
	df, r2          float64
	report          optimize.Report
}

// New returns a regression f(x) = intercept + coef·x that comes from elsewhere, with status
// imported, which claims nothing. Of the options it reads Lambda and L1Ratio, which say what
// the coefficients are meant to minimise. Its degrees of freedom are the coefficients that
// are not 0, its R² is NaN. It keeps a copy.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[sample.OptionError],
// *[record.DamageError] for coefficients with which values overflow.
func New(coef []float64, intercept float64, o *Options) (*Model, error) {
	if o == nil {
		o = &Options{}
	}
	if err := errors.Join(sample.NonNegative("Lambda", o.Lambda), sample.Fraction("L1Ratio", o.L1Ratio)); err != nil {
		return nil, wrap(err)
	}
	row := &linalg.Dense{Rows: 1, Cols: len(coef), Stride: len(coef), Data: coef}
	if err := sample.CheckAffine(1, row, []float64{intercept}); err != nil {
		return nil, wrap(err)
	}
	plane, err := hyperplane.NewPlane(coef, intercept)
	if err != nil {
		return nil, wrap(err)
	}
	m := &Model{plane: plane, lambda: o.Lambda, l1Ratio: o.L1Ratio, r2: math.NaN(), report: optimize.Elsewhere()}
	for _, b := range coef {
		if b != 0 {
			m.df++
		}
	}
	return m, nil
}

// Features returns p, the length of a row.
func (m *Model) Features() int { return m.plane.Features() }

// Report says how the fit ended.
func (m *Model) Report() optimize.Report { return m.report }

// Coef returns the 1×p coefficients and the intercept.
func (m *Model) Coef() (coef *linalg.Dense, intercept []float64) { return m.plane.Coef() }

// Plane returns the fitted function, which is computed about an origin.
func (m *Model) Plane() *hyperplane.Plane { return m.plane }

// Lambda returns the weight of the penalty, 0 for least squares.
func (m *Model) Lambda() float64 { return m.lambda }

// L1Ratio returns the share of the lasso in the penalty.
func (m *Model) L1Ratio() float64 { return m.l1Ratio }

// DF returns the degrees of freedom that the fit spent, without the intercept:
// the rank for least squares, Σ d²/(d²+λ) over the singular values for the ridge
// (ESL 3.50), the number of coefficients that are not zero with a lasso part. NaN for a
// ridge that was fitted by passes over sparse rows.
func (m *Model) DF() float64 { return m.df }

// R2 returns 1 − Σw·r²/Σw(z − z̄)² on the training rows, z = y − offset (without
// intercept Σw·z²): the share of the deviance that the fit explains, 0 where y
// has none.
func (m *Model) R2() float64 { return m.r2 }

// Predict returns f(row), without the offset.
func (m *Model) Predict(row []float64) float64 { return m.plane.Value(row) }

// PredictSparse returns f of a sparse row, see [hyperplane.Plane.ValueSparse].
func (m *Model) PredictSparse(index []int32, value []float64) float64 {
	return m.plane.ValueSparse(index, value)
}

// PredictRows appends f of the rows of x.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], those of the storage.
func (m *Model) PredictRows(dst []float64, x linalg.Rows) ([]float64, error) {
	dst, err := sample.PredictRows(dst, x, m.Features(), m)
	return dst, wrap(err)
}

// modelRecord is the body of a Model's JSON.
type modelRecord struct {
	Plane   *hyperplane.Plane `json:"plane"`
	Lambda  float64           `json:"lambda"`
	L1Ratio float64           `json:"l1_ratio"`
	DF      record.Number     `json:"df"`
	R2      record.Number     `json:"r2"`
	Report  optimize.Report   `json:"report"`
}

const modelKind = "halfspace/regression"

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it back bit for bit.
func (m *Model) MarshalJSON() ([]byte, error) {
	b, err := record.MarshalFitted(modelKind, 1, m.plane != nil, func() any {
		return modelRecord{m.plane, m.lambda, m.l1Ratio, record.Number(m.df), record.Number(m.r2), m.report}
	})
	return b, wrap(err)
}

// UnmarshalJSON reads what MarshalJSON wrote. Errors: those of package record.
func (m *Model) UnmarshalJSON(data []byte) error {
	var r modelRecord
	if _, err := record.Unmarshal(data, modelKind, 1, &r); err != nil {
		return wrap(err)
	}
	if r.Plane == nil {
		return wrap(&record.DamageError{Reason: "no plane"})
	}
	if r.Lambda < 0 || r.L1Ratio < 0 || r.L1Ratio > 1 || r.DF < 0 {
		return wrap(&record.DamageError{Reason: "a penalty or degrees of freedom below 0"})
	}
	*m = Model{r.Plane, r.Lambda, r.L1Ratio, float64(r.DF), float64(r.R2), r.Report}
	return nil
}

// wrap names the package in an error.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("regression: %w", err)
}

// door calls a fit with options, those of the zero value for nil, and names the package in its error.
func door[X, O any](x X, y []float64, o *O, fit func(X, []float64, *O) (*Model, error)) (*Model, error) {
	if o == nil {
		o = new(O)
	}
	m, err := fit(x, y, o)
	return m, wrap(err)
}

// String returns how the fit ended and the coefficients.
func (m *Model) String() string {
	if m.plane == nil {
		return "linear regression, not fitted"
	}
	coef, intercept := m.Coef()
	return sample.Describe("linear regression", nil, m.Features(), m.Report(), coef, intercept)
}
