package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"halfspace/linalg"
	"halfspace/sim/dataset/numpy"
)

// readNumPy reads a .npy, a matrix whose last column is the label, or a .npz: a matrix that
// scipy.sparse.save_npz saved, or one named X, x or arr_0, and the labels named y or arr_1.
func readNumPy(file string, r io.Reader, o *Options, s *Schema) (*Data, error) {
	if o.Label != "" || o.Weights != "" || o.Offset != "" || o.Text != "" {
		return nil, wrong(file, 0, "NumPy arrays have no named columns")
	}
	if s != nil && (!s.numeric() || s.Offset != "" || s.Text != nil) {
		return nil, wrong(file, 0, "NumPy arrays have no columns of categories, offsets or documents, the model does")
	}
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	d, labels := &Data{}, (*numpy.Array)(nil)
	if bytes.HasPrefix(all, []byte("PK")) {
		labels, err = d.fromArchive(all, o)
	} else {
		labels, err = d.fromArray(all, o, s)
	}
	if err == nil && labels == nil && !o.NoLabels {
		err = errors.New("there are no labels: the last column of a .npy, or an array named y in a .npz")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if n, _ := d.Dims(); !o.NoLabels && labels.Len() != n {
		return nil, fmt.Errorf("%s: %w", file, &linalg.ShapeError{Want: n, WantOf: "rows", Got: labels.Len(), GotOf: "labels"})
	}
	return d, d.label(file, labels, o, s)
}

// fromArchive sets the rows to those of a .npz and returns its labels.
func (d *Data) fromArchive(all []byte, o *Options) (*numpy.Array, error) {
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
	if d.Sparse, err = z.Sparse(); err != nil || d.Sparse != nil {
		return labels, err
	}
	x := first("X", "x", "data", "arr_0")
	if x == nil || len(x.Shape) != 2 || x.Data == nil {
		return nil, errors.New("no matrix named X, x, data or arr_0, and none of scipy.sparse.save_npz")
	}
	d.X, err = linalg.NewDense(x.Shape[0], x.Shape[1], x.Data)
	return labels, err
}

// fromArray sets the rows to those of a .npy without its last column, which comes back, unless
// there are to be no labels.
func (d *Data) fromArray(all []byte, o *Options, s *Schema) (*numpy.Array, error) {
	a, err := numpy.Read(bytes.NewReader(all), o.maxBytes())
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Data == nil {
		return nil, fmt.Errorf("an array of %d dimensions, want a matrix of numbers", len(a.Shape))
	}
	x, err := linalg.NewDense(a.Shape[0], a.Shape[1], a.Data)
	if err != nil || o.NoLabels && (s == nil || len(s.Columns) == x.Cols) {
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
	if s != nil {
		l.numeric, l.classes = s.Names == nil, newKnown(s.Names, true)
	}
	var codes []int
	switch {
	case o.NoLabels:
	case l.numeric && labels.Texts != nil:
		return wrong(file, 0, "the labels are no numbers")
	case l.numeric:
		d.Y = labels.Data
	default:
		for i := range labels.Len() {
			k, reason := l.code(&c, []byte(labelText(labels, i)))
			if reason != "" {
				return fmt.Errorf("%s: row %d: %s", file, i, reason)
			}
			codes = append(codes, k)
		}
	}
	names, place := order(c.names)
	if d.Schema = s; s == nil {
		_, p := d.Dims()
		if p > maxFeatures {
			return tooManyFeatures(file, p)
		}
		d.Schema = &Schema{Columns: numberedColumns(p), Names: names}
		for i, k := range codes {
			codes[i] = place[k]
		}
	}
	d.Labels, d.Names, d.Features = codes, d.Schema.Names, d.Schema.Features()
	return nil
}

// labelText returns a label as a file would spell it.
func labelText(a *numpy.Array, i int) string {
	if a.Texts != nil {
		return a.Texts[i]
	}
	return strconv.FormatFloat(a.Data[i], 'f', -1, 64)
}
