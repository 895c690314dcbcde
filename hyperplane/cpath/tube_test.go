package cpath_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/hyperplane"
	"halfspace/hyperplane/cpath"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
)

// noisy draws responses about a plane, for every third seed in whole numbers, where residuals
// coincide with the edge of the tube by the dozen.
func noisy(seed uint64) (x *linalg.Dense, y []float64, epsilon float64) {
	r := rand.New(rand.NewPCG(seed, 19))
	n, p := 8+r.IntN(25), 1+int(seed%4)
	x, y = linalg.Zeros(n, p), make([]float64, n)
	for i := range n {
		y[i] = 1 + r.NormFloat64()
		for j := range p {
			x.Set(i, j, r.NormFloat64())
			if seed%3 == 2 {
				x.Set(i, j, float64(r.IntN(4)))
			}
			y[i] += x.At(i, j)
		}
		if seed%3 == 2 {
			y[i] = math.Round(y[i])
		}
	}
	return x, y, []float64{0.5, 0, 1, 0.1}[seed%4]
}

// Anywhere on the path of a tube, the line between two breakpoints is the fit there, and its
// multipliers are within the price and make the coefficients.
func TestPathOfTheTubeIsTheFitEverywhere(t *testing.T) {
	seeds := []uint64{17, 101, 749, 977, 1073} // where multipliers that are not unique hide a breakpoint
	for seed := range uint64(lt.Rounds(12, 300)) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		x, y, epsilon := noisy(seed)
		p, err := cpath.FitSVR(x, y, epsilon, &cpath.Options{MinC: 0.01, MaxC: 30})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if !p.Complete || p.Gap > 1e-9 || len(p.Points) < 3 {
			t.Errorf("seed %d: %v", seed, p)
		}
		primal := func(beta []float64, intercept, c float64) float64 {
			value := linalg.Dot(beta, beta) / 2
			for i := range y {
				value += c * math.Max(0, math.Abs(y[i]-intercept-linalg.Dot(beta, x.Row(i)))-epsilon)
			}
			return value
		}
		for _, k := range p.Points { // ½‖β − Σαx‖² is in the gap
			beta := make([]float64, x.Cols)
			for i, a := range k.Alpha {
				linalg.Axpy(beta, a, x.Row(i))
				if !(math.Abs(a) <= k.C) {
					t.Errorf("seed %d: multiplier %v at C = %v", seed, a, k.C)
				}
			}
			lt.CloseSlice(t, "coefficients of the multipliers", beta, k.Beta, 1e-9+math.Sqrt(2*k.Gap*primal(k.Beta, k.Intercept, k.C)))
		}
		r := rand.New(rand.NewPCG(seed, 20))
		for range 8 {
			c := 0.01 * math.Pow(3000, r.Float64())
			plane, err := p.At(c)
			if err != nil {
				t.Fatal(err)
			}
			m, err := hyperplane.FitSVR(x, y, &hyperplane.SVROptions{C: c, Epsilon: epsilon, Tol: 1e-12})
			if m == nil {
				t.Fatal(err)
			}
			best := m.Report().Objective()
			// ½‖β − β*‖² is at most the gap.
			near := 1e-9 + math.Sqrt(2e-12*best) + math.Sqrt(2*p.Gap*best)
			lt.CloseSlice(t, fmt.Sprintf("seed %d, β at C = %g", seed, c), plane.Normal(), m.Plane().Normal(), near)
			lt.Close(t, "objective", primal(plane.Normal(), plane.Intercept(), c), best, 1e-9*(1+best))
		}
	}
}

// A tube that holds all rows has β = 0 at every price.
func TestTubeAroundAllRows(t *testing.T) {
	x, y, _ := noisy(1)
	p, err := cpath.FitSVR(x, y, 1e3, &cpath.Options{MaxEvents: 5})
	if err != nil || !p.Complete || len(p.Points) != 2 || linalg.Norm(p.Points[1].Beta) != 0 || p.Gap != 0 {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := cpath.FitSVR(x, y[1:], 1, nil); err == nil {
		t.Error("a missing response is no error")
	}
	if _, err := cpath.FitSVR(x, y, -1, nil); !errors.As(err, new(*sample.OptionError)) {
		t.Errorf("a negative tube: %v", err)
	}
}

// Three rows on a line of slope 1: the tube tilts with the price until it holds all rows.
func ExampleFitSVR() {
	x, err := linalg.FromRows([][]float64{{-1}, {0}, {1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := cpath.FitSVR(x, []float64{-1, 0, 1}, 0.25, &cpath.Options{MinC: 0.125, MaxC: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, k := range p.Points {
		fmt.Printf("C %.4f: β %.4f, %d outside the tube\n", k.C, k.Beta[0], k.Inside)
	}
	// Output:
	// C 0.1250: β 0.2500, 2 outside the tube
	// C 0.3750: β 0.7500, 0 outside the tube
	// C 1.0000: β 0.7500, 0 outside the tube
}

// Rows on a grid of which multipliers leave their bounds at once, where the path goes on along those of a fit,
// and others that a plane goes through.
func TestPathWhereMultipliersAreNotUnique(t *testing.T) {
	for _, seed := range []uint64{213, 84, 100, 244, 600, 632} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { throughGrid(t, seed) })
	}
}

// In coordinates that rounding has moved, rows that coincided, or that a margin joined, do so up to rounding.
func TestPathOfRowsThatRoundingMoved(t *testing.T) {
	for seed := uint64(2); seed < uint64(lt.Rounds(400, 1500)); seed += 3 {
		r := rand.New(rand.NewPCG(seed, 77))
		x, y, epsilon := noisy(seed)
		apart, classes := clouds(seed)
		for _, values := range [][]float64{x.Data, y, apart.Data} {
			for i := range values {
				values[i] *= 1 + 0x1p-50*(2*r.Float64()-1)
			}
		}
		o := &cpath.Options{MinC: 0.01, MaxC: 30}
		if p, err := cpath.FitSVR(x, y, epsilon, o); err != nil || !p.Complete || p.Gap > 1e-9 {
			t.Errorf("seed %d: tube: %v, %v", seed, p, err)
		}
		if p, err := cpath.Fit(apart, classes, o); err != nil || !p.Complete || p.Gap > 1e-9 {
			t.Errorf("seed %d: classes: %v, %v", seed, p, err)
		}
	}
}

// throughGrid follows the path of responses and rows on a small grid.
func throughGrid(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 99))
	n, p := 4+r.IntN(25), 1+r.IntN(4)
	grid, x, y := 2+r.IntN(4), linalg.Zeros(n, p), make([]float64, n)
	for i := range n {
		r.IntN(2)
		y[i] = float64(r.IntN(5))
		for j := range p {
			x.Set(i, j, float64(r.IntN(grid)))
		}
	}
	path, err := cpath.FitSVR(x, y, 0, &cpath.Options{MinC: 0.01, MaxC: 50})
	if err != nil || !path.Complete || path.Gap > 1e-9 {
		t.Fatalf("%v, %v", path, err)
	}
	for k := range 60 {
		c := 0.01 * math.Pow(5000, float64(k)/60)
		plane, err := path.At(c)
		if err != nil {
			t.Fatal(err)
		}
		m, err := hyperplane.FitSVR(x, y, &hyperplane.SVROptions{C: c, Tol: 1e-12})
		if m == nil {
			t.Fatal(err)
		}
		value := linalg.Dot(plane.Normal(), plane.Normal()) / 2
		for i := range y {
			value += c * math.Abs(y[i]-plane.Value(x.Row(i)))
		}
		lt.Close(t, "objective", value, m.Report().Objective(), 1e-8*value)
	}
}

func TestTubesOfNoRowsAreRefused(t *testing.T) {
	for _, x := range []linalg.Rows{nil, &linalg.Dense{Rows: 2, Cols: 1, Stride: 1}} {
		var shape *linalg.ShapeError
		if p, err := cpath.FitSVR(x, []float64{1, 2}, 0.1, nil); p != nil || !errors.As(err, &shape) {
			t.Error(p, err)
		}
	}
}
