package optimize_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/optimize"
)

// bowl is Σ cⱼ(eᵗ − t − 1 + t²/2), t = xⱼ − 1, least at 1: steep to the right,
// so that every method needs some steps.
type bowl []float64

func (b bowl) Value(x []float64) float64 { return b.Grad(make([]float64, len(x)), x) }

func (b bowl) Grad(g, x []float64) float64 {
	v := 0.0
	for j, c := range b {
		t := x[j] - 1
		e := math.Expm1(t)
		g[j] = c * (e + t)
		v += c * (e - t + t*t/2)
	}
	return v
}

func (b bowl) Hess(h *linalg.Dense, g, x []float64) float64 {
	clear(h.Data)
	for j, c := range b {
		h.Set(j, j, c*(math.Exp(x[j]-1)+1))
	}
	return b.Grad(g, x)
}

// certify judges a point by the largest derivative.
func (b bowl) certify(tol float64) func(x []float64) (float64, optimize.Certificate, error) {
	return func(x []float64) (float64, optimize.Certificate, error) {
		g := make([]float64, len(x))
		v := b.Grad(g, x)
		return v, optimize.Certificate{Kind: optimize.KindGradient, Value: linalg.NormInf(g), Tol: tol}, nil
	}
}

func (b bowl) start() []float64 { return slices.Repeat([]float64{4}, len(b)) }

// lbfgs, descent and newton are stages.
func (b bowl) lbfgs() optimize.Stage {
	return optimize.Stage{Name: "lbfgs", Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		return optimize.LBFGS(b, x, 0, c)
	}}
}

func (b bowl) descent() optimize.Stage {
	return optimize.Stage{Name: "descent", Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		return optimize.GradientDescent(b, x, 0, c)
	}}
}

func (b bowl) newton() optimize.Stage {
	return optimize.Stage{Name: "newton", Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		return optimize.Newton(b, x, c)
	}}
}

// until leaves the stage by the verdict after so many iterations.
func until(s optimize.Stage, iterations int, v optimize.Verdict) optimize.Stage {
	s.Until = func(step optimize.Step) optimize.Verdict {
		if step.Iteration >= iterations {
			return v
		}
		return optimize.Continue
	}
	return s
}

var valley = bowl{1, 30, 1000}

// record keeps the steps that a trace is shown.
func record(steps *[]optimize.Step) func(optimize.Step) error {
	return func(s optimize.Step) error {
		s.X = slices.Clone(s.X)
		*steps = append(*steps, s)
		return nil
	}
}

// oneSequence checks that the trace saw the iterations 0, 1, 2, … once each.
func oneSequence(t *testing.T, steps []optimize.Step, iterations int) {
	t.Helper()
	if len(steps) != iterations+1 {
		t.Errorf("%d steps shown of %d iterations", len(steps), iterations)
	}
	for k, s := range steps {
		if s.Iteration != k {
			t.Errorf("step %d is shown as iteration %d", k, s.Iteration)
		}
	}
}

func TestRunOfOneStageIsTheSolver(t *testing.T) {
	want, rep, err := optimize.LBFGS(valley, valley.start(), 0, &optimize.Control{Tol: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	var steps []optimize.Step
	x, got, err := optimize.Run(valley.start(), &optimize.Control{Tol: 1e-6, Trace: record(&steps)}, valley.certify(1e-6), valley.lbfgs())
	if err != nil || got != rep || !slices.Equal(x, want) {
		t.Errorf("%v, %+v, %v; want %v, %+v", x, got, err, want, rep)
	}
	oneSequence(t, steps, got.Iterations())
}

func TestRunGoesOnWhereAStageIsLeft(t *testing.T) {
	for _, v := range []optimize.Verdict{optimize.Enough, optimize.TooSlow} {
		var steps []optimize.Step
		var seen []optimize.Verdict
		second := valley.newton()
		second.When = func(x []float64, r optimize.Report, v optimize.Verdict) bool {
			seen = append(seen, v)
			return r.Status() == optimize.MaxIterations && r.Iterations() == 3 && slices.Equal(x, steps[3].X)
		}
		last := valley.newton()
		last.When = func(_ []float64, _ optimize.Report, v optimize.Verdict) bool {
			seen = append(seen, v)
			return false
		}
		x, rep, err := optimize.Run(valley.start(), &optimize.Control{Trace: record(&steps)}, valley.certify(1e-8), until(valley.descent(), 3, v), second, last)
		if err != nil || rep.Status() != optimize.Converged || rep.Iterations() <= 3 || math.Abs(x[0]-1) > 1e-8 {
			t.Fatalf("%v, %+v, %v", x, rep, err)
		}
		if !slices.Equal(seen, []optimize.Verdict{v, optimize.Continue}) {
			t.Errorf("verdicts %v, want %v and the one of a stage that ended by itself", seen, v)
		}
		oneSequence(t, steps, rep.Iterations())
		for k := 1; k < len(steps); k++ {
			if steps[k].Objective > steps[k-1].Objective {
				t.Errorf("the objective rises from %v to %v at iteration %d", steps[k-1].Objective, steps[k].Objective, k)
			}
		}
	}
}

// A point that another stage goes on from in any case needs no certificate; the last has one.
func TestRunCertifiesNoPointOnTheWay(t *testing.T) {
	for _, c := range []struct {
		maxIter, asked int
	}{{0, 1}, {2, 1}, {3, 1}} {
		asked := 0
		certify := func(x []float64) (float64, optimize.Certificate, error) {
			asked++
			return valley.certify(1e-8)(x)
		}
		x, rep, err := optimize.Run(valley.start(), &optimize.Control{MaxIter: c.maxIter}, certify,
			until(valley.descent(), 3, optimize.Enough), valley.newton())
		if asked != c.asked || (err == nil) != (c.maxIter == 0) {
			t.Errorf("at most %d iterations: %d certificates, %v", c.maxIter, asked, err)
		}
		if v, want, _ := certify(x); rep.Certificate() != want || rep.Objective() != v {
			t.Errorf("at most %d iterations: %v %v, want %v %v", c.maxIter, rep.Objective(), rep.Certificate(), v, want)
		}
	}
}

// A verdict is no error, and where no stage is left, no success.
func TestRunLeftByItsLastStage(t *testing.T) {
	x, rep, err := optimize.Run(valley.start(), nil, valley.certify(1e-8), until(valley.descent(), 3, optimize.TooSlow))
	if rep.Status() != optimize.MaxIterations || rep.Iterations() != 3 || len(x) != 3 || !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("%v, %+v, %v", x, rep, err)
	}
	if _, rep, err := optimize.Run(valley.start(), nil, valley.certify(1e9), until(valley.descent(), 3, optimize.TooSlow)); rep.Status() != optimize.Converged || err != nil {
		t.Errorf("with a certificate that holds: %+v, %v", rep, err)
	}
}

func TestRunSpendsOneCap(t *testing.T) {
	short := valley.descent()
	short.Solve = func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		own := *c
		own.MaxIter = min(3, c.MaxIter) // the stage's own cap does not end the run
		return optimize.GradientDescent(valley, x, 0, &own)
	}
	for _, most := range []int{2, 3, 4, 5, 6} {
		var steps []optimize.Step
		x, rep, err := optimize.Run(valley.start(), &optimize.Control{MaxIter: most, Trace: record(&steps)}, valley.certify(1e-8), short, short, valley.newton())
		if rep.Status() != optimize.MaxIterations || rep.Iterations() != most || !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("at most %d: %+v, %v", most, rep, err)
		}
		oneSequence(t, steps, most)
		if !slices.Equal(x, steps[most].X) || rep.Objective() != steps[most].Objective {
			t.Errorf("at most %d: %v with %v, last shown %v with %v", most, x, rep.Objective(), steps[most].X, steps[most].Objective)
		}
	}
	// Without a cap every stage has its own.
	if _, rep, err := optimize.Run(valley.start(), nil, valley.certify(1e-8), valley.descent(), valley.newton()); err != nil || rep.Status() != optimize.Converged {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestRunIsStoppedByTheTrace(t *testing.T) {
	stop := errors.New("enough")
	for _, when := range []int{0, 2, 3, 4, 5} {
		var last optimize.Step
		turns := 0
		third := valley.newton()
		third.When = func([]float64, optimize.Report, optimize.Verdict) bool { turns++; return true }
		x, rep, err := optimize.Run(valley.start(), &optimize.Control{Trace: func(s optimize.Step) error {
			if s.X, last = slices.Clone(s.X), s; s.Iteration == when {
				last.X = s.X
				return stop
			}
			return nil
		}}, valley.certify(1e-8), until(valley.descent(), 3, optimize.Enough), valley.newton(), third)
		if rep.Status() != optimize.Stopped || rep.Iterations() != when || !errors.Is(err, stop) || !errors.Is(err, optimize.ErrNotConverged) || turns != 0 {
			t.Errorf("at %d: %+v, %v, %d turns of the last stage", when, rep, err, turns)
		}
		if !slices.Equal(x, last.X) || rep.Objective() != last.Objective || rep.Certificate().Kind != optimize.KindGradient {
			t.Errorf("at %d: %v, %+v; last shown %v, %v", when, x, rep, last.X, last.Objective)
		}
	}
	// A stage with a trace of its own.
	own := optimize.Stage{Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		return optimize.Newton(valley, x, &optimize.Control{Trace: func(optimize.Step) error { return stop }})
	}}
	if x, rep, err := optimize.Run(valley.start(), nil, valley.certify(1e-8), own, valley.newton()); rep.Status() != optimize.Stopped || !errors.Is(err, stop) || !slices.Equal(x, valley.start()) {
		t.Errorf("%v, %+v, %v", x, rep, err)
	}
}

// The certificate of the published point decides, whatever the solver claims.
func TestRunBelievesItsCertificateAlone(t *testing.T) {
	loose := valley.lbfgs()
	loose.Solve = func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		own := *c
		own.Tol = 1
		return optimize.LBFGS(valley, x, 0, &own)
	}
	_, alone, err := optimize.Run(valley.start(), nil, valley.certify(1e-8), loose)
	if alone.Status() != optimize.LineSearch || !errors.Is(err, optimize.ErrNotConverged) || alone.Certificate().Value > 1 || alone.Certificate().Tol != 1e-8 {
		t.Errorf("a claim that does not hold: %+v, %v", alone, err)
	}
	_, both, err := optimize.Run(valley.start(), nil, valley.certify(1e-8), loose, valley.newton())
	if both.Status() != optimize.Converged || both.Iterations() <= alone.Iterations() || err != nil {
		t.Errorf("a second stage: %+v, %v", both, err)
	}
	_, rep, err := optimize.Run(valley.start(), nil, valley.certify(10), loose, valley.newton())
	if rep.Status() != optimize.Converged || rep.Iterations() != alone.Iterations() || err != nil {
		t.Errorf("a certificate that holds after the first stage: %+v, %v", rep, err)
	}
}

// A stage may have its turn although the certificate holds; what it spoils is undone.
func TestRunKeepsWhatHolds(t *testing.T) {
	always := func([]float64, optimize.Report, optimize.Verdict) bool { return true }
	want, first, err := optimize.Run(valley.start(), nil, valley.certify(1e-8), valley.newton())
	if err != nil {
		t.Fatal(err)
	}
	polish, spoil, leave := valley.newton(), valley.newton(), valley.newton()
	polish.When, spoil.When, leave.When = always, always, always
	polish.Solve = func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		own := *c
		own.Tol = 1e-13
		return optimize.Newton(valley, x, &own)
	}
	spoil.Solve = func(_ []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		own := *c
		own.MaxIter = 2
		return optimize.Newton(valley, valley.start(), &own)
	}
	leave.Solve = func(_ []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		return optimize.Newton(valley, []float64{800, 1, 1}, &optimize.Control{MaxIter: 2}) // +Inf
	}
	x, rep, err := optimize.Run(valley.start(), nil, valley.certify(1e-8), valley.newton(), polish)
	if err != nil || rep.Certificate().Value >= first.Certificate().Value || rep.Iterations() <= first.Iterations() || slices.Equal(x, want) {
		t.Errorf("polished: %v, %+v, %v, before %+v", x, rep, err, first)
	}
	for _, s := range []optimize.Stage{spoil, leave} {
		x, rep, err = optimize.Run(valley.start(), nil, valley.certify(1e-8), valley.newton(), s)
		if err != nil || rep.Certificate() != first.Certificate() || rep.Objective() != first.Objective() || !slices.Equal(x, want) {
			t.Errorf("spoilt: %v, %+v, %v", x, rep, err)
		}
	}
	x, rep, err = optimize.Run(valley.start(), &optimize.Control{MaxIter: first.Iterations()}, valley.certify(1e-8), valley.newton(), polish)
	if err != nil || rep != first || !slices.Equal(x, want) {
		t.Errorf("no iterations left: %v, %+v, %v", x, rep, err)
	}
}

// A stage that finds a start is not certified, counted or shown.
func TestRunFromAStart(t *testing.T) {
	certified := 0
	certify := func(x []float64) (float64, optimize.Certificate, error) {
		certified++
		return valley.certify(1e-8)(x)
	}
	near := []float64{1.1, 0.9, 1}
	find := optimize.Stage{Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		return near, optimize.Report{}, nil
	}}
	nothing := optimize.Stage{Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		return x, optimize.Report{}, nil
	}}
	want, alone, err := optimize.Newton(valley, near, nil)
	if err != nil {
		t.Fatal(err)
	}
	var steps []optimize.Step
	x, rep, err := optimize.Run(valley.start(), &optimize.Control{Trace: record(&steps)}, certify, find, valley.newton(), nothing)
	if err != nil || rep != alone || !slices.Equal(x, want) || certified != 1 || !slices.Equal(steps[0].X, near) {
		t.Errorf("%v, %+v, %v, certified %d times, first shown %v", x, rep, err, certified, steps[0].X)
	}
	oneSequence(t, steps, rep.Iterations())

	// Where nothing follows, it is the result: a closed form.
	x, rep, err = optimize.Run(valley.start(), nil, certify, find)
	if rep.Status() != optimize.LineSearch || !slices.Equal(x, near) || !errors.Is(err, optimize.ErrNotConverged) || rep.Certificate().Value == 0 {
		t.Errorf("%v, %+v, %v", x, rep, err)
	}
	if x, rep, err = optimize.Run(want, nil, certify); err != nil || rep.Status() != optimize.Direct || rep.Objective() != alone.Objective() || !slices.Equal(x, want) {
		t.Errorf("no stages: %v, %+v, %v", x, rep, err)
	}
	// After a stage that got nowhere, a new start is not what was certified before.
	always := func([]float64, optimize.Report, optimize.Verdict) bool { return true }
	again := optimize.Stage{When: always, Solve: func([]float64, *optimize.Control) ([]float64, optimize.Report, error) {
		return want, optimize.Report{}, nil
	}}
	x, rep, err = optimize.Run(valley.start(), nil, certify, until(valley.descent(), 2, optimize.TooSlow), again)
	if err != nil || rep.Status() != optimize.Converged || rep.Iterations() != 2 || rep.Objective() != alone.Objective() || !slices.Equal(x, want) {
		t.Errorf("a start at the end: %v, %+v, %v", x, rep, err)
	}
	// Nor is one after a stage that converged.
	elsewhere := find
	elsewhere.When = always
	x, rep, err = optimize.Run(want, nil, certify, until(valley.newton(), 1, optimize.Enough), elsewhere, valley.newton())
	if err != nil || rep != alone || !slices.Equal(x, want) {
		t.Errorf("a start elsewhere: %v, %+v, %v", x, rep, err)
	}
}

// A stage for another function may lead out of this one's domain.
func TestRunReturnsTheLastFinitePoint(t *testing.T) {
	astray := optimize.Stage{Name: "astray", Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
		return optimize.Newton(cosh{}, []float64{900, 900, 900}, &optimize.Control{MaxIter: 4})
	}}
	x, rep, err := optimize.Run(valley.start(), nil, valley.certify(1e-8), astray)
	if rep.Status() != optimize.NotFinite || !slices.Equal(x, valley.start()) || rep.Objective() != valley.Value(x) || !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("%v, %+v, %v", x, rep, err)
	}
	x, rep, err = optimize.Run(valley.start(), nil, valley.certify(1e-8), astray, valley.newton())
	if err != nil || rep.Status() != optimize.Converged || math.Abs(x[1]-1) > 1e-8 {
		t.Errorf("with a stage that finds back: %v, %+v, %v", x, rep, err)
	}
	first := until(valley.descent(), 2, optimize.TooSlow)
	wantX, want, _ := optimize.Run(valley.start(), nil, valley.certify(1e-8), first)
	x, rep, err = optimize.Run(valley.start(), nil, valley.certify(1e-8), first, astray)
	if !slices.Equal(x, wantX) || rep.Objective() != want.Objective() || rep.Status() != want.Status() || rep.Iterations() < want.Iterations() || !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("after a stage: %v, %+v, %v; want %v, %+v", x, rep, err, wantX, want)
	}
	// Not finite anywhere, be it the objective or its bound: the start.
	for _, v := range [][2]float64{{math.NaN(), math.NaN()}, {math.NaN(), 0}, {1, math.NaN()}} {
		nan := func(x []float64) (float64, optimize.Certificate, error) {
			return v[0], optimize.Certificate{Kind: optimize.KindGap, Value: v[1], Tol: 1}, nil
		}
		for _, stages := range [][]optimize.Stage{nil, {valley.newton()}} {
			most0 := make([]float64, 24) // of which what is not 0 is held
			most0[2], most0[23] = 2, -1
			for _, start := range [][]float64{valley.start(), {0, 0, 0}, most0} {
				if len(start) > len(valley) && stages != nil {
					stages = []optimize.Stage{bowl(slices.Repeat([]float64{1}, len(start))).newton()}
				}
				if x, rep, err := optimize.Run(start, nil, nan, stages...); rep.Status() != optimize.NotFinite || !slices.Equal(x, start) || !errors.Is(err, optimize.ErrNotConverged) {
					t.Errorf("nowhere finite: %v, %+v, %v", x, rep, err)
				}
			}
		}
	}
}

func TestRunPassesErrorsOn(t *testing.T) {
	broken := errors.New("disk on fire")
	plain := optimize.Stage{Name: "pass", Solve: func([]float64, *optimize.Control) ([]float64, optimize.Report, error) {
		return nil, optimize.Report{}, broken
	}}
	fails := func([]float64) (float64, optimize.Certificate, error) { return 0, optimize.Certificate{}, broken }
	for name, run := range map[string]func() ([]float64, optimize.Report, error){
		"the first stage": func() ([]float64, optimize.Report, error) {
			return optimize.Run(valley.start(), nil, valley.certify(1e-8), plain, valley.newton())
		},
		"a later stage": func() ([]float64, optimize.Report, error) {
			return optimize.Run(valley.start(), nil, valley.certify(1e-8), until(valley.newton(), 1, optimize.Enough), plain)
		},
		"the certificate": func() ([]float64, optimize.Report, error) {
			return optimize.Run(valley.start(), nil, fails, valley.newton())
		},
		"the certificate of the start": func() ([]float64, optimize.Report, error) { return optimize.Run(valley.start(), nil, fails) },
	} {
		if x, rep, err := run(); x != nil || rep != (optimize.Report{}) || !errors.Is(err, broken) || errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("%s: %v, %+v, %v", name, x, rep, err)
		}
	}
	for name, c := range map[string]*optimize.Control{"Tol": {Tol: -1}, "MaxIter": {MaxIter: -1}, "Scale": {Scale: []float64{1, 1}}} {
		if x, _, err := optimize.Run(valley.start(), c, valley.certify(1e-8), valley.newton()); x != nil || err == nil || errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
	if x, _, err := optimize.Run([]float64{1, math.NaN(), 1}, nil, valley.certify(1e-8), valley.newton()); x != nil || err == nil {
		t.Errorf("start: %v, %v", x, err)
	}
}

func TestRunLeavesStartAndControlAlone(t *testing.T) {
	x0, c := valley.start(), optimize.Control{MaxIter: 50, Tol: 1e-7}
	own := c
	stages := []optimize.Stage{until(valley.descent(), 2, optimize.Enough), valley.newton()}
	for range 2 { // the same stages serve again
		if _, _, err := optimize.Run(x0, &own, valley.certify(1e-7), stages...); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(x0, valley.start()) || own.MaxIter != c.MaxIter || own.Tol != c.Tol || own.Trace != nil || own.Until != nil {
		t.Errorf("%v, %+v", x0, own)
	}
}

func TestPace(t *testing.T) {
	for _, c := range []struct {
		ratio    float64 // of the certificates, from 1 on, with tolerance 2⁻²⁰
		patience int
		most     float64
		left     int // the iteration at which it is left; −1: never
	}{
		{0.5, 4, 20, -1},
		{0.5, 4, 15, 5}, // at the fourth since iteration 1, 16 are to come
		{0.5, 6, 15, -1},
		{2, 3, 1e9, 4},
		{0.99, 1, 100, 2},
	} {
		rule := optimize.Pace(0x1p-20, 1, c.patience, c.most)
		left, value := -1, 1.0
		for k := range 20 {
			if v := rule(optimize.Step{Iteration: k, Certificate: value}); v == optimize.TooSlow {
				left = k
				break
			} else if v != optimize.Continue {
				t.Errorf("verdict %v", v)
			}
			if k > 0 {
				value *= c.ratio
			}
		}
		if left != c.left {
			t.Errorf("%+v: left at %d", c, left)
		}
	}
}
