package separation

import (
	"math/big"
	"slices"
	"testing"

	"halfspace/linalg/linalgtest"
)

// A scan that forgets violations on the way keeps those that one of all keeps at the end: the worst of
// each class, of equal ones the first, and of a row with many its worst alone, for it is rows that join a sample.
func TestWorstViolationsAreKept(t *testing.T) {
	const n, k = 500, 5
	x, code := linalgtest.Normal(6, n, 2), make([]int, n)
	for i := range code {
		code[i] = i % k
		copy(x.Row(i), x.Row(i%100)) // equal rows
	}
	d, err := newData(&Problem{X: x, Code: code, Classes: k, Workers: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := make([]*big.Int, (k-1)*d.dim)
	for j := range v {
		v[j] = big.NewInt(int64(j*7%11 - 5))
	}
	all, err := (&scan{f: newFunctions(d, v), strictly: true, most: n * k}).run()
	if err != nil {
		t.Fatal(err)
	}
	rows := make(map[int]bool)
	for _, v := range all.worst {
		rows[v.row] = true
	}
	if len(rows) != len(all.worst) || len(rows) <= n/k {
		t.Errorf("%d violations of %d rows", len(all.worst), len(rows))
	}
	for _, most := range []int{1, 3, 20} {
		some, err := (&scan{f: newFunctions(d, v), strictly: true, most: most}).run()
		if err != nil {
			t.Fatal(err)
		}
		want := outcome{worst: slices.Clone(all.worst)}
		want.keep(most)
		if !slices.Equal(some.worst, want.worst) {
			t.Errorf("of %d violations %d a class are kept as %v, want %v", len(all.worst), most, some.worst, want.worst)
		}
	}
}
