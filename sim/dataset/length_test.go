package dataset_test

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"halfspace/sim/dataset"
)

// Text whose length is known is read into a matrix that is made before its rows are counted.
// The table is the one of text of unknown length, whether rows get shorter (more of them than
// were expected), longer, or hold something other than the columns of the matrix.
func TestTablesDoNotDependOnTheLengthOfTheText(t *testing.T) {
	rows := func(header string, line func(i int) string) string {
		var b strings.Builder
		b.WriteString(header)
		for i := range 20_000 {
			b.WriteString(line(i))
		}
		return b.String()
	}
	long := func(i, few int) float64 {
		if i < 10_000 == (few == 0) {
			return 1 / float64(i+3)
		}
		return float64(i % 7)
	}
	narrow, err := dataset.Read("n.svm", strings.NewReader("0 1:1 2:1\n1 2:1\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		o          *dataset.Options
		schema     *dataset.Schema
	}{
		{"shorter.csv", rows("a,b,y\n", func(i int) string { return fmt.Sprintf("%v,%v,%d\n", long(i, 0), long(i+1, 0), i%2) }), nil, nil},
		{"longer.csv", rows("a,b,y\n", func(i int) string { return fmt.Sprintf("%v,%v,%d\n", long(i, 1), long(i+1, 1), i%2) }), nil, nil},
		{"alike.csv", rows("a,b,y\n", func(i int) string { return fmt.Sprintf("%.17f,%.17f,%d\n\n", long(i, 0), long(i+1, 0), i%2) }), nil, nil},
		{"levels.csv", rows("a,b,c,y\n", func(i int) string { return fmt.Sprintf("%s,%.17f,l%d,%d\n", "uvw"[i%3:i%3+1], long(i, 0), i%2, i%2) }),
			&dataset.Options{Drop: []string{"b"}}, nil}, // as many indicators as columns and a column of more
		{"two.csv", rows("a,b,y\n", func(i int) string { return fmt.Sprintf("level%d,%.17f,%d\n", i/7%2, long(i, 0), i%2) }), nil, nil},
		{"gaps.csv", rows("a,b,y\n", func(i int) string {
			return fmt.Sprintf("%s,%.17f,%d\n", []string{"NA", "2"}[min(1, i%5)], long(i, 0), i%2)
		}), &dataset.Options{Missing: dataset.Keep}, nil},
		{"full.svm", rows("", func(i int) string { return fmt.Sprintf("%d 1:%.17f 2:%.17f\n", i%2, long(i, 0), long(i, 1)) }), nil, nil},
		{"shorter.svm", rows("", func(i int) string { return fmt.Sprintf("%d 1:%v 2:%v\n", i%2, long(i, 0), long(i, 0)) }), nil, nil},
		{"gaps.svm", rows("", func(i int) string {
			return fmt.Sprintf("%d 1:%.17f %d:%.17f\n", i%2, long(i, 0), 3-i/10_000, long(i, 1))
		}), nil, nil},
		{"narrow.svm", rows("", func(i int) string { // two values a row on average, but three and one
			if i%2 == 0 {
				return fmt.Sprintf("0 1:%.17f 2:%.17f 3:%.17f\n", long(i, 0), long(i, 1), long(i, 0))
			}
			return fmt.Sprintf("1 1:%.17f\n", long(i, 0))
		}), nil, narrow.Schema},
	} {
		read := dataset.Read
		if c.schema != nil {
			read = c.schema.Read
		}
		want, err := read(c.name, struct{ io.Reader }{strings.NewReader(c.text)}, c.o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := read(c.name, strings.NewReader(c.text), c.o)
		if err != nil {
			t.Fatal(err)
		}
		same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
		if !slices.EqualFunc(got.X.Data, want.X.Data, same) || !reflect.DeepEqual(got.Labels, want.Labels) || got.X.Rows != want.X.Rows {
			t.Errorf("%s: %d × %d, other than of unknown length: %d × %d", c.name, got.X.Rows, got.X.Cols, want.X.Rows, want.X.Cols)
		}
	}
}
