package dataset

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"
)

// fuzz reads text: it must not panic, and what it reads must be whole, finite,
// the same on one goroutine and on three, and the same again by its own schema.
func fuzz(t *testing.T, name string, text []byte, o Options) {
	o.MaxBytes = 1 << 24
	o.Workers = 1
	d, err := Read(name, bytes.NewReader(text), &o)
	o.Workers = 3
	again, err2 := Read(name, bytes.NewReader(text), &o)
	if (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
		t.Fatalf("one goroutine: %v; three: %v", err, err2)
	}
	if err != nil {
		return
	}
	rest, restAgain := *d, *again
	rest.X, restAgain.X = nil, nil // a NaN in it is not equal to itself
	if !sameBits(d.X.Data, again.X.Data) || !reflect.DeepEqual(rest, restAgain) {
		t.Fatal("three goroutines read something else than one")
	}
	for _, v := range d.X.Data {
		if v-v != 0 && (v == v || o.Missing != Keep) {
			t.Fatalf("a cell is %v", v)
		}
	}
	if d.X.Cols != len(d.Features) || d.Labels != nil && len(d.Labels) != d.X.Rows || d.Y != nil && len(d.Y) != d.X.Rows {
		t.Fatalf("%d × %d, %d names, %d labels, %d responses", d.X.Rows, d.X.Cols, len(d.Features), len(d.Labels), len(d.Y))
	}
	for _, k := range d.Labels {
		if k < 0 || k >= len(d.Names) {
			t.Fatalf("label %d of %d", k, len(d.Names))
		}
	}
	j, err := json.Marshal(d.Schema)
	if err != nil {
		t.Fatal(err)
	}
	var s Schema
	if err := json.Unmarshal(j, &s); err != nil {
		return // text that is not UTF-8 does not survive JSON
	}
	if o.Missing == Keep { // which the schema says
		o.Missing = Refuse
	}
	again, err = d.Schema.Read(name, bytes.NewReader(text), &o)
	if err != nil {
		t.Fatalf("by its own schema: %v", err)
	}
	if again.LeftOut != d.LeftOut || !sameBits(d.X.Data, again.X.Data) || !reflect.DeepEqual(d.Labels, again.Labels) || !reflect.DeepEqual(d.Y, again.Y) {
		t.Fatal("its own schema reads something else")
	}
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(u, v float64) bool { return math.Float64bits(u) == math.Float64bits(v) })
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("a,b,y\n1,2,u\n3,4,v\n"), byte(0))
	f.Add([]byte("\xef\xbb\xbf\"a\",\"b\"\"c\",y\r\n1,p,\"u\nv\"\r\n3,q,v"), byte(0))
	f.Add([]byte("1,2,0\n3,4,1\n"), byte(1))
	f.Add([]byte("1,2,0.5\n3,4,1e-3\n"), byte(3))
	f.Add([]byte("# c\na,b\n1,\n"), byte(0))
	f.Add([]byte("h,y\nNA,+1\nInf,1.0\n"), byte(4))
	f.Add([]byte("a,b,y\n,q,u\n3,NA,v\nnan,r,w\n"), byte(8))
	f.Add([]byte("a,b,y\n,q,u\n3,NA,v\n4,r,\n5,s,w\n6,q,w\n"), byte(16))
	f.Fuzz(func(t *testing.T, text []byte, flags byte) {
		o := Options{NoHeader: flags&1 != 0, Numeric: flags&2 != 0, NoLabels: flags&4 != 0}
		switch {
		case flags&8 != 0:
			o.Missing = Keep
		case flags&16 != 0:
			o.Missing = LeaveOut
		}
		fuzz(t, "t.csv", text, o)
	})
}

func FuzzLIBSVM(f *testing.F) {
	f.Add([]byte("1 1:1 2:-0.5\n-1 3:1e3\n"), byte(0))
	f.Add([]byte("a 7:1\r\n\nb\n"), byte(0))
	f.Add([]byte("0.5 1:12345678901234567890\n"), byte(1))
	f.Add([]byte("1:1 2:2\n"), byte(2))
	f.Add([]byte("1 99999999999:1\n2 0:0\n"), byte(0))
	f.Fuzz(func(t *testing.T, text []byte, flags byte) {
		// A small limit: one row may have millions of columns.
		fuzz(t, "t.svm", text, Options{Numeric: flags&1 != 0, NoLabels: flags&2 != 0, MaxBytes: 80_000})
	})
}
