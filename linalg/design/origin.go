package design

import (
	"errors"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// probeRows is the number of dense rows that origin and units are estimated from; fewer
// where rows are long.
const probeRows = 2048

// locate chooses origin and units from the rows of positive weight: from some of the
// rows that can be read one by one for nothing, and from all rows of another storage,
// whose zeros a few rows can miss.
func (d *Design) locate() error {
	d.Origin, d.Unit = make([]float64, d.P), make([]float64, d.P)
	if x, ok := d.rows.(*linalg.Dense); ok {
		d.perRow = float64(d.P)
		d.probe(x)
		d.MoveOrigin(d.Origin)
		return nil
	}
	if err := d.measureRows(); err != nil {
		return err
	}
	all, err := d.extent()
	if err != nil {
		return err
	}
	if all.stored != nil {
		d.holed = make([]bool, d.P)
		for j, m := range all.stored {
			d.holed[j] = m < all.sparse
		}
	}
	d.place(all, 0)
	d.MoveOrigin(d.Origin)
	return nil
}

// measureRows finds how many values a row has stored, on average over the first rows where
// it is not known.
func (d *Design) measureRows() error {
	if x, ok := d.rows.(*linalg.CSR); ok {
		d.perRow = float64(x.Stored()) / float64(d.N)
		return nil
	}
	rows, stored := min(d.N, linalg.BlockRows), 0
	err := linalg.Pass(d.rows, 0, rows, func(b *linalg.Block) error {
		for i := range b.Len() {
			_, values := b.Row(i)
			stored += len(values)
		}
		return nil
	})
	d.perRow = float64(stored) / float64(rows)
	return err
}

// Extent is the least and the largest values of columns in the rows that count, and
// Σ(x−first): all that the choice of an origin and of units depends on. Of sparse rows it is
// that of the values which are stored, until addZeros.
type Extent struct {
	Rows               float64
	First, Lo, Hi, Sum []float64

	d      *Design
	row    []float64
	sparse float64   // rows of sparse blocks
	stored []float64 // by column, how many of them have a stored value; nil without
}

// EmptyExtent returns that of no rows of p columns.
func EmptyExtent(p int) *Extent {
	return &Extent{First: make([]float64, p), Lo: make([]float64, p), Hi: make([]float64, p), Sum: make([]float64, p), row: make([]float64, p)}
}

// Extent returns that of all rows. One pass, O(np).
func (d *Design) Extent() (*Extent, error) {
	e, err := d.extent()
	return &Extent{Rows: e.Rows, First: e.First, Lo: e.Lo, Hi: e.Hi, Sum: e.Sum}, err
}

func (d *Design) extent() (*Extent, error) {
	all := EmptyExtent(d.P)
	return all, Reduce(d, 1, func() *Extent { e := EmptyExtent(d.P); e.d = d; return e }, all.Merge)
}

// Reset forgets all rows.
func (e *Extent) Reset() {
	e.Rows, e.sparse = 0, 0
	clear(e.stored)
}

// Add takes in the rows of a block that count.
func (e *Extent) Add(b *Block) {
	for i := b.Lo; i < b.Hi; i++ {
		if !(e.d.Weight(i) > 0) {
			continue
		}
		columns, values := b.raw.Row(i - b.Lo)
		switch {
		case columns == nil:
			e.take(values)
			continue
		case e.Rows == 0:
			b.raw.CopyRow(e.row, i-b.Lo)
			e.take(e.row)
		default:
			e.takeStored(columns, values)
		}
		e.count(columns)
	}
}

// takeStored takes in the values that are stored of a row which is not the first.
func (e *Extent) takeStored(columns []int32, values []float64) {
	e.Rows++
	for k, j := range columns {
		v := values[k]
		e.Lo[j], e.Hi[j] = min(e.Lo[j], v), max(e.Hi[j], v)
		e.Sum[j] += v - e.First[j]
	}
}

// count notes which columns are stored of a sparse row.
func (e *Extent) count(columns []int32) {
	if e.stored == nil {
		e.stored = make([]float64, len(e.Sum))
	}
	e.sparse++
	for _, j := range columns {
		e.stored[j]++
	}
}

// addZeros takes in the zeros that are not stored.
func (e *Extent) addZeros() {
	for j, m := range e.stored {
		if zeros := e.sparse - m; zeros > 0 {
			e.Lo[j], e.Hi[j] = min(e.Lo[j], 0), max(e.Hi[j], 0)
			e.Sum[j] -= zeros * e.First[j]
		}
	}
}

func (e *Extent) take(row []float64) {
	if e.Rows++; e.Rows == 1 {
		copy(e.First, row)
		copy(e.Lo, row)
		copy(e.Hi, row)
		clear(e.Sum)
		return
	}
	first, lo, hi, sum := e.First[:len(row)], e.Lo[:len(row)], e.Hi[:len(row)], e.Sum[:len(row)]
	for j, v := range row {
		if v < lo[j] {
			lo[j] = v
		}
		if v > hi[j] {
			hi[j] = v
		}
		sum[j] += v - first[j]
	}
}

// Merge takes in the rows of another extent, of as many columns.
func (e *Extent) Merge(o *Extent) {
	if o.Rows == 0 {
		return
	}
	o.addZeros()
	if e.Rows == 0 {
		copy(e.First, o.First)
		copy(e.Lo, o.Lo)
		copy(e.Hi, o.Hi)
	}
	for j := range e.Sum {
		e.Lo[j], e.Hi[j] = min(e.Lo[j], o.Lo[j]), max(e.Hi[j], o.Hi[j])
		e.Sum[j] += o.Sum[j] + o.Rows*(o.First[j]-e.First[j])
	}
	e.Rows += o.Rows
	e.sparse += o.sparse
	if e.stored == nil && o.stored != nil {
		e.stored = make([]float64, len(e.Sum))
	}
	linalg.Axpy(e.stored[:len(o.stored)], 1, o.stored)
}

// probe measures at most probeRows dense rows, evenly spaced.
func (d *Design) probe(x *linalg.Dense) {
	most := min(probeRows, max(linalg.BlockRows, (1<<20)/d.P))
	step := (d.N + most - 1) / most
	var rows [][]float64
	for at := 0; at < d.N; at += step {
		if i := d.firstWeighted(at, min(at+step, d.N)); i >= 0 {
			rows = append(rows, x.Row(i))
		}
	}
	linalg.For(d.P, 1+(1<<18)/len(rows), d.Workers, func(from, to int) { // a kilobyte of each row and more, which memory gives in one go
		e := EmptyExtent(to - from)
		for _, row := range rows {
			e.take(row[from:to])
		}
		d.place(e, from)
	})
}

// place sets origin and unit of the columns of an extent, the first of which is
// column from.
func (d *Design) place(e *Extent, from int) {
	for j := range e.Sum {
		lo, hi := e.Lo[j], e.Hi[j]
		mid := min(max(e.First[j]+e.Sum[j]/e.Rows, lo), hi)
		spread := max(hi-mid, mid-lo)
		if d.Intercept == 1 && math.Abs(mid) > spread {
			d.Origin[from+j] = mid
		} else {
			spread = max(math.Abs(lo), math.Abs(hi))
		}
		d.Unit[from+j] = powerOfTwo(spread)
	}
}

// powerOfTwo returns the power of two at or below v, 1 for zero, NaN or an
// infinity.
func powerOfTwo(v float64) float64 {
	if v == 0 || v-v != 0 {
		return 1
	}
	_, e := math.Frexp(v)
	return math.Ldexp(1, e-1)
}

// Of returns the design of other rows, about 0 in units of 1.
func (d *Design) Of(x *linalg.Dense) *Design {
	t := *d
	t.rows, t.P, t.perRow, t.holed, t.implied = x, x.Cols, float64(x.Cols), nil, false
	t.put(nil, nil)
	return &t
}

// MoveOrigin moves the origin: inference works about that of a model, so that the
// model's functions keep their digits. In columns of sparse rows that hold zeros it stays 0.
// It is for a design of which no objective has been made yet.
func (d *Design) MoveOrigin(origin []float64) {
	copy(d.Origin, origin)
	d.spread = new(spread)
	for j, zeros := range d.holed {
		if zeros {
			d.Origin[j] = 0
		}
	}
	d.plain = !slices.ContainsFunc(d.Origin, func(c float64) bool { return c != 0 })
	if d.tiled, d.off = nil, nil; !d.plain {
		d.tiled, d.off = tile(d.Origin, d.N), offOrigin(d)
	}
}

// SetUnits replaces the units: a penalty has one scale in units that are standard
// deviations, or 1. It is for a design of which no objective has been made yet.
func (d *Design) SetUnits(unit []float64) {
	copy(d.Unit, unit)
	d.unscaled = !slices.ContainsFunc(unit, func(u float64) bool { return u != 1 })
}

// At returns the design with another origin and other units; a nil origin is 0, nil units
// are 1.
//
//go:noinline // a program would have a dozen copies
func (d *Design) At(origin, unit []float64) *Design {
	t := *d
	t.put(origin, unit)
	return &t
}

// put gives the design an origin and units of its own.
func (d *Design) put(origin, unit []float64) {
	d.Origin, d.Unit = make([]float64, d.P), linalg.Clone(unit)
	if unit == nil {
		d.Unit = slices.Repeat([]float64{1}, d.P)
	}
	d.MoveOrigin(origin)
	d.SetUnits(d.Unit)
}

// About returns rows about an origin, in units of 1, without an intercept and unchecked. A
// nil origin is 0.
func About(x linalg.Rows, origin []float64, workers int) *Design {
	n, p := x.Dims()
	d := &Design{N: n, P: p, Workers: workers, Total: float64(n), rows: x, perRow: float64(p)}
	if s, ok := x.(*linalg.CSR); ok {
		d.perRow = float64(s.Stored()) / float64(n)
	}
	d.put(origin, nil)
	return d
}

// Centered returns the design about the weighted means of its columns, in units of 1 and
// without the intercept, for squared error, which is least where that is the mean of the
// response whatever the coefficients are. Without an intercept the origin is 0. Means and
// standard deviations (divisor Σw) of the columns are those of the data. It is the check
// of all values: see [Design.Spread] for cost and errors.
//
// About means no value is 0: of sparse rows the design has a dense copy where that is small,
// or not much larger than they are. Else the rows stay as they are and the origin is implied:
// functions are moved by it, and sums of residuals times rows are those of the rows about 0, which are the
// same because residuals about the mean of the response sum to 0.
func (d *Design) Centered() (c *Design, mean, sd []float64, err error) {
	if mean, sd, err = d.Spread(); err != nil {
		return nil, nil, nil, err
	}
	for j, u := range d.Unit {
		mean[j], sd[j] = d.Origin[j]+mean[j]*u, sd[j]*u
	}
	if d.Intercept == 0 {
		return d.At(nil, nil), mean, sd, nil
	}
	if d.Sparse() && !d.nearlyDense() {
		c = d.At(nil, nil)
		c.implied = true
		copy(c.Origin, mean)
	} else if c, err = d.denseAbout(mean, nil); err != nil {
		return nil, nil, nil, err
	}
	c.Intercept = 0
	return c, mean, sd, nil
}

// A dense copy of sparse rows that is made has at most smallCopy values, half a megabyte, or denseShare
// for each that is stored.
const smallCopy, denseShare = 1 << 16, 3

// nearlyDense reports whether a dense copy of the rows is small, or not much larger than they
// are.
func (d *Design) nearlyDense() bool {
	return float64(d.N)*float64(d.P) <= max(smallCopy, denseShare*d.perRow*float64(d.N))
}

// Share returns how many of the values of the rows are stored, as a share: 1 of dense rows.
func (d *Design) Share() float64 { return d.perRow / float64(d.P) }

// denseAbout is [Design.At], of sparse rows with a dense copy.
func (d *Design) denseAbout(origin, unit []float64) (*Design, error) {
	about := *d
	if d.Sparse() {
		var err error
		if about.rows, err = linalg.ToDense(d.rows); err != nil {
			return nil, err
		}
		about.holed, about.perRow = nil, float64(d.P)
	}
	return about.At(origin, unit), nil
}

// Far returns the design of n rows that are elsewhere, of the weight total, with origin and
// units by their extent: for coordinates and sums, not for passes.
func Far(n int, total float64, intercept int, e *Extent) *Design {
	p := len(e.Sum)
	d := &Design{N: n, P: p, Intercept: intercept, Total: total, Origin: make([]float64, p), Unit: make([]float64, p), perRow: float64(p), rows: elsewhere{n, p}}
	d.place(e, 0)
	d.MoveOrigin(d.Origin)
	return d
}

// elsewhere is rows that cannot be read here.
type elsewhere struct{ n, p int }

func (e elsewhere) Dims() (n, p int) { return e.n, e.p }

func (elsewhere) Pass(int, int, func(*linalg.Block) error) error { return errElsewhere }

var errElsewhere = errors.New("design: the rows are elsewhere")

// Settings are the options of a fit that make its design. The design keeps the slices,
// and never writes to them; the length of Offset is the caller's to check.
type Settings struct {
	Weights, Offset []float64
	NoIntercept     bool
	Workers         int
}

// New checks the rows and their weights and chooses origin and units. count is the
// number of labels or responses, and countOf names them in errors. Dense rows are read
// in part, other rows once; the values that this leaves unseen are checked by
// [Design.Sizes]. O(p) memory.
//
// Errors: *[linalg.ShapeError], *[linalg.SizeError], *[linalg.NonFiniteError],
// *[linalg.WeightError], and those of the storage.
func New(x linalg.Rows, count int, countOf string, s Settings) (*Design, error) {
	n, p, err := sample.Dims(x, count, countOf)
	if err != nil {
		return nil, err
	}
	d := &Design{N: n, P: p, Intercept: 1, Weights: s.Weights, Offset: s.Offset, Workers: s.Workers, rows: x}
	if s.NoIntercept {
		d.Intercept = 0
	}
	if d.Total, err = sample.Weights(s.Weights, n); err != nil {
		return nil, err
	}
	d.plainWeights = sample.PlainWeights(d.Weights)
	return d, d.locate()
}

// ForPasses returns the design, for many passes of so many scores, of a dense copy of sparse rows: where a fifth of their
// values is stored, the copy has at most 64 MB, and there are several scores, or no more features than rows. It is d for
// others. (Measured, processor seconds of ridges: 400 × 2,000 indicators of which a quarter is stored, 3 classes, .24 and .09;
// 20,000 × 200, 2 classes, .13 and .08; 600 × 3,000, 2 classes, .03 and .05.)
func (d *Design) ForPasses(scores int) (*Design, error) {
	const least, most, share = 1 << 16, 1 << 23, 1. / 5
	_, ok := d.rows.(*linalg.CSR)
	if values := float64(d.N) * float64(d.P); !ok || values < least || values > most || d.Share() < share || scores == 1 && d.N < d.P {
		return d, nil
	}
	return d.denseAbout(d.Origin, d.Unit)
}
