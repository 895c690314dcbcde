package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"halfspace/linalg"
	"halfspace/sim/dataset/numpy"
)

// readNumPy reads a .npy, a matrix whose last column is the label, or a .npz: a matrix that
// scipy.sparse.save_npz saved, or one named X, x or arr_0, and the labels named y or arr_1.
func readNumPy(file string, r *bufio.Reader, o *Options, s *Schema) (*Data, error) {
	if err := plainColumns(file, s); err != nil {
		return nil, err
	}
	d, labels := &Data{}, (*numpy.Array)(nil)
	begin, err := r.Peek(2)
	switch {
	case err != nil && err != io.EOF:
	case string(begin) == "PK":
		labels, err = d.fromArchive(r, o)
	default:
		labels, err = d.fromArray(r, o, s)
	}
	if err == nil && labels == nil && !o.NoLabels {
		err = errors.New("there are no labels: the last column of a .npy, or an array of numbers or text named y in a .npz")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if n, _ := d.Dims(); !o.NoLabels && labels.Len() != n {
		return nil, fmt.Errorf("%s: %w", file, &linalg.ShapeError{Want: n, WantOf: "rows", Got: labels.Len(), GotOf: "labels"})
	}
	return d, named(file, d.label(file, labels, o, s))
}

var errNoRows = errors.New("no rows")

// plainColumns refuses options and schemas of columns that arrays do not have.
func plainColumns(file string, s *Schema) error {
	if s != nil && (!s.numeric() || s.Offset != "" || s.Text != nil) {
		return wrong(file, 0, "NumPy arrays have no columns of categories, offsets or documents, the model does")
	}
	return nil
}

// indexNumPy makes the first pass over a .npy, whose rows have the same length.
func (x *Stream) indexNumPy(r *bufio.Reader, text *counted, o *Options, s *Schema) (*Data, error) {
	if err := plainColumns(x.name, s); err != nil {
		return nil, err
	}
	h, err := numpy.ReadHeader(r)
	switch {
	case err != nil:
		return nil, err
	case h.Number() == nil:
		return nil, h.Unread()
	case len(h.Shape) != 2:
		return nil, fmt.Errorf("an array of %d dimensions, want a matrix of numbers", len(h.Shape))
	case h.Fortran:
		return nil, errors.New("the columns lie side by side, only rows can be read in passes; save it by numpy.ascontiguousarray")
	case h.Shape[1] < 1 || h.Shape[1] > maxRecord/h.Width:
		return nil, fmt.Errorf("rows of %d values", h.Shape[1])
	}
	rows := &arrayRows{values: h.Shape[1], p: h.Shape[1] - 1, width: h.Width, number: h.Number()}
	if wholeRows(rows.values, o, s) {
		rows.p++
	}
	x.recordEnd = func(text []byte) int { return min(len(text), rows.values*rows.width) }
	labels := &numpy.Array{}
	err = index(x, nil, r, text, o.Workers, rows.last, func(last []float64) (int, error) {
		if rows.p < rows.values {
			labels.Data = append(labels.Data, last...)
		}
		return len(last), nil
	})
	if err != nil {
		return nil, err
	}
	if h.Shape[0] == 0 {
		return nil, errNoRows
	}
	if x.n != h.Shape[0] || rows.p == 0 {
		return nil, &linalg.ShapeError{Want: h.Shape[0], WantOf: "rows in the header", Got: x.n, GotOf: fmt.Sprintf("whole rows of %d features", rows.p)}
	}
	x.p = rows.p
	x.decoders.New = func() any { own := *rows; return &own }
	d := &Data{Stream: x}
	return d, d.label(x.name, labels, o, s)
}

// arrayRows decodes the rows of a .npy.
type arrayRows struct {
	values, p, width int // of a row, of its features, of a value
	number           func([]byte) float64
	dense            linalg.Dense
}

// last returns the last value of each row of text that is whole.
func (a *arrayRows) last(text []byte) []float64 {
	row := a.values * a.width
	all := make([]float64, len(text)/row)
	for i := range all {
		all[i] = a.number(text[(i+1)*row-a.width:])
	}
	return all
}

func (a *arrayRows) decode(text []byte, n int) (linalg.Block, error) {
	if cap(a.dense.Data) < n*a.p {
		a.dense.Data = make([]float64, (n+n/4)*a.p)
	}
	a.dense = linalg.Dense{Rows: n, Cols: a.p, Stride: a.p, Data: a.dense.Data[:n*a.p]}
	for i := range n {
		row := text[i*a.values*a.width:]
		for j := range a.p {
			a.dense.Data[i*a.p+j] = a.number(row[j*a.width:])
		}
	}
	return linalg.Block{Dense: &a.dense}, nil
}

// wholeRows reports whether none of so many columns of a .npy is the label.
func wholeRows(columns int, o *Options, s *Schema) bool {
	return o.NoLabels && (s == nil || s.plainWidth() == columns)
}

// fromArchive sets the rows to those of a .npz and returns its labels.
func (d *Data) fromArchive(r io.Reader, o *Options) (*numpy.Array, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	z, err := numpy.ReadArchive(bytes.NewReader(all), int64(len(all)), o.maxBytes())
	if err != nil {
		return nil, err
	}
	first := func(names ...string) *numpy.Array {
		for _, n := range names {
			if a := z[n]; a != nil {
				return a
			}
		}
		return nil
	}
	labels := first("y", "Y", "labels", "target", "arr_1")
	if d.Sparse, err = z.Sparse(o.maxBytes()); err != nil || d.Sparse != nil {
		return labels, err
	}
	x := first("X", "x", "data", "arr_0")
	if x == nil || len(x.Shape) != 2 || x.Data == nil {
		return nil, errors.New("no matrix of numbers named X, x, data or arr_0, and none of scipy.sparse.save_npz")
	}
	d.X, err = linalg.NewDense(x.Shape[0], x.Shape[1], x.Data)
	return labels, err
}

// fromArray sets the rows to those of a .npy without its last column, which comes back, unless
// there are to be no labels.
func (d *Data) fromArray(r *bufio.Reader, o *Options, s *Schema) (*numpy.Array, error) {
	a, err := numpy.Read(r, o.maxBytes())
	if err == nil {
		_, err = io.Copy(io.Discard, r) // the checksum is that of the whole file
	}
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Data == nil {
		return nil, fmt.Errorf("an array of %d dimensions, want a matrix of numbers", len(a.Shape))
	}
	if a.Shape[0] == 0 {
		return nil, errNoRows
	}
	x, err := linalg.NewDense(a.Shape[0], a.Shape[1], a.Data)
	if err != nil || wholeRows(x.Cols, o, s) {
		d.X = x
		return nil, err
	}
	last := x.Cols - 1
	d.X = &linalg.Dense{Rows: x.Rows, Cols: last, Stride: x.Stride, Data: x.Data}
	return &numpy.Array{Shape: []int{x.Rows}, Data: x.Col(nil, last)}, d.X.Check()
}

// label sets the labels or responses, the schema and the names.
func (d *Data) label(file string, labels *numpy.Array, o *Options, s *Schema) error {
	l, c := &layout{file: file, schema: s, numeric: o.Numeric}, coder{}
	_, p := d.Dims()
	if s != nil {
		if l.numeric, l.classes = s.Names == nil, newKnown(s.Names, true); p != s.plainWidth() {
			return &linalg.ShapeError{Want: s.plainWidth(), WantOf: "features of the model", Got: p, GotOf: "columns"}
		}
	}
	var codes []int
	switch {
	case o.NoLabels:
	case l.numeric && labels.Texts != nil:
		return wrong(file, 0, "the labels are no numbers")
	case l.numeric:
		if err := linalg.CheckFinite("y", labels.Data); err != nil {
			return err
		}
		d.Y = labels.Data
	default:
		for i := range labels.Len() {
			if labels.Texts == nil && math.Abs(labels.Data[i]) >= 1<<53 {
				return fmt.Errorf("row %d: a label of 2^53 or more, of which a number loses digits; save the labels as text, by y.astype(str)", i)
			}
			k, reason := l.code(&c, []byte(labelText(labels, i)))
			if reason != "" {
				return fmt.Errorf("row %d: %s", i, reason)
			}
			codes = append(codes, k)
		}
	}
	names, place := order(c.names)
	if d.Schema = s; s == nil {
		if p > maxFeatures {
			return tooManyFeatures(file, p)
		}
		d.Schema, d.Notes = &Schema{Numbered: p, Names: names, Missing: o.Missing, Strict: o.Strict}, spellings(c.names, names, place)
		for i, k := range codes {
			codes[i] = place[k]
		}
	}
	d.Labels, d.Names = codes, d.Schema.Names
	return nil
}

// labelText returns a label as a file would spell it.
func labelText(a *numpy.Array, i int) string {
	if a.Texts != nil {
		return a.Texts[i]
	}
	return strconv.FormatFloat(a.Data[i], 'f', -1, 64)
}
