package qp

import (
	"flag"
	"math"
	"slices"
	"testing"
	"time"
)

var calibrate = flag.Bool("calibrate", false, "measure the thresholds of Solve again")

// TestCalibrate prints the time of Solve under other thresholds, on soft margins of
// the shapes at which the choice turns:
//
//	go test ./qp -run Calibrate -v -calibrate
func TestCalibrate(t *testing.T) {
	if !*calibrate {
		t.Skip("it takes minutes: -calibrate")
	}
	never := math.Inf(1)
	for _, c := range []struct {
		what   string
		n, p   int
		start  float64 // the share of its bounds at which a start is the solution; 0: no start
		values []float64
		set    func(t *thresholds, v float64)
	}{
		{"alwaysThin", 150, 100, 0, []float64{50, 200}, setThin},
		{"alwaysThin", 300, 200, 0, []float64{50, 200}, setThin},
		{"alwaysThin", 600, 400, 0, []float64{200, 1000}, setThin},
		{"alwaysThin", 900, 800, 0, []float64{200, 1000}, setThin},
		{"widestThin", 1200, 600, 0, []float64{0, 4000}, setWidest},
		{"smoothRatio", 204, 50, 0, []float64{1, never}, setSmooth},
		{"smoothRatio", 816, 50, 0, []float64{1, never}, setSmooth},
		{"smoothRatio", 1632, 50, 0, []float64{1, never}, setSmooth},
		{"smoothRatio", 3264, 50, 0, []float64{1, never}, setSmooth},
		{"smoothRatio", 10_000, 50, 0, []float64{1, never}, setSmooth},
		{"briefRows", 600, 250, 0, []float64{0, 0.25, 0.5, 1, 2}, setBriefRows},
		{"briefRows", 2000, 800, 0, []float64{0, 0.25, 0.5, 1, 2}, setBriefRows},
		{"briefRows", 5000, 500, 0, []float64{0, 0.25, 0.5, 1, 2}, setBriefRows},
		{"interiorGap", 1000, 50, 0, []float64{1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8}, setInterior},
		{"interiorGap", 3000, 20, 0, []float64{1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8}, setInterior},
		{"smoGap", 500, 1000, 0, []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8}, setSMO},
		{"smoGap", 2000, 20, 0, []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-6}, setSMO},
		{"warmViolators", 10_000, 50, 1.01, []float64{0, 10, 100, 1e9}, setWarm},
		{"warmViolators", 10_000, 50, 1.2, []float64{0, 10, 100, 1e9}, setWarm},
		{"warmViolators", 10_000, 50, 2, []float64{0, 10, 100, 1e9}, setWarm},
	} {
		for _, v := range c.values {
			p := svm(1, c.n, c.p, 0.5, 1)
			o := &Options{}
			if c.start > 0 {
				near := *p
				near.Upper = slices.Repeat([]float64{1 / c.start}, c.n)
				r, err := Solve(&near, nil)
				if err != nil {
					t.Fatal(err)
				}
				for i := range r.Alpha {
					r.Alpha[i] *= c.start
				}
				o.Start = r.Alpha
			}
			own := measured
			c.set(&own, v)
			best, last, steps := never, "", 0
			for range 3 {
				before := time.Now()
				r, by, err := solve(p, o, own)
				if err != nil {
					t.Error(err)
				}
				best, last, steps = min(best, time.Since(before).Seconds()), by, r.Report.Iterations()
			}
			t.Logf("%-13s %8g: %6d × %-4d start %g: %8.4f s, %4d steps, %s", c.what, v, c.n, c.p, c.start, best, steps, last)
		}
	}
}

func setThin(t *thresholds, v float64)      { t.alwaysThin, t.widestThin = int(v), 0 }
func setWidest(t *thresholds, v float64)    { t.alwaysThin, t.widestThin = 0, int(v) }
func setSmooth(t *thresholds, v float64)    { t.smoothRatio = v }
func setBriefRows(t *thresholds, v float64) { t.briefRows = v }
func setInterior(t *thresholds, v float64) {
	t.interiorGap, t.smoothRatio = v, math.Inf(1)
}
func setSMO(t *thresholds, v float64) {
	t.alwaysThin, t.widestThin, t.smoGap = 0, 0, v
}
func setWarm(t *thresholds, v float64) { t.warmViolators = int(v) }
