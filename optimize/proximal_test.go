package optimize

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/loss"
	"halfspace/optimize/penalty"
)

// logits is the logistic loss of rows with columns held side by side, counting
// what it is asked for.
type logits struct {
	xt              *linalg.Dense // p×n
	y               []float64
	f, d, w         []float64
	grads, hessians int
}

// newLogits returns n rows of p features with correlation c² of which the first
// five matter, and an intercept column at 0.
func newLogits(seed uint64, n, p int, c float64) *logits {
	x := linalgtest.Normal(seed, n, p+2)
	l := &logits{xt: linalg.Zeros(p, n), y: make([]float64, n), f: make([]float64, n), d: make([]float64, n), w: make([]float64, n)}
	for i := range n {
		row := x.Row(i)
		score := 0.5 + row[p+1]
		for j := range p {
			v := c*row[p] + math.Sqrt(1-c*c)*row[j]
			if j == 0 {
				v = 1
			} else if j <= 5 {
				score += v / float64(j)
			}
			l.xt.Set(j, i, v)
		}
		l.y[i] = math.Copysign(1, score)
	}
	return l
}

func (l *logits) scores(x []float64) {
	clear(l.f)
	for j, v := range x {
		if v != 0 {
			linalg.Axpy(l.f, v, l.xt.Row(j))
		}
	}
}

func (l *logits) Value(x []float64) float64 {
	l.scores(x)
	return loss.Logistic{}.Rows(nil, nil, l.y, l.f, nil)
}

func (l *logits) Grad(g, x []float64) float64 {
	l.grads++
	l.scores(x)
	v := loss.Logistic{}.Rows(l.d, l.w, l.y, l.f, nil)
	linalg.MulVec(g, l.xt, l.d, 1)
	return v
}

func (l *logits) SubHess(h *linalg.Dense, x []float64, rows, cols []int) {
	if cols == nil {
		l.hessians++
		cols = rows
	}
	l.scores(x)
	loss.Logistic{}.Rows(nil, l.w, l.y, l.f, nil)
	wx := make([]float64, len(l.y))
	for a, i := range rows {
		for k, v := range l.xt.Row(i) {
			wx[k] = v * l.w[k]
		}
		for b, j := range cols {
			h.Set(a, b, linalg.Dot(wx, l.xt.Row(j)))
		}
	}
}

// penalized returns an elastic net that spares coordinate 0.
func penalized(p int, lambda, ratio float64) penalty.ElasticNet {
	factors := make([]float64, p)
	for j := 1; j < p; j++ {
		factors[j] = 1
	}
	return penalty.ElasticNet{Lambda: lambda, L1Ratio: ratio, Factors: factors}
}

// lambdaMax returns the λ above which the intercept stands alone.
func (l *logits) lambdaMax() float64 {
	p := l.xt.Rows
	x, _, err := ProximalNewton(l, make([]float64, p), penalized(p, 1e9, 1), &Control{Tol: 1e-10})
	if err != nil {
		panic(err)
	}
	g := make([]float64, p)
	l.Grad(g, x)
	return penalized(p, 1, 1).LambdaMax(g)
}

// TestProximalNewton follows a path of lasso and elastic net, with few and many
// columns; the certificate of each point is recomputed, and a start from zero
// gives the same objective.
func TestProximalNewton(t *testing.T) {
	for _, size := range []struct {
		n, p int
		c    float64
	}{{200, 20, 0}, {200, 20, 0.9}, {100, 300, 0.5}} {
		l := newLogits(3, size.n, size.p, size.c)
		lmax := l.lambdaMax()
		for _, ratio := range []float64{1, 0.5} {
			what := fmt.Sprintf("%d×%d, correlation %v², ratio %v", size.n, size.p, size.c, ratio)
			x, k := make([]float64, size.p), new(Proximal)
			l.grads, l.hessians = 0, 0
			for i := range 30 {
				pen := penalized(size.p, lmax/ratio*math.Pow(0.85, float64(i)), ratio)
				start := slices.Clone(x)
				var rep Report
				var err error
				x, rep, err = k.Minimize(l, start, pen, nil)
				if err != nil {
					t.Errorf("%s, λ %d: %v", what, i, err)
				}
				g := make([]float64, size.p)
				v := l.Grad(g, x) + pen.Value(x)
				l.grads--
				pen.Residual(g, g, x)
				if r := linalg.NormInf(g); r > 1e-8 || r != rep.Certificate().Value || v != rep.Objective() {
					t.Errorf("%s, λ %d: residual %v and objective %v, reported %v and %v", what, i, r, v, rep.Certificate().Value, rep.Objective())
				}
				if i == 0 && linalg.NormInf(x[1:]) > 0 {
					t.Errorf("%s: not zero at λmax: %v", what, x)
				}
				if i%10 == 9 {
					h, gr := l.hessians, l.grads
					_, cold, err := ProximalNewton(l, make([]float64, size.p), pen, nil)
					linalgtest.Close(t, what+" from zero", cold.Objective(), v, 1e-12)
					t.Logf("%s from zero: %d iterations, %v", what, cold.Iterations(), err)
					l.hessians, l.grads = h, gr
				}
			}
			t.Logf("%s: %d gradients and %d Hessians for 30 points", what, l.grads, l.hessians)
		}
	}
}

// TestProximalNewtonEnds reaches the other statuses.
func TestProximalNewtonEnds(t *testing.T) {
	l := newLogits(3, 100, 10, 0)
	zero, pen, stop := make([]float64, 10), penalized(10, 0.1, 1), errors.New("enough")
	x, rep, err := ProximalNewton(l, zero, pen, &Control{MaxIter: 1})
	if rep.Status() != MaxIterations || len(x) != 10 || !errors.Is(err, ErrNotConverged) {
		t.Errorf("cap: %v, %+v, %v", x, rep, err)
	}
	x, rep, err = ProximalNewton(l, zero, pen, &Control{Trace: func(Step) error { return stop }})
	if rep.Status() != Stopped || len(x) != 10 || !errors.Is(err, stop) {
		t.Errorf("stopped: %v, %+v, %v", x, rep, err)
	}
	x, rep, err = ProximalNewton(l, zero, pen, &Control{Tol: 1e-300})
	if rep.Status() != LineSearch || len(x) != 10 || !errors.Is(err, ErrNotConverged) || rep.Certificate().Value > 1e-9 {
		t.Errorf("no tolerance: %v, %+v, %v", x, rep, err)
	}
	l.y[3] = math.NaN()
	x, rep, err = ProximalNewton(l, zero, pen, nil)
	if rep.Status() != NotFinite || len(x) != 10 || !errors.Is(err, ErrNotConverged) {
		t.Errorf("NaN: %v, %+v, %v", x, rep, err)
	}
	if x, _, err := ProximalNewton(l, zero, penalty.Lasso(-1), nil); x != nil || err == nil || errors.Is(err, ErrNotConverged) {
		t.Errorf("negative penalty: %v, %v", x, err)
	}
}

// TestProximalNewtonHalves: √(1 + (x − 2)²) from −3, where whole steps fly off. A part of a step
// ends at that part of the way to the minimum of the model.
func TestProximalNewtonHalves(t *testing.T) {
	f := &problem{hess: func(h *linalg.Dense, g, x []float64) float64 {
		r := math.Hypot(1, x[0]-2)
		g[0] = (x[0] - 2) / r
		h.Set(0, 0, 1/(r*r*r))
		return r
	}}
	pen, before, parts := penalty.Lasso(0.6), 0.0, 0
	x, rep, err := ProximalNewton(whole{f}, []float64{-3}, pen, &Control{Trace: func(s Step) error {
		if s.Length > 0 && s.Length < 1 {
			parts++
			h, g := linalg.Zeros(1, 1), make([]float64, 1)
			f.Hess(h, g, []float64{before})
			z := penalty.Soft(h.Data[0]*before-g[0], pen.Lambda) / h.Data[0]
			linalgtest.Close(t, "a part of a step", s.X[0], before+s.Length*(z-before), 1e-9)
		}
		before = s.X[0]
		return nil
	}})
	if parts == 0 {
		t.Error("no step was halved")
	}
	// The slope at the minimum is −0.6: (x − 2)/√(1 + (x − 2)²) = −0.6.
	if err != nil || math.Abs(x[0]-1.25) > 1e-7 || rep.Iterations() > 20 {
		t.Errorf("%v, %+v, %v", x, rep, err)
	}
}

// whole gives a problem's Hessian by rows and columns.
type whole struct{ *problem }

func (f whole) SubHess(h *linalg.Dense, x []float64, rows, cols []int) {
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

// asked counts the Hessians of a least squares problem.
type asked struct {
	*LeastSquares
	made, grown int
}

func (f *asked) SubHess(h *linalg.Dense, x []float64, rows, cols []int) {
	if cols == nil {
		f.made++
	} else {
		f.grown++
	}
	f.LeastSquares.SubHess(h, x, rows, cols)
}

// TestProximalKeeps: the Hessian of least squares does not change, so that a path
// makes one, lets it grow, and needs a step or two at each λ.
func TestProximalKeeps(t *testing.T) {
	f := &asked{LeastSquares: leastSquares(7, 100, 150, 0.5)}
	g := make([]float64, 150)
	f.Grad(g, make([]float64, 150))
	lmax := penalty.Lasso(1).LambdaMax(g)
	x, k := make([]float64, 150), new(Proximal)
	for i := range 25 {
		var rep Report
		var err error
		x, rep, err = k.Minimize(f, x, penalty.Lasso(lmax*math.Pow(0.85, float64(i))), &Control{Tol: 1e-6 * lmax})
		if err != nil || rep.Iterations() > 4 {
			t.Errorf("λ %d: %+v, %v", i, rep, err)
		}
	}
	if f.made != 1 || f.grown == 0 {
		t.Errorf("%d Hessians made, %d times grown", f.made, f.grown)
	}
}

// constant says that its Hessian is.
type constant struct{ *asked }

func (constant) ConstantHessian() bool { return true }

// Where rounding is all that is left, a Hessian seems worn; one that is constant is not
// made anew.
func TestProximalKeepsAConstantHessian(t *testing.T) {
	f := constant{&asked{LeastSquares: leastSquares(7, 100, 150, 0.5)}}
	k, x := new(Proximal), make([]float64, 150)
	for _, lambda := range []float64{20, 10, 5, 2, 1} {
		var err error
		if x, _, err = k.Minimize(f, x, penalty.Lasso(lambda), &Control{Tol: 1e-18}); x == nil {
			t.Fatal(err)
		}
	}
	if f.made != 1 {
		t.Errorf("%d Hessians made", f.made)
	}
}

func BenchmarkProximalPath(b *testing.B) {
	l := newLogits(4, 2000, 200, 0.3)
	lmax := l.lambdaMax()
	b.ReportAllocs()
	for b.Loop() {
		x, k := make([]float64, 200), new(Proximal)
		l.grads, l.hessians = 0, 0
		for i := range 60 {
			var err error
			if x, _, err = k.Minimize(l, x, penalized(200, lmax*math.Pow(0.91, float64(i)), 1), &Control{Tol: 1e-6 * 2000}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(l.grads), "gradients")
	b.ReportMetric(float64(l.hessians), "hessians")
}

// bowl is t·½‖x‖² − Σx.
type bowl struct{ t float64 }

func (f *bowl) Value(x []float64) float64 { return f.t/2*linalg.Dot(x, x) - linalg.Sum(x) }

func (f *bowl) Grad(g, x []float64) float64 {
	for j, v := range x {
		g[j] = f.t*v - 1
	}
	return f.Value(x)
}

func (f *bowl) SubHess(h *linalg.Dense, _ []float64, rows, cols []int) {
	if cols == nil {
		cols = rows
	}
	for i, a := range rows {
		h.Set(i, slices.Index(cols, a), f.t)
	}
}

// A Hessian kept from where curvatures were larger is scaled by what the first step meets: the
// second step is then exact, where each would leave two fifths.
func TestProximalScalesAKeptHessian(t *testing.T) {
	f, kept, start := &bowl{1}, new(Proximal), make([]float64, 500)
	for _, f.t = range []float64{1, 0.6} {
		x, r, err := kept.Minimize(f, start, penalty.ElasticNet{Lambda: 0.1, L1Ratio: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if f.t < 1 && r.Iterations() > 2 {
			t.Errorf("t = %v: %v", f.t, r)
		}
		start = x
	}
}

// All coordinates without a penalty move from the first step on; those with one join by and by.
func TestProximalMovesWhatHasNoPenalty(t *testing.T) {
	free := penalty.ElasticNet{Lambda: 0.1, L1Ratio: 1, Factors: make([]float64, 500)}
	if _, r, err := ProximalNewton(&bowl{1}, make([]float64, 500), free, nil); err != nil || r.Iterations() > 1 {
		t.Errorf("%v, %v", r, err)
	}
}

// A model that is not solved ends a hasty run, for which another method is at hand, after the step that it leads to.
func TestProximalIsHasty(t *testing.T) {
	for _, hasty := range []bool{false, true} {
		models := 0
		k := &Proximal{Share: 0.05, Hasty: hasty, Model: func(z, x []float64, set []int, _ penalty.ElasticNet, _ *Control) bool {
			models++
			for _, j := range set {
				z[j] += (0.9 - x[j]) / 10
			}
			return false
		}}
		_, r, err := k.Minimize(&bowl{1}, make([]float64, 5), penalty.ElasticNet{Lambda: 0.1, L1Ratio: 1}, &Control{Tol: 1e-12})
		if want := map[bool]int{false: 4, true: 1}[hasty]; models != want || r.Status() != LineSearch || !errors.Is(err, ErrNotConverged) {
			t.Errorf("hasty %v: %d models, %v", hasty, models, r)
		}
	}
}

// steady is a bowl that says that its Hessian is constant.
type steady struct{ *bowl }

func (steady) ConstantHessian() bool { return true }

// An exact model whose minimiser goes no further than it is asked to ends in two steps: the
// second one goes to the end.
func TestProximalEndsExactModels(t *testing.T) {
	pen, start := penalty.ElasticNet{Lambda: 0.1, L1Ratio: 1}, make([]float64, 5)
	kept := &Proximal{Share: 0.05, Model: func(z, _ []float64, set []int, _ penalty.ElasticNet, c *Control) bool {
		for _, j := range set {
			z[j] = 0.9 + 0.99*c.Tol
		}
		return true
	}}
	for _, tol := range []float64{1e-4, 1e-12} {
		if _, r, err := kept.Minimize(steady{&bowl{1}}, start, pen, &Control{Tol: tol}); err != nil || r.Iterations() != 2 {
			t.Errorf("%v %v", r, err)
		}
	}
}
