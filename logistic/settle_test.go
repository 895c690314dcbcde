package logistic

import (
	"testing"

	"halfspace/optimize"
)

// A fit that goes on because rows still move counts on, in its trace and towards
// its cap.
func TestSettleCounts(t *testing.T) {
	for _, k := range []int{2, 3} {
		x, y := benchData(40, 1, k)
		x.Set(0, 0, 1e11)
		fit := func(most int) optimize.Report {
			next := 0
			m, err := Fit(x, y, &Options{MaxIter: most, Trace: func(s optimize.Step) error {
				if s.Iteration != next {
					t.Errorf("%d classes: iteration %d after %d", k, s.Iteration, next-1)
				}
				next++
				return nil
			}})
			if m == nil {
				t.Fatal(err)
			}
			if m.Report().Iterations() != next-1 {
				t.Errorf("%d classes: %d iterations, the trace saw %d", k, m.Report().Iterations(), next-1)
			}
			return m.Report()
		}
		all := fit(0).Iterations()
		for most := 1; most < all; most++ {
			if r := fit(most); r.Iterations() > most {
				t.Errorf("%d classes: %+v, want at most %d iterations", k, r, most)
			}
		}
	}
}
