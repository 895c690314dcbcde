package design

import (
	"math"
	"slices"

	"halfspace/linalg"
)

// Design is checked training data with the coordinates that solvers use. Its fields
// are for reading; a fit shares one design among its objectives.
type Design struct {
	N, P      int
	Intercept int       // 1 with an intercept, else 0
	Origin    []float64 // c
	Unit      []float64 // powers of two, or those given to [Design.SetUnits]
	Weights   []float64 // nil is all ones
	Total     float64   // Σ wᵢ
	Offset    []float64 // one value a row, or K for K functions, row after row; nil is 0
	Workers   int

	rows         linalg.Rows
	perRow       float64   // stored values of a row, on average
	holed        []bool    // columns of sparse rows that hold zeros which are not stored; nil without
	plain        bool      // c = 0: rows are used where they lie
	tiled        []float64 // the origin of rows that are not, see tile
	off          []int     // the columns of dense rows whose origin is not 0, where they are few
	implied      bool      // rows are stored about 0 although c is not: functions move by c instead
	unscaled     bool      // all units are 1
	plainWeights bool      // no weight is near the ends of the range of a float64

	level []float64 // of the rows: the column of the intercept; nil is ones, see [Level]

	spread *spread // of copies with the same origin the same
}

// Rows returns the rows as they are stored.
func (d *Design) Rows() linalg.Rows { return d.rows }

// Dim returns the number of parameters of one function.
func (d *Design) Dim() int { return d.P + d.Intercept }

// Sparse reports whether rows are sparse: methods whose work goes by columns then have
// another way.
func (d *Design) Sparse() bool { return d.holed != nil }

// Weight returns the weight of row i.
func (d *Design) Weight(i int) float64 {
	if d.Weights == nil {
		return 1
	}
	return d.Weights[i]
}

// LeastWeight returns the smallest weight of a row that counts.
//
//go:noinline // a program would have a dozen copies
func (d *Design) LeastWeight() float64 {
	if d.Weights == nil {
		return 1
	}
	least := math.Inf(1)
	for _, w := range d.Weights {
		if w > 0 {
			least = min(least, w)
		}
	}
	return least
}

// WeightsOf returns the weights of rows lo ≤ i < hi, nil for all ones.
//
//go:noinline // a program would have a dozen copies
func (d *Design) WeightsOf(lo, hi int) []float64 {
	if d.Weights == nil {
		return nil
	}
	return d.Weights[lo:hi]
}

// Offsets returns how many offsets a row has, 0 without any.
func (d *Design) Offsets() int { return len(d.Offset) / d.N }

// OffsetOf returns offset c of row i, 0 without any.
func (d *Design) OffsetOf(i, c int) float64 {
	if d.Offset == nil {
		return 0
	}
	return d.Offset[i*d.Offsets()+c]
}

// MeanOffset returns the weighted mean of offset c over the rows.
//
//go:noinline // a program would have a dozen copies
func (d *Design) MeanOffset(c int) float64 {
	if d.Offset == nil {
		return 0
	}
	mean := 0.0
	for i := range d.N {
		mean += d.Weight(i) / d.Total * d.OffsetOf(i, c)
	}
	return mean
}

// Coef sets b to the coefficients of one function on the data's scale and returns
// its intercept at the origin.
//
//go:noinline // a program would have some thirty copies
func (d *Design) Coef(b, theta []float64) float64 {
	for j, u := range d.Unit {
		b[j] = theta[j+d.Intercept] / u
	}
	return d.constant(theta)
}

// Implied reports whether the origin is one of functions alone: the rows are sparse, and stay
// about 0. See [Design.Centered].
func (d *Design) Implied() bool { return d.implied }

// LevelAt0 returns the value of a function where the rows are stored as 0.
//
//go:noinline // a program would have a dozen copies
func (d *Design) LevelAt0(theta []float64) float64 {
	level := d.constant(theta)
	if d.implied {
		for j, t := range theta[d.Intercept:] {
			level -= t / d.Unit[j] * d.Origin[j]
		}
	}
	return level
}

// constant returns the intercept at the origin.
func (d *Design) constant(theta []float64) float64 {
	if d.Intercept == 1 {
		return theta[0]
	}
	return 0
}

// Parameters sets theta to the parameters of the function with coefficients b and
// the value at 0 that is given.
func (d *Design) Parameters(theta, b []float64, at0 float64) {
	for j, u := range d.Unit {
		theta[j+d.Intercept] = b[j] * u
	}
	if d.Intercept == 1 {
		theta[0] = at0 + linalg.Dot(b, d.Origin)
	}
}

// FromPublic sets theta, function by function, to the parameters of the plain
// intercept (if there is one) and the coefficients that public holds in the same
// layout.
func (d *Design) FromPublic(theta, public []float64) {
	for dim, at := d.Dim(), 0; at < len(theta); at += dim {
		d.Parameters(theta[at:at+dim], public[at+d.Intercept:at+dim], public[at])
	}
}

// ToPublic is the inverse of FromPublic.
func (d *Design) ToPublic(public, theta []float64) {
	for dim, at := d.Dim(), 0; at < len(theta); at += dim {
		b := public[at+d.Intercept : at+dim]
		b0 := d.Coef(b, theta[at:at+dim])
		if d.Intercept == 1 {
			public[at] = b0 - linalg.Dot(b, d.Origin)
		}
	}
}

// MoveTo sets theta, the parameters of one function, to those of the same function
// in the coordinates of another design of the same rows.
//
//go:noinline // a program would have a dozen copies
func (d *Design) MoveTo(to *Design, theta []float64) {
	for j, u := range d.Unit {
		b := theta[j+d.Intercept] / u
		theta[j+d.Intercept] = b * to.Unit[j]
		if d.Intercept == 1 {
			theta[0] += b * (to.Origin[j] - d.Origin[j])
		}
	}
}

// firstWeighted returns the first row lo ≤ i < hi of positive weight, −1 if there is
// none.
func (d *Design) firstWeighted(lo, hi int) int {
	for i := lo; i < hi; i++ {
		if d.Weight(i) > 0 {
			return i
		}
	}
	return -1
}

// shift moves rows that follow one another to the origin.
func (d *Design) shift(rows []float64) {
	if !d.plain {
		subtract(rows, d.tiled)
	}
}

// tiledValues is the number of values that a call subtracts from short rows.
const tiledValues = 1 << 11

// tile returns v repeated for as many of n rows as are short, for [subtract].
func tile(v []float64, n int) []float64 {
	return slices.Repeat(v, max(1, min(n, tiledValues/max(1, len(v)))))
}

// subtract subtracts a row from each of rows that follow one another, tile by tile.
func subtract(rows, tiled []float64) {
	for len(rows) > 0 {
		k := min(len(tiled), len(rows))
		linalg.Axpy(rows[:k], -1, tiled[:k])
		rows = rows[k:]
	}
}

// copyRows copies rows lo ≤ i < hi of x to dst, one after the other.
func copyRows(dst []float64, x *linalg.Block, lo, hi int) {
	_, p := x.Dims()
	if a := x.Dense; x.CSR == nil && a.Stride == p {
		copy(dst, a.Data[lo*p:hi*p])
		return
	}
	for i := lo; i < hi; i++ {
		x.CopyRow(dst[(i-lo)*p:(i-lo+1)*p], i)
	}
}

// fewOff is the share of columns about an origin up to which one function of dense rows, and one sum, take
// the rows where they lie, and these columns one by one: a copy about the origin is thrice the work.
const fewOff = 1. / 16

// offOrigin returns these columns, nil where there are more or none.
func offOrigin(d *Design) (off []int) {
	for j, c := range d.Origin {
		if c != 0 {
			off = append(off, j)
		}
	}
	if float64(len(off)) > fewOff*float64(d.P) || d.holed != nil {
		return nil
	}
	return off
}

// alongStored sets eta to a function, with the value 0 at the origin, of dense rows x as they are stored, by
// way of scratch for P values.
func alongStored(d *Design, eta []float64, x *linalg.Dense, slopes, scratch []float64) {
	copy(scratch, slopes)
	for _, j := range d.off {
		scratch[j] = 0
	}
	linalg.MulVec(eta, x, scratch, 1)
	for _, j := range d.off {
		c, s := d.Origin[j], slopes[j]
		for i := range eta {
			eta[i] += (x.Data[i*x.Stride+j] - c) * s
		}
	}
}

// addStored adds the sums Σ vᵢ(xᵢ − c) over dense rows x as they are stored to dst.
func addStored(d *Design, dst, v []float64, x *linalg.Dense, scratch []float64) {
	clear(scratch)
	linalg.MulTVecAdd(scratch, x, v)
	for _, j := range d.off {
		c, sum := d.Origin[j], 0.0
		for i, w := range v {
			sum += w * (x.Data[i*x.Stride+j] - c)
		}
		scratch[j] = sum
	}
	linalg.Axpy(dst[:d.P], 1, scratch)
}
