package method_test

import (
	"errors"
	"runtime"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// On a few rows of so many columns that a matrix of all pairs of columns would take
// 20 GB, every method answers or refuses, by name and size, and no method asks for much
// more memory than the rows take.
func TestFewRowsOfVeryManyColumnsFitInMemory(t *testing.T) {
	linalgtest.SkipSlow(t)
	const n, p = 6, 50_000
	for _, m := range method.All() {
		d := methodtest.Clouds(m, 1, n, p)
		for _, o := range methodtest.Ways(m) {
			o.MaxIter = 5 // memory is asked for from the start
			if !m.Takes("max-iter") {
				o.MaxIter = 0
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			model, err := m.Fit(d, o)
			runtime.ReadMemStats(&after)
			var size *linalg.SizeError
			var rank *linalg.RankError
			if model == nil && !errors.As(err, &size) && !errors.As(err, &rank) {
				t.Errorf("%s: neither a model nor a size, but %v", m.Name, err)
			}
			const most = 100 * 8 * n * p
			if got := after.TotalAlloc - before.TotalAlloc; got > most {
				t.Errorf("%s with λ = %g: %d MB, want at most %d", m.Name, o.Lambda, got>>20, most>>20)
			} else {
				t.Logf("%s with λ = %g, l1-ratio %g: %d MB, %.80v", m.Name, o.Lambda, o.L1Ratio, got>>20, err)
			}
		}
	}
}
