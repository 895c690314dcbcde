package design

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// columnSums is sums by feature, made by add.
type columnSums struct {
	s    []float64
	rows []float64 // scratch: of as many values as a tile has
	ones []float64
	add  func(q *columnSums, b *Block)
}

func (q *columnSums) Reset()       { clear(q.s) }
func (q *columnSums) Add(b *Block) { q.add(q, b) }

// weights returns the weights of the rows of b.
func (q *columnSums) weights(b *Block) []float64 {
	if w := b.Weights(); w != nil {
		return w
	}
	if len(q.ones) < b.Len() {
		q.ones = slices.Repeat([]float64{1}, b.Len())
	}
	return q.ones[:b.Len()]
}

// sweep adds to total the sums that add makes over all blocks.
func (d *Design) sweep(total []float64, add func(q *columnSums, b *Block)) error {
	return Reduce(d, 1,
		func() *columnSums { return &columnSums{s: make([]float64, len(total)), add: add} },
		func(q *columnSums) { linalg.Axpy(total, 1, q.s) })
}

// Sizes returns Σ wᵢ|xᵢⱼ| by parameter of one function, Σ wᵢ for the intercept: partial
// derivatives are measured in these sizes. O(np).
//
// Errors: *[linalg.NonFiniteError], *[linalg.RangeError], those of the storage.
func (d *Design) Sizes() ([]float64, error) {
	size := make([]float64, d.Dim())
	if err := d.sweep(size[d.Intercept:], func(q *columnSums, b *Block) { b.Measure(q.s) }); err != nil {
		return nil, err
	}
	return size, d.FinishSizes(size)
}

// Measure adds Σ wᵢ|xᵢⱼ| to dst, by feature, NaN where a value is out of the range of
// [sample.Range]; [Design.FinishSizes] completes the sums and finds the value.
func (b *Block) Measure(dst []float64) {
	if !b.inRange() {
		dst[0] = math.NaN()
	}
	b.rows().AddAbs(dst, b.Weights())
}

// inRange reports whether all values are in the range of [sample.Range], beyond doubt.
func (b *Block) inRange() bool { return b.d.plainWeights && sample.BlockInRange(&b.raw) }

// Range is [sample.Range] of the rows and their weights, on the workers of the design. O(np).
func (d *Design) Range() error {
	var outside atomic.Bool
	err := d.EachRow(func() func(*Block) {
		return func(b *Block) {
			if !b.inRange() {
				outside.Store(true)
			}
		}
	})
	if err == nil && outside.Load() {
		err = sample.Range(d.rows, nil, d.Weights)
	}
	return err
}

// Mean returns the weighted mean of v, which has a value for each row: the mean of the
// deviations from a first mean corrects it to the last place. O(n).
func (d *Design) Mean(v []float64) float64 {
	mean := v[max(0, d.firstWeighted(0, d.N))]
	for range 2 {
		sum := 0.0
		for i, x := range v {
			if w := d.Weight(i); w > 0 {
				sum += w * (x - mean)
			}
		}
		mean += sum / d.Total
	}
	return mean
}

// FinishSizes turns sums of [Block.Measure] into sizes by parameter, and looks for the
// cause if they are not numbers. Values out of range in rows of weight 0 are none.
func (d *Design) FinishSizes(size []float64) error {
	if slices.ContainsFunc(size, isNaN) {
		if err := sample.Range(d.rows, nil, d.Weights); err != nil {
			return err
		}
		clear(size)
		if err := d.sweep(size[d.Intercept:], func(q *columnSums, b *Block) { b.rows().AddAbs(q.s, b.Weights()) }); err != nil {
			return err
		}
	}
	d.FinishBack(size, 1, nil)
	if d.Intercept == 1 {
		size[0] = d.Total
	}
	return nil
}

func isNaN(v float64) bool { return v != v }

// lightZeros is the share of the weights, in zeros that are not stored, from which on the difference
// between all and those of the stored values has 13 digits.
const lightZeros = 1e-3

// Spread returns the mean and the standard deviation (divisor Σw) of each feature, in
// units. The mean of the deviations from a first mean corrects it to the last place. A
// column whose values are equal has deviation 0, also where its mean is rounded. Two
// passes of O(np), and one more for columns that hardly vary, the first time; O(p) then.
//
// Errors: *[linalg.NonFiniteError], *[linalg.RangeError], those of the storage.
func (d *Design) Spread() (mean, sd []float64, err error) {
	s := d.spread
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.moments == nil {
		if s.moments, err = d.measureSpread(); err != nil {
			return nil, nil, err
		}
	}
	m := linalg.Clone(s.moments)
	mean, sd = m[:d.P], m[d.P:]
	for j, u := range d.Unit {
		mean[j] /= u
		sd[j] /= u
	}
	return mean, sd, nil
}

// spread is the features' means and then deviations, about the origin in units of 1, where [Design.Spread] has
// found them. Objectives of several goroutines share a design.
type spread struct {
	mu      sync.Mutex
	moments []float64
}

// measureSpread measures what Spread returns, in units of 1.
func (d *Design) measureSpread() ([]float64, error) {
	mean := make([]float64, d.P)
	if err := d.checkedSweep(mean, addWeighted); err != nil {
		return nil, err
	}
	linalg.Scale(mean, 1/d.Total)
	// Of deviations, of their squares, and of minus the weights of sparse rows in which the
	// value is stored; the last number is the weight of all sparse rows.
	sums := make([]float64, 3*d.P+1)
	about := tile(mean, d.N)
	if err := d.sweep(sums, func(q *columnSums, b *Block) { addDeviations(q, b, about) }); err != nil {
		return nil, err
	}
	var narrow []int
	for j, m := range mean {
		e, square, hidden := sums[j], sums[d.P+j], false
		if d.holed != nil && d.holed[j] { // the zeros that are not stored
			w := sums[3*d.P] + sums[2*d.P+j]
			e -= w * m
			square += w * m * m
			hidden = d.Weights != nil && w <= lightZeros*d.Total // w is a difference that has lost its digits
		}
		e /= d.Total
		sd := math.Sqrt(max(0, square/d.Total-e*e)) // about the mean as it is, of which that rounded can be far off
		m += e
		if m != 0 && (hidden || sd <= linalg.RankTol*math.Abs(m)) {
			narrow = append(narrow, j)
		}
		sums[j], sums[d.P+j] = m, sd
	}
	if err := d.narrowSpread(sums[d.P:], narrow); err != nil {
		return nil, err
	}
	return sums[:2*d.P], nil
}

// checkedSweep is sweep, and finds values that are out of the range of [sample.Range].
// In rows of weight 0, which add is to leave out, there are none.
func (d *Design) checkedSweep(total []float64, add func(q *columnSums, b *Block)) error {
	err := d.sweep(total, func(q *columnSums, b *Block) {
		if !b.inRange() {
			q.s[0] = math.NaN()
		}
		add(q, b)
	})
	if err != nil || !slices.ContainsFunc(total, isNaN) {
		return err
	}
	if err := sample.Range(d.rows, nil, d.Weights); err != nil {
		return err
	}
	clear(total)
	return d.sweep(total, add)
}

// addWeighted adds Σ wᵢxᵢⱼ.
func addWeighted(q *columnSums, b *Block) { b.rows().AddTVec(q.s, q.weights(b)) }

// addDeviations adds Σ wᵢeᵢⱼ and Σ wᵢeᵢⱼ², e = x − mean, of the values that
// are stored, with the weights of sparse rows for those that are not: see [Design.Spread].
// It is given the mean as [tile] repeats it.
func addDeviations(q *columnSums, b *Block, mean []float64) {
	p, x, weights := b.d.P, b.rows(), q.weights(b)
	first, squares, left := q.s[:p], q.s[p:2*p], q.s[2*p:3*p]
	if x.CSR != nil {
		for i, w := range weights {
			columns, values := x.CSR.Row(i)
			for k, j := range columns {
				e := values[k] - mean[j]
				first[j] += w * e
				squares[j] += w * e * e
				left[j] -= w
			}
			q.s[3*p] += w
		}
		return
	}
	q.rows = slices.Grow(q.rows[:0], len(mean))
	for lo, most := 0, len(mean)/p; lo < len(weights); lo += most {
		w := weights[lo:min(lo+most, len(weights))]
		e := &linalg.Dense{Rows: len(w), Cols: p, Stride: p, Data: q.rows[:len(w)*p]}
		copyRows(e.Data, x, lo, lo+len(w))
		subtract(e.Data, mean)
		linalg.MulTVecAdd(first, e, w)
		for k, v := range e.Data {
			e.Data[k] = v * v
		}
		linalg.MulTVecAdd(squares, e, w)
	}
}

// narrowSpread sets the standard deviations, in units of 1, of features whose values differ
// so little that the rounding of their mean counts: they are measured about the value
// of the heaviest row, which is nearest to the mean. Of equal values it is 0.
func (d *Design) narrowSpread(sd []float64, features []int) error {
	if features == nil {
		return nil
	}
	heaviest := 0
	for i, w := range d.Weights {
		if w > d.Weights[heaviest] {
			heaviest = i
		}
	}
	about := make([]float64, d.P)
	if err := d.rawRow(about, heaviest); err != nil {
		return err
	}
	m := len(features)
	sums := make([]float64, 2*m)
	err := d.sweep(sums, func(q *columnSums, b *Block) {
		for i := range b.Len() {
			w := d.Weight(b.Lo + i)
			if w == 0 {
				continue
			}
			for a, j := range features {
				e := b.raw.Cell(i, j) - about[j]
				q.s[a] += w * e
				q.s[m+a] += w * e * e
			}
		}
	})
	for a, j := range features {
		mean := sums[a] / d.Total
		sd[j] = math.Sqrt(max(0, sums[m+a]/d.Total-mean*mean))
	}
	return err
}

// rawRow sets dst (p values) to row i as it is stored.
func (d *Design) rawRow(dst []float64, i int) error {
	return linalg.Pass(d.rows, i, i+1, func(b *linalg.Block) error {
		b.CopyRow(dst, 0)
		return nil
	})
}
