package separation

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
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
		e, err := Settle(p)
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != Overlap || k == 2 && e.Multipliers[0].Value.later == nil {
			t.Errorf("%d: %d rows of %d columns in %d classes are %v", seed, n, cols, k, e.Kind)
		}
		var ask sync.WaitGroup
		for range 2 {
			ask.Add(1)
			go func() {
				defer ask.Done()
				if err := e.Verify(p); err != nil {
					t.Errorf("%d: %v", seed, err)
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
		s := &sampled{d: d, at: map[int]int{}}
		for i := range active {
			if _, err := s.add(i); err != nil {
				t.Fatal(err)
			}
		}
		work := 1e9
		h := newHull(s, &frame{z: s.hi}, nil, &work)
		if e, err := h.overlap(active, c.a); err != nil || (e != nil) != c.want {
			t.Errorf("%s: %v, %v", c.name, e, err)
		}
	}
}

// Two classes of many columns that overlap are told by all rows of a sample, and the weights that
// are published before the integers are made are those of the integers. Classes that a plane
// separates have no such proof, whether its margin is wide or not.
func TestManyColumnsOverlapByAllRows(t *testing.T) {
	for seed := range uint64(linalgtest.Rounds(1, 30)) {
		r := rand.New(rand.NewPCG(seed, 22))
		cols := manyParameters + r.IntN(20)
		for name, c := range map[string]struct {
			rows    float64 // for each column
			margin  float64
			overlap bool
		}{"many rows": {6, 0, true}, "few rows": {2.5, 0, true}, "a margin": {4, 1, false}, "a narrow margin": {4, 1e-9, false}} {
			n := int(c.rows * float64(cols))
			x := linalgtest.Normal(seed, n, cols)
			p := &Problem{X: x, Code: make([]int, n), Classes: 2, ThroughZero: seed%3 == 0}
			for i := range p.Code {
				p.Code[i] = r.IntN(2)
				if c.margin > 0 {
					side := float64(2*p.Code[i] - 1)
					x.Set(i, 0, side*(c.margin+math.Abs(x.At(i, 0))))
				}
			}
			e, err := Mixed(p)
			if err != nil || (e != nil) != c.overlap {
				t.Errorf("%d: %s: %v, %v", seed, name, e, err)
				continue
			}
			if !c.overlap {
				continue
			}
			if e.Multipliers[0].Value.later.values != nil {
				t.Errorf("%d: %s: integers that nobody has asked for", seed, name)
			}
			early := e.Weights(seed%2 == 0)
			if err := e.Verify(p); err != nil {
				t.Errorf("%d: %s: %v", seed, name, err)
			}
			for k, m := range e.Multipliers {
				e.Multipliers[k].Value = NewInteger(m.Value.Int())
			}
			for k, w := range e.Weights(seed%2 == 0) {
				linalgtest.Close(t, "a weight", early[k], w, 1e-10)
			}
		}
	}
}

// Multipliers that are made when they are asked for prove nothing before that: those that come out as
// zeros, as of a system that cannot be solved, or one of them negative, are refused.
func TestMultipliersNotMadeYetAreMadeToBeVerified(t *testing.T) {
	x := linalgtest.Rows(t, []float64{1}, []float64{2})
	for _, c := range []struct {
		name        string
		throughZero bool
		code        []int
		made        []int64 // nil: none can be made
	}{{"zeros", false, []int{0, 1}, nil}, {"a negative one", true, []int{1, 1}, []int64{2, -1}}} {
		p := &Problem{X: x, Code: c.code, Classes: 2, ThroughZero: c.throughZero}
		s := &slack{pairs: make([]pair, 2), solve: func(*slack) (list []Integer) {
			for _, v := range c.made {
				list = append(list, NewInteger(big.NewInt(v)))
			}
			return list
		}}
		e := &Evidence{Kind: Overlap}
		for i, own := range c.code {
			e.Multipliers = append(e.Multipliers, Multiplier{Row: i, Class: own, Other: 1 - own, Value: Integer{later: s, at: i}})
		}
		var damage *record.DamageError
		if err := e.Verify(p); !errors.As(err, &damage) {
			t.Errorf("%s: classes that a plane separates overlap: %v", c.name, err)
		}
	}
}
