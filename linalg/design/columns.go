package design

import (
	"cmp"
	"math"

	"halfspace/linalg"
)

// Columns returns the given features (nil: all) of all rows as they are stored: the
// rows themselves where they are dense and all are wanted, else a copy.
//
// Errors: *[linalg.SizeError] for a copy of more than 4 GB, those of the storage.
func (d *Design) Columns(features []int) (*linalg.Dense, error) {
	if features == nil {
		return linalg.ToDense(d.rows)
	}
	if err := linalg.CheckCopy(d.rows, d.N, len(features)); err != nil {
		return nil, err
	}
	c := linalg.Zeros(d.N, len(features))
	err := d.EachRow(func() func(b *Block) {
		return func(b *Block) {
			to := c.RowRange(b.Lo, b.Hi)
			for k, j := range features {
				b.raw.CopyColumn(to.Data[k:], to.Stride, j)
			}
		}
	})
	return c, err
}

// Subset returns a design of some parameters of one function alone, without an intercept but for that among them: a copy of
// the rows.
//
// Errors: those of [Design.Columns].
func (d *Design) Subset(parameters []int) (*Design, error) {
	if err := linalg.CheckCopy(d.rows, d.N, len(parameters)); err != nil {
		return nil, err
	}
	x := linalg.Zeros(d.N, len(parameters))
	err := d.EachRow(func() func(b *Block) {
		return func(b *Block) { b.gather(x.RowRange(b.Lo, b.Hi), parameters) }
	})
	t := d.Of(x)
	t.Intercept, t.level = 0, nil
	for i, c := range parameters {
		if c >= d.Intercept {
			t.Unit[i] = d.Unit[c-d.Intercept]
		}
	}
	t.SetUnits(t.Unit)
	return t, err
}

// ByColumn returns the values of the rows in the coordinates of the design, column by
// column: a P×N matrix, a copy, in which rows of weight 0 are 0. It stores all values of dense rows; dense
// blocks among sparse rows give those that are not 0.
//
// Errors: those of the storage.
func (d *Design) ByColumn() (*linalg.CSR, error) {
	if !d.Sparse() {
		return d.wholeColumns()
	}
	rows, ok := d.rows.(*linalg.CSR)
	if !ok || !d.plain {
		var err error
		if rows, err = d.storedRows(); err != nil {
			return nil, err
		}
	}
	t := rows.TransposedTo(d.N, d.counted(), d.Workers)
	if !d.unscaled {
		linalg.For(d.P, 64, d.Workers, func(lo, hi int) {
			for j := lo; j < hi; j++ {
				_, values := t.Row(j)
				linalg.Scale(values, 1/d.Unit[j])
			}
		})
	}
	return t, nil
}

// wholeColumns is ByColumn of dense rows.
func (d *Design) wholeColumns() (*linalg.CSR, error) {
	if err := linalg.CheckCopy(d.rows, d.N, d.P); err != nil {
		return nil, err
	}
	start, index, value := []int{0}, make([]int32, d.P*d.N), make([]float64, d.P*d.N)
	for at := range index {
		if index[at] = int32(at % d.N); at%d.N == d.N-1 {
			start = append(start, at+1)
		}
	}
	err := d.EachBlock(func(b *Block) {
		for i := range b.Len() {
			columns, values := b.Stored(i)
			for j, v := range values {
				if columns != nil {
					j = int(columns[j])
				}
				v /= d.Unit[j]
				if d.Weight(b.Lo+i) > 0 {
					value[j*d.N+b.Lo+i] = v
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return linalg.NewCSR(d.P, d.N, start, index, value)
}

// counted returns each row's own number, −1 for those of weight 0; nil where there are no weights.
func (d *Design) counted() (place []int) {
	for i, w := range d.Weights {
		if place = append(place, i); w == 0 {
			place[i] = -1
		}
	}
	return place
}

// storedRows returns the rows of all blocks as one sparse matrix.
func (d *Design) storedRows() (*linalg.CSR, error) {
	start, index, value := []int{0}, []int32{}, []float64{}
	var tooLarge error
	err := d.EachBlock(func(b *Block) {
		if tooLarge != nil {
			return
		}
		for i := range b.Len() {
			columns, values := b.Stored(i)
			for j, v := range values {
				switch {
				case columns != nil:
					index, value = append(index, columns[j]), append(value, v)
				case v != 0:
					index, value = append(index, int32(j)), append(value, v)
				}
			}
			start = append(start, len(value))
		}
		tooLarge = linalg.CheckCopy(d.rows, len(value), 1)
	})
	if err = cmp.Or(err, tooLarge); err != nil {
		return nil, err
	}
	return linalg.NewCSR(d.N, d.P, start, index, value)
}

// Kernel returns the products Σⱼ (sⱼxᵢⱼ)(sⱼxₖⱼ) of the slopes' part of the rows, in units; they
// are 0 for rows of weight 0. Dense rows are read where they lie, of others there is a copy
// meanwhile. O(n²p); of sparse rows O(n²) and the pairs of stored values that share a column.
//
// Errors: *[linalg.SizeError] for a copy of more than 4 GB, those of the storage.
func (d *Design) Kernel(scale []float64) (*linalg.Dense, error) {
	s := linalg.Clone(scale)
	for j, u := range d.Unit {
		s[j] /= u
	}
	var k *linalg.Dense
	if d.Sparse() && !d.nearlyDense() {
		columns, rest, err := d.columnsAbout(s)
		if err != nil {
			return nil, err
		}
		k = sparseKernel(columns, rest, d.Workers)
	} else {
		x, err := linalg.ToDense(d.rows)
		if err != nil {
			return nil, err
		}
		k = linalg.GramOfRows(x, d.Origin, s, d.Workers)
	}
	for i := range k.Rows {
		if d.Weight(i) == 0 {
			clear(k.Row(i))
			for l := range k.Rows {
				k.Set(l, i, 0)
			}
		}
	}
	return k, nil
}

// columnsAbout returns the columns of sparse rows, times s, about the origin in those without holes,
// where it may be many times the deviations, and what of an implied origin is left for the others.
func (d *Design) columnsAbout(s []float64) (columns *linalg.CSR, rest []float64, err error) {
	about := d.At(d.Origin, nil)
	if columns, err = about.ByColumn(); err != nil {
		return nil, nil, err
	}
	rest = make([]float64, d.P)
	for j, v := range s {
		_, values := columns.Row(j)
		linalg.Scale(values, v)
		rest[j] = (d.Origin[j] - about.Origin[j]) * v
	}
	return columns, rest, nil
}

// sparseKernel returns the products of rows about c, xᵢ·xₖ − xᵢ·c − xₖ·c + c·c: of row i by the
// columns of its values, xᵢⱼ times column j each.
func sparseKernel(columns *linalg.CSR, c []float64, workers int) *linalg.Dense {
	rows := linalg.Block{CSR: columns.Transposed(workers)}
	n, square := rows.Len(), linalg.Dot(c, c)
	k, moved := linalg.Zeros(n, n), make([]float64, n)
	rows.MulVec(moved, c)
	linalg.For(n, 16, workers, func(i, hi int) {
		for ; i < hi; i++ {
			row := k.Row(i)
			for l, m := range moved {
				row[l] = square - (moved[i] + m)
			}
			index, values := rows.Row(i)
			for at, j := range index {
				columns.AddRow(row, int(j), values[at])
			}
		}
	})
	return k
}

// Weighted returns the rows √w(1, x) in units, a copy: its cross product is the Gram
// matrix of the parameters of one function. Rows of weight 0 are 0.
//
// Errors: *[linalg.SizeError] for a copy of more than 4 GB, those of the storage.
func (d *Design) Weighted() (*linalg.Dense, error) {
	if err := linalg.CheckCopy(d.rows, d.N, d.Dim()); err != nil {
		return nil, err
	}
	c := linalg.Zeros(d.N, d.Dim())
	err := d.EachRow(func() func(b *Block) {
		return func(b *Block) {
			for i := range b.Len() {
				if w := d.Weight(b.Lo + i); w > 0 {
					b.Row(c.Row(b.Lo+i), i)
					linalg.Scale(c.Row(b.Lo+i), math.Sqrt(w))
				}
			}
		}
	})
	return c, err
}

// CheckRank looks for linear dependence among the intercept and the given columns
// (nil: all) of the rows with positive weight. O(np²), unless [Design.Dependent] finds one.
//
// Errors: those of [linalg.CheckRank] and of [Design.Columns].
func (d *Design) CheckRank(features []int) error {
	if err := d.Dependent(features); err != nil {
		return err
	}
	if len(features) == d.P {
		features = nil
	}
	x, err := d.Columns(features)
	if err != nil {
		return err
	}
	err = linalg.CheckRank(x, d.Weights, d.Intercept == 1, d.Workers)
	if e, ok := err.(*linalg.RankError); ok && features != nil {
		for i, j := range e.Columns {
			e.Columns[i] = features[j]
		}
	}
	return err
}

// Row sets dst to (1, x) of row i, in units.
func (d *Design) Row(dst []float64, i int) error {
	k := d.Intercept
	if err := d.rawRow(dst[k:], i); err != nil {
		return err
	}
	if k == 1 {
		if dst[0] = 1; d.level != nil {
			dst[0] = d.level[i]
		}
	}
	for j, u := range d.Unit {
		dst[j+k] = (dst[j+k] - d.Origin[j]) / u
	}
	return nil
}
