package sim_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"halfspace/sim"
)

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1.000", 0.0123456: "0.01235", 123.456: "123.5", -99999.5: "-100000", 1e-5: "1e-05", 1e9: "1e+09", 3.14159: "3.142",
	} {
		if got := sim.Number(v); got != want {
			t.Errorf("Number(%v) = %q, want %q", v, got, want)
		}
	}
}

// A name with a line break or a tab in it stays one cell on one line.
func TestTableKeepsItsLines(t *testing.T) {
	for _, aligned := range []bool{true, false} {
		table := sim.Table{Head: []string{"a\nb", "c"}}
		table.Add("d\te\r\n", 1.5)
		var b strings.Builder
		if err := table.Write(&b, aligned); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
		if len(lines) != 2 || strings.Count(lines[1], "\t") > 1 || strings.Contains(b.String(), "\r") {
			t.Errorf("%q", b.String())
		}
	}
}

func ExampleTable_Write() {
	t := sim.Table{Title: "Test error", Head: []string{"method", "error"}}
	t.Add("lda", 0.0333)
	t.Add("perceptron", 0.2)
	t.Write(os.Stdout, true)
	t.Write(os.Stdout, false)
	// Output:
	// Test error
	//   method        error
	//   lda         0.03330
	//   perceptron   0.2000
	// Test error
	// method	error
	// lda	0.03330
	// perceptron	0.2000
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 rows", 1: "1 row", 2: "2 rows", -1: "-1 rows"} {
		if got := sim.Count(n, "row"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}

// Columns in which no row says anything are left out, first ones and last ones too; the numbers of
// a table stand to the right, with their signs and units.
func TestTablesArePrunedAndSet(t *testing.T) {
	table := sim.Table{Head: []string{"", "name", "", "share", "p", ""}}
	table.Add("", "a", math.NaN(), "5%", "<2e-16", "")
	table.Add("", "bcd", math.NaN(), "10%", "", "")
	table.Prune()
	var b strings.Builder
	if err := table.Write(&b, true); err != nil {
		t.Fatal(err)
	}
	if want := "  name  share       p\n  a        5%  <2e-16\n  bcd     10%\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	head := sim.Table{Head: []string{"a", "b"}}
	if head.Prune(); len(head.Head) != 2 {
		t.Errorf("a table without rows has the head %q", head.Head)
	}
	for v, want := range map[float64]string{1e-3: "0.001000", 0.00099999: "0.001", 999999: "999999", 1e6: "1e+06", -1e-3: "-0.001000"} {
		if got := sim.Number(v); got != want {
			t.Errorf("Number(%v) = %q, want %q", v, got, want)
		}
	}
}
