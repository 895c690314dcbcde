package hyperplane

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Plane is the set of points with f(x) = β₀ + β·x = 0, an affine function that is
// scaled as its maker left it: f and 2f are one plane with other functional
// margins.
//
// It is evaluated about an origin c, f(x) = b₀ + β·(x−c), so that data with means
// of 1e8 lose nothing; [Plane.Intercept] is the plain β₀ = b₀ − β·c. A normal of
// zeros, as a model without any signal has, is no plane: its distances are
// infinite or NaN.
type Plane struct {
	normal []float64      // see beta
	packed *linalg.Packed // 1×p, in the place of normal; nil of none
	origin []float64      // c; nil is 0
	offset float64        // b₀ = f(c)
}

// NewPlane returns the plane intercept + normal·x = 0 with a copy of normal.
//
// Errors: *[linalg.ShapeError] for an empty normal, *[linalg.NonFiniteError].
func NewPlane(normal []float64, intercept float64) (*Plane, error) {
	return NewPlaneAt(normal, nil, intercept)
}

// NewPlaneAt returns the plane offset + normal·(x−origin) = 0 with copies of
// normal and origin; a nil origin is 0.
//
// Errors: *[linalg.ShapeError] for an empty normal or an origin of another
// length, *[linalg.NonFiniteError].
func NewPlaneAt(normal, origin []float64, offset float64) (*Plane, error) {
	p, err := newPlane(slices.Clone(normal), slices.Clone(origin), offset)
	return p, wrap(err)
}

// newPlane is NewPlaneAt over the caller's slices.
func newPlane(beta, origin []float64, offset float64) (*Plane, error) {
	if len(beta) == 0 {
		return nil, &linalg.ShapeError{Want: 1, WantOf: "column needed", Got: 0, GotOf: "columns"}
	}
	if len(origin) == 0 {
		origin = nil
	} else if len(origin) != len(beta) {
		return nil, &linalg.ShapeError{Want: len(beta), WantOf: "columns in the normal", Got: len(origin), GotOf: "in the origin"}
	}
	if err := linalg.CheckFinite("normal", beta); err != nil {
		return nil, err
	}
	if err := linalg.CheckFinite("origin", origin); err != nil {
		return nil, err
	}
	if err := linalg.CheckFinite("offset", []float64{offset}); err != nil {
		return nil, err
	}
	return planeAt(beta, origin, offset), nil
}

// planeAt is newPlane without the checks. Classes by the hundred have planes by the ten thousand.
func planeAt(beta, origin []float64, offset float64) *Plane {
	return &Plane{normal: beta, origin: origin, offset: offset}
}

// row returns β as a matrix of one row, not a copy.
func row(beta []float64) *linalg.Dense {
	return &linalg.Dense{Rows: 1, Cols: len(beta), Stride: len(beta), Data: beta}
}

// beta returns the normal β, which the caller may only read once the plane is published.
func (p *Plane) beta() []float64 {
	if p.packed != nil {
		return p.packed.Matrix().Data
	}
	return p.normal
}

// lent is beta for a caller who does not keep it, so that a packed plane stays so.
func (p *Plane) lent() []float64 {
	if p.packed != nil {
		return p.packed.Lent().Data
	}
	return p.normal
}

// Packed returns the same plane with its normal by the places of its coefficients until a row is
// scored, if few are other than 0.
func (p *Plane) Packed() *Plane {
	return &Plane{packed: linalg.Pack(row(p.beta())), origin: p.origin, offset: p.offset}
}

// Features returns p, the dimension of the space.
func (p *Plane) Features() int {
	if p == nil {
		return 0
	}
	if p.packed != nil {
		return p.packed.Cols
	}
	return len(p.normal)
}

// Coef returns β as a 1×p matrix and the intercept β₀, nil of no plane.
func (p *Plane) Coef() (coef *linalg.Dense, intercept []float64) {
	if p.Features() == 0 {
		return nil, nil
	}
	return row(p.Normal()), []float64{p.Intercept()}
}

// Normal returns a copy of β. It points to the positive side.
func (p *Plane) Normal() []float64 { return slices.Clone(p.lent()) }

// Intercept returns β₀ = f(0).
func (p *Plane) Intercept() float64 {
	if p.origin == nil {
		return p.offset
	}
	return p.offset - linalg.Dot(p.lent(), p.origin)
}

// Origin returns a copy of the point c that f is computed about.
func (p *Plane) Origin() []float64 {
	if p.origin == nil {
		return make([]float64, p.Features())
	}
	return append([]float64(nil), p.origin...)
}

// Norm returns ‖β‖.
func (p *Plane) Norm() float64 { return linalg.Norm(p.beta()) }

// Value returns f(x), positive on the side that the normal points to.
func (p *Plane) Value(x []float64) float64 {
	if len(x) != p.Features() {
		panic(fmt.Sprintf("hyperplane: a row of length %d for %d features", len(x), p.Features()))
	}
	beta := p.beta()
	if p.origin == nil {
		return p.offset + linalg.Dot(beta, x)
	}
	s := 0.0
	for j, c := range p.origin {
		s += beta[j] * (x[j] - c)
	}
	return p.offset + s
}

// values sets dst to f of some rows, with the bits of [Plane.Value].
func (p *Plane) values(dst []float64, x *linalg.Dense) {
	if p.origin != nil {
		for i := range dst {
			dst[i] = p.Value(x.Row(i))
		}
		return
	}
	linalg.MulVec(dst, x, p.beta(), 1)
	for i, s := range dst {
		dst[i] = p.offset + s
	}
}

// ValueSparse is [Plane.Value] of a row of which the columns, ascending, and values are given
// that are not 0. It costs O(1) a value, about an origin other than 0 O(p), and panics for a
// column that the plane does not have.
func (p *Plane) ValueSparse(index []int32, value []float64) float64 {
	beta, s := p.beta(), p.offset
	if p.origin == nil {
		return s + linalg.DotAt(beta, index, value)
	}
	eachAbout(p.origin, index, value, func(j int, v float64) { s += beta[j] * v })
	return s
}

// valueOf returns f of a row of a [linalg.Table].
func (p *Plane) valueOf(columns []int32, values []float64) float64 {
	if columns == nil {
		return p.Value(values)
	}
	return p.ValueSparse(columns, values)
}

// eachAbout calls visit with the values of a row of a [linalg.Table] less the origin, in the
// order of the columns. Zeros that are not stored are left out about 0, which nil stands for.
func eachAbout(origin []float64, columns []int32, values []float64, visit func(j int, v float64)) {
	switch {
	case columns == nil && origin == nil:
		for j, v := range values {
			visit(j, v)
		}
	case columns == nil:
		for j, v := range values {
			visit(j, v-origin[j])
		}
	case origin == nil:
		for k, j := range columns {
			visit(int(j), values[k])
		}
	default:
		k := 0
		for j, c := range origin {
			v := -c
			if k < len(columns) && int(columns[k]) == j {
				v += values[k]
				k++
			}
			visit(j, v)
		}
		if k < len(columns) {
			panic(fmt.Sprintf("hyperplane: column %d of a row is out of order or beyond the %d features", columns[k], len(origin)))
		}
	}
}

// SignedDistance returns f(x)/‖β‖, the distance of x from the plane, negative on
// the far side (ESL §4.5, equation 4.40).
func (p *Plane) SignedDistance(x []float64) float64 { return p.Value(x) / p.Norm() }

// Project appends to dst the point of the plane closest to x,
// x − (f(x)/‖β‖²)·β, and returns the extended slice.
func (p *Plane) Project(dst, x []float64) []float64 {
	norm := p.Norm()
	beta, d := p.beta(), p.Value(x)/norm
	for j, v := range x {
		dst = append(dst, v-d*(beta[j]/norm))
	}
	return dst
}

// Slab returns 2/‖β‖, the width of the slab −1 ≤ f(x) ≤ 1; half of it is the
// margin of a plane scaled so that the closest points have y·f = 1 (ESL 4.48).
func (p *Plane) Slab() float64 { return 2 / p.Norm() }

// Scaled returns the plane with f multiplied by s: the same set of points for
// s ≠ 0, its sides swapped for s < 0.
//
// Error: *[linalg.NonFiniteError] if a coefficient overflows or s is not finite.
func (p *Plane) Scaled(s float64) (*Plane, error) {
	beta := p.Normal()
	linalg.Scale(beta, s)
	return NewPlaneAt(beta, p.origin, p.offset*s)
}

// Equal reports whether p and q are the same plane with the same positive side,
// whatever the scale of f: the unit normals differ by at most tol, and so do the
// signed distances of p's origin (relative to their size where that is above 1).
func (p *Plane) Equal(q *Plane, tol float64) bool {
	if p.Features() != q.Features() {
		return false
	}
	np, nq := p.Norm(), q.Norm()
	diff, b := make([]float64, p.Features()), q.beta()
	for j, a := range p.beta() {
		diff[j] = a/np - b[j]/nq
	}
	at := p.origin
	if at == nil {
		at = make([]float64, p.Features())
	}
	dp, dq := p.offset/np, q.SignedDistance(at)
	return linalg.Norm(diff) <= tol && math.Abs(dp-dq) <= tol*math.Max(1, math.Abs(dp))
}

// InRange returns a *[linalg.RangeError] for a plane whose numbers, or scores of rows of
// numbers up to 2⁶⁰, leave the range of floating point: a price of slack, a margin or a ridge of
// extreme size makes it, and no file of it is read again.
func (p *Plane) InRange() error {
	column, beta := 0, p.beta()
	for j, b := range beta {
		if b-b != 0 {
			return &linalg.RangeError{Column: j}
		}
		if math.Abs(b) > math.Abs(beta[column]) {
			column = j
		}
	}
	if b := p.Intercept(); b-b != 0 || record.CheckAffine(beta, p.origin, p.offset) != nil {
		return &linalg.RangeError{Column: column}
	}
	return nil
}

// planeRecord is the JSON of a Plane.
type planeRecord struct {
	Normal []float64 `json:"normal"`
	Origin []float64 `json:"origin,omitempty"`
	Offset float64   `json:"offset"`
}

// noPlane is the error of a record of a model that lacks its plane.
var noPlane = &record.DamageError{Reason: "no plane"}

// MarshalJSON writes the plane bit for bit, as it stands inside the JSON of a
// model. Error: the zero Plane's.
func (p *Plane) MarshalJSON() ([]byte, error) {
	if p.Features() == 0 {
		return nil, wrap(noPlane)
	}
	return json.Marshal(p.record())
}

// WriteJSON writes the text of MarshalJSON in pieces.
func (p *Plane) WriteJSON(w io.Writer) error {
	if p.Features() == 0 {
		return wrap(noPlane)
	}
	return record.Write(w, p.record())
}

func (p *Plane) record() planeRecord { return planeRecord{p.lent(), p.origin, p.offset} }

// UnmarshalJSON reads the form that MarshalJSON wrote.
//
// Errors: *[record.DamageError] for lengths that do not fit, and encoding/json's.
func (p *Plane) UnmarshalJSON(data []byte) error {
	var r planeRecord
	if err := record.Decode(data, &r); err != nil {
		return wrap(err)
	}
	q, err := newPlane(r.Normal, r.Origin, r.Offset)
	if err != nil {
		return wrap(&record.DamageError{Reason: err.Error()})
	}
	if err := record.CheckAffine(q.beta(), q.origin, q.offset); err != nil {
		return wrap(err)
	}
	*p = *q
	return nil
}

// wrap names the package in an error.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("hyperplane: %w", err)
}

// door calls a fit with rows in memory and with options, those of the zero value for nil, and
// names the package in its error.
func door[Y, O, M any](x linalg.Rows, y []Y, o *O, fit func(linalg.Table, []Y, *O) (*M, error)) (*M, error) {
	rows, err := linalg.InMemory(x)
	if err != nil {
		return nil, wrap(err)
	}
	if o == nil {
		o = new(O)
	}
	m, err := fit(rows, y, o)
	return m, wrap(err)
}

// String returns the intercept and the first coefficients.
func (p *Plane) String() string {
	if p.Features() == 0 {
		return "no plane"
	}
	return fmt.Sprintf("plane %.5g + %.5g·x", p.Intercept(), p.beta()[:min(8, p.Features())])
}

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
func (m *TwoClasses) Coef() (coef *linalg.Dense, intercept []float64) { return m.plane.Coef() }

// Scores appends 0 and f(row), or two NaN.
func (m *TwoClasses) Scores(dst, row []float64) []float64 {
	return appendScores(dst, m.plane.Value(row))
}

// ScoresSparse is [TwoClasses.Scores] of a sparse row, see [Plane.ValueSparse].
func (m *TwoClasses) ScoresSparse(dst []float64, index []int32, value []float64) []float64 {
	return appendScores(dst, m.plane.ValueSparse(index, value))
}

// appendScores appends the scores of two classes.
func appendScores(dst []float64, f float64) []float64 {
	if f != f {
		return append(dst, f, f)
	}
	return append(dst, 0, f)
}

// Predict returns the larger label where f(row) > 0, else the smaller.
func (m *TwoClasses) Predict(row []float64) int { return m.side(m.plane.Value(row)) }

// PredictSparse is [TwoClasses.Predict] of a sparse row, see [Plane.ValueSparse].
func (m *TwoClasses) PredictSparse(index []int32, value []float64) int {
	return m.side(m.plane.ValueSparse(index, value))
}

// side returns the label of a row with the given f.
func (m *TwoClasses) side(f float64) int {
	if f > 0 {
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

// suits refuses rows with other features than the plane's, and a plane that does not go through
// 0 where that is asked for.
func (p *Plane) suits(x linalg.Rows, noIntercept bool) error {
	if _, columns := x.Dims(); p == nil || columns != p.Features() {
		return &linalg.ShapeError{Want: p.Features(), WantOf: "features", Got: columns, GotOf: "columns"}
	}
	if noIntercept && p.Intercept() != 0 {
		return &sample.OptionError{Name: "NoIntercept", Value: 1, Want: "false for a model with an intercept"}
	}
	return nil
}

// about returns the same function with another origin; nil is 0.
func (p *Plane) about(origin []float64) *Plane {
	if slices.Equal(origin, p.origin) {
		return p
	}
	moved := planeAt(p.beta(), origin, p.Intercept())
	if origin != nil {
		moved.offset = p.Value(origin)
	}
	return moved
}
