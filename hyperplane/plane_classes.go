package hyperplane

import (
	"fmt"
	"math"
	"slices"

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

// Scores appends −f(row)/2 and f(row)/2.
func (m *TwoClasses) Scores(dst, row []float64) []float64 {
	f := m.plane.Value(row)
	return append(dst, -f/2, f/2)
}

// Predict returns the larger label where f(row) > 0, else the smaller.
func (m *TwoClasses) Predict(row []float64) int {
	if m.plane.Value(row) > 0 {
		return m.classes[1]
	}
	return m.classes[0]
}

// PredictRows appends the labels of the rows of x. Error: *[linalg.ShapeError].
func (m *TwoClasses) PredictRows(dst []int, x *linalg.Dense) ([]int, error) {
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

// signs returns ±1 for each label, +1 for the larger of the two classes. Unlike
// a fit, it lets a listed class have no rows.
func (p *Plane) signs(x *linalg.Dense, y, classes []int) ([]float64, error) {
	if _, _, err := sample.Dims(x, len(y), "labels"); err != nil {
		return nil, err
	}
	if x.Cols != len(p.beta) {
		return nil, &linalg.ShapeError{Want: len(p.beta), WantOf: "features", Got: x.Cols, GotOf: "columns"}
	}
	if err := x.CheckFinite(); err != nil {
		return nil, err
	}
	if classes == nil {
		classes = slices.Clone(y)
	}
	classes = slices.Compact(slices.Sorted(slices.Values(classes)))
	switch {
	case len(classes) == 0:
		return nil, &linalg.ClassError{Reason: "is missing: the list of classes is empty"}
	case len(classes) == 1:
		return nil, &linalg.ClassError{Class: classes[0], Rows: len(y), Reason: "is the only class"}
	case len(classes) > 2:
		return nil, sample.TooManyClasses(classes, y)
	}
	sign := make([]float64, len(y))
	for i, v := range y {
		switch v {
		case classes[0]:
			sign[i] = -1
		case classes[1]:
			sign[i] = 1
		default:
			return nil, &linalg.ClassError{Class: v, Rows: 1, Reason: "is not in the list of classes"}
		}
	}
	return sign, nil
}

// SupportPlane returns the plane that multipliers α of the rows of x with labels y
// stand for: β = Σ αᵢyᵢxᵢ (ESL 4.50 and 12.10), and as intercept the mean of yᵢ − β·xᵢ
// over the rows with 0 < αᵢ < c, which lie on the margin. c is the price of slack, +Inf
// for a hard margin. O(np). Whether the plane is optimal is for [Plane.Margins] to
// tell.
//
// Errors: those of [Plane.Margins] and *[sample.OptionError] for an α outside [0, c]
// or if no row lies on the margin.
func SupportPlane(x *linalg.Dense, y []int, alpha []float64, c float64) (*Plane, error) {
	p, err := supportPlane(x, y, alpha, c)
	if err != nil {
		return nil, wrap(err)
	}
	return p, nil
}

func supportPlane(x *linalg.Dense, y []int, alpha []float64, c float64) (*Plane, error) {
	_, p, err := sample.Dims(x, len(alpha), "multipliers")
	if err != nil {
		return nil, err
	}
	beta := make([]float64, p)
	sign, err := (&Plane{beta: beta}).signs(x, y, nil)
	if err != nil {
		return nil, err
	}
	for i, a := range alpha {
		if !(a >= 0 && a <= c) || math.IsInf(a, 1) {
			return nil, &sample.OptionError{Name: fmt.Sprintf("alpha[%d]", i), Value: a, Want: fmt.Sprintf("0 to %g", c)}
		}
		linalg.Axpy(beta, a*sign[i], x.Row(i))
	}
	sum, free := 0.0, 0
	for i, a := range alpha {
		if a > 0 && a < c {
			sum += sign[i] - linalg.Dot(beta, x.Row(i))
			free++
		}
	}
	if free == 0 {
		return nil, &sample.OptionError{Name: "c", Value: c, Want: "above a positive multiplier: no row lies on the margin"}
	}
	return newPlane(beta, nil, sum/float64(free))
}
