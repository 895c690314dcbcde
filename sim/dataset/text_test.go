package dataset_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
)

const reviews = `comment,stars,mood
# not a comment line but a good one,5,glad
"bad, bad and ugly",0,sad
good enough,4,glad
,1,sad
`

// The terms of a column of documents are features behind the others; the schema, saved and
// read again, finds them in new tables, whatever the order of the columns.
func TestTextColumn(t *testing.T) {
	d, err := dataset.Read("r.csv", strings.NewReader(reviews), &dataset.Options{Text: "comment", TextSettings: feature.TextSettings{Counts: true}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"stars", "and", "bad", "but", "comment", "enough", "good", "line", "not", "one", "ugly"}
	if got := strings.Join(d.Features(), " "); got != strings.Join(want, " ") {
		t.Fatalf("features %s", got)
	}
	x, err := d.Dense()
	if err != nil || d.X != nil || d.Len() != 4 {
		t.Fatalf("%d rows, %v", d.Len(), err)
	}
	for i, row := range [][]float64{{5, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0}, {0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 1}, {4, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}} {
		linalgtest.CloseSlice(t, "row", x.Row(i), row, 0)
	}
	b, err := json.Marshal(d.Schema)
	if err != nil {
		t.Fatal(err)
	}
	var s dataset.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	n, err := s.Read("n.csv", strings.NewReader("mood,stars,comment\nsad,2,Ugly ugly unseen\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if x, err = n.Dense(); err != nil || n.Labels[0] != 1 {
		t.Fatalf("label %d, %v", n.Labels[0], err)
	}
	linalgtest.CloseSlice(t, "new row", x.Row(0), []float64{2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}, 0)
	if _, err := s.Encoder([]string{"stars", "comment"}); err == nil || !strings.Contains(err.Error(), `"comment" has documents`) {
		t.Errorf("an encoder of dense rows: %v", err)
	}
	for _, text := range []string{"mood,stars\nsad,1\n", "stars,comment,mood\n1,bad,angry\n"} {
		if _, err := s.Read("n.csv", strings.NewReader(text), nil); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	if _, err := dataset.Read("r.csv", strings.NewReader(reviews), &dataset.Options{Text: "remark"}); err == nil {
		t.Error("a column that there is not")
	}
}

// One row's cells make the sparse row that a table of it has; cells that are lacking, unknown to
// a strict schema or no text are refused, and nothing is appended.
func TestSparseRow(t *testing.T) {
	d, err := dataset.Read("r.csv", strings.NewReader(reviews), &dataset.Options{Text: "comment", Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	n, err := d.Schema.Read("n.csv", strings.NewReader("mood,stars,comment\nsad,2,Ugly good unseen\nsad,0,\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, cells := range []map[string]any{{"stars": 2, "comment": "Ugly good unseen", "mood": "sad"}, {"stars": "0", "comment": ""}} {
		index, value, err := d.Schema.SparseRow([]int32{7}, []float64{7}, cells)
		if err != nil {
			t.Fatal(err)
		}
		if wantIndex, wantValue := n.Sparse.Row(i); !slices.Equal(index[1:], wantIndex) || !slices.Equal(value[1:], wantValue) || index[0] != 7 || value[0] != 7 {
			t.Errorf("row %d: %v %v, want %v %v", i, index, value, wantIndex, wantValue)
		}
	}
	for _, cells := range []map[string]any{{"stars": 2}, {"comment": "good"}, {"stars": 2, "comment": 3}, {"stars": 2, "comment": nil},
		{"stars": "many", "comment": "good"}, {"stars": 2, "comment": "good", "more": 1}} {
		if index, value, err := d.Schema.SparseRow([]int32{7}, nil, cells); err == nil || len(index) != 1 || value != nil {
			t.Errorf("%v: %v %v, %v", cells, index, value, err)
		}
	}
	iris := dataset.Iris()
	index, value, err := iris.Schema.SparseRow(nil, nil, map[string]any{"sepal_length": 1, "sepal_width": 0, "petal_length": 0.0, "petal_width": 3})
	if err != nil || !slices.Equal(index, []int32{0, 3}) || !slices.Equal(value, []float64{1, 3}) {
		t.Errorf("without documents: %v %v, %v", index, value, err)
	}
}

// A table may have documents alone.
func TestTextAlone(t *testing.T) {
	d, err := dataset.Read("r.csv", strings.NewReader("comment,mood\nall good,glad\nall bad,sad\n"), &dataset.Options{Text: "comment"})
	if err != nil {
		t.Fatal(err)
	}
	if n, p := d.Dims(); n != 2 || p != 3 || d.Sparse.Stored() != 4 {
		t.Errorf("%d×%d", n, p)
	}
}

// Rows that were taken from a table have its terms until they are asked for their own, or for
// those of another schema.
func TestWithTerms(t *testing.T) {
	d, err := dataset.Read("r.csv", strings.NewReader(reviews), &dataset.Options{Text: "comment", TextSettings: feature.TextSettings{Counts: true, MinDocs: 2}})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(d.Features(), " "); got != "stars good" {
		t.Fatalf("features %s", got)
	}
	half := *d
	half.Sparse, half.Labels, half.Documents = d.Sparse.Take([]int{2, 2, 3}), nil, []string{d.Documents[2], d.Documents[2], d.Documents[3]}
	own, err := half.WithTerms(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(own.Schema.Features(), " "); got != "stars enough good" || strings.Join(own.Features(), " ") != got {
		t.Errorf("features %s, %q", got, own.Features())
	}
	if x, err := own.Dense(); err != nil || !slices.Equal(x.Data, []float64{4, 1, 1, 4, 1, 1, 1, 0, 0}) {
		t.Errorf("%v, %v", x, err)
	}
	back, err := own.WithTerms(d.Schema)
	if err != nil {
		t.Fatal(err)
	}
	if x, err := back.Dense(); err != nil || !slices.Equal(x.Data, []float64{4, 1, 4, 1, 1, 0}) {
		t.Errorf("%v, %v", x, err)
	}
	if got := strings.Join(half.Schema.Features(), " "); got != "stars good" {
		t.Errorf("the table itself now has features %s", got)
	}
	iris := dataset.Iris()
	if same, err := iris.WithTerms(nil); same != iris || err != nil {
		t.Errorf("a table without documents: %v", err)
	}
	half.Documents = []string{"no", "more", ""}
	if _, err := half.WithTerms(nil); err == nil || !strings.Contains(err.Error(), `column "comment"`) {
		t.Errorf("no term in two documents: %v", err)
	}
}
