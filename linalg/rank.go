package linalg

import (
	"math"
	"slices"
)

const (
	// screenShare is the share of the diagonal of a Gram matrix without which it has to be positive definite still:
	// its rounding, p·2⁻⁵² for p in the thousands, cannot have hidden a dependence.
	screenShare = 1e-7
	// roundings is how many half-units in the last place the values of a column
	// may be off if a dependence is to survive them: data are rounded when stored
	// and once more when columns are added up.
	roundings = 8
)

// CheckRank returns nil if the columns of x (rows weighted by w ≥ 0, nil for all
// ones) are linearly independent of one another and, with intercept, of a
// column of ones; otherwise a *[RankError] that lists each column that the ones
// before it determine.
//
// Column j counts as determined if the part of it that the others leave, relative to
// the whole (about its mean, with intercept), is at most [RankTol], or so small that
// a few roundings of the values of x explain it; it counts as constant
// if its standard deviation is at most RankTol of its largest value. So the units of
// the columns do not matter, and neither do large means: 1e8 ± 1 is not constant,
// and 1e8 ± 1e-5 is.
//
// The diagonally scaled Gram matrix clears x in O(np²) where its least eigenvalue is far above 0, for then no
// column is within about 1e-3 of a dependence; else a QR factorisation by blocks
// of rows decides in O(np²) too. Memory is O(p²). Fewer rows than columns are
// factored as they are, in O(n²p) and two copies of x. (Golub & Van Loan, §5.4 and
// §5.5; the order of the columns is LINPACK's, as in R's lm.)
//
// Errors besides: *[ShapeError], *[NonFiniteError], *[WeightError], *[RangeError]
// where the differences within a column leave the range of a float64.
func CheckRank(x *Dense, w []float64, intercept bool, workers int) error {
	if err := (&tallRows{x: x, w: w}).check(); err != nil {
		return err
	}
	var origin []float64
	if intercept {
		// Means are taken from a row that counts, so that of equal values is exact.
		origin = Clone(x.Row(firstPositive(w)))
	}
	scan, err := scanColumns(x, w, origin, workers)
	if err != nil {
		return err
	}
	total, size := scan.total, scan.size
	if total == 0 {
		return &RankError{Rank: 0, P: x.Cols, Columns: Sequence(x.Cols)}
	}
	for j := range origin {
		origin[j] += scan.sum[j] / total // 1/total may be infinite
		if origin[j]-origin[j] != 0 {
			return &RangeError{Column: j}
		}
	}
	if x.Rows >= x.Cols && IndependentGram(Gram(x, origin, w, workers), size, total) {
		return nil
	}
	r, scale, err := condensed(x, origin, w, workers)
	if err != nil {
		return err
	}
	// The columns keep the unit in which none of them overflows.
	root := math.Sqrt(total)
	for j := range size {
		size[j] *= scale[j]
		if intercept && Norm(r.Col(nil, j)) <= RankTol*size[j]*root {
			for i := range r.Rows {
				r.Set(i, j, 0)
			}
		}
	}
	return CheckTriangle(r, size, total)
}

// noise is the share of the largest value of a column that a few roundings are.
const noise = roundings * eps / 2

// condensed returns an R of at most p rows with RᵀR = Σ wᵢ(xᵢ−c)(xᵢ−c)ᵀ but for the
// scale of its columns, which it returns too: a triangle, or the rows themselves
// where they are fewer.
func condensed(x *Dense, origin, w []float64, workers int) (r *Dense, scale []float64, err error) {
	n, p := x.Dims()
	if n >= p {
		t, err := NewTallQR(x, nil, origin, w, workers)
		if err != nil {
			return nil, nil, err
		}
		return t.r, t.scale, nil
	}
	a := &tallRows{x: x, origin: origin, w: w}
	if err := a.setScale(workers); err != nil {
		return nil, nil, err
	}
	columns := Zeros(p, n)
	a.transpose(columns, 0, n)
	return columns.Transposed(), a.scale, nil
}

// Condensed returns an R of at most p rows with RᵀR = Σ wᵢxᵢxᵢᵀ: a triangle, or a copy of the rows, times √w,
// where they are fewer. A nil w is all ones. O(np·min(n, p)).
//
// Errors: *[ShapeError], *[NonFiniteError], *[WeightError].
func Condensed(x *Dense, w []float64, workers int) (*Dense, error) {
	if err := (&tallRows{x: x, w: w}).check(); err != nil {
		return nil, err
	}
	r, scale, err := condensed(x, nil, w, workers)
	if err != nil {
		return nil, err
	}
	for i := range r.Rows {
		for j, s := range scale {
			r.Row(i)[j] /= s
		}
	}
	return r, nil
}

func firstPositive(w []float64) int {
	return max(0, slices.IndexFunc(w, func(v float64) bool { return v > 0 }))
}

// IndependentGram reports whether the Gram matrix g of rows of total weight proves the
// columns independent, where those have values of at most the given sizes.
func IndependentGram(g *Dense, size []float64, total float64) bool {
	worst := 0.0
	for j, v := range size {
		d := g.At(j, j)
		if !(d >= 0x1p-1022) || math.IsInf(d, 1) {
			return false
		}
		worst = max(worst, v/math.Sqrt(d/total))
	}
	if !(worst*RankTol < 1) {
		return false
	}
	worst *= noise
	p := float64(g.Rows)
	// With least eigenvalue π of the scaled matrix, coefficients a leave at least √π‖a‖. The noise of p columns
	// explains √p·worst‖a‖ of it, and the matrix is off by p·worst.
	share := max(screenShare, p*p*worst)
	g = g.Clone()
	for j := range g.Rows {
		g.Set(j, j, g.At(j, j)*(1-share))
	}
	_, err := NewCholeskyIn(g, 1)
	return err == nil
}

// CheckTriangle returns a *[RankError] for the dependent columns of r, or nil.
// RᵀR is the Gram matrix of rows whose weights sum to total and whose values in
// column j are at most size[j]; r may be a triangle or the rows themselves. A
// residual counts as none up to [RankTol], or if a few roundings of the values
// explain it. O(mp·min(m, p)) for m rows of r.
//
// The factorisation with pivoting counts the dependent columns: it finds dependences
// that no column has on the ones before it. The factorisation in the given order
// names them, as a reader would. A dependence that only the given order shows, as in
// Kahan's matrices, counts too.
func CheckTriangle(r *Dense, size []float64, total float64) error {
	q, err := NewQR(r)
	if err != nil {
		return err
	}
	off := Clone(size)
	Scale(off, noise*math.Sqrt(total))
	pivoted, leftPivoted := q.dependent(off)
	cols, left := dependentInOrder(r, off)
	switch {
	case len(cols) < len(pivoted):
		cols, left = pivoted, leftPivoted
		slices.Sort(cols)
	case len(cols) > max(1, len(pivoted)):
		cols = cols[:max(1, len(pivoted))]
	}
	if len(cols) == 0 {
		return nil
	}
	most := 0.0
	for _, j := range cols {
		most = max(most, left[j])
	}
	return &RankError{r.Cols - len(cols), r.Cols, cols, most}
}

// dependent is dependentInOrder in the order of the pivots, in which the triangle of the factorisation has the columns.
func (q *QR) dependent(off []float64) (dependent []int, left []float64) {
	own := make([]float64, len(off))
	for i, j := range q.perm {
		own[i] = off[j]
	}
	dependent, own = dependentInOrder(q.R(), own)
	left = make([]float64, len(off))
	for i, j := range q.perm {
		left[j] = own[i]
	}
	for i, at := range dependent {
		dependent[i] = q.perm[at]
	}
	return dependent, left
}

// dependentInOrder returns the columns of r that the ones before them determine, and by column the part that those
// leave. An error of norm off[j] in column j explains a residual as well as RankTol does. O(mp·min(m, p)) for m rows.
func dependentInOrder(r *Dense, off []float64) (dependent []int, left []float64) {
	a := r.Transposed()
	left = make([]float64, r.Cols)
	var kept, end []int // of a reflection its last value that is not 0: of a triangle in its own order there are few
	var tau, size []float64
	for j := range r.Cols {
		col := a.Row(j)
		s := unitScale(NormInf(col))
		Scale(col, s)
		full := math.Sqrt(Dot(col, col))
		for i, k := range kept {
			if tau[i] != 0 {
				applyReflector(col[i:end[i]], tau[i], a.Row(k)[i:end[i]])
			}
		}
		m := len(kept)
		rest := math.Sqrt(Dot(col[m:], col[m:]))
		// What the noise of this column and, by the coefficients of this column on
		// them, that of the kept ones can account for.
		explained := off[j] * s
		z := Clone(col[:m])
		for i := m - 1; i >= 0; i-- {
			k := a.Row(kept[i])
			z[i] /= k[i]
			Axpy(z[:i], -z[i], k[:i])
			explained += math.Abs(z[i]) * size[i]
		}
		// explained is NaN where coefficients overflow; no column is left beside m rows.
		if m == len(col) || rest <= RankTol*full+explained {
			dependent = append(dependent, j)
			if full > 0 {
				left[j] = rest / full
			}
			continue
		}
		kept = append(kept, j)
		size = append(size, off[j]*s)
		tau = append(tau, reflector(col[m:]))
		last := len(col)
		for col[last-1] == 0 && last > m+1 {
			last--
		}
		end = append(end, last)
	}
	return dependent, left
}
