package moments

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// Triangle is an upper triangle R with RᵀR = S, a scatter, or where S is of fewer rows than columns
// those rows. It shows whether the others leave 1e-12 of a column; rounding of the scatter
// hides anything below 1e-8.
type Triangle struct {
	R     *linalg.Dense
	size  []float64 // the largest values by column and
	total float64   // the weight of the rows: what R is rounded at
}

// Check returns a *[linalg.RankError] for columns that the ones before them determine, to
// [linalg.RankTol] or to a few roundings of their values.
func (t *Triangle) Check() error { return linalg.CheckTriangle(t.R, t.size, t.total) }

// Blend returns the triangle of Σ shareᵢSᵢ + ridge·I, for one scatter Sᵢ or more. O(p³) each.
func Blend(share []float64, of []*Triangle, ridge float64) (*Triangle, error) {
	p := of[0].R.Cols
	b := &Triangle{size: make([]float64, p)}
	var rows []float64
	for i, t := range of {
		from := len(rows)
		for r := range t.R.Rows {
			rows = append(rows, t.R.Row(r)...)
		}
		linalg.Scale(rows[from:], math.Sqrt(share[i]))
		for j, v := range t.size {
			b.size[j] = max(b.size[j], v)
		}
		b.total += share[i] * t.total
	}
	for j := 0; j < p && ridge > 0; j++ {
		rows = append(rows, make([]float64, p)...)
		rows[len(rows)-p+j] = math.Sqrt(ridge)
	}
	stack, err := linalg.NewDense(len(rows)/p, p, rows)
	if err != nil {
		return nil, err
	}
	b.R, err = linalg.Condensed(stack, nil, 1)
	return b, err
}

// TriangleOf returns that of Sₖ, k the position of a class among the labels of rows of positive weight, or of ΣₖSₖ for
// k < 0, by a QR factorisation of the rows, each less the mean of its class. The values are finite. O(n·min(n, p)·p), and
// a copy of the rows.
//
// Errors: *[linalg.ShapeError], also where there is no class k; *[linalg.SizeError], *[linalg.WeightError].
func TriangleOf(k int, x *linalg.Dense, y []int, w []float64, workers int) (*Triangle, error) {
	if err := checkRows(x, y, w); err != nil {
		return nil, err
	}
	labels := sample.Distinct(y, w)
	index := sample.NewIndex(labels)
	class := func(i int) int { c, _ := index.Position(y[i]); return c }
	var rows []int
	var weights []float64
	total, ofClass := 0.0, make([]float64, len(labels))
	for i := range y {
		if w != nil && w[i] == 0 || k >= 0 && class(i) != k {
			continue
		}
		rows = append(rows, i)
		if w != nil {
			weights = append(weights, w[i])
		}
		total += sample.WeightAt(w, i)
		ofClass[class(i)] += sample.WeightAt(w, i)
	}
	centered, size, err := centered(rows, x, weights, class, ofClass)
	if err != nil {
		return nil, err
	}
	r, err := linalg.Condensed(centered, weights, workers)
	return &Triangle{r, size, total}, err
}

// centered returns the given rows of x less the means of their classes, which have weights, and the
// largest size of the values of each column.
//
// The first row of the class is subtracted, then the mean of the differences:
// deviations from an origin far away would round the mean of a narrow class.
func centered(rows []int, x *linalg.Dense, weights []float64, class func(row int) int, ofClass []float64) (d *linalg.Dense, size []float64, err error) {
	if d, err = linalg.NewDense(len(rows), x.Cols, nil); err != nil {
		return nil, nil, err
	}
	size = make([]float64, x.Cols)
	first, sum := make([][]float64, len(ofClass)), linalg.Zeros(len(ofClass), x.Cols)
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
		linalg.Axpy(sum.Row(c), wi/ofClass[c], left)
	}
	for at, i := range rows {
		linalg.Axpy(d.Row(at), -1, sum.Row(class(i)))
	}
	return d, size, nil
}
