package optimize

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// flawed are functions that no solver can finish, of as many coordinates as the
// start has.
var flawed = []*problem{
	{name: "not finite anywhere", start: []float64{1, 2}, hess: func(h *linalg.Dense, g, x []float64) float64 {
		clear(g)
		clear(h.Data)
		return math.NaN()
	}},
	{name: "gradient not finite", start: []float64{1, 2}, hess: func(h *linalg.Dense, g, x []float64) float64 {
		clear(h.Data)
		g[0], g[1] = math.Inf(1), 1
		return 1
	}},
	{name: "finite at the start alone", start: []float64{1, 2}, hess: func(h *linalg.Dense, g, x []float64) float64 {
		clear(h.Data)
		h.Set(0, 0, 1)
		h.Set(1, 1, 1)
		g[0], g[1] = 1, 1
		if x[0] == 1 && x[1] == 2 {
			return 1
		}
		return math.Inf(-1)
	}},
	{name: "falls without end", start: []float64{1, 2}, hess: func(h *linalg.Dense, g, x []float64) float64 {
		clear(h.Data)
		v := 0.0
		for j, t := range x {
			h.Set(j, j, -math.Exp(t))
			g[j] = -math.Exp(t)
			v -= math.Exp(t)
		}
		return v
	}},
	{name: "gradient with the wrong sign", start: []float64{1, 2}, hess: func(h *linalg.Dense, g, x []float64) float64 {
		clear(h.Data)
		v := 0.0
		for j, t := range x {
			h.Set(j, j, 1)
			g[j] = -t
			v += t * t / 2
		}
		return v
	}},
	{name: "a corner", start: []float64{1, 1.5}, hess: func(h *linalg.Dense, g, x []float64) float64 {
		clear(h.Data)
		v := 0.0
		for j, t := range x {
			h.Set(j, j, 1)
			g[j] = math.Copysign(1, t-0.3)
			v += math.Abs(t - 0.3)
		}
		return v
	}},
	{name: "huge", start: []float64{1e200, -1e200}, hess: squares(rosenbrock)},
}

// TestFlawed runs every solver on every function that cannot be finished: each
// says so, with the last finite point and its objective.
func TestFlawed(t *testing.T) {
	seen := make(map[string]map[Status]bool)
	for _, f := range flawed {
		for _, s := range solvers {
			if seen[s.name] == nil {
				seen[s.name] = make(map[Status]bool)
			}
			x, rep, err := s.run(f, f.start, nil)
			t.Logf("%s, %s: %v after %d at %v, %v", f.name, s.name, rep.Status(), rep.Iterations(), x, err)
			if !errors.Is(err, ErrNotConverged) || rep.Status() == Converged {
				t.Errorf("%s, %s: %+v, %v", f.name, s.name, rep, err)
			}
			if len(x) != len(f.start) || !finite(linalg.NormInf(x)) {
				t.Errorf("%s, %s: the point is %v", f.name, s.name, x)
			}
			if rep.Iterations() > 0 && !finite(rep.Objective()) {
				t.Errorf("%s, %s: the objective is %v", f.name, s.name, rep.Objective())
			}
			if v := f.Value(x); linalgtest.Diff(v, rep.Objective()) > 1e-15 {
				t.Errorf("%s, %s: the objective is %v, reported %v", f.name, s.name, v, rep.Objective())
			}
			if want := strings.HasPrefix(f.name, "not finite") || strings.HasPrefix(f.name, "finite") || f.name == "gradient not finite"; want && rep.Status() != NotFinite {
				t.Errorf("%s, %s: status %v", f.name, s.name, rep.Status())
			}
			if f.name == "gradient with the wrong sign" && rep.Status() != LineSearch {
				t.Errorf("%s, %s: status %v", f.name, s.name, rep.Status())
			}
			seen[s.name][rep.Status()] = true
		}
	}
	for name, statuses := range seen {
		for _, want := range []Status{NotFinite, LineSearch} {
			if !statuses[want] {
				t.Errorf("%s never ended as %v", name, want)
			}
		}
	}
}

// TestStatuses lets every solver run out of iterations and be stopped, on a
// problem that it would finish.
func TestStatuses(t *testing.T) {
	f := problems()[0]
	stop := errors.New("enough")
	for _, s := range solvers {
		x, rep, err := s.run(f, f.start, &Control{MaxIter: 3})
		if rep.Status() != MaxIterations || rep.Iterations() != 3 || !errors.Is(err, ErrNotConverged) {
			t.Errorf("%s, cap: %+v, %v", s.name, rep, err)
		}
		f.checkReport(t, s.name, x, rep)
		var shown []float64
		x, rep, err = s.run(f, f.start, &Control{Trace: func(st Step) error {
			if st.Iteration < 2 {
				return nil
			}
			shown = slices.Clone(st.X)
			return stop
		}})
		if rep.Status() != Stopped || rep.Iterations() != 2 || !errors.Is(err, stop) || !errors.Is(err, ErrNotConverged) || !slices.Equal(x, shown) {
			t.Errorf("%s, stopped: %v, %+v, %v", s.name, x, rep, err)
		}
		f.checkReport(t, s.name, x, rep)
	}
}

// TestSettings checks what is refused, by every solver, with a nil result.
func TestSettings(t *testing.T) {
	f, nan := problems()[0], math.NaN()
	for name, c := range map[string]*Control{
		"negative Tol": {Tol: -1}, "NaN Tol": {Tol: nan}, "infinite Tol": {Tol: math.Inf(1)},
		"negative MaxIter": {MaxIter: -1}, "too many scales": {Scale: []float64{1, 1, 1}}, "no scale": {Scale: []float64{}},
		"zero scale": {Scale: []float64{1, 0}}, "NaN scale": {Scale: []float64{1, nan}},
	} {
		for _, s := range solvers {
			if x, _, err := s.run(f, f.start, c); err == nil || x != nil || errors.Is(err, ErrNotConverged) {
				t.Errorf("%s, %s: %v, %v", s.name, name, x, err)
			}
		}
	}
	for _, s := range solvers {
		for _, x0 := range [][]float64{nil, {1, nan}, {math.Inf(1), 1}} {
			if x, _, err := s.run(f, x0, nil); err == nil || x != nil || errors.Is(err, ErrNotConverged) {
				t.Errorf("%s, start %v: %v, %v", s.name, x0, x, err)
			}
		}
	}
	for name, err := range map[string]error{
		"negative rate":   third(GradientDescent(f, f.start, -1, nil)),
		"NaN rate":        third(GradientDescent(f, f.start, nan, nil)),
		"subgradient":     third(SubgradientDescent(f, f.start, -1, nil)),
		"negative memory": third(LBFGS(f, f.start, -1, nil)),
	} {
		if err == nil || errors.Is(err, ErrNotConverged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func third(_ []float64, _ Report, err error) error { return err }

// TestBacktrackingRange: a slope whose square underflows, and a line that falls
// until the step would be infinite.
func TestBacktrackingRange(t *testing.T) {
	const c = 1e-170
	bowl := &problem{hess: func(_ *linalg.Dense, g, x []float64) float64 {
		g[0] = c * x[0]
		return c * x[0] * x[0] / 2
	}}
	if x, rep, err := GradientDescent(bowl, []float64{1}, 0, &Control{Scale: []float64{c}}); err != nil {
		t.Errorf("tiny: %v, %+v, %v", x, rep, err)
	}
	line := &problem{hess: func(_ *linalg.Dense, g, x []float64) float64 {
		g[0] = 1e-10
		return 1e-10 * x[0]
	}}
	if _, rep, err := GradientDescent(line, []float64{1}, 0, &Control{Tol: 1e-12}); rep.Status() != MaxIterations && rep.Status() != LineSearch || err == nil {
		t.Errorf("a line: %+v, %v", rep, err)
	}
}

// TestFixedRate: ½x² by hand, xₖ = (1 − α)ᵏ; and a rate above 2, which diverges.
func TestFixedRate(t *testing.T) {
	f := &problem{hess: func(h *linalg.Dense, g, x []float64) float64 {
		g[0] = x[0]
		return x[0] * x[0] / 2
	}}
	k := 0
	_, rep, err := GradientDescent(f, []float64{1}, 0.25, &Control{MaxIter: 20, Trace: func(s Step) error {
		linalgtest.Close(t, "iterate", s.X[0], math.Pow(0.75, float64(k)), 1e-15)
		k++
		return nil
	}})
	if rep.Status() != MaxIterations || k != 21 || err == nil {
		t.Errorf("%d iterates, %+v, %v", k, rep, err)
	}
	x, rep, err := GradientDescent(f, []float64{1}, 3, nil)
	if rep.Status() != NotFinite || !finite(x[0]) || !finite(rep.Objective()) || math.Abs(x[0]) < 1e100 || err == nil {
		t.Errorf("rate 3: %v, %+v, %v", x, rep, err)
	}
}
