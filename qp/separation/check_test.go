package separation_test

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/qp/separation"
)

// exactLead returns the sign of f_own − f_other at a row, multiplied out in rationals.
func exactLead(e *separation.Evidence, row []float64, own, other int) int {
	lead := new(big.Rat)
	for c, factor := range map[int]int64{own: 1, other: -1} {
		if e.Coef.Rows == 1 { // of two classes the function of the first is 0
			if c--; c < 0 {
				continue
			}
		}
		f := new(big.Rat).SetFloat64(e.Intercept[c])
		for j, v := range row {
			x := new(big.Rat).SetFloat64(v)
			if e.Origin != nil {
				x.Sub(x, new(big.Rat).SetFloat64(e.Origin[j]))
			}
			f.Add(f, x.Mul(x, new(big.Rat).SetFloat64(e.Coef.At(c, j))))
		}
		lead.Add(lead, f.Mul(f, new(big.Rat).SetInt64(factor)))
	}
	return lead.Sign()
}

// Signs that rounding leaves open are taken exactly: a check counts strict rows and ties as
// rationals do, on rows far from 0, through ties, and about a row as origin.
func TestCheckCountsWithoutRounding(t *testing.T) {
	for seed := range uint64(linalgtest.Rounds(40, 2000)) {
		r := rand.New(rand.NewPCG(seed, 77))
		n, p, k := 30, 1+r.IntN(4), 2+r.IntN(2)
		x := linalgtest.Normal(seed, n, p)
		far := []float64{0, 1e8, 3}[seed%3]
		for i := range x.Data {
			if x.Data[i] += far; seed%5 == 0 && i%3 > 0 {
				x.Data[i] = 0 // is not stored
			}
		}
		functions := k
		if k == 2 {
			functions = 1
		}
		e := &separation.Evidence{Coef: linalgtest.Normal(seed+1, functions, p), Intercept: make([]float64, functions)}
		if seed%2 == 0 {
			e.Origin = slices.Clone(x.Row(3)) // a tie of all functions
		} else if far > 0 {
			for c := range e.Intercept { // near the rows, so that digits cancel
				e.Intercept[c] = math.Nextafter(-linalg.Dot(e.Coef.Row(c), x.Row(5)), float64(r.IntN(2)))
			}
		}
		code, strict, ties := make([]int, n), 0, []int(nil)
		for i := range code {
			code[i] = r.IntN(k)
			above, tie := false, false
			for other := range k {
				if other != code[i] {
					sign := exactLead(e, x.Row(i), code[i], other)
					above, tie = above || sign > 0, tie || sign == 0
				}
			}
			if above {
				strict++
			}
			if tie {
				ties = append(ties, i)
			}
		}
		for _, rows := range []linalg.Rows{x, linalgtest.Sparse(x)} {
			if err := e.Check(&separation.Problem{X: rows, Code: code, Classes: k}, nil); err != nil {
				t.Fatal(err)
			}
			if e.Strict != strict || !slices.Equal(e.Ties, ties) {
				t.Errorf("seed %d, %T: %d strict rows and ties %v, want %d and %v", seed, rows, e.Strict, e.Ties, strict, ties)
			}
		}
	}
}

// A direction that satisfies all inequalities, some of them as equations, is said to separate
// weakly, in JSON too, and is multiplied out. Functions that are 0 are equal.
func TestWeakSeparationIsChecked(t *testing.T) {
	for _, k := range []int{2, 3} {
		x, code, pure := linalgtest.Normal(9, 40, 3), make([]int, 40), 0
		for i := range code {
			x.Set(i, 1, 0)
			if code[i] = i % k; i%7 == 0 && code[i] == k-1 {
				x.Set(i, 1, 1)
				pure++
			}
		}
		functions := []int{2: 1, 3: 3}[k]
		e := &separation.Evidence{Coef: linalg.Zeros(functions, 3), Intercept: make([]float64, functions)}
		p := &separation.Problem{X: x, Code: code, Classes: k}
		check := func(want separation.Kind, strict int) {
			t.Helper()
			if err := e.Check(p, nil); err != nil || e.Kind != want || e.Strict != strict {
				t.Errorf("%d classes: %v, %v, %d rows strictly, want %v, %d", k, err, e.Kind, e.Strict, want, strict)
			}
		}
		check(separation.Undecided, 0)
		e.Intercept[functions-1] = 1
		check(separation.Undecided, len(code)/k) // the rows of the last class
		e.Intercept[functions-1] = 0
		e.Coef.Set(functions-1, 1, 2)
		check(separation.Weak, pure)
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		back := new(separation.Evidence)
		if err := json.Unmarshal(text, back); err != nil || back.Kind != separation.Weak || !back.Separated() || back.Verify(p) != nil {
			t.Errorf("%d classes: %v, %s", k, err, text)
		}
		back.Coef.Set(functions-1, 0, 1e-9)
		if back.Verify(p) == nil {
			t.Errorf("%d classes: a false direction passes", k)
		}
		x.Set(0, 1, 1) // a row of class 0
		check(separation.Undecided, pure)
	}
}

// A part of many rows that overlaps says so of all, with multipliers of their rows; a part
// that is separated decides nothing.
func TestManyRowsAreDecidedByAPart(t *testing.T) {
	const n = 20000
	x, code := linalgtest.Normal(5, n, 3), make([]int, n)
	for _, c := range []struct {
		name  string
		class func(i int) bool
		want  separation.Kind
	}{
		{"noise", func(i int) bool { return x.At(i, 0)+x.At(n-1-i, 1) > 0 }, separation.Overlap},
		{"a plane", func(i int) bool { return x.At(i, 0)+x.At(i, 1) > 0.1 }, separation.Complete},
		{"a plane but for a row that no part has", func(i int) bool { return x.At(i, 0)+x.At(i, 1) > 0.1 != (i == 19999) }, separation.Overlap},
	} {
		for i := range code {
			code[i] = 0
			if c.class(i) {
				code[i] = 1
			}
		}
		if e := decided(t, c.name, &separation.Problem{X: x, Code: code, Classes: 2}); e.Kind != c.want {
			t.Errorf("%s: %v, want %v", c.name, e.Kind, c.want)
		}
	}
}
