package moments

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// Triangle returns the upper triangle R with RᵀR = Sₖ, k a position in Classes,
// or RᵀR = ΣₖSₖ for k < 0, by a QR factorisation of the rows that m was gathered
// from, each less the mean of its class. It shows whether the others leave 1e-12 of
// a column; rounding of the scatter hides anything below 1e-8. O(np²), and a copy of
// the rows.
//
// Errors: *[linalg.RankError] for columns that the ones before them determine, to
// [linalg.RankTol] or to a few roundings of their values; *[linalg.ShapeError],
// *[linalg.NonFiniteError].
func (m *ByClass) Triangle(k int, x *linalg.Dense, y []int, w []float64, workers int) (*linalg.Dense, error) {
	if err := m.checkRows(x, y, w); err != nil {
		return nil, err
	}
	classes := m.Classes()
	if labels := sample.Distinct(y, w); !slices.Equal(labels, classes) {
		return nil, &linalg.ShapeError{Want: len(classes), WantOf: "classes of the moments", Got: len(labels), GotOf: "other classes in the rows"}
	}
	index := sample.NewIndex(classes)
	class := func(i int) int { c, _ := index.Position(y[i]); return c }
	var rows []int
	var weights []float64
	total := 0.0
	for i := range y {
		if w != nil && w[i] == 0 || k >= 0 && class(i) != k {
			continue
		}
		rows = append(rows, i)
		if w == nil {
			total++
			continue
		}
		weights = append(weights, w[i])
		total += w[i]
	}
	centered, size, err := m.centered(rows, x, weights, class)
	if err != nil {
		return nil, err
	}
	t, err := linalg.NewTallQR(centered, nil, nil, weights, workers)
	if err != nil {
		return nil, err
	}
	r := t.R()
	return r, linalg.CheckTriangle(r.RowRange(0, min(len(rows), m.p)), size, total) // others are 0
}

// centered returns the given rows of x less the means of their classes, and the
// largest size of the values of each column.
//
// The first row of the class is subtracted, then the mean of the differences:
// deviations from an origin far away would round the mean of a narrow class.
func (m *ByClass) centered(rows []int, x *linalg.Dense, weights []float64, class func(row int) int) (d *linalg.Dense, size []float64, err error) {
	if d, err = linalg.NewDense(len(rows), m.p, nil); err != nil {
		return nil, nil, err
	}
	size = make([]float64, m.p)
	first, sum := make([][]float64, len(m.class)), linalg.Zeros(len(m.class), m.p)
	for at, i := range rows {
		c, wi := class(i), 1.0
		if weights != nil {
			wi = weights[at]
		}
		if first[c] == nil {
			first[c] = x.Row(i)
		}
		left := d.Row(at)
		for j, v := range x.Row(i) {
			size[j] = max(size[j], math.Abs(v))
			left[j] = v - first[c][j]
		}
		linalg.Axpy(sum.Row(c), wi/m.class[c].weight, left)
	}
	for at, i := range rows {
		linalg.Axpy(d.Row(at), -1, sum.Row(class(i)))
	}
	return d, size, nil
}
