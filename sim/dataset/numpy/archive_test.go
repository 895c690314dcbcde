package numpy_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/sim/dataset/numpy"
)

// npy returns an array of one dimension.
func npy(values ...float64) []byte {
	header := "{'descr': '<f8', 'fortran_order': False, 'shape': (" + string(rune('0'+len(values))) + ",), }\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
	b = append(b, header...)
	for _, v := range values {
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	return b
}

var arrays = map[string][]float64{"first": {1, 2.5, -3}, "second": {7}, "third": {}}

// archived returns the arrays in an archive, with another file.
func archived(t *testing.T, method uint16) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"first", "second", "third", "text"} {
		values, is := arrays[name]
		text := npy(values...)
		if is {
			name += ".npy"
		} else {
			text = []byte("no array")
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		f.Write(text)
	}
	w.SetComment("comment")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read reads an archive of some bytes.
func read(all []byte, limit float64) (numpy.Archive, error) {
	return numpy.ReadArchive(bytes.NewReader(all), int64(len(all)), limit)
}

func TestArchives(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		all := archived(t, method)
		z, err := read(all, 1e6)
		if err != nil || len(z) != len(arrays) {
			t.Fatalf("method %d: %d arrays: %v", method, len(z), err)
		}
		for name, want := range arrays {
			if !slices.Equal(z[name].Data, want) {
				t.Errorf("method %d: %s is %v, want %v", method, name, z[name].Data, want)
			}
		}
		// No part of an archive is one, and a byte changed is an error or changes no number.
		for k := range all {
			if _, err := read(all[:k], 1e6); err == nil && k < len(all)-len("comment") {
				t.Errorf("method %d: %d of %d bytes are read", method, k, len(all))
			}
			changed := slices.Clone(all)
			changed[k] ^= 0x55
			z, err := read(changed, 1e6)
			if err == nil && bytes.HasPrefix(all[k:], []byte("PK\x01\x02")) {
				t.Errorf("method %d, byte %d: an entry less is no error", method, k)
			}
			for name, a := range z {
				if want, ok := arrays[name]; ok && err == nil && !slices.Equal(a.Data, want) {
					t.Errorf("method %d, byte %d: %s is %v", method, k, name, a.Data)
				}
			}
		}
	}
	if _, err := read(archived(t, zip.Deflate), 20); err == nil {
		t.Error("an array of more bytes than the limit is read")
	}
}

// saved returns an array of any header.
func saved(descr, order, shape string, values []byte) []byte {
	header := "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n"
	return append(append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0), append([]byte(header), values...)...)
}

// Columns of no values, or no columns, are an array of no values; a shape may have the longs of Python 2.
func TestShapes(t *testing.T) {
	for shape, want := range map[string][]int{"(3, 0)": {3, 0}, "(0, 3)": {0, 3}, "(0, 0)": {0, 0}, "(2147483647, 0)": {math.MaxInt32, 0}, "(0L, 2L)": {0, 2}} {
		for _, order := range []string{"True", "False"} {
			a, err := numpy.Read(bytes.NewReader(saved("<i2", order, shape, nil)), 1e6)
			if err != nil || !slices.Equal(a.Shape, want) || a.Len() != 0 {
				t.Errorf("%s, columns side by side %s: %+v, %v", shape, order, a, err)
			}
		}
	}
}

// A sparse matrix by columns has as many rows as it says, which may be more than fit into memory.
func TestSparseLimit(t *testing.T) {
	one := []byte{0, 0, 0, 0}
	starts := append(slices.Clone(one), 1, 0, 0, 0)
	z := numpy.Archive{}
	for name, b := range map[string][]byte{"format": saved("|S3", "False", "()", []byte("csc")), "shape": saved("<i4", "False", "(2,)", []byte{0, 0, 0, 0x7f, 1, 0, 0, 0}),
		"indptr": saved("<i4", "False", "(2,)", starts), "indices": saved("<i4", "False", "(1,)", one), "data": saved("<f4", "False", "(1,)", []byte{0, 0, 0x80, 0x3f})} {
		a, err := numpy.Read(bytes.NewReader(b), 1e6)
		if err != nil {
			t.Fatal(name, err)
		}
		z[name] = a
	}
	var size *linalg.SizeError
	if _, err := z.Sparse(1e6); !errors.As(err, &size) || size.Rows != 0x7f000000 {
		t.Errorf("a column of 2 billion rows: %v", err)
	}
	z["shape"].Data[0] = 1e5
	if a, err := z.Sparse(1e6); err != nil || a.At(0, 0) != 1 || a.Stored() != 1 {
		t.Errorf("a column of 100,000 rows: %v", err)
	}
}

// Rows whose columns are in any order are put in order; those of a damaged file, whose starts, columns and
// values do not fit each other, are an error.
func TestSparseRowsOutOfOrder(t *testing.T) {
	for _, c := range []struct {
		start, index, value []float64
		good                bool
	}{
		{[]float64{0, 2, 3}, []float64{1, 0, 1}, []float64{5, 6, 7}, true},
		{[]float64{0, 2, 3}, []float64{1, 0, 1}, []float64{5}, false},
		{[]float64{0, 2, 3}, []float64{1}, []float64{5, 6, 7}, false},
		{[]float64{0, 3, 2}, []float64{1, 0, 1}, []float64{5, 6, 7}, false},
		{[]float64{-1, 2, 3}, []float64{1, 0, 1}, []float64{5, 6, 7}, false},
		{[]float64{0, 2, 4}, []float64{1, 0, 1}, []float64{5, 6, 7}, false},
	} {
		a, err := numpy.Archive{
			"format": {Texts: []string{"csr"}}, "shape": {Data: []float64{2, 2}}, "indptr": {Data: c.start}, "indices": {Data: c.index}, "data": {Data: slices.Clone(c.value)},
		}.Sparse(1e6)
		switch {
		case (err == nil) != c.good:
			t.Errorf("%+v: %v", c, err)
		case c.good && !slices.Equal([]float64{a.At(0, 0), a.At(0, 1), a.At(1, 0), a.At(1, 1)}, []float64{6, 5, 0, 7}):
			t.Errorf("%+v: %+v", c, a)
		}
	}
}

// Members of types that are not read are left out, but not one that is damaged so.
func TestArchivesOfOtherTypes(t *testing.T) {
	member := saved("<f8", "False", "(1,)", make([]byte, 8))
	for _, descr := range []string{"|O", "<f2", "<c16", "<M8[ns]"} {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for name, text := range map[string][]byte{"X.npy": member, "other.npy": saved(descr, "False", "(1,)", []byte("its bytes, of whatever type"))} {
			f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
			if err != nil {
				t.Fatal(err)
			}
			f.Write(text)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if z, err := read(b.Bytes(), 1e6); err != nil || len(z) != 1 || z["X"] == nil {
			t.Errorf("beside an array of type %s: %v, %v", descr, z, err)
		}
		damaged := bytes.Replace(b.Bytes(), []byte("<f8"), []byte("<f2"), 1)
		if z, err := read(damaged, 1e6); err == nil {
			t.Errorf("a damaged type is left out: %v", z)
		}
	}
}

// A file of a few bytes, whose values are long, takes no more room than it says.
func TestLongTexts(t *testing.T) {
	long := saved("<U1048576", "False", "(1,)", make([]byte, 4<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a, err := numpy.Read(bytes.NewReader(long), 1e9)
	runtime.ReadMemStats(&after)
	if err != nil || a.Len() != 1 || after.TotalAlloc-before.TotalAlloc > 64<<20 {
		t.Errorf("%v, %d bytes taken", err, after.TotalAlloc-before.TotalAlloc)
	}
	if a, err := numpy.Read(bytes.NewReader(saved("<U1048576", "False", "(0,)", nil)), 1e9); err != nil || a.Len() != 0 {
		t.Error(a, err)
	}
}
