package squared_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/qp"
	"halfspace/qp/squared"
)

func ExampleMinimize() {
	x, _ := linalg.FromRows([][]float64{{-1}, {1}, {0.5}, {-0.5}})
	p := &squared.Problem{Rows: &qp.Linear{X: x, Sign: []float64{-1, 1, -1, 1}}, Price: []float64{1, 1, 1, 1}}
	r, err := squared.Minimize(p, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("β %.4f, b %.4f, α %.4f\n", r.Beta, r.Level, r.Alpha)
	// Output: β [0.3333], b 0.0000, α [1.3333 1.3333 2.3333 2.3333]
}

// Equations in the rows, in the columns and conjugate gradients have the same minimum, whose
// gradient is 0, from 0 or from the multipliers of another price.
func TestWaysToTheMinimum(t *testing.T) {
	for seed, size := range [][2]int{{40, 7}, {40, 90}, {700, 600}} {
		n, p := size[0], size[1]
		if n > 100 && lt.Slow() {
			continue // the third way
		}
		x, sign, price := lt.Thinned(uint64(seed), n, p, 0.4), make([]float64, n), make([]float64, n)
		for i := range sign {
			sign[i], price[i] = float64(1-(i+i/5)%2*2), 0.01*float64(i%4)
		}
		for _, rows := range []linalg.Rows{x, lt.Sparse(x)} {
			for _, noLevel := range []bool{false, true} {
				problem := &squared.Problem{Rows: &qp.Linear{X: rows, Sign: sign}, Price: price, NoLevel: noLevel}
				r, err := squared.Minimize(problem, &squared.Options{Tol: 1e-13})
				if err != nil || r.Report.Status() != optimize.Converged {
					t.Fatalf("%v: %v, %v", size, r.Report, err)
				}
				pull, level, most := make([]float64, p), 0.0, 0.0
				for i := range n {
					slack := max(0, 1-sign[i]*(linalg.Dot(x.Row(i), r.Beta)+r.Level))
					linalg.Axpy(pull, 2*price[i]*slack*sign[i], x.Row(i))
					level += 2 * price[i] * slack * sign[i]
				}
				for j, v := range pull {
					most = max(most, math.Abs(v-r.Beta[j]))
				}
				if !noLevel {
					most = max(most, math.Abs(level))
				}
				if noLevel && r.Level != 0 || !(most <= 1e-6) {
					t.Errorf("%v: gradient %g, level %g", size, most, r.Level)
				}
				start := make([]float64, n)
				for i, a := range r.Alpha {
					start[i] = 3 * a
				}
				again, err := squared.Minimize(problem, &squared.Options{Tol: 1e-13, Start: start})
				if err != nil || again.Report.Iterations() > r.Report.Iterations() {
					t.Errorf("%v: %v from the solution, %v", size, again.Report, err)
				}
				lt.Close(t, "objective", again.Report.Objective(), r.Report.Objective(), 1e-12)
			}
		}
	}
}

// Wrong lengths and settings are refused; a trace ends the steps.
func TestSettings(t *testing.T) {
	x, _ := linalg.FromRows([][]float64{{-1, 2}, {1, 3}})
	p := &squared.Problem{Rows: &qp.Linear{X: x, Sign: []float64{-1, 1}}, Price: []float64{1}}
	var shape *linalg.ShapeError
	if _, err := squared.Minimize(p, nil); !errors.As(err, &shape) {
		t.Errorf("one price of two rows: %v", err)
	}
	p.Price = []float64{1, 2}
	if _, err := squared.Minimize(p, &squared.Options{Tol: -1}); err == nil {
		t.Error("a negative tolerance is taken")
	}
	steps := 0
	r, err := squared.Minimize(p, &squared.Options{Trace: func(optimize.Step) error { steps++; return errors.New("enough") }})
	if err != nil || steps != 1 || r.Report.Status() != optimize.Stopped {
		t.Errorf("%d steps, %v, %v", steps, r.Report, err)
	}
}

// Large rows at large prices, whose equations have a condition of 2c‖x‖², are fitted to their minimum: rows
// with slacks near 0, copies of both signs, a row on the margin without a multiplier, and one more row than
// columns can meet. Where the minimum is 2e7, fused products leave a gap of 2e-9.
func TestLargeRowsAtLargePrices(t *testing.T) {
	for _, c := range []struct {
		rows    [][]float64
		sign    []float64
		price   float64
		noLevel bool
		minimum float64
	}{
		{[][]float64{{200, 0}, {100, 0}, {0, -2}}, []float64{-1, 1, 1}, 1e7, false, 2e-4},
		{[][]float64{{3000, 3}, {1000, 1}, {0, 0}, {-2000, 3}, {-2000, -1}}, []float64{-1, 1, 1, 1, 1}, 1e4, false, 5e-7},
		{[][]float64{{2000, 3, 20}, {2000, 3, 20}, {0, 3, -10}}, []float64{-1, 1, 1}, 1e7, false, 2e7},
		{[][]float64{{0, -3000}, {-3000, 3000}, {2000, -3000}, {-3000, 0}, {-1000, 3000}, {3000, -1000}}, []float64{-1, 1, -1, 1, -1, -1}, 1e7, false, 5e-7},
		{[][]float64{{2000, 0}, {-2000, 2000}, {-1000, 2000}, {3000, 2000}}, []float64{-1, 1, 1, -1}, 1e8, true, 1.5625e-7},
		{[][]float64{{200, -10}, {0, -20}, {0, -30}, {0, -20}}, []float64{-1, 1, 1, -1}, 1e6, false, 2e6},
	} {
		x, _ := linalg.FromRows(c.rows)
		price := make([]float64, x.Rows)
		for i := range price {
			price[i] = c.price
		}
		for _, rows := range []linalg.Rows{x, lt.Sparse(x)} {
			r, err := squared.Minimize(&squared.Problem{Rows: &qp.Linear{X: rows, Sign: c.sign}, Price: price, NoLevel: c.noLevel}, &squared.Options{Tol: 1e-8})
			if err != nil || r.Report.Status() != optimize.Converged {
				t.Errorf("%v at %g: %v, %v", c.rows, c.price, r.Report, err)
			}
			lt.Close(t, "minimum", r.Report.Objective(), c.minimum, 1e-4*c.minimum)
		}
	}
}
