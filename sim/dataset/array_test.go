package dataset_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim/dataset"
)

// Arrays that NumPy 1.24 and SciPy 1.10 saved are read, dense and sparse, in either order,
// with labels of numbers and of text.
func TestNumPyFiles(t *testing.T) {
	for name, c := range map[string]struct {
		labels string
		sparse bool
		o      *dataset.Options
	}{
		"table.npy":  {"1 -1", false, nil},
		"arrays.npz": {"b aé", false, nil},
		"csr.npz":    {"7 8", true, nil},
		"csc.npz":    {"", true, &dataset.Options{NoLabels: true}},
	} {
		d, err := dataset.Load("testdata/"+name, c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		x, err := d.Dense()
		if err != nil || (d.Sparse != nil) != c.sparse {
			t.Fatalf("%s: sparse %v, %v", name, d.Sparse != nil, err)
		}
		linalgtest.CloseSlice(t, name, slices.Concat(x.Row(0), x.Row(1)), []float64{1.5, 0, -2, 0, 3, 0.25}, 0)
		var labels []string
		for _, k := range d.Labels {
			labels = append(labels, d.Names[k])
		}
		if got := strings.Join(labels, " "); got != c.labels || strings.Join(d.Features(), " ") != "x1 x2 x3" {
			t.Errorf("%s: labels %q, features %q", name, got, d.Features())
		}
	}
	d, err := dataset.Load("testdata/table.npy", &dataset.Options{Numeric: true})
	if err != nil || !slices.Equal(d.Y, []float64{1, -1}) {
		t.Errorf("responses %v, %v", d, err)
	}
	s := d.Schema
	if d, err = s.Load("testdata/table.npy", &dataset.Options{NoLabels: true}); err != nil || d.X.Cols != 3 || d.Y != nil {
		t.Errorf("the label's column of a known table: %v", err)
	}
	for name, text := range map[string]string{"t.npy": "\x93NUMPY\x01\x00\x10\x00{'descr': '<f8'", "t.npz": "PK\x03\x04", "u.npy": "x"} {
		if _, err := dataset.Read(name, strings.NewReader(text), nil); err == nil || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := dataset.Load("testdata/csc.npz", nil); err == nil || !strings.Contains(err.Error(), "no labels") {
		t.Errorf("labels that there are not: %v", err)
	}
	for _, c := range []struct{ descr, shape, says string }{
		{"<f8", "(0, 3)", "no rows"}, {"<f8", "(40000000, 30000)", "40000000 × 30000"}, {"<f8", "(20000000, 300, 100)", "20000000 × 30000"}, {"<U1000000000", "()", ""},
	} {
		path := filepath.Join(t.TempDir(), "t.npy")
		if err := os.WriteFile(path, []byte(npy(c.descr, c.shape, []byte{})), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, stream := range []bool{false, c.says == "no rows"} {
			if d, err := dataset.Load(path, &dataset.Options{Stream: stream}); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s of %s, stream %v: %v, %v", c.shape, c.descr, stream, d, err)
			}
		}
	}
	if _, err := dataset.Load("testdata/table.npy", &dataset.Options{MaxBytes: 8}); err == nil {
		t.Error("eight values of 64 bytes fit into 8")
	}
}

// npy is an array of the values, as NumPy saves it.
func npy(descr, shape string, values any) string {
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), 0)
	b, _ = binary.Append(append(b, head...), binary.LittleEndian, values)
	return string(b)
}

// What is wrong with an array is said once, with the file, whether its rows are read or stay there.
func TestWrongArraysAreNamed(t *testing.T) {
	two := &dataset.Schema{Numbered: 2, Names: []string{"0", "1"}}
	for name, c := range map[string]struct {
		text string
		s    *dataset.Schema
		says string
	}{
		"a label":    {npy("<f8", "(2, 2)", []float64{1, 0, 2, math.NaN()}), nil, `row 1: "NaN" is a missing label`},
		"a type":     {npy("<f2", "(1, 2)", []uint16{0, 0}), nil, "values of type f2 are not read"},
		"a vector":   {npy("<f8", "(2,)", []float64{1, 0}), nil, "an array of 1 dimensions, want a matrix of numbers"},
		"columns":    {npy("<f8", "(1, 2)", []float64{1, 0}), two, "2 features of the model but 1 columns"},
		"more":       {npy("<f8", "(1, 4)", []float64{1, 2, 3, 7}), two, "2 features of the model but 3 columns"},
		"a response": {npy("<f8", "(2, 2)", []float64{1, 0, 2, math.Inf(-1)}), &dataset.Schema{Numbered: 1}, "y: row 1 is -Inf"},
	} {
		path := filepath.Join(t.TempDir(), "t.npy")
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, stream := range []bool{false, true} {
			if _, err := c.s.Load(path, &dataset.Options{Stream: stream}); err == nil || err.Error() != path+": "+c.says {
				t.Errorf("%s, in passes %t: %v", name, stream, err)
			}
		}
	}
}

// Labels that are one class, but spelled in several ways, are said, in every format of a first table.
func TestSpellingsOfANumberAreSaid(t *testing.T) {
	const says = `labels that are the same number are one class: "1" is "01", "+1.0" is "01"`
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{"X": npy("<f8", "(4, 1)", []float64{1, 2, 3, 4}), "y": npy("|S4", "(4,)", []byte("01\x00\x001\x00\x00\x00+1.02\x00\x00\x00"))} {
		w, err := z.Create(name + ".npy")
		if _, err2 := io.WriteString(w, text); err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"t.csv": "x1,y\n1,01\n2,1\n3,+1.0\n4,2\n", "t.svm": "01 1:1\n1 1:2\n+1.0 1:3\n2 1:4\n", "t.npz": b.String()} {
		d, err := dataset.Read(name, strings.NewReader(text), nil)
		if err != nil || !slices.Equal(d.Notes, []string{says}) || !slices.Equal(d.Labels, []int{0, 0, 0, 1}) {
			t.Fatalf("%s: %v, %+v", name, err, d)
		}
		if again, err := d.Schema.Read(name, strings.NewReader(text), nil); err != nil || again.Notes != nil || !slices.Equal(again.Labels, d.Labels) {
			t.Errorf("%s by its schema: %v, %+v", name, err, again)
		}
		if plain, err := dataset.Read(name, strings.NewReader(text), &dataset.Options{Numeric: true}); name != "t.npz" && (err != nil || plain.Notes != nil) {
			t.Errorf("%s, numbers: %v, %+v", name, err, plain)
		}
	}
}

// A remark shows ten spellings, and says how many others there are.
func TestManySpellingsAreCounted(t *testing.T) {
	for others, end := range map[int]string{10: `"00000000001" is "1"`, 12: ` … and 2 more`} {
		text := "x,y\n0,2\n0,1\n"
		for k := range others {
			text += "0," + strings.Repeat("0", k+1) + "1\n"
		}
		d, err := dataset.Read("t.csv", strings.NewReader(text), nil)
		if err != nil || len(d.Notes) != 1 || strings.Count(d.Notes[0], " is ") != 10 || !strings.HasSuffix(d.Notes[0], end) {
			t.Errorf("%d spellings: %v, %q", others, err, d.Notes)
		}
	}
}

// Labels that a float64 cannot tell apart are refused, and never one class.
func TestLabelsThatLoseDigits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	text := npy("<i8", "(4, 2)", []int64{0, 1 << 53, 1, 1<<53 + 1, 2, 1<<53 + 2, 3, 1<<53 + 3})
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, o := range []*dataset.Options{nil, {Stream: true}} {
		if d, err := dataset.Load(path, o); err == nil || !strings.Contains(err.Error(), "row 0: a label of 2^53") {
			t.Errorf("%+v: %v, %v", o, d, err)
		}
	}
	if d, err := dataset.Load(path, &dataset.Options{Numeric: true}); err != nil || d.Y[0] != 1<<53 {
		t.Errorf("responses: %v, %v", d, err)
	}
}

// A table comes back from the LIBSVM text that it is written as, to the last bit.
func TestWriteLIBSVM(t *testing.T) {
	d, err := dataset.Load("testdata/csr.npz", nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := d.WriteLIBSVM(&b); err != nil || b.String() != "7 1:1.5 3:-2\n8 2:3 3:0.25\n" {
		t.Errorf("%v: %q", err, b.String())
	}
	iris := dataset.Iris()
	b.Reset()
	if err := iris.WriteLIBSVM(&b); err != nil {
		t.Fatal(err)
	}
	back, err := dataset.Read("iris.svm", &b, nil)
	if err != nil || !slices.Equal(back.Labels, iris.Labels) || !slices.Equal(back.X.Clone().Data, iris.X.Clone().Data) {
		t.Errorf("iris does not come back: %v", err)
	}
}

// Labels of which LIBSVM text would make another label, features or a comment are not written, nor cells that
// no number stands in.
func TestWriteLIBSVMRefuses(t *testing.T) {
	for text, says := range map[string]string{"x,y\n1,Iris setosa\n2,b\n": `"Iris setosa"`, "x,y\n1,a:b\n2,b\n": `"a:b"`, "x,y\n1,a#b\n2,b\n": `"a#b"`,
		"x,y\n1,\"\u00a0a\"\n2,b\n": "label", "x,z,y\n1,2,a\n2,,b\n": "row 1, column 1"} {
		d, err := dataset.Read("t.csv", strings.NewReader(text), &dataset.Options{Missing: dataset.Keep})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := d.WriteLIBSVM(&b); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, %q", text, err, b.String())
		}
	}
}

// Very many numbered columns are saved by their number.
func TestNumberedSchemaIsSmall(t *testing.T) {
	d, err := dataset.Read("t.svm", strings.NewReader("a 12000:1\nb 3:1\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(d.Schema)
	if err != nil || len(b) > 200 {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	var back dataset.Schema
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(&back, d.Schema) {
		t.Errorf("another schema comes back, %v", err)
	}
	for _, bad := range []string{`{"numbered":-1}`, `{"numbered":99999999}`, `{"numbered":3,"columns":[{"name":"a"}]}`} {
		if json.Unmarshal([]byte(bad), &back) == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

// A row that is read in passes has one value at least and 256 MB at most, whatever the header says.
func TestWidthOfStreamedArrays(t *testing.T) {
	for width, says := range map[int]string{0: "rows of 0 values", 1: "", 1 << 25: "", 1<<25 + 1: "rows of 33554433 values"} {
		path := save(t, "x.npy", npy("<f8", fmt.Sprintf("(2, %d)", width), []byte("too few")))
		_, err := dataset.Load(path, &dataset.Options{Stream: true, NoLabels: true})
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "values") != (says != "") {
			t.Errorf("%d columns: %v", width, err)
		}
	}
}

// counting counts what is read of zeros without an end.
type counting int

func (c *counting) Read(p []byte) (int, error) {
	clear(p)
	if *c += counting(len(p)); *c > 1<<24 {
		return 0, errors.New("16 MB are read")
	}
	return len(p), nil
}

// An array that is too large by its header is refused before its values are read.
func TestLargeArraysAreNotRead(t *testing.T) {
	var read counting
	_, err := dataset.Read("t.npy", io.MultiReader(strings.NewReader(npy("<f8", "(1000000, 1000)", []float64{})), &read), &dataset.Options{MaxBytes: 1e6})
	var large *linalg.SizeError
	if !errors.As(err, &large) || large.Rows != 1e6 || large.Cols != 1000 || read > 1<<16 {
		t.Errorf("%d bytes are read: %v", read, err)
	}
}

// A packed array that is cut off anywhere says so.
func TestPackedArraysThatAreCutOff(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, npy("<f8", "(2, 2)", []float64{1, 2, 3, 4})+"behind it")
	w.Close()
	whole := packed.String()
	d, err := dataset.Read("t.npy.gz", strings.NewReader(whole), nil)
	if err != nil || !strings.HasSuffix(d.Checksum, fmt.Sprintf("-%d", len(whole))) {
		t.Fatal(d, err)
	}
	for k := range len(whole) {
		if _, err := dataset.Read("t.npy.gz", strings.NewReader(whole[:k]), nil); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d of %d bytes: %v", k, len(whole), err)
		}
	}
}
