package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// sheet is a data set in a form that tests compare.
type sheet struct {
	X        [][]float64
	Features []string
	Labels   []int
	Names    []string
	Y        []float64
}

func sheetOf(d *Data) sheet {
	s := sheet{nil, d.Features(), d.Labels, d.Names, d.Y}
	for i := range d.X.Rows {
		s.X = append(s.X, d.X.Row(i))
	}
	return s
}

func readText(name, text string, o *Options) (*Data, error) {
	return Read(name, strings.NewReader(text), o)
}

func TestCSV(t *testing.T) {
	abc := sheet{[][]float64{{1, 2}, {3, 4}}, []string{"a", "b"}, []int{1, 0}, []string{"no", "yes"}, nil}
	for _, c := range []struct {
		name, text string
		o          *Options
		want       sheet
	}{
		{"plain", "a,b,y\n1,2,yes\n3,4,no\n", nil, abc},
		{"no line end at the end", "a,b,y\n1,2,yes\n3,4,no", nil, abc},
		{"CRLF", "a,b,y\r\n1,2,yes\r\n3,4,no\r\n", nil, abc},
		{"half a line end at the end", "a,b,y\r\n1,2,yes\r\n3,4,\"no\"\r", nil, abc},
		{"byte order mark", "\xef\xbb\xbfa,b,y\n1,2,yes\n3,4,no\n", nil, abc},
		{"blank lines and spaces", "\n a , b ,y\n\n 1 ,\t2,yes \n3,4,no\n\n  \n", nil, abc},
		{"quotes", "\"a\",\"b\",\"y\"\n\"1\",2,\"yes\"\n3,\"4\" ,no\n", nil, abc},
		{"named label", "y,a,b\nyes,1,2\nno,3,4\n", &Options{Label: "y"}, abc},
		{"no header", "1,2,yes\n3,4,no\n", &Options{NoHeader: true}, sheet{abc.X, []string{"x1", "x2"}, abc.Labels, abc.Names, nil}},
		{"no labels", "a,b\n1,2\n3,4\n", &Options{NoLabels: true}, sheet{abc.X, abc.Features, nil, nil, nil}},
		{"labels not read", "a,y,b\n1,q,2\n3,,4\n", &Options{NoLabels: true, Label: "y"}, sheet{abc.X, abc.Features, nil, nil, nil}},
		{"numeric response", "a,b,y\n1,2,-1.5\n3,4,2e3\n", &Options{Numeric: true}, sheet{abc.X, abc.Features, nil, nil, []float64{-1.5, 2000}}},
		{"quote and line break in a cell", "a,\"b \"\"c\"\", d\",y\n1,2,\"yes\nsir\"\n3,4,\"no, \"\"sir\"\"\"\n", nil,
			sheet{abc.X, []string{"a", "b \"c\", d"}, []int{1, 0}, []string{"no, \"sir\"", "yes\nsir"}, nil}},
		{"integer labels are numbers", "a,b,y\n1,2,10\n3,4,9\n", nil, sheet{abc.X, abc.Features, []int{1, 0}, []string{"9", "10"}, nil}},
		{"one text label: byte order", "a,b,y\n1,2,10\n3,4,9\n5,6,x\n", nil,
			sheet{[][]float64{{1, 2}, {3, 4}, {5, 6}}, abc.Features, []int{0, 1, 2}, []string{"10", "9", "x"}, nil}},
		{"spellings of an integer", "a,b,y\n1,2,+1\n3,4,-1\n5,6,1.0\n", nil,
			sheet{[][]float64{{1, 2}, {3, 4}, {5, 6}}, abc.Features, []int{1, 0, 1}, []string{"-1", "+1"}, nil}},
		{"categories", "size,h,b,y\nXL,Present,2,u\nS,Absent,4,v\nM,Present,6,u\n", nil,
			sheet{[][]float64{{0, 1, 1, 2}, {1, 0, 0, 4}, {0, 0, 1, 6}}, []string{"size=S", "size=XL", "h=Present", "b"}, []int{0, 1, 0}, []string{"u", "v"}, nil}},
		{"a comment's sign in quotes", "c,b,y\n\"#f\",2,yes\n\"#e\",4,no\n", nil, sheet{[][]float64{{1, 2}, {0, 4}}, []string{"c=#f", "b"}, []int{1, 0}, abc.Names, nil}},
		{"integers as names", "0,1,2\n1,2,yes\n3,4,no\n", nil, sheet{abc.X, []string{"0", "1"}, abc.Labels, abc.Names, nil}},
	} {
		d, err := readText("t.csv", c.text, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := sheetOf(d); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %v\nwant %v", c.name, got, c.want)
		}
		if err := d.X.CheckFinite(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestCSVWeightsAndOffset(t *testing.T) {
	d, err := readText("t.csv", "w,a,o,y\n2,1,.5,u\n0,3,-.5,v\n", &Options{Weights: "w", Offset: "o"})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(d.Features(), []string{"a"}) || !reflect.DeepEqual(d.Weights, []float64{2, 0}) || !reflect.DeepEqual(d.Offset, []float64{.5, -.5}) {
		t.Errorf("features %v, weights %v, offset %v", d.Features(), d.Weights, d.Offset)
	}
	// The columns are not features of a new table either, nor unknown: weights are
	// not read, offsets are.
	s := d.Schema
	d, err = s.Read("new.csv", strings.NewReader("a,w,o,z\n1,x,3,1\n"), &Options{NoLabels: true})
	if err != nil || d.X.Cols != 1 || d.Weights != nil || !reflect.DeepEqual(d.Offset, []float64{3}) || !reflect.DeepEqual(d.Extra, []string{"z"}) {
		t.Errorf("%v, %+v", err, d)
	}
	if _, err = s.Read("new.csv", strings.NewReader("a\n1\n"), &Options{NoLabels: true}); err == nil || !strings.Contains(err.Error(), `no column "o"`) {
		t.Errorf("a table without offsets: %v", err)
	}
	if _, err = s.Read("new.svm", strings.NewReader("0 1:1\n"), &Options{NoLabels: true}); err == nil || !strings.Contains(err.Error(), "offset") {
		t.Errorf("LIBSVM text without offsets: %v", err)
	}
}

func TestCSVErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		o    *Options
		want string
	}{
		{"", nil, "t.csv: no rows"},
		{"\n\r\n", nil, "t.csv: no rows"},
		{"a,y\n", nil, "t.csv: no rows"},
		{"y\n1\n2\n", nil, "t.csv: no columns beside the label; cells are separated by commas, semicolons, tabs or spaces"},
		{"\xff\xfea\x00,\x00", nil, "t.csv:1: UTF-16 text; save it as UTF-8"},
		{"a,y\n1,\xe9\n2,v\n", nil, `t.csv:2: column "y": text that is not UTF-8; save the file as UTF-8`},
		{"a,b,y\n1,c,u\n2,\xe9,v\n", nil, `t.csv:3: column "b": text that is not UTF-8; save the file as UTF-8`},
		{"a,\xe9,y\n1,2,u\n2,3,v\n", nil, `t.csv: column "\xe9": text that is not UTF-8; save the file as UTF-8`},
		{"a,y\r1,u\r2,v\r", nil, `t.csv:1: lines end with carriage returns alone; make them line feeds (tr '\r' '\n')`},
		{"a,b,y\n1,2,u\n1,abc,v\n", nil, `t.csv:3: column "b": "abc" is not a number`},
		{"a,b,y\n1,abc,u\n1,2,v\n", nil, `t.csv:2: column "b": "abc" is not a number`},
		{"a,b,y\n1,,u\n1,2,v\n", nil, `t.csv:2: column "b": "" is a missing value`},
		{"a,b,y\n1,NA,u\n1,2,v\n", nil, `t.csv:2: column "b": "NA" is a missing value`},
		{"a,b,y\n1,2,u\n1,NaN,v\n", nil, `t.csv:3: column "b": "NaN" is a missing value`},
		{"a,b,y\n1,2,u\n1,-Inf,v\n", nil, `t.csv:3: column "b": "-Inf" is not a number`},
		{"a,b,y\n1,2,u\n1,1e999,v\n", nil, `t.csv:3: column "b": "1e999" is out of range`},
		{"a,b,y\n1,p,u\n1,NA,v\n", nil, `t.csv:3: column "b": "NA" is a missing value`},
		{"a,b,y\n1,p,u\n1,p,v\n", nil, `t.csv: column "b": "p" in every row`},
		{"a,b,y\n1,2,\n", nil, `t.csv:2: column "y": "" is a missing label`},
		{"a,b,y\n1,2,u\n", &Options{Numeric: true}, `t.csv:2: column "y": "u" is not a number`},
		{"a,b,y\n1,2,u\n1,2\n", nil, "t.csv:3: 2 columns, the first line has 3"},
		{"a,b,y\n1,2,u\n1,2,u,3\n", nil, "t.csv:3: 4 columns, the first line has 3"},
		{"# a comment\na,b,y\n", nil, "t.csv:1: " + commentHint},
		{"a,b,y\n1,2,u\n# a comment\n", nil, "t.csv:3: " + commentHint},
		{"a,a,y\n1,2,u\n", nil, `t.csv:1: two columns are named "a"`},
		{"a,,y\n1,2,u\n", nil, "t.csv:1: column 2 has no name"},
		{"\"\"\n1\n2\n", nil, "t.csv:1: column 1 has no name"},
		{"a,y\n\"1,5\",u\n2,u\n", nil, "t.csv:2: column \"a\": \"1,5\" is not a number; is its comma a decimal mark? (-dec ,)"},
		{"a;y\n1.5;u\n2;v\n", &Options{Dec: ','}, "t.csv:2: column \"a\": \"1.5\" is not a number; is its point a decimal mark? (-dec .)"},
		{"a;y\n1.001,5;u\n2;v\n", nil, "t.csv:2: column \"a\": \"1.001,5\" is not a number"},
		{"a,y\n1,u\n", &Options{Dec: ',', Sep: ','}, "dataset: ',' cannot be the decimal mark"},
		{"a,y\n1,u\n", &Options{Sep: '"'}, "dataset: '\"' cannot separate cells"},
		{"5.1,3.5,0\n4.9,3,1\n", nil, "t.csv:1: a header of numbers; if the file has none, say so (-no-header)"},
		{"a,b,y\n1,2,\"u\n1,2,v\n", nil, "t.csv:2: a quote that is not closed, or text after a closing quote"},
		{"a,b,y\n1,2,\"u\"x\n", nil, "t.csv:2: a quote that is not closed, or text after a closing quote"},
		{"a,b,y\n1,2,u\"x\n", nil, "t.csv:2: a quote inside a cell that is not quoted"},
		{"a,b,y\n\"1\n\",2,u\n\n1,q,v\n", nil, `t.csv:2: column "a": "1\n" is not a number`},
		{"a,b,y\n1,2,\"u\nv\"\n1,q,v\n", nil, `t.csv:4: column "b": "q" is not a number`},
		{"a,b,y\n1,x,u\nq,2,v\n", nil, `t.csv:3: column "a": "q" is not a number`},               // the number behind it does not count
		{"a,b,y\np,x,u\np,2,v\np,x,u\n3,x,v\n", nil, `t.csv:2: column "b": "x" is not a number`}, // the first record that cannot be read is the fourth
		{"aexey\n1e2e0\n1e2e5e0\n", &Options{Sep: 'e'}, "t.csv:3: 4 columns, the first line has 3"},
		{"a-x-y\n1-2-0\n1--2-0\n", &Options{Sep: '-'}, "t.csv:3: 4 columns, the first line has 3"},
		{"a,b,y\n1,2,u\n", &Options{Label: "z"}, `t.csv: no column "z"; there are "a", "b", "y"`},
		{"a,b,y\n1,2,u\n", &Options{Weights: "z"}, `t.csv: no column "z"; there are "a", "b", "y"`},
		{"a,b,y\n1,2,u\n", &Options{Weights: "y"}, `t.csv: column "y" cannot be two things`},
		{"a,w,y\n1,x,u\n", &Options{Weights: "w"}, `t.csv:2: column "w": "x" is not a number`},
		{"a,w,y\n1,-2,u\n", &Options{Weights: "w"}, `t.csv:2: column "w": "-2" is a negative weight`},
		{"a,b,y\n1,2,u\n", &Options{Format: "arff"}, `t.csv: format "arff" is neither csv nor libsvm nor numpy`},
		{"a,b,y\n" + strings.Repeat("1,2,3\n", 10), &Options{MaxBytes: 100}, "t.csv: a dense matrix of 10 × 2 needs 1.6e-07 GB, the limit is 1e-07 GB"},
	} {
		_, err := readText("t.csv", c.text, c.o)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.csv"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := Read("t.csv.gz", strings.NewReader("\x1f\x8bnot really"), nil); err == nil {
		t.Error("damaged gzip is read")
	}
}

// Rows that stay in their file may have more numbers than an int counts.
func TestNumbersOfAStreamAreNotCounted(t *testing.T) {
	g := gathered{count: math.MaxInt - 1}
	if cells := g.add([]float64{1, 2, 3}, 6); len(cells) != 3 {
		t.Errorf("%v", cells)
	}
}

// A block that is merged holds its rows, and nothing for each column.
func TestMergedBlocksHoldTheirRows(t *testing.T) {
	table, row, err := readHeader("t.csv", bufio.NewReader(strings.NewReader("a,b,y\nu,1,v\n")), &Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := table.parse(row)
	if err := table.merge(p); err != nil || p.fields != nil || p.slots != nil || len(p.cells) != 2 {
		t.Errorf("%v: fields %v, slots %v, cells %v", err, p.fields, p.slots, p.cells)
	}
}

// A record that does not end within the largest one, behind a quote as a rule, is an error that has its line.
func TestLongRecordsHaveALine(t *testing.T) {
	defer func(most int) { maxRecord = most }(maxRecord)
	maxRecord = 1 << 14
	rest := strings.Repeat("1,2,v\n", 1<<14)
	for _, c := range []struct{ name, text, want string }{
		{"t.csv", "a,b,y\n1,2,u\n\n\"3\",4,\"v\n\"\n5,6,\"u\n" + rest, ":6: a record of more"},
		{"t.csv", "a,b,\"y\n" + rest, ":1: a record of more"},
		{"t.csv", "a,b,y\n" + strings.Repeat("1,2,u\n", 100_000) + "1,2,\"u\n" + strings.Repeat(rest, 10), ":100002: a record of more"},
		{"t.svm", "1 1:2\n0 1:3" + strings.Repeat(" ", 1<<17) + "2:1\n1 1:2\n", ":2: a record of more"},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, stream := range []bool{false, true} {
			if _, err := Load(path, &Options{Stream: stream}); err == nil || !strings.HasPrefix(err.Error(), path+c.want) {
				t.Errorf("%.30q, in passes %v: %v, want %s", c.text, stream, err, c.want)
			}
		}
	}
}

// Identifiers must be refused before they become thousands of indicators.
func TestCSVTooManyLevels(t *testing.T) {
	var b strings.Builder
	b.WriteString("name,b,y\n")
	for i := range maxLevels + 1 {
		fmt.Fprintf(&b, "n%d,1,u\n", i)
	}
	if _, err := readText("t.csv", b.String(), nil); err == nil || err.Error() != `t.csv: column "name": more than 1000 levels; is it a name?` {
		t.Error(err)
	}
	b.Reset()
	b.WriteString("b,y\n")
	for i := range maxClasses + 1 {
		fmt.Fprintf(&b, "1,%d.5\n", i)
	}
	if _, err := readText("t.csv", b.String(), nil); err == nil || !strings.Contains(err.Error(), "10000 different labels") {
		t.Error(err)
	}
}

// bigCSV returns a table of several blocks with quotes and line breaks, and
// the numbers in it.
func bigCSV(rows int) (text []byte, want [][]float64) {
	r := rand.New(rand.NewPCG(5, 6))
	var b bytes.Buffer
	b.WriteString("a,note,b,y\n")
	for i := range rows {
		u, v := r.NormFloat64(), r.NormFloat64()
		note := []string{"plain", "\"with, comma\"", "\"a \"\"word\"\"\"", "\"two\nlines\""}[r.IntN(4)]
		level := map[byte]int{'p': 0, 'w': 3, 'a': 1, 't': 2}[strings.Trim(note, "\"")[0]]
		row := make([]float64, 5)
		row[0], row[4] = u, v
		// levels in byte order: `a "word"`, plain, "two\nlines", "with, comma"
		switch level {
		case 0:
			row[1] = 1
		case 2:
			row[2] = 1
		case 3:
			row[3] = 1
		}
		fmt.Fprintf(&b, "%v,%s,%v,%d\n", u, note, v, i%3)
		want = append(want, row)
	}
	return b.Bytes(), want
}

func TestCSVBlocks(t *testing.T) {
	text, want := bigCSV(45_000)
	if len(text) < 2*blockSize {
		t.Fatalf("%d bytes are one block", len(text))
	}
	for _, workers := range []int{1, 3} {
		d, err := Read("t.csv", bytes.NewReader(text), &Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range want {
			if !slices.Equal(d.X.Row(i), row) {
				t.Fatalf("%d workers: row %d is %v, want %v", workers, i, d.X.Row(i), row)
			}
		}
		for i, k := range d.Labels {
			if k != i%3 {
				t.Fatalf("%d workers: label %d of row %d", workers, k, i)
			}
		}
	}
	// What stands wrong in a later block is found, with its line.
	lines := bytes.Count(text, []byte{'\n'})
	bad := append(bytes.Clone(text), "1,plain,x,0\n"...)
	_, err := Read("t.csv", bytes.NewReader(bad), nil)
	if want := fmt.Sprintf(`t.csv:%d: column "b": "x" is not a number`, lines+1); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	bad = append(bytes.Clone(text), "1,7,2,0\n"...)
	_, err = Read("t.csv", bytes.NewReader(bad), nil)
	if err == nil || !strings.HasPrefix(err.Error(), `t.csv:2: column "note": `) {
		t.Errorf("a number among the levels of a column: %v", err)
	}
}

// A column is known to be of texts when its first text is there, which may be in a later block: blocks before it
// have their rows in their place by then.
func TestTextsAfterManyGaps(t *testing.T) {
	var text bytes.Buffer
	text.WriteString("a,b,c,y\n")
	const rows = 60_000
	cell := func(i int) string { return []string{"NA", "west", "east"}[max(0, i-rows+3)] }
	for i := range rows {
		fmt.Fprintf(&text, "%d.5,%s,-%d,%d\n", i, cell(i), i, i%2)
	}
	if text.Len() < 3*blockSize {
		t.Fatalf("%d bytes are too few blocks", text.Len())
	}
	d, err := Read("t.csv", &text, &Options{Missing: Keep})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		b := []float64{math.NaN(), 1, 0}[max(0, i-rows+3)]
		if want := []float64{float64(i) + .5, b, -float64(i)}; !sameBits(d.X.Row(i), want) {
			t.Fatalf("row %d is %v, want %v", i, d.X.Row(i), want)
		}
	}
}

// Blocks that are read before there is room for the whole text keep their numbers.
func TestRoomThatComesLate(t *testing.T) {
	g := gathered{length: 1000, limit: 1e9, coming: make(chan []float64, 1)}
	first := g.add([]float64{1, 2}, 10)
	g.coming <- make([]float64, 6)
	second := g.add([]float64{3, 4}, 10)
	x, err := g.dense(2, 2, true)
	if err != nil || !slices.Equal(x.Data, []float64{0, 0, 3, 4}) {
		t.Fatalf("%v, %v", x, err)
	}
	place(x.Row(0), first)
	place(x.Row(1), second)
	if !slices.Equal(x.Data, []float64{1, 2, 3, 4}) {
		t.Errorf("the rows are %v", x.Data)
	}
}

func TestLastLine(t *testing.T) {
	for text, want := range map[string]int{
		"":                            0,
		"a,b":                         0,
		"a\nb\nc":                     4,
		"a\n\"b\nc\nd\n":              2,
		"a\n\"b\nc\"\nd":              8,
		"a\n\"b\"\"\nc\"\n\"\n\n\"\n": 15,
		"\"\n\n\n\n":                  0,
	} {
		if got := lastRecord([]byte(text)); got != want {
			t.Errorf("lastRecord(%q) = %d, want %d", text, got, want)
		}
	}
	if got := lastLine([]byte("\"\n\n")); got != 3 {
		t.Errorf("without quotes: %d", got)
	}
}

func TestStandardInput(t *testing.T) {
	if _, err := readText("-", "a,y\nx,1\n2,1\n", nil); err == nil || err.Error() != `standard input:2: column "a": "x" is not a number` {
		t.Error(err)
	}
}

func TestUnion(t *testing.T) {
	names, code := Union([]string{"9", "10"}, []string{"11", "+9"}, nil)
	if !reflect.DeepEqual(names, []string{"9", "10", "11"}) || !reflect.DeepEqual(code, [][]int{{0, 1}, {2, 0}, {}}) {
		t.Errorf("%v, %v", names, code)
	}
}

func TestGzip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "iris.csv.gz")
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(iris)
	z.Close()
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(sheetOf(d), sheetOf(Iris())) {
		t.Error("gzipped irises differ")
	}
	if _, err := Read("cut.csv.gz", bytes.NewReader(b.Bytes()[:b.Len()/2]), nil); err == nil {
		t.Error("half a gzip file is read")
	}
}

// The package reads real tables as the independent reader of the tests does.
func TestTables(t *testing.T) {
	for _, c := range []struct{ file, label string }{{"iris.csv", "species"}, {"SAheart.csv", "chd"}, {"crabs.csv", "sp"}, {"fgl.csv", "type"}, {"Pima-tr.csv", "type"}} {
		t.Run(c.file, func(t *testing.T) {
			x, labels, columns := linalgtest.Table(t, c.file, c.label)
			codes, names := linalgtest.Codes(labels)
			d, err := Load(linalgtest.DataFile(t, c.file), &Options{Label: c.label})
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(d.X, x) || !reflect.DeepEqual(d.Features(), columns) || !reflect.DeepEqual(d.Labels, codes) || !reflect.DeepEqual(d.Names, names) {
				t.Error("differs from linalgtest.Table")
			}
			if c.file == "iris.csv" && !reflect.DeepEqual(sheetOf(d), sheetOf(Iris())) {
				t.Error("the built-in irises differ from the table of the tests")
			}
		})
	}
}

func TestSchema(t *testing.T) {
	d, err := readText("t.csv", "a,h,b,y\n1,Present,2,10\n3,Absent,4,9\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(d.Schema)
	if err != nil {
		t.Fatal(err)
	}
	s := new(Schema)
	if err := json.Unmarshal(text, s); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s, d.Schema) {
		t.Fatalf("%s becomes %v", text, s)
	}
	for _, c := range []struct {
		name, text string
		o          *Options
		want       sheet
		extra      []string
	}{
		{"other order", "y,b,h,a\n9,2,Absent,1\n10.0,4,Present,3\n", nil,
			sheet{[][]float64{{1, 0, 2}, {3, 1, 4}}, d.Features(), []int{0, 1}, d.Names, nil}, nil},
		{"one level only", "a,h,b,y\n1,Present,2,9\n", nil, sheet{[][]float64{{1, 1, 2}}, d.Features(), []int{0}, d.Names, nil}, nil},
		{"without labels, with more", "id,a,h,b\nq,1,Present,2\n", &Options{NoLabels: true}, sheet{[][]float64{{1, 1, 2}}, d.Features(), nil, d.Names, nil}, []string{"id"}},
		{"labels not read", "a,h,b,y\n1,Present,2,?\n", &Options{NoLabels: true}, sheet{[][]float64{{1, 1, 2}}, d.Features(), nil, d.Names, nil}, nil},
		{"label of another name", "a,h,b,z\n1,Present,2,9\n", &Options{Label: "z"}, sheet{[][]float64{{1, 1, 2}}, d.Features(), []int{0}, d.Names, nil}, nil},
	} {
		n, err := s.Read("n.csv", strings.NewReader(c.text), c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := sheetOf(n); !reflect.DeepEqual(got, c.want) || !reflect.DeepEqual(n.Extra, c.extra) {
			t.Errorf("%s:\n got %v, extra %v\nwant %v, extra %v", c.name, got, n.Extra, c.want, c.extra)
		}
	}
	for _, c := range []struct {
		text string
		o    *Options
		want string
	}{
		{"a,h,b,y\n1,Perhaps,2,9\n", nil, `n.csv:2: column "h": "Perhaps" is not a level; they are "Absent", "Present"`},
		{"a,h,b,y\n1,Present,two,9\n", nil, `n.csv:2: column "b": "two" is not a number`},
		{"a,h,b,y\n1,Present,2,11\n", nil, `n.csv:2: column "y": "11" is not a class of the model; they are "9", "10"`},
		{"a,h,b\n1,Present,2\n", nil, `n.csv: no column "y"; there are "a", "h", "b"`},
		{"a,y\n1,9\n", nil, `n.csv: no column "h", "b"`},
		{"a,H,b2,y\n1,9,0,0\n", nil, `n.csv: no column "h", "b"; not asked for: "H", "b2"`},
		{"9 1:2\n", &Options{Format: "libsvm"}, "n.csv: LIBSVM text has no categorical columns, the model does"},
	} {
		_, err := s.Read("n.csv", strings.NewReader(c.text), c.o)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
	for _, bad := range []string{`{}`, `{"columns":[{"name":""}]}`, `{"columns":[{"name":"a"},{"name":"a"}]}`, `{"columns":[{"name":"a","levels":["x"]}]}`,
		`{"columns":[{"name":"a","levels":["x","z","y"]}]}`, `{"columns":[{"name":"a"}],"names":["9","10","9.0"]}`, `{"columns":[{"name":"a"}],"names":["u","u"]}`, `[]`,
		`{"columns":[{"name":"a","levels":["y","x","y"]}]}`, `{"columns":[{"name":"a"}],"missing":"drop"}`, `{"columns":[{"name":"a"}],"unseen":"keep"}`} {
		if err := json.Unmarshal([]byte(bad), s); err == nil {
			t.Errorf("schema %s is taken", bad)
		}
	}
}

func TestSchemaNoHeader(t *testing.T) {
	o := &Options{NoHeader: true}
	d, err := readText("t.csv", "1,2,u\n3,4,v\n", o)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"5,6,v\n", "5,6\n"} {
		o.NoLabels = len(text) < 6
		n, err := d.Schema.Read("n.csv", strings.NewReader(text), o)
		if err != nil || !reflect.DeepEqual(n.X.Row(0), []float64{5, 6}) || n.Extra != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestIris(t *testing.T) {
	d := Iris()
	want := []string{"setosa", "versicolor", "virginica"}
	if d.X.Rows != 150 || d.X.Cols != 4 || !reflect.DeepEqual(d.Names, want) || d.Labels[0] != 0 || d.Labels[149] != 2 {
		t.Errorf("%d × %d, %v", d.X.Rows, d.X.Cols, d.Names)
	}
	var e *linalg.SizeError
	if _, err := Read("iris.csv", bytes.NewReader(iris), &Options{MaxBytes: 1000}); !errors.As(err, &e) || e.Rows != 150 || e.Bytes != 4800 {
		t.Errorf("limit of 1000 bytes: %v", err)
	}
}

// A first row that is no header, but for a label of text, is taken for one and said.
func TestHeadersOfNumbersAreSaid(t *testing.T) {
	for text, said := range map[string]bool{
		"5.1,3.5,setosa\n4.9,3,setosa\n4,2,virginica\n": true,
		"5.1,setosa\n4.9,setosa\n4,virginica\n":         true,
		"1,2,label\n4.9,3,a\n4,2,b\n":                   false,
		"5.1,b,label\n4.9,3,a\n4,2,b\n":                 false,
		"a,b,label\n4.9,3,a\n4,2,b\n":                   false,
	} {
		d, err := Read("t.csv", strings.NewReader(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if (len(d.Notes) == 1 && strings.Contains(d.Notes[0], "-no-header")) != said {
			t.Errorf("%q: %q", text, d.Notes)
		}
	}
	d, err := Read("t.csv", strings.NewReader("5.1,3.5,setosa\n4.9,3,virginica\n"), &Options{NoHeader: true})
	if err != nil || d.Notes != nil {
		t.Error(d, err)
	}
}
