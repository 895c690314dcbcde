package hyperplane

import (
	"fmt"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// TwoClasses is a plane between two classes and how it was found: the part that
// all models of one plane share.
type TwoClasses struct {
	classes [2]int // ascending; the second is the positive one
	plane   *Plane
	report  optimize.Report
}

// NewTwoClasses returns the classifier of two ascending labels whose plane is
// positive on the side of the second.
//
// Error: *[record.DamageError] for labels that are not two, ascending, or without
// a plane.
func NewTwoClasses(classes []int, p *Plane, r optimize.Report) (TwoClasses, error) {
	switch {
	case len(classes) != 2 || classes[0] >= classes[1]:
		return TwoClasses{}, &record.DamageError{Reason: fmt.Sprintf("classes %v are not two, ascending", classes)}
	case p == nil:
		return TwoClasses{}, noPlane
	}
	return TwoClasses{[2]int(classes), p, r}, nil
}

// Classes returns the two labels, ascending; the second is the positive one.
func (m *TwoClasses) Classes() []int { return []int{m.classes[0], m.classes[1]} }

// Features returns p, the length of a row.
func (m *TwoClasses) Features() int { return m.plane.Features() }

// Plane returns the separating plane, positive on the side of the larger label.
func (m *TwoClasses) Plane() *Plane { return m.plane }

// Report says how the fit ended.
func (m *TwoClasses) Report() optimize.Report { return m.report }

// Coef returns the 1×p coefficients and the intercept of f.
func (m *TwoClasses) Coef() (coef *linalg.Dense, intercept []float64) {
	coef, _ = linalg.NewDense(1, m.plane.Features(), m.plane.Normal())
	return coef, []float64{m.plane.Intercept()}
}

// Scores appends 0 and f(row), or two NaN.
func (m *TwoClasses) Scores(dst, row []float64) []float64 {
	return appendScores(dst, m.plane.Value(row))
}

// appendScores appends the scores of two classes.
func appendScores(dst []float64, f float64) []float64 {
	if f != f {
		return append(dst, f, f)
	}
	return append(dst, 0, f)
}

// Predict returns the larger label where f(row) > 0, else the smaller.
func (m *TwoClasses) Predict(row []float64) int {
	if m.plane.Value(row) > 0 {
		return m.classes[1]
	}
	return m.classes[0]
}

// PredictRows appends the labels of the rows of x.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], those of the storage.
func (m *TwoClasses) PredictRows(dst []int, x linalg.Rows) ([]int, error) {
	dst, err := sample.PredictRows(dst, x, m.plane.Features(), m)
	return dst, wrap(err)
}

// twoClassesRecord is a TwoClasses as it stands inside the JSON of a model.
type twoClassesRecord struct {
	Classes []int           `json:"classes"`
	Plane   *Plane          `json:"plane"`
	Report  optimize.Report `json:"report"`
}

func (m *TwoClasses) record() twoClassesRecord {
	return twoClassesRecord{m.Classes(), m.plane, m.report}
}

func (r twoClassesRecord) twoClasses() (TwoClasses, error) {
	return NewTwoClasses(r.Classes, r.Plane, r.Report)
}

// String returns how the fit ended and the coefficients.
func (m *TwoClasses) String() string {
	if m.plane == nil {
		return "plane between two classes, not fitted"
	}
	coef, intercept := m.Coef()
	return sample.Describe("plane between two classes", m.Classes(), m.Features(), m.Report(), coef, intercept)
}
