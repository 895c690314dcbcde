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

// twoClasses is what the models that put one plane between two classes share.
type twoClasses struct {
	classes [2]int // ascending; the second is the positive one
	plane   *Plane
	report  optimize.Report
}

// Classes returns the two labels, ascending; the second is the positive one.
func (m *twoClasses) Classes() []int { return []int{m.classes[0], m.classes[1]} }

// Features returns p, the length of a row.
func (m *twoClasses) Features() int { return m.plane.Features() }

// Plane returns the separating plane, positive on the side of the larger label.
func (m *twoClasses) Plane() *Plane { return m.plane }

// Report says how the fit ended.
func (m *twoClasses) Report() optimize.Report { return m.report }

// Coef returns the 1×p coefficients and the intercept of f.
func (m *twoClasses) Coef() (coef *linalg.Dense, intercept []float64) {
	coef, _ = linalg.NewDense(1, m.plane.Features(), m.plane.Normal())
	return coef, []float64{m.plane.Intercept()}
}

// Scores appends −f(row)/2 and f(row)/2.
func (m *twoClasses) Scores(dst, row []float64) []float64 {
	f := m.plane.Value(row)
	return append(dst, -f/2, f/2)
}

// Predict returns the larger label where f(row) > 0, else the smaller.
func (m *twoClasses) Predict(row []float64) int {
	if m.plane.Value(row) > 0 {
		return m.classes[1]
	}
	return m.classes[0]
}

// PredictRows appends the labels of the rows of x. Error: *[linalg.ShapeError].
func (m *twoClasses) PredictRows(dst []int, x *linalg.Dense) ([]int, error) {
	return predictRows(dst, x, m.plane.Features(), m)
}

// predictor maps rows to labels or values.
type predictor[T any] interface{ Predict(row []float64) T }

// predictRows appends what m predicts for each row of x, which has p columns.
func predictRows[T any](dst []T, x *linalg.Dense, p int, m predictor[T]) ([]T, error) {
	if err := checkColumns(x, p); err != nil {
		return dst, err
	}
	from := len(dst)
	dst = slices.Grow(dst, x.Rows)[:from+x.Rows]
	if chunk := max(64, (1<<16)/p); x.Rows > chunk {
		fillRows(dst[from:], x, chunk, m)
		return dst, nil
	}
	for i := range x.Rows {
		dst[from+i] = m.Predict(x.Row(i))
	}
	return dst, nil
}

// fillRows is apart because its closure would make the caller allocate.
func fillRows[T any](dst []T, x *linalg.Dense, chunk int, m predictor[T]) {
	linalg.For(x.Rows, chunk, 0, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = m.Predict(x.Row(i))
		}
	})
}

// checkColumns returns an error if x is no matrix of p columns.
func checkColumns(x *linalg.Dense, p int) error {
	if err := x.Check(); err != nil {
		return wrap(err)
	}
	if x.Cols != p {
		return wrap(&linalg.ShapeError{Want: p, WantOf: "features", Got: x.Cols, GotOf: "columns"})
	}
	return nil
}

// twoClassesRecord is a twoClasses as it stands inside the JSON of a model.
type twoClassesRecord struct {
	Classes []int           `json:"classes"`
	Plane   planeRecord     `json:"plane"`
	Report  optimize.Report `json:"report"`
}

func (m *twoClasses) record() twoClassesRecord {
	return twoClassesRecord{m.Classes(), m.plane.record(), m.report}
}

func (r twoClassesRecord) twoClasses() (twoClasses, error) {
	if len(r.Classes) != 2 || r.Classes[0] >= r.Classes[1] {
		return twoClasses{}, &record.DamageError{Reason: fmt.Sprintf("classes %v are not two, ascending", r.Classes)}
	}
	p, err := r.Plane.plane()
	return twoClasses{[2]int{r.Classes[0], r.Classes[1]}, p, r.Report}, err
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
		return nil, threeClasses(classes, y)
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

// twoSigns checks the training rows of a two-class fit and returns the classes
// and ±1 for each row, +1 for the larger label.
func twoSigns(x *linalg.Dense, y, classes []int, w []float64) (pair [2]int, sign []float64, err error) {
	n, _, err := sample.Dims(x, len(y), "labels")
	if err != nil {
		return pair, nil, err
	}
	if _, err := sample.Weights(w, n); err != nil {
		return pair, nil, err
	}
	l, err := sample.Code(y, classes, w)
	if err != nil {
		return pair, nil, err
	}
	if l.K() > 2 {
		return pair, nil, threeClasses(l.Classes, y)
	}
	sign = make([]float64, n)
	for i, c := range l.Code {
		sign[i] = float64(2*c - 1)
	}
	return [2]int{l.Classes[0], l.Classes[1]}, sign, nil
}

// threeClasses is the error of a two-class model for more than two classes.
func threeClasses(classes, y []int) error {
	rows := 0
	for _, v := range y {
		if v == classes[2] {
			rows++
		}
	}
	return &linalg.ClassError{Class: classes[2], Rows: rows,
		Reason: fmt.Sprintf("is one too many: this model separates two classes, not %d", len(classes))}
}
