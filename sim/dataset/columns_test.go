package dataset_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"halfspace/sim/dataset"
)

const gaps = `id,dose,site,batch,y
1,0.5,left,10,a
2,,right,9,b
3,1.5,NA,10,a
4,2.5,mid,7,b
5,3,left,nan,b
`

func read(t testing.TB, text string, o *dataset.Options) *dataset.Data {
	t.Helper()
	d, err := dataset.Read("t.csv", strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// show prints the rows of a table.
func show(d *dataset.Data) string {
	var b strings.Builder
	for i := range d.X.Rows {
		fmt.Fprintln(&b, d.X.Row(i))
	}
	return b.String()
}

func TestMissingCellsAreKept(t *testing.T) {
	d := read(t, gaps, &dataset.Options{Drop: []string{"id"}, Categorical: []string{"batch"}, Reference: map[string]string{"site": "mid"}, Missing: dataset.Keep})
	if want := []string{"dose", "site=left", "site=right", "batch=7", "batch=9"}; !slices.Equal(d.Features(), want) {
		t.Errorf("features %q, want %q", d.Features(), want)
	}
	want := "[0.5 1 0 0 0]\n[NaN 0 1 0 1]\n[1.5 NaN NaN 0 0]\n[2.5 0 0 1 0]\n[3 1 0 NaN NaN]\n"
	if got := show(d); got != want || d.LeftOut != 0 {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	again, err := d.Schema.Read("t.csv", strings.NewReader(gaps), nil)
	if err != nil || show(again) != want || again.Extra != nil {
		t.Errorf("by its schema: %v, extra %q\n%s", err, again.Extra, show(again))
	}
}

// A line of the tabs that separate cells is a row whose cells are missing, as one of commas is, and not blank:
// predictions of it have a row of their own.
func TestLinesOfTabsAreRows(t *testing.T) {
	const text = "a,b,y\n,,\n1,2,u\n\n,,\n3,4,v\n,,"
	for _, sep := range []string{",", "\t", ";"} {
		table := strings.ReplaceAll(text, ",", sep)
		if _, err := dataset.Read("t.csv", strings.NewReader(table), nil); err == nil || !strings.Contains(err.Error(), `t.csv:2: column "a": "" is a missing value`) {
			t.Errorf("separated by %q: %v", sep, err)
		}
		for _, rule := range []dataset.Rule{dataset.LeaveOut, dataset.Keep} {
			d := read(t, table, &dataset.Options{Missing: rule, NoLabels: rule == dataset.Keep, Label: "y"})
			n, _ := d.Dims()
			if want := map[dataset.Rule][2]int{dataset.LeaveOut: {2, 3}, dataset.Keep: {5, 0}}[rule]; n != want[0] || d.LeftOut != want[1] {
				t.Errorf("separated by %q, %s: %d rows and %d left out, want %d", sep, rule, n, d.LeftOut, want)
			}
		}
	}
}

// A quote below the header that is not closed makes a record of the rest of the text, whose millions of lines are
// each read once: they took minutes where the quotes of all were counted at each.
func TestRecordsOfManyLines(t *testing.T) {
	lines := strings.Repeat("x\n", 2_000_000)
	if _, err := dataset.Read("t.csv", strings.NewReader("a,b,y\n1,\"2,u\n"+lines), nil); err == nil || !strings.Contains(err.Error(), "t.csv:2: a quote that is not closed") {
		t.Error(err)
	}
	if d := read(t, "a,b,y\n1,2,\"u"+lines+"\"\n3,4,v\n", nil); len(d.Names) != 2 || d.Names[0] != "u"+lines {
		t.Errorf("%d classes, the first of %d bytes", len(d.Names), len(d.Names[0]))
	}
}

func TestRowsWithMissingCellsAreLeftOut(t *testing.T) {
	d := read(t, strings.Replace(gaps, "5,3,left,nan,b", "5,3,left,8,", 1), &dataset.Options{Keep: []string{"dose", "site"}, Missing: dataset.LeaveOut})
	// The levels and labels of the rows that are left out are none, and a column that is
	// not read may have gaps.
	if got := show(d); got != "[0.5 0]\n[2.5 1]\n" || d.LeftOut != 3 || !slices.Equal(d.Features(), []string{"dose", "site=mid"}) {
		t.Errorf("%d left out, %q:\n%s", d.LeftOut, d.Features(), got)
	}
	if _, err := d.Schema.Read("new.csv", strings.NewReader(gaps), nil); err == nil || !strings.Contains(err.Error(), `new.csv:3: column "dose": "" is a missing value`) {
		t.Errorf("a schema that refuses gaps: %v", err)
	}
	_, err := dataset.Read("t.csv", strings.NewReader("a,y\n,u\nNA,v\n"), &dataset.Options{Missing: dataset.LeaveOut})
	if err == nil || err.Error() != "t.csv: each of the 2 rows has a missing cell" {
		t.Errorf("no row is whole: %v", err)
	}
}

func TestColumnsThatCannotBeChosen(t *testing.T) {
	for _, c := range []struct {
		o    dataset.Options
		want string
	}{
		{dataset.Options{Keep: []string{"dosis"}}, `no column "dosis"`},
		{dataset.Options{Drop: []string{"dosis"}}, `no column "dosis"`},
		{dataset.Options{Drop: []string{"y"}}, `column "y" cannot be two things`},
		{dataset.Options{Keep: []string{"y"}}, `column "y" cannot be two things`},
		{dataset.Options{Keep: []string{}}, "no columns beside the label"},
		{dataset.Options{Categorical: []string{"y"}}, `column "y" cannot be two things`},
		{dataset.Options{Keep: []string{"dose"}, Categorical: []string{"batch"}, Missing: dataset.Keep}, `column "batch" is left out, and named as a feature`},
		{dataset.Options{Drop: []string{"batch"}, Categorical: []string{"batch"}, Missing: dataset.Keep}, `column "batch" is left out, and named as a feature`},
		{dataset.Options{Drop: []string{"dose"}, Keep: []string{"dose", "site"}, Missing: dataset.Keep}, `column "dose" is left out, and named as a feature`},
		{dataset.Options{Drop: []string{"site"}, Reference: map[string]string{"site": "mid"}, Missing: dataset.Keep}, `column "site" is left out, and named as a feature`},
		{dataset.Options{Reference: map[string]string{"site": "top"}, Missing: dataset.Keep}, `column "site": "top" is not a level; they are "left", "mid", "right"`},
		{dataset.Options{Missing: "impute"}, `no rule "impute"`},
		{dataset.Options{Unseen: "drop"}, `no rule "drop"`},
	} {
		if _, err := dataset.Read("t.csv", strings.NewReader(gaps), &c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.o, err, c.want)
		}
	}
	if _, err := dataset.Read("t.csv", strings.NewReader("a,b,y\n,1,u\n,2,v\n"), &dataset.Options{Missing: dataset.Keep}); err == nil || err.Error() != `t.csv: column "a": every cell is missing` {
		t.Errorf("a column without a cell: %v", err)
	}
	s := read(t, gaps, &dataset.Options{Missing: dataset.Keep}).Schema
	if _, err := s.Read("t.csv", strings.NewReader(gaps), &dataset.Options{Drop: []string{"id"}}); err == nil || !strings.Contains(err.Error(), "schema's to say") {
		t.Errorf("other columns than the schema's: %v", err)
	}
}

func TestLevelsNeverSeen(t *testing.T) {
	for unseen, want := range map[dataset.Rule]string{
		dataset.Refuse:    `new.csv:2: column "site": "far" is not a level; they are "left", "right"`,
		dataset.Reference: "[0]\n",
	} {
		s := read(t, "site,y\nleft,u\nright,v\n", &dataset.Options{Unseen: unseen}).Schema
		d, err := s.Read("new.csv", strings.NewReader("site\nfar\n"), &dataset.Options{NoLabels: true})
		got := fmt.Sprint(err)
		if err == nil {
			got = show(d)
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", unseen, got, want)
		}
		// A missing cell is no level.
		if _, err := s.Read("new.csv", strings.NewReader("site\nNA\n"), &dataset.Options{NoLabels: true}); err == nil || !strings.HasSuffix(err.Error(), `"NA" is a missing value`) {
			t.Errorf("%q: a missing cell: %v", unseen, err)
		}
	}
}

// Where a gap made a column one of real numbers, 2 is written 2.0. No other spelling is another level's.
func TestWholeNumbersThatAreLevels(t *testing.T) {
	for _, c := range []struct {
		levels []string
		cell   string
		want   string // the indicators, or of the error
	}{
		{[]string{"1", "2", "3"}, "2.0", "[1 0]"}, {[]string{"1", "2", "3"}, "3.000", "[0 1]"}, {[]string{"1", "2", "3"}, "1.0", "[0 0]"}, {[]string{"0", "-2"}, "-2.0", "[1]"},
		{[]string{"2", "2.0"}, "2.0", "[1]"}, {[]string{"1", "1.1"}, "1.10", "not a level"}, {[]string{"1", "2"}, "02", "not a level"}, {[]string{"1", "2"}, "2.", "not a level"},
		{[]string{"1", ""}, ".0", "not a level"}, {[]string{"1", "-"}, "-.0", "not a level"}, {[]string{"a", "x2"}, "x2.0", "not a level"},
	} {
		s := &dataset.Schema{Columns: []dataset.Column{{Name: "k", Levels: c.levels}, {Name: "x"}}}
		e, err := s.Encoder([]string{"k", "x"})
		if err != nil {
			t.Fatal(err)
		}
		check := func(how string, row []float64, err error) {
			t.Helper()
			if got := fmt.Sprint(row); err == nil && got != strings.TrimSuffix(c.want, "]")+" 7]" || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %q among %q: %s, %v, want %s", how, c.cell, c.levels, got, err, c.want)
			}
		}
		row, err := e.Row(nil, []string{c.cell, "7"})
		check("a row", row, err)
		d, err := s.Read("new.csv", strings.NewReader("k,x\n"+c.cell+",7\n"), &dataset.Options{NoLabels: true})
		if err == nil {
			row = d.X.Row(0)
		}
		check("a table", row, err)
	}
}

func TestColumnsThatAStrictSchemaDoesNotKnow(t *testing.T) {
	s := read(t, "id,a,y\n1,2,u\n2,3,v\n", &dataset.Options{Drop: []string{"id"}, Strict: true}).Schema
	if _, err := s.Read("n.csv", strings.NewReader("id,a,y\n1,2,u\n"), nil); err != nil {
		t.Errorf("a column that was dropped: %v", err)
	}
	if _, err := s.Read("n.csv", strings.NewReader("a,b\n1,2\n"), &dataset.Options{NoLabels: true}); err == nil || err.Error() != `n.csv: columns that the model does not know: "b"` {
		t.Errorf("another column: %v", err)
	}
	if _, err := s.Encoder([]string{"a", "b"}); err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("an encoder with another column: %v", err)
	}
	if _, err := s.Row(nil, map[string]any{"a": 1, "b": 2}); err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("a row with another column: %v", err)
	}
	if row, err := s.Row(nil, map[string]any{"a": 1, "id": 7, "y": nil}); err != nil || !slices.Equal(row, []float64{1}) {
		t.Errorf("a row with the label: %v, %v", row, err)
	}
}

// What a schema says comes back from JSON.
func TestSchemaRulesComeBack(t *testing.T) {
	s := read(t, gaps, &dataset.Options{Drop: []string{"id"}, Reference: map[string]string{"site": "right"}, Missing: dataset.Keep, Unseen: dataset.Reference, Strict: true}).Schema
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	back := new(dataset.Schema)
	if err := json.Unmarshal(b, back); err != nil || fmt.Sprint(back) != fmt.Sprint(s) {
		t.Errorf("%v: %+v became %+v", err, s, back)
	}
	if _, err := json.Marshal(new(dataset.Schema)); err == nil {
		t.Error("a schema without columns is written")
	}
}

// An encoder gives the rows that reading the file gives, whatever the order of the
// columns, from text and from values; so do records and single rows.
func TestRowsAreEncodedAsFilesAreRead(t *testing.T) {
	for _, o := range []*dataset.Options{
		{Missing: dataset.Keep},
		{Missing: dataset.Keep, Drop: []string{"id"}, Categorical: []string{"batch"}, Reference: map[string]string{"site": "mid"}, Unseen: dataset.Reference},
	} {
		d := read(t, gaps, o)
		var records [][]string
		for _, line := range strings.Split(strings.TrimSpace(gaps), "\n") {
			records = append(records, strings.Split(line, ","))
		}
		if r, err := dataset.FromRecords(records, o); err != nil || show(r) != show(d) || fmt.Sprint(r.Schema) != fmt.Sprint(d.Schema) || !slices.Equal(r.Labels, d.Labels) {
			t.Errorf("records: %v\n%+v", err, r)
		}
		if r, err := d.Schema.FromRecords(records, nil); err != nil || show(r) != show(d) {
			t.Errorf("records by the schema: %v", err)
		}
		order := []int{4, 2, 0, 3, 1}
		pick := func(r []string) (out []string) {
			for _, j := range order {
				out = append(out, r[j])
			}
			return out
		}
		e, err := d.Schema.Encoder(pick(records[0]))
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range records[1:] {
			want := fmt.Sprint(d.X.Row(i))
			if row, err := e.Row(nil, pick(r)); err != nil || fmt.Sprint(row) != want {
				t.Errorf("row %d: %v, %v, want %v", i, row, err, want)
			}
			byName := map[string]any{}
			values := make([]any, len(order))
			for k, cell := range pick(r) {
				values[k] = valueOf(cell)
				byName[records[0][order[k]]] = values[k]
			}
			if row, err := e.Values([]float64{7}, values); err != nil || fmt.Sprint(row[1:]) != want || row[0] != 7 {
				t.Errorf("row %d of values: %v, %v, want %v", i, row, err, want)
			}
			if row, err := d.Schema.Row(nil, byName); err != nil || fmt.Sprint(row) != want {
				t.Errorf("row %d by names: %v, %v, want %v", i, row, err, want)
			}
		}
	}
}

// valueOf is the value that a JSON file would have for a cell.
func valueOf(cell string) any {
	var v float64
	if cell == "" || cell == "NA" {
		return nil
	}
	if cell == "nan" {
		return math.NaN()
	}
	if _, err := fmt.Sscan(cell, &v); err == nil {
		return v
	}
	return cell
}

// A number of any type and a truth value in any spelling of a file are cells.
func TestValuesOfAnyType(t *testing.T) {
	type meters float32
	type word string
	for _, yes := range []string{"true", "True", "TRUE"} {
		no := map[string]string{"true": "false", "True": "False", "TRUE": "FALSE"}[yes]
		s := read(t, "a,b,h,y\n1,"+yes+",2,u\n2,"+no+",3,v\n", &dataset.Options{Categorical: []string{"h"}}).Schema
		for _, a := range []any{2, int8(2), int16(2), int32(2), int64(2), uint(2), uint8(2), uint16(2), uint32(2), uint64(2), float32(2), 2.0, meters(2), word("2"), json.Number("2"), " 2 "} {
			for b, want := range map[any]float64{true: 1, false: 0, yes: 1, word(no): 0} {
				row, err := s.Row(nil, map[string]any{"a": a, "b": b, "h": a})
				if s.Columns[1].Levels[0] == yes {
					want = 1 - want
				}
				if h := 0.0; err != nil || !slices.Equal(row, []float64{2, want, h}) {
					t.Errorf("%T %v, %T %v: %v, %v", a, a, b, b, row, err)
				}
			}
		}
	}
	s := read(t, "a,y\n1,u\n2,v\n", nil).Schema
	if row, err := s.Row(nil, map[string]any{"a": true}); row != nil || err == nil || !strings.Contains(err.Error(), `"true" is not a number`) {
		t.Errorf("%v, %v", row, err)
	}
}

// Numbers are spelled with the digits of their type: not all whole numbers are a float64, and 0.1 of 32 bits is none.
func TestLevelsOfNumbers(t *testing.T) {
	levels := []string{"other", "9007199254740993", "-9007199254740993", "18446744073709551615", "0.1"}
	s := &dataset.Schema{Columns: []dataset.Column{{Name: "h", Levels: levels}}}
	type id int64
	for _, c := range []struct {
		cell any
		code int
	}{
		{int64(9007199254740993), 1}, {int64(9007199254740992), 0}, {id(-9007199254740993), 2}, {uint64(math.MaxUint64), 3},
		{float32(0.1), 4}, {0.1, 4}, {float64(float32(0.1)), 0},
	} {
		row, err := s.Row(nil, map[string]any{"h": c.cell})
		if c.code == 0 {
			if err == nil {
				t.Errorf("%T %v is a level: %v", c.cell, c.cell, row)
			}
		} else if err != nil || row[c.code-1] != 1 {
			t.Errorf("%T %v: %v, %v", c.cell, c.cell, row, err)
		}
	}
}

func TestCellsThatCannotBeEncoded(t *testing.T) {
	s := read(t, "a,h,y\n1,p,u\n2,q,v\n", nil).Schema
	e, err := s.Encoder([]string{"h", "a"})
	if err != nil {
		t.Fatal(err)
	}
	dst := []float64{7}
	for _, c := range []struct {
		cells []any
		want  string
	}{
		{[]any{"p", "abc"}, `dataset: column "a": "abc" is not a number`},
		{[]any{"p", ""}, `dataset: column "a": "" is a missing value`},
		{[]any{"p", nil}, `dataset: column "a": "" is a missing value`},
		{[]any{"p", math.NaN()}, `dataset: column "a": "" is a missing value`},
		{[]any{"p", math.Inf(1)}, `dataset: column "a": +Inf is not a number`},
		{[]any{"p", []int{1}}, `dataset: column "a": a []int is neither text nor a number`},
		{[]any{"r", 1}, `dataset: column "h": "r" is not a level; they are "p", "q"`},
		{[]any{2.5, 1}, `dataset: column "h": "2.5" is not a level; they are "p", "q"`},
		{[]any{nil, 1}, `dataset: column "h": "" is a missing value`},
		{[]any{"p"}, "dataset: 2 columns but 1 cells"},
	} {
		row, err := e.Values(dst, c.cells)
		if err == nil || err.Error() != c.want || len(row) != 1 {
			t.Errorf("%v: %v, %v, want %s", c.cells, row, err, c.want)
		}
		text := make([]string, len(c.cells))
		for i, v := range c.cells {
			s, ok := v.(string)
			if text[i] = s; !ok {
				text = nil
				break
			}
		}
		if text == nil {
			continue
		}
		if row, err := e.Row(dst, text); err == nil || err.Error() != c.want || len(row) != 1 {
			t.Errorf("%q: %v, %v, want %s", text, row, err, c.want)
		}
	}
	for _, columns := range [][]string{{"a"}, {"a", "a", "h"}, nil} {
		if _, err := s.Encoder(columns); err == nil {
			t.Errorf("columns %q are taken", columns)
		}
	}
	if _, err := s.Row(nil, map[string]any{"a": 1}); err == nil || err.Error() != `dataset: no column "h"` {
		t.Errorf("a row without a column: %v", err)
	}
	for what, records := range map[string][][]string{"none": nil, "no rows": {{"a", "y"}}, "ragged": {{"a", "y"}, {"1"}}, "no name": {{"", "y"}, {"1", "2"}}, "empty": {{}}} {
		if _, err := dataset.FromRecords(records, nil); err == nil || !strings.HasPrefix(err.Error(), "records") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func benchmarkSchema(b testing.TB) (*dataset.Encoder, []string, []any) {
	var columns, levels []string
	var cells []string
	values := make([]any, 20)
	s := &dataset.Schema{}
	for i := range 8 {
		levels = append(levels, fmt.Sprintf("level %d", i))
	}
	for j := range 20 {
		c := dataset.Column{Name: fmt.Sprintf("column %d", j)}
		if j%4 == 0 {
			c.Levels = levels
			values[j] = levels[j%8]
		} else {
			values[j] = float64(1000+371*j) / 100
		}
		s.Columns, columns, cells = append(s.Columns, c), append(columns, c.Name), append(cells, fmt.Sprint(values[j]))
	}
	e, err := s.Encoder(columns)
	if err != nil {
		b.Fatal(err)
	}
	return e, cells, values
}

func TestEncodingAllocatesNothing(t *testing.T) {
	e, cells, values := benchmarkSchema(t)
	row := make([]float64, 0, 64)
	for what, encode := range map[string]func(){
		"text":   func() { row, _ = e.Row(row[:0], cells) },
		"values": func() { row, _ = e.Values(row[:0], values) },
	} {
		if n := testing.AllocsPerRun(100, encode); n != 0 {
			t.Errorf("%s: %v allocations a row", what, n)
		}
	}
}

// A row of 20 columns, 5 of them with levels.
func BenchmarkEncoder(b *testing.B) {
	e, cells, values := benchmarkSchema(b)
	row := make([]float64, 0, 64)
	b.Run("text", func(b *testing.B) {
		for b.Loop() {
			row, _ = e.Row(row[:0], cells)
		}
	})
	b.Run("values", func(b *testing.B) {
		for b.Loop() {
			row, _ = e.Values(row[:0], values)
		}
	})
}

func BenchmarkReadOneRow(b *testing.B) {
	s := read(b, "a,b,c,h,y\n1,2,3,p,u\n2,3,4,q,v\n", nil).Schema
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Read("new.csv", strings.NewReader("a,b,c,h\n1,2,3,p\n"), &dataset.Options{NoLabels: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// LIBSVM text has no columns to choose, but a strict schema holds for its indices.
func TestColumnsOfLIBSVMText(t *testing.T) {
	const text = "1 1:2 2:3\n0 2:4\n"
	for _, o := range []dataset.Options{{Keep: []string{"x1"}}, {Drop: []string{"x1"}}, {Categorical: []string{"x1"}}, {Reference: map[string]string{"x1": "2"}}} {
		if _, err := dataset.Read("t.svm", strings.NewReader(text), &o); err == nil || !strings.Contains(err.Error(), "no named columns") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	d, err := dataset.Read("t.svm", strings.NewReader(text), &dataset.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Schema.Read("n.svm", strings.NewReader("1 3:1\n"), nil); err == nil || err.Error() != "n.svm: columns that the model does not know: indices 3 to 3" {
		t.Errorf("another index: %v", err)
	}
}

// A schema whose columns are named by numbers, as those of spectra are by wavelengths, reads tables to predict:
// these have a header of numbers alone.
func TestColumnsNamedByNumbers(t *testing.T) {
	d := read(t, "400.5,401,401.5,y\n1,2,3,u\n3,1,2,v\n", nil)
	if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "-no-header") {
		t.Errorf("a first table: notes %q", d.Notes)
	}
	o := &dataset.Options{NoLabels: true}
	for _, text := range []string{"400.5,401,401.5\n1,2,3\n", "401,id,401.5,400.5\n2,9,3,1\n"} {
		got, err := d.Schema.Read("new.csv", strings.NewReader(text), o)
		if err != nil || show(got) != "[1 2 3]\n" || got.Notes != nil {
			t.Errorf("%q: %v, %+v", text, err, got)
		}
	}
	got, err := d.Schema.FromRecords([][]string{{"400.5", "401", "401.5"}, {"1", "2", "3"}}, o)
	if err != nil || show(got) != "[1 2 3]\n" {
		t.Errorf("records: %v, %+v", err, got)
	}
	if _, err := d.Schema.Read("new.csv", strings.NewReader("1,2.5,3\n4,5,6\n"), o); err == nil || !strings.Contains(err.Error(), "-no-header") {
		t.Errorf("rows without a header: %v", err)
	}
}

// The last column of a table is its label where the schema has none, but not if it is the offset, the weight, a
// column of documents or one that was left out.
func TestLastColumnsThatAreNoLabels(t *testing.T) {
	for _, c := range []struct {
		text string
		o    dataset.Options
	}{
		{"a,b,o\n1,2,.5\n3,1,.25\n", dataset.Options{Offset: "o"}},
		{"a,b,w\n1,2,2\n3,1,3\n", dataset.Options{Weights: "w"}},
		{"a,b,c\n1,2,2\n3,1,3\n", dataset.Options{Drop: []string{"c"}}},
		{"a,b,words\n1,2,of one\n3,1,of another\n", dataset.Options{Text: "words"}},
	} {
		c.o.NoLabels = true
		d := read(t, c.text, &c.o)
		for _, o := range []*dataset.Options{{NoLabels: true}, {}, {NoLabels: true, Offset: c.o.Offset, Weights: c.o.Weights}} {
			again, err := d.Schema.Read("t.csv", strings.NewReader(c.text), o)
			if err != nil {
				t.Errorf("%q: %v", c.text, err)
				continue
			}
			if again.Y != nil || again.Labels != nil || !slices.Equal(again.Offset, d.Offset) || o.Weights != "" && !slices.Equal(again.Weights, d.Weights) ||
				again.Extra != nil || !reflect.DeepEqual(again.Rows(), d.Rows()) {
				t.Errorf("%q: %+v", c.text, again)
			}
		}
	}
}
