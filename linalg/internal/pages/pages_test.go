package pages

import "testing"

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
