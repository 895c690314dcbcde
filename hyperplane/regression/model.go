package regression

import (
	"fmt"

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

// Features returns p, the length of a row.
func (m *Model) Features() int { return m.plane.Features() }

// Report says how the fit ended.
func (m *Model) Report() optimize.Report { return m.report }

// Coef returns the 1×p coefficients and the intercept.
func (m *Model) Coef() (coef *linalg.Dense, intercept []float64) {
	coef, _ = linalg.NewDense(1, m.plane.Features(), m.plane.Normal())
	return coef, []float64{m.plane.Intercept()}
}

// Plane returns the fitted function, which is computed about an origin.
func (m *Model) Plane() *hyperplane.Plane { return m.plane }

// Lambda returns the weight of the penalty, 0 for least squares.
func (m *Model) Lambda() float64 { return m.lambda }

// L1Ratio returns the share of the lasso in the penalty.
func (m *Model) L1Ratio() float64 { return m.l1Ratio }

// DF returns the degrees of freedom that the fit spent, without the intercept:
// the rank for least squares, Σ d²/(d²+λ) over the singular values for the ridge
// (ESL 3.50), the number of coefficients that are not zero with a lasso part.
func (m *Model) DF() float64 { return m.df }

// R2 returns 1 − Σw·r²/Σw(z − z̄)² on the training rows, z = y − offset (without
// intercept Σw·z²): the share of the deviance that the fit explains, 0 where y
// has none.
func (m *Model) R2() float64 { return m.r2 }

// Predict returns f(row), without the offset.
func (m *Model) Predict(row []float64) float64 { return m.plane.Value(row) }

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
	DF      float64           `json:"df"`
	R2      record.Number     `json:"r2"`
	Report  optimize.Report   `json:"report"`
}

const modelKind = "halfspace/regression"

// MarshalJSON writes the model bit for bit, with a checksum.
func (m *Model) MarshalJSON() ([]byte, error) {
	b, err := record.MarshalFitted(modelKind, 1, m.plane != nil, func() any { return modelRecord{m.plane, m.lambda, m.l1Ratio, m.df, record.Number(m.r2), m.report} })
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
	*m = Model{r.Plane, r.Lambda, r.L1Ratio, r.DF, float64(r.R2), r.Report}
	return nil
}

// wrap names the package in an error.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("regression: %w", err)
}

// String returns how the fit ended and the coefficients.
func (m *Model) String() string {
	if m.plane == nil {
		return "linear regression, not fitted"
	}
	coef, intercept := m.Coef()
	return sample.Describe("linear regression", nil, m.Features(), m.Report(), coef, intercept)
}
