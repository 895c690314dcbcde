package optimize

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/optimize/penalty"
)

// pass is a function whose evaluations fail from the one of number last on, as
// those over a file that is cut off do.
type pass struct {
	*problem
	calls, last int
}

var errCutOff = errors.New("cut off")

func (f *pass) Err() error {
	if f.calls >= f.last {
		return errCutOff
	}
	return nil
}

func (f *pass) Hess(h *linalg.Dense, g, x []float64) float64 {
	if f.calls++; f.calls >= f.last {
		return 0 // neither what it returns nor what is in g and h means anything
	}
	return f.hess(h, g, x)
}

func (f *pass) Grad(g, x []float64) float64 { return f.Hess(linalg.Zeros(len(x), len(x)), g, x) }

func (f *pass) Value(x []float64) float64 { return f.Grad(make([]float64, len(x)), x) }

func (f *pass) HessVec(dst, x, v []float64) {
	h := linalg.Zeros(len(x), len(x))
	f.Hess(h, make([]float64, len(x)), x)
	linalg.MulVec(dst, h, v, 1)
}

func (f *pass) SubHess(h *linalg.Dense, x []float64, rows, cols []int) {
	all := linalg.Zeros(len(x), len(x))
	f.Hess(all, make([]float64, len(x)), x)
	if cols == nil {
		cols = rows
	}
	for a, i := range rows {
		for b, j := range cols {
			h.Set(a, b, all.At(i, j))
		}
	}
}

// TestFailedPass: whichever evaluation fails, a solver returns its error and no
// point, and soon.
func TestFailedPass(t *testing.T) {
	convex := &problem{start: []float64{3, -2}, hess: func(h *linalg.Dense, g, x []float64) float64 {
		clear(h.Data)
		v := 0.0
		for j, t := range x {
			h.Set(j, j, math.Cosh(t))
			g[j] = math.Sinh(t)
			v += math.Cosh(t)
		}
		return v
	}}
	for name, run := range map[string]func(f *pass, c *Control) ([]float64, Report, error){
		"Newton":             func(f *pass, c *Control) ([]float64, Report, error) { return Newton(f, f.start, c) },
		"NewtonCG":           func(f *pass, c *Control) ([]float64, Report, error) { return NewtonCG(f, f.start, c) },
		"BFGS":               func(f *pass, c *Control) ([]float64, Report, error) { return BFGS(f, f.start, c) },
		"LBFGS":              func(f *pass, c *Control) ([]float64, Report, error) { return LBFGS(f, f.start, 0, c) },
		"GradientDescent":    func(f *pass, c *Control) ([]float64, Report, error) { return GradientDescent(f, f.start, 0, c) },
		"fixed rate":         func(f *pass, c *Control) ([]float64, Report, error) { return GradientDescent(f, f.start, 0.1, c) },
		"SubgradientDescent": func(f *pass, c *Control) ([]float64, Report, error) { return SubgradientDescent(f, f.start, 0, c) },
		"ProximalNewton": func(f *pass, c *Control) ([]float64, Report, error) {
			return ProximalNewton(f, f.start, penalty.Lasso(0.1), c)
		},
		"GroupNewton": func(f *pass, c *Control) ([]float64, Report, error) {
			return GroupNewton(f, f.start, &penalty.GroupLasso{Lambda: 0.1, Groups: [][]int{{0, 1}}}, c)
		},
	} {
		whole := &pass{problem: convex, last: math.MaxInt}
		if x, _, err := run(whole, &Control{MaxIter: 30}); x == nil || errors.Is(err, errCutOff) {
			t.Fatalf("%s: %v, %v", name, x, err)
		}
		for last := 1; last <= whole.calls; last++ {
			f := &pass{problem: convex, last: last}
			x, rep, err := run(f, &Control{MaxIter: 30})
			if x != nil || rep != (Report{}) || !errors.Is(err, errCutOff) || errors.Is(err, ErrNotConverged) {
				t.Errorf("%s, evaluation %d of %d fails: %v, %+v, %v", name, last, whole.calls, x, rep, err)
			}
			if f.calls > last+200 {
				t.Errorf("%s, evaluation %d of %d fails: %d after it", name, last, whole.calls, f.calls-last)
			}
		}
	}
}

// TestFailedPassIsNotFinite: numbers that a failed evaluation left are no point's.
func TestFailedPassIsNotFinite(t *testing.T) {
	f := &pass{last: 2}
	run, err := Begin(f, []float64{1}, nil, Defaults{KindGradient, 1e-8, 5, 0})
	if err != nil || !run.Finite([]float64{1}, 0, []float64{0}) {
		t.Fatalf("before it fails: %v", err)
	}
	if f.calls = 2; run.Finite([]float64{1}, 0, []float64{0}) {
		t.Error("finite after it has failed")
	}
}

// TestUntil: a solver left by its rule ends where it is, and says that it was cut off.
func TestUntil(t *testing.T) {
	f := problems()[0]
	for _, s := range solvers {
		var asked []int
		var shown []float64
		x, rep, err := s.run(f, f.start, &Control{Until: func(st Step) Verdict {
			asked, shown = append(asked, st.Iteration), slices.Clone(st.X)
			if st.Iteration == 2 {
				return TooSlow
			}
			return Continue
		}})
		if rep.Status() != MaxIterations || rep.Iterations() != 2 || !errors.Is(err, ErrNotConverged) || !slices.Equal(asked, []int{0, 1, 2}) || !slices.Equal(x, shown) {
			t.Errorf("%s: %v, %+v, %v, asked at %v", s.name, x, rep, err, asked)
		}
		f.checkReport(t, s.name, x, rep)
		// What has converged is not asked about.
		if _, rep, err := s.run(f, f.start, &Control{Tol: 1e9, Until: func(Step) Verdict { return TooSlow }}); rep.Status() != Converged || err != nil {
			t.Errorf("%s: %+v, %v", s.name, rep, err)
		}
	}
}

// TestAllow: a second method has iterations of its own, up to all that an int holds.
func TestAllow(t *testing.T) {
	run, err := Begin(nil, []float64{1}, nil, Defaults{Kind: KindGap, MaxIter: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range []int{0, 3, math.MaxInt} {
		run.Allow(more)
		left := 0
		for ; left < 4 && !run.Spent(); left++ {
			run.Count()
		}
		if want := min(more, 4); left != want || (run.Report().Status() == MaxIterations) != (more < 4) {
			t.Errorf("%d of %d, %v", left, want, run.Report())
		}
	}
}

// TestProgressInParts is a method that looks at its certificate at every third
// iteration: it halves x until that is at most 1.
func TestProgressInParts(t *testing.T) {
	stop := errors.New("enough")
	halve := func(x []float64, c *Control) ([]float64, Report, error) {
		run, err := Begin(nil, x, c, Defaults{KindGap, 1, 100, 0})
		if err != nil {
			return nil, Report{}, err
		}
		x = slices.Clone(x)
		for {
			if run.Report().Iterations()%3 == 0 {
				if run.Show(x, x[0]*x[0], x[0], 0.5) {
					break
				}
				if run.Report().Certificate().Holds() {
					run.End(Converged)
					break
				}
			}
			if run.Spent() {
				break
			}
			x[0] /= 2
			run.Count()
		}
		return run.Result(x)
	}
	var shown []int
	x, rep, err := halve([]float64{256}, &Control{Trace: func(s Step) error { shown = append(shown, s.Iteration); return nil }})
	want := Report{Converged, 9, 0.25, Certificate{KindGap, 0.5, 1}}
	if err != nil || rep != want || x[0] != 0.5 || !slices.Equal(shown, []int{0, 3, 6, 9}) {
		t.Errorf("%v, %+v, %v, shown %v", x, rep, err, shown)
	}
	x, rep, err = halve([]float64{256}, &Control{MaxIter: 5})
	if rep.Status() != MaxIterations || rep.Iterations() != 5 || x[0] != 8 || rep.Certificate().Value != 32 || !errors.Is(err, ErrNotConverged) {
		t.Errorf("%v, %+v, %v", x, rep, err)
	}
	x, rep, err = halve([]float64{256}, &Control{Trace: func(s Step) error {
		if s.Iteration == 3 {
			return stop
		}
		return nil
	}})
	if rep.Status() != Stopped || rep.Iterations() != 3 || x[0] != 32 || !errors.Is(err, stop) {
		t.Errorf("%v, %+v, %v", x, rep, err)
	}
}

// A search for the largest derivative ends after the function that has one that is large enough.
func TestLargestDerivative(t *testing.T) {
	p := &Progress{scale: Scale{1, 2}}
	g := []float64{3, -8, 7, 1}
	if all, some := p.largest(g), p.largestTo(3, g); all != 7 || some != 4 {
		t.Errorf("%v and %v, want 7 and 4", all, some)
	}
	g[0] = math.NaN()
	if v := p.largestTo(3, g); v == v {
		t.Errorf("%v of a gradient that is no number", v)
	}
}
