package pages

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestInsideTakesWholePagesAlone(t *testing.T) {
	for _, c := range []struct{ from, size, lo, hi uintptr }{
		{0, large, 0, large},
		{8, 2 * large, large, 2 * large},
		{large, 3*large - 8, large, 3 * large},
		{8, large, large, large},
		{5*large + 16, 64, 6 * large, 5 * large},
	} {
		if lo, hi := inside(c.from, c.size); lo != c.lo || hi != c.hi {
			t.Errorf("%d bytes at %d: %d to %d, want %d to %d", c.size, c.from, lo, hi, c.lo, c.hi)
		}
	}
}

// TestLargeAsks reads in the system's table of the process what it has been asked for.
func TestLargeAsks(t *testing.T) {
	table, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer table.Close()
	if b, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil || strings.Contains(string(b), "[never]") {
		t.Skip("no large pages here")
	}
	v := make([]float64, 4*Worthwhile)
	Large(v)
	at := reflect.ValueOf(v).Pointer() + large
	for within, lines := false, bufio.NewScanner(table); lines.Scan(); {
		var lo, hi uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &lo, &hi); n == 2 {
			within = lo <= at && at < hi
		}
		if flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && within {
			if !strings.Contains(flags+" ", " hg ") {
				t.Errorf("flags of the pages:%s", flags)
			}
			return
		}
	}
	t.Skip("the table does not name them")
}
