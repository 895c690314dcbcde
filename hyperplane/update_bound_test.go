package hyperplane

import (
	"math"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// unit returns the rows (1, x)/‖(1, x)‖.
func unit(x *linalg.Dense) *linalg.Dense {
	z := linalg.Zeros(x.Rows, x.Cols+1)
	for i := range x.Rows {
		row := z.Row(i)
		row[0] = 1
		copy(row[1:], x.Row(i))
		linalg.Scale(row, 1/linalg.Norm(row))
	}
	return z
}

// ESL exercise 4.6: with unit rows z and a β_opt with y·β_optᵀz ≥ 1 for all rows,
// each update lowers ‖β − β_opt‖² by at least 1, so that ‖β_start − β_opt‖²
// bounds their number. The worst rule makes one update an epoch, and the trace
// sees each.
func TestPerceptronConvergenceTheorem(t *testing.T) {
	for seed := range uint64(20) {
		x, y := separable(seed, 60, 3, 0.05)
		z := unit(x)
		k, err := FitKozinec(x, y, &KozinecOptions{Tol: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		opt := append([]float64{k.Plane().Intercept()}, k.Plane().Normal()...)
		through := plane(t, opt, 0)
		m, err := through.Margins(z, y, nil)
		if err != nil || m.Misclassified > 0 {
			t.Fatal(m, err)
		}
		least := math.Inf(1)
		for _, f := range m.Functional {
			least = math.Min(least, f)
		}
		linalg.Scale(opt, 1/least)

		var last, first float64
		distance := func(s optimize.Step) error {
			d := 0.0
			for j, v := range s.X[1:] {
				d += (v - opt[j]) * (v - opt[j])
			}
			if s.Iteration == 0 {
				first = d
			} else if s.Certificate > 0 && last-d < 1-1e-9*first {
				t.Errorf("seed %d, update %d: ‖β − β_opt‖² fell by %g < 1", seed, s.Iteration, last-d)
			}
			last = d
			return nil
		}
		for _, o := range []PerceptronOptions{
			{Order: Worst, Trace: distance, MaxEpochs: 1 << 20}, {}, {Order: Shuffled, Seed: seed}, {Random: true, Seed: seed, Order: Worst, Trace: distance, MaxEpochs: 1 << 20},
		} {
			o.NoIntercept = true
			if o.Trace == nil {
				first = linalg.Dot(opt, opt)
			}
			m, err := FitPerceptron(z, y, &o)
			if err != nil {
				t.Fatal(err)
			}
			if u := float64(m.Updates()); u > first {
				t.Errorf("seed %d, %v: %g updates, the bound is %g", seed, o.Order, u, first)
			}
		}

		// Raw rows from zero: R²·‖β_opt‖².
		bound, err := UpdateBound(k.Plane(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []PerceptronOptions{{Order: Worst, MaxEpochs: 1 << 20}, {Rate: 7}, {Order: Shuffled, Seed: seed}} {
			m, err := FitPerceptron(x, y, &o)
			if err != nil {
				t.Fatal(err)
			}
			if u := float64(m.Updates()); u > bound {
				t.Errorf("seed %d, %v: %g updates of raw rows, the bound is %g", seed, o.Order, u, bound)
			}
		}
	}
}

// One point a class at ±1: f = x has min y·f = 1 and R² = 2, so at most two
// updates. A plane that separates nothing bounds nothing.
func TestUpdateBoundOnPaper(t *testing.T) {
	x, y := lt.Rows(t, []float64{1}, []float64{-1}), []int{1, 0}
	b, err := UpdateBound(plane(t, []float64{5}, 0), x, y)
	lt.Close(t, "bound", b, 2, 1e-15)
	m, fitErr := FitPerceptron(x, y, nil)
	if err != nil || fitErr != nil || m.Updates() != 2 { // the bound is reached
		t.Error(err, fitErr, m)
	}
	if b, err := UpdateBound(plane(t, []float64{-5}, 0), x, y); err != nil || !math.IsInf(b, 1) {
		t.Error(b, err)
	}
	if _, err := UpdateBound(plane(t, []float64{-5}, 0), x, []int{1}); err == nil {
		t.Error("one label for two rows")
	}
}

func TestPerceptronThroughTheOrigin(t *testing.T) {
	x, y := separable(1, 100, 3, 0.1)
	m, err := FitPerceptron(x, y, &PerceptronOptions{NoIntercept: true})
	if err != nil || m.Plane().Intercept() != 0 {
		t.Error(m, err)
	}
}
