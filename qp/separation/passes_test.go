package separation_test

import (
	"math/big"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/qp/separation"
)

// counted are rows that count the passes over them, and are not in memory for all that know.
type counted struct {
	linalg.Rows
	passes *atomic.Int64
}

func (c counted) Pass(lo, hi int, visit func(*linalg.Block) error) error {
	c.passes.Add(1)
	return c.Rows.Pass(lo, hi, visit)
}

// Rows that are wanted one by one are gathered in a pass: a source that is read from a file is not read anew for each.
func TestSampledRowsShareAPass(t *testing.T) {
	x, code := linalgtest.Normal(3, 900, 4), make([]int, 900)
	for i := range code {
		code[i] = i % 2
		x.Set(i, 0, x.At(i, 0)/8+float64(2*code[i]))
	}
	rows := counted{x, new(atomic.Int64)}
	p := &separation.Problem{X: rows, Code: code, Classes: 2}
	e, err := separation.Decide(p)
	if err != nil || e.Kind != separation.Complete {
		t.Fatal(e, err)
	}
	if n := rows.passes.Swap(0); n > 20 {
		t.Errorf("%d passes of a decision", n)
	}
	if err := e.Verify(p); err != nil {
		t.Error(err)
	}
	if n := rows.passes.Load(); n > 3 {
		t.Errorf("%d passes of a proof", n)
	}
	want, err := separation.Decide(&separation.Problem{X: x, Code: code, Classes: 2})
	if err != nil || !reflect.DeepEqual(want, e) {
		t.Errorf("%v of rows in memory is %v, %v", e, want, err)
	}
}

// So are the rows that have multipliers, of which there are as many as parameters.
func TestRowsOfAProofShareAPass(t *testing.T) {
	const p = 60
	x, code := linalgtest.Normal(3, 3000, p), make([]int, 3000)
	for i := range code {
		code[i] = i % 2
	}
	rows := counted{x, new(atomic.Int64)}
	q := &separation.Problem{X: rows, Code: code, Classes: 2}
	e, err := separation.Decide(q)
	if err != nil || e.Kind != separation.Overlap || len(e.Multipliers) <= p {
		t.Fatal(e, err)
	}
	if n := rows.passes.Swap(0); n > 40 {
		t.Errorf("%d passes of a decision", n)
	}
	slices.Reverse(e.Multipliers) // in whatever order they are written
	if err := e.Verify(q); err != nil {
		t.Error(err)
	}
	if n := rows.passes.Load(); n > 40 {
		t.Errorf("%d passes of a proof", n)
	}
}

// held are rows that measure what is in memory behind each pass.
type held struct {
	linalg.Rows
	bytes *uint64 // at most
}

func (h held) Pass(lo, hi int, visit func(*linalg.Block) error) error {
	defer func() {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		*h.bytes = max(*h.bytes, m.HeapAlloc)
	}()
	return h.Rows.Pass(lo, hi, visit)
}

// A proof may list any number of multipliers: their integers are not all in memory together.
func TestLongProofIsMultipliedOutInPieces(t *testing.T) {
	x, code := linalgtest.Normal(3, 2000, 30), slices.Repeat([]int{separation.Both}, 2000)
	e, one := &separation.Evidence{Kind: separation.Overlap}, separation.NewInteger(big.NewInt(1))
	for i := range code {
		e.Multipliers = append(e.Multipliers, separation.Multiplier{Row: i, Class: 0, Other: 1, Value: one}, separation.Multiplier{Row: i, Class: 1, Other: 0, Value: one})
	}
	rows := held{x, new(uint64)}
	if err := rows.Pass(0, 1, func(*linalg.Block) error { return nil }); err != nil {
		t.Fatal(err)
	}
	before := *rows.bytes
	if err := e.Verify(&separation.Problem{X: rows, Code: code, Classes: 2}); err != nil {
		t.Fatal(err)
	}
	if more := *rows.bytes - before; more > 3<<20 {
		t.Errorf("%d bytes more in memory", more)
	}
}
