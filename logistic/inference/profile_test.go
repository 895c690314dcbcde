package inference_test

import (
	"errors"
	"sync"
	"testing"

	"halfspace/linalg/linalgtest"
	lt "halfspace/logistic/internal/logistictest"
	"halfspace/optimize"
)

func TestProfile(t *testing.T) {
	g := goldenInference(t).Profile.Ends
	x, y := lt.Heart(t, "tobacco ldl famhist=Present age")
	inf := fitAndInfer(t, x, y, nil)
	for k := range inf.Terms {
		lo, hi, err := inf.Profile(k, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, "lower", lo, g[2*k], 1e-8)
		linalgtest.Close(t, "upper", hi, g[2*k+1], 1e-8)
	}
	// The same with the columns far from 0, but for the intercept.
	for i := range x.Data {
		x.Data[i] += 1e5
	}
	inf = fitAndInfer(t, x, y, nil)
	for k := 1; k < len(inf.Terms); k++ {
		lo, hi, err := inf.Profile(k, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, "shifted lower", lo, g[2*k], 1e-6)
		linalgtest.Close(t, "shifted upper", hi, g[2*k+1], 1e-6)
	}
	// Fixing the plain intercept fixes a sum of terms of 1e5: whether the fits along its
	// profile come within their tolerance is a matter of the processor's rounding.
	if _, _, err := inf.Profile(0, 0.95); err != nil && !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("shifted intercept: %v", err)
	}
	lo, hi := inf.Wald(0.95)
	linalgtest.Close(t, "Wald", hi[1]-lo[1], 2*1.9599639845400545*inf.SE[1], 1e-12)
}

// Goroutines may share an inference (the race detector watches).
func TestSharedInference(t *testing.T) {
	x, y := lt.IrisPair(t)
	inf := fitAndInfer(t, x, y, nil)
	var want [2]float64
	want[0], want[1], _ = inf.Profile(2, 0.9)
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			lo, hi, err := inf.Profile(2, 0.9)
			if err != nil || lo != want[0] || hi != want[1] {
				t.Errorf("%g … %g: %v", lo, hi, err)
			}
			if _, err := inf.Drop(nil); err != nil {
				t.Error(err)
			}
		}()
	}
	group.Wait()
}
