package glm

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

var calibrate = flag.Bool("calibrate", false, "measure the thresholds of the plans again")

// TestCalibrate prints the times of the methods on both sides of each threshold of the
// table; with -calibrate alone, for it takes minutes. It is in the package because it
// runs rows of the table on problems that another row is for.
func TestCalibrate(t *testing.T) {
	if !*calibrate {
		t.Skip("thresholds are measured with -calibrate")
	}
	for _, n := range []int{500, 5_000} {
		fmt.Printf("manyFeatures: Newton / L-BFGS on %d rows, a ridge of 1\n", n)
		for _, p := range []int{32, 64, 128, 256, 512} {
			compare(t, p, twoClasses(t, n, p), (*Objective).ridgePlan, (*Objective).widePlan)
		}
	}
	fmt.Println("modeledParameters: Newton / models of the Hessian on 50,000 rows, a ridge of 1")
	for _, c := range []struct{ p, k int }{{5, 4}, {10, 5}, {20, 6}, {40, 6}, {50, 8}, {80, 10}} {
		compare(t, (c.p+1)*(c.k-1), kClasses(t, 50_000, c.p, c.k), (*Objective).plainPlan, (*Objective).severalPlan)
	}
	fmt.Println("sparsity: Newton / L-BFGS with a Hessian of part of the rows on 100,000 rows, a ridge of 1")
	for _, p := range []int{50, 100, 150, 200} {
		compare(t, p, twoClasses(t, 100_000, p), (*Objective).newtonPlan, (*Objective).ridgePlan)
	}
	fmt.Println("parts: Newton from the caller's start / from part of the rows, without a ridge, 20 features")
	for _, n := range []int{3_000, 10_000, 30_000, 100_000} {
		o := twoClasses(t, n, 20)
		o.Ridge = nil
		compare(t, n, o, (*Objective).plainPlan, (*Objective).newtonPlan)
	}
}

func twoClasses(t *testing.T, n, p int) *Objective {
	d, y := sampleOf(t, n, p, 2)
	for i := range y {
		y[i] = 2*y[i] - 1
	}
	return New(d, y, loss.Logistic{}, ridgeOf(d, 1))
}

func kClasses(t *testing.T, n, p, k int) *Objective {
	d, y := sampleOf(t, n, p, k)
	return NewMulti(d, y, loss.Softmax{K: k}, Contrasts(k), ridgeOf(d, 1))
}

// sampleOf returns normal rows, class k shifted along feature k by 1.
func sampleOf(t *testing.T, n, p, k int) (*design.Design, []float64) {
	x, y := linalgtest.Normal(1, n, p), make([]float64, n)
	for i := range y {
		c := (i * 7919) % k
		y[i] = float64(c)
		x.Row(i)[c%p]++
	}
	d, err := design.New(x, n, "rows", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return d, y
}

func ridgeOf(d *design.Design, lambda float64) []float64 {
	r := make([]float64, d.Dim())
	for j, u := range d.Unit {
		r[j+d.Intercept] = lambda / u / u
	}
	return r
}

type builder = func(o *Objective, theta []float64, given bool, tol float64) ([]optimize.Stage, error)

// compare prints the medians of three fits by each of two plans.
func compare(t *testing.T, size int, o *Objective, plans ...builder) {
	fmt.Printf("%8d", size)
	for _, build := range plans {
		var seconds []float64
		for range 3 {
			fresh, theta := o.Own(), make([]float64, o.Parameters())
			fresh.sizes = nil
			start := time.Now()
			stages, err := build(fresh, theta, false, 1e-8)
			if err != nil {
				t.Fatal(err)
			}
			scale, err := fresh.Scale()
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = optimize.Run(theta, &optimize.Control{Tol: 1e-8, Scale: scale},
				func(x []float64) (float64, optimize.Certificate, error) { return fresh.certifyByGradient(x, 1e-8) }, stages...)
			if err != nil {
				t.Errorf("%d: %v", size, err)
			}
			seconds = append(seconds, time.Since(start).Seconds())
		}
		slices.Sort(seconds)
		fmt.Printf("  %.4f", seconds[1])
	}
	fmt.Println()
}
