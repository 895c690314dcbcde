package dataset_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/sim/dataset"
)

// atEnd calls a function where its text ends.
type atEnd struct {
	io.Reader
	call func()
}

func (r atEnd) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == io.EOF {
		r.call()
	}
	return n, err
}

// genotype returns which of three levels a cell has.
func genotype(i, j int) int { return int(uint32(73_856_093*i^19_349_663*j)*2_654_435_761>>24) % 3 }

// genotypes returns a table of n rows of p columns of levels with long names, g0, g1, …, and labels.
func genotypes(n, p int) string {
	var b strings.Builder
	levels := []string{strings.Repeat("AA", 25) + ",", strings.Repeat("CC", 25) + ",", strings.Repeat("GG", 25) + ","}
	for j := range p {
		fmt.Fprintf(&b, "g%d,", j)
	}
	b.WriteString("y\n")
	for i := range n {
		for j := range p {
			b.WriteString(levels[genotype(i, j)])
		}
		fmt.Fprintf(&b, "%d\n", i%2)
	}
	return b.String()
}

// A block of a table of many columns of levels has a few rows. Of it the codes of its cells are
// held, 8 bytes each, and not the levels of each column.
func TestBlocksHoldNoLevels(t *testing.T) {
	const n, p = 24, 2500
	before, most := linalgtest.Held(), uint64(0)
	text := atEnd{strings.NewReader(genotypes(n, p)), func() { most = max(most, linalgtest.Held()-before) }}
	d, err := dataset.Read("t.csv", text, &dataset.Options{Workers: 1})
	if err != nil || d.X.Rows != n || d.X.Cols != 2*p {
		t.Fatalf("%v, want %d×%d features", err, n, 2*p)
	}
	if most > 8*n*p+9000*p { // blocks on their way take 6,000 for each column
		t.Errorf("%d bytes for %d×%d codes", most, n, p)
	}
	for i, j := range []int{0, 1, p - 1, p / 3} {
		code := genotype(i, j)
		if got := d.X.Row(i)[2*j : 2*j+2]; got[0] != float64(code%2) || got[1] != float64(code/2) {
			t.Errorf("row %d, column %d: %v of %d", i, j, got, code)
		}
	}
}
