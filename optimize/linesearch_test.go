package optimize

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
)

// curve is a function on the line.
type curve func(x float64) (value, slope float64)

func (c curve) Value(x []float64) float64 { v, _ := c(x[0]); return v }

func (c curve) Grad(g, x []float64) float64 {
	v, s := c(x[0])
	g[0] = s
	return v
}

// TestLineSearch checks the strong Wolfe conditions at the step that is found,
// from directions much too short and much too long. The first two functions are
// those of Moré & Thuente, ACM TOMS 20, 1994, (5.1) and (5.2).
func TestLineSearch(t *testing.T) {
	for name, f := range map[string]curve{
		"5.1": func(x float64) (float64, float64) {
			return -x / (x*x + 2), (x*x - 2) / ((x*x + 2) * (x*x + 2))
		},
		"5.2": func(x float64) (float64, float64) {
			u := x + 0.004
			return math.Pow(u, 5) - 2*math.Pow(u, 4), 5*math.Pow(u, 4) - 8*math.Pow(u, 3)
		},
		"parabola": func(x float64) (float64, float64) { return (x - 3) * (x - 3), 2 * (x - 3) },
		"barrier":  func(x float64) (float64, float64) { return -math.Log(5-x) - x, 1/(5-x) - 1 },
		"narrow":   func(x float64) (float64, float64) { return math.Cosh(50*(x-0.1)) / 100, math.Sinh(50*(x-0.1)) / 2 },
	} {
		for _, first := range []float64{1e-3, 0.1, 1, 10, 1e3} {
			w, err := Begin(nil, []float64{0}, nil, Defaults{KindGradient, 1e-8, 1, 0})
			if err != nil {
				t.Fatal(err)
			}
			calls := 0
			counted := curve(func(x float64) (float64, float64) { calls++; return f(x) })
			l := newLine(w, counted, 1)
			l.d[0] = first
			v0, s0 := f(0)
			p, ok := l.search([]float64{0}, first*s0, v0)
			at := p.t * first
			v, s := f(at)
			if !ok || v > v0+armijo*at*s0 || math.Abs(s) > loose*math.Abs(s0) || l.next[0] != at || l.gNext[0] != s {
				t.Errorf("%s from %v: %+v, %v", name, first, p, ok)
			}
			if calls > 16 {
				t.Errorf("%s from %v: %d evaluations", name, first, calls)
			}
		}
	}
}

// TestLineSearchSettles: where no slope is flat enough the last point that lowers
// the objective is taken, with its gradient.
func TestLineSearchSettles(t *testing.T) {
	for name, f := range map[string]curve{
		"line":   func(x float64) (float64, float64) { return -x, -1 },
		"corner": func(x float64) (float64, float64) { return math.Abs(x - 3), math.Copysign(1, x-3) },
	} {
		w, err := Begin(nil, []float64{0}, nil, Defaults{KindGradient, 1e-8, 1, 0})
		if err != nil {
			t.Fatal(err)
		}
		l := newLine(w, f, 1)
		l.d[0] = 1
		v0, s0 := f(0)
		p, ok := l.search([]float64{0}, s0, v0)
		v, s := f(p.t)
		if !ok || !(v < v0) || p.value != v || l.next[0] != p.t || l.gNext[0] != s {
			t.Errorf("%s: %+v, %v", name, p, ok)
		}
	}
}

// TestRoundingErrors: values about 1e8 with errors of their last bits, which near
// the minimum are all that differs; the slopes alone lead on.
func TestRoundingErrors(t *testing.T) {
	bowl := ellipse(4, 100)
	f := &problem{name: "noisy", start: []float64{5, -3, 2, 0}, hess: func(h *linalg.Dense, g, x []float64) float64 {
		bits := math.Float64bits(x[0]) ^ math.Float64bits(x[1])<<1
		return 1e8 + bowl(h, g, x) + 3e-8*float64(bits*0x9e3779b97f4a7c15>>62)
	}}
	for _, s := range solvers[:4] {
		x, rep, err := s.run(f, f.start, nil)
		if err != nil {
			t.Errorf("%s: %v, %+v, %v", s.name, x, rep, err)
		}
	}
}

// TestScales: with coordinates measured in powers of two the walk is the same to
// the last bit.
func TestScales(t *testing.T) {
	units := []float64{0x1p40, 0x1p-40, 1, 0x1p10}
	plain := &problem{start: make([]float64, 4), hess: logit(100, []float64{1, 1, 1, 1}, 0)}
	scaled := &problem{start: make([]float64, 4), hess: logit(100, units, 0), scale: units}
	for _, s := range solvers[:4] {
		want, a, err := s.run(plain, plain.start, &Control{Scale: []float64{1, 1, 1, 1}})
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		x, b, err := s.run(scaled, scaled.start, &Control{Scale: units})
		for j := range x {
			x[j] *= units[j]
		}
		if err != nil || a != b || !slices.Equal(x, want) {
			t.Errorf("%s: %v, %+v, %v; without scales %v, %+v", s.name, x, b, err, want, a)
		}
	}
}

// TestScalesRepeat: a list of fewer scales is that of all, written once for coordinates that
// have the same.
func TestScalesRepeat(t *testing.T) {
	f := &problem{start: make([]float64, 4), hess: logit(100, []float64{1, 3, 5, 7}, 0)}
	for _, s := range solvers[:4] {
		want, a, err := s.run(f, f.start, &Control{Scale: []float64{2, 30, 2, 30}})
		x, b, again := s.run(f, f.start, &Control{Scale: []float64{2, 30}})
		if err != nil || again != nil || a != b || !slices.Equal(x, want) {
			t.Errorf("%s: %v, %+v, %v; with all scales %v, %+v, %v", s.name, x, b, again, want, a, err)
		}
	}
}

// TestStepsForetellTheirModel: NewtonCG keeps no gradient beside its step d, also where that ends
// at a negative curvature, and knows all the same what the model gᵀd + ½dᵀHd falls by, and gᵀd.
func TestStepsForetellTheirModel(t *testing.T) {
	bent := 0
	hill := &problem{name: "hill", start: []float64{0.1}, hess: func(h *linalg.Dense, g, x []float64) float64 {
		g[0] = -math.Sin(x[0])
		h.Set(0, 0, -math.Cos(x[0]))
		return math.Cos(x[0])
	}}
	for _, f := range append(problems(), hill) {
		for _, share := range []float64{0.5, 1e-3} {
			p := len(f.start)
			vec := func() []float64 { return make([]float64, p) }
			s := &truncated{Progress: &Progress{tol: 1e-8}, f: f, x: f.start, share: share}
			s.Conjugate = linalg.NewConjugate(vec(), vec(), s.precondition)
			g, hd := vec(), vec()
			f.Grad(g, s.x)
			copy(s.Image, g)
			s.solve()
			f.HessVec(hd, s.x, s.X)
			slope, curve := linalg.Dot(g, s.X), linalg.Dot(s.X, hd)
			if !(curve > 0) {
				bent++
			}
			most := 1e-9 * (math.Abs(slope) + math.Abs(curve))
			if math.Abs(s.foretold+slope+curve/2) > most || math.Abs(s.slope()-slope) > most {
				t.Errorf("%s, share %g: foretold %g and slope %g, want %g and %g", f.name, share, s.foretold, s.slope(), -slope-curve/2, slope)
			}
		}
	}
	if bent == 0 {
		t.Error("no step along a negative curvature")
	}
}

// TestMemory: L-BFGS keeps the last pairs, in their order, and no more.
func TestMemory(t *testing.T) {
	m := &pairs{Progress: &Progress{}, limit: 3}
	for k := range 10 {
		m.learn([]float64{float64(k + 1)}, []float64{1})
	}
	if len(m.s) != 3 || m.s[0][0] != 8 || m.s[1][0] != 9 || m.s[2][0] != 10 || m.rho[2] != 0.1 || m.rho[0] != 1./8 {
		t.Errorf("%v, %v", m.s, m.rho)
	}
	f := problems()[0]
	_, few, err1 := LBFGS(f, f.start, 1, nil)
	_, many, err2 := LBFGS(f, f.start, 50, nil)
	if err1 != nil || err2 != nil || few == many || linalg.NormInf([]float64{many.Objective()}) > 1e-12 {
		t.Errorf("%+v, %v; %+v, %v", few, err1, many, err2)
	}
}

// modelled is a problem with the Hessian at one point as a model of all.
type modeled struct {
	*problem
	factor *linalg.Cholesky
}

func (m modeled) Precondition(d []float64) { m.factor.Solve(d) }

// With the solution's Hessian for a model L-BFGS takes a quadratic in one step,
// however bad its condition, and others in fewer steps than without.
func TestPreconditioned(t *testing.T) {
	for _, f := range problems() {
		if f.name != "quadratic, condition 1e10" && f.name != "logistic" {
			continue
		}
		c := &Control{Tol: f.tol, Scale: f.scale}
		at, _, err := Newton(f, f.start, c)
		if err != nil {
			t.Fatal(err)
		}
		h := linalg.Zeros(len(at), len(at))
		f.Hess(h, make([]float64, len(at)), at)
		factor, err := linalg.NewCholesky(h)
		if err != nil {
			t.Fatal(err)
		}
		_, plain, err1 := LBFGS(f, f.start, 0, c)
		_, with, err2 := LBFGS(modeled{f, factor}, f.start, 0, c)
		if err1 != nil || err2 != nil || with.Iterations() >= plain.Iterations() {
			t.Errorf("%s: %+v, %v; with a model %+v, %v", f.name, plain, err1, with, err2)
		}
		if f.name != "logistic" && with.Iterations() != 1 {
			t.Errorf("%s: %d iterations", f.name, with.Iterations())
		}
	}
}

// uphill is an inverse Hessian that leads the wrong way until it is forgotten.
type uphill struct{ sign float64 }

func (u *uphill) direction(d, g []float64) {
	for j, v := range g {
		d[j] = u.sign * v
	}
}

func (u *uphill) learn(s, y []float64) {}

func (u *uphill) forget() bool {
	wrong := u.sign > 0
	u.sign = -1
	return wrong
}

// TestForget: where the directions have gone bad, the method starts anew.
func TestForget(t *testing.T) {
	f := curve(func(x float64) (float64, float64) { return (x - 3) * (x - 3), 2 * (x - 3) })
	w, err := Begin(nil, []float64{0}, nil, Defaults{KindGradient, 1e-8, 50, 0})
	if err != nil {
		t.Fatal(err)
	}
	x, rep, err := quasiNewton(f, []float64{0}, w, &uphill{1})
	if err != nil || math.Abs(x[0]-3) > 1e-8 {
		t.Errorf("%v, %+v, %v", x, rep, err)
	}
}
