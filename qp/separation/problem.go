package separation

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/exact"
	"halfspace/linalg/sample"
)

// Codes of rows that have not one class.
const (
	Both = -1 // a row of both of two classes, as a group of trials with either outcome is
	Left = -2 // a row that is left out
)

// Problem is labelled rows. The question is whether functions
//
//	fₖ(x) = interceptₖ + coefₖ·x,  k = 0 … K−1,
//
// give every row x of class y the inequalities f_y(x) ≥ fₖ(x), and how many of them are
// strict. With two classes f₁ − f₀ is the plane.
type Problem struct {
	X           linalg.Rows
	Code        []int // the class of each row, from 0; [Both] or [Left]
	Classes     int   // K
	ThroughZero bool  // functions have no intercept
	Columns     []int // the features that functions may use, ascending; nil: all
	Workers     int   // goroutines; 0 is GOMAXPROCS

	Spent float64 // the share of the work of a decision that others have used up; 0 is none
}

// check returns an error for a problem whose parts do not fit together.
func (p *Problem) check() error {
	n, cols := p.X.Dims()
	if p.Classes < 2 {
		return &linalg.ShapeError{Want: 2, WantOf: "classes or more needed", Got: p.Classes, GotOf: "to tell apart"}
	}
	if len(p.Code) != n {
		return &linalg.ShapeError{Want: n, WantOf: "rows", Got: len(p.Code), GotOf: "codes"}
	}
	for i, c := range p.Code {
		if c >= p.Classes || c < Left || c == Both && p.Classes != 2 {
			return fmt.Errorf("separation: row %d has class %d of %d", i, c, p.Classes)
		}
	}
	last := -1
	for _, j := range p.Columns {
		if j <= last || j >= cols {
			return &linalg.ShapeError{Want: cols, WantOf: "columns, ascending,", Got: j, GotOf: "is the index of one"}
		}
		last = j
	}
	return nil
}

// data is the rows as the search sees them: the columns in use about an origin, each an
// integer in a unit of its own, the last bit that any of its values has.
type data struct {
	*Problem
	n, k    int
	dim     int // parameters of one function: the intercept, if there is one, and the columns
	first   int // 1 with an intercept, else 0
	columns []int
	origin  []float64
	bit     []int     // the last bit of a column is 2^bit
	extent  []float64 // the largest |x − origin| of a column
	unit    []float64 // a typical |x − origin| that is not 0, a power of two
}

// newData measures the columns of the problem about the origin (nil: about a typical
// value of each).
func newData(p *Problem, origin []float64) (*data, error) {
	d, err := unmeasured(p)
	if err != nil {
		return nil, err
	}
	return d, d.measure(origin)
}

// unmeasured returns the rows of a problem, which is checked, without origin, unit, bit and
// extent.
func unmeasured(p *Problem) (*data, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	d := &data{Problem: p, columns: p.Columns, k: p.Classes}
	var cols int
	if d.n, cols = p.X.Dims(); d.columns == nil {
		d.columns = linalg.Sequence(cols)
	}
	if !p.ThroughZero {
		d.first = 1
	}
	if d.dim = d.first + len(d.columns); d.dim == 0 {
		return nil, &linalg.ShapeError{Want: 1, WantOf: "column needed", Got: 0, GotOf: "are in use"}
	}
	return d, nil
}

// typicalRows is how many rows typical values are taken from, mostPieces bounds the pieces that a pass cuts the rows into,
// each with a state, and mostValues the values that these rows, or the states, hold in all.
const (
	typicalRows, mostPieces = 400, 64
	mostValues              = 1 << 22
)

// few returns at most so many, fewer where these would have more than mostValues values in the columns in use.
func (d *data) few(most int) int { return max(8, min(most, mostValues/(len(d.columns)+1))) }

// setTypical sets origin and unit from some of the rows: the middle of the values of each
// column and the middle distance from it that is not 0, so that a row far out changes
// neither. Without an intercept the origin is 0.
func (d *data) setTypical(origin []float64) error {
	step := max(1, d.n/d.few(typicalRows))
	var some []int
	for at := 0; at < d.n; at += step {
		i := at
		for i < min(at+step, d.n) && d.Code[i] == Left {
			i++
		}
		if i < min(at+step, d.n) {
			some = append(some, i)
		}
	}
	values := make([]float64, 0, len(some)*len(d.columns)) // row after row
	if err := d.rowsOf(some, func(_ int, row []float64) { values = append(values, row...) }); err != nil {
		return err
	}
	d.origin, d.unit = make([]float64, len(d.columns)), make([]float64, len(d.columns))
	column := make([]float64, len(some))
	for j := range d.columns {
		for i := range column {
			column[i] = values[i*len(d.columns)+j]
		}
		switch {
		case origin != nil:
			d.origin[j] = origin[d.columns[j]]
		case d.first == 1 && len(column) > 0:
			d.origin[j] = ranked(column, len(column)/2)
		}
		zeros := 0
		for i, v := range column {
			if column[i] = math.Abs(v - d.origin[j]); column[i] == 0 {
				zeros++
			}
		}
		d.unit[j] = 1
		if zeros < len(column) {
			d.unit[j] = powerOfTwo(ranked(column, (zeros+len(column))/2))
		}
	}
	return nil
}

// ranked returns the value that would be v[k] if v were sorted; it changes the order of v.
// (Hoare, Comm. ACM 4, 1961, algorithm 65.)
func ranked(v []float64, k int) float64 {
	for lo, hi := 0, len(v)-1; lo < hi; {
		i, j, middle := lo, hi, v[lo+(hi-lo)/2]
		for i <= j {
			for v[i] < middle {
				i++
			}
			for v[j] > middle {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return v[k]
		}
	}
	return v[k]
}

// powerOfTwo returns the power of two at or below v > 0.
func powerOfTwo(v float64) float64 {
	_, e := math.Frexp(v)
	return math.Ldexp(1, e-1)
}

// measure sets origin, unit, bit and extent. Two passes, the first over some of the rows.
//
// Errors: those of [sample.Range] where a row has a NaN or an infinity.
func (d *data) measure(origin []float64) error {
	if err := d.setTypical(origin); err != nil {
		return err
	}
	type measures struct {
		bit    []int
		extent []float64
	}
	p := len(d.columns)
	d.bit, d.extent = make([]int, p), make([]float64, p)
	for j, c := range d.origin {
		d.bit[j] = lastBit(c)
	}
	err := eachRow(d, func() *measures { return &measures{slices.Clone(d.bit), make([]float64, p)} },
		func(m *measures, i int, row []float64) {
			for j, v := range row {
				m.bit[j] = min(m.bit[j], lastBit(v))
				m.extent[j] = max(m.extent[j], math.Abs(v-d.origin[j]))
			}
		},
		func(m *measures) {
			for j := range d.bit {
				d.bit[j] = min(d.bit[j], m.bit[j])
				d.extent[j] = max(d.extent[j], m.extent[j])
			}
		})
	for j, b := range d.bit {
		if b == noBit {
			d.bit[j] = 0
		}
	}
	if err == nil && linalg.CheckFinite("", d.extent) != nil {
		err = d.refuse()
	}
	return err
}

// refuse returns the error of a row that has a NaN or an infinity, or is out of range; nil if there is none.
//
//go:noinline // a program would have two copies
func (d *data) refuse() error { return sample.Range(d.X, nil, nil) }

// eachRow calls visit with the columns of all rows that are not left out, on several
// goroutines, each with a state of its own for a piece of the rows, which it points to, and
// merge with the states in the order of the rows.
func eachRow[S any](d *data, fresh func() S, visit func(s S, i int, row []float64), merge func(S)) error {
	return eachStored(d, fresh, func() func(s S, b *linalg.Block, i int) {
		row, whole := make([]float64, len(d.columns)), d.wholeRow()
		return func(s S, b *linalg.Block, i int) {
			d.pick(row, whole, b, i)
			visit(s, b.At+i, row)
		}
	}, merge)
}

// eachStored is eachRow of rows as they are stored, row i of a block; begin makes the visitor
// of a piece.
func eachStored[S any](d *data, fresh func() S, begin func() func(s S, b *linalg.Block, i int), merge func(S)) error {
	chunk := max(linalg.BlockRows, (1<<16)/(len(d.columns)+1), d.n/d.few(mostPieces))
	pieces := make([]S, (d.n+chunk-1)/chunk)
	failed := make([]error, len(pieces))
	linalg.For(d.n, chunk, d.Workers, func(lo, hi int) {
		k := lo / chunk
		pieces[k] = fresh()
		visit := begin()
		failed[k] = linalg.Pass(d.X, lo, hi, func(b *linalg.Block) error {
			for i := range b.Len() {
				if d.Code[b.At+i] != Left {
					visit(pieces[k], b, i)
				}
			}
			return nil
		})
	})
	for k := range pieces {
		if failed[k] != nil {
			return failed[k]
		}
		merge(pieces[k])
	}
	return nil
}

// noBit is the last bit of 0.
const noBit = math.MaxInt32

// lastBit returns the power of two of the last bit of v that is set.
func lastBit(v float64) int {
	b := math.Float64bits(v)
	m, e := b&(1<<52-1), int(b>>52&0x7ff)
	switch {
	case e > 0:
		m |= 1 << 52
	case m == 0:
		return noBit
	default:
		e = 1
	}
	return e - 1075 + bits.TrailingZeros64(m)
}

// wholeRow returns room for all columns of a row; nil where all are in use.
func (d *data) wholeRow() []float64 {
	_, p := d.X.Dims()
	if len(d.columns) == p {
		return nil
	}
	return make([]float64, p)
}

// pick sets dst to the columns in use of row i of a block.
func (d *data) pick(dst, whole []float64, b *linalg.Block, i int) {
	if whole == nil {
		b.CopyRow(dst, i)
		return
	}
	b.CopyRow(whole, i)
	for k, j := range d.columns {
		dst[k] = whole[j]
	}
}

// row sets dst to the columns in use of row i.
//
//go:noinline // a program would have several copies
func (d *data) row(dst []float64, i int) error {
	return d.rowsOf([]int{i}, func(_ int, row []float64) { copy(dst, row) })
}

// rowsOf calls visit with the columns in use of some rows, ascending. It takes one pass over all between the first and
// the last of them, or one for each where they lie so far apart that a source which is read in blocks reads fewer.
func (d *data) rowsOf(rows []int, visit func(i int, row []float64)) error {
	row, whole := make([]float64, len(d.columns)), d.wholeRow()
	for k := 0; k < len(rows); {
		end := rows[len(rows)-1] + 1
		if (end-rows[k])/(2*linalg.BlockRows) > len(rows)-k {
			end = rows[k] + 1
		}
		err := linalg.Pass(d.X, rows[k], end, func(b *linalg.Block) error {
			for m := b.Len(); k < len(rows) && rows[k]-b.At < m; k++ {
				d.pick(row, whole, b, rows[k]-b.At)
				visit(rows[k], row)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// integers returns (1, x − origin) of a row, without the 1 where there is no intercept, as
// integers in the units of the columns.
func (d *data) integers(row []float64) []*big.Int {
	z := make([]*big.Int, d.dim)
	if d.first == 1 {
		z[0] = big.NewInt(1)
	}
	t := new(big.Int)
	for j, v := range row {
		z[j+d.first] = exact.Integer(new(big.Int), v, d.bit[j])
		if c := d.origin[j]; c != 0 {
			z[j+d.first].Sub(z[j+d.first], exact.Integer(t, c, d.bit[j]))
		}
	}
	return z
}

// zeros returns n integers that are 0.
//
//go:noinline // a program would have a copy for each caller
func zeros(n int) []*big.Int {
	z := make([]*big.Int, n)
	for j := range z {
		z[j] = new(big.Int)
	}
	return z
}

// A pair is one inequality: of a row's own class and another.
type pair struct{ row, own, other int }

// pairs calls visit with the inequalities of row i: K − 1, or two that contradict each
// other of a row of both classes.
//
//go:noinline // a program would have several copies
func (d *data) pairs(i int, visit func(pair)) {
	own := d.Code[i]
	for c := range d.k {
		switch {
		case own == Both:
			visit(pair{i, 1 - c, c})
		case c != own:
			visit(pair{i, own, c})
		}
	}
}

// difference returns z with z·v = f_own − f_other at the row with the given integers, some of
// which it holds, for the parameters v of the functions of classes 1 … K−1; that of class 0 is 0.
func (d *data) difference(q pair, row []*big.Int) []*big.Int {
	z := zeros((d.k - 1) * d.dim)
	if q.own > 0 {
		copy(z[(q.own-1)*d.dim:], row)
	}
	if q.other > 0 {
		for j, v := range row {
			z[(q.other-1)*d.dim+j].Neg(v)
		}
	}
	return z
}

// vector returns z of a pair, reading its row.
func (d *data) vector(q pair) ([]*big.Int, error) {
	row := make([]float64, len(d.columns))
	if err := d.row(row, q.row); err != nil {
		return nil, err
	}
	return d.difference(q, d.integers(row)), nil
}

// together is of how many inequalities, of any number, there are vectors at a time: of as many as a square matrix has rows.
func (d *data) together() int { return max(64, (d.k-1)*d.dim) }

// vectors returns z of inequalities, whose rows it reads together.
func (d *data) vectors(list []pair) ([][]*big.Int, error) {
	order := ordered(len(list), func(a, b int) int { return list[a].row - list[b].row })
	rows, z, at := make([]int, len(list)), make([][]*big.Int, len(list)), 0
	for k := range rows {
		rows[k] = list[order[k]].row
	}
	err := d.rowsOf(rows, func(_ int, row []float64) {
		k := order[at]
		at++
		z[k] = d.difference(list[k], d.integers(row))
	})
	return z, err
}

// independentWork is how many products the rank of the rows may take.
const independentWork = 1e9

// Independent reports whether the columns in use, and with an intercept a column of ones,
// are proven to be linearly independent in exact arithmetic. O(np²) at most, p rows being
// enough where they are independent; false for a table of more than a second's work.
func Independent(p *Problem) (bool, error) {
	d, err := unmeasured(p)
	if err != nil || float64(d.n)*float64(d.dim)*float64(d.dim) > independentWork {
		return false, err
	}
	if err := d.measure(nil); err != nil {
		return false, err
	}
	span, row := exact.NewSpan(d.dim), make([]float64, len(d.columns))
	for i := 0; i < d.n && span.Rank() < d.dim; i++ {
		if d.Code[i] == Left {
			continue
		}
		if err := d.row(row, i); err != nil {
			return false, err
		}
		span.Add(d.integers(row))
	}
	return span.Rank() == d.dim, nil
}
