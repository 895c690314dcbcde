package squared

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/qp"
)

// apart is a problem of as many columns as rows, whose classes a plane tells apart.
func apart(n int, price float64, noLevel bool) *Problem {
	q := &qp.Linear{X: lt.Normal(3, n, n), Sign: make([]float64, n)}
	for i := range n {
		q.Sign[i] = float64(2*(i%2) - 1)
	}
	p := &Problem{Rows: q, Price: slices.Repeat([]float64{price}, n), NoLevel: noLevel}
	p.Price[5] = 0
	return p
}

// Where classes are apart the minima for lower prices lead to that of high ones without the nearest points, of which
// each row that carries the plane is a step.
func TestLowerPricesLeadToTheMinimum(t *testing.T) {
	const n = 240
	for _, noLevel := range []bool{false, true} {
		for _, price := range []float64{1, 1e3, 1e6} {
			p := apart(n, price, noLevel)
			m, run := newMinimizer(p, defaultTol), begun(t, p)
			m.begin(nil)
			if s := m.run(run); s != optimize.Converged || !m.risen || m.pointed || run.Report().Iterations() > n/3 {
				t.Errorf("price %g, through 0 %t: %v after %d steps, lower prices %t, nearest points %t", price, noLevel, s, run.Report().Iterations(), m.risen, m.pointed)
			}
			if m.Problem != p {
				t.Error("another problem is left")
			}
		}
	}
}

// A run that is stopped or has no steps left on its way by lower prices ends there, at a place whose value and bound
// are those of the prices that were asked for.
func TestRunsEndAmongLowerPrices(t *testing.T) {
	lt.SkipSlow(t)
	p, stop := apart(240, 1e6, false), errors.New("enough")
	var shown []optimize.Step
	all, err := Minimize(p, &Options{Trace: func(s optimize.Step) error {
		shown = append(shown, s)
		return nil
	}})
	if err != nil || all.Report.Status() != optimize.Converged {
		t.Fatalf("%v, %v", all.Report, err)
	}
	least := all.Report.Objective()
	for steps := mostSearched; steps < all.Report.Iterations(); steps++ {
		capped, _ := Minimize(p, &Options{MaxIter: steps})
		stopped, _ := Minimize(p, &Options{Trace: func(s optimize.Step) error {
			if s.Iteration == steps {
				return stop
			}
			return nil
		}})
		for r, want := range map[*Result]optimize.Status{capped: optimize.MaxIterations, stopped: optimize.Stopped} {
			m := newMinimizer(p, defaultTol)
			copy(m.beta, r.Beta)
			m.level = r.Level
			m.measure()
			f, excess := r.Report.Objective(), r.Report.Certificate().Value*r.Report.Objective()
			if r.Report.Status() != want || r.Report.Iterations() != steps || math.Abs(f-m.value) > 1e-12*f || f-least > excess+1e-12*f {
				t.Errorf("%v after %d of %d steps: F %g at the place, the minimum is %g", r.Report, steps, all.Report.Iterations(), m.value, least)
			}
		}
	}
	for i, s := range shown {
		if v := s.Objective; !(v >= least*(1-1e-9)) || !(v*(1-s.Certificate) <= least*(1+1e-9)) {
			t.Errorf("step %d shows %g and a gap of %g, the minimum is %g", i, v, s.Certificate, least)
		}
	}
}

// On the way by lower prices the trace sees F and a bound on its excess, of which F itself is one.
func TestTraceAmongLowerPrices(t *testing.T) {
	p := apart(240, 1e6, false)
	m, seen := newMinimizer(p, defaultTol), 0
	run, err := optimize.Begin(nil, p.Price, &optimize.Control{Trace: func(s optimize.Step) error {
		if seen++; s.Objective != p.valueOf(&m.point) || !(s.Certificate <= 1) {
			t.Errorf("step %d shows %g and a gap of %g", seen, s.Objective, s.Certificate)
		}
		return nil
	}}, optimize.Defaults{MaxIter: defaultSteps})
	if err != nil {
		t.Fatal(err)
	}
	m.begin(nil)
	m.bound()
	if m.rise(run); seen < 10 {
		t.Errorf("%d steps", seen)
	}
}

// Prices begin no lower than numbers reach, however long rows are.
func TestLowerPricesOfLongRows(t *testing.T) {
	p := apart(6, 1e90, false)
	linalg.Scale(p.Rows.X.(*linalg.Dense).Data, 1e140)
	m := newMinimizer(p, defaultTol)
	m.measure()
	was := m.value
	if run := begun(t, p); !m.rise(run) || m.value > was || m.Problem != p {
		t.Errorf("from %g to %g after %d steps", was, m.value, run.Report().Iterations())
	}
}
