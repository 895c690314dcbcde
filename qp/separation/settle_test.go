package separation

import (
	"math/rand/v2"
	"sync"
	"testing"

	"halfspace/linalg/linalgtest"
)

// Random labels overlap in a way that float64 proves: the integers are left for later, and hold,
// whoever asks first.
func TestOverlapIsSettledWithoutIntegers(t *testing.T) {
	for seed := range uint64(linalgtest.Rounds(20, 1000)) {
		r := rand.New(rand.NewPCG(seed, 21))
		k, cols := 2+r.IntN(3), 1+r.IntN(8)
		n := 40 * k * cols * (1 + int(seed%2)*20) // with a part of the rows, and without
		x := linalgtest.Normal(seed, n, cols)
		p := &Problem{X: x, Code: make([]int, n), Classes: k, ThroughZero: seed%3 == 0}
		for i := range p.Code {
			p.Code[i] = r.IntN(k)
		}
		v, err := Settle(p)
		if err != nil {
			t.Fatal(err)
		}
		if v.Kind() != Overlap || k == 2 && v.pending == nil {
			t.Errorf("%d: %d rows of %d columns in %d classes are %v", seed, n, cols, k, v.Kind())
		}
		var ask sync.WaitGroup
		for range 2 {
			ask.Add(1)
			go func() {
				defer ask.Done()
				if err := v.Evidence().Verify(p); err != nil || v.Evidence().Kind != v.Kind() {
					t.Errorf("%d: %v, %v", seed, v.Evidence().Kind, err)
				}
			}()
		}
		ask.Wait()
	}
}

// Where the factors leave more than the rows' least singular value allows, nothing is proven: a
// direction with a margin of 1e-9 exists among rows of which one factor is as small.
func TestNoProofWithoutSlack(t *testing.T) {
	for _, c := range []struct {
		name string
		z    [][]float64
		a    []float64
		want bool
	}{
		{"three directions around 0", [][]float64{{1, 0}, {-1, 1}, {0, -1}}, []float64{1, 1.4142135623730951, 1}, true},
		{"all on one side by 1e-9", [][]float64{{1, 1e-9}, {-1, 1e-9}, {0, 1}}, []float64{1, 1, 1e-12}, false},
		{"one line", [][]float64{{1, 0}, {-1, 0}, {1, 0}}, []float64{1, 2, 1}, false},
		{"too few", [][]float64{{1, 0}, {-1, 0}}, []float64{1, 1}, false},
	} {
		x := linalgtest.Rows(t, c.z...)
		p := &Problem{X: x, Code: make([]int, x.Rows), Classes: 2, ThroughZero: true}
		active := make([]pair, x.Rows)
		for i := range active {
			p.Code[i], active[i] = 1, pair{i, 1, 0}
		}
		d, err := newData(p, []float64{0, 0})
		if err != nil {
			t.Fatal(err)
		}
		s := &sampled{d: d, known: map[int]bool{}}
		for i := range active {
			if _, err := s.add(i); err != nil {
				t.Fatal(err)
			}
		}
		work := 1e9
		h := newHull(s, &frame{z: s.hi}, nil, &work)
		if got := h.overlap(active, c.a) != nil; got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
