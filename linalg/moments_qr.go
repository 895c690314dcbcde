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
	for i, v := range y {
		if (w == nil || w[i] > 0) && (k < 0 || index.position(v) == k) {
			rows = append(rows, i)
		}
	}
	centred, err := NewDense(len(rows), m.p, nil)
	if err != nil {
		return nil, err
	}
	// Rows are taken from the first of their class, then from the mean of what is
	// left: deviations from an origin far away would round the mean of a narrow
	// class.
	first, sum := make([][]float64, len(m.class)), Zeros(len(m.class), m.p)
	total, noise := float64(len(rows)), make([]float64, m.p)
	var weights []float64
	for at, i := range rows {
		c, wi := index.position(y[i]), 1.0
		if w != nil {
			wi = w[i]
			weights = append(weights, wi)
			total += wi - 1
		}
		if first[c] == nil {
			first[c] = x.Row(i)
		}
		d := centred.Row(at)
		for j, v := range x.Row(i) {
			noise[j] = max(noise[j], math.Abs(v))
			d[j] = v - first[c][j]
		}
		Axpy(sum.Row(c), wi/m.class[c].weight, d)
	}
	for at, i := range rows {
		Axpy(centred.Row(at), -1, sum.Row(index.position(y[i])))
	}
	t, err := NewTallQR(centred, nil, nil, weights, workers)
	if err != nil {
		return nil, err
	}
	for j := range noise {
		noise[j] *= roundings * eps / 2 * math.Sqrt(total)
	}
	r := t.R()
	return r, triangleRank(r, noise)
}
