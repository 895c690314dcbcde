package inference_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/tail"
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

// Where the rows are far from 0, rounding hides the derivatives by the intercept there long before they are as small as
// a refit wants them, and its value is good all the same.
func TestProfileOfTheInterceptOfFarRows(t *testing.T) {
	want := tail.ChiSquareQuantile(0.05, 1)
	for seed := range uint64(linalgtest.Rounds(30, 300)) {
		r := rand.New(rand.NewPCG(seed, 79))
		x, y := linalg.Zeros(40, 1), make([]int, 40)
		for i := range y {
			v := r.NormFloat64()
			x.Set(i, 0, v+float64(int(1)<<(10+seed%11)))
			if v+r.NormFloat64() > 0 {
				y[i] = 1
			}
		}
		inf := fitAndInfer(t, x, y, nil)
		lo, hi, err := inf.Profile(0, 0.95)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		far := x.At(0, 0)
		for _, end := range []float64{lo, hi} { // f = end + b·x is level + (level − end)/far·(x − far)
			value := func(level float64) (deviance, slope float64) {
				for i, label := range y {
					z, sign := x.At(i, 0)-far, float64(2*label-1)
					f := sign * (level + (level-end)/far*z)
					deviance += 2 * math.Log1p(math.Exp(-f))
					slope -= sign * (1 + z/far) * linalg.Sigmoid(-f)
				}
				return deviance, slope
			}
			below, above := -50.0, 50.0
			for range 200 {
				middle := (below + above) / 2
				if _, slope := value(middle); slope < 0 {
					below = middle
				} else {
					above = middle
				}
			}
			held, _ := value(below)
			linalgtest.Close(t, "deviance at an end", held-inf.Deviance, want, 1e-7)
		}
	}
}
