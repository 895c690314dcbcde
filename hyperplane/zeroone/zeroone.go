package zeroone

import (
	"fmt"
	"math"
	"slices"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
)

// Minimum is a division of the rows by a plane with the least weight on the wrong side.
type Minimum struct {
	Errors float64 // the weight of the rows with y·f ≤ 0; without weights their number
	Wrong  []int   // these rows, ascending
	// Plane is the plane with the widest margin of those that divide the rows so. It is nil
	// where its coefficients in float64 put a row on another side.
	Plane *hyperplane.Plane
}

// Options are the settings of [Minimize]. The zero value and nil are the defaults.
type Options struct {
	Weights []float64 // frequency weights; nil is 1 for all
	Classes []int     // the two labels, ascending; nil is those of y

	// ClassWeights multiply the weights of the rows of each class; nil is 1 for both.
	ClassWeights []float64
}

// Minimize finds the least weight of rows that any plane misclassifies, for at most three
// features: O(n log n) for one, O(n² log n) for two, O(n³ log n) for three (seconds for 300
// rows). Rows on the plane count as wrong, those of weight 0 are deleted. Larger labels are positive.
//
// Errors: *[linalg.ShapeError] (more than three columns are one), *[linalg.NonFiniteError],
// *[linalg.WeightError], *[linalg.ClassError].
func Minimize(x linalg.Rows, y []int, o *Options) (*Minimum, error) {
	if o == nil {
		o = new(Options)
	}
	m, err := minimize(x, y, o)
	if err != nil {
		return nil, fmt.Errorf("zeroone: %w", err)
	}
	return m, nil
}

func minimize(rows linalg.Rows, y []int, o *Options) (*Minimum, error) {
	x, err := linalg.ToDense(rows)
	if err != nil {
		return nil, err
	}
	if _, _, err := sample.Dims(x, len(y), "labels"); err != nil {
		return nil, err
	}
	if x.Cols > 3 {
		return nil, &linalg.ShapeError{Want: 3, WantOf: "columns at most", Got: x.Cols, GotOf: "columns"}
	}
	_, signs, err := sample.Signs(x, y, o.Classes, o.Weights)
	if err != nil {
		return nil, err
	}
	weights, err := sample.WeighClasses(y, o.Classes, o.Weights, o.ClassWeights)
	if err != nil {
		return nil, err
	}
	if err := sample.Range(x, nil, weights); err != nil {
		return nil, err
	}
	var kept []int
	var cost, side []float64
	for i, sign := range signs {
		if sample.WeightAt(o.Weights, i) > 0 {
			kept, cost, side = append(kept, i), append(cost, sample.WeightAt(weights, i)), append(side, sign)
		}
	}
	m, err := divide(x.Select(kept).(*linalg.Dense), side, cost)
	if err != nil {
		return nil, err
	}
	for k, i := range m.Wrong {
		m.Wrong[k] = kept[i]
	}
	return m, nil
}

// divide minimises the weight of rows of positive weight.
func divide(x *linalg.Dense, signs, weights []float64) (*Minimum, error) {
	vary := varying(x)
	place := make(map[[3]float64]int)
	var at [][3]float64
	var gain []float64
	point := make([]int, x.Rows)
	for i := range x.Rows {
		var p [3]float64
		for c, j := range vary {
			p[c] = x.At(i, j) + 0 // −0 and 0 are one place
		}
		k, ok := place[p]
		if !ok {
			k = len(at)
			place[p], at, gain = k, append(at, p), append(gain, 0)
		}
		point[i] = k
		gain[k] -= signs[i] * weights[i]
	}
	s := newPoints(at, gain)
	all := linalg.Sequence(len(at))
	var d division
	switch len(vary) {
	case 0, 1:
		d = s.divideLine(all, 0)
	case 2:
		d = s.dividePlane(all, 0, 1)
	default:
		d = s.divideSpace(all)
	}
	return judge(x, signs, weights, point, d)
}

// varying returns the columns that are not constant: in a space that has others no determinant of places differs from 0,
// and each would be taken in integers.
func varying(x *linalg.Dense) (list []int) {
	for j := range x.Cols {
		if slices.ContainsFunc(x.Col(nil, j), func(v float64) bool { return v != x.At(0, j) }) {
			list = append(list, j)
		}
	}
	return list
}

// judge counts the errors of a division, and looks for its plane.
func judge(x *linalg.Dense, signs, weights []float64, point []int, d division) (*Minimum, error) {
	plus := make(map[int]bool, len(d.plus))
	for _, k := range d.plus {
		plus[k] = true
	}
	m := new(Minimum)
	sides := make([]int, len(signs))
	counts := [2]int{}
	for i := range signs {
		if plus[point[i]] {
			sides[i] = 1
		}
		counts[sides[i]]++
		if (sides[i] == 1) != (signs[i] > 0) {
			m.Errors += weights[i]
			m.Wrong = append(m.Wrong, i)
		}
	}
	if counts[0] == 0 || counts[1] == 0 { // all on one side, of any plane beside them
		far := 0.0
		for i := range x.Rows {
			far = math.Max(far, math.Abs(x.At(i, 0)))
		}
		normal := make([]float64, x.Cols)
		normal[0] = 1
		var err error
		m.Plane, err = hyperplane.NewPlane(normal, (2*far+1)*float64(2*sides[0]-1))
		return m, err
	}
	hard, err := hyperplane.FitHardMargin(x, sides, nil)
	if hard == nil {
		return nil, err
	}
	plane := hard.Machines()[0].Plane
	if g, err := plane.Margins(x, sides, nil); err == nil && g.Misclassified == 0 {
		m.Plane = plane
	}
	return m, nil
}

// String returns the least error, the number of wrong rows and the plane.
func (m *Minimum) String() string {
	return fmt.Sprintf("least error %g, %d rows wrong, %v", m.Errors, len(m.Wrong), m.Plane)
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (m Minimum) MarshalJSON() ([]byte, error) { return record.Plain(m) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (m *Minimum) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, m) }
