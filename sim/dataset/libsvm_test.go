package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
)

func TestLIBSVM(t *testing.T) {
	x := []string{"x1", "x2", "x3"}
	for _, c := range []struct {
		name, text string
		o          *Options
		want       sheet
	}{
		{"plain", "+1 1:2 3:-4.5\n-1 2:1e3\n", nil, sheet{[][]float64{{2, 0, -4.5}, {0, 1000, 0}}, x, []int{1, 0}, []string{"-1", "+1"}, nil}},
		{"dense rows", "1 1:1 2:2 3:3\n0 1:4 2:5 3:6\n", nil, sheet{[][]float64{{1, 2, 3}, {4, 5, 6}}, x, []int{1, 0}, []string{"0", "1"}, nil}},
		{"spaces, tabs, CRLF, blank lines", "\n1  1:1\t3:3 \r\n\r\n0\r\n", nil, sheet{[][]float64{{1, 0, 3}, {0, 0, 0}}, x, []int{1, 0}, []string{"0", "1"}, nil}},
		{"text labels", "b 3:1\na 1:1", nil, sheet{[][]float64{{0, 0, 1}, {1, 0, 0}}, x, []int{1, 0}, []string{"a", "b"}, nil}},
		{"numeric response", "0.25 3:1\n-7 1:1\n", &Options{Numeric: true}, sheet{[][]float64{{0, 0, 1}, {1, 0, 0}}, x, nil, nil, []float64{.25, -7}}},
		{"no labels", "3:1\n9 1:1\n", &Options{NoLabels: true}, sheet{[][]float64{{0, 0, 1}, {1, 0, 0}}, x, nil, nil, nil}},
		{"comments and queries", "# head\n1 qid:3 1:1 # 2:5\n\n0 # 1:1\n1 qid:4 3:1#x\n", nil, sheet{[][]float64{{1, 0, 0}, {0, 0, 0}, {0, 0, 1}}, x, []int{1, 0, 1}, []string{"0", "1"}, nil}},
		{"zero-based", "1 0:1 2:3\n0 1:2\n", &Options{ZeroBased: true}, sheet{[][]float64{{1, 0, 3}, {0, 2, 0}}, x, []int{1, 0}, []string{"0", "1"}, nil}},
		{"sparse", "1 40:1\n2 1:1\n", nil, sheet{[][]float64{unit(40, 40), unit(40, 1)}, numbered(40), []int{0, 1}, []string{"1", "2"}, nil}},
	} {
		d, err := readText("t.svm", c.text, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := sheetOf(d); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %v\nwant %v", c.name, got, c.want)
		}
	}
}

func unit(n, k int) []float64 {
	v := make([]float64, n)
	v[k-1] = 1
	return v
}

func numbered(p int) (names []string) {
	for j := range p {
		names = append(names, fmt.Sprintf("x%d", j+1))
	}
	return names
}

func TestLIBSVMErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		o    *Options
		want string
	}{
		{"", nil, "t.svm: no rows"},
		{"1\n2\n", nil, "t.svm: no features"},
		{"1 1:1\n1 2:abc\n", nil, `t.svm:2: index 2: "abc" is not a number`},
		{"1 1:nan\n", nil, `t.svm:1: index 1: "nan" is not a number`},
		{"1 1:1e999\n", nil, `t.svm:1: index 1: "1e999" is out of range`},
		{"1 1:\n", nil, `t.svm:1: index 1: "" is not a number`},
		{"1 1:2x 2:3\n", nil, `t.svm:1: index 1: "2x" is not a number`},
		{"1 1:2:3\n", nil, `t.svm:1: index 1: "2:3" is not a number`},
		{"1 0:1\n", nil, "t.svm:1: index 0; indices count from 1 (-zero-based: from 0)"},
		{"1 2:1 2:2\n", nil, "t.svm:1: index 2 after 2; indices must ascend"},
		{"1 1:2 1:3\n", &Options{ZeroBased: true}, "t.svm:1: index 1 after 1; indices must ascend"},
		{"1 1:2 3:1 2:3\n", &Options{ZeroBased: true}, "t.svm:1: index 2 after 3; indices must ascend"},
		{"1 4:x\n", &Options{ZeroBased: true}, "t.svm:1: index 4: \"x\" is not a number"},
		{"1 3:1 2:2\n", nil, "t.svm:1: index 2 after 3; indices must ascend"},
		{"1 -1:1\n", nil, `t.svm:1: "-1:1" is not index:value`},
		{"1 1:1 qid:3\n", nil, `t.svm:1: "qid:3" is not index:value`},
		{"1 5\n", nil, `t.svm:1: "5" is not index:value`},
		{"1 99999999999999999999:1\n", nil, "t.svm:1: an index above 2147483646"},
		{"1 1:1\n2:1 3:1\n", nil, `t.svm:2: "2:1" stands where the label should be`},
		{"NA 1:1\n", nil, `t.svm:1: "NA" is a missing label`},
		{"a 1:1\n", &Options{Numeric: true}, `t.svm:1: label "a" is not a number`},
		{"a 1:1\n", &Options{Dec: '.'}, "t.svm: Dec is given, want none, LIBSVM text has no named columns"},
		{"a 1:1\n", &Options{Label: "y"}, "t.svm: Label is given, want none, LIBSVM text has no named columns"},
		{"a 20000000:1\n", nil, "t.svm: 20000000 features; at most 16777216 are read"},
		{"a 2147483646:1\n", nil, "t.svm: 2147483646 features; at most 16777216 are read"},
	} {
		_, err := readText("t.svm", c.text, c.o)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// A text-scale file is read without its zeros, and a file whose values exceed the limit is
// refused with what the sparse matrix takes, though its rows are no longer kept when that is
// known.
func TestLIBSVMSize(t *testing.T) {
	var b bytes.Buffer
	for i := range 100_000 {
		fmt.Fprintf(&b, "%d %d:1 50000:%d\n", i%2, 1+i%49999, 1+i)
	}
	d, err := Read("text.svm", bytes.NewReader(b.Bytes()), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, p := d.Dims(); n != 100_000 || p != 50_000 || d.X != nil || d.Sparse.Stored() != 200_000 {
		t.Fatalf("%d×%d", n, p)
	}
	for i := 0; i < 100_000; i += 777 {
		index, value := d.Sparse.Row(i)
		if index[0] != int32(i%49999) || value[0] != 1 || index[1] != 49999 || value[1] != float64(1+i) || d.Labels[i] != i%2 {
			t.Fatalf("row %d: %v %v", i, index, value)
		}
	}
	var e *linalg.SizeError
	_, err = Read("text.svm", &b, &Options{MaxBytes: 1e6})
	if !errors.As(err, &e) || e.Rows != 100_000 || e.Cols != 50_000 || e.Bytes != 12*200_000+8*100_000+64*50_000 {
		t.Errorf("got %v", err)
	}
}

// Sparse rows keep their values whether blocks of the file are dense or sparse, and lose those
// beyond the columns of a schema.
func TestLIBSVMStaysSparse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n, p = 30_000, 60
	x := linalg.Zeros(n, p)
	var text []byte
	for i := range n {
		text = append(text, "1"...)
		most := p / 10 * (1 + i/(n/2)*9) // the first rows are narrow and full
		for j := range most {
			if i < n/2 && r.Float64() < 0.9 || r.Float64() < 0.02 {
				x.Set(i, j, float64(1+j)/8)
				text = fmt.Appendf(text, " %d:%v", j, x.At(i, j))
			}
		}
		text = append(text, " # row\n"...)
	}
	d, err := readText("t.svm", string(text), &Options{ZeroBased: true})
	if err != nil || d.Sparse == nil {
		t.Fatalf("not sparse, %v", err)
	}
	cut := *d.Schema
	cut.Numbered = 20
	short, err := cut.Read("t.svm", bytes.NewReader(text), &Options{ZeroBased: true})
	if err != nil {
		t.Fatal(err)
	}
	b, err := short.Dense()
	if err != nil || len(short.Extra) != 1 {
		t.Fatalf("%v, not read: %v", err, short.Extra)
	}
	for i := range n {
		for j := range p {
			if d.Sparse.At(i, j) != x.At(i, j) || j < 20 && b.At(i, j) != x.At(i, j) {
				t.Fatalf("(%d, %d) is %v, want %v", i, j, d.Sparse.At(i, j), x.At(i, j))
			}
		}
	}
}

// bigLIBSVM returns a file of several blocks, some dense and some sparse, and its
// matrix.
func bigLIBSVM() (text []byte, x *linalg.Dense) {
	r := rand.New(rand.NewPCG(7, 8))
	x = linalg.Zeros(9_500, 31)
	var b []byte
	for i := range x.Rows {
		density := float64(i) / float64(x.Rows)
		b = append(b, byte('0'+i%3))
		for j := range x.Cols {
			if r.Float64() < density {
				v := r.NormFloat64()
				x.Set(i, j, v)
				b = fmt.Appendf(b, " %d:%v", j+1, v)
			}
		}
		b = append(b, '\n')
	}
	return b, x
}

func TestLIBSVMBlocks(t *testing.T) {
	text, want := bigLIBSVM()
	if len(text) < 3*blockSize {
		t.Fatalf("%d bytes are too few blocks", len(text))
	}
	for _, workers := range []int{1, 3} {
		d, err := Read("t.svm", bytes.NewReader(text), &Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if d.X.Cols != want.Cols || !slices.Equal(d.X.Data, want.Data) {
			t.Fatalf("%d workers: other numbers", workers)
		}
		for i, k := range d.Labels {
			if k != i%3 {
				t.Fatalf("%d workers: label %d of row %d", workers, k, i)
			}
		}
	}
	bad := append(bytes.Clone(text), "1 1:1 2:x\n"...)
	_, err := Read("t.svm", bytes.NewReader(bad), nil)
	if want := `t.svm:9501: index 2: "x" is not a number`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestLIBSVMSchema(t *testing.T) {
	d, err := readText("t.svm", "-1 1:1 3:1\n+1 2:1\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := d.Schema.Read("n.svm", strings.NewReader("1 1:5 7:1\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(n.X.Row(0), []float64{5, 0, 0}) || n.Labels[0] != 1 || !reflect.DeepEqual(n.Extra, []string{"indices 4 to 7"}) {
		t.Errorf("%v, labels %v, extra %v", n.X.Row(0), n.Labels, n.Extra)
	}
	n, err = d.Schema.Read("n.csv", strings.NewReader("x3,x2,x1,class\n3,2,1,-1\n"), nil)
	if err != nil || !reflect.DeepEqual(n.X.Row(0), []float64{1, 2, 3}) || n.Labels[0] != 0 {
		t.Errorf("CSV for a model of LIBSVM text: %v", err)
	}
	if _, err = d.Schema.Read("n.svm", strings.NewReader("2 1:5\n"), nil); err == nil || err.Error() != `n.svm:1: "2" is not a class of the model; they are "-1", "+1"` {
		t.Error(err)
	}
}

// A line longer than a block.
func TestLIBSVMLongLine(t *testing.T) {
	b := []byte("1")
	const p = 150_000
	for j := range p {
		b = fmt.Appendf(b, " %d:%d", j+1, j%7)
	}
	b = append(b, "\n2 1:1\n"...)
	d, err := Read("t.svm", bytes.NewReader(b), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.X.Rows != 2 || d.X.Cols != p || d.X.At(0, p-1) != float64((p-1)%7) {
		t.Errorf("%d × %d", d.X.Rows, d.X.Cols)
	}
}

// The features of a table without a header have names when they are asked for, and take no memory
// before: there can be more of them than values.
func TestNumberedFeaturesAreNotHeld(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d, err := readText("t.svm", "1 1:2\n0 16000000:1\n", nil)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes for two values", took)
	}
	if w := d.Schema.Width(); w != 16_000_000 || d.Schema.Columns != nil {
		t.Errorf("%d features, %d of them listed", w, len(d.Schema.Columns))
	}
	if d, err = readText("t.svm", "1 1:2\n0 3:1\n", nil); err != nil {
		t.Fatal(err)
	}
	if names := fmt.Sprint(d.Features(), d.Schema.Features(), d.Schema.All()); names != "[x1 x2 x3] [x1 x2 x3] [{x1 [] false} {x2 [] false} {x3 [] false}]" {
		t.Error(names)
	}
}

// Rows of many values and then of few are a dense matrix at first, and a sparse one of less memory in the
// end: what a limit between them has room for is read whole.
func TestLimitOfRowsThatBecomeSparse(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "%d", i%2)
		for j := range 60 {
			fmt.Fprintf(&b, " %d:%d", j+1, i+j+1)
		}
		b.WriteByte('\n')
	}
	for i := range 30000 {
		fmt.Fprintf(&b, "%d 60:1\n", i%2)
	}
	d, err := Read("text.svm", strings.NewReader(b.String()), &Options{MaxBytes: 2.8e6, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := d.Dims(); n != 33000 || len(d.Labels) != n || d.Sparse == nil || d.Sparse.At(0, 0) != 1 || d.Sparse.At(2999, 59) != 3059 {
		t.Errorf("%d rows, %d labels", n, len(d.Labels))
	}
	var size *linalg.SizeError
	if _, err := Read("text.svm", strings.NewReader(b.String()), &Options{MaxBytes: 2.2e6}); !errors.As(err, &size) {
		t.Errorf("a limit below the sparse matrix: %v", err)
	}
}

// Blocks of full rows lie in the room for a matrix of them when it turns out that rows are sparse. They are
// copied there beside the reading; on one processor those copies have not begun when the text ends.
func TestFullRowsBehindSparseOnes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var text bytes.Buffer
	for i := range 80_000 {
		fmt.Fprintf(&text, "%d 9:%d\n", i%2, i+1)
	}
	for i := range 40_000 {
		fmt.Fprintf(&text, "%d 1:%d.00000000000001 2:%d.5 3:-1.25\n", i%2, i, i)
	}
	want, err := Read("t.svm", struct{ io.Reader }{bytes.NewReader(text.Bytes())}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read("t.svm", &text, nil)
	if err != nil || got.Sparse == nil || !sameRows(got, want) {
		t.Errorf("%v: other rows than of text of unknown length", err)
	}
}
