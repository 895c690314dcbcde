package linalg

import (
	"math"
	"slices"
)

// Triangle returns the upper triangle R with RᵀR = Sₖ, k a position in Classes,
// or RᵀR = ΣₖSₖ for k < 0, by a QR factorisation of the rows that m was gathered
// from, each less the mean of its class. It tells near dependence from dependence
// where the scatter itself, whose rounding hides what is below 1e-8 of a column,
// cannot. O(np²), and a copy of the rows.
//
// Errors: *[RankError] for columns that the ones before them determine, to
// [RankTol] or to a few roundings of their values; *[ShapeError],
// *[NonFiniteError].
func (m *Moments) Triangle(k int, x *Dense, y []int, w []float64, workers int) (*Dense, error) {
	if err := m.checkRows(x, y, w); err != nil {
		return nil, err
	}
	index := newLabelIndex(y, w)
	if !slices.Equal(index.labels, m.Classes()) {
		return nil, &ShapeError{len(m.class), "classes of the moments", len(index.labels), "other classes in the rows"}
	}
	var rows []int
	var weights []float64
	total := 0.0
	for i, v := range y {
		if w != nil && w[i] == 0 || k >= 0 && index.position(v) != k {
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
	centred, size, err := m.centred(rows, x, weights, func(i int) int { return index.position(y[i]) })
	if err != nil {
		return nil, err
	}
	t, err := NewTallQR(centred, nil, nil, weights, workers)
	if err != nil {
		return nil, err
	}
	Scale(size, roundings*eps/2*math.Sqrt(total))
	r := t.R()
	return r, triangleRank(r, size)
}

// centred returns the given rows of x less the means of their classes, and the
// largest size of the values of each column.
//
// Rows are taken from the first of their class, then from the mean of what is
// left: deviations from an origin far away would round the mean of a narrow class.
func (m *Moments) centred(rows []int, x *Dense, weights []float64, class func(row int) int) (d *Dense, size []float64, err error) {
	if d, err = NewDense(len(rows), m.p, nil); err != nil {
		return nil, nil, err
	}
	size = make([]float64, m.p)
	first, sum := make([][]float64, len(m.class)), Zeros(len(m.class), m.p)
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
		Axpy(sum.Row(c), wi/m.class[c].weight, left)
	}
	for at, i := range rows {
		Axpy(d.Row(at), -1, sum.Row(class(i)))
	}
	return d, size, nil
}
