package logistic_test

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/qp/separation"
)

// verdict is how a fit without a penalty ended: separated evidence from its JSON was
// multiplied out in integers.
func verdict(t *testing.T, name any, x *linalg.Dense, y []int, k int) string {
	t.Helper()
	m, err := logistic.Fit(x, y, nil)
	var (
		s    *logistic.SeparationError
		rank *linalg.RankError
	)
	switch {
	case errors.As(err, &s):
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		back := new(logistic.SeparationError)
		if err := json.Unmarshal(text, back); err != nil || back.Complete != s.Complete || back.Rows != s.Rows || len(back.Columns) != len(s.Columns) {
			t.Fatalf("%v: %v, %+v became %+v", name, err, s, back)
		}
		if err := back.Verify(&separation.Problem{X: x, Code: y, Classes: k}); err != nil {
			t.Errorf("%v: %v, %s", name, err, text)
		}
		return s.Kind.String()
	case errors.As(err, &rank):
		return "rank"
	case errors.Is(err, optimize.ErrNotConverged):
		return "not converged"
	case err != nil:
		t.Fatalf("%v: %v", name, err)
	}
	if m.Report().Status() != optimize.Converged {
		t.Errorf("%v: %v", name, m.Report())
	}
	return "converged"
}

func TestSeparatedTablesOfSmallDifferences(t *testing.T) {
	for name, want := range map[string]string{"sep2.csv": "complete", "sep3.csv": "complete", "dyadic.csv": "quasi-complete",
		"sensors.csv": "quasi-complete", "sepinfer.csv": "complete", "unixms.csv": "complete", "unixns.csv": "complete"} {
		x, labels, _ := linalgtest.Table(t, name, "y")
		y, classes := linalgtest.Codes(labels)
		if got := verdict(t, name, x, y, len(classes)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestOverlapOfNearlySeparatedTables(t *testing.T) {
	for _, name := range []string{"ovl1d.csv", "sensors_notsep.csv"} {
		x, labels, _ := linalgtest.Table(t, name, "y")
		y, classes := linalgtest.Codes(labels)
		if got := verdict(t, name, x, y, len(classes)); got != "converged" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestVerdictsOfFitsAreThoseOfTheExactLinearProgram(t *testing.T) {
	tables := linalgtest.Rounds(100, 20_000)
	overlaps, open := 0, 0
	count := map[string]map[string]int{} // by the family of the table, with the difference of its columns
	for seed := range uint64(tables) {
		d := linalgtest.Thin(rand.New(rand.NewPCG(seed, 17)))
		want := linalgtest.Separable(d.X, d.Y, d.K, true)
		got := verdict(t, seed, d.X, d.Y, d.K)
		if count[d.Name] == nil {
			count[d.Name] = map[string]int{}
		}
		count[d.Name][want.String()+": "+got]++
		if want == linalgtest.Overlapping && got != "rank" && !strings.HasSuffix(d.Name, "1e-10") { // where columns are so near, few fits converge
			overlaps++
			if got != "converged" {
				open++
			}
		}
		if got == "rank" && hasConstant(d.X) {
			continue // of dependent columns no more is asked
		}
		if want == linalgtest.Overlapping && (got == "complete" || got == "quasi-complete") || want != linalgtest.Overlapping && got != want.String() {
			t.Errorf("%d, %s: %s, the linear program says %v", seed, d.Name, got, want)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(count)) {
		t.Log(name, count[name])
	}
	if overlaps == 0 || open*20 > overlaps {
		t.Errorf("of %d overlapping tables %d stay open", overlaps, open)
	}
}

// hasConstant reports whether a column is one, beside the intercept.
func hasConstant(x *linalg.Dense) bool {
	for j := range x.Cols {
		if c := x.Col(nil, j); slices.Min(c) == slices.Max(c) {
			return true
		}
	}
	return false
}

// Residuals of separated rows can be too small for a float64: the derivatives are then 0,
// and yet there is no maximum.
func TestNoDerivativeIsNoMaximum(t *testing.T) {
	for _, seed := range []uint64{10095, 18167} {
		d := linalgtest.Thin(rand.New(rand.NewPCG(seed, 999)))
		if want, got := linalgtest.Separable(d.X, d.Y, d.K, true).String(), verdict(t, seed, d.X, d.Y, d.K); want == linalgtest.Overlapping.String() || got != want {
			t.Errorf("%d, %s: %s, the linear program says %s", seed, d.Name, got, want)
		}
	}
}

// A direction that separates the classes is the answer where the rank, which takes a copy, cannot be found.
func TestRowsThatCannotBeCopiedAreSeparated(t *testing.T) {
	for _, rare := range []bool{false, true} {
		x := linalgtest.Normal(7, 400, 3)
		y, want := make([]int, x.Rows), separation.Complete
		for i := range y {
			if x.At(i, 0)+x.At(i, 1) > 0.3 {
				y[i] = 1
			}
			if rare { // a column of one class alone, beside others that overlap
				y[i], want = i%2, separation.Weak
				x.Set(i, 2, float64((i%16)/15))
			}
		}
		_, err := logistic.Fit(linalgtest.Remote{Rows: x, Most: 8}, y, nil)
		var s *logistic.SeparationError
		if !errors.As(err, &s) || s.Kind != want {
			t.Errorf("%v, want a separation that is %v", err, want)
			continue
		}
		if err := s.Verify(&separation.Problem{X: x, Code: y, Classes: 2}); err != nil {
			t.Error(err)
		}
	}
}
