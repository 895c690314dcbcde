package qp

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// dense is a Q that is simply there.
type dense struct{ *linalg.Dense }

func (d dense) Len() int { return d.Rows }
func (d dense) Diag(dst []float64) {
	for i := range dst {
		dst[i] = d.At(i, i)
	}
}
func (d dense) Row(dst []float64, i int, cols []int) {
	if cols == nil {
		copy(dst, d.Dense.Row(i))
		return
	}
	for k, j := range cols {
		dst[k] = d.At(i, j)
	}
}

// svm returns the dual of a soft margin on two normal clouds.
func svm(seed uint64, n, p int, sep, c float64) *Problem {
	x := linalgtest.Normal(seed, n, p)
	s := make([]float64, n)
	for i := range s {
		s[i] = float64(1 - 2*(i%2))
		x.Row(i)[0] += s[i] * sep
	}
	return &Problem{Q: &Linear{X: x, Sign: s, Workers: 1}, Linear: constant(n, -1), Sign: s, Upper: constant(n, c)}
}

// check recomputes gradient, gap and feasibility from α alone.
func check(t *testing.T, p *Problem, r *Result, err error, tol float64) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if r.Report.Status != optimize.Converged || !r.Report.Certificate.Holds() {
		t.Errorf("report %+v", r.Report)
	}
	g := make([]float64, len(r.Alpha))
	p.Q.MulVec(g, r.Alpha)
	linalg.Axpy(g, 1, p.Linear)
	gap, kkt := p.Gap(r.Alpha, g, r.Multiplier)
	scale := max(1, math.Abs(r.Bound))
	if p.Upper != nil && gap > tol*scale {
		t.Errorf("gap %g above %g of %g", gap, tol, scale)
	}
	if p.Upper == nil && kkt > tol*max(1, linalg.NormInf(p.Linear)) {
		t.Errorf("kkt %g", kkt)
	}
	for i, a := range r.Alpha {
		if p.Lower == nil && a < 0 || p.Lower != nil && a < p.Lower[i] || p.Upper != nil && a > p.Upper[i] {
			t.Errorf("α[%d] = %g is outside its bounds", i, a)
		}
	}
	if p.Sign != nil {
		if d := math.Abs(linalg.Dot(p.Sign, r.Alpha) - p.Sum); d > 1e-9*max(1, linalg.NormInf(r.Alpha)) {
			t.Errorf("the equality is missed by %g", d)
		}
	}
}

func TestSMOByHand(t *testing.T) {
	// Two points at ±1: α = 1/2 each, f = x, objective −1/2.
	x, _ := linalg.FromRows([][]float64{{-1}, {1}})
	s := []float64{-1, 1}
	p := &Problem{Q: &Linear{X: x, Sign: s}, Linear: constant(2, -1), Sign: s, Upper: constant(2, 10)}
	r, err := SMO(p, &Options{Tol: 1e-12})
	check(t, p, r, err, 1e-12)
	linalgtest.CloseSlice(t, "α", r.Alpha, []float64{0.5, 0.5}, 1e-12)
	linalgtest.Close(t, "objective", r.Objective, -0.5, 1e-12)
	linalgtest.Close(t, "multiplier", r.Multiplier, 0, 1e-12)
}

func TestSMOFormsOfTheProblem(t *testing.T) {
	for name, c := range map[string]func(p *Problem){
		"soft margin":   func(*Problem) {},
		"through zero":  func(p *Problem) { p.Sign = nil },
		"row bounds":    func(p *Problem) { p.Upper[3], p.Upper[4], p.Upper[5] = 0, 0.1, 5 },
		"lower bounds":  func(p *Problem) { p.Lower = constant(len(p.Linear), -0.3) },
		"sum":           func(p *Problem) { p.Sum = 3.5 },
		"linear terms":  func(p *Problem) { p.Linear[7], p.Linear[8] = 4, -9 },
		"all at bounds": func(p *Problem) { p.Upper = constant(len(p.Linear), 1e-6) },
	} {
		t.Run(name, func(t *testing.T) {
			p := svm(1, 120, 3, 0.7, 1)
			c(p)
			for _, bytes := range []int{0, 1} {
				r, err := SMO(p, &Options{Tol: 1e-9, CacheBytes: bytes})
				check(t, p, r, err, 1e-9)
			}
		})
	}
}

// A brute-force minimum over the faces of a small box.
func TestSMOAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	for range 200 {
		m := 2 + rng.IntN(4)
		a := linalg.Zeros(m, m)
		for i := range a.Data {
			a.Data[i] = rng.NormFloat64()
		}
		p := &Problem{Q: dense{linalg.Gram(a, nil, nil, 1)}, Linear: make([]float64, m), Upper: constant(m, 1+rng.Float64())}
		for i := range p.Linear {
			p.Linear[i] = rng.NormFloat64()
		}
		if rng.IntN(2) == 0 {
			p.Sign = make([]float64, m)
			for i := range p.Sign {
				p.Sign[i] = float64(1 - 2*rng.IntN(2))
			}
			if rng.IntN(2) == 0 {
				p.Sum = 0.3 * p.Sign[0]
			}
		}
		r, err := SMO(p, &Options{Tol: 1e-11})
		check(t, p, r, err, 1e-11)
		if best := enumerate(p, m); r.Objective > best+1e-9 || r.Objective < best-1e-9 {
			t.Fatalf("objective %v, enumeration %v", r.Objective, best)
		}
	}
}

// enumerate solves the stationarity equations on every face of the box.
func enumerate(p *Problem, m int) float64 {
	best := math.Inf(1)
	q := p.Q.(dense)
	faces := 1
	for range m {
		faces *= 3
	}
	for f := range faces {
		var free []int
		x := make([]float64, m)
		for i, k := 0, f; i < m; i, k = i+1, k/3 {
			switch k % 3 {
			case 1:
				x[i] = p.Upper[i]
			case 2:
				free = append(free, i)
			}
		}
		n := len(free)
		if p.Sign != nil {
			n++
		}
		a, b := linalg.Zeros(max(n, 1), max(n, 1)), make([]float64, n)
		for r, i := range free {
			b[r] = -p.Linear[i] - linalg.Dot(q.Dense.Row(i), x)
			for c, j := range free {
				a.Set(r, c, q.At(i, j))
			}
			if p.Sign != nil {
				a.Set(r, n-1, p.Sign[i])
				a.Set(n-1, r, p.Sign[i])
			}
		}
		if p.Sign != nil {
			b[n-1] = p.Sum - linalg.Dot(p.Sign, x)
		}
		if !gauss(a, b, n) {
			continue
		}
		ok := true
		for r, i := range free {
			x[i] = b[r]
			ok = ok && x[i] >= -1e-12 && x[i] <= p.Upper[i]+1e-12
		}
		if p.Sign != nil && math.Abs(linalg.Dot(p.Sign, x)-p.Sum) > 1e-9 || !ok {
			continue
		}
		g := make([]float64, m)
		p.Q.MulVec(g, x)
		best = min(best, linalg.Dot(x, g)/2+linalg.Dot(p.Linear, x))
	}
	return best
}

func gauss(a *linalg.Dense, b []float64, n int) bool {
	for k := range n {
		piv := k
		for i := k; i < n; i++ {
			if math.Abs(a.At(i, k)) > math.Abs(a.At(piv, k)) {
				piv = i
			}
		}
		if math.Abs(a.At(piv, k)) < 1e-9 {
			return false
		}
		for j := range n {
			x, y := a.At(k, j), a.At(piv, j)
			a.Set(k, j, y)
			a.Set(piv, j, x)
		}
		b[k], b[piv] = b[piv], b[k]
		for i := range n {
			if i == k {
				continue
			}
			f := a.At(i, k) / a.At(k, k)
			for j := k; j < n; j++ {
				a.Set(i, j, a.At(i, j)-f*a.At(k, j))
			}
			b[i] -= f * b[k]
		}
	}
	for k := range n {
		b[k] /= a.At(k, k)
	}
	return true
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
		"sum too large":  {func(p *Problem, o *Options) { p.Sum = 5.1 }, &feasible},
	} {
		p, o := good(), &Options{}
		c.spoil(p, o)
		r, err := SMO(p, o)
		if err == nil || r != nil || !errors.As(err, c.as) {
			t.Errorf("%s: result %v, error %v", name, r, err)
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
	if !errors.Is(err, optimize.ErrNotConverged) || r == nil || r.Report.Status != optimize.MaxIterations || r.Report.Iterations != 7 {
		t.Errorf("cap: %v, %+v", err, r)
	}
	stop := errors.New("enough")
	r, err = SMO(p, &Options{Trace: func(optimize.Step) error { return stop }})
	if !errors.Is(err, stop) || !errors.Is(err, optimize.ErrNotConverged) || r.Report.Status != optimize.Stopped {
		t.Errorf("trace: %v", err)
	}
	r, err = SMO(p, &Options{Tol: 1e-300})
	if !errors.Is(err, optimize.ErrNotConverged) || r.Report.Status != optimize.LineSearch {
		t.Errorf("a tolerance below rounding: %v %+v", err, r.Report)
	}
	if r.Report.Certificate.Value > 1e-11 {
		t.Errorf("the floor is %g", r.Report.Certificate.Value)
	}
}

func TestSMOWarmStart(t *testing.T) {
	p := svm(4, 600, 4, 0.4, 1)
	cold, err := SMO(p, nil)
	check(t, p, cold, err, 1e-8)
	start := append([]float64(nil), cold.Alpha...)
	warm, err := SMO(p, &Options{Start: start})
	check(t, p, warm, err, 1e-8)
	if warm.Report.Iterations*10 > cold.Report.Iterations {
		t.Errorf("%d steps from the solution, %d from 0", warm.Report.Iterations, cold.Report.Iterations)
	}
	for i := range start {
		start[i] += 3
	}
	far, err := SMO(p, &Options{Start: start})
	check(t, p, far, err, 1e-8)
}
