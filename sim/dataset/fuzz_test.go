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
	o.MaxBytes = 6e6 // small, for one row may have millions of columns
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
	rest.X, restAgain.X = nil, nil // a NaN in them is not equal to itself
	rest.Sparse, restAgain.Sparse = nil, nil
	if !sameRows(d, again) || !reflect.DeepEqual(rest, restAgain) {
		t.Fatal("three goroutines read something else than one")
	}
	n, p := d.Dims()
	_, values := stored(d)
	for _, v := range values {
		if v-v != 0 && (v == v || o.Missing != Keep) {
			t.Fatalf("a cell is %v", v)
		}
	}
	if p != len(d.Features()) || d.Labels != nil && len(d.Labels) != n || d.Y != nil && len(d.Y) != n {
		t.Fatalf("%d × %d, %d names, %d labels, %d responses", n, p, len(d.Features()), len(d.Labels), len(d.Y))
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
	if again.LeftOut != d.LeftOut || !sameRows(d, again) || !reflect.DeepEqual(d.Labels, again.Labels) || !reflect.DeepEqual(d.Y, again.Y) {
		t.Fatal("its own schema reads something else")
	}
}

// stored returns where the stored values of a table lie, in numbers of n×p places, and
// the values: all n·p of a dense one.
func stored(d *Data) (at []int, values []float64) {
	if d.X != nil {
		return nil, d.X.Data
	}
	n, p := d.Dims()
	for i := range n {
		index, value := d.Sparse.Row(i)
		for k, j := range index {
			at, values = append(at, i*p+int(j)), append(values, value[k])
		}
	}
	return at, values
}

// sameRows reports whether two tables have the same rows bit for bit, in the same storage.
func sameRows(a, b *Data) bool {
	na, pa := a.Dims()
	nb, pb := b.Dims()
	atA, valuesA := stored(a)
	atB, valuesB := stored(b)
	return na == nb && pa == pb && (a.X == nil) == (b.X == nil) && slices.Equal(atA, atB) && sameBits(valuesA, valuesB)
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
		fuzz(t, "t.svm", text, Options{Numeric: flags&1 != 0, NoLabels: flags&2 != 0})
	})
}
