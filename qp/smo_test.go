package qp

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

func TestSMOByHand(t *testing.T) {
	// Two points at ±1: α = 1/2 each, f = x, objective −1/2.
	x, _ := linalg.FromRows([][]float64{{-1}, {1}})
	s := []float64{-1, 1}
	p := &Problem{Q: &Linear{X: x, Sign: s}, Linear: slices.Repeat([]float64{-1}, 2), Sign: s, Upper: slices.Repeat([]float64{10}, 2)}
	r, err := SMO(p, &Options{Tol: 1e-12})
	check(t, p, r, err, 1e-12)
	linalgtest.CloseSlice(t, "α", r.Alpha, []float64{0.5, 0.5}, 1e-12)
	linalgtest.Close(t, "objective", r.Objective, -0.5, 1e-12)
	linalgtest.Close(t, "multiplier", r.Multiplier, 0, 1e-12)
}

// Variables that rounding alone keeps from a bound are put there, the nearer one, unless one is inside.
func TestSnapToBounds(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ alpha, up, want []float64 }{
		{[]float64{1, 0, 1e-16}, []float64{1, 1, 1}, []float64{1, 0, 0}},
		{[]float64{1, 1e-16, 1 - 0x1p-50}, []float64{1, 1, 1}, []float64{1, 0, 1}},
		{[]float64{1, 0.5, 1e-16}, []float64{1, 1, 1}, []float64{1, 0.5, 1e-16}},
		{[]float64{1e20, 0, 1e-3}, []float64{1e20, 1, 1}, []float64{1e20, 0, 1e-3}}, // far from 0 by its own bound,
		{[]float64{1, 0, 1e-3}, []float64{1, inf, 1e20}, []float64{1, 0, 1e-3}},     // and beside the others
		{[]float64{1, 0, 1e-16}, []float64{1, inf, inf}, []float64{1, 0, 0}},
	} {
		x, _ := linalg.FromRows([][]float64{{1}, {2}, {3}})
		st, err := prepare(&Problem{Q: &Linear{X: x, Sign: slices.Repeat([]float64{1}, 3)}, Linear: slices.Repeat([]float64{-1}, 3), Sign: slices.Repeat([]float64{1}, 3), Sum: linalg.Sum(c.alpha), Upper: c.up}, &Options{Start: c.alpha})
		if err != nil {
			t.Fatal(err)
		}
		st.snap()
		linalgtest.CloseSlice(t, "α", st.alpha, c.want, 0)
	}
}

func TestSMOErrors(t *testing.T) {
	good := func() *Problem { return svm(1, 10, 2, 1, 1) }
	var shape *linalg.ShapeError
	var finite *linalg.NonFiniteError
	var feasible *FeasibleError
	for name, c := range map[string]struct {
		spoil func(p *Problem, o *Options)
		as    any
	}{
		"short linear":   {func(p *Problem, o *Options) { p.Linear = p.Linear[:3] }, &shape},
		"short start":    {func(p *Problem, o *Options) { o.Start = []float64{1} }, &shape},
		"NaN linear":     {func(p *Problem, o *Options) { p.Linear[2] = math.NaN() }, &finite},
		"NaN upper":      {func(p *Problem, o *Options) { p.Upper[2] = math.NaN() }, &finite},
		"crossed bounds": {func(p *Problem, o *Options) { p.Upper[2] = -1 }, &feasible},
		"no rows of X":   {func(p *Problem, o *Options) { p.Q.(*Linear).X = &linalg.Dense{} }, &shape},
		"no sparse rows": {func(p *Problem, o *Options) { p.Q.(*Linear).X = &linalg.CSR{} }, &shape},
		"signs of Q":     {func(p *Problem, o *Options) { p.Q.(*Linear).Sign = p.Q.(*Linear).Sign[:7] }, &shape},
		"origin of Q":    {func(p *Problem, o *Options) { p.Q.(*Linear).Origin = []float64{1} }, &shape},
		"sum of small":   {func(p *Problem, o *Options) { p.Upper, p.Sum = slices.Repeat([]float64{1e-15}, 10), 1e-13 }, &feasible},
		"sum too large":  {func(p *Problem, o *Options) { p.Sum = 5.1 }, &feasible},
	} {
		p, o := good(), &Options{}
		c.spoil(p, o)
		r, err := SMO(p, o)
		if err == nil || r != nil || !errors.As(err, c.as) {
			t.Errorf("%s: result %v, error %v", name, r, err)
		}
	}
	for _, p := range []*Problem{nil, {}} {
		if _, err := SMO(p, nil); err == nil {
			t.Error("a problem without Q was accepted")
		}
	}
	for _, o := range []*Options{{Tol: -1}, {MaxIter: -1}, {CacheBytes: -1}, {Tol: math.NaN()}} {
		if _, err := SMO(good(), o); err == nil {
			t.Errorf("%+v accepted", o)
		}
	}
}

func TestSMOStops(t *testing.T) {
	p := svm(2, 400, 5, 0.3, 10)
	r, err := SMO(p, &Options{MaxIter: 7})
	if !errors.Is(err, optimize.ErrNotConverged) || r == nil || r.Report.Status() != optimize.MaxIterations || r.Report.Iterations() != 7 {
		t.Errorf("cap: %v, %+v", err, r)
	}
	stop := errors.New("enough")
	r, err = SMO(p, &Options{Trace: func(optimize.Step) error { return stop }})
	if !errors.Is(err, stop) || !errors.Is(err, optimize.ErrNotConverged) || r.Report.Status() != optimize.Stopped {
		t.Errorf("trace: %v", err)
	}
	r, err = SMO(p, &Options{Tol: 1e-300})
	if !errors.Is(err, optimize.ErrNotConverged) || r.Report.Status() != optimize.LineSearch {
		t.Errorf("a tolerance below rounding: %v %+v", err, r.Report)
	}
	if r.Report.Certificate().Value > 1e-11 {
		t.Errorf("the floor is %g", r.Report.Certificate().Value)
	}
}

func TestSMOWarmStart(t *testing.T) {
	p := svm(4, 600, 4, 0.4, 1)
	cold, err := SMO(p, nil)
	check(t, p, cold, err, 1e-8)
	start := append([]float64(nil), cold.Alpha...)
	warm, err := SMO(p, &Options{Start: start})
	check(t, p, warm, err, 1e-8)
	if warm.Report.Iterations()*10 > cold.Report.Iterations() {
		t.Errorf("%d steps from the solution, %d from 0", warm.Report.Iterations(), cold.Report.Iterations())
	}
	for i := range start {
		start[i] += 3
	}
	far, err := SMO(p, &Options{Start: start})
	check(t, p, far, err, 1e-8)
}

// Where the objective has no minimum no bound proves anything: the variables are numbers all the
// same, and nothing is said to have converged.
func TestProblemsWithoutAMinimumDoNotConverge(t *testing.T) {
	ones, err := linalg.FromRows([][]float64{{1}, {1}, {1}})
	if err != nil {
		t.Fatal(err)
	}
	zero, same := dense{linalg.Zeros(3, 3)}, &Linear{X: ones, Sign: []float64{1, -1, 1}}
	for name, p := range map[string]*Problem{
		"zero":           {Q: zero, Linear: []float64{-1, 0, -2}},
		"zero, equality": {Q: zero, Linear: []float64{-1, -1, -2}, Sign: []float64{1, -1, 1}},
		"one row thrice": {Q: same, Linear: []float64{-1, -1, -1}, Sign: []float64{1, -1, 1}},
		"one product":    {Q: &Linear{X: linalg.Zeros(3, 2), Sign: []float64{1, 1, 1}}, Linear: []float64{-1, -1, -1}},
	} {
		for method, solve := range map[string]func(*Problem, *Options) (*Result, error){"SMO": SMO, "Solve": Solve} {
			r, err := solve(p, &Options{MaxIter: 1000})
			if !errors.Is(err, optimize.ErrNotConverged) {
				t.Errorf("%s of %s: %v after %v", method, name, err, r.Report)
			}
			if err := linalg.CheckFinite("α", r.Alpha); err != nil {
				t.Errorf("%s of %s: %v", method, name, err)
			}
		}
	}
	for _, alpha := range []float64{0, math.Inf(1)} {
		g := []float64{math.NaN()}
		if alpha != 0 {
			g[0] = -1
		}
		if gap, kkt := (&Problem{Q: zero}).Gap([]float64{alpha}, g, 0); gap == gap || kkt == kkt {
			t.Errorf("a gap of %v and a violation of %v at %v with gradient %v", gap, kkt, alpha, g)
		}
	}
}
