package optimize

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/penalty"
)

// counts checks that work which makes a known number of multiplications is counted as no less,
// nor as more than it could cost one by one.
func counts(t *testing.T, what string, w *Work, made float64) {
	t.Helper()
	if !(w.Spent >= made && w.Spent <= 2*Alone*made) {
		t.Errorf("%s: counted as %g multiplications, made %g", what, w.Spent, made)
	}
	w.Spent = 0
}

// Newton's method counts its factors, damped ones too.
func TestNewtonCountsFactors(t *testing.T) {
	const n = 60
	f := &problem{hess: func(h *linalg.Dense, g, x []float64) float64 {
		clear(h.Data)
		v := 0.0
		for j, t := range x {
			h.Set(j, j, 12*t*t)
			g[j] = 4 * t * t * t
			v += t * t * t * t
		}
		return v
	}}
	start := make([]float64, n)
	for j := range start {
		start[j] = 1
	}
	w := &Work{Most: math.Inf(1)}
	_, r, err := Newton(f, start, &Control{Work: w, Tol: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	counts(t, "Newton", w, float64(r.Iterations())*n*n*n/3)
}

// Faces count factors, conjugate gradients, and what differs from the face before; sweeps and
// derivatives made anew count the rows of the matrix that they read.
func TestDescentCounts(t *testing.T) {
	const n = 300
	a, w := linalg.Gram(linalgtest.Normal(3, 2*n, n), nil, nil, 1), &Work{Most: math.Inf(1)}
	s := &faces{a: a, pen: penalty.ElasticNet{Lambda: 1, L1Ratio: .5}, NearFace: new(NearFace), tol: 1e-6, work: w}
	var all []int
	for j := range n {
		all = append(all, j)
	}
	s.solve(all[:n-9], make([]float64, n-9), 0)
	counts(t, "a factor", w, n*n*n/4)
	p := s.beside(all)
	p.meet(s, all)
	counts(t, "nine coordinates that join", w, 9*(n-9)*(n-9))
	right := linalgtest.Normal(4, n, 1).Data
	if !s.byConjugates(all, right, p, 1) {
		t.Fatal("no solution beside a face that was met")
	}
	counts(t, "a conjugate gradient", w, n*n)

	l := newLogits(3, 150, 40, .3)
	_, r, err := ProximalNewton(l, make([]float64, 40), penalized(40, 1, 1), &Control{Work: w})
	if err != nil {
		t.Fatal(err)
	}
	counts(t, "models of a proximal Newton method, each by some tens of sweeps", w, float64(r.Iterations())*40*40*20)

	at := make([]float64, n)
	x := &coordinates{Progress: &Progress{work: w}, f: &Quadratic{A: a, B: right, At: at}, x: linalgtest.Normal(5, n, 1).Data, q: make([]float64, n)}
	x.refresh()
	counts(t, "derivatives", w, n*n)
	x.sweep()
	counts(t, "a sweep", w, n*n)
}

// A run that has spent all ends as one at its cap, wherever it is told: between iterations, between dampings,
// or between faces.
func TestRunsEndOnceWorkIsSpent(t *testing.T) {
	spent := func() *Control { return &Control{Work: &Work{Spent: 1}} }
	ended := func(what string, r Report, err error) {
		t.Helper()
		if r.Status() != MaxIterations || !errors.Is(err, ErrNotConverged) || !errors.Is(err, errSpent) {
			t.Errorf("%s: status %v, error %v", what, r.Status(), err)
		}
	}
	f := problems()[0]
	if _, _, err := Newton(f, f.start, &Control{MaxIter: 1, Work: &Work{Most: math.Inf(1)}}); errors.Is(err, errSpent) {
		t.Errorf("work was left at the cap: %v", err)
	}
	for _, s := range solvers {
		_, r, err := s.run(f, f.start, spent())
		ended(s.name, r, err)
	}
	_, r, err := Run(f.start, spent(), func(x []float64) (float64, Certificate, error) {
		return f.Value(x), Certificate{Value: 1}, nil
	}, Stage{Solve: func([]float64, *Control) ([]float64, Report, error) { panic("a stage had its turn") }})
	ended("Run", r, err)

	uphill, tried := flawed[4], 0
	if uphill.name != "gradient with the wrong sign" {
		t.Fatal(uphill.name)
	}
	counted := &problem{hess: func(h *linalg.Dense, g, x []float64) float64 { tried++; return uphill.hess(h, g, x) }}
	_, r, err = Newton(counted, uphill.start, &Control{Work: &Work{Most: .5 * 2 * 2}})
	if r.Status() != LineSearch {
		t.Errorf("without a limit it finds no point: %v", r.Status())
	}
	all := tried
	const n = 30
	wide := &problem{hess: func(h *linalg.Dense, g, x []float64) float64 { tried++; return uphill.hess(h, g, x) }}
	tried = 0
	_, r, err = Newton(wide, linalgtest.Normal(1, n, 1).Data, &Control{Work: &Work{Most: n * n * n / 2}})
	if ended("dampings", r, err); tried*2 > all {
		t.Errorf("%d evaluations with a limit, %d without", tried, all)
	}

	x := &coordinates{Progress: &Progress{work: &Work{Spent: 1}}, f: &Quadratic{A: linalg.Identity(2), B: []float64{3, 3}},
		pen: penalty.ElasticNet{Lambda: 1, L1Ratio: 1}, x: []float64{1, 1}, q: make([]float64, 2), start: []float64{1, 1}}
	x.faces = x.f.faces(x.pen, x.Progress)
	if x.faces.work != x.work {
		t.Error("faces do not count")
	}
	if x.activeSet() {
		t.Error("a face was guessed though all work was spent")
	}
}

// A cap of iterations leaves no other limit; without one it is the same for all tables of up to 1,000
// numbers, and grows with the square of their number.
func TestWorkOn(t *testing.T) {
	small, large := WorkOn(10, 10, 0), WorkOn(4000, 3, 0)
	if WorkOn(10, 10, 5) != nil || small.Most != WorkOn(1000, 1, 0).Most || large.Most != 144*small.Most {
		t.Errorf("%v, %v", small, large)
	}
	var none *Work
	if none.Spend(1, 1, 1); none.Done() {
		t.Error("nothing is spent of no limit")
	}
}

// A step on a face goes to the best of the ends where signs stop it, knows the derivatives there, and reads the matrix once
// for all of them.
func TestAlongReadsTheMatrixOnce(t *testing.T) {
	const n = 120
	a := linalg.Gram(linalgtest.Normal(3, 2*n, n), nil, nil, 1)
	w, pen := &Work{Most: math.Inf(1)}, penalty.ElasticNet{Lambda: 1, L1Ratio: 1}
	x := &coordinates{Progress: &Progress{work: w}, pen: pen, f: &Quadratic{A: a, B: make([]float64, n)}, x: linalgtest.Normal(5, n, 1).Data, q: make([]float64, n)}
	x.refresh()
	w.Spent = 0
	set, d, start := x.support(), make([]float64, n), linalg.Clone(x.x)
	for j, v := range x.x {
		d[j] = -1.5 * v
		if j%3 > 0 {
			d[j] = -.9*v + float64(j%7-3)
		}
	}
	ends := append([]float64{1}, x.crossings(set, d)...)
	if !x.along(set, d) {
		t.Fatal("no sign stopped the step")
	}
	if most := float64(n * n * (Alone + len(ends))); w.Spent > most/3 {
		t.Errorf("%g multiplications for %d signs", w.Spent, len(ends)-1)
	}
	reached := linalg.Clone(x.q)
	value := x.value()
	x.refresh()
	for j, q := range x.q {
		linalgtest.Close(t, "derivative", reached[j], q, 1e-9*n)
	}
	x.place(set, d, start, 1)
	x.refresh()
	if value > x.value() {
		t.Errorf("came to %g, the whole step to %g", value, x.value())
	}
}
